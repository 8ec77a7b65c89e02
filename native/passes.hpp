// What is done with the posteriors of all sentence pairs: counting for the next model, and reading links.
#pragma once

#include "pair.hpp"
#include "parallel.hpp"

namespace anaphor {

constexpr int64_t kPairsPerBlock = 32;

struct PassOptions {
  bool hmm = true;          // false: the position model for all pairs
  bool agree = true;        // counts are the product of the two directions' posteriors
  int64_t jump_stride = 1;  // every how many-th pair counts jumps
  int threads = 1;
};

struct Sizes {
  size_t entries, sources, targets;
};

// Adds what one pair is expected to count.
class PairCounter {
 public:
  PairCounter(const Bitext& text, const PassOptions& options, const Sizes& sizes, Count* counts)
      : text_(text), options_(options), forward_(counts), reverse_(options.agree ? counts : counts + sizes.entries),
        source_null_(reverse_ + sizes.entries), target_null_(source_null_ + sizes.sources),
        jumps_{target_null_ + sizes.targets, target_null_ + sizes.targets + kJumps} {}

  void count(PairPosteriors& at, int64_t p) {
    if (!at.open(p)) return;
    if (options_.hmm && at.fits_lattice()) {
      if (p % options_.jump_stride == 0) count_jumps(at);
      else at.hidden_markov(nullptr, nullptr);
    } else {
      at.position_model();
    }
    for (size_t k = 0; k < at.cells.size(); ++k) {
      const int32_t soon = k + kCellsAhead < at.cells.size() ? at.cells[k + kCellsAhead].entry : kNoEntry;
      if (soon != kNoEntry) prefetch(forward_ + soon);
      if (at.cells[k].entry == kNoEntry) continue;
      const double f = at.forward[k], r = at.reverse[k];
      forward_[at.cells[k].entry] += to_count(options_.agree ? f * r : f);
      if (!options_.agree) reverse_[at.cells[k].entry] += to_count(r);
    }
    add_null(text_.source.sentence(p), at.source_null, source_null_);
    add_null(text_.target.sentence(p), at.target_null, target_null_);
  }

 private:
  void count_jumps(PairPosteriors& at) {
    double jumps[2][kJumps] = {};
    at.hidden_markov(jumps[0], jumps[1]);
    for (int side = 0; side < 2; ++side)
      for (int d = 0; d < kJumps; ++d) jumps_[side][d] += to_count(jumps[side][d]);
  }
  static void add_null(const int32_t* words, const std::vector<double>& null, Count* counts) {
    for (size_t w = 0; w < null.size(); ++w) counts[words[w]] += to_count(null[w]);
  }

  const Bitext& text_;
  const PassOptions& options_;
  Count *const forward_, *const reverse_, *const source_null_, *const target_null_;
  Count* const jumps_[2];
};

// The expected counts of the first `pairs` sentence pairs, in Count units and one array: those of every entry,
// forward and then reverse (once, where they agree); of words that came from null, source and target; of
// jumps, forward and reverse.
//
// Agreement (Liang et al. 2006): a link counts as much as both directions believe in it, so that each learns
// from the other and neither collects garbage in rare words.
inline std::vector<Count> expect(const Bitext& text, int64_t pairs, const Index& index, const Model& model,
                                 const PassOptions& options, const Sizes& sizes, const Watch& watch) {
  const size_t size = (options.agree ? 1 : 2) * sizes.entries + sizes.sources + sizes.targets + 2 * kJumps;
  ThreadCounts counts(options.threads, size);
  std::vector<PairPosteriors> workers(static_cast<size_t>(options.threads), PairPosteriors(model, text, index));
  in_parallel((pairs + kPairsPerBlock - 1) / kPairsPerBlock, options.threads, watch, [&](int64_t block, int thread) {
    PairCounter counter(text, options, sizes, counts.of(thread));
    for (int64_t p = block * kPairsPerBlock; p < std::min((block + 1) * kPairsPerBlock, pairs); ++p)
      counter.count(workers[static_cast<size_t>(thread)], p);
  });
  return counts.sum();
}

// How links are read off the posteriors.
enum class Reading {
  joint,    // every cell whose two posteriors multiply to the threshold or more
  forward,  // each target word's source word on the best way through the sentence
  reverse,  // each source word's target word on the best way through the sentence
};

struct Link {
  int32_t source, target;
  float confidence;
};

struct Links {
  std::vector<int64_t> start;  // links up to and with each pair
  std::vector<int32_t> source, target;
  std::vector<float> confidence;
};

// Reads the links of one pair: in order of source, then target place, or in the order of the words generated.
class LinkReader {
 public:
  LinkReader(Reading reading, double threshold) : reading_(reading), threshold_(threshold) {}

