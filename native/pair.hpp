// Posterior link probabilities of one sentence pair, in both directions, and what is done with them.
//
// "Forward" generates the target words from the source words, "reverse" the source words from the target
// words. The emission of a word w from a word v is
//
//   e = (1 - smoothing) p(w | v) + smoothing unigram(w),
//
// so that a pair outside the table is unlikely but never impossible.
#pragma once

#include <cmath>

#include "bitext.hpp"
#include "hmm.hpp"
#include "parallel.hpp"

namespace anaphor {

struct Model {
  const float* tables;  // p(t | s), p(s | t) of every entry
  const float *source_unigram, *target_unigram;
  const float *source_null, *target_null;  // what the null word emits
  Jumps forward, reverse;
  float null, smoothing, diagonal;
};

class PairPosteriors {
 public:
  PairPosteriors(const Model& model, const Bitext& text) : model_(model), text_(text) {}

  // Per hit of the pair, the posterior of its link in each direction; per word, that of the null word.
  std::vector<float> forward, reverse, target_null, source_null;

  // Every position is as likely as its distance from the diagonal allows: p(i | j) is proportional to
  // exp(-diagonal |i/I - j/J|); with diagonal = 0 this is IBM Model 1. Costs no more than the number of
  // hits, for all other cells of a row are alike up to that factor, and its sum is a geometric series.
  void position_model(int64_t p, const Hits& hits, int64_t h) {
    const int rows = text_.source.length(p), columns = text_.target.length(p);
    place(rows, source_place_), place(columns, target_place_);
    const int64_t first = hits.start[h], size = hits.start[h + 1] - first;
    forward.resize(static_cast<size_t>(size)), reverse.resize(static_cast<size_t>(size));
    target_null.assign(static_cast<size_t>(columns), 0), source_null.assign(static_cast<size_t>(rows), 0);
    for (int64_t k = 0; k < size; ++k) {
      const int64_t at = first + k;
      const int i = hits.source[at], j = hits.target[at];
      const float near = nearness(i, j);
      const float* entry = model_.tables + 2 * static_cast<int64_t>(hits.entry[at]);
      forward[static_cast<size_t>(k)] = near * (1 - model_.smoothing) * entry[0];
      reverse[static_cast<size_t>(k)] = near * (1 - model_.smoothing) * entry[1];
      target_null[static_cast<size_t>(j)] += forward[static_cast<size_t>(k)];
      source_null[static_cast<size_t>(i)] += reverse[static_cast<size_t>(k)];
    }
    std::vector<float>&per_target = factor_target_, &per_source = factor_source_;
    finish(text_.target.sentence(p), columns, rows, model_.target_unigram, model_.target_null, target_null, per_target);
    finish(text_.source.sentence(p), rows, columns, model_.source_unigram, model_.source_null, source_null, per_source);
    for (int64_t k = 0; k < size; ++k) {
      const int64_t at = first + k;
      const int i = hits.source[at], j = hits.target[at];
      const float near = model_.smoothing * nearness(i, j);
      float &f = forward[static_cast<size_t>(k)], &r = reverse[static_cast<size_t>(k)];
      f = (f + near * model_.target_unigram[text_.target.sentence(p)[j]]) * per_target[static_cast<size_t>(j)];
      r = (r + near * model_.source_unigram[text_.source.sentence(p)[i]]) * per_source[static_cast<size_t>(i)];
    }
  }

  // The hidden Markov model. The whole lattices stay in `to_target` and `to_source` until the next call.
  Lattice to_target, to_source;

  void hidden_markov(int64_t p, const Hits& hits, int64_t h, double* forward_jumps, double* reverse_jumps) {
    fill(p, hits, h);
    forward_backward_(to_target, model_.forward, model_.null, forward_jumps);
    forward_backward_(to_source, model_.reverse, model_.null, reverse_jumps);
    const int64_t first = hits.start[h], size = hits.start[h + 1] - first;
    forward.resize(static_cast<size_t>(size)), reverse.resize(static_cast<size_t>(size));
    for (int64_t k = 0; k < size; ++k) {
      const int i = hits.source[first + k], j = hits.target[first + k];
      forward[static_cast<size_t>(k)] = to_target.row(to_target.posterior, j)[i];
      reverse[static_cast<size_t>(k)] = to_source.row(to_source.posterior, i)[j];
    }
    rest(to_target, target_null);
    rest(to_source, source_null);
  }

