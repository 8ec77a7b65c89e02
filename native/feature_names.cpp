// Bindings of the table of feature names: what groups say of scenes in, rows of numbers out.
//
// What a group says is a list with the features of each scene, or a tuple: of columns, spans and beginnings, which
// stands for n-grams, or of names and columns, which stands for facts. anaphor/recipes/classic/sparse.py has the same in
// Python, and anaphor/_native.pyi the types. The interpreter lock is held throughout, for all that is read are Python objects.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <memory>

#include "arrays.hpp"
#include "feature_names.hpp"

namespace nb = nanobind;
using namespace anaphor;

namespace {

// The items of a list or a tuple, which lives as long as this.
class Items {
 public:
  explicit Items(nb::handle sequence) : owner_(nb::steal(PySequence_Fast(sequence.ptr(), "no list and no tuple"))) {
    if (!owner_.is_valid()) throw nb::python_error();
  }
  size_t size() const { return static_cast<size_t>(PySequence_Fast_GET_SIZE(owner_.ptr())); }
  nb::handle operator[](size_t place) const {
    return PySequence_Fast_GET_ITEM(owner_.ptr(), static_cast<Py_ssize_t>(place));
  }
  void must_have(size_t size) const {
    if (this->size() != size) throw nb::value_error("not as many as there are scenes");
  }

 private:
  nb::object owner_;
};

// A str as UTF-8. Python keeps that with the str, but for one with half a surrogate pair, which is kept here.
class Utf8 {
 public:
  explicit Utf8(nb::handle item) {
    if (!PyUnicode_Check(item.ptr())) throw nb::type_error("a name must be a str");
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(item.ptr(), &size);
    if (text == nullptr) {
      PyErr_Clear();
      made_ = nb::steal(PyUnicode_AsEncodedString(item.ptr(), "utf-8", "surrogatepass"));
      if (!made_.is_valid()) throw nb::python_error();
      text = PyBytes_AS_STRING(made_.ptr());
      size = PyBytes_GET_SIZE(made_.ptr());
    }
    view_ = {text, static_cast<size_t>(size)};
  }
  operator std::string_view() const { return view_; }

 private:
  nb::object made_;
  std::string_view view_;
};

struct GramSpan {
  std::string name;
  size_t start, end;
};

// Where the numbers and values of a row are going.
struct Asking {
  NameLookup names;
  std::vector<float>& values;

  template <class... Pieces>
  void ask(float value, const Pieces&... pieces) {
    names.ask(std::string_view(pieces)...);
    values.push_back(value);
  }
};

// Something that a group says of every scene.
class Said {
 public:
  virtual ~Said() = default;
  virtual void ask(size_t scene, Asking& asking) = 0;
};

class Listed : public Said {
 public:
  Listed(nb::handle rows, size_t scenes) : rows_(rows) { rows_.must_have(scenes); }

  void ask(size_t scene, Asking& asking) override {
    const Items row(rows_[scene]);
    for (size_t k = 0; k < row.size(); ++k) {
      if (!PyTuple_Check(row[k].ptr())) {
        asking.ask(1.0f, Utf8(row[k]));
        continue;
      }
      const Items named(row[k]);
      named.must_have(2);
      const double value = PyFloat_AsDouble(named[1].ptr());
      if (value == -1.0 && PyErr_Occurred() != nullptr) throw nb::python_error();
      asking.ask(static_cast<float>(value), Utf8(named[0]));
    }
  }

 private:
  Items rows_;
};

class Facts : public Said {
 public:
  Facts(nb::handle facts, size_t scenes) {
    const Items parts(facts), names(parts[0]), columns(parts[1]);
    if (names.size() != columns.size()) throw nb::value_error("not as many names as columns");
    for (size_t k = 0; k < columns.size(); ++k) {
      names_.emplace_back(std::string_view(Utf8(names[k])));
      columns_.emplace_back(columns[k]).must_have(scenes);
    }
  }

  void ask(size_t scene, Asking& asking) override {
    for (size_t k = 0; k < columns_.size(); ++k) {
      const nb::handle item = columns_[k][scene];
      if (!item.is_none()) asking.ask(1.0f, names_[k], Utf8(item));
    }
  }

