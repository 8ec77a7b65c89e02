// Where word pairs of the table occur, and their probabilities.
#pragma once

#include <cmath>
#include <vector>

#include "bitext.hpp"
#include "parallel.hpp"

namespace anaphor {

// From a word pair to its entry in the rows. Every source word has a little hash table of its own, so that all
// words of a target sentence are looked up in the same few cache lines; and before that in 64 bits, which show
// that most of them are not there. Slots come in buckets of four that are compared all at once; only a full
// bucket, which is rare, leads on to the next.
class Index {
 public:
  Index(const Rows& rows, int threads) : words_(static_cast<size_t>(rows.sources)) {
    size_t size = 0;
    for (int32_t s = 0; s < rows.sources; ++s) {
      size_t buckets = 1;
      while (2 * buckets <= static_cast<size_t>(rows.start[s + 1] - rows.start[s])) buckets *= 2;
      words_[static_cast<size_t>(s)] = {size, static_cast<uint32_t>(buckets - 1), 0};
      size += buckets;
    }
    buckets_.assign(size, Bucket{});
    in_stretches(rows.sources, 512, threads, [&](int64_t first, int64_t last) {
      for (int64_t s = first; s < last; ++s)
        for (int64_t entry = rows.start[s]; entry < rows.start[s + 1]; ++entry)
          insert(words_[static_cast<size_t>(s)], rows.target[entry], static_cast<int32_t>(entry));
    });
  }

  // What find() needs besides, kept by each thread so that nothing is allocated in the loop.
  struct Scratch {
    std::vector<uint32_t> hash;   // of each target word
    std::vector<int> maybe;       // places worth a look
    std::vector<char> known;      // whether the table has it with a word of the source sentence
    std::vector<Cell> with_lonely;
  };

  // The cells of a sentence pair that can be linked, by source place, then target place: those whose words
  // are in the table, and those of two words that are there with no word of the other sentence.
  void find(const Bitext& text, int64_t p, std::vector<Cell>& cells, Scratch& scratch) const {
    const int rows = text.source.length(p), columns = text.target.length(p);
    const int32_t *source = text.source.sentence(p), *target = text.target.sentence(p);
    scratch.hash.resize(static_cast<size_t>(columns)), scratch.maybe.resize(static_cast<size_t>(columns) + 1);
    scratch.known.assign(static_cast<size_t>(columns), 0);
    for (int j = 0; j < columns; ++j) scratch.hash[static_cast<size_t>(j)] = mix(target[j]);
    bool lonely = false;
    cells.clear();
    for (int i = 0; i < rows; ++i) {
      const size_t before = cells.size();
      if (static_cast<size_t>(source[i]) < words_.size())
        find_beside(words_[static_cast<size_t>(source[i])], i, near(i, rows, columns), target, cells, scratch);
      lonely = lonely || before == cells.size();
    }
    if (lonely) add_lonely(rows, columns, cells, scratch);
  }

 private:
  struct Bucket {
    int32_t target[4] = {-1, -1, -1, -1}, entry[4] = {kNoEntry, kNoEntry, kNoEntry, kNoEntry};
  };
  struct Word {
    size_t first;   // bucket
    uint32_t mask;  // number of buckets - 1
    uint64_t seen;  // a bit for every hash of its targets
  };