  const std::vector<Link>& read(PairPosteriors& at, int64_t p, bool hmm) {
    found_.clear();
    if (!at.open(p)) return found_;
    const bool lattice = hmm && at.fits_lattice();
    if (lattice) at.hidden_markov(nullptr, nullptr);
    else at.position_model();
    if (reading_ == Reading::joint) read_cells(at);
    else if (lattice) read_way(at);
    else read_best(at);
    return found_;
  }

 private:
  void add(int i, int j, double belief) { found_.push_back({i, j, static_cast<float>(belief)}); }

  void read_cells(const PairPosteriors& at) {
    for (size_t k = 0; k < at.cells.size(); ++k) {
      const double both = at.forward[k] * at.reverse[k];
      if (both >= threshold_) add(at.cells[k].source, at.cells[k].target, both);
    }
  }
  void read_way(PairPosteriors& at) {
    const bool ahead = reading_ == Reading::forward;
    const Lattice& lattice = ahead ? at.to_target : at.to_source;
    at.best_way(ahead ? 0 : 1, way_);
    for (int w = 0; w < lattice.words(); ++w) {
      const int slot = way_[static_cast<size_t>(w)];
      if (slot == kNone) continue;
      const int place = lattice.place(slot);
      add(ahead ? place : w, ahead ? w : place, lattice.posterior[static_cast<size_t>(slot)]);
    }
  }
  // Without a lattice the best way is each word's best cell, unless null is better.
  void read_best(const PairPosteriors& at) {
    const bool ahead = reading_ == Reading::forward;
    const std::vector<double>& belief = ahead ? at.forward : at.reverse;
    best_ = ahead ? at.target_null : at.source_null;
    way_.assign(best_.size(), kNone);
    for (size_t k = 0; k < at.cells.size(); ++k) {
      const auto w = static_cast<size_t>(ahead ? at.cells[k].target : at.cells[k].source);
      if (belief[k] > best_[w]) best_[w] = belief[k], way_[w] = static_cast<int>(k);
    }
    for (const int k : way_) {
      if (k == kNone) continue;
      const Cell& cell = at.cells[static_cast<size_t>(k)];
      add(cell.source, cell.target, belief[static_cast<size_t>(k)]);
    }
  }

  const Reading reading_;
  const double threshold_;
  std::vector<Link> found_;
  std::vector<int> way_;
  std::vector<double> best_;
};

// The links of sentence pairs [first, last).
inline Links decode(const Bitext& text, const Index& index, const Model& model, bool hmm, int64_t first, int64_t last,
                    int threads, Reading reading, double threshold, const Watch& watch) {
  const int64_t blocks = (last - first + kPairsPerBlock - 1) / kPairsPerBlock;
  std::vector<std::vector<Link>> parts(static_cast<size_t>(blocks));
  std::vector<int64_t> number(static_cast<size_t>(last - first), 0);
  std::vector<PairPosteriors> workers(static_cast<size_t>(threads), PairPosteriors(model, text, index));
  in_parallel(blocks, threads, watch, [&](int64_t block, int thread) {
    LinkReader reader(reading, threshold);
    std::vector<Link>& part = parts[static_cast<size_t>(block)];
    const int64_t begin = first + block * kPairsPerBlock;
    for (int64_t p = begin; p < std::min(begin + kPairsPerBlock, last); ++p) {
      const std::vector<Link>& found = reader.read(workers[static_cast<size_t>(thread)], p, hmm);
      part.insert(part.end(), found.begin(), found.end());
      number[static_cast<size_t>(p - first)] = static_cast<int64_t>(found.size());
    }
  });
  Links all{{0}, {}, {}, {}};
  for (const int64_t n : number) all.start.push_back(all.start.back() + n);
  for (const auto& part : parts)
    for (const Link& link : part)
      all.source.push_back(link.source), all.target.push_back(link.target), all.confidence.push_back(link.confidence);
  return all;
}

}  // namespace anaphor
