// Which word pairs are worth a probability, where they occur, and the probabilities themselves.
#pragma once

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "bitext.hpp"
#include "parallel.hpp"

namespace anaphor {

// For every word, the sentences it occurs in, each once, ascending.
struct Inverted {
  std::vector<int64_t> start;
  std::vector<int32_t> sentence;
  int64_t count(int32_t word) const {
    return start[static_cast<size_t>(word) + 1] - start[static_cast<size_t>(word)];
  }
};

inline Inverted invert(const Text& text, int64_t sentences, int32_t words) {
  Inverted index{std::vector<int64_t>(static_cast<size_t>(words) + 1, 0), {}};
  std::vector<int64_t> last(static_cast<size_t>(words), -1);
  const auto each = [&](const auto& visit) {
    std::fill(last.begin(), last.end(), -1);
    for (int64_t p = 0; p < sentences; ++p)
      for (int i = 0; i < text.length(p); ++i) {
        const auto word = static_cast<size_t>(text.sentence(p)[i]);
        if (last[word] != p) last[word] = p, visit(word, p);
      }
  };
  each([&](size_t word, int64_t) { ++index.start[word + 1]; });
  for (size_t w = 0; w < static_cast<size_t>(words); ++w) index.start[w + 1] += index.start[w];
  index.sentence.resize(static_cast<size_t>(index.start.back()));
  std::vector<int64_t> next(index.start.begin(), index.start.end() - 1);
  each([&](size_t word, int64_t p) { index.sentence[static_cast<size_t>(next[word]++)] = static_cast<int32_t>(p); });
  return index;
}

// Pairs that occur together often enough for how often each occurs: Dice = 2 c(s,t) / (c(s) + c(t)), counted
// in sentence pairs, is at least `share` of the best Dice of either word. The rest would get next to no
// probability in training, and leaving them out at the start keeps table and time small.
struct Candidates {
  std::vector<int64_t> start;
  std::vector<int32_t> target;
  std::vector<float> dice;
};

class CandidateSearch {
 public:
  CandidateSearch(const Bitext& text, int64_t pairs, int32_t sources, int32_t targets, float share, int threads)
      : sources_(sources), targets_(targets), share_(share), threads_(threads),
        by_source_(invert(text.source, pairs, sources)), by_target_(invert(text.target, pairs, targets)),
        best_of_source_(static_cast<size_t>(sources), 0.0F) {
    for (int64_t p = 0; p < pairs; ++p) {
      std::vector<int32_t> words(text.target.sentence(p), text.target.sentence(p) + text.target.length(p));
      std::sort(words.begin(), words.end());
      types_.insert(types_.end(), words.begin(), std::unique(words.begin(), words.end()));
      types_start_.push_back(static_cast<int64_t>(types_.size()));
    }
  }

  Candidates run() {
    std::vector<std::vector<float>> best(static_cast<size_t>(threads_),
                                         std::vector<float>(static_cast<size_t>(targets_), 0.0F));
    sweep([&](int32_t s, int32_t t, float dice, int thread) {
      best_of_source_[static_cast<size_t>(s)] = std::max(best_of_source_[static_cast<size_t>(s)], dice);
      float& at = best[static_cast<size_t>(thread)][static_cast<size_t>(t)];
      at = std::max(at, dice);
    });
    for (size_t k = 1; k < best.size(); ++k)
      for (size_t t = 0; t < best[0].size(); ++t) best[0][t] = std::max(best[0][t], best[k][t]);
    std::vector<std::vector<std::pair<int32_t, float>>> rows(static_cast<size_t>(sources_));
    sweep([&](int32_t s, int32_t t, float dice, int) {
      if (dice >= share_ * std::min(best_of_source_[static_cast<size_t>(s)], best[0][static_cast<size_t>(t)]))
        rows[static_cast<size_t>(s)].emplace_back(t, dice);
    });
    return pack(rows);
  }

 private:
  static constexpr int32_t kWordsPerBlock = 64;

  // visit(s, t, dice, thread) for every pair that occurs together; one thread has all pairs of a word s.
  template <class Visit>
  void sweep(const Visit& visit) {
    std::vector<std::vector<int32_t>> counts(static_cast<size_t>(threads_)), seen(counts);
    for (auto& count : counts) count.assign(static_cast<size_t>(targets_), 0);
    in_parallel((sources_ + kWordsPerBlock - 1) / kWordsPerBlock, threads_, [&](int64_t block, int thread) {
      auto& count = counts[static_cast<size_t>(thread)];
      auto& met = seen[static_cast<size_t>(thread)];
      const auto first = static_cast<int32_t>(block * kWordsPerBlock);
      for (int32_t s = first; s < std::min(first + kWordsPerBlock, sources_); ++s) {
        count_beside(s, count, met);
        for (const int32_t t : met) {
          const auto together = static_cast<float>(std::exchange(count[static_cast<size_t>(t)], 0));
          const auto of_s = static_cast<float>(by_source_.count(s)), of_t = static_cast<float>(by_target_.count(t));
          visit(s, t, 2 * together / (of_s + of_t), thread);
        }
      }
    });
  }

