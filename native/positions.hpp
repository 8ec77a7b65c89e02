// The position model: IBM Model 1 with a pull towards the diagonal.
//
// Every place is as likely as its distance from the diagonal allows: p(i | j) is proportional to
// exp(-diagonal |x_i - y_j|), x_i = (i + .5) / I, y_j = (j + .5) / J; with diagonal = 0 this is IBM Model 1. Pairs
// outside the table are emitted by smoothing alone. This costs no more than the number of cells, for all other places of
// a row are alike up to that factor.
#pragma once

#include <cmath>
#include <map>

#include "cells.hpp"
#include "hmm.hpp"
#include "parallel.hpp"

namespace anaphor {

// e(x) = exp(diagonal x) and its inverse. exp(-diagonal |x - y|) is the smaller of e(x)/e(y) and e(y)/e(x), so that no
// exponential is taken per cell.
struct Place {
  double up, down;
};
inline double nearness(const Place& x, const Place& y) { return std::min(x.up * y.down, x.down * y.up); }

// The places of sentences, made once for each length.
class PlacesByLength {
 public:
  explicit PlacesByLength(double diagonal) : diagonal_(diagonal) {}

  const std::vector<Place>& of(int n) {
    const auto [found, is_new] = known_.try_emplace(n);
    for (int i = 0; is_new && i < n; ++i) {
      const double e = std::exp(diagonal_ * (i + 0.5) / n);
      found->second.push_back({e, 1 / e});
    }
    return found->second;
  }

  // For each of m places the sum of its nearness to n others, which is a sum to either side of it.
  const std::vector<double>& sums(int n, int m) {
    const std::vector<Place>&x = of(n), &y = of(m);
    above_.assign(static_cast<size_t>(n) + 1, 0.0), sums_.resize(static_cast<size_t>(m));
    for (size_t i = static_cast<size_t>(n); i-- > 0;) above_[i] = above_[i + 1] + x[i].down;
    double below = 0;
    size_t i = 0;
    for (size_t j = 0; j < static_cast<size_t>(m); ++j) {
      for (; i < static_cast<size_t>(n) && x[i].up <= y[j].up; ++i) below += x[i].up;
      sums_[j] = below * y[j].down + above_[i] * y[j].up;
    }
    return sums_;
  }

 private:
  const double diagonal_;
  std::map<int, std::vector<Place>> known_;
  std::vector<double> above_, sums_;
};

// What every cell of a word has in common: what smoothing adds to its emissions, and the factor that turns the weight of a
// cell into its posterior.
struct OfWord {
  double floor, factor;
};

// Turns the mass that cells give each of n words into the null posterior, and gives what its cells have in common. `near`
// has the sums of nearness to the places a word can come from.
inline void finish_words(const Model& model, const int32_t* words, size_t n, const double* near, const float* unigram,
                         const float* null, double* mass, OfWord* of_word) {
  for (size_t w = 0; w < n; ++w) {
    const double floor = model.smoothing * static_cast<double>(unigram[words[w]]);
    const double real = (1 - model.null) * (mass[w] / near[w] + floor);
    const double none = model.null * static_cast<double>(null[words[w]]);
    of_word[w] = {floor, (1 - model.null) / near[w] / (real + none)};
    mass[w] = none / (real + none);
  }
}

struct Sizes {
  size_t entries, sources, targets;
};

// Where one thread counts. All is in one array: the counts of every entry, forward and then reverse (once, where they
// agree); of words that came from null, source and target; of jumps, forward and reverse.
struct PassCounters {
  PassCounters(Count* counts, const Sizes& sizes, bool agreed)
      : agree(agreed), forward(counts), reverse(agreed ? counts : counts + sizes.entries), source_null(reverse + sizes.entries),
        target_null(source_null + sizes.sources), jumps{target_null + sizes.targets, target_null + sizes.targets + kJumps} {}
  static size_t size(const Sizes& sizes, bool agree) {
    return (agree ? 1 : 2) * sizes.entries + sizes.sources + sizes.targets + 2 * kJumps;
  }

  // A link with its posteriors in the two directions.
  void add_link(int32_t entry, double f, double r) const {
    forward[entry] += to_count(agree ? f * r : f);
    if (!agree) reverse[entry] += to_count(r);
  }
  static void add_null(const int32_t* words, const double* null, int n, Count* counts) {
    for (int w = 0; w < n; ++w) counts[words[w]] += to_count(null[w]);
  }