 private:
  std::vector<std::string> names_;
  std::vector<Items> columns_;
};

class Grams : public Said {
 public:
  Grams(nb::handle grams, size_t scenes) {
    const Items parts(grams), columns(parts[0]), spans(parts[1]);
    for (size_t k = 0; k < columns.size(); ++k) columns_.emplace_back(columns[k]).must_have(scenes);
    for (size_t k = 0; k < spans.size(); ++k) spans_.push_back(gram_span(spans[k]));
    if (!parts[2].is_none()) beginnings_.emplace_back(parts[2]).must_have(scenes);
  }

  void ask(size_t scene, Asking& asking) override {
    items_.clear();
    for (const Items& column : columns_) items_.add(Utf8(column[scene]));
    beginning_.clear();
    if (!beginnings_.empty()) beginning_ += Utf8(beginnings_[0][scene]);
    for (const GramSpan& span : spans_) asking.ask(1.0f, beginning_, span.name, items_.gram(span.start, span.end));
  }

 private:
  GramSpan gram_span(nb::handle given) const {
    const Items parts(given);
    if (parts.size() != 3) throw nb::value_error("a span has a name, a start and an end");
    GramSpan span{std::string(std::string_view(Utf8(parts[0]))), 0, 0};
    const bool numbers = nb::try_cast(parts[1], span.start) && nb::try_cast(parts[2], span.end);
    if (!numbers || span.start >= span.end || span.end > columns_.size()) throw nb::value_error("a span of no columns");
    return span;
  }

  std::vector<Items> columns_, beginnings_;
  std::vector<GramSpan> spans_;
  Joined items_;
  std::string beginning_;
};

std::vector<std::unique_ptr<Said>> groups_of(nb::handle said, size_t scenes) {
  const Items parts(said);
  std::vector<std::unique_ptr<Said>> found;
  for (size_t k = 0; k < parts.size(); ++k) {
    if (!PyTuple_Check(parts[k].ptr())) {
      found.push_back(std::make_unique<Listed>(parts[k], scenes));
    } else if (PyTuple_GET_SIZE(parts[k].ptr()) == 3) {
      found.push_back(std::make_unique<Grams>(parts[k], scenes));
    } else if (PyTuple_GET_SIZE(parts[k].ptr()) == 2) {
      found.push_back(std::make_unique<Facts>(parts[k], scenes));
    } else {
      throw nb::value_error("neither n-grams nor facts");
    }
  }
  return found;
}

class FeatureTable {
 public:
  explicit FeatureTable(nb::handle names) : table_(Items(names).size()) {
    const Items items(names);
    for (size_t k = 0; k < items.size(); ++k) table_.add(Utf8(items[k]));
  }

  // Where rows start, and the numbers and values of features that are known.
  std::tuple<Out<int64_t>, Out<int32_t>, Out<float>> rows(nb::handle said, size_t scenes) const {
    const auto parts = groups_of(said, scenes);
    std::vector<int32_t> numbers;
    std::vector<float> values;
    std::vector<size_t> ends;
    Asking asking{NameLookup(table_, numbers), values};
    for (size_t scene = 0; scene < scenes; ++scene) {
      for (const auto& part : parts) part->ask(scene, asking);
      ends.push_back(values.size());
    }
    asking.names.finish();
    std::vector<int64_t> starts{0};
    size_t kept = 0, at = 0;
    for (const size_t end : ends) {
      for (; at < end; ++at) {
        numbers[kept] = numbers[at];
        values[kept] = values[at];
        kept += numbers[at] != kUnknownName ? 1 : 0;
      }
      starts.push_back(static_cast<int64_t>(kept));
    }
    numbers.resize(kept);
    values.resize(kept);
    return {give(std::move(starts)), give(std::move(numbers)), give(std::move(values))};
  }

 private:
  NameTable table_;
};

}  // namespace

void bind_feature_names(nb::module_& m) {
  nb::class_<FeatureTable>(m, "FeatureTable")
      .def(nb::init<nb::handle>(), nb::arg("names"))
      .def("rows", &FeatureTable::rows, nb::arg("said"), nb::arg("scenes"));
}
