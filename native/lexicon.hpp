// The probabilities of word pairs.
#pragma once

#include <cmath>
#include <vector>

#include "bitext.hpp"
#include "parallel.hpp"

namespace anaphor {

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

// For every entry the sum of the counts of all entries between the same two families of words. Families of source words
// are taken one after the other; each is summed in an array with a place for every family of target words.
inline std::vector<double> sum_families(const Rows& rows, const int64_t* source_family, size_t source_families,
                                        const int64_t* target_family, size_t target_families, const double* count) {
  std::vector<int32_t> start(source_families + 2, 0), word(static_cast<size_t>(rows.sources));
  for (int32_t s = 0; s < rows.sources; ++s) ++start[static_cast<size_t>(source_family[s]) + 2];
  for (size_t f = 2; f < start.size(); ++f) start[f] += start[f - 1];
  for (int32_t s = 0; s < rows.sources; ++s) word[static_cast<size_t>(start[static_cast<size_t>(source_family[s]) + 1]++)] = s;
  std::vector<double> sums(target_families, 0.0), found(static_cast<size_t>(rows.size()));
  for (size_t f = 0; f < source_families; ++f) {
    const auto visit = [&](const auto& use) {
      for (int32_t k = start[f]; k < start[f + 1]; ++k) {
        const int32_t s = word[static_cast<size_t>(k)];
        for (int64_t entry = rows.start[s]; entry < rows.start[s + 1]; ++entry)
          use(static_cast<size_t>(entry), sums[static_cast<size_t>(target_family[rows.target[entry]])]);
      }
    };
    visit([&](size_t entry, double& sum) { sum += count[entry]; });
    visit([&](size_t entry, double& sum) { found[entry] = sum; });
    visit([](size_t, double& sum) { sum = 0; });
  }
  return found;
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
