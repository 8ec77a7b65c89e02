// Which word pairs are worth a probability.
#pragma once

#include <utility>
#include <vector>

#include "bitext.hpp"
#include "parallel.hpp"

namespace anaphor {

// The different words of every sentence, ascending; sentence p has words start[p] .. start[p + 1].
struct Types {
  std::vector<int64_t> start;
  std::vector<int32_t> word;
};

inline Types types_of(const Text& text, int64_t sentences) {
  Types types{{0}, {}};
  types.start.reserve(static_cast<size_t>(sentences) + 1);
  types.word.reserve(static_cast<size_t>(text.start[sentences]));
  for (int64_t p = 0; p < sentences; ++p) {
    const auto first = static_cast<int64_t>(types.word.size());
    types.word.insert(types.word.end(), text.sentence(p), text.sentence(p) + text.length(p));
    std::sort(types.word.begin() + first, types.word.end());
    types.word.erase(std::unique(types.word.begin() + first, types.word.end()), types.word.end());
    types.start.push_back(static_cast<int64_t>(types.word.size()));
  }
  return types;
}

// For every word, the sentences it occurs in, each once, ascending.
struct Inverted {
  std::vector<int64_t> start;
  std::vector<int32_t> sentence;
};

// How many sentences have each word.
inline std::vector<float> occurrences(const Types& types, int32_t words) {
  std::vector<int32_t> number(static_cast<size_t>(words), 0);
  for (const int32_t word : types.word) ++number[static_cast<size_t>(word)];
  return {number.begin(), number.end()};
}

// Calls visit(word, p) for every sentence and each of its different words, in the order of sentences.
template <class Visit>
void visit_words(const Text& text, int64_t sentences, int32_t words, const Visit& visit) {
  std::vector<int64_t> last(static_cast<size_t>(words), -1);
  for (int64_t p = 0; p < sentences; ++p)
    for (int k = 0; k < text.length(p); ++k) {
      const auto word = static_cast<size_t>(text.sentence(p)[k]);
      if (std::exchange(last[word], p) != p) visit(word, p);
    }
}

// Straight from the text, for a list of all sentences' words beside it would be the largest thing in memory.
inline Inverted invert(const Text& text, int64_t sentences, int32_t words) {
  Inverted index{std::vector<int64_t>(static_cast<size_t>(words) + 1, 0), {}};
  visit_words(text, sentences, words, [&](size_t word, int64_t) { ++index.start[word + 1]; });
  for (size_t w = 0; w < static_cast<size_t>(words); ++w) index.start[w + 1] += index.start[w];
  index.sentence.resize(static_cast<size_t>(index.start.back()));
  std::vector<int64_t> next(index.start.begin(), index.start.end() - 1);
  visit_words(text, sentences, words, [&](size_t word, int64_t p) {
    index.sentence[static_cast<size_t>(next[word]++)] = static_cast<int32_t>(p);
  });
  return index;
}

struct Candidates {
  std::vector<int64_t> start;
  std::vector<int32_t> target;
  std::vector<float> dice;
};

struct CandidateOptions {
  float share;
  int most;
  int threads;
};

// Pairs that occur together often enough for how often each occurs: Dice = 2 c(s,t) / (c(s) + c(t)), counted
// in sentence pairs, is at least `share` of the best Dice of either word; and it is among the `most` best of s,
// or at least half the best of t. The rest would get next to no probability in training, and leaving them out
// at the start keeps table and time small.
class CandidateSearch {
 public:
  CandidateSearch(const Bitext& text, int64_t pairs, int32_t sources, int32_t targets, CandidateOptions options)
      : sources_(sources), targets_(targets), options_(options) {
    in_parallel(2, options.threads, {}, [&](int64_t side, int) {
      if (side == 0) {
        by_source_ = invert(text.source, pairs, sources);
      } else {
        types_ = types_of(text.target, pairs);
        of_target_ = occurrences(types_, targets);
      }
    });
  }

  Candidates run(const Watch& watch) {
    std::vector<float> best_of_source(static_cast<size_t>(sources_), 0.0F);
    std::vector<std::vector<float>> best(static_cast<size_t>(options_.threads),
                                         std::vector<float>(static_cast<size_t>(targets_), 0.0F));
    sweep([&](double share) { if (watch) watch(share / 2); }, [&](int32_t s, const Row& row, int thread) {
      for (const auto& [t, dice] : row) {
        float& of_s = best_of_source[static_cast<size_t>(s)];
        float& of_t = best[static_cast<size_t>(thread)][static_cast<size_t>(t)];
        of_s = std::max(of_s, dice), of_t = std::max(of_t, dice);
      }
    });
    for (size_t k = 1; k < best.size(); ++k)
      for (size_t t = 0; t < best[0].size(); ++t) best[0][t] = std::max(best[0][t], best[k][t]);
    std::vector<Row> rows(static_cast<size_t>(sources_));
    sweep([&](double share) { if (watch) watch(0.5 + share / 2); }, [&](int32_t s, Row& row, int) {
      rows[static_cast<size_t>(s)] = chosen(row, best_of_source[static_cast<size_t>(s)], best[0]);
    });
    return pack(rows);
  }