  static bool fits(int rows, int columns) { return rows <= kLongest && columns <= kLongest; }

 private:
  // exp(-pull |x_i - y_j|) is the smaller of e(x_i)/e(y_j) and e(y_j)/e(x_i), with e(x) = exp(pull x): no
  // exponential is taken per cell.
  float nearness(int i, int j) const {
    const auto &x = source_place_[static_cast<size_t>(i)], &y = target_place_[static_cast<size_t>(j)];
    return std::min(x.up * y.down, x.down * y.up);
  }

  struct Place {
    float up, down;
  };

  void place(int n, std::vector<Place>& places) const {
    places.resize(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) {
      const float e = std::exp(model_.diagonal * (static_cast<float>(i) + 0.5F) / static_cast<float>(n));
      places[static_cast<size_t>(i)] = {e, 1 / e};
    }
  }

  // Sum over i of exp(-diagonal |(i + .5)/n - y|): a geometric series to either side of y.
  float nearness_sum(int n, float y) const {
    if (model_.diagonal == 0) return static_cast<float>(n);
    const float place = y * static_cast<float>(n) - 0.5F;
    const float left = std::floor(place) + 1, right = static_cast<float>(n) - left;
    const float rate = model_.diagonal / static_cast<float>(n);
    const float step = -std::expm1(-rate);
    const float below = left > 0 ? -std::exp(-rate * (place - left + 1)) * std::expm1(-rate * left) : 0.0F;
    const float above = right > 0 ? -std::exp(-rate * (left - place)) * std::expm1(-rate * right) : 0.0F;
    return (below + above) / step;
  }

  // Turns the mass that hits give each of `n` words into the null posterior, and gives the factor that turns
  // the weight of a hit into its posterior.
  void finish(const int32_t* words, int n, int states, const float* unigram, const float* null,
              std::vector<float>& mass, std::vector<float>& factor) {
    factor.resize(static_cast<size_t>(n));
    for (int w = 0; w < n; ++w) {
      const float near = nearness_sum(states, (static_cast<float>(w) + 0.5F) / static_cast<float>(n));
      float& m = mass[static_cast<size_t>(w)];
      const float real = (1 - model_.null) * (m / near + model_.smoothing * unigram[words[w]]);
      const float none = model_.null * null[words[w]];
      factor[static_cast<size_t>(w)] = (1 - model_.null) / near / (real + none);
      m = none / (real + none);
    }
  }

  void fill(int64_t p, const Hits& hits, int64_t h) {
    const int rows = text_.source.length(p), columns = text_.target.length(p);
    floor(to_target, text_.target.sentence(p), columns, rows, model_.target_unigram, model_.target_null);
    floor(to_source, text_.source.sentence(p), rows, columns, model_.source_unigram, model_.source_null);
    for (int64_t at = hits.start[h]; at < hits.start[h + 1]; ++at) {
      const int i = hits.source[at], j = hits.target[at];
      const float* entry = model_.tables + 2 * static_cast<int64_t>(hits.entry[at]);
      to_target.row(to_target.emission, j)[i] += (1 - model_.smoothing) * entry[0];
      to_source.row(to_source.emission, i)[j] += (1 - model_.smoothing) * entry[1];
    }
  }

  void floor(Lattice& at, const int32_t* words, int steps, int states, const float* unigram, const float* null) {
    at.resize(steps, states);
    for (int step = 0; step < steps; ++step) {
      float* row = at.row(at.emission, step);
      std::fill(row, row + states, model_.smoothing * unigram[words[step]]);
      std::fill(row + states, row + at.stride, 0.0F);
      at.null[static_cast<size_t>(step)] = null[words[step]];
    }
  }

  static void rest(Lattice& at, std::vector<float>& null) {
    null.resize(static_cast<size_t>(at.steps));
    for (int step = 0; step < at.steps; ++step)
      null[static_cast<size_t>(step)] = std::max(0.0F, 1 - total<Narrow>(at.row(at.posterior, step), at.stride));
  }