  // In how many sentence pairs each target word stands beside s.
  void count_beside(int32_t s, std::vector<int32_t>& count, std::vector<int32_t>& met) const {
    met.clear();
    for (auto k = by_source_.start[static_cast<size_t>(s)]; k < by_source_.start[static_cast<size_t>(s) + 1]; ++k) {
      const int64_t p = by_source_.sentence[static_cast<size_t>(k)];
      for (int64_t j = types_start_[static_cast<size_t>(p)]; j < types_start_[static_cast<size_t>(p) + 1]; ++j) {
        const int32_t t = types_[static_cast<size_t>(j)];
        if (count[static_cast<size_t>(t)]++ == 0) met.push_back(t);
      }
    }
  }

  static Candidates pack(std::vector<std::vector<std::pair<int32_t, float>>>& rows) {
    Candidates all{{0}, {}, {}};
    for (auto& row : rows) {
      std::sort(row.begin(), row.end());
      for (const auto& [target, dice] : row) all.target.push_back(target), all.dice.push_back(dice);
      all.start.push_back(static_cast<int64_t>(all.target.size()));
      std::vector<std::pair<int32_t, float>>().swap(row);
    }
    return all;
  }

  const int32_t sources_, targets_;
  const float share_;
  const int threads_;
  const Inverted by_source_, by_target_;
  std::vector<float> best_of_source_;
  std::vector<int32_t> types_;  // the different words of every target sentence
  std::vector<int64_t> types_start_{0};
};

// From a word pair to its entry in the rows: open addressing with linear probing, at most half full. A slot
// holds 32 bits of the hash and the entry; the entry's target word and row decide.
class Index {
 public:
  explicit Index(const Rows& rows) : rows_(rows) {
    size_t slots = 16;
    while (slots < 2 * static_cast<size_t>(rows.size())) slots *= 2;
    slots_.assign(slots, Slot{0, -1});
    for (int32_t s = 0; s < rows.sources; ++s)
      for (int64_t entry = rows.start[s]; entry < rows.start[s + 1]; ++entry) insert(s, entry);
  }

  // The entry of a pair, or -1.
  int32_t find(int32_t s, int32_t t) const {
    const uint64_t hash = mix(s, t);
    for (size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot slot = slots_[at];
      if (slot.entry < 0) return -1;
      if (slot.tag == static_cast<uint32_t>(hash >> 32) && rows_.target[slot.entry] == t &&
          rows_.start[s] <= slot.entry && slot.entry < rows_.start[s + 1])
        return slot.entry;
    }
  }
  // Has the memory that `find` will look at fetched ahead: most of its time would be waiting.
  void prepare(int32_t s, int32_t t) const {
#if defined(__GNUC__)
    __builtin_prefetch(&slots_[mix(s, t) & (slots_.size() - 1)]);
#else
    (void)s, (void)t;
#endif
  }
  int32_t sources() const { return rows_.sources; }

 private:
  struct Slot {
    uint32_t tag;
    int32_t entry;
  };

