// Parts of the layers of a network that are no products: norm, softmax, activation.
//
// Loops have no branches, and sums eight lanes, so that compilers make vectors of them without being allowed
// to change what is computed.
#pragma once

#include <array>

#include "products.hpp"

namespace anaphor {

// Eight sums side by side, in a vector where the compiler has such a type: it does not see that eight sums are one.
class Lanes {
 public:
  void add(const float* values) {
    Eight given;
    std::memcpy(&given, values, sizeof given);
    add(given);
  }
  void add_products(const float* a, const float* b) {
    Eight left, right;
    std::memcpy(&left, a, sizeof left);
    std::memcpy(&right, b, sizeof right);
#if defined(__GNUC__)
    add(left * right);
#else
    for (size_t k = 0; k < 8; ++k) left[k] *= right[k];
    add(left);
#endif
  }
  // What comes before them and all eight, one after the other.
  float total(float rest) const {
    for (size_t k = 0; k < 8; ++k) rest += sums_[k];
    return rest;
  }

 private:
#if defined(__GNUC__)
  using Eight = float __attribute__((vector_size(32)));
  void add(const Eight& more) { sums_ += more; }
#else
  using Eight = std::array<float, 8>;
  void add(const Eight& more) {
    for (size_t k = 0; k < 8; ++k) sums_[k] += more[k];
  }
#endif
  Eight sums_ = {};
};

inline float dot(const float* a, const float* b, size_t size) {
  Lanes lanes;
  float rest = 0;
  size_t at = 0;
  for (; at + 8 <= size; at += 8) lanes.add_products(a + at, b + at);
  for (; at < size; ++at) rest += a[at] * b[at];
  return lanes.total(rest);
}

// x times itself for four rows, one behind the other, each in the order of `dot`. The sums of one row wait for each
// other, those of several do not.
inline void four_squares(const float* x, size_t size, float* to) {
  Lanes lanes[4];
  size_t at = 0;
  for (; at + 8 <= size; at += 8)
    for (size_t row = 0; row < 4; ++row) lanes[row].add_products(x + row * size + at, x + row * size + at);
  for (size_t row = 0; row < 4; ++row) {
    float rest = 0;
    for (size_t k = at; k < size; ++k) rest += x[row * size + k] * x[row * size + k];
    to[row] = lanes[row].total(rest);
  }
}

inline void norm(const float* x, float square, const float* weight, size_t size, float* to) {
  const float scale = 1 / std::sqrt(square / static_cast<float>(size) + 1e-6F);
  for (size_t k = 0; k < size; ++k) to[k] = x[k] * scale * weight[k];
}

inline void norm(const float* x, const float* weight, size_t size, float* to) {
  norm(x, dot(x, x, size), weight, size, to);
}

// e to a power from -87 to 0, to five digits: 2 to a whole number, put into the exponent, times a
// polynomial for what is left. Without branches, so that compilers make vectors of it.
inline float quick_exp(float power) {
  constexpr float magic = 12582912.0F;
  const float twos = std::max(power, -87.0F) * 1.44269504F;
  const float shifted = twos + magic, rest = twos - (shifted - magic);
  float value = 1.5403530e-4F;
  for (const float term : {1.3333558e-3F, 9.6181291e-3F, 5.5504109e-2F, 2.4022651e-1F, 6.9314718e-1F, 1.0F})
    value = value * rest + term;
  uint32_t exponent, bits;
  std::memcpy(&exponent, &shifted, sizeof exponent);
  std::memcpy(&bits, &value, sizeof bits);
  bits += exponent << 23U;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// The largest of some values. Bits are ordered as the floats are, once those below zero are turned around.
inline float greatest(const float* values, size_t size) {
  const auto turned = [](int32_t bits) { return bits < 0 ? bits ^ 0x7FFFFFFF : bits; };
  int32_t most = INT32_MIN;
  for (size_t k = 0; k < size; ++k) {
    int32_t bits;
    std::memcpy(&bits, values + k, sizeof bits);
    most = std::max(most, turned(bits));
  }
  most = turned(most);
  float value;
  std::memcpy(&value, &most, sizeof value);
  return value;
}

// Turns scores into powers of e relative to the largest; gives their sum.
inline float powers(float* scores, size_t size) {
  const float most = greatest(scores, size);
  for (size_t k = 0; k < size; ++k) scores[k] = quick_exp(scores[k] - most);
  Lanes lanes;
  float sum = 0;
  size_t at = 0;
  for (; at + 8 <= size; at += 8) lanes.add(scores + at);
  for (; at < size; ++at) sum += scores[at];
  return lanes.total(sum);
}

inline void add(const float* values, size_t size, float* to) {
  for (size_t k = 0; k < size; ++k) to[k] += values[k];
}

// The square of what is above zero, without a branch.
inline float positive_square(float value) { return value * (value + std::fabs(value)) / 2; }

// The largest of these squares, which is that of the largest value.
inline float largest_square(const float* values, size_t size) {
  int32_t most = 0;  // the bits of floats below zero are numbers below zero
  for (size_t k = 0; k < size; ++k) {
    int32_t bits;
    std::memcpy(&bits, values + k, sizeof bits);
    most = std::max(most, bits);
  }
  return positive_square(from_magnitude(most));
}

}  // namespace anaphor
