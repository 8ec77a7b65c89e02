// Bindings of the word aligner: arrays in, arrays out, the interpreter lock released in between.
//
// anaphor/align/reference.py has the same functions in NumPy (token_codes: align/vocabulary.py); anaphor/_native.pyi lists
// them with types.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "arrays.hpp"
#include "candidates.hpp"
#include "lexicon.hpp"
#include "memory.hpp"
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
  size_t source_words = 0, target_words = 0;  // every word has a smaller number
  void check() {
    must_be_starts(source_start, source.size());
    must_be_starts(target_start, target.size());
    must(source_start.size() == target_start.size(), "the texts have different numbers of sentences");
    source_words = bound_of(source);
    target_words = bound_of(target);
  }
  void must_fit(size_t sources, size_t targets) const {
    must(source_words <= sources && target_words <= targets, "a text has words that are not known");
  }
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
  void check() const {
    must(source_null.size() == source_unigram.size() && target_null.size() == target_unigram.size(),
         "the model has words without a probability");
    must(forward_jumps.size() == kJumps && reverse_jumps.size() == kJumps, "a jump table has another size");
  }
};

Rows rows_of(const In<int64_t>& start, const In<int32_t>& target) {
  must(start.size() <= INT32_MAX && target.size() <= INT32_MAX, "too many word pairs");
  must_be_starts(start, target.size());
  bound_of(target);
  return {start.data(), target.data(), static_cast<int32_t>(start.size()) - 1};
}

// Rows that were looked through once, at load. Their entries must be those of the model, and the words of the text words
// of the model.
struct PyRows {
  In<int64_t> start;
  In<int32_t> target;
  Rows rows;
  size_t targets;  // every target word has a smaller number
  void must_fit(const PyBitext& text, const AlignerModel& model) const {
    must(2 * target.size() == model.tables.size(), "rows and tables have different numbers of word pairs");
    text.must_fit(model.source_unigram.size(), model.target_unigram.size());
    must(targets <= model.target_unigram.size(), "a word pair has a word without a probability");
  }
};

// A list or tuple as it is, any other sequence as a list.
nb::object as_list(nb::handle items) {
  nb::object found = nb::steal(PySequence_Fast(items.ptr(), "sentences must be sequences of tokens"));
  if (!found.is_valid()) throw nb::python_error();
  return found;
}

// Tokens are all over the memory.
void prefetch_tokens(PyObject* sentence) {
  if (!PyList_Check(sentence) && !PyTuple_Check(sentence)) return;
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(sentence); ++k) prefetch(PySequence_Fast_GET_ITEM(sentence, k));
}

// The code that `codes` has for each token of some sentences, one after the other, and the number of tokens of each. A
// new token is asked for as in Python, so that `codes` can make its code. Everything is counted and held again at each
// step, because that runs Python code.
nb::tuple token_codes(const nb::object& sentences, const nb::dict& codes) {
  std::vector<int32_t> found;
  std::vector<int64_t> lengths;
  const nb::object all = as_list(sentences);
  lengths.reserve(static_cast<size_t>(PySequence_Fast_GET_SIZE(all.ptr())));
  for (Py_ssize_t p = 0; p < PySequence_Fast_GET_SIZE(all.ptr()); ++p) {
    const nb::object sentence = as_list(PySequence_Fast_GET_ITEM(all.ptr(), p));
    if (p + 1 < PySequence_Fast_GET_SIZE(all.ptr())) prefetch_tokens(PySequence_Fast_GET_ITEM(all.ptr(), p + 1));
    const size_t before = found.size();
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(sentence.ptr()); ++k) {
      const nb::object token = nb::borrow(PySequence_Fast_GET_ITEM(sentence.ptr(), k));
      nb::object code = nb::borrow(PyDict_GetItemWithError(codes.ptr(), token.ptr()));
      if (!code.is_valid() && PyErr_Occurred() == nullptr) code = nb::steal(PyObject_GetItem(codes.ptr(), token.ptr()));
      if (!code.is_valid()) throw nb::python_error();
      found.push_back(nb::cast<int32_t>(code));
    }
    lengths.push_back(static_cast<int64_t>(found.size() - before));
  }
  return nb::make_tuple(give(std::move(found)), give(std::move(lengths)));
}

nb::tuple candidates(const PyBitext& text, int32_t sources, int32_t targets, float share, int most, int threads,
                     const nb::object& tell) {
  must(sources >= 0 && targets >= 0, "a number of words is negative");
  text.must_fit(static_cast<size_t>(sources), static_cast<size_t>(targets));
  Candidates found;
  {
    const nb::gil_scoped_release free;
    found = CandidateSearch(text.view(), text.pairs(), sources, targets, {share, most, threads}).run(watching(tell));
  }
  return nb::make_tuple(give(std::move(found.start)), give(std::move(found.target)), give(std::move(found.dice)));
}