  const bool agree;
  Count *const forward, *const reverse, *const source_null, *const target_null;
  Count* const jumps[2];
};

// Adds what blocks of sentence pairs are expected to count. The cells of a word are visited together, wherever they are:
// its probabilities and counts are then in the cache.
class PositionCounter {
 public:
  PositionCounter(const Bitext& text, const Rows& rows, const Model& model, const PassCounters& counts, size_t targets)
      : text_(text), model_(model), counts_(counts), finder_(text, rows, targets), places_(model.diagonal) {}

  void count(int64_t first, int64_t last) {
    const int64_t source_begin = text_.source.start[first], target_begin = text_.target.start[first];
    const auto sources = static_cast<size_t>(text_.source.start[last] - source_begin);
    const auto targets = static_cast<size_t>(text_.target.start[last] - target_begin);
    source_.resize(static_cast<size_t>(last - first)), target_.resize(static_cast<size_t>(last - first));
    source_null_.assign(sources, 0), target_null_.assign(targets, 0);
    of_source_.resize(sources), of_target_.resize(targets);
    for (int64_t p = first; p < last; ++p) {
      source_[static_cast<size_t>(p - first)] = places_.of(text_.source.length(p)).data();
      target_[static_cast<size_t>(p - first)] = places_.of(text_.target.length(p)).data();
    }
    finder_.open(first, last);
    visits_.clear();
    const double share = 1 - model_.smoothing;
    finder_.sweep([&](size_t place, int64_t p, int i, size_t first_found, int number) {
      visits_.push_back({place, p, i, number});
      const Beside* const found = finder_.found() + first_found;
      const Place x = source_[static_cast<size_t>(p - first)][i], *const y = target_[static_cast<size_t>(p - first)];
      const auto begin = static_cast<size_t>(text_.target.start[p] - target_begin);
      double* const mass = target_null_.data() + begin;
      double of_source = 0;
      for (int k = 0; k < number; ++k) {
        const double near = share * nearness(x, y[found[k].target]);
        const float* const table = model_.tables + 2 * static_cast<int64_t>(found[k].entry);
        mass[found[k].target] += near * static_cast<double>(table[0]);
        of_source += near * static_cast<double>(table[1]);
      }
      source_null_[place] = of_source;
    });
    for (int64_t p = first; p < last; ++p) {
      const int rows = text_.source.length(p), columns = text_.target.length(p);
      if (rows == 0 || columns == 0) continue;
      const auto i = static_cast<size_t>(text_.source.start[p] - source_begin);
      const auto j = static_cast<size_t>(text_.target.start[p] - target_begin);
      finish_words(model_, text_.target.sentence(p), static_cast<size_t>(columns), places_.sums(rows, columns).data(),
                   model_.target_unigram, model_.target_null, &target_null_[j], &of_target_[j]);
      finish_words(model_, text_.source.sentence(p), static_cast<size_t>(rows), places_.sums(columns, rows).data(),
                   model_.source_unigram, model_.source_null, &source_null_[i], &of_source_[i]);
      counts_.add_null(text_.source.sentence(p), &source_null_[i], rows, counts_.source_null);
      counts_.add_null(text_.target.sentence(p), &target_null_[j], columns, counts_.target_null);
    }
    const Beside* found = finder_.found();
    for (const auto& [place, p, i, number] : visits_) {
      const Place x = source_[static_cast<size_t>(p - first)][i], *const y = target_[static_cast<size_t>(p - first)];
      const auto begin = static_cast<size_t>(text_.target.start[p] - target_begin);
      const OfWord* const of_target = of_target_.data() + begin;
      const OfWord of_source = of_source_[place];
      for (int k = 0; k < number; ++k) {
        const int32_t j = found[k].target;
        const double near = nearness(x, y[j]);
        const float* const table = model_.tables + 2 * static_cast<int64_t>(found[k].entry);
        const double f = near * (share * static_cast<double>(table[0]) + of_target[j].floor) * of_target[j].factor;
        const double r = near * (share * static_cast<double>(table[1]) + of_source.floor) * of_source.factor;
        counts_.add_link(found[k].entry, f, r);
      }
      found += number;
    }
  }

 private:
  const Bitext& text_;
  const Model& model_;
  const PassCounters counts_;
  CellFinder finder_;
  PlacesByLength places_;
  // What the first sweep over a block found, for the second.
  struct Visit {
    size_t place;
    int64_t p;
    int i, number;
  };
  std::vector<Visit> visits_;
  std::vector<const Place*> source_, target_;  // the places of each sentence of the block
  // Of every source or target word of the block.
  std::vector<double> source_null_, target_null_;
  std::vector<OfWord> of_source_, of_target_;
};

}  // namespace anaphor
