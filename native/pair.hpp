// Posterior link probabilities of one sentence pair, in both directions.
//
// "Forward" generates the target words from the source words, "reverse" the source words from the target
// words. The emission of a word w from a word v that the table has together is
//
//   e = (1 - smoothing) p(w | v) + smoothing unigram(w).
#pragma once

#include "positions.hpp"

namespace anaphor {

class PairPosteriors {
 public:
  PairPosteriors(const Model& model, const Bitext& text, const Rows& rows, size_t targets)
      : model_(model), text_(text), block_(text, rows, targets), places_(model.diagonal) {}

  // The cells of the pair in the table, the posterior of each in either direction, that of each word's null.
  std::vector<Cell> cells;
  std::vector<double> forward, reverse, target_null, source_null;

  // Takes up the sentence pairs [first, last), one of which is to be read next.
  void open_block(int64_t first, int64_t last) { block_.open(first, last); }

  // Reads the cells of pair p; false where a side is empty and there is nothing to do.
  bool open(int64_t p) {
    pair_ = p;
    rows_ = text_.source.length(p), columns_ = text_.target.length(p);
    if (rows_ == 0 || columns_ == 0) return false;
    block_.read(p, cells);
    forward.resize(cells.size()), reverse.resize(cells.size());
    put_floors(text_.source.sentence(p), rows_, model_.source_unigram, source_floor_);
    put_floors(text_.target.sentence(p), columns_, model_.target_unigram, target_floor_);
    return true;
  }
  bool fits_lattice() const { return rows_ <= kLongest && columns_ <= kLongest; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }

  void position_model() {
    const std::vector<Place>&x = places_.of(rows_), &y = places_.of(columns_);
    target_null.assign(static_cast<size_t>(columns_), 0), source_null.assign(static_cast<size_t>(rows_), 0);
    for (size_t k = 0; k < cells.size(); ++k) {
      const auto i = static_cast<size_t>(cells[k].source), j = static_cast<size_t>(cells[k].target);
      const double near = nearness(x[i], y[j]);
      forward[k] = near * emission(cells[k], 0), reverse[k] = near * emission(cells[k], 1);
      target_null[j] += forward[k] - near * target_floor_[j];
      source_null[i] += reverse[k] - near * source_floor_[i];
    }
    finish(text_.target, rows_, columns_, model_.target_unigram, model_.target_null, target_null, of_target_);
    finish(text_.source, columns_, rows_, model_.source_unigram, model_.source_null, source_null, of_source_);
    for (size_t k = 0; k < cells.size(); ++k) {
      forward[k] *= of_target_[static_cast<size_t>(cells[k].target)].factor;
      reverse[k] *= of_source_[static_cast<size_t>(cells[k].source)].factor;
    }
  }

  // The hidden Markov model: slots are cells, by their target place in one direction. The lattices stay until the
  // next call.
  void hidden_markov(double* forward_jumps, double* reverse_jumps) {
    begin(to_target, text_.target, columns_, rows_, model_.target_null);
    begin(to_source, text_.source, rows_, columns_, model_.source_null);
    for (const Cell& cell : cells) ++to_target.start[static_cast<size_t>(cell.target) + 1], ++to_source.start[static_cast<size_t>(cell.source) + 1];
    for (Lattice* lattice : {&to_target, &to_source})
      for (size_t w = 1; w < lattice->start.size(); ++w) lattice->start[w] += lattice->start[w - 1];
    next_.assign(to_target.start.begin(), to_target.start.end());
    slot_.resize(cells.size());
    for (size_t k = 0; k < cells.size(); ++k) {
      const auto slot = static_cast<size_t>(next_[static_cast<size_t>(cells[k].target)]++);
      slot_[k] = slot;
      to_target.place[slot] = cells[k].source, to_target.emission[slot] = emission(cells[k], 0);
      to_source.place[k] = cells[k].target, to_source.emission[k] = emission(cells[k], 1);
    }
    to_target.forward_backward(model_.forward, model_.null, forward_jumps);
    to_source.forward_backward(model_.reverse, model_.null, reverse_jumps);
    target_null.assign(static_cast<size_t>(columns_), 1.0), source_null.assign(static_cast<size_t>(rows_), 1.0);
    for (size_t k = 0; k < cells.size(); ++k) {
      forward[k] = to_target.posterior[slot_[k]], reverse[k] = to_source.posterior[k];
      target_null[static_cast<size_t>(cells[k].target)] -= forward[k];
      source_null[static_cast<size_t>(cells[k].source)] -= reverse[k];
    }
    for (std::vector<double>* null : {&target_null, &source_null})
      for (double& rest : *null) rest = std::max(rest, 0.0);
  }
  Lattice to_target, to_source;

  void best_way(int side, std::vector<int>& slots) {
    if (side == 0) to_target.best_way(model_.forward, model_.null, slots);
    else to_source.best_way(model_.reverse, model_.null, slots);
  }

 private:
  double emission(const Cell& cell, int side) const {
    const double floor = side == 0 ? target_floor_[static_cast<size_t>(cell.target)] : source_floor_[static_cast<size_t>(cell.source)];
    if (cell.entry == kNoEntry) return floor;
    return (1 - model_.smoothing) * static_cast<double>(model_.tables[2 * static_cast<int64_t>(cell.entry) + side]) + floor;
  }
  void put_floors(const int32_t* words, int n, const float* unigram, std::vector<double>& floor) const {
    floor.resize(static_cast<size_t>(n));
    for (int w = 0; w < n; ++w) floor[static_cast<size_t>(w)] = model_.smoothing * static_cast<double>(unigram[words[w]]);
  }
  void finish(const Text& text, int states, int words, const float* unigram, const float* null, std::vector<double>& mass,
              std::vector<OfWord>& of_word) {
    of_word.resize(mass.size());
    finish_words(model_, text.sentence(pair_), mass.size(), places_.sums(states, words).data(), unigram, null, mass.data(),
                 of_word.data());
  }
  void begin(Lattice& lattice, const Text& text, int words, int states, const float* null) const {
    lattice.begin(states, words, cells.size());
    for (int w = 0; w < words; ++w)
      lattice.null[static_cast<size_t>(w)] = static_cast<double>(null[text.sentence(pair_)[w]]);
  }

  const Model& model_;
  const Bitext& text_;
  BlockCells block_;
  PlacesByLength places_;
  int64_t pair_ = 0;
  int rows_ = 0, columns_ = 0;
  std::vector<int> next_;
  std::vector<size_t> slot_;  // of each cell in the lattice to the target
  std::vector<double> target_floor_, source_floor_;
  std::vector<OfWord> of_target_, of_source_;
};

}  // namespace anaphor
