// The core's own tests, without Python, to be run under sanitizers (native/tests/sanitize.sh).
#include <cstdio>
#include <random>

#include "../candidates.hpp"
#include "../lexicon.hpp"
#include "../passes.hpp"
#include "../cooccurrence.hpp"
#include "check.hpp"

namespace {

using namespace anaphor;

struct Side {
  std::vector<int32_t> words;
  std::vector<int64_t> start{0};
  void add(int length, int32_t vocabulary, std::mt19937& random) {
    for (int i = 0; i < length; ++i) words.push_back(static_cast<int32_t>(random() % static_cast<unsigned>(vocabulary)));
    start.push_back(static_cast<int64_t>(words.size()));
  }
  Text view() const { return {words.data(), start.data()}; }
};

void check_links(const Links& links, const std::vector<std::pair<int, int>>& lengths) {
  check(links.start.size() == lengths.size() + 1, "every pair has its links");
  for (size_t p = 0; p < lengths.size(); ++p)
    for (auto k = static_cast<size_t>(links.start[p]); k < static_cast<size_t>(links.start[p + 1]); ++k) {
      check(links.source[k] < lengths[p].first && links.target[k] < lengths[p].second, "links stay inside");
      check(links.confidence[k] >= 0 && links.confidence[k] <= 1.001F, "belief is a probability");
    }
}

// Words side by side, counted in two halves and in ranges of source words, are those of all sentences at once.
void count_together(const Bitext& text, int64_t pairs, int32_t vocabulary) {
  const Types source = types_of(text.source, pairs), target = types_of(text.target, pairs);
  const Bitext types{{source.word.data(), source.start.data()}, {target.word.data(), target.start.data()}};
  const int64_t half = pairs / 2;
  const Bitext rest{{types.source.words, types.source.start + half}, {types.target.words, types.target.start + half}};
  int64_t cells = 0;
  for (int64_t p = 0; p < pairs; ++p) cells += int64_t{types.source.length(p)} * types.target.length(p);
  for (const int threads : {1, 3}) {
    for (int32_t first = 0; first < vocabulary; first += (vocabulary + 2) / 3) {
      const int32_t last = std::min(first + (vocabulary + 2) / 3, vocabulary);
      CooccurrenceCounter whole(first, last, vocabulary), halves(first, last, vocabulary);
      whole.add(types, pairs, threads);
      halves.add(types, half, threads), halves.add(rest, pairs - half, threads);
      const CooccurrenceRows one = whole.rows(), other = halves.rows();
      check(one.start == other.start && one.target == other.target && one.count == other.count, "halves make a whole");
      for (const int32_t count : one.count) cells -= threads == 1 ? count : 0;
    }
  }
  check(cells == 0, "every word beside another is counted");
}

// A corpus of random lengths, run through every stage with one and with three threads.
void run_corpus(const std::vector<std::pair<int, int>>& lengths, int32_t vocabulary, unsigned seed) {
  std::mt19937 random(seed);
  Side source, target;
  for (const auto& [rows, columns] : lengths) source.add(rows, vocabulary, random), target.add(columns, vocabulary, random);
  const Bitext text{source.view(), target.view()};
  const auto pairs = static_cast<int64_t>(lengths.size());
  count_together(text, pairs, vocabulary);
  const Candidates found = CandidateSearch(text, pairs, vocabulary, vocabulary, {0.05F, 20, 2}).run({});
  const Rows rows{found.start.data(), found.target.data(), vocabulary};
  const auto size = static_cast<size_t>(rows.size());
  const std::vector<float> unigram(static_cast<size_t>(vocabulary), 1.0F / static_cast<float>(vocabulary));
  const std::vector<float> jumps(kJumps, 1.0F / kJumps), prior(size, 0.5F);
  std::vector<float> tables(2 * size, 0.1F);
  for (const bool hmm : {false, true})
    for (const bool agree : {false, true}) {
      const Model model{tables.data(), unigram.data(), unigram.data(), unigram.data(), unigram.data(),
                        Jumps(jumps.data()), Jumps(jumps.data()), 0.05, 0.01, 4.0};
      std::vector<std::vector<Count>> results;
      for (const int threads : {1, 3}) {
        const Sizes sizes{size, unigram.size(), unigram.size()};
        results.push_back(expect(text, pairs, rows, model, {hmm, agree, 2, threads}, sizes, {}));
        for (const Count count : results.back()) check(count >= 0, "no count is negative");
        for (const Reading reading : {Reading::joint, Reading::forward, Reading::reverse})
          check_links(decode(text, rows, model, unigram.size(), hmm, 0, pairs, threads, reading, 0.1, {}), lengths);
      }
      check(results[0] == results[1], "counts do not depend on threads");
      const Count* forward = results[0].data();
      maximise(rows, vocabulary, forward, agree ? forward : forward + size, prior.data(), 0.1, 2, tables.data());
      for (const float p : tables) check(p >= 0 && p <= 1.001F, "a table holds probabilities");
    }
}

// An exception from the watch comes out in the caller's thread, and the work stops long before its end.
void stop_at_once() {
  std::atomic<int> done{0};
  bool stopped = false;
  try {
    in_parallel(10000, 3, [](double) { throw 1; }, [&](int64_t, int) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++done;
    });
  } catch (int) {
    stopped = true;
  }
  check(stopped && done < 5000, "an exception from the watch stops all threads");
}

}  // namespace

int main() {
  run_corpus({}, 3, 1);
  run_corpus({{0, 0}, {0, 5}, {5, 0}}, 3, 2);
  run_corpus({{1, 1}}, 1, 3);
  run_corpus({{10000, 300}, {1, 1}, {200, 201}}, 1500, 4);
  run_corpus({{3000, 3000}, {40, 40}}, 1, 5);
  for (unsigned seed = 10; seed < 30; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::pair<int, int>> lengths;
    for (unsigned p = 0; p < 1 + random() % 90; ++p)
      lengths.emplace_back(random() % 50, random() % 50);
    run_corpus(lengths, static_cast<int32_t>(1 + random() % 100), seed);
  }
  stop_at_once();
  check(std::abs(exp_digamma(1.0) - 0.5614594835668851) < 1e-7, "exp(digamma(1)) = exp(-Euler's constant)");
  std::puts("all held");
  return 0;
}
