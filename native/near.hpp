// The first layer of the built-in analyser without Python: what the words around a place add up to.
//
// anaphor/analyse/network.py is the reference; sums are made in the same order, so that they are the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace anaphor {

// What a word adds to the layer at one of its places: a row of `width` numbers for each type of word.
using Products = const float*;

inline void fetch_row([[maybe_unused]] const float* row, [[maybe_unused]] size_t width) {
#if defined(__GNUC__)
  constexpr size_t kLine = 64 / sizeof(float);
  for (size_t k = 0; k < width; k += kLine) __builtin_prefetch(row + k);
#endif
}

// For each of `count` places the sum over `types[place]` and those behind it, one for each of the products, and of
// the bias, or 0 where that is less. Rows are far apart in memory, so that they are fetched some places ahead.
template <size_t kPlaces>
void near_layer(const std::array<Products, kPlaces>& products, const int64_t* types, size_t count, const float* bias,
                size_t width, float* out) {
  constexpr size_t kAhead = 6;
  const auto row = [&](size_t at, size_t place) { return products[at] + static_cast<size_t>(types[place + at]) * width; };
  for (size_t place = 0; place < count; ++place, out += width) {
    if (place + kAhead < count) {
      for (size_t at = 0; at < kPlaces; ++at) fetch_row(row(at, place + kAhead), width);
    }
    std::array<const float*, kPlaces> rows;
    for (size_t at = 0; at < kPlaces; ++at) rows[at] = row(at, place);
    for (size_t k = 0; k < width; ++k) {
      float sum = rows[0][k];
      for (size_t at = 1; at < kPlaces; ++at) sum += rows[at][k];
      sum += bias[k];
      out[k] = sum > 0 ? sum : 0;
    }
  }
}

}  // namespace anaphor
