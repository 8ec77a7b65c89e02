// Bindings of the reader of five-column lines: a str in, tuples out.
//
// It judges well-formed lines alone and has no messages: None sends a line on to anaphor/task/lines.py, which has the
// same in Python. The interpreter lock is held throughout, for everything that is read or made is a Python object.
// anaphor/_native.pyi lists what is here with types.
#include <nanobind/nanobind.h>

#include <type_traits>

#include "lines.hpp"

namespace nb = nanobind;
using namespace anaphor;

namespace {

nb::object made(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

// A tuple that the caller fills. It will hold words and numbers, which are never part of a cycle: the garbage
// collector would find that out and let go of it; this way it need not look.
nb::object empty_tuple(size_t size) {
  nb::object tuple = made(PyTuple_New(static_cast<Py_ssize_t>(size)));
  if (size > 0) PyObject_GC_UnTrack(tuple.ptr());
  return tuple;
}

void put(const nb::object& tuple, size_t place, nb::object item) {
  PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(place), item.release().ptr());
}

// One end of every pair.
nb::object numbers_of(const std::vector<Pair>& pairs, size_t Pair::*end) {
  nb::object tuple = empty_tuple(pairs.size());
  for (size_t k = 0; k < pairs.size(); ++k) put(tuple, k, made(PyLong_FromSize_t(pairs[k].*end)));
  return tuple;
}

template <class Char>
bool is_word(Span<Char> token, PyObject* word) {
  if (static_cast<size_t>(PyUnicode_GET_LENGTH(word)) != token.size()) return false;
  switch (PyUnicode_KIND(word)) {
    case PyUnicode_1BYTE_KIND: return std::equal(token.begin, token.end, PyUnicode_1BYTE_DATA(word));
    case PyUnicode_2BYTE_KIND: return std::equal(token.begin, token.end, PyUnicode_2BYTE_DATA(word));
    default: return std::equal(token.begin, token.end, PyUnicode_4BYTE_DATA(word));
  }
}

// Calls `use` with the characters of a str as they are in memory; of any other object there are none.
template <class Use>
void with_characters(nb::handle line, Use use) {
  if (!PyUnicode_Check(line.ptr())) return;
  const Py_ssize_t size = PyUnicode_GetLength(line.ptr());
  if (size < 0) throw nb::python_error();
  const auto characters = [size](auto* data) { return Span<std::remove_pointer_t<decltype(data)>>{data, data + size}; };
  switch (PyUnicode_KIND(line.ptr())) {
    case PyUnicode_1BYTE_KIND: return use(characters(PyUnicode_1BYTE_DATA(line.ptr())));
    case PyUnicode_2BYTE_KIND: return use(characters(PyUnicode_2BYTE_DATA(line.ptr())));
    default: return use(characters(PyUnicode_4BYTE_DATA(line.ptr())));
  }
}

bool plain_line(nb::handle line) {
  bool found = false;
  with_characters(line, [&](auto characters) { found = is_plain(characters); });
  return found;
}

nb::object list_of(const std::vector<size_t>& numbers) {
  nb::object list = made(PyList_New(static_cast<Py_ssize_t>(numbers.size())));
  for (size_t k = 0; k < numbers.size(); ++k) {
    PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(k), made(PyLong_FromSize_t(numbers[k])).release().ptr());
  }
  return list;
}

nb::object scanned_lines(nb::bytes text, nb::bytes word) {
  if (word.size() == 0) throw nb::value_error("a word without a letter");
  const Scanned found = scan({text.c_str(), text.size()}, {word.c_str(), word.size()});
  return nb::make_tuple(list_of(found.starts), list_of(found.counts));
}

class LineReader {
 public:
  explicit LineReader(size_t words) : words_(words), intern_(nb::module_::import_("sys").attr("intern")) {}

  nb::object read(nb::handle line) {
    nb::object found = nb::none();
    with_characters(line, [&](auto characters) {
      if (const auto parts = parts_of(characters)) found = tuples_of(*parts);
    });
    return found;
  }

  size_t size() const { return words_.size(); }

 private:
  template <class Char>
  nb::object tuples_of(const Parts<Char>& line) {
    std::array<nb::object, 4> sides;
    for (size_t k = 0; k < sides.size(); ++k) sides[k] = tokens_of(line.columns[k], line.tokens[k]);
    return nb::make_tuple(sides[0], sides[1], sides[2], sides[3], numbers_of(line.links, &Pair::source),
                          numbers_of(line.links, &Pair::target), numbers_of(line.places, &Pair::source),
                          numbers_of(line.places, &Pair::target));
  }

  template <class Char>
  nb::object tokens_of(Span<Char> side, size_t tokens) {
    nb::object tuple = empty_tuple(tokens);
    size_t place = 0;
    if (tokens > 0) each_token(side, [&](Span<Char> token, uint32_t hash) { put(tuple, place++, word(token, hash)); });
    return tuple;
  }

  // The one str that stands for a word everywhere, as sys.intern gives it.
  template <class Char>
  nb::object word(Span<Char> token, uint32_t hash) {
    const nb::object* known = words_.find(hash, [&](const nb::object& held) { return is_word(token, held.ptr()); });
    if (known != nullptr) return *known;
    nb::object kept =
        intern_(made(PyUnicode_FromKindAndData(sizeof(Char), token.begin, static_cast<Py_ssize_t>(token.size()))));
    words_.add(hash, kept);
    return kept;
  }

  Recent<nb::object> words_;
  nb::object intern_;
};

}  // namespace

void bind_lines(nb::module_& m) {
  m.def("is_plain_line", &plain_line);
  m.def("scan_lines", &scanned_lines, nb::arg("text"), nb::arg("word"));
  nb::class_<LineReader>(m, "LineReader")
      .def(nb::init<size_t>(), nb::arg("words"))
      .def("read", &LineReader::read)
      .def("__len__", &LineReader::size);
}
