// What is done with the posteriors of all sentence pairs: counting for the next model, and reading links.
#pragma once

#include <optional>

#include "pair.hpp"

namespace anaphor {

// How many sentence pairs are worked on together, at most; see in_blocks.
constexpr int64_t kPositionBlock = 1024, kHmmBlock = 512;
// How many cells of a block are found together, at most, unless one pair has more; see in_parts.
constexpr int64_t kMostCells = int64_t{1} << 22;

struct PassOptions {
  bool hmm = true;          // false: the position model for all pairs
  bool agree = true;        // counts are the product of the two directions' posteriors
  int64_t jump_stride = 1;  // every how many-th pair counts jumps
  int threads = 1;
};

// Adds what one pair is expected to count.
inline void count_pair(PairPosteriors& at, const Bitext& text, int64_t p, int64_t jump_stride, const PassCounters& counts) {
  if (!at.open(p)) return;
  if (!at.fits_lattice()) {
    at.position_model();
  } else if (p % jump_stride != 0) {
    at.hidden_markov(nullptr, nullptr);
  } else {
    double jumps[2][kJumps] = {};
    at.hidden_markov(jumps[0], jumps[1]);
    for (int side = 0; side < 2; ++side)
      for (int d = 0; d < kJumps; ++d) counts.jumps[side][d] += to_count(jumps[side][d]);
  }
  for (size_t k = 0; k < at.cells.size(); ++k)
    if (at.cells[k].entry != kNoEntry) counts.add_link(at.cells[k].entry, at.forward[k], at.reverse[k]);
  counts.add_null(text.source.sentence(p), at.source_null.data(), at.rows(), counts.source_null);
  counts.add_null(text.target.sentence(p), at.target_null.data(), at.columns(), counts.target_null);
}

// Calls work(first, last, thread) for blocks of sentence pairs: large ones, for a row of the table is spread once for each
// block, but no fewer than threads can share.
template <class Work>
void in_blocks(int64_t first, int64_t last, int64_t most, int threads, const Watch& watch, const Work& work) {
  const int64_t block = std::clamp<int64_t>((last - first) / (8 * threads), 16, most);
  in_parallel((last - first + block - 1) / block, threads, watch, [&](int64_t number, int thread) {
    work(first + number * block, std::min(first + (number + 1) * block, last), thread);
  });
}

// Calls work(first, last) for parts of a block whose cells fit into a few tens of megabytes, or for single pairs: a block
// of long sentences would need gigabytes.
template <class Work>
void in_parts(const Bitext& text, int64_t first, int64_t last, const Work& work) {
  int64_t begin = first, cells = 0;
  for (int64_t p = first; p < last; ++p) {
    const int64_t here = static_cast<int64_t>(text.source.length(p)) * std::min(text.target.length(p), 2 * kLongest + 1);
    if (p > begin && cells + here > kMostCells) work(begin, p), begin = p, cells = 0;
    cells += here;
  }
  work(begin, last);
}

// The expected counts of the first `pairs` sentence pairs, in Count units; PassCounters has their order.
//
// Agreement (Liang et al. 2006): a link counts as much as both directions believe in it, so that each learns
// from the other and neither collects garbage in rare words.
inline std::vector<Count> expect(const Bitext& text, int64_t pairs, const Rows& rows, const Model& model,
                                 const PassOptions& options, const Sizes& sizes, const Watch& watch) {
  ThreadCounts counts(options.threads, PassCounters::size(sizes, options.agree));
  std::vector<std::optional<PairPosteriors>> readers(static_cast<size_t>(options.threads));
  std::vector<std::optional<PositionCounter>> counters(readers.size());
  in_blocks(0, pairs, options.hmm ? kHmmBlock : kPositionBlock, options.threads, watch, [&](int64_t first, int64_t last, int thread) {
    const PassCounters at(counts.of(thread), sizes, options.agree);
    auto& reader = readers[static_cast<size_t>(thread)];
    auto& counter = counters[static_cast<size_t>(thread)];
    if (!options.hmm) {
      if (!counter) counter.emplace(text, rows, model, at, sizes.targets);
      return in_parts(text, first, last, [&](int64_t begin, int64_t end) { counter->count(begin, end); });
    }
    if (!reader) reader.emplace(model, text, rows, sizes.targets);
    in_parts(text, first, last, [&](int64_t begin, int64_t end) {
      reader->open_block(begin, end);
      for (int64_t p = begin; p < end; ++p) count_pair(*reader, text, p, options.jump_stride, at);
    });
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
      const int place = lattice.place[static_cast<size_t>(slot)];
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

// The links of sentence pairs [first, last); every target word of the text and of the rows is below `targets`.
inline Links decode(const Bitext& text, const Rows& rows, const Model& model, size_t targets, bool hmm, int64_t first,
                    int64_t last, int threads, Reading reading, double threshold, const Watch& watch) {
  std::vector<std::vector<Link>> parts(static_cast<size_t>(last - first));
  std::vector<std::optional<PairPosteriors>> readers(static_cast<size_t>(threads));
  in_blocks(first, last, kHmmBlock, threads, watch, [&](int64_t begin, int64_t end, int thread) {
    auto& at = readers[static_cast<size_t>(thread)];
    if (!at) at.emplace(model, text, rows, targets);
    LinkReader reader(reading, threshold);
    in_parts(text, begin, end, [&](int64_t from, int64_t to) {
      at->open_block(from, to);
      for (int64_t p = from; p < to; ++p) parts[static_cast<size_t>(p - first)] = reader.read(*at, p, hmm);
    });
  });
  Links all{{0}, {}, {}, {}};
  for (const auto& part : parts) all.start.push_back(all.start.back() + static_cast<int64_t>(part.size()));
  for (const auto& part : parts)
    for (const Link& link : part)
      all.source.push_back(link.source), all.target.push_back(link.target), all.confidence.push_back(link.confidence);
  return all;
}

}  // namespace anaphor