 private:
  static constexpr int32_t kWordsPerBlock = 64;
  using Row = std::vector<std::pair<int32_t, float>>;  // target words and the Dice of each

  // visit(s, row, thread) for every source word.
  template <class Visit>
  void sweep(const Watch& watch, const Visit& visit) {
    std::vector<std::vector<int32_t>> counts(static_cast<size_t>(options_.threads)), seen(counts);
    std::vector<Row> found(static_cast<size_t>(options_.threads));
    for (auto& count : counts) count.assign(static_cast<size_t>(targets_), 0);
    for (auto& met : seen) met.resize(static_cast<size_t>(targets_) + 1);
    in_parallel((sources_ + kWordsPerBlock - 1) / kWordsPerBlock, options_.threads, watch, [&](int64_t block, int thread) {
      auto& count = counts[static_cast<size_t>(thread)];
      auto& met = seen[static_cast<size_t>(thread)];
      Row& row = found[static_cast<size_t>(thread)];
      const auto first = static_cast<int32_t>(block * kWordsPerBlock);
      for (int32_t s = first; s < std::min(first + kWordsPerBlock, sources_); ++s) {
        const size_t number_met = count_beside(s, count, met);
        const auto of_s = static_cast<float>(by_source_.start[static_cast<size_t>(s) + 1] - by_source_.start[static_cast<size_t>(s)]);
        row.clear();
        for (size_t k = 0; k < number_met; ++k) {
          const int32_t t = met[k];
          const auto together = static_cast<float>(std::exchange(count[static_cast<size_t>(t)], 0));
          row.emplace_back(t, 2 * together / (of_s + of_target_[static_cast<size_t>(t)]));
        }
        visit(s, row, thread);
      }
    });
  }

  // Those of a row that are candidates, in order of the target word. The row is left in disorder.
  Row chosen(Row& row, float best_of_s, const std::vector<float>& best_of_target) const {
    const auto end = std::remove_if(row.begin(), row.end(), [&](const auto& pair) {
      return pair.second < options_.share * std::min(best_of_s, best_of_target[static_cast<size_t>(pair.first)]);
    });
    row.erase(end, row.end());
    float least = 0;
    if (row.size() > static_cast<size_t>(options_.most)) {
      const auto last = row.begin() + options_.most - 1;
      std::nth_element(row.begin(), last, row.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
      least = last->second;
    }
    Row kept;
    for (const auto& [t, dice] : row)
      if (dice >= least || 2 * dice >= best_of_target[static_cast<size_t>(t)]) kept.emplace_back(t, dice);
    std::sort(kept.begin(), kept.end());
    return kept;
  }

  // In how many sentence pairs each target word stands beside s; `met` begins with these words, and their number comes
  // back. Whether a word is met for the first time would be guessed wrong too often for a branch.
  size_t count_beside(int32_t s, std::vector<int32_t>& count, std::vector<int32_t>& met) const {
    size_t number_met = 0;
    for (auto k = by_source_.start[static_cast<size_t>(s)]; k < by_source_.start[static_cast<size_t>(s) + 1]; ++k) {
      const auto p = static_cast<size_t>(by_source_.sentence[static_cast<size_t>(k)]);
      for (int64_t j = types_.start[p]; j < types_.start[p + 1]; ++j) {
        const int32_t t = types_.word[static_cast<size_t>(j)];
        met[number_met] = t;
        number_met += count[static_cast<size_t>(t)]++ == 0 ? 1 : 0;
      }
    }
    return number_met;
  }

  Candidates pack(std::vector<Row>& rows) const {
    Candidates all{{0}, {}, {}};
    for (const auto& row : rows) all.start.push_back(all.start.back() + static_cast<int64_t>(row.size()));
    all.target.resize(static_cast<size_t>(all.start.back()));
    all.dice.resize(all.target.size());
    in_stretches(sources_, kWordsPerBlock, options_.threads, [&](int64_t first, int64_t last) {
      for (auto s = static_cast<size_t>(first); s < static_cast<size_t>(last); ++s) {
        auto at = static_cast<size_t>(all.start[s]);
        for (const auto& [target, dice] : rows[s]) all.target[at] = target, all.dice[at++] = dice;
        Row().swap(rows[s]);
      }
    });
    return all;
  }

  const int32_t sources_, targets_;
  const CandidateOptions options_;
  Inverted by_source_;
  Types types_;  // of the target sentences
  std::vector<float> of_target_;
};

}  // namespace anaphor
