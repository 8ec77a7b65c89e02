// Bindings of the search for cuts. anaphor/_native.pyi has the types.
#include "segment.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "arrays.hpp"

namespace nb = nanobind;
using namespace anaphor;

namespace {


template <class T, size_t kDimensions = 1>
In<T, kDimensions> array_in(const nb::tuple& group, size_t place) {
  return nb::cast<In<T, kDimensions>>(group[place]);
}

// The arrays of each group belong together, and all numbers in them are in range: documents.py sees to it.
nb::tuple cut(nb::tuple source, nb::tuple text, nb::tuple lexicon, nb::tuple tables, nb::tuple costs, nb::tuple limits,
              double ratio) {
  const auto start = array_in<int64_t>(source, 0), lexicon_start = array_in<int64_t>(lexicon, 0);
  const auto words = array_in<int32_t>(source, 1), ends = array_in<int32_t>(source, 2), begins = array_in<int32_t>(source, 3),
             source_sentences = array_in<int32_t>(source, 5), text_words = array_in<int32_t>(text, 0),
             length = array_in<int32_t>(text, 5), sentences = array_in<int32_t>(text, 6),
             lexicon_target = array_in<int32_t>(lexicon, 1);
  const auto kinds = array_in<int8_t>(text, 1), text_ends = array_in<int8_t>(text, 2), text_begins = array_in<int8_t>(text, 3),
             gaps = array_in<int8_t>(text, 4);
  const auto edges = array_in<uint8_t>(text, 7);
  const auto first = array_in<int32_t, 2>(source, 6), last = array_in<int32_t, 2>(source, 7);
  const auto source_length = array_in<float>(source, 4), lexicon_ratio = array_in<float>(lexicon, 2), final = array_in<float>(text, 8), initial = array_in<float>(text, 9),
             gap_table = array_in<float>(tables, 3), sentence_table = array_in<float>(tables, 4), opening = array_in<float>(tables, 5), closing = array_in<float>(tables, 6);
  const auto word_table = array_in<float, 2>(tables, 0), end_table = array_in<float, 2>(tables, 1),
             begin_table = array_in<float, 2>(tables, 2);
  const auto cost = [&](size_t place) { return nb::cast<double>(costs[place]); };
  const auto limit = [&](size_t place) { return nb::cast<int64_t>(limits[place]); };
  const auto columns = [](const auto& array) { return static_cast<int64_t>(array.shape(array.ndim() - 1)); };
  const SegmentSource from{start.data(), words.data(), ends.data(), begins.data(), source_length.data(),
                           source_sentences.data(), first.data(), last.data(), static_cast<int64_t>(ends.shape(0))};
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
