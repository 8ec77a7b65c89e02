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
// the time, so rows are handled in lanes of 16 floats (lane.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lane.hpp"

namespace anaphor {

constexpr int kReach = 256;       // jumps are told apart up to this distance
constexpr int kJumps = 2 * kReach + 1;
constexpr int kLongest = 200;     // longer sentences go to the position model, see pair.hpp
constexpr float kBeam = 1e-4F;    // states with less than this share of the mass do not spread

constexpr int padded(int n) { return (n + kLanes - 1) / kLanes * kLanes; }

// A jump table in both reading directions, padded so that a full lane may be read at either end.
class Jumps {
 public:
  explicit Jumps(const float* table)
      : ahead_(kJumps + 2 * kLanes), back_(kJumps + 2 * kLanes), below_(kJumps + 1) {
    for (int d = 0; d < kJumps; ++d) {
      ahead_[static_cast<size_t>(kLanes + d)] = table[d];
      back_[static_cast<size_t>(kLanes + d)] = table[kJumps - 1 - d];
      below_[static_cast<size_t>(d) + 1] = below_[static_cast<size_t>(d)] + static_cast<double>(table[d]);
    }
  }
  // ahead()[d] is jump(d), back()[d] is jump(-d), for -kReach <= d <= kReach.
  const float* ahead() const { return ahead_.data() + kLanes + kReach; }
  const float* back() const { return back_.data() + kLanes + kReach; }
  // Z(k) = the sum of jump(i - k) over positions i of n.
  float ways(int k, int n) const {
    return static_cast<float>(below_[static_cast<size_t>(kReach + n - k)] - below_[static_cast<size_t>(kReach - k)]);
  }

 private:
  std::vector<float> ahead_, back_;
  std::vector<double> below_;  // sums of all jumps before each
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
    active.resize(static_cast<size_t>(stride));
    null.resize(static_cast<size_t>(steps));
    scale.resize(static_cast<size_t>(steps));
  }
  float* row(std::vector<float>& matrix, int step) {
    return matrix.data() + static_cast<size_t>(step) * static_cast<size_t>(stride);
  }
};

template <class Part>
ANAPHOR_INLINE float total(const float* x, int n) {
  Lane<Part> lane = zero<Part>();
  for (int i = 0; i < n; i += kLanes) add(lane, load<Part>(x + i));
  float each[kLanes], sum = 0;
  store(lane, each);
  for (const float value : each) sum += value;
  return sum;
}

template <class Part>
ANAPHOR_INLINE float largest(const float* x, int n) {
  Lane<Part> lane = zero<Part>();
  for (int i = 0; i < n; i += kLanes) raise(lane, load<Part>(x + i));
  float each[kLanes], best = 0;
  store(lane, each);
  for (const float value : each) best = std::max(best, value);
  return best;
}

// out(i) = sum over k of in(k) table[i - k], over those k with in(k) above `least`; `active` is scratch.
template <class Part>
ANAPHOR_INLINE void convolve(const float* table, const float* in, float least, int n, int* active, float* out) {
  int count = 0;
  for (int k = 0; k < n; ++k) {
    active[count] = k;
    count += in[k] > least ? 1 : 0;
  }
  for (int i = 0; i < n; i += kLanes) {
    Lane<Part> lane = zero<Part>();
    for (int a = 0; a < count; ++a) add(lane, in[active[a]], load<Part>(table + (i - active[a])));
    store(lane, out + i);
  }
}

template <class Part>
ANAPHOR_INLINE void multiply(const float* a, const float* b, int n, float* out) {
  for (int i = 0; i < n; i += kLanes) {
    Lane<Part> lane = load<Part>(a + i);
    scale(lane, load<Part>(b + i));
    store(lane, out + i);
  }
}

// One step onward: real(i) = emission(i) ahead(i), mass(i) = real(i) + null before(i), both scaled so that
// the mass sums to one. Returns the scale. `ahead` is the probability of reaching each position.
template <class Part>
ANAPHOR_INLINE float advance(const float* emission, const float* ahead, const float* before, float null, int n,
                             float* real, float* mass) {
  multiply<Part>(emission, ahead, n, real);
  for (int i = 0; i < n; i += kLanes) {
    Lane<Part> lane = load<Part>(real + i);
    add(lane, null, load<Part>(before + i));
    store(lane, mass + i);
  }
  const float sum = total<Part>(mass, n);
  for (float* row : {real, mass})
    for (int i = 0; i < n; i += kLanes) {
      Lane<Part> lane = load<Part>(row + i);
      scale(lane, 1 / sum);
      store(lane, row + i);
    }
  return sum;
}

