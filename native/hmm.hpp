// The hidden Markov model of word alignment, one direction (Vogel et al. 1996; null words after Och and Ney 2003).
//
// `steps` words are generated one after the other; each comes from one of `states` positions of the other
// sentence, or from the null word. The probability of moving from position k to i depends on i - k alone:
//
//   p(i | k) = (1 - p0) * jump(i - k) / Z(k),    Z(k) = sum over i of jump(i - k),
//
// and a null word keeps the position k of the last real one in mind: p(null k | k) = p0. With m(k) the mass
// of "the last real position is k" after step t-1, e the emissions and n the null emission of step t,
//
//   real(i) = e(i) * sum over k of m(k) p(i | k),    null(i) = n * p0 * m(i),    m'(i) = real(i) + null(i),
//
// each divided by their total c(t), so that nothing underflows. What is to come depends only on the last
// real position, so that one backward vector b serves real and null states alike:
//
//   b(k) at t-1 = [ sum over i of p(i | k) e(i) b(i) + p0 n b(k) ] / c(t),
//
// and real(i) b(i) is the posterior probability that word t comes from position i.
//
// The sum over positions is a convolution with the jump table. It costs states^2 per step and takes most of
// the time; it is written in lanes of 16 floats, which compilers turn into one AVX-512, two AVX2 or four
// NEON registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define ANAPHOR_DISPATCH __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ANAPHOR_DISPATCH
#endif
#if defined(__GNUC__)
#define ANAPHOR_INLINE inline __attribute__((always_inline))
#else
#define ANAPHOR_INLINE inline
#endif

namespace anaphor {

constexpr int kLanes = 16;
constexpr int kReach = 256;       // jumps are told apart up to this distance
constexpr int kJumps = 2 * kReach + 1;
constexpr int kLongest = 200;     // longer sentences go to the position model, see pair.hpp
constexpr float kBeam = 1e-5F;    // states with less than this share of the mass do not spread

constexpr int padded(int n) { return (n + kLanes - 1) / kLanes * kLanes; }

// A jump table in both reading directions, padded so that a full lane may be read at either end.
class Jumps {
 public:
  explicit Jumps(const float* table) : ahead_(kJumps + 2 * kLanes), back_(kJumps + 2 * kLanes) {
    for (int d = 0; d < kJumps; ++d) {
      ahead_[static_cast<size_t>(kLanes + d)] = table[d];
      back_[static_cast<size_t>(kLanes + d)] = table[kJumps - 1 - d];
    }
  }
  // ahead()[d] is jump(d), back()[d] is jump(-d), for -kReach <= d <= kReach.
  const float* ahead() const { return ahead_.data() + kLanes + kReach; }
  const float* back() const { return back_.data() + kLanes + kReach; }

 private:
  std::vector<float> ahead_, back_;
};

// All a direction needs for one sentence, kept between sentences so that nothing is allocated in the loop.
// Matrices have a row of padded(states) floats per step; emissions are zero in the padding.
struct Lattice {
  int steps = 0, states = 0, stride = 0;
  std::vector<float> emission, null, real, mass, posterior, scale, leave, ahead, behind, product;
  std::vector<int> active;

