// The numbers a pair of texts is turned into, and the table of word pairs that may translate each other.
//
// Everything here is a view of arrays that somebody else owns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace anaphor {

// Sentences as word numbers, one after the other; sentence p has words start[p] .. start[p + 1].
struct Text {
  const int32_t* words;
  const int64_t* start;
  int length(int64_t p) const { return static_cast<int>(start[p + 1] - start[p]); }
  const int32_t* sentence(int64_t p) const { return words + start[p]; }
};

struct Bitext {
  Text source, target;
};

// Word pairs in rows by source word, target words ascending in a row (compressed sparse rows).
struct Rows {
  const int64_t* start;
  const int32_t* target;
  int32_t sources;
  int64_t size() const { return start[sources]; }
};

// A word of a source sentence beside one of its translation, and the entry of the two in the table.
struct Cell {
  int32_t source, target, entry;
};
constexpr int32_t kNoEntry = -1;

// A hidden Markov model takes sentences up to this length; longer ones go to the position model, and their
// words are compared only within this distance of the diagonal, so that time and memory stay in proportion
// to the length.
constexpr int kLongest = 200;

// The target places [first, last) within kLongest of where the diagonal passes source place i.
inline std::pair<int, int> near_diagonal(int i, int rows, int columns) {
  if (columns <= kLongest) return {0, columns};
  const auto middle = static_cast<int>(static_cast<int64_t>(i) * columns / rows);
  return {std::max(middle - kLongest, 0), std::min(middle + kLongest + 1, columns)};
}

}  // namespace anaphor
