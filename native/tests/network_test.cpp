// The network's own tests, without Python, to be run under sanitizers (native/tests/sanitize.sh).
#include <array>
#include <cstdio>
#include <limits>
#include <random>

#include "../windows.hpp"
#include "check.hpp"

namespace {

using namespace anaphor;

std::vector<float> random_floats(size_t size, std::mt19937& random, float spread) {
  std::normal_distribution<float> normal(0, spread);
  std::vector<float> values(size);
  for (float& value : values) value = normal(random);
  return values;
}

// All that this machine can run, and not only the best, which is another one elsewhere.
std::vector<Kernel> kernels() {
  std::vector<Kernel> found{{plain_tile}, best_kernel()};
#if defined(ANAPHOR_AVX2)
  if (__builtin_cpu_supports("avx2")) found.push_back({avx2_tile});
  if (has_vnni()) found.push_back({vnni_tile});
#endif
#if defined(ANAPHOR_AVX_VNNI)
  if (has_avx_vnni()) found.push_back({avx_vnni_tile});
#endif
  return found;
}

// Rows by columns in single precision, beside which bytes are held.
void check_product(size_t rows, size_t columns, size_t depth, bool positive, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> left = random_floats(rows * depth, random, 1), right = random_floats(columns * depth, random, 1);
  for (float& value : left) value = positive ? std::fabs(value) : value;
  ByteRows bytes(rows, depth, positive);
  for (size_t row = 0; row < rows; ++row) bytes.set(row, &left[row * depth], depth);
  const BytePanels panels = panels_of({right.data(), columns, depth});
  const size_t stride = columns + 3;
  const auto found = [&](const Kernel& kernel) {
    std::vector<float> values(rows * stride);
    const KernelUse use(kernel);
    multiply(kernel, bytes, rows, panels, values.data(), stride);
    return values;
  };
  const std::vector<float> best = found(best_kernel());
  for (const Kernel& kernel : kernels()) check(best == found(kernel), "every kernel gives the same products");
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns; ++column) {
      const float exact = dot(&left[row * depth], &right[column * depth], depth);
      // Half a step of either side at every one of `depth` terms of about one, with random signs.
      const float bound = 0.3F * std::sqrt(static_cast<float>(depth)) + 0.1F;
      check(std::fabs(best[row * stride + column] - exact) < bound, "a product of bytes is near the exact one");
    }
}