nb::tuple types(In<int32_t> words, In<int64_t> start) {
  must_be_starts(start, words.size());
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

Out<int64_t> expected(const PyBitext& text, const PyRows& known, const AlignerModel& model, bool hmm, bool agree,
                      int64_t jump_stride, int threads, const nb::object& tell) {
  known.must_fit(text, model);
  must(jump_stride > 0, "no pair counts jumps");
  must(threads > 0, "there is no thread");
  std::vector<Count> counts;
  {
    const nb::gil_scoped_release free;
    counts = expect(text.view(), text.pairs(), known.rows, model.view(), {hmm, agree, jump_stride, threads}, model.sizes(),
                    watching(tell));
  }
  return give(std::move(counts));
}

Out<float> maximised(In<int64_t> start, In<int32_t> target, int32_t targets, In<int64_t> forward, In<int64_t> reverse,
                     In<float> prior, double alpha, int threads) {
  const Rows rows = rows_of(start, target);
  must(targets >= 0 && bound_of(target) <= static_cast<size_t>(targets), "a word pair has an unknown word");
  must(forward.size() == target.size() && reverse.size() == target.size() && prior.size() == target.size(),
       "word pairs and counts differ in number");
  // The series of digamma is taken up to some place from below: for a mass far below 0 it would never get there.
  must(std::isfinite(alpha) && alpha > 0 && threads > 0, "no prior, or no thread");
  for (size_t k = 0; k < target.size(); ++k)
    must(std::isfinite(prior.data()[k]) && prior.data()[k] >= 0 && forward.data()[k] >= 0 && reverse.data()[k] >= 0,
         "a word pair has a count below 0");
  std::vector<float> tables(2 * target.size());
  {
    const nb::gil_scoped_release free;
    maximise(rows, targets, forward.data(), reverse.data(), prior.data(), alpha, threads,
             tables.data());
  }
  return give(std::move(tables));
}

// One more than the largest family.
size_t families_of(const In<int64_t>& family) {
  int64_t most = -1;
  for (size_t k = 0; k < family.size(); ++k) {
    must(family.data()[k] >= 0 && family.data()[k] < INT32_MAX, "a family has no number");
    most = std::max(most, family.data()[k]);
  }
  return static_cast<size_t>(most + 1);
}

Out<double> family_sums(In<int64_t> start, In<int32_t> target, In<int64_t> source_family, In<int64_t> target_family,
                        In<double> count) {
  const Rows rows = rows_of(start, target);
  must(source_family.size() >= static_cast<size_t>(rows.sources) && target_family.size() >= bound_of(target),
       "a word has no family");
  must(count.size() == target.size(), "word pairs and counts differ in number");
  const size_t sources = families_of(source_family), targets = families_of(target_family);
  std::vector<double> sums;
  {
    const nb::gil_scoped_release free;
    sums = sum_families(rows, source_family.data(), sources, target_family.data(), targets, count.data());
  }
  return give(std::move(sums));
}

nb::tuple decoded(const PyBitext& text, const PyRows& known, const AlignerModel& model, bool hmm, int64_t first, int64_t last,
                  int reading, double threshold, int threads, const nb::object& tell) {
  known.must_fit(text, model);
  must(0 <= first && first <= last && last <= text.pairs(), "the text has fewer sentence pairs");
  must(static_cast<int>(Reading::joint) <= reading && reading <= static_cast<int>(Reading::reverse), "links are not read in this way");
  must(threads > 0, "there is no thread");
  Links links;
  {
    const nb::gil_scoped_release free;
    links = decode(text.view(), known.rows, model.view(), model.target_unigram.size(), hmm, first, last, threads, static_cast<Reading>(reading), threshold,
                   watching(tell));
  }
  return nb::make_tuple(give(std::move(links.start)), give(std::move(links.source)), give(std::move(links.target)),
                        give(std::move(links.confidence)));
}

Out<float> likenesses(In<int64_t> start, In<int32_t> target, nb::bytes source_bytes, In<int64_t> source_start,
                      nb::bytes target_bytes, In<int64_t> target_start, int threads) {
  const Forms sources{source_bytes.c_str(), source_start.data()}, targets{target_bytes.c_str(), target_start.data()};
  const Rows rows = rows_of(start, target);
  must_be_starts(source_start, source_bytes.size());
  must_be_starts(target_start, target_bytes.size());
  must(static_cast<size_t>(rows.sources) < source_start.size() && bound_of(target) < target_start.size(),
       "a word pair has a word without a form");
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
        PyBitext made{std::move(source), std::move(source_start), std::move(target), std::move(target_start)};
        made.check();
        new (at) PyBitext(std::move(made));
      });
  nb::class_<AlignerModel>(m, "AlignerModel")
      .def("__init__", [](AlignerModel* at, In<float> tables, In<float> source_unigram, In<float> target_unigram,
                          In<float> source_null, In<float> target_null, In<float> forward_jumps,
                          In<float> reverse_jumps, double null, double smoothing, double diagonal) {
        AlignerModel made{std::move(tables), std::move(source_unigram), std::move(target_unigram),
                          std::move(source_null), std::move(target_null), std::move(forward_jumps),
                          std::move(reverse_jumps), null, smoothing, diagonal};
        made.check();
        new (at) AlignerModel(std::move(made));
      });
  nb::class_<PyRows>(m, "LexiconRows")
      .def("__init__", [](PyRows* at, In<int64_t> start, In<int32_t> target) {
        const Rows rows = rows_of(start, target);
        const size_t targets = bound_of(target);
        new (at) PyRows{std::move(start), std::move(target), rows, targets};
      });
  nb::class_<CooccurrenceCounter>(m, "CooccurrenceCounter")
      .def("__init__", [](CooccurrenceCounter* at, int32_t first, int32_t last, int32_t targets) {
        must(0 <= first && first <= last && targets >= 0, "the words have no numbers");
        new (at) CooccurrenceCounter(first, last, targets);
      })
      .def("add", [](CooccurrenceCounter& at, const PyBitext& text, int threads) {
        must(text.target_words <= at.targets(), "a text has words that are not known");
        const nb::gil_scoped_release free;
        at.add(text.view(), text.pairs(), threads);
      })
      .def("rows", &cooccurrence_rows);
  m.def("token_codes", &token_codes);
  m.def("word_types", &types);
  m.def("candidate_pairs", &candidates, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  m.def("expected_counts", &expected, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  m.def("maximize", &maximised);
  m.def("family_sums", &family_sums);
  m.def("decode_links", &decoded, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg().none());
  m.def("similarities", &likenesses);
}
