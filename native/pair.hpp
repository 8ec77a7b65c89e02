// Posterior link probabilities of one sentence pair, in both directions.
//
// "Forward" generates the target words from the source words, "reverse" the source words from the target
// words. The emission of a word w from a word v that the table has together is
//
//   e = (1 - smoothing) p(w | v) + smoothing unigram(w).
#pragma once

#include <cmath>

#include "bitext.hpp"
#include "hmm.hpp"
#include "lexicon.hpp"

namespace anaphor {

struct Model {
  const float* tables;  // p(t | s), p(s | t) of every entry
  const float *source_unigram, *target_unigram;
  const float *source_null, *target_null;  // what the null word emits
  Jumps forward, reverse;
  double null, smoothing, diagonal;
};

class PairPosteriors {
 public:
  PairPosteriors(const Model& model, const Bitext& text, const Index& index)
      : model_(model), text_(text), index_(index) {}

  // The cells of the pair in the table, the posterior of each in either direction, that of each word's null.
  std::vector<Cell> cells;
  std::vector<double> forward, reverse, target_null, source_null;

  // Looks up the cells of pair p; false where a side is empty and there is nothing to do.
  bool open(int64_t p) {
    pair_ = p;
    rows_ = text_.source.length(p), columns_ = text_.target.length(p);
    if (rows_ == 0 || columns_ == 0) return false;
    index_.find(text_, p, cells, scratch_);
    forward.resize(cells.size()), reverse.resize(cells.size());
    return true;
  }
  bool fits_lattice() const { return rows_ <= kLongest && columns_ <= kLongest; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }

  // Every place is as likely as its distance from the diagonal allows: p(i | j) is proportional to
  // exp(-diagonal |i/I - j/J|); with diagonal = 0 this is IBM Model 1. Pairs outside the table are emitted
  // by smoothing alone. This costs no more than the number of cells, for all other places of a row are alike
  // up to that factor, and its sum is a geometric series.
  void position_model() {
    place(rows_, source_place_), place(columns_, target_place_);
    target_null.assign(static_cast<size_t>(columns_), 0), source_null.assign(static_cast<size_t>(rows_), 0);
    for (size_t k = 0; k < cells.size(); ++k) {
      const Cell& cell = cells[k];
      fetch_table(k + kCellsAhead);
      const double near = nearness(cell);
      forward[k] = near * emission(cell, 0), reverse[k] = near * emission(cell, 1);
      const double floor = near * model_.smoothing;
      target_null[static_cast<size_t>(cell.target)] += forward[k] - floor * unigram(cell, 0);
      source_null[static_cast<size_t>(cell.source)] += reverse[k] - floor * unigram(cell, 1);
    }
    finish(text_.target.sentence(pair_), rows_, model_.target_unigram, model_.target_null, target_null, target_factor_);
    finish(text_.source.sentence(pair_), columns_, model_.source_unigram, model_.source_null, source_null, source_factor_);
    for (size_t k = 0; k < cells.size(); ++k) {
      forward[k] *= target_factor_[static_cast<size_t>(cells[k].target)];
      reverse[k] *= source_factor_[static_cast<size_t>(cells[k].source)];
    }
  }

  // The hidden Markov model: slots are cells. The lattices stay until the next call.
  void hidden_markov(double* forward_jumps, double* reverse_jumps) {
    order_by_target();
    for (size_t k = 0; k < cells.size(); ++k) {
      fetch_table(k + kCellsAhead);
      forward[k] = emission(cells[k], 0), reverse[k] = emission(cells[k], 1);
    }
    fill(to_target, target_start_, columns_, rows_, 0);
    fill(to_source, source_start_, rows_, columns_, 1);
    to_target.forward_backward(model_.forward, model_.null, forward_jumps);
    to_source.forward_backward(model_.reverse, model_.null, reverse_jumps);
    collect(to_target, columns_, 0, forward, target_null);
    collect(to_source, rows_, 1, reverse, source_null);
  }
  Lattice to_target, to_source;

  void best_way(int side, std::vector<int>& slots) {
    if (side == 0) to_target.best_way(model_.forward, model_.null, slots);
    else to_source.best_way(model_.reverse, model_.null, slots);
  }

 private:
  void fetch_table(size_t k) const {
    if (k < cells.size() && cells[k].entry != kNoEntry) prefetch(model_.tables + 2 * static_cast<int64_t>(cells[k].entry));
  }
  double unigram(const Cell& cell, int side) const {
    return static_cast<double>(side == 0 ? model_.target_unigram[text_.target.sentence(pair_)[cell.target]]
                                         : model_.source_unigram[text_.source.sentence(pair_)[cell.source]]);
  }
  double emission(const Cell& cell, int side) const {
    const double floor = model_.smoothing * unigram(cell, side);
    if (cell.entry == kNoEntry) return floor;
    return (1 - model_.smoothing) * static_cast<double>(model_.tables[2 * static_cast<int64_t>(cell.entry) + side]) + floor;
  }

