// Bindings of the network of anaphor-2: weights once, then batches of windows, the interpreter lock
// released in between.
//
// anaphor/predict/anaphor2/network.py has the same in NumPy; anaphor/_native.pyi lists what is here with types.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "windows.hpp"

namespace nb = nanobind;
using namespace anaphor;

namespace {

using Numbers = In<int32_t, 2>;
using Places = In<int64_t>;

MatrixView view_of(const Matrix& array) { return {array.data(), array.shape(0), array.shape(1)}; }

std::vector<float> vector_of(const Vector& array, size_t size) {
  must(array.size() == size, "a vector has another size");
  return {array.data(), array.data() + size};
}

BytePanels checked_panels(const Matrix& array, size_t rows, size_t columns) {
  must(array.shape(0) == rows && array.shape(1) == columns, "a matrix has another size");
  return panels_of(view_of(array));
}

struct PyBlock {
  BlockWeights weights;
  PyBlock(const Vector& before_attention, const Vector& before_dense, const Matrix& query, const Matrix& key_value,
          const Matrix& out, const Matrix& up, const Matrix& down)
      : PyBlock(query.shape(0), before_attention, before_dense, query, key_value, out, up, down) {}

 private:
  PyBlock(size_t d, const Vector& before_attention, const Vector& before_dense, const Matrix& query,
          const Matrix& key_value, const Matrix& out, const Matrix& up, const Matrix& down)
      : weights{vector_of(before_attention, d), vector_of(before_dense, d), checked_panels(query, d, d),
                checked_panels(key_value, 2 * d, d), checked_panels(out, d, d), checked_panels(up, 4 * d, d),
                checked_panels(down, d, 4 * d)} {}
};

class PyNetwork {
 public:
  PyNetwork(size_t heads, std::vector<Matrix> tables, const std::vector<PyBlock>& blocks, Vector norm, Matrix classes,
            Vector bias)
      : tables_(std::move(tables)), norm_(std::move(norm)), classes_(std::move(classes)), bias_(std::move(bias)) {
    const size_t width = norm_.size();
    must(heads > 0 && width > 0 && width % (heads * kTile) == 0, "heads must be a multiple of eight wide");
    must(tables_.size() == kTables, "a network has six tables");
    must(classes_.shape(1) == width && bias_.size() == classes_.shape(0), "sizes contradict");
    weights_ = {width, heads, {}, {}, norm_.data(), view_of(classes_), bias_.data()};
    for (const Matrix& table : tables_) {
      must(table.shape(1) == width, "a table has another width");
      weights_.tables.push_back(view_of(table));
    }
    for (const PyBlock& block : blocks) {
      must(block.weights.query.columns() == width, "a block has another width");
      weights_.blocks.push_back(block.weights);
    }
  }

  // Scores [slots, classes] at the given rows and places of a batch; places that are padding are not seen.
  nb::ndarray<nb::numpy, float, nb::ndim<2>> scores(const std::vector<Numbers>& batch, const Places& rows,
                                                    const Places& places, int threads) const {
    const size_t classes = weights_.classes.rows;
    auto* found = new std::vector<float>(rows.size() * classes);
    const nb::capsule owner(found, [](void* p) noexcept { delete static_cast<std::vector<float>*>(p); });
    {
      const nb::gil_scoped_release free;
      const Batch view = batch_of(batch);
      score(weights_, view, slots_of(rows, places, view), threads, [](double) { check_signals(); }, found->data());
    }
    return {found->data(), {rows.size(), classes}, owner};
  }

 private:
  Batch batch_of(const std::vector<Numbers>& arrays) const {
    must(arrays.size() == kTables - 1, "a batch has five arrays");
    Batch batch{arrays[0].shape(0), arrays[0].shape(1), {}};
    for (size_t k = 0; k < arrays.size(); ++k) {
      must(arrays[k].shape(0) == batch.windows && arrays[k].shape(1) == batch.places, "the arrays of a batch differ");
      batch.numbers[k] = arrays[k].data();
    }
    return batch;
  }

  static SlotsOfWindows slots_of(const Places& rows, const Places& places, const Batch& batch) {
    SlotsOfWindows slots(batch.windows);
    must(rows.size() == places.size(), "every slot has a row and a place");
    for (size_t k = 0; k < rows.size(); ++k) {
      const auto row = static_cast<size_t>(rows.data()[k]), place = static_cast<size_t>(places.data()[k]);
      must(row < batch.windows && place < batch.places, "a slot is outside of its batch");
      slots[row].push_back({place, k});
    }
    return slots;
  }

  std::vector<Matrix> tables_;
  Vector norm_;
  Matrix classes_;
  Vector bias_;
  NetworkWeights weights_;
};

}  // namespace

void bind_network(nb::module_& m) {
  nb::class_<PyBlock>(m, "NetworkBlock")
      .def(nb::init<const Vector&, const Vector&, const Matrix&, const Matrix&, const Matrix&, const Matrix&,
                    const Matrix&>());
  nb::class_<PyNetwork>(m, "Network")
      .def(nb::init<size_t, std::vector<Matrix>, const std::vector<PyBlock>&, Vector, Matrix, Vector>())
      .def("scores", &PyNetwork::scores);
}