  // The cells of source place i. First the 64 bits are asked, then the table; both without branches that
  // depend on the answer, for these would be guessed wrong too often.
  void find_beside(const Word& word, int i, std::pair<int, int> range, const int32_t* target, std::vector<Cell>& cells,
                   Scratch& scratch) const {
    int* const maybe = scratch.maybe.data();
    int suspects = 0;
    for (int j = range.first; j < range.second; ++j) {
      maybe[suspects] = j;
      suspects += static_cast<int>(word.seen >> (scratch.hash[static_cast<size_t>(j)] & 63) & 1);
    }
    for (int k = 0; k < suspects; ++k) 
      prefetch(&buckets_[word.first + (scratch.hash[static_cast<size_t>(maybe[k])] >> 6 & word.mask)]);
    size_t found = cells.size();
    cells.resize(found + static_cast<size_t>(suspects));
    for (int k = 0; k < suspects; ++k) {
      const int j = maybe[k];
      const int32_t entry = look_up(word, scratch.hash[static_cast<size_t>(j)], target[j]);
      cells[found] = {i, j, entry};
      found += entry != kNoEntry ? 1 : 0;
      scratch.known[static_cast<size_t>(j)] |= static_cast<char>(entry != kNoEntry);
    }
    cells.resize(found);
  }
  static void add_lonely(int rows, int columns, std::vector<Cell>& cells, Scratch& scratch) {
    std::vector<Cell>& all = scratch.with_lonely;
    all.clear();
    auto next = cells.begin();
    for (int i = 0; i < rows; ++i) {
      const auto begin = next;
      while (next != cells.end() && next->source == i) ++next;
      all.insert(all.end(), begin, next);
      if (begin != next) continue;
      const auto [first, last] = near(i, rows, columns);
      for (int j = first; j < last; ++j)
        if (scratch.known[static_cast<size_t>(j)] == 0) all.push_back({i, j, kNoEntry});
    }
    cells.swap(all);
  }
  // The target places [first, last) within kLongest of where the diagonal passes source place i.
  static std::pair<int, int> near(int i, int rows, int columns) {
    if (columns <= kLongest) return {0, columns};
    const auto middle = static_cast<int>(static_cast<int64_t>(i) * columns / rows);
    return {std::max(middle - kLongest, 0), std::min(middle + kLongest + 1, columns)};
  }
  static uint32_t mix(int32_t t) {
    const uint32_t x = static_cast<uint32_t>(t) * 0x9E3779B1U;
    return x ^ (x >> 15);
  }
  int32_t look_up(const Word& word, uint32_t hash, int32_t t) const {
    for (uint32_t at = hash >> 6;; ++at) {
      const Bucket& bucket = buckets_[word.first + (at & word.mask)];
      int32_t entry = kNoEntry;
      for (int slot = 0; slot < 4; ++slot) entry = bucket.target[slot] == t ? bucket.entry[slot] : entry;
      if (entry != kNoEntry || bucket.target[3] < 0) return entry;
    }
  }
  void insert(Word& word, int32_t t, int32_t entry) {
    const uint32_t hash = mix(t);
    word.seen |= uint64_t{1} << (hash & 63);
    for (uint32_t at = hash >> 6;; ++at) {
      Bucket& bucket = buckets_[word.first + (at & word.mask)];
      for (int slot = 0; slot < 4; ++slot)
        if (bucket.target[slot] < 0) {
          bucket.target[slot] = t, bucket.entry[slot] = entry;
          return;
        }
    }
  }

  std::vector<Word> words_;
  std::vector<Bucket> buckets_;
};

// exp(digamma(x)): the weight of a count x in the mean-field approximation of a Dirichlet posterior. It is
// near x - 1/2 for large x and falls to nothing for small x, so that rare chance pairs fade away.
inline double exp_digamma(double x) {
  double shift = 0;
  for (; x < 6; ++x) shift += 1 / x;
  const double inverse = 1 / (x * x);
  const double series = inverse * (1.0 / 12 - inverse * (1.0 / 120 - inverse * (1.0 / 252)));
  return std::exp(std::log(x) - 0.5 / x - series - shift);
}

// p(t | s) and p(s | t) of every entry, side by side, from the expected counts of the two directions and
// prior pseudo-counts. With c(s,t) = count + prior,
//
//   p(t | s) = f(c(s,t) + alpha) / f(sum over t of c(s,t) + alpha),    f = exp(digamma).
//
// The total has one alpha, not one per entry: a word's share does not shrink because it was seen with many.
inline void maximise(const Rows& rows, int32_t targets, const Count* forward, const Count* reverse,
                     const float* prior, double alpha, int threads, float* tables) {
  std::vector<double> of_source(static_cast<size_t>(rows.sources)), of_target(static_cast<size_t>(targets));
  const auto mass = [&](const Count* counts, int64_t entry) {
    return from_count(counts[entry]) + static_cast<double>(prior[entry]);
  };
  for (int32_t s = 0; s < rows.sources; ++s)
    for (int64_t entry = rows.start[s]; entry < rows.start[s + 1]; ++entry) {
      of_source[static_cast<size_t>(s)] += mass(forward, entry);
      of_target[static_cast<size_t>(rows.target[entry])] += mass(reverse, entry);
    }
  for (auto* totals : {&of_source, &of_target})
    for (double& sum : *totals) sum = 1 / exp_digamma(sum + alpha);
  in_stretches(rows.sources, 256, threads, [&](int64_t first, int64_t last) {
    for (int64_t s = first; s < last; ++s)
      for (int64_t entry = rows.start[s]; entry < rows.start[s + 1]; ++entry) {
        const double f = exp_digamma(mass(forward, entry) + alpha);
        const double r = forward == reverse ? f : exp_digamma(mass(reverse, entry) + alpha);
        tables[2 * entry] = static_cast<float>(f * of_source[static_cast<size_t>(s)]);
        tables[2 * entry + 1] = static_cast<float>(r * of_target[static_cast<size_t>(rows.target[entry])]);
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
