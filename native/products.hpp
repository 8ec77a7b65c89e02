// Products of matrices of bytes, summed in whole numbers: a quarter of the work of single precision.
//
// The left matrix lies in rows, the right one in panels of columns; every row and every column has a
// scale of its own. Sums are exact, so that every kernel gives the same ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "memory.hpp"
#include "tiles.hpp"

namespace anaphor {

constexpr float kLargestByte = 127.0F, kLargestPositive = 255.0F;
constexpr int32_t kShift = 128;

constexpr size_t padded(size_t size, size_t step) { return (size + step - 1) / step * step; }

// Floats above zero are ordered as their bits are, and the largest of whole numbers is found by vectors.
inline int32_t magnitude(float value) {
  int32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits & 0x7FFFFFFF;
}

inline float from_magnitude(int32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline float largest(const float* values, size_t size) {
  int32_t most = 0;
  for (size_t k = 0; k < size; ++k) most = std::max(most, magnitude(values[k]));
  return from_magnitude(most);
}

// What one step of a byte is worth. Never zero, and never so small that its inverse is infinite.
inline float step_of(float largest_value, float steps) { return std::max(largest_value, 1e-30F) / steps; }

// The nearest whole number, less by `shift`, in the last byte. With 1.5 * 2^23 more a float has no room for a
// fraction, and its last byte is the answer, which is defined also for what is no number.
inline uint32_t round_bits(float value, float steps_per_unit, float shift) {
  const float steps = value * steps_per_unit + (12582912.0F - shift);
  uint32_t bits;
  std::memcpy(&bits, &steps, sizeof bits);
  return bits;
}

inline float as_it_is(float value) { return value; }

// Writes the nearest whole numbers to what a function makes of values, less by `shift`, and gives their sum.
template <class Byte, class Made>
int32_t round_all(const float* values, size_t size, float steps_per_unit, float shift, Byte* to, const Made& made) {
  int32_t sum = 0;
  for (size_t k = 0; k < size; ++k) {
    to[k] = static_cast<Byte>(round_bits(made(values[k]), steps_per_unit, shift) & 0xFFU);
    sum += to[k];
  }
  return sum;
}

// How far to the left the k-th byte of a number in memory is.
constexpr size_t byte_shift(size_t k) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return 8 * (3 - k);
#else
  return 8 * k;
#endif
}

// The left side of a product: rows of bytes; behind the last of a row is anything, since columns have zeros
// there. Rows without negative values have steps half as large. A byte is less than its value by `shift`.
class ByteRows {
 public:
  ByteRows(size_t most_rows, size_t depth, bool positive = false)
      : stride_(padded(depth, kDepthStep)), shift_((positive ? kShift : 0) - kRowZero),
        steps_(positive ? kLargestPositive : kLargestByte), bytes_(padded(most_rows, kMostTile) * stride_),
        scale_(padded(most_rows, kMostTile)) {}
  // Rows of another depth from now on.
  void fit(size_t depth) {
    stride_ = padded(depth, kDepthStep);
    bytes_.resize(scale_.size() * stride_);
  }
  // Rounds a row; its values count `unit` each.
  void set(size_t row, const float* values, size_t size, float unit = 1) {
    set(row, values, size, unit, largest(values, size));
  }
  // The same of what a function makes of values.
  template <class Made = float (*)(float)>
  void set(size_t row, const float* values, size_t size, float unit, float largest_value, const Made& made = as_it_is) {
    const float step = step_of(largest_value, steps_);
    round_all(values, size, 1 / step, static_cast<float>(shift_), bytes_.data() + row * stride_, made);
    scale_[row] = step * unit;
  }
  TileRows tile(size_t first) const { return {bytes_.data() + first * stride_, stride_, scale_.data() + first}; }
  int32_t shift() const { return shift_; }

