// The network of the built-in analyser without Python: the best answer of each head at every place.
//
// anaphor/analyse/network.py is the reference. Its layers end in a rectifier, and most of what comes out is zero: of
// the squeezed layer more than nine tenths. So a product with a matrix is a sum of the few rows that count, in the
// order of the rows, as in any other product; what is left out would have added nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "memory.hpp"

namespace anaphor {

// Places that the two layers see, the place itself in the middle.
constexpr size_t kNear = 5, kWide = 9;
// Columns that are summed at once: few enough for the registers of any processor with vectors.
constexpr size_t kBlock = 24;

// Rows of numbers, each filled with zeros up to whole blocks.
class PaddedMatrix {
 public:
  PaddedMatrix() = default;
  PaddedMatrix(size_t rows, size_t width)
      : width_((width + kBlock - 1) / kBlock * kBlock), values_(rows * width_, 0.0f) {}
  size_t width() const { return width_; }
  const float* row(size_t number) const { return values_.data() + number * width_; }
  // Copies numbers that lie row by row into columns from `column` on.
  void set(const float* numbers, size_t rows, size_t columns, size_t column = 0) {
    for (size_t row = 0; row < rows; ++row) {
      std::copy_n(numbers + row * columns, columns, values_.data() + row * width_ + column);
    }
  }

 private:
  size_t width_ = 0;
  std::vector<float> values_;
};

// A number that is above zero, and the row of a matrix that it is multiplied with.
struct Active {
  uint32_t row;
  float value;
};

// Writes what is above zero of values with a bias from `to` on, and gives the end; the first value belongs to row
// `first`. One more may be written than is given.
inline Active* active(const float* values, const float* bias, size_t size, size_t first, Active* to) {
  for (size_t k = 0; k < size; ++k) {
    const float value = values[k] + bias[k];
    *to = {static_cast<uint32_t>(first + k), value};
    to += value > 0;
  }
  return to;
}

// The sum of rows of a matrix, each as often as its number says; the first row of the matrix is row `first`.
inline void sum_rows(const PaddedMatrix& matrix, size_t first, const Active* begin, const Active* end, float* to) {
  for (size_t block = 0; block < matrix.width(); block += kBlock) {
    std::array<float, kBlock> sum{};
    for (const Active* one = begin; one != end; ++one) {
      const float* row = matrix.row(one->row - first) + block;
      for (size_t k = 0; k < kBlock; ++k) sum[k] += one->value * row[k];
    }
    std::copy(sum.begin(), sum.end(), to + block);
  }
}

// What a word adds to the first layer at one of its places: a row of numbers for each type of word.
using Products = std::array<const float*, kNear>;

inline void prefetch_row(const float* row, size_t width) {
  constexpr size_t kLine = 64 / sizeof(float);
  for (size_t k = 0; k < width; k += kLine) prefetch(row + k);
}

// The sizes of layers and heads.
struct AnalyserWidths {
  size_t near, squeezed, wide;
  std::vector<size_t> heads;
  size_t answers() const { return std::accumulate(heads.begin(), heads.end(), size_t{0}); }
};

// The weights behind the products of the first layer, numbers that lie row by row.
struct AnalyserWeights {
  const float *near_bias, *squeeze, *squeeze_bias, *wide, *wide_bias, *from_near, *from_wide, *bias;
};

class AnalyserNetwork {
 public:
  AnalyserNetwork(AnalyserWidths widths, const AnalyserWeights& given)
      : widths_(std::move(widths)), answers_(widths_.answers()),
        near_bias_(given.near_bias, given.near_bias + widths_.near),
        squeeze_bias_(given.squeeze_bias, given.squeeze_bias + widths_.squeezed),
        wide_bias_(given.wide_bias, given.wide_bias + widths_.wide), bias_(given.bias, given.bias + answers_),
        from_near_(widths_.near, widths_.squeezed + answers_), wide_(kWide * widths_.squeezed, widths_.wide),
        from_wide_(widths_.wide, answers_) {
    from_near_.set(given.squeeze, widths_.near, widths_.squeezed);
    from_near_.set(given.from_near, widths_.near, answers_, widths_.squeezed);
    wide_.set(given.wide, kWide * widths_.squeezed, widths_.wide);
    from_wide_.set(given.from_wide, widths_.wide, answers_);
  }
  const AnalyserWidths& widths() const { return widths_; }

