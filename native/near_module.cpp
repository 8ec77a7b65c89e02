// The Python face of the analyser's first layer: arrays in, an array out. _near.pyi has the types.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>

#include <vector>

#include "near.hpp"

namespace nb = nanobind;
using namespace anaphor;

namespace {

constexpr size_t kPlaces = 5;  // two words before, the word itself, two behind

template <class T, size_t kDimensions>
using In = nb::ndarray<const T, nb::ndim<kDimensions>, nb::c_contig, nb::device::cpu>;

nb::ndarray<nb::numpy, float, nb::ndim<2>> near(const std::array<In<float, 2>, kPlaces>& products,
                                                In<int64_t, 1> types, In<float, 1> bias) {
  const size_t width = bias.shape(0), count = types.shape(0) < kPlaces ? 0 : types.shape(0) - (kPlaces - 1);
  const size_t rows = products[0].shape(0);
  std::array<Products, kPlaces> data;
  for (size_t at = 0; at < kPlaces; ++at) {
    if (products[at].shape(0) != rows || products[at].shape(1) != width) throw nb::value_error("products of two sizes");
    data[at] = products[at].data();
  }
  for (size_t k = 0; k < types.shape(0); ++k) {
    if (static_cast<uint64_t>(types.data()[k]) >= rows) throw nb::index_error("a type without products");
  }
  auto* found = new float[count * width];
  const nb::capsule owner(found, [](void* p) noexcept { delete[] static_cast<float*>(p); });
  near_layer(data, types.data(), count, bias.data(), width, found);
  return nb::ndarray<nb::numpy, float, nb::ndim<2>>(found, {count, width}, owner);
}

}  // namespace

NB_MODULE(_near, m) {
  m.doc() = "The compiled first layer of the built-in analyser.";
  m.def("near", &near, nb::arg("products"), nb::arg("types"), nb::arg("bias"));
}