void check_rounding() {
  const float endless = std::numeric_limits<float>::infinity(), none = std::nanf("");
  ByteRows rows(1, 16);
  const std::vector<float> odd{endless, -endless, none, 1e38F, -1e38F, 0, 1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
  rows.set(0, odd.data(), odd.size());
  const std::vector<float> zeros(16);
  rows.set(0, zeros.data(), 16);
  check(rows.tile(0).bytes[0] == kRowZero && std::isfinite(rows.tile(0).scale[0]), "zeros are zeros");
  const std::vector<float> steps{127, -127, 0.4F, 0.6F, -0.6F, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  rows.set(0, steps.data(), 16);
  const RowByte* bytes = rows.tile(0).bytes;
  const std::vector<int32_t> nearest{127, -127, 0, 1, -1};
  for (size_t k = 0; k < nearest.size(); ++k) check(bytes[k] - kRowZero == nearest[k], "to the nearest");
}

void check_powers() {
  for (float power = -86; power <= 0; power += 0.37F) {
    const float exact = std::exp(power);
    check(std::fabs(quick_exp(power) - exact) <= 1e-5F * exact, "e to a power, to five digits");
  }
  check(quick_exp(-1000) >= 0 && quick_exp(-1000) < 1e-37F, "what is far below is nothing");
  std::vector<float> scores{-3, -1, -2};
  check(greatest(scores.data(), 3) == -1 && largest(scores.data(), 3) == 3, "the largest, with signs and without");
}

struct RandomNetwork {
  std::vector<std::vector<float>> kept;
  NetworkWeights weights;
  RandomNetwork(size_t width, size_t heads, size_t layers) : weights{width, heads, {}, {}, nullptr, {}, nullptr} {
    std::mt19937 random(7);
    const auto keep = [&](size_t rows, size_t columns) {
      kept.push_back(random_floats(rows * columns, random, 1 / std::sqrt(static_cast<float>(columns))));
      return MatrixView{kept.back().data(), rows, columns};
    };
    for (int table = 0; table < 6; ++table) weights.tables.push_back(keep(40, width));
    for (size_t layer = 0; layer < layers; ++layer)
      weights.blocks.push_back({std::vector<float>(width, 1.0F), std::vector<float>(width, 1.0F),
                                panels_of(keep(width, width)), panels_of(keep(2 * width, width)),
                                panels_of(keep(width, width)), panels_of(keep(4 * width, width)),
                                panels_of(keep(width, 4 * width))});
    weights.norm = keep(1, width).values;
    weights.classes = keep(5, width);
    weights.bias = keep(1, 5).values;
  }
};

// Windows of all lengths up to `places`, with one slot at the last place of each and one at the first.
std::vector<float> run_batch(const RandomNetwork& network, size_t windows, size_t places, int threads, int32_t number) {
  std::vector<int32_t> numbers(windows * places);
  SlotsOfWindows slots(windows);
  for (size_t window = 0; window < windows; ++window) {
    const size_t size = 1 + window % places;
    for (size_t place = 0; place < size; ++place)
      numbers[window * places + place] = place == 1 ? number : static_cast<int32_t>(1 + (window + place) % 39);
    slots[window] = {{size - 1, 2 * window}, {0, 2 * window + 1}};
  }
  const int32_t* at = numbers.data();
  std::vector<float> scores(2 * windows * 5);
  score(network.weights, {windows, places, {at, at, at, at, at}}, slots, threads, {}, scores.data());
  return scores;
}

void check_batches() {
  for (const auto& [width, heads, layers] : {std::array<size_t, 3>{8, 1, 1}, {32, 4, 2}, {48, 2, 3}, {16, 2, 0}}) {
    const RandomNetwork network(width, heads, layers);
    const std::vector<float> one = run_batch(network, 37, 35, 1, 5), three = run_batch(network, 37, 35, 3, 5);
    check(one == three, "scores do not depend on threads");
    for (const float value : one) check(std::isfinite(value), "scores are numbers");
    const std::vector<float> fewer = run_batch(network, 10, 35, 2, 5), narrow = run_batch(network, 10, 11, 2, 5);
    check(fewer == narrow, "scores depend neither on padding nor on what is beside");
    check(std::equal(fewer.begin(), fewer.end(), one.begin()), "nor on other windows");
  }
}

void check_runs() {
  const RandomNetwork network(48, 2, 3);
  std::mt19937 random(11);
  const States given{random_floats(90 * 48, random, 1), {0, 7, 90}};
  std::vector<Run> runs{plain_run, best_run()};
#if defined(ANAPHOR_AVX2)
  if (__builtin_cpu_supports("avx2")) runs.push_back(avx2_run);
#endif
  std::vector<float> plain;
  for (const Run run : runs)
    for (const Kernel& kernel : kernels()) {
      Forward forward(network.weights, kernel);
      for (int time = 0; time < 2; ++time) {  // the second time with what is left of the first
        States x = given;
        const std::vector<float> values = run(forward, x, {6, 7, 89}).values;
        if (plain.empty()) plain = values;
        check(values.size() == 3 * 48 && plain == values, "all vectors and kernels give the same states");
      }
    }
}

void check_squares() {
  std::mt19937 random(3);
  const std::vector<float> values = random_floats(1000, random, 5);
  float most = 0;
  for (const float value : values) most = std::max(most, positive_square(value));
  check(most == largest_square(values.data(), values.size()), "the largest square is that of the largest value");
  const std::vector<float> below{-3, -0.0F, -1};
  check(largest_square(below.data(), 3) == 0 && positive_square(-3) == 0, "nothing above zero, no square");
}

void check_refusals() {
  const RandomNetwork network(8, 1, 1);
  for (const int32_t number : {40, -1}) {
    bool refused = false;
    try {
      run_batch(network, 3, 4, 2, number);
    } catch (const std::out_of_range&) {
      refused = true;
    }
    check(refused, "a number outside of a table is refused");
  }
}

}  // namespace

int main() {
  unsigned seed = 0;
  for (const size_t rows : {1, 7, 8, 33, 64})
    for (const size_t columns : {1, 8, 50})
      for (const size_t depth : {1, 16, 64, 100, 1024})
        for (const bool positive : {false, true}) check_product(rows, columns, depth, positive, ++seed);
  check_rounding();
  check_powers();
  check_squares();
  check_batches();
  check_runs();
  check_refusals();
  std::puts("the network's own tests passed");
  return 0;
}
