// From a batch of windows, as anaphor/predict/anaphor2/windows.py makes it, to scores at its slots.
#pragma once

#include <memory>
#include <stdexcept>

#include "forward.hpp"
#include "parallel.hpp"

namespace anaphor {

constexpr size_t kRowsOfGroup = 512;  // short windows go together, so that few rows of tiles are empty

// Windows by places: pieces, sentences, languages, links and tags, as the tables count them.
struct Batch {
  size_t windows, places;
  const int32_t* numbers[kTables - 1];
};

struct SlotAt {
  size_t place, number;
};
using SlotsOfWindows = std::vector<std::vector<SlotAt>>;

// Adds up what the tables have for one place.
inline void embed(const NetworkWeights& weights, const Batch& batch, size_t window, size_t place, float* x) {
  const float* rows[kTables];
  for (size_t table = 0; table < kTables; ++table) {
    const bool of_place = table + 1 == kTables;
    const size_t number =
        of_place ? place : static_cast<size_t>(batch.numbers[table][window * batch.places + place]);
    if (number >= weights.tables[table].rows) throw std::out_of_range("a batch has a number outside of its table");
    rows[table] = weights.tables[table].row(number);
  }
  for (size_t k = 0; k < weights.width; ++k) {
    float sum = rows[0][k];
    for (size_t table = 1; table < kTables; ++table) sum += rows[table][k];
    x[k] = sum;
  }
}

// Adds one window to x, without its padding, and its slots, as rows of x, to `rows`.
inline void add_window(const NetworkWeights& weights, const Batch& batch, size_t window,
                       const std::vector<SlotAt>& slots, States& x, std::vector<size_t>& rows) {
  constexpr int32_t padding = 0;
  constexpr size_t none = SIZE_MAX;
  std::vector<size_t> row_of(batch.places, none);
  size_t count = x.rows();
  for (size_t place = 0; place < batch.places; ++place)
    if (batch.numbers[0][window * batch.places + place] != padding) row_of[place] = count++;
  if (x.values.size() < count * weights.width) x.values.resize(count * weights.width);
  for (size_t place = 0; place < batch.places; ++place)
    if (row_of[place] != none) embed(weights, batch, window, place, &x.values[row_of[place] * weights.width]);
  x.start.push_back(count);
  for (const SlotAt& slot : slots) {
    if (row_of[slot.place] == none) throw std::out_of_range("a slot is padding");
    rows.push_back(row_of[slot.place]);
  }
}

// Scores [slots, classes]. Rows are rounded one by one, so that neither groups nor threads change them.
inline void score(const NetworkWeights& weights, const Batch& batch, const SlotsOfWindows& slots, int threads,
                  const Watch& watch, float* scores) {
  const size_t together = std::max<size_t>(1, kRowsOfGroup / std::max<size_t>(1, batch.places));
  const Kernel kernel = best_kernel();
  const Run run = best_run();
  // What a thread works with, and uses again for the next group.
  struct Work {
    Forward forward;
    States x;
    std::vector<size_t> rows;
  };
  std::vector<std::unique_ptr<Work>> of_thread(static_cast<size_t>(std::max(threads, 1)));
  const auto groups = static_cast<int64_t>((batch.windows + together - 1) / together);
  in_parallel(groups, threads, watch, [&](int64_t group, int thread) {
    const size_t first = static_cast<size_t>(group) * together, last = std::min(batch.windows, first + together);
    std::unique_ptr<Work>& work = of_thread[static_cast<size_t>(thread)];
    if (!work) work = std::make_unique<Work>(Work{Forward(weights, kernel), {}, {}});
    work->x.start = {0};
    work->rows.clear();
    for (size_t window = first; window < last; ++window)
      add_window(weights, batch, window, slots[window], work->x, work->rows);
    const States found = run(work->forward, work->x, work->rows);
    size_t row = 0;
    for (size_t window = first; window < last; ++window)
      for (const SlotAt& slot : slots[window])
        work->forward.scores(&found.values[row++ * weights.width], scores + slot.number * weights.classes.rows);
  });
}

}  // namespace anaphor