// One step back: behind(k) = leave(k) reached(k) + null behind(k), scaled so that mass(k) behind(k) sums to
// one. Without the beam this is the same as dividing by the scale of the step ahead; with it, it keeps every
// posterior between 0 and 1.
template <class Part>
ANAPHOR_INLINE void retreat(const float* leave, const float* reached, const float* mass, float null, int n,
                            float* behind) {
  Lane<Part> sums = zero<Part>();
  for (int i = 0; i < n; i += kLanes) {
    Lane<Part> lane = load<Part>(leave + i);
    scale(lane, load<Part>(reached + i));
    add(lane, null, load<Part>(behind + i));
    store(lane, behind + i);
    scale(lane, load<Part>(mass + i));
    add(sums, lane);
  }
  float each[kLanes], sum = 0;
  store(sums, each);
  for (const float value : each) sum += value;
  for (int i = 0; i < n; i += kLanes) {
    Lane<Part> lane = load<Part>(behind + i);
    scale(lane, 1 / sum);
    store(lane, behind + i);
  }
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

template <class Part>
ANAPHOR_INLINE void both_ways(Lattice& at, const Jumps& jumps, float p0, double* jump_counts) {
  const int n = at.states, stride = at.stride;
  float *leave = at.leave.data(), *ahead = at.ahead.data(), *behind = at.behind.data(), *product = at.product.data();
  for (int k = 0; k < n; ++k) leave[k] = (1 - p0) / jumps.ways(k, n);
  for (int i = 0; i < n; ++i) ahead[i] = (1 - p0) / jumps.ways(-1, n) * jumps.ahead()[i + 1];
  for (int i = 0; i < n; ++i) product[i] = 1 / static_cast<float>(n);
  at.scale[0] = advance<Part>(at.row(at.emission, 0), ahead, product, p0 * at.null[0], stride, at.row(at.real, 0),
                        at.row(at.mass, 0));
  for (int step = 1; step < at.steps; ++step) {
    const float* before = at.row(at.mass, step - 1);
    multiply<Part>(before, leave, stride, product);
    convolve<Part>(jumps.ahead(), product, kBeam, n, at.active.data(), ahead);
    at.scale[static_cast<size_t>(step)] =
        advance<Part>(at.row(at.emission, step), ahead, before, p0 * at.null[static_cast<size_t>(step)], stride,
                at.row(at.real, step), at.row(at.mass, step));
  }
  std::fill(at.behind.begin(), at.behind.end(), 1.0F);
  for (int step = at.steps - 1;; --step) {
    multiply<Part>(at.row(at.real, step), behind, stride, at.row(at.posterior, step));
    if (step == 0) break;
    multiply<Part>(at.row(at.emission, step), behind, stride, product);
    if (jump_counts != nullptr) count_jumps(at, step, jumps, jump_counts);
    convolve<Part>(jumps.back(), product, kBeam * largest<Part>(product, stride), n, at.active.data(), ahead);
    retreat<Part>(leave, ahead, at.row(at.mass, step - 1), p0 * at.null[static_cast<size_t>(step)], stride, behind);
  }
}

// Fills at.posterior from at.emission and at.null. `jump_counts` may be null.
using ForwardBackward = void (*)(Lattice& at, const Jumps& jumps, float p0, double* jump_counts);

inline void forward_backward_plain(Lattice& at, const Jumps& jumps, float p0, double* jump_counts) {
  both_ways<Narrow>(at, jumps, p0, jump_counts);
}

#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("avx2,fma"))) inline void forward_backward_avx2(Lattice& at, const Jumps& jumps, float p0,
                                                                      double* jump_counts) {
  both_ways<Middle>(at, jumps, p0, jump_counts);
}
__attribute__((target("avx512f,fma"))) inline void forward_backward_avx512(Lattice& at, const Jumps& jumps, float p0,
                                                                           double* jump_counts) {
  both_ways<Wide>(at, jumps, p0, jump_counts);
}
#endif

// The fastest version for the processor this runs on.
inline ForwardBackward choose_forward_backward() {
#if defined(__GNUC__) && defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return forward_backward_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return forward_backward_avx2;
#endif
  return forward_backward_plain;
}

}  // namespace anaphor