  // The best answer of each head at every place but the first and last four of `count`; 0 at a place between
  // sentences, which is of type 0. `found` has room for the answers of each head.
  void find(const Products& products, const int64_t* types, size_t count, const std::vector<int64_t*>& found) const {
    Room room(*this);
    // Some places at a time: what lies between the layers needs room for these alone.
    for (size_t start = 0; start + kWide <= count; start += kStrip) {
      const size_t end = std::min(start + kStrip + kWide - 1, count);
      first_layer(products, types, count, start, end, room);
      for (size_t at = 0; at + kWide <= end - start; ++at) {
        second_layer(at, types[start + at + kWide / 2] != 0, room);
        choose(room.scores.data(), start + at, found);
      }
    }
  }

 private:
  // Places whose answers are found at once.
  static constexpr size_t kStrip = 256;

  // What lies between the layers. What is active in the squeezed layer stands in one row, those of place `at` of a
  // strip from `begins[at]` on; `from_near` is what the first layer adds to the scores of each place.
  struct Room {
    explicit Room(const AnalyserNetwork& of)
        : near(of.widths_.near), sums(of.from_near_.width()), second(of.wide_.width()), scores(of.from_wide_.width()),
          from_near((kStrip + kWide) * of.answers_), heard(std::max(of.widths_.near, of.widths_.wide) + 1),
          squeezed((kStrip + kWide) * of.widths_.squeezed + 1), begins(kStrip + kWide) {}
    std::vector<float> near, sums, second, scores, from_near;
    std::vector<Active> heard, squeezed;
    std::vector<size_t> begins;
  };

  void first_layer(const Products& products, const int64_t* types, size_t count, size_t start, size_t end,
                   Room& room) const {
    Active* to = room.squeezed.data();
    for (size_t place = start; place < end; ++place) {
      const size_t at = place - start;
      room.begins[at] = static_cast<size_t>(to - room.squeezed.data());
      // Nobody asks for the places at the edges, or those between sentences.
      if (place < kNear / 2 || place + kNear / 2 >= count || types[place] == 0) continue;
      sum_products(products, types + place - kNear / 2, count - place - kNear / 2, room.near.data());
      const Active* last = active(room.near.data(), near_bias_.data(), widths_.near, 0, room.heard.data());
      sum_rows(from_near_, 0, room.heard.data(), last, room.sums.data());
      to = active(room.sums.data(), squeeze_bias_.data(), widths_.squeezed, at * widths_.squeezed, to);
      std::copy_n(room.sums.data() + widths_.squeezed, answers_, room.from_near.data() + at * answers_);
    }
    room.begins[end - start] = static_cast<size_t>(to - room.squeezed.data());
  }

  // The scores of the place in the middle of the window that begins at `at`; all 0 unless there is a word.
  void second_layer(size_t at, bool word, Room& room) const {
    if (!word) return std::fill(room.scores.begin(), room.scores.end(), 0.0f);
    const Active *begin = room.squeezed.data() + room.begins[at], *end = room.squeezed.data() + room.begins[at + kWide];
    sum_rows(wide_, at * widths_.squeezed, begin, end, room.second.data());
    const Active* last = active(room.second.data(), wide_bias_.data(), widths_.wide, 0, room.heard.data());
    sum_rows(from_wide_, 0, room.heard.data(), last, room.scores.data());
    const float* near = room.from_near.data() + (at + kWide / 2) * answers_;
    for (size_t k = 0; k < answers_; ++k) room.scores[k] = near[k] + room.scores[k] + bias_[k];
  }

  // The sum of what the words around a place add. Rows are far apart in memory: those of the place `kPlacesAhead` further
  // on are fetched, if there are so many `left`.
  void sum_products(const Products& products, const int64_t* types, size_t left, float* to) const {
    constexpr size_t kPlacesAhead = 6;
    const size_t width = widths_.near;
    const auto row = [&](size_t at, size_t ahead) {
      return products[at] + static_cast<size_t>(types[at + ahead]) * width;
    };
    if (left > kPlacesAhead) {
      for (size_t at = 0; at < kNear; ++at) prefetch_row(row(at, kPlacesAhead), width);
    }
    std::array<const float*, kNear> rows;
    for (size_t at = 0; at < kNear; ++at) rows[at] = row(at, 0);
    for (size_t k = 0; k < width; ++k) {
      float sum = rows[0][k];
      for (size_t at = 1; at < kNear; ++at) sum += rows[at][k];
      to[k] = sum;
    }
  }

  // The first of the best answers of each head.
  void choose(const float* scores, size_t place, const std::vector<int64_t*>& found) const {
    for (size_t head = 0; head < found.size(); ++head) {
      const float* end = scores + widths_.heads[head];
      found[head][place] = std::max_element(scores, end) - scores;
      scores = end;
    }
  }

  AnalyserWidths widths_;
  size_t answers_;
  std::vector<float> near_bias_, squeeze_bias_, wide_bias_, bias_;
  PaddedMatrix from_near_, wide_, from_wide_;
};

}  // namespace anaphor
