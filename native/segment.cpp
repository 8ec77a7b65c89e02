// Bindings of the search for cuts. anaphor/_native.pyi has the types.
#include "segment.hpp"

#include <cmath>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "arrays.hpp"

namespace nb = nanobind;
using namespace anaphor;

namespace {

template <class T, size_t kDimensions = 1>
In<T, kDimensions> array_in(const nb::tuple& group, size_t place) {
  must(place < group.size(), "an array is missing");
  return nb::cast<In<T, kDimensions>>(group[place]);
}

template <class T>
void must_have(const T& array, size_t size) {
  must(array.size() == size, "arrays of different lengths");
}

// All values are from `low` to below `bound`.
template <class T>
void must_be_below(const T& array, int64_t bound, int64_t low = 0) {
  for (size_t k = 0; k < array.size(); ++k) must(array.data()[k] >= low && array.data()[k] < bound, "an index is out of range");
}

// Numbers that can be compared and added, none of them below `low`.
template <class T>
void must_be_finite(const T& array, float low = -1e9F) {
  for (size_t k = 0; k < array.size(); ++k) must(array.data()[k] >= low && array.data()[k] <= 1e9F, "a number is not finite");
}

// Sums, which are not negative and never descend.
void must_be_sums(const In<int32_t>& sums, size_t size) {
  must_have(sums, size);
  must(sums.data()[0] >= 0 && std::is_sorted(sums.data(), sums.data() + size), "sums descend");
}

nb::tuple cut(nb::tuple source, nb::tuple text, nb::tuple lexicon, nb::tuple tables, nb::tuple costs, nb::tuple limits,
              double ratio) {
  const auto start = array_in<int64_t>(source, 0), lexicon_start = array_in<int64_t>(lexicon, 0);
  const auto words = array_in<int32_t>(source, 1), ends = array_in<int32_t>(source, 2), begins = array_in<int32_t>(source, 3),
             source_sentences = array_in<int32_t>(source, 5), text_words = array_in<int32_t>(text, 0),
             length = array_in<int32_t>(text, 5), sentences = array_in<int32_t>(text, 6),
             lexicon_target = array_in<int32_t>(lexicon, 1);
  const auto first = array_in<int32_t, 2>(source, 6), last = array_in<int32_t, 2>(source, 7);
  const auto kinds = array_in<int8_t>(text, 1), text_ends = array_in<int8_t>(text, 2), text_begins = array_in<int8_t>(text, 3),
             gaps = array_in<int8_t>(text, 4);
  const auto edges = array_in<uint8_t>(text, 7);
  const auto source_length = array_in<float>(source, 4), lexicon_ratio = array_in<float>(lexicon, 2),
             final = array_in<float>(text, 8), initial = array_in<float>(text, 9), gap_table = array_in<float>(tables, 3),
             sentence_table = array_in<float>(tables, 4), opening = array_in<float>(tables, 5),
             closing = array_in<float>(tables, 6);
  const auto word_table = array_in<float, 2>(tables, 0), end_table = array_in<float, 2>(tables, 1),
             begin_table = array_in<float, 2>(tables, 2);
  must(costs.size() == 6 && limits.size() == 6 && lexicon.size() == 4, "a number is missing");
  const auto targets = nb::cast<size_t>(lexicon[3]);
  const size_t count = ends.size(), size = text_words.size(), sources = std::max<size_t>(lexicon_start.size(), 1) - 1;
  must(std::max({count, size, targets}) < static_cast<size_t>(std::numeric_limits<int32_t>::max()), "too long");

  must_have(start, count + 1), must_be_starts(start, words.size());
  must_be_below(words, static_cast<int64_t>(sources));
  must_have(begins, count), must_have(source_length, count), must_have(source_sentences, count);
  must_be_below(ends, static_cast<int64_t>(end_table.shape(0))), must_be_below(begins, static_cast<int64_t>(begin_table.shape(0)));
  must_be_finite(source_length, 0), must_be_below(source_sentences, std::numeric_limits<int32_t>::max());
  for (const auto* edge : {&first, &last}) {
    must(edge->shape(0) == count && edge->shape(1) == first.shape(1), "arrays of different lengths");
    must_be_below(*edge, static_cast<int64_t>(sources), -1);
  }

  must_be_below(text_words, static_cast<int64_t>(targets));
  must_have(kinds, size), must_be_below(kinds, static_cast<int64_t>(word_table.shape(0)));
  must_have(text_ends, size + 1), must_be_below(text_ends, static_cast<int64_t>(end_table.shape(1)));
  must_have(text_begins, size + 1), must_be_below(text_begins, static_cast<int64_t>(begin_table.shape(1)));
  must_have(gaps, size + 1), must_be_below(gaps, static_cast<int64_t>(gap_table.size()));
  must_be_sums(length, size + 1), must_be_sums(sentences, size + 1), must_have(edges, size + 1);
  for (const auto* evidence : {&final, &initial}) must_have(*evidence, size + 1), must_be_finite(*evidence);

  must_be_starts(lexicon_start, lexicon_target.size()), must_have(lexicon_ratio, lexicon_target.size());
  must(bound_of(lexicon_target) <= targets, "an index is out of range");
  must_be_finite(lexicon_ratio, 0);

  must(word_table.shape(1) > 2 && end_table.size() > 0 && sentence_table.size() % 2 == 1, "a table is too small");
  for (const auto* table : {&word_table, &end_table, &begin_table}) must_be_finite(*table);
  for (const auto* table : {&gap_table, &sentence_table, &opening, &closing}) must_be_finite(*table);
  must_have(opening, word_table.shape(1) - 1), must_have(closing, word_table.shape(1) - 1);
  const auto cost = [&](size_t place) { return nb::cast<double>(costs[place]); };
  const auto limit = [&](size_t place) { return nb::cast<int64_t>(limits[place]); };
  for (size_t k = 0; k < 6; ++k) {
    must(std::abs(cost(k)) <= 1e9, "a number is not finite");
    must(limit(k) >= 1 && limit(k) < std::numeric_limits<int32_t>::max(), "a limit is out of range");
  }
  must(cost(0) >= 0 && cost(4) > 0 && cost(5) >= 0 && ratio > 0 && ratio <= 1e9, "a number is out of range");
  const auto columns = [](const auto& array) { return static_cast<int64_t>(array.shape(array.ndim() - 1)); };
  const SegmentSource from{start.data(), words.data(), ends.data(), begins.data(), source_length.data(),
                           source_sentences.data(), first.data(), last.data(), columns(first), static_cast<int64_t>(ends.shape(0))};
  const SegmentText to{text_words.data(), kinds.data(), text_ends.data(), text_begins.data(), gaps.data(),
                       length.data(), sentences.data(), edges.data(), final.data(), initial.data(),
                       static_cast<int64_t>(text_words.shape(0))};
  const SegmentLexicon pairs{lexicon_start.data(), lexicon_target.data(), lexicon_ratio.data(),
                             nb::cast<size_t>(lexicon[3])};
  const SegmentModel model{word_table.data(), columns(word_table), end_table.data(), columns(end_table), begin_table.data(),
                           columns(begin_table), gap_table.data(), sentence_table.data(), columns(sentence_table), opening.data(), closing.data(),
                           cost(0), cost(1), cost(2), cost(3), cost(4), ratio, cost(5),
                           limit(0), limit(1), limit(2), limit(3), limit(4), limit(5)};
  SegmentCuts cuts;
  {
    const nb::gil_scoped_release released;
    cuts = SegmentSearch(from, to, pairs, model).run(check_signals);
  }
  return nb::make_tuple(give(std::move(cuts.start)), give(std::move(cuts.end)), give(std::move(cuts.omitted)),
                        give(std::move(cuts.confidence)), give(std::move(cuts.second)),
                        give(std::move(cuts.second_confidence)), give(std::move(cuts.empty)), give(std::move(cuts.added)));
}

}  // namespace

void bind_segment(nb::module_& m) {
  m.def("segment", &cut, nb::arg("source"), nb::arg("text"), nb::arg("lexicon"), nb::arg("tables"), nb::arg("costs"),
        nb::arg("limits"), nb::arg("ratio"));
}
