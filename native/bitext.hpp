// The numbers a pair of texts is turned into, and the table of word pairs that may translate each other.
//
// Everything here is a view of arrays that the Python side owns.
#pragma once

#include <cstdint>

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

// The cells (i, j) of each sentence pair whose two words are in the table, and their entry there. Pair p of
// the range they were made for has hits start[p] .. start[p + 1], ordered by j, then i.
struct Hits {
  const int64_t* start;
  const uint16_t* source;
  const uint16_t* target;
  const int32_t* entry;
};

// Positions are kept in 16 bits: words beyond this place in a sentence are never linked.
constexpr int kFarthest = 65535;

}  // namespace anaphor
