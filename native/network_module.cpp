// The Python face of the network of anaphor-1: weights once, then batches of windows, the interpreter lock
// released in between.
//
// anaphor/predict/anaphor1/network.py has the same in NumPy; _network.pyi lists what is here with types.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "arrays.hpp"
#include "windows.hpp"

namespace nb = nanobind;
using namespace anaphor;

namespace {

using Vector = In<float>;
using Floats = In<float, 2>;
using Numbers = In<int32_t, 2>;
using Places = In<int64_t>;

// Python has checked sizes against the shape of the network; memory must be safe all the same.
void must(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

// Ctrl-C stops the work.
void let_in_signals(double) {
  const nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

Matrix matrix_of(const Floats& array) { return {array.data(), array.shape(0), array.shape(1)}; }

std::vector<float> vector_of(const Vector& array, size_t size) {
  must(array.size() == size, "a vector has another size");
  return {array.data(), array.data() + size};
}

BytePanels panels_of(const Floats& array, size_t rows, size_t columns) {
  must(array.shape(0) == rows && array.shape(1) == columns, "a matrix has another size");
  return anaphor::panels_of(matrix_of(array));
}

struct PyBlock {
  BlockWeights weights;
  PyBlock(const Vector& before_attention, const Vector& before_dense, const Floats& query, const Floats& key_value,
          const Floats& out, const Floats& up, const Floats& down)
      : PyBlock(query.shape(0), before_attention, before_dense, query, key_value, out, up, down) {}

 private:
  PyBlock(size_t d, const Vector& before_attention, const Vector& before_dense, const Floats& query,
          const Floats& key_value, const Floats& out, const Floats& up, const Floats& down)
      : weights{vector_of(before_attention, d), vector_of(before_dense, d), panels_of(query, d, d),
                panels_of(key_value, 2 * d, d), panels_of(out, d, d), panels_of(up, 4 * d, d),
                panels_of(down, d, 4 * d)} {}
};

class PyNetwork {
 public:
  PyNetwork(size_t heads, std::vector<Floats> tables, const std::vector<PyBlock>& blocks, Vector norm, Floats classes,
            Vector bias)
      : tables_(std::move(tables)), norm_(std::move(norm)), classes_(std::move(classes)), bias_(std::move(bias)) {
    const size_t width = norm_.size();
    must(heads > 0 && width > 0 && width % (heads * kTile) == 0, "heads must be a multiple of eight wide");
    must(tables_.size() == 6 && classes_.shape(1) == width && bias_.size() == classes_.shape(0), "sizes contradict");
    weights_ = {width, heads, {}, {}, norm_.data(), matrix_of(classes_), bias_.data()};
    for (const Floats& table : tables_) {
      must(table.shape(1) == width, "a table has another width");
      weights_.tables.push_back(matrix_of(table));
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
      score(weights_, view, slots_of(rows, places, view), threads, let_in_signals, found->data());
    }
    return {found->data(), {rows.size(), classes}, owner};
  }

 private:
  Batch batch_of(const std::vector<Numbers>& arrays) const {
    must(arrays.size() == 5, "a batch has five arrays");
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

  std::vector<Floats> tables_;
  Vector norm_;
  Floats classes_;
  Vector bias_;
  NetworkWeights weights_;
};

}  // namespace

NB_MODULE(_network, m) {
  m.doc() = "The compiled network of anaphor-1.";
  nb::class_<PyBlock>(m, "Block")
      .def(nb::init<const Vector&, const Vector&, const Floats&, const Floats&, const Floats&, const Floats&,
                    const Floats&>());
  nb::class_<PyNetwork>(m, "Network")
      .def(nb::init<size_t, std::vector<Floats>, const std::vector<PyBlock>&, Vector, Floats, Vector>())
      .def("scores", &PyNetwork::scores);
}