 private:
  size_t stride_;
  int32_t shift_;
  float steps_;
  AlignedVector<RowByte> bytes_;
  AlignedVector<float> scale_;
};

// The right side. In a panel come four bytes of its first column, the same four of the second and so on to the
// last, then the next four of each; behind the last of a column are zeros.
class BytePanels {
 public:
  BytePanels(size_t columns, size_t depth)
      : columns_(columns), depth_(padded(depth, kDepthStep)), bytes_(padded(columns, kPanel) * depth_),
        sum_(padded(columns, kPanel)), scale_(padded(columns, kPanel)) {}
  // Column c is the row c of a matrix: weights, keys.
  void set_column(size_t column, const float* values, size_t size) {
    constexpr size_t most = 64;
    const float step = step_of(largest(values, size), kLargestByte);
    int8_t rounded[most];
    sum_[column] = 0;
    scale_[column] = step;
    int8_t* to = at(column, 0);
    for (size_t first = 0; first < size; first += most) {
      const size_t count = std::min(most, size - first);
      sum_[column] += round_all(values + first, count, 1 / step, 0, rounded, as_it_is);
      std::fill(rounded + count, rounded + most, int8_t{0});
      for (size_t k = 0; k < count; k += 4, to += kPanelStep) std::memcpy(to, rounded + k, 4);
    }
  }
  // Column c is the column c of a matrix of `size` rows: values. A row of a panel's columns is read at once.
  void set_across(const float* values, size_t size, size_t stride) {
    for (size_t first = 0; first < columns_; first += kPanel)
      set_panel(first, std::min(kPanel, columns_ - first), values + first, size, stride);
  }
  size_t columns() const { return columns_; }
  // The panel that begins with a column; `start` is filled with what the bytes of shifted rows are short of.
  TileColumns tile(size_t first, int32_t shift, int32_t* start) const {
    for (size_t c = 0; c < kPanel; ++c) start[c] = shift * sum_[first + c];
    return {bytes_.data() + first * depth_, depth_, start, scale_.data() + first};
  }

 private:
  void set_panel(size_t first, size_t wide, const float* values, size_t size, size_t stride) {
    int32_t most[kPanel] = {}, sums[kPanel] = {};
    for (size_t row = 0; row < size; ++row)
      for (size_t c = 0; c < wide; ++c) most[c] = std::max(most[c], magnitude(values[row * stride + c]));
    float steps_per_unit[kPanel];
    for (size_t c = 0; c < wide; ++c) {
      const float step = step_of(from_magnitude(most[c]), kLargestByte);
      scale_[first + c] = step;
      steps_per_unit[c] = 1 / step;
    }
    int8_t* to = bytes_.data() + first * depth_;
    for (size_t row = 0; row < size; row += 4, to += kPanelStep) {
      uint32_t fours[kPanel] = {};
      for (size_t k = row; k < std::min(row + 4, size); ++k)
        for (size_t c = 0; c < wide; ++c) {
          const uint32_t byte = round_bits(values[k * stride + c], steps_per_unit[c], 0) & 0xFFU;
          sums[c] += static_cast<int8_t>(byte);
          fours[c] |= byte << byte_shift(k - row);
        }
      std::memcpy(to, fours, kPanelStep);
    }
    std::copy(sums, sums + wide, sum_.begin() + static_cast<ptrdiff_t>(first));
  }
  int8_t* at(size_t column, size_t k) {
    return bytes_.data() + column / kPanel * kPanel * depth_ + column % kPanel * 4 + k / 4 * kPanelStep + k % 4;
  }
  size_t columns_, depth_;
  AlignedVector<int8_t> bytes_;
  std::vector<int32_t> sum_;
  AlignedVector<float> scale_;
};

// Writes rows of the product, `stride` from one to the next.
inline void multiply(const Kernel& kernel, const ByteRows& left, size_t rows, const BytePanels& right, float* to,
                     size_t stride) {
  alignas(kCacheLine) int32_t start[kPanel];
  alignas(kCacheLine) float part[kMostTile * kPanel];
  for (size_t column = 0; column < right.columns(); column += kPanel) {
    const TileColumns columns = right.tile(column, left.shift(), start);
    const size_t wide = std::min(kPanel, right.columns() - column);
    for (size_t first = 0; first < rows; first += kernel.rows) {
      float* at = to + first * stride + column;
      const size_t high = std::min(kernel.rows, rows - first);
      if (high == kernel.rows && wide == kPanel) {
        kernel.product(left.tile(first), columns, at, stride);
        continue;
      }
      kernel.product(left.tile(first), columns, part, kPanel);
      for (size_t row = 0; row < high; ++row)
        std::memcpy(at + row * stride, part + row * kPanel, wide * sizeof(float));
    }
  }
}

}  // namespace anaphor