  static uint64_t mix(int32_t s, int32_t t) {
    const uint64_t key = (static_cast<uint64_t>(static_cast<uint32_t>(s)) << 32) | static_cast<uint32_t>(t);
    const uint64_t x = key * 0x9E3779B97F4A7C15U;
    return x ^ (x >> 29);
  }
  void insert(int32_t s, int64_t entry) {
    const uint64_t hash = mix(s, rows_.target[entry]);
    size_t at = hash & (slots_.size() - 1);
    while (slots_[at].entry >= 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = Slot{static_cast<uint32_t>(hash >> 32), static_cast<int32_t>(entry)};
  }

  const Rows rows_;
  std::vector<Slot> slots_;
};

struct FoundHits {
  std::vector<int64_t> start;
  std::vector<uint16_t> source, target;
  std::vector<int32_t> entry;
};

// The hits of sentence pairs [first, last).
inline FoundHits find_hits(const Index& index, const Bitext& text, int64_t first, int64_t last, int threads) {
  constexpr int64_t kPairsPerBlock = 256;
  const int64_t blocks = (last - first + kPairsPerBlock - 1) / kPairsPerBlock;
  std::vector<FoundHits> parts(static_cast<size_t>(blocks));
  in_parallel(blocks, threads, [&](int64_t block, int) {
    FoundHits& part = parts[static_cast<size_t>(block)];
    const int64_t begin = first + block * kPairsPerBlock;
    for (int64_t p = begin; p < std::min(begin + kPairsPerBlock, last); ++p) {
      const int32_t* source = text.source.sentence(p);
      const int32_t* target = text.target.sentence(p);
      const int rows = std::min(text.source.length(p), kFarthest);
      for (int j = 0; j < std::min(text.target.length(p), kFarthest); ++j) {
        for (int i = 0; i < rows; ++i) index.prepare(source[i], target[j]);
        for (int i = 0; i < rows; ++i) {
          const int32_t entry = source[i] < index.sources() ? index.find(source[i], target[j]) : -1;
          if (entry < 0) continue;
          part.source.push_back(static_cast<uint16_t>(i));
          part.target.push_back(static_cast<uint16_t>(j));
          part.entry.push_back(entry);
        }
      }
      part.start.push_back(static_cast<int64_t>(part.entry.size()));
    }
  });
  FoundHits all{{0}, {}, {}, {}};
  size_t size = 0;
  for (const FoundHits& part : parts) size += part.entry.size();
  all.source.reserve(size), all.target.reserve(size), all.entry.reserve(size);
  for (FoundHits& part : parts) {
    const auto base = static_cast<int64_t>(all.entry.size());
    for (const int64_t end : part.start) all.start.push_back(base + end);
    all.source.insert(all.source.end(), part.source.begin(), part.source.end());
    all.target.insert(all.target.end(), part.target.begin(), part.target.end());
    all.entry.insert(all.entry.end(), part.entry.begin(), part.entry.end());
    part = FoundHits{};
  }
  return all;
}

// exp(digamma(x)): the weight of a count x in the mean-field approximation of a Dirichlet posterior. It is
// near x - 1/2 for large x and falls to nothing for small x, so that rare chance pairs fade away.
inline double exp_digamma(double x) {
  double shift = 0;
  for (; x < 6; ++x) shift += 1 / x;
  const double inverse = 1 / (x * x);
  const double series = inverse * (1.0 / 12 - inverse * (1.0 / 120 - inverse * (1.0 / 252)));
  return std::exp(std::log(x) - 0.5 / x - series - shift);
}

// p(t | s) and p(s | t) of every entry, side by side, from expected counts (also side by side) and prior
// pseudo-counts. With c(s,t) = count + prior,
//
//   p(t | s) = f(c(s,t) + alpha) / f(sum over t of c(s,t) + alpha),    f = exp(digamma).
//
// The total has one alpha, not one per entry: a word's share does not shrink because it was seen with many.
inline void maximise(const Rows& rows, int32_t targets, const Count* counts, const float* prior, double alpha,
                     int threads, float* tables) {
  std::vector<double> of_source(static_cast<size_t>(rows.sources)), of_target(static_cast<size_t>(targets));
  const auto mass = [&](int64_t entry, int side) {
    return from_count(counts[2 * entry + side]) + static_cast<double>(prior[entry]);
  };
  for (int32_t s = 0; s < rows.sources; ++s)
    for (int64_t entry = rows.start[s]; entry < rows.start[s + 1]; ++entry) {
      of_source[static_cast<size_t>(s)] += mass(entry, 0);
      of_target[static_cast<size_t>(rows.target[entry])] += mass(entry, 1);
    }
  for (auto* totals : {&of_source, &of_target})
    for (double& sum : *totals) sum = 1 / exp_digamma(sum + alpha);
  constexpr int32_t kWordsPerBlock = 256;
  in_parallel((rows.sources + kWordsPerBlock - 1) / kWordsPerBlock, threads, [&](int64_t block, int) {
    const auto first = static_cast<int32_t>(block * kWordsPerBlock);
    for (int32_t s = first; s < std::min(first + kWordsPerBlock, rows.sources); ++s)
      for (int64_t entry = rows.start[s]; entry < rows.start[s + 1]; ++entry) {
        const auto t = static_cast<size_t>(rows.target[entry]);
        tables[2 * entry] =
            static_cast<float>(exp_digamma(mass(entry, 0) + alpha) * of_source[static_cast<size_t>(s)]);
        tables[2 * entry + 1] = static_cast<float>(exp_digamma(mass(entry, 1) + alpha) * of_target[t]);
      }
  });
}

// Word forms as bytes, form w at bytes[start[w]] .. bytes[start[w + 1]].
struct Forms {
  const char* bytes;
  const int64_t* start;
  int64_t length(int32_t w) const { return start[w + 1] - start[w]; }
  const char* form(int32_t w) const { return bytes + start[w]; }
};

// How much two forms look alike: 1 for the same form, the shared beginning as a share of the longer form
// where it has at least four bytes and half the form, else 0.
inline float likeness(const Forms& a, int32_t s, const Forms& b, int32_t t) {
  const int64_t longer = std::max(a.length(s), b.length(t)), shorter = std::min(a.length(s), b.length(t));
  int64_t shared = 0;
  while (shared < shorter && a.form(s)[shared] == b.form(t)[shared]) ++shared;
  if (shared == longer) return 1;
  return shared >= 4 && 2 * shared >= longer ? static_cast<float>(shared) / static_cast<float>(longer) : 0.0F;
}

}  // namespace anaphor
