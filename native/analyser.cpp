// Bindings of the analyser's network: arrays in, arrays out. anaphor/_native.pyi has the types.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "analyser.hpp"
#include "arrays.hpp"

namespace nb = nanobind;
using namespace anaphor;

namespace {

void check_shape(const Matrix& table, size_t rows, size_t columns) {
  if (table.shape(0) != rows || table.shape(1) != columns) throw nb::value_error("weights that do not fit");
}

void make(AnalyserNetwork* self, const std::vector<size_t>& heads, Vector near_bias, Matrix squeeze, Vector squeeze_bias,
          Matrix wide, Vector wide_bias, Matrix from_near, Matrix from_wide, Vector bias) {
  const AnalyserWidths widths{near_bias.shape(0), squeeze_bias.shape(0), wide_bias.shape(0), heads};
  check_shape(squeeze, widths.near, widths.squeezed);
  check_shape(wide, kWide * widths.squeezed, widths.wide);
  check_shape(from_near, widths.near, widths.answers());
  check_shape(from_wide, widths.wide, widths.answers());
  if (bias.shape(0) != widths.answers()) throw nb::value_error("weights that do not fit");
  new (self) AnalyserNetwork(widths, {near_bias.data(), squeeze.data(), squeeze_bias.data(), wide.data(), wide_bias.data(),
                              from_near.data(), from_wide.data(), bias.data()});
}

nb::list find(const AnalyserNetwork& network, const std::array<Matrix, kNear>& products, In<int64_t> types) {
  const size_t count = types.shape(0), rows = products[0].shape(0);
  Products data;
  for (size_t at = 0; at < kNear; ++at) {
    if (products[at].shape(0) != rows || products[at].shape(1) != network.widths().near) {
      throw nb::value_error("products that do not fit");
    }
    data[at] = products[at].data();
  }
  for (size_t k = 0; k < count; ++k) {
    if (static_cast<uint64_t>(types.data()[k]) >= rows) throw nb::index_error("a type without products");
  }
  const size_t places = count < kWide ? 0 : count - (kWide - 1);
  std::vector<std::vector<int64_t>> found(network.widths().heads.size(), std::vector<int64_t>(places));
  std::vector<int64_t*> room;
  for (auto& head : found) room.push_back(head.data());
  network.find(data, types.data(), count, room);
  nb::list given;
  for (auto& head : found) given.append(give(std::move(head)));
  return given;
}

}  // namespace

void bind_analyser(nb::module_& m) {
  nb::class_<AnalyserNetwork>(m, "AnalyserNetwork").def("__init__", &make).def("find", &find, nb::arg("products"), nb::arg("types"));
}
