// The network of anaphor-2 from some windows to scores at their slots, with products of bytes.
//
// anaphor/predict/anaphor2/network.py is the same network in single precision. What goes into a product is
// rounded to bytes row by row; norms, softmax and sums of layers stay in single precision. Everything but
// keys and values is done for a few places at a time, which then stay in the cache.
#pragma once

#include "layers.hpp"

namespace anaphor {

// Places that go through a block together: what is between its layers fits the cache, and weights that are loaded
// serve two of the highest tiles.
constexpr size_t kRowsAtOnce = 64;
static_assert(kRowsAtOnce % kMostTile == 0, "whole tiles fit");

struct MatrixView {
  const float* values;
  size_t rows, columns;
  const float* row(size_t number) const { return values + number * columns; }
};

inline BytePanels panels_of(const MatrixView& matrix) {
  BytePanels panels(matrix.rows, matrix.columns);
  for (size_t row = 0; row < matrix.rows; ++row) panels.set_column(row, matrix.row(row), matrix.columns);
  return panels;
}

struct BlockWeights {
  std::vector<float> before_attention, before_dense;
  BytePanels query, key_value, out, up, down;
};

constexpr size_t kTables = 6;  // pieces, sentences, languages, links, tags, places

// Vectors and matrices that are looked up or met at slots alone stay where they are, in single precision.
struct NetworkWeights {
  size_t width, heads;
  std::vector<MatrixView> tables;
  std::vector<BlockWeights> blocks;
  const float* norm;
  MatrixView classes;
  const float* bias;
};

// States of some windows, one after the other: window w has the rows from start[w] to start[w + 1].
struct States {
  std::vector<float> values;
  std::vector<size_t> start{0};
  size_t rows() const { return start.back(); }
};

// Rows whose size is a power of two would meet in the same few lines of the cache: a line more between them.
constexpr size_t kLine = kCacheLine / sizeof(float);

// The keys and values of one head, for all places of a window. The last keys of a whole panel may be of no place.
struct HeadMemory {
  size_t places;
  BytePanels keys, values;
};

class Forward {
 public:
  Forward(const NetworkWeights& weights, const Kernel& kernel)
      : weights_(weights), kernel_(kernel), width_(weights.width), depth_(weights.width / weights.heads),
        given_(kRowsAtOnce, width_), asked_(kRowsAtOnce, depth_), shares_(kRowsAtOnce, 0, true),
        inner_bytes_(kRowsAtOnce, 4 * width_, true), both_stride_(2 * width_ + kLine),
        inner_stride_(4 * width_ + kLine), normed_(width_), attended_(kRowsAtOnce * width_),
        inner_(kRowsAtOnce * inner_stride_) {}

  // The states at slots behind the last block; `slots` has rows of x, ordered by window. x is changed.
  States run(States& x, const std::vector<size_t>& slots) {
    const KernelUse use(kernel_);
    make_memory(x.start);
    for (size_t layer = 0; layer + 1 < weights_.blocks.size(); ++layer) block(weights_.blocks[layer], x, x);
    States chosen = at(x, slots);  // the last block is needed there alone
    if (!weights_.blocks.empty()) block(weights_.blocks.back(), x, chosen);
    return chosen;
  }

  void scores(const float* state, float* to) {
    norm(state, weights_.norm, width_, normed_.data());
    for (size_t c = 0; c < weights_.classes.rows; ++c)
      to[c] = dot(normed_.data(), weights_.classes.row(c), width_) + weights_.bias[c];
  }

 private:
  States at(const States& x, const std::vector<size_t>& slots) const {
    States chosen;
    size_t slot = 0;
    for (size_t window = 0; window + 1 < x.start.size(); ++window) {
      for (; slot < slots.size() && slots[slot] < x.start[window + 1]; ++slot) {
        const auto from = x.values.begin() + static_cast<ptrdiff_t>(slots[slot] * width_);
        chosen.values.insert(chosen.values.end(), from, from + static_cast<ptrdiff_t>(width_));
      }
      chosen.start.push_back(slot);
    }
    return chosen;
  }

  // For all heads of all windows; every block fills it anew.
  void make_memory(const std::vector<size_t>& start) {
    memory_.clear();
    for (size_t window = 0; window + 1 < start.size(); ++window)
      for (size_t head = 0; head < weights_.heads; ++head) {
        const size_t places = start[window + 1] - start[window];
        memory_.push_back({places, BytePanels(padded(places, kPanel), depth_), BytePanels(depth_, places)});
      }
  }

  // Attention of `states` to all of x, window by window, then the dense layers; both may be the same.
  void block(const BlockWeights& weights, const States& x, States& states) {
    queries_.resize(states.rows() * width_);
    remember(weights, x, &x == &states);
    if (&x != &states) ask(weights, states);
    for (size_t first = 0; first < states.rows(); first += kRowsAtOnce) {
      const size_t count = std::min(kRowsAtOnce, states.rows() - first);
      float* rows = &states.values[first * width_];
      attend(weights, states.start, first, rows, count);
      dense(weights, rows, count);
    }
  }

