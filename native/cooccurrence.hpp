// How often words stand side by side, for some source words at a time and over texts that come one by one: what
// the search for candidates needs where no process has the whole text.
#pragma once

#include "candidates.hpp"

namespace anaphor {

struct CooccurrenceRows {
  std::vector<int64_t> start;
  std::vector<int32_t> target, count;
};

// Source words [first, last). Row s - first has the target words beside s, ascending, and in how many sentence
// pairs each stands there.
class CooccurrenceCounter {
 public:
  CooccurrenceCounter(int32_t first, int32_t last, int32_t targets)
      : first_(first), targets_(targets), rows_(static_cast<size_t>(last - first)) {}

  // Adds the sentence pairs of one more text, in which no sentence has a word twice.
  void add(const Bitext& text, int64_t pairs, int threads) {
    const std::vector<std::vector<int32_t>> sentences = sentences_of(text.source, pairs);
    constexpr int64_t words = 64;
    std::vector<std::vector<int32_t>> counts(static_cast<size_t>(threads)), seen(counts);
    for (auto& count : counts) count.assign(static_cast<size_t>(targets_), 0);
    const auto size = static_cast<int64_t>(rows_.size());
    in_parallel((size + words - 1) / words, threads, {}, [&](int64_t block, int thread) {
      const auto at = static_cast<size_t>(thread);
      for (int64_t row = block * words; row < std::min((block + 1) * words, size); ++row)
        add_row(rows_[static_cast<size_t>(row)], sentences[static_cast<size_t>(row)], text.target, counts[at], seen[at]);
    });
  }

  size_t targets() const { return static_cast<size_t>(targets_); }

  CooccurrenceRows rows() const {
    CooccurrenceRows all{{0}, {}, {}};
    for (const Row& row : rows_) all.start.push_back(all.start.back() + static_cast<int64_t>(row.size()));
    all.target.reserve(static_cast<size_t>(all.start.back()));
    all.count.reserve(all.target.capacity());
    for (const Row& row : rows_)
      for (const auto& [target, count] : row) all.target.push_back(target), all.count.push_back(count);
    return all;
  }

 private:
  using Row = std::vector<std::pair<int32_t, int32_t>>;  // target words and counts

  // For every word of the range, the sentences it occurs in, ascending.
  std::vector<std::vector<int32_t>> sentences_of(const Text& text, int64_t pairs) const {
    std::vector<std::vector<int32_t>> sentences(rows_.size());
    for (int64_t p = 0; p < pairs; ++p)
      for (int k = 0; k < text.length(p); ++k) {
        const int64_t row = int64_t{text.sentence(p)[k]} - first_;
        if (row < 0 || row >= static_cast<int64_t>(rows_.size())) continue;
        sentences[static_cast<size_t>(row)].push_back(static_cast<int32_t>(p));
      }
    return sentences;
  }

  // `count` is zero everywhere before and after.
  static void add_row(Row& row, const std::vector<int32_t>& sentences, const Text& targets, std::vector<int32_t>& count,
                      std::vector<int32_t>& met) {
    met.clear();
    for (const int32_t p : sentences)
      for (int64_t j = targets.start[p]; j < targets.start[p + 1]; ++j)
        if (count[static_cast<size_t>(targets.words[j])]++ == 0) met.push_back(targets.words[j]);
    // What the row has already is counted up in its place; the rest is new, and goes in among it.
    for (auto& [target, before] : row) before += std::exchange(count[static_cast<size_t>(target)], 0);
    const auto old = static_cast<std::ptrdiff_t>(row.size());
    for (const int32_t t : met)
      if (const int32_t found = std::exchange(count[static_cast<size_t>(t)], 0); found > 0) row.emplace_back(t, found);
    std::sort(row.begin() + old, row.end());
    std::inplace_merge(row.begin(), row.begin() + old, row.end());
  }

  const int32_t first_, targets_;
  std::vector<Row> rows_;
};

}  // namespace anaphor