  const Model& model_;
  const Bitext& text_;
  const ForwardBackward forward_backward_ = choose_forward_backward();
  std::vector<float> factor_target_, factor_source_;
  std::vector<Place> source_place_, target_place_;
};

// What one pass over the text counts, all in Count units: a pair of counts per entry (forward, reverse), the
// words that came from null, the jumps.
struct Totals {
  Count *entries, *source_null, *target_null, *forward_jumps, *reverse_jumps;
};

struct PassOptions {
  bool hmm = true;     // false: the position model for all pairs
  bool agree = true;   // counts are the product of the two directions' posteriors
  int64_t jump_stride = 1;  // every how many-th pair counts jumps
  int64_t first = 0, last = 0;
  int threads = 1;
};

struct Sizes {
  size_t entries, sources, targets;
};

// The expected counts of sentence pairs [first, last), added to `totals`. hits.start[0] belongs to `first`.
//
// Agreement (Liang et al. 2006): a link counts as much as both directions believe in it, so that each learns
// from the other and neither collects garbage in rare words.
inline void expect(const Bitext& text, const Hits& hits, const Model& model, const PassOptions& options,
                   const Sizes& sizes, const Totals& totals) {
  constexpr int64_t kPairsPerBlock = 64;
  const size_t places[] = {2 * sizes.entries, sizes.sources, sizes.targets, kJumps, kJumps};
  Count* const sums[] = {totals.entries, totals.source_null, totals.target_null, totals.forward_jumps,
                         totals.reverse_jumps};
  size_t size = 0;
  for (const size_t n : places) size += n;
  ThreadCounts counts(options.threads, size);
  std::vector<PairPosteriors> workers(static_cast<size_t>(options.threads), PairPosteriors(model, text));
  in_parallel((options.last - options.first + kPairsPerBlock - 1) / kPairsPerBlock, options.threads,
              [&](int64_t block, int thread) {
    PairPosteriors& worker = workers[static_cast<size_t>(thread)];
    Count* entries = counts.of(thread);
    Count* source_null = entries + places[0];
    Count* target_null = source_null + places[1];
    Count* jump_sums[] = {target_null + places[2], target_null + places[2] + kJumps};
    const int64_t begin = options.first + block * kPairsPerBlock;
    for (int64_t p = begin; p < std::min(begin + kPairsPerBlock, options.last); ++p) {
      const int64_t h = p - options.first;
      const int rows = text.source.length(p), columns = text.target.length(p);
      if (rows == 0 || columns == 0) continue;
      if (options.hmm && PairPosteriors::fits(rows, columns)) {
        double jumps[2][kJumps] = {};
        const bool counted = p % options.jump_stride == 0;
        worker.hidden_markov(p, hits, h, counted ? jumps[0] : nullptr, counted ? jumps[1] : nullptr);
        for (int side = 0; counted && side < 2; ++side)
          for (int d = 0; d < kJumps; ++d) jump_sums[side][d] += to_count(jumps[side][d]);
      } else {
        worker.position_model(p, hits, h);
      }
      for (size_t k = 0; k < worker.forward.size(); ++k) {
        const auto entry = static_cast<size_t>(hits.entry[hits.start[h] + static_cast<int64_t>(k)]);
        const float f = worker.forward[k], r = worker.reverse[k];
        entries[2 * entry] += to_count(static_cast<double>(options.agree ? f * r : f));
        entries[2 * entry + 1] += to_count(static_cast<double>(options.agree ? f * r : r));
      }
      for (int i = 0; i < rows; ++i)
        source_null[text.source.sentence(p)[i]] += to_count(static_cast<double>(worker.source_null[static_cast<size_t>(i)]));
      for (int j = 0; j < columns; ++j)
        target_null[text.target.sentence(p)[j]] += to_count(static_cast<double>(worker.target_null[static_cast<size_t>(j)]));
    }
  });
  std::vector<Count> all(size, 0);
  counts.add_to(all.data());
  const Count* next = all.data();
  for (int part = 0; part < 5; ++part)
    for (size_t k = 0; k < places[part]; ++k) sums[part][k] += *next++;
}

// How links are read off the posteriors.
enum class Reading {
  joint,    // every cell whose two posteriors multiply to the threshold or more
  forward,  // for every target word its best source word, unless null is better
  reverse,  // for every source word its best target word, unless null is better
};

struct Links {
  std::vector<int64_t> start;  // links up to and with each pair
  std::vector<int32_t> source, target;
  std::vector<float> confidence;
  void add(int i, int j, float belief) {
    source.push_back(i), target.push_back(j), confidence.push_back(belief);
  }
};

// Links of one pair out of a function belief(i, j) -> {forward, reverse}, over the cells that `cells` visits.
inline void read_lattice(PairPosteriors& at, Reading reading, float threshold, Links& links) {
  const int rows = at.to_source.steps, columns = at.to_target.steps;
  if (reading == Reading::joint) {
    for (int j = 0; j < columns; ++j) {
      const float* f = at.to_target.row(at.to_target.posterior, j);
      for (int i = 0; i < rows; ++i) {
        const float both = f[i] * at.to_source.row(at.to_source.posterior, i)[j];
        if (both >= threshold) links.add(i, j, both);
      }
    }
    return;
  }
  const bool ahead = reading == Reading::forward;
  Lattice& lattice = ahead ? at.to_target : at.to_source;
  const std::vector<float>& null = ahead ? at.target_null : at.source_null;
  for (int step = 0; step < lattice.steps; ++step) {
    const float* row = lattice.row(lattice.posterior, step);
    const int best = static_cast<int>(std::max_element(row, row + lattice.states) - row);
    if (row[best] <= null[static_cast<size_t>(step)]) continue;
    links.add(ahead ? best : step, ahead ? step : best, row[best]);
  }
}

// The same for a pair too long for the lattice: only cells in the table can be linked.
inline void read_hits(const PairPosteriors& at, const Hits& hits, int64_t h, Reading reading, float threshold,
                      Links& links) {
  const bool ahead = reading == Reading::forward;
  const std::vector<float>& belief = ahead ? at.forward : at.reverse;
  std::vector<float> best = ahead ? at.target_null : at.source_null;
  std::vector<int64_t> winner(best.size(), -1);
  for (size_t k = 0; k < at.forward.size(); ++k) {
    const int64_t hit = hits.start[h] + static_cast<int64_t>(k);
    const float both = at.forward[k] * at.reverse[k];
    const auto step = static_cast<size_t>(ahead ? hits.target[hit] : hits.source[hit]);
    if (reading == Reading::joint) {
      if (both >= threshold) links.add(hits.source[hit], hits.target[hit], both);
    } else if (belief[k] > best[step]) {
      best[step] = belief[k], winner[step] = hit;
    }
  }
  for (size_t step = 0; reading != Reading::joint && step < best.size(); ++step)
    if (winner[step] >= 0) links.add(hits.source[winner[step]], hits.target[winner[step]], best[step]);
}

// The links of sentence pairs [first, last).
inline Links decode(const Bitext& text, const Hits& hits, const Model& model, const PassOptions& options,
                    Reading reading, float threshold) {
  constexpr int64_t kPairsPerBlock = 64;
  const int64_t blocks = (options.last - options.first + kPairsPerBlock - 1) / kPairsPerBlock;
  std::vector<Links> parts(static_cast<size_t>(blocks));
  std::vector<PairPosteriors> workers(static_cast<size_t>(options.threads), PairPosteriors(model, text));
  in_parallel(blocks, options.threads, [&](int64_t block, int thread) {
    PairPosteriors& worker = workers[static_cast<size_t>(thread)];
    Links& links = parts[static_cast<size_t>(block)];
    const int64_t begin = options.first + block * kPairsPerBlock;
    for (int64_t p = begin; p < std::min(begin + kPairsPerBlock, options.last); ++p) {
      const int64_t h = p - options.first;
      const int rows = text.source.length(p), columns = text.target.length(p);
      if (rows > 0 && columns > 0) {
        if (options.hmm && PairPosteriors::fits(rows, columns)) {
          worker.hidden_markov(p, hits, h, nullptr, nullptr);
          read_lattice(worker, reading, threshold, links);
        } else {
          worker.position_model(p, hits, h);
          read_hits(worker, hits, h, reading, threshold, links);
        }
      }
      links.start.push_back(static_cast<int64_t>(links.source.size()));
    }
  });
  Links all{{0}, {}, {}, {}};
  for (const Links& part : parts) {
    const auto base = static_cast<int64_t>(all.source.size());
    for (const int64_t end : part.start) all.start.push_back(base + end);
    all.source.insert(all.source.end(), part.source.begin(), part.source.end());
    all.target.insert(all.target.end(), part.target.begin(), part.target.end());
    all.confidence.insert(all.confidence.end(), part.confidence.begin(), part.confidence.end());
  }
  return all;
}

}  // namespace anaphor