  // The keys and values of x, and its queries if they are needed.
  void remember(const BlockWeights& weights, const States& x, bool asking) {
    both_.resize(x.rows() * both_stride_);
    for (size_t first = 0; first < x.rows(); first += kRowsAtOnce) {
      const size_t count = std::min(kRowsAtOnce, x.rows() - first);
      take(&x.values[first * width_], count, weights.before_attention);
      multiply(kernel_, given_, count, weights.key_value, &both_[first * both_stride_], both_stride_);
      if (asking) multiply(kernel_, given_, count, weights.query, &queries_[first * width_], width_);
    }
    for (size_t window = 0; window + 1 < x.start.size(); ++window)
      for (size_t head = 0; head < weights_.heads; ++head)
        fill(memory_[window * weights_.heads + head], &both_[x.start[window] * both_stride_ + head * depth_]);
  }

  void ask(const BlockWeights& weights, const States& x) {
    for (size_t first = 0; first < x.rows(); first += kRowsAtOnce) {
      const size_t count = std::min(kRowsAtOnce, x.rows() - first);
      take(&x.values[first * width_], count, weights.before_attention);
      multiply(kernel_, given_, count, weights.query, &queries_[first * width_], width_);
    }
  }

  void fill(HeadMemory& memory, const float* both) {
    for (size_t place = 0; place < memory.places; ++place)
      memory.keys.set_column(place, both + place * both_stride_, depth_);
    memory.values.set_across(both + width_, memory.places, both_stride_);
  }

  // `x` has the states from row `first` on; `start` tells which window each belongs to.
  void attend(const BlockWeights& weights, const std::vector<size_t>& start, size_t first, float* x, size_t count) {
    for (size_t window = 0; window + 1 < start.size(); ++window) {
      const size_t from = std::max(start[window], first), to = std::min(start[window + 1], first + count);
      for (size_t head = 0; from < to && head < weights_.heads; ++head)
        attend_head(memory_[window * weights_.heads + head], &queries_[from * width_ + head * depth_], to - from,
                    &attended_[(from - first) * width_ + head * depth_]);
    }
    for (size_t row = 0; row < count; ++row) given_.set(row, &attended_[row * width_], width_);
    multiply(kernel_, given_, count, weights.out, attended_.data(), width_);
    add(attended_.data(), count * width_, x);
  }

  // One head of `count` places of one window, from their queries to their answers.
  void attend_head(const HeadMemory& memory, const float* queries, size_t count, float* answers) {
    const size_t places = memory.places, stride = memory.keys.columns();
    const float scale = 1 / std::sqrt(static_cast<float>(depth_));
    for (size_t row = 0; row < count; ++row) asked_.set(row, queries + row * width_, depth_, scale);
    scores_.resize(kRowsAtOnce * stride);
    // Whole tiles, since there is room for them: what is written behind the last row is not read.
    multiply(kernel_, asked_, padded(count, kernel_.rows), memory.keys, scores_.data(), stride);
    shares_.fit(places);
    for (size_t row = 0; row < count; ++row) {
      float* scores = &scores_[row * stride];
      const float sum = powers(scores, places);
      shares_.set(row, scores, places, 1 / sum, 1);  // the largest power is that of zero
    }
    multiply(kernel_, shares_, count, memory.values, answers, width_);
  }

  void dense(const BlockWeights& weights, float* x, size_t count) {
    const size_t size = 4 * width_;
    take(x, count, weights.before_dense);
    multiply(kernel_, given_, count, weights.up, inner_.data(), inner_stride_);
    for (size_t row = 0; row < count; ++row) {
      const float* values = &inner_[row * inner_stride_];
      inner_bytes_.set(row, values, size, 1, largest_square(values, size), positive_square);
    }
    multiply(kernel_, inner_bytes_, count, weights.down, inner_.data(), width_);
    add(inner_.data(), count * width_, x);
  }

  // The norms of some rows, as the left side of a product.
  void take(const float* x, size_t count, const std::vector<float>& weight) {
    float square[4];
    for (size_t first = 0; first < count; first += 4) {
      const size_t some = std::min<size_t>(4, count - first);
      if (some == 4) four_squares(x + first * width_, width_, square);
      for (size_t row = first; row < first + some; ++row) {
        if (some < 4) square[row - first] = dot(x + row * width_, x + row * width_, width_);
        norm(x + row * width_, square[row - first], weight.data(), width_, normed_.data());
        given_.set(row, normed_.data(), width_);
      }
    }
  }

  const NetworkWeights& weights_;
  Kernel kernel_;
  size_t width_, depth_;
  ByteRows given_, asked_, shares_, inner_bytes_;
  size_t both_stride_, inner_stride_;
  AlignedVector<float> normed_, queries_, attended_, inner_, both_, scores_;
  std::vector<HeadMemory> memory_;  // window by window, head by head
};

// Forward::run in the widest vectors that this machine has: everything that it calls is compiled once more into each
// of these. No sum changes its order, so that all give the same.
using Run = States (*)(Forward& forward, States& x, const std::vector<size_t>& slots);

inline States plain_run(Forward& forward, States& x, const std::vector<size_t>& slots) { return forward.run(x, slots); }

#if defined(ANAPHOR_AVX2)
__attribute__((target("avx2"), flatten)) inline States avx2_run(Forward& forward, States& x,
                                                                const std::vector<size_t>& slots) {
  return forward.run(x, slots);
}

__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"), flatten)) inline States avx512_run(
    Forward& forward, States& x, const std::vector<size_t>& slots) {
  return forward.run(x, slots);
}
#endif

inline Run best_run() {
#if defined(ANAPHOR_AVX2)
  if (has_vnni()) return avx512_run;
  if (__builtin_cpu_supports("avx2")) return avx2_run;
#endif
  return plain_run;
}

}  // namespace anaphor
