// The tests of the search in sorted rows, without Python, to be run under sanitizers (native/tests/sanitize.sh).
#include <cstdio>
#include <vector>

#include "../search.hpp"
#include "check.hpp"

namespace {

using namespace anaphor;

// A row of every third number; every number from before its first to behind its last is looked for.
void check_row(size_t size) {
  std::vector<int64_t> row, keys;
  for (size_t k = 0; k < size; ++k) row.push_back(static_cast<int64_t>(3 * k));
  for (int64_t key = -2; key < static_cast<int64_t>(3 * size) + 2; ++key) keys.push_back(key);
  std::vector<int64_t> found(keys.size(), -7);
  places_of(row.data(), size, keys.data(), keys.size(), -1, found.data());
  for (size_t k = 0; k < keys.size(); ++k) {
    const bool there = keys[k] >= 0 && keys[k] % 3 == 0 && keys[k] / 3 < static_cast<int64_t>(size);
    check(found[k] == (there ? keys[k] / 3 : -1), "a place");
  }
}

}  // namespace

int main() {
  for (const size_t size : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 31u, 100u, 1000u}) check_row(size);
  places_of(nullptr, 0, nullptr, 0, -1, nullptr);
  std::puts("all held");
  return 0;
}