  void resize(int new_steps, int new_states) {
    steps = new_steps, states = new_states, stride = padded(new_states);
    const auto cells = static_cast<size_t>(steps) * static_cast<size_t>(stride);
    for (auto* matrix : {&emission, &real, &mass, &posterior})
      if (matrix->size() < cells) matrix->resize(cells);
    for (auto* row : {&leave, &ahead, &behind, &product}) row->assign(static_cast<size_t>(stride), 0.0F);
    null.resize(static_cast<size_t>(steps));
    scale.resize(static_cast<size_t>(steps));
  }
  float* row(std::vector<float>& matrix, int step) {
    return matrix.data() + static_cast<size_t>(step) * static_cast<size_t>(stride);
  }
};

ANAPHOR_INLINE float total(const float* x, int n) {
  float lane[kLanes] = {};
  for (int i = 0; i < n; i += kLanes)
    for (int l = 0; l < kLanes; ++l) lane[l] += x[i + l];
  float sum = 0;
  for (const float part : lane) sum += part;
  return sum;
}

ANAPHOR_INLINE float largest(const float* x, int n) {
  float best = 0;
  for (int i = 0; i < n; ++i) best = std::max(best, x[i]);
  return best;
}

// out(i) = sum over k of in(k) table[i - k], over those k with in(k) above `least`.
ANAPHOR_INLINE void convolve(const float* table, const float* in, float least, int n, std::vector<int>& active,
                             float* out) {
  active.clear();
  for (int k = 0; k < n; ++k)
    if (in[k] > least) active.push_back(k);
  for (int i = 0; i < n; i += kLanes) {
    float lane[kLanes] = {};
    for (const int k : active) {
      const float weight = in[k];
      const float* jump = table + (i - k);
      for (int l = 0; l < kLanes; ++l) lane[l] += weight * jump[l];
    }
    for (int l = 0; l < kLanes; ++l) out[i + l] = lane[l];
  }
}

// leave(k) = (1 - p0) / Z(k); returns the same for the jump from before the first position.
inline float leaving(Lattice& at, const Jumps& jumps, float p0) {
  const auto ways = [&](int from) {
    float sum = 0;
    for (int i = 0; i < at.states; ++i) sum += jumps.ahead()[i - from];
    return (1 - p0) / sum;
  };
  for (int k = 0; k < at.states; ++k) at.leave[static_cast<size_t>(k)] = ways(k);
  return ways(-1);
}

// One step onward: fills real and mass of `step` from ahead (the probability of reaching each position
// with a real word) and the mass before, and scales them to sum to one.
ANAPHOR_INLINE void advance(Lattice& at, int step, const float* before, float p0) {
  const float* emission = at.row(at.emission, step);
  float* real = at.row(at.real, step);
  float* mass = at.row(at.mass, step);
  const float null = p0 * at.null[static_cast<size_t>(step)];
  for (int i = 0; i < at.stride; ++i) real[i] = emission[i] * at.ahead[static_cast<size_t>(i)];
  for (int i = 0; i < at.stride; ++i) mass[i] = real[i] + null * before[i];
  const float c = total(mass, at.stride);
  at.scale[static_cast<size_t>(step)] = c;
  const float inverse = 1 / c;
  for (int i = 0; i < at.stride; ++i) real[i] *= inverse, mass[i] *= inverse;
}

// Adds to jump_counts[kReach + d] how often the model expects a jump of d between `step` - 1 and `step`.
inline void count_jumps(Lattice& at, int step, const Jumps& jumps, double* jump_counts) {
  const float* mass = at.row(at.mass, step - 1);
  const float inverse = 1 / at.scale[static_cast<size_t>(step)];
  for (int k = 0; k < at.states; ++k) {
    if (mass[k] <= kBeam) continue;
    const float weight = mass[k] * at.leave[static_cast<size_t>(k)] * inverse;
    for (int i = 0; i < at.states; ++i)
      jump_counts[kReach + i - k] +=
          static_cast<double>(weight * jumps.ahead()[i - k] * at.product[static_cast<size_t>(i)]);
  }
}

// Fills at.posterior from at.emission and at.null. `jump_counts` may be null.
ANAPHOR_DISPATCH
static void forward_backward(Lattice& at, const Jumps& jumps, float p0, double* jump_counts) {
  const int n = at.states;
  const float first = leaving(at, jumps, p0);
  for (int i = 0; i < n; ++i) at.ahead[static_cast<size_t>(i)] = first * jumps.ahead()[i + 1];
  for (int i = 0; i < n; ++i) at.product[static_cast<size_t>(i)] = 1 / static_cast<float>(n);
  advance(at, 0, at.product.data(), p0);
  for (int step = 1; step < at.steps; ++step) {
    const float* before = at.row(at.mass, step - 1);
    for (int k = 0; k < n; ++k)
      at.product[static_cast<size_t>(k)] =
          before[k] > kBeam ? before[k] * at.leave[static_cast<size_t>(k)] : 0.0F;
    convolve(jumps.ahead(), at.product.data(), 0, n, at.active, at.ahead.data());
    advance(at, step, before, p0);
  }
  std::fill(at.behind.begin(), at.behind.end(), 1.0F);
  for (int step = at.steps - 1;; --step) {
    const float* real = at.row(at.real, step);
    float* posterior = at.row(at.posterior, step);
    for (int i = 0; i < at.stride; ++i) posterior[i] = real[i] * at.behind[static_cast<size_t>(i)];
    if (step == 0) break;
    const float* emission = at.row(at.emission, step);
    for (int i = 0; i < at.stride; ++i)
      at.product[static_cast<size_t>(i)] = emission[i] * at.behind[static_cast<size_t>(i)];
    if (jump_counts != nullptr) count_jumps(at, step, jumps, jump_counts);
    convolve(jumps.back(), at.product.data(), kBeam * largest(at.product.data(), n), n, at.active,
             at.ahead.data());
    const float inverse = 1 / at.scale[static_cast<size_t>(step)];
    const float null = p0 * at.null[static_cast<size_t>(step)];
    for (int k = 0; k < n; ++k) {
      float& b = at.behind[static_cast<size_t>(k)];
      b = (at.leave[static_cast<size_t>(k)] * at.ahead[static_cast<size_t>(k)] + null * b) * inverse;
    }
  }
}

}  // namespace anaphor
