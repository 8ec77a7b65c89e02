// Where numbers stand in a sorted row: many at once, so that the search for one goes on while memory answers another.
//
// Ngrams in anaphor/recipes/lm/model.py is the reference.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace anaphor {

// The place of each key in a row of `size` numbers that ascend, `absent` where it has none. Searches take their steps
// together; a step adds half of what is left or nothing, for a branch would be guessed wrong every other time.
inline void places_of(const int64_t* row, size_t size, const int64_t* keys, size_t count, int64_t absent, int64_t* to) {
  constexpr size_t kSearches = 16;
  if (size == 0) return static_cast<void>(std::fill_n(to, count, absent));
  for (size_t start = 0; start < count; start += kSearches) {
    const size_t some = std::min(kSearches, count - start);
    std::array<const int64_t*, kSearches> at;
    std::array<int64_t, kSearches> key{};
    at.fill(row);
    std::copy_n(keys + start, some, key.begin());
    for (size_t left = size; left > 1;) {
      const size_t half = left / 2;
      for (size_t k = 0; k < kSearches; ++k) at[k] += static_cast<size_t>(at[k][half - 1] < key[k]) * half;
      left -= half;
    }
    for (size_t k = 0; k < some; ++k) to[start + k] = *at[k] == key[k] ? at[k] - row : absent;
  }
}

}  // namespace anaphor
