// The tests of the analyser's first layer, without Python, to be run under sanitizers (native/tests/sanitize.sh).
#include <cstdio>
#include <vector>

#include "../near.hpp"
#include "check.hpp"

namespace {

using namespace anaphor;

// Sums that can be told by looking: the row of type t at place p has 100 p + t in every column but the last, which
// is far below zero.
void check_sums(size_t count, size_t width) {
  constexpr size_t kPlaces = 3;
  const size_t types = 4;
  std::vector<std::vector<float>> tables(kPlaces, std::vector<float>(types * width));
  std::array<Products, kPlaces> products;
  for (size_t p = 0; p < kPlaces; ++p) {
    for (size_t t = 0; t < types; ++t) {
      for (size_t k = 0; k < width; ++k) {
        tables[p][t * width + k] = k + 1 < width ? static_cast<float>(100 * p + t) : -1000.0f;
      }
    }
    products[p] = tables[p].data();
  }
  std::vector<int64_t> words;
  for (size_t k = 0; k < count + kPlaces - 1; ++k) words.push_back(static_cast<int64_t>(k % types));
  const std::vector<float> bias(width, 0.5f);
  std::vector<float> out(count * width, -1.0f);
  near_layer(products, words.data(), count, bias.data(), width, out.data());
  for (size_t place = 0; place < count; ++place) {
    const auto sum = static_cast<float>(300 + words[place] + words[place + 1] + words[place + 2]) + 0.5f;
    for (size_t k = 0; k < width; ++k) check(out[place * width + k] == (k + 1 < width ? sum : 0.0f), "a sum");
  }
}

}  // namespace

int main() {
  for (const size_t count : {0u, 1u, 5u, 6u, 7u, 100u}) {
    for (const size_t width : {1u, 2u, 16u, 17u, 64u}) check_sums(count, width);
  }
  std::puts("all held");
  return 0;
}
