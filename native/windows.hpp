// From a batch of windows, as anaphor/predict/anaphor2/windows.py makes it, to scores at its slots.
#pragma once

#include <stdexcept>

#include "forward.hpp"
#include "parallel.hpp"

namespace anaphor {

constexpr size_t kRowsOfGroup = 512;  // short windows go together, so that few rows of tiles are empty

// Windows by places: pieces, sentences, languages, links and tags, as the tables count them.
struct Batch {
  size_t windows, places;
  const int32_t* numbers[5];
};

struct SlotAt {
  size_t place, number;
};
using SlotsOfWindows = std::vector<std::vector<SlotAt>>;

// Adds up what the tables have for one place.
inline void embed(const NetworkWeights& weights, const Batch& batch, size_t window, size_t place, float* x) {
  for (size_t table = 0; table < weights.tables.size(); ++table) {
    const bool of_place = table + 1 == weights.tables.size();
    const size_t number =
        of_place ? place : static_cast<size_t>(batch.numbers[table][window * batch.places + place]);
    if (number >= weights.tables[table].rows) throw std::out_of_range("a batch has a number outside of its table");
    const float* row = weights.tables[table].row(number);
    for (size_t k = 0; k < weights.width; ++k) x[k] += row[k];
  }
}

// Adds one window to x, without its padding, and its slots, as rows of x, to `rows`.
inline void add_window(const NetworkWeights& weights, const Batch& batch, size_t window,
                       const std::vector<SlotAt>& slots, States& x, std::vector<size_t>& rows) {
  constexpr int32_t padding = 0;
  constexpr size_t none = SIZE_MAX;
  std::vector<size_t> row_of(batch.places, none);
  size_t count = x.rows();
  for (size_t place = 0; place < batch.places; ++place) {
    if (batch.numbers[0][window * batch.places + place] == padding) continue;
    row_of[place] = count++;
    x.values.resize(count * weights.width);
    embed(weights, batch, window, place, &x.values[row_of[place] * weights.width]);
  }
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
  const TileProduct tile = best_tile();
  const Run run = best_run();
  const auto groups = static_cast<int64_t>((batch.windows + together - 1) / together);
  in_parallel(groups, threads, watch, [&](int64_t group, int) {
    const size_t first = static_cast<size_t>(group) * together, last = std::min(batch.windows, first + together);
    States x;
    std::vector<size_t> rows;
    for (size_t window = first; window < last; ++window) add_window(weights, batch, window, slots[window], x, rows);
    Forward forward(weights, tile);
    const States found = run(forward, x, rows);
    size_t row = 0;
    for (size_t window = first; window < last; ++window)
      for (const SlotAt& slot : slots[window])
        forward.scores(&found.values[row++ * weights.width], scores + slot.number * weights.classes.rows);
  });
}

}  // namespace anaphor
