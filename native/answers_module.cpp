// The Python face of the analyser's network: arrays in, arrays out. _answers.pyi has the types.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "answers.hpp"
#include "arrays.hpp"

namespace nb = nanobind;
using namespace anaphor;

namespace {

using Vector = In<float>;
using Table = In<float, 2>;

void check(const Table& table, size_t rows, size_t columns) {
  if (table.shape(0) != rows || table.shape(1) != columns) throw nb::value_error("weights that do not fit");
}

void make(Answers* self, const std::vector<size_t>& heads, Vector near_bias, Table squeeze, Vector squeeze_bias,
          Table wide, Vector wide_bias, Table from_near, Table from_wide, Vector bias) {
  const Widths widths{near_bias.shape(0), squeeze_bias.shape(0), wide_bias.shape(0), heads};
  check(squeeze, widths.near, widths.squeezed);
  check(wide, kWide * widths.squeezed, widths.wide);
  check(from_near, widths.near, widths.answers());
  check(from_wide, widths.wide, widths.answers());
  if (bias.shape(0) != widths.answers()) throw nb::value_error("weights that do not fit");
  new (self) Answers(widths, {near_bias.data(), squeeze.data(), squeeze_bias.data(), wide.data(), wide_bias.data(),
                              from_near.data(), from_wide.data(), bias.data()});
}

nb::list find(const Answers& network, const std::array<Table, kNear>& products, In<int64_t> types) {
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

NB_MODULE(_answers, m) {
  m.doc() = "The compiled network of the built-in analyser.";
  nb::class_<Answers>(m, "Answers").def("__init__", &make).def("find", &find, nb::arg("products"), nb::arg("types"));
}