  // exp(-pull |x_i - y_j|) is the smaller of e(x_i)/e(y_j) and e(y_j)/e(x_i), with e(x) = exp(pull x): no
  // exponential is taken per cell.
  double nearness(const Cell& cell) const {
    const auto &x = source_place_[static_cast<size_t>(cell.source)], &y = target_place_[static_cast<size_t>(cell.target)];
    return std::min(x.up * y.down, x.down * y.up);
  }

  struct Place {
    double up, down;
  };

  void place(int n, std::vector<Place>& places) const {
    places.resize(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) {
      const double e = std::exp(model_.diagonal * (i + 0.5) / n);
      places[static_cast<size_t>(i)] = {e, 1 / e};
    }
  }

  // Sum over i of exp(-diagonal |(i + .5)/n - y|): a geometric series to either side of y.
  double nearness_sum(int n, double y) const {
    if (model_.diagonal == 0) return n;
    const double place = y * n - 0.5;
    const double left = std::floor(place) + 1, right = n - left;
    const double rate = model_.diagonal / n;
    const double below = left > 0 ? -std::exp(-rate * (place - left + 1)) * std::expm1(-rate * left) : 0.0;
    const double above = right > 0 ? -std::exp(-rate * (left - place)) * std::expm1(-rate * right) : 0.0;
    return (below + above) / -std::expm1(-rate);
  }

  // Turns the mass that cells give each word into the null posterior, and gives the factor that turns the
  // weight of a cell into its posterior.
  void finish(const int32_t* words, int states, const float* unigram, const float* null, std::vector<double>& mass,
              std::vector<double>& factor) {
    const size_t n = mass.size();
    factor.resize(n);
    for (size_t w = 0; w < n; ++w) {
      const double near = nearness_sum(states, (static_cast<double>(w) + 0.5) / static_cast<double>(n));
      const double floor = model_.smoothing * static_cast<double>(unigram[words[w]]);
      const double real = (1 - model_.null) * (mass[w] / near + floor);
      const double none = model_.null * static_cast<double>(null[words[w]]);
      factor[w] = (1 - model_.null) / near / (real + none);
      mass[w] = none / (real + none);
    }
  }

  // Where the cells of each word begin: by source word as they are, by target word through by_target_.
  void order_by_target() {
    source_start_.assign(static_cast<size_t>(rows_) + 1, 0), target_start_.assign(static_cast<size_t>(columns_) + 1, 0);
    for (const Cell& cell : cells)
      ++source_start_[static_cast<size_t>(cell.source) + 1], ++target_start_[static_cast<size_t>(cell.target) + 1];
    for (size_t i = 0; i < static_cast<size_t>(rows_); ++i) source_start_[i + 1] += source_start_[i];
    for (size_t j = 0; j < static_cast<size_t>(columns_); ++j) target_start_[j + 1] += target_start_[j];
    next_.assign(target_start_.begin(), target_start_.end());
    by_target_.resize(cells.size());
    for (size_t k = 0; k < cells.size(); ++k)
      by_target_[static_cast<size_t>(next_[static_cast<size_t>(cells[k].target)]++)] = static_cast<int>(k);
  }
  size_t cell_at(int side, int k) const { return static_cast<size_t>(side == 0 ? by_target_[static_cast<size_t>(k)] : k); }

  // The emissions are in `forward` and `reverse` until posteriors take their places.
  void fill(Lattice& lattice, const std::vector<int>& start, int words, int states, int side) {
    const int32_t* sentence = side == 0 ? text_.target.sentence(pair_) : text_.source.sentence(pair_);
    const float* null = side == 0 ? model_.target_null : model_.source_null;
    lattice.begin(states);
    for (int w = 0; w < words; ++w) {
      for (int k = start[static_cast<size_t>(w)]; k < start[static_cast<size_t>(w) + 1]; ++k) {
        const size_t at = cell_at(side, k);
        lattice.add(side == 0 ? cells[at].source : cells[at].target, side == 0 ? forward[at] : reverse[at]);
      }
      lattice.finish_word(static_cast<double>(null[sentence[w]]));
    }
  }

  // The posteriors of cells, and what they leave for null.
  void collect(const Lattice& lattice, int words, int side, std::vector<double>& posterior,
               std::vector<double>& null) const {
    null.assign(static_cast<size_t>(words), 1.0);
    for (int k = 0; k < static_cast<int>(cells.size()); ++k) {
      const size_t at = cell_at(side, k);
      posterior[at] = lattice.posterior[static_cast<size_t>(k)];
      null[static_cast<size_t>(side == 0 ? cells[at].target : cells[at].source)] -= posterior[at];
    }
    for (double& rest : null) rest = std::max(rest, 0.0);
  }

  const Model& model_;
  const Bitext& text_;
  const Index& index_;
  Index::Scratch scratch_;
  int64_t pair_ = 0;
  int rows_ = 0, columns_ = 0;
  std::vector<int> source_start_, target_start_, by_target_, next_;
  std::vector<double> target_factor_, source_factor_;
  std::vector<Place> source_place_, target_place_;
};

}  // namespace anaphor
