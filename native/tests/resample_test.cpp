// The tests of the bootstrap's draws, without Python, to be run under sanitizers (native/tests/sanitize.sh).
#include "../resample.hpp"

#include <cstdio>
#include <vector>

#include "check.hpp"

namespace {

using namespace anaphor;

// The state of NumPy's PCG64(1).
Below seeded() {
  return Below(Pcg64(11266678384032970092ULL, 3057519113565879422ULL, 10532497697318238357ULL, 11644153290110833531ULL));
}

}  // namespace

int main() {
  Below random = seeded();
  std::vector<double> counts(14);
  count_draws(random, 2, 7, nullptr, 7, counts.data());
  // np.bincount(rng.integers(7, size=7), minlength=7), twice.
  check(counts == std::vector<double>{1, 1, 0, 2, 0, 2, 1, 0, 2, 2, 0, 0, 1, 2}, "the draws of NumPy");
  random = seeded();
  const std::vector<int32_t> kinds{0, 1, 1, 0, 0, 1, 0};
  std::vector<double> two(4);
  count_draws(random, 2, 7, kinds.data(), 2, two.data());
  check(two == std::vector<double>{4, 3, 2, 5}, "draws by kind");
  std::vector<double> many(3 * 5000);
  count_draws(random, 3, 5000, nullptr, 5000, many.data());
  double sum = 0;
  for (const double count : many) sum += count;
  check(sum == 15000, "every draw is counted");
  std::puts("all held");
  return 0;
}
