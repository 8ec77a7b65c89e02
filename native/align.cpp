// Bindings of the word aligner: arrays in, arrays out, the interpreter lock released in between.
//
// anaphor/align/reference.py has the same functions in NumPy; anaphor/_native.pyi lists them with types.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "arrays.hpp"
#include "candidates.hpp"
#include "lexicon.hpp"
#include "passes.hpp"
#include "cooccurrence.hpp"

namespace nb = nanobind;
using namespace anaphor;

namespace {

// Lets Ctrl-C in, and tells `tell`, if it is not None, how much is done.
Watch watching(const nb::object& tell) {
  return [&tell](double share) {
    check_signals();
    if (tell.is_none()) return;
    const nb::gil_scoped_acquire held;
    tell(share);
  };
}

struct PyBitext {
  In<int32_t> source;
  In<int64_t> source_start;
  In<int32_t> target;
  In<int64_t> target_start;
  Bitext view() const {
    return {{source.data(), source_start.data()}, {target.data(), target_start.data()}};
  }
  int64_t pairs() const { return static_cast<int64_t>(source_start.size()) - 1; }
};

struct AlignerModel {
  In<float> tables, source_unigram, target_unigram, source_null, target_null, forward_jumps, reverse_jumps;
  double null, smoothing, diagonal;
  Model view() const {
    return {tables.data(), source_unigram.data(), target_unigram.data(), source_null.data(), target_null.data(),
            Jumps(forward_jumps.data()), Jumps(reverse_jumps.data()), null, smoothing, diagonal};
  }
  Sizes sizes() const { return {tables.size() / 2, source_unigram.size(), target_unigram.size()}; }
};

Rows rows_of(const In<int64_t>& start, const In<int32_t>& target) {
  return {start.data(), target.data(), static_cast<int32_t>(start.size()) - 1};
}

nb::tuple candidates(const PyBitext& text, int32_t sources, int32_t targets, float share, int most, int threads,
                     const nb::object& tell) {
  Candidates found;
  {
    const nb::gil_scoped_release free;
    found = CandidateSearch(text.view(), text.pairs(), sources, targets, {share, most, threads}).run(watching(tell));
  }
  return nb::make_tuple(give(std::move(found.start)), give(std::move(found.target)), give(std::move(found.dice)));
}

nb::tuple types(In<int32_t> words, In<int64_t> start) {
  Types found;
  {
    const nb::gil_scoped_release free;
    found = types_of({words.data(), start.data()}, static_cast<int64_t>(start.size()) - 1);
  }
  return nb::make_tuple(give(std::move(found.word)), give(std::move(found.start)));
}

nb::tuple cooccurrence_rows(const CooccurrenceCounter& counter) {
  CooccurrenceRows found = counter.rows();
  return nb::make_tuple(give(std::move(found.start)), give(std::move(found.target)), give(std::move(found.count)));
}

Out<int64_t> expected(const PyBitext& text, const Index& index, const AlignerModel& model, bool hmm, bool agree,
                      int64_t jump_stride, int threads, const nb::object& tell) {
  std::vector<Count> counts;
  {
    const nb::gil_scoped_release free;
    counts = expect(text.view(), text.pairs(), index, model.view(), {hmm, agree, jump_stride, threads}, model.sizes(),
                    watching(tell));
  }
  return give(std::move(counts));
}

Out<float> maximised(In<int64_t> start, In<int32_t> target, int32_t targets, In<int64_t> forward, In<int64_t> reverse,
                     In<float> prior, double alpha, int threads) {
  std::vector<float> tables(2 * target.size());
  {
    const nb::gil_scoped_release free;
    maximise(rows_of(start, target), targets, forward.data(), reverse.data(), prior.data(), alpha, threads,
             tables.data());
  }
  return give(std::move(tables));
}

nb::tuple decoded(const PyBitext& text, const Index& index, const AlignerModel& model, bool hmm, int64_t first, int64_t last,
                  int reading, double threshold, int threads, const nb::object& tell) {
  Links links;
  {
    const nb::gil_scoped_release free;
    links = decode(text.view(), index, model.view(), hmm, first, last, threads, static_cast<Reading>(reading), threshold,
                   watching(tell));
  }
  return nb::make_tuple(give(std::move(links.start)), give(std::move(links.source)), give(std::move(links.target)),
                        give(std::move(links.confidence)));
}

Out<float> likenesses(In<int64_t> start, In<int32_t> target, nb::bytes source_bytes, In<int64_t> source_start,
                      nb::bytes target_bytes, In<int64_t> target_start, int threads) {
  const Forms sources{source_bytes.c_str(), source_start.data()}, targets{target_bytes.c_str(), target_start.data()};
  const Rows rows = rows_of(start, target);
  std::vector<float> alike(target.size());
  {
    const nb::gil_scoped_release free;
    in_stretches(rows.sources, 256, threads, [&](int64_t first, int64_t last) {
      for (auto s = static_cast<int32_t>(first); s < last; ++s)
        for (int64_t entry = rows.start[s]; entry < rows.start[s + 1]; ++entry)
          alike[static_cast<size_t>(entry)] = likeness(sources, s, targets, rows.target[entry]);
    });
  }
  return give(std::move(alike));
}

}  // namespace

void bind_align(nb::module_& m) {
  nb::class_<PyBitext>(m, "Bitext")
      .def("__init__", [](PyBitext* at, In<int32_t> source, In<int64_t> source_start, In<int32_t> target,
                          In<int64_t> target_start) {
        new (at) PyBitext{std::move(source), std::move(source_start), std::move(target), std::move(target_start)};
      });
  nb::class_<AlignerModel>(m, "AlignerModel")
      .def("__init__", [](AlignerModel* at, In<float> tables, In<float> source_unigram, In<float> target_unigram,
                          In<float> source_null, In<float> target_null, In<float> forward_jumps,
                          In<float> reverse_jumps, double null, double smoothing, double diagonal) {
        new (at) AlignerModel{std::move(tables), std::move(source_unigram), std::move(target_unigram),
                         std::move(source_null), std::move(target_null), std::move(forward_jumps),
                         std::move(reverse_jumps), null, smoothing, diagonal};
      });
  nb::class_<Index>(m, "PairIndex")
      .def("__init__", [](Index* at, In<int64_t> start, In<int32_t> target, int threads) {
        new (at) Index(rows_of(start, target), threads);
      });
  nb::class_<CooccurrenceCounter>(m, "CooccurrenceCounter")
      .def(nb::init<int32_t, int32_t, int32_t>())
      .def("add", [](CooccurrenceCounter& at, const PyBitext& text, int threads) {
        const nb::gil_scoped_release free;
        at.add(text.view(), text.pairs(), threads);
      })
      .def("rows", &cooccurrence_rows);
  m.def("word_types", &types);
  m.def("candidate_pairs", &candidates, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  m.def("expected_counts", &expected, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  m.def("maximize", &maximised);
  m.def("decode_links", &decoded, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg().none());
  m.def("similarities", &likenesses);
}
