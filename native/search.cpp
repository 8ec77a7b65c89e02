// Bindings of the search in sorted rows. anaphor/_native.pyi has the types.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "arrays.hpp"
#include "search.hpp"

namespace nb = nanobind;
using namespace anaphor;

namespace {

Out<int64_t> places(In<int64_t> row, In<int64_t> keys, int64_t absent) {
  std::vector<int64_t> found(keys.shape(0));
  places_of(row.data(), row.shape(0), keys.data(), found.size(), absent, found.data());
  return give(std::move(found));
}

}  // namespace

void bind_search(nb::module_& m) {
  m.def("search_sorted", &places, nb::arg("row"), nb::arg("keys"), nb::arg("absent"));
}
