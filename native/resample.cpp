// Bindings of the bootstrap's draws. anaphor/_native.pyi has the types.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "arrays.hpp"
#include "resample.hpp"

namespace nb = nanobind;
using namespace anaphor;

namespace {

class Draws {
 public:
  Draws(uint64_t high, uint64_t low, uint64_t step_high, uint64_t step_low) : random_(Pcg64(high, low, step_high, step_low)) {}

  Out<double> counts(size_t rows, size_t items, std::optional<In<int32_t>> kinds, size_t columns) {
    if (items < 2 || items > std::numeric_limits<uint32_t>::max()) throw nb::value_error("items out of range");
    if (kinds) {
      const int32_t* first = kinds->data();
      const auto outside = [&](int32_t kind) { return kind < 0 || static_cast<size_t>(kind) >= columns; };
      if (kinds->shape(0) != items || std::any_of(first, first + items, outside))
        throw nb::value_error("kinds out of range");
    } else if (columns != items) {
      throw nb::value_error("one column for each item");
    }
    std::vector<double> found(rows * columns);
    count_draws(random_, rows, static_cast<uint32_t>(items), kinds ? kinds->data() : nullptr, columns, found.data());
    return give(std::move(found));
  }

 private:
  Below random_;
};

}  // namespace

void bind_resample(nb::module_& m) {
  nb::class_<Draws>(m, "Draws")
      .def(nb::init<uint64_t, uint64_t, uint64_t, uint64_t>(), nb::arg("high"), nb::arg("low"), nb::arg("step_high"),
           nb::arg("step_low"))
      .def("counts", &Draws::counts, nb::arg("rows"), nb::arg("items"), nb::arg("kinds").none(), nb::arg("columns"));
}
