// The core's own tests, without Python, to be run under sanitizers (native/tests/sanitize.sh).
#include <cstdio>
#include <cstdlib>
#include <random>

#include "../lexicon.hpp"
#include "../pair.hpp"

namespace {

using namespace anaphor;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::exit(1);
}

struct Side {
  std::vector<int32_t> words;
  std::vector<int64_t> start{0};
  void add(int length, int32_t vocabulary, std::mt19937& random) {
    for (int i = 0; i < length; ++i) words.push_back(static_cast<int32_t>(random() % static_cast<unsigned>(vocabulary)));
    start.push_back(static_cast<int64_t>(words.size()));
  }
  Text view() const { return {words.data(), start.data()}; }
};

// A corpus of random lengths, run through every stage with one and with three threads.
void run_corpus(const std::vector<std::pair<int, int>>& lengths, int32_t vocabulary, unsigned seed) {
  std::mt19937 random(seed);
  Side source, target;
  for (const auto& [rows, columns] : lengths) source.add(rows, vocabulary, random), target.add(columns, vocabulary, random);
  const Bitext text{source.view(), target.view()};
  const auto pairs = static_cast<int64_t>(lengths.size());
  const Candidates found = CandidateSearch(text, pairs, vocabulary, vocabulary, 0.05F, 2).run();
  const Rows rows{found.start.data(), found.target.data(), vocabulary};
  const auto size = static_cast<size_t>(rows.size());
  const Index index(rows);
  const FoundHits hits = find_hits(index, text, 0, pairs, 2);
  check(hits.start.size() == lengths.size() + 1, "every pair has its hits");
  const Hits view{hits.start.data(), hits.source.data(), hits.target.data(), hits.entry.data()};
  const std::vector<float> unigram(static_cast<size_t>(vocabulary), 1.0F / static_cast<float>(vocabulary));
  const std::vector<float> jumps(kJumps, 1.0F / kJumps), prior(size, 0.5F);
  std::vector<float> tables(2 * size, 0.1F);
  for (const bool hmm : {false, true}) {
    const Model model{tables.data(), unigram.data(), unigram.data(), unigram.data(), unigram.data(),
                      Jumps(jumps.data()), Jumps(jumps.data()), 0.05F, 0.01F, 4.0F};
    std::vector<std::vector<Count>> results;
    for (const int threads : {1, 3}) {
      std::vector<Count> entries(2 * size), source_null(unigram.size()), target_null(unigram.size());
      std::vector<Count> ahead(kJumps), back(kJumps);
      PassOptions options;
      options.hmm = hmm, options.jump_stride = 2, options.last = pairs, options.threads = threads;
      expect(text, view, model, options, {size, unigram.size(), unigram.size()},
             {entries.data(), source_null.data(), target_null.data(), ahead.data(), back.data()});
      for (const Reading reading : {Reading::joint, Reading::forward, Reading::reverse}) {
        const Links links = decode(text, view, model, options, reading, 0.1F);
        check(links.start.size() == lengths.size() + 1, "every pair has its links");
        for (const float belief : links.confidence) check(belief >= 0 && belief <= 1.001F, "belief is a probability");
      }
      for (const Count count : entries) check(count >= 0, "no count is negative");
      results.push_back(entries);
    }
    check(results[0] == results[1], "counts do not depend on threads");
    maximise(rows, vocabulary, results[0].data(), prior.data(), 0.1, 2, tables.data());
    for (const float p : tables) check(p >= 0 && p <= 1.001F, "a table holds probabilities");
  }
}

}  // namespace

int main() {
  run_corpus({}, 3, 1);
  run_corpus({{0, 0}, {0, 5}, {5, 0}}, 3, 2);
  run_corpus({{1, 1}}, 1, 3);
  run_corpus({{10000, 300}, {1, 1}, {200, 201}}, 1500, 4);
  for (unsigned seed = 10; seed < 30; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::pair<int, int>> lengths;
    for (unsigned p = 0; p < 1 + random() % 90; ++p)
      lengths.emplace_back(random() % 50, random() % 50);
    run_corpus(lengths, static_cast<int32_t>(1 + random() % 100), seed);
  }
  check(std::abs(exp_digamma(1.0) - 0.5614594835668851) < 1e-7, "exp(digamma(1)) = exp(-Euler's constant)");
  std::puts("all held");
  return 0;
}
