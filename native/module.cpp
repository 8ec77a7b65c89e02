// The Python face of the aligner's core: arrays in, arrays out, the interpreter lock released in between.
//
// anaphor/align/reference.py has the same functions in NumPy; anaphor/align/_core.pyi lists them with types.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include "lexicon.hpp"
#include "pair.hpp"

namespace nb = nanobind;
using namespace anaphor;

namespace {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// Hands a vector over to Python without copying it.
template <class T>
Out<T> give(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Out<T>(owned->data(), {owned->size()}, owner);
}

struct PyBitext {
  In<int32_t> source;
  In<int64_t> source_start;
  In<int32_t> target;
  In<int64_t> target_start;
  Bitext view() const {
    return {{source.data(), source_start.data()}, {target.data(), target_start.data()}};
  }
};

struct PyIndex {
  In<int64_t> start;
  In<int32_t> target;
  Index index;
  PyIndex(In<int64_t> row_start, In<int32_t> row_target)
      : start(std::move(row_start)), target(std::move(row_target)),
        index(Rows{start.data(), target.data(), static_cast<int32_t>(start.size()) - 1}) {}

  nb::tuple hits(const PyBitext& text, int64_t first, int64_t last, int threads) const {
    FoundHits found;
    {
      const nb::gil_scoped_release free;
      found = find_hits(index, text.view(), first, last, threads);
    }
    return nb::make_tuple(give(std::move(found.start)), give(std::move(found.source)),
                          give(std::move(found.target)), give(std::move(found.entry)));
  }
};

struct PyHits {
  In<int64_t> start;
  In<uint16_t> source, target;
  In<int32_t> entry;
  Hits view() const { return {start.data(), source.data(), target.data(), entry.data()}; }
};

struct PyModel {
  In<float> tables, source_unigram, target_unigram, source_null, target_null, forward_jumps, reverse_jumps;
  float null, smoothing, diagonal;
  Model view() const {
    return {tables.data(), source_unigram.data(), target_unigram.data(), source_null.data(), target_null.data(),
            Jumps(forward_jumps.data()), Jumps(reverse_jumps.data()), null, smoothing, diagonal};
  }
};

nb::tuple candidates(const PyBitext& text, int32_t sources, int32_t targets, float share, int threads) {
  Candidates found;
  {
    const nb::gil_scoped_release free;
    const Bitext view = text.view();
    const auto pairs = static_cast<int64_t>(text.source_start.size()) - 1;
    found = CandidateSearch(view, pairs, sources, targets, share, threads).run();
  }
  return nb::make_tuple(give(std::move(found.start)), give(std::move(found.target)), give(std::move(found.dice)));
}

void expect_counts(const PyBitext& text, const PyHits& hits, const PyModel& model, bool hmm, bool agree,
                   int64_t jump_stride, int64_t first, int64_t last, int threads, InOut<int64_t> entries,
                   InOut<int64_t> source_null, InOut<int64_t> target_null, InOut<int64_t> forward_jumps,
                   InOut<int64_t> reverse_jumps) {
  const nb::gil_scoped_release free;
  expect(text.view(), hits.view(), model.view(), {hmm, agree, jump_stride, first, last, threads},
         {entries.size() / 2, source_null.size(), target_null.size()},
         {entries.data(), source_null.data(), target_null.data(), forward_jumps.data(), reverse_jumps.data()});
}

void maximise_tables(In<int64_t> start, In<int32_t> target, int32_t targets, In<int64_t> counts, In<float> prior,
                     double alpha, int threads, InOut<float> tables) {
  const nb::gil_scoped_release free;
  maximise({start.data(), target.data(), static_cast<int32_t>(start.size()) - 1}, targets, counts.data(),
           prior.data(), alpha, threads, tables.data());
}

nb::tuple decode_links(const PyBitext& text, const PyHits& hits, const PyModel& model, bool hmm, int64_t first,
                       int64_t last, int threads, int reading, float threshold) {
  Links links;
  {
    const nb::gil_scoped_release free;
    links = decode(text.view(), hits.view(), model.view(), {hmm, true, 1, first, last, threads},
                   static_cast<Reading>(reading), threshold);
  }
  return nb::make_tuple(give(std::move(links.start)), give(std::move(links.source)), give(std::move(links.target)),
                        give(std::move(links.confidence)));
}

Out<float> likenesses(In<int64_t> start, In<int32_t> target, nb::bytes source_bytes, In<int64_t> source_start,
                      nb::bytes target_bytes, In<int64_t> target_start) {
  const Forms sources{source_bytes.c_str(), source_start.data()}, targets{target_bytes.c_str(), target_start.data()};
  std::vector<float> alike(target.size());
  {
    const nb::gil_scoped_release free;
    for (int32_t s = 0; s + 1 < static_cast<int32_t>(start.size()); ++s)
      for (int64_t entry = start.data()[s]; entry < start.data()[s + 1]; ++entry)
        alike[static_cast<size_t>(entry)] = likeness(sources, s, targets, target.data()[entry]);
  }
  return give(std::move(alike));
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of the word aligner.";
  nb::class_<PyBitext>(m, "Bitext")
      .def("__init__", [](PyBitext* at, In<int32_t> source, In<int64_t> source_start, In<int32_t> target,
                          In<int64_t> target_start) {
        new (at) PyBitext{std::move(source), std::move(source_start), std::move(target), std::move(target_start)};
      });
  nb::class_<PyHits>(m, "Hits")
      .def("__init__", [](PyHits* at, In<int64_t> start, In<uint16_t> source, In<uint16_t> target, In<int32_t> entry) {
        new (at) PyHits{std::move(start), std::move(source), std::move(target), std::move(entry)};
      });
  nb::class_<PyModel>(m, "Model")
      .def("__init__", [](PyModel* at, In<float> tables, In<float> source_unigram, In<float> target_unigram,
                          In<float> source_null, In<float> target_null, In<float> forward_jumps,
                          In<float> reverse_jumps, float null, float smoothing, float diagonal) {
        new (at) PyModel{std::move(tables), std::move(source_unigram), std::move(target_unigram),
                         std::move(source_null), std::move(target_null), std::move(forward_jumps),
                         std::move(reverse_jumps), null, smoothing, diagonal};
      });
  nb::class_<PyIndex>(m, "Index")
      .def(nb::init<In<int64_t>, In<int32_t>>())
      .def("hits", &PyIndex::hits);
  m.def("candidates", &candidates);
  m.def("expect", &expect_counts);
  m.def("maximise", &maximise_tables);
  m.def("decode", &decode_links);
  m.def("likenesses", &likenesses);
}
