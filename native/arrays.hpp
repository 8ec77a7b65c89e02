// What all bindings share: NumPy arrays in and out, and Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace anaphor {

// A read-only array; one that is not contiguous in memory is copied.
template <class T, size_t kDimensions = 1>
using In = nanobind::ndarray<const T, nanobind::ndim<kDimensions>, nanobind::c_contig, nanobind::device::cpu>;

template <class T>
using Out = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;

using Vector = In<float>;
using Matrix = In<float, 2>;

// Lets Ctrl-C stop native work; the interpreter lock need not be held.
inline void check_signals() {
  const nanobind::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

// Hands a vector over to Python without copying it.
template <class T>
Out<T> give(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Out<T>(owned->data(), {owned->size()}, owner);
}

// Files may come from strangers. Python has checked what they say against the schema of each model; memory must be
// safe all the same, so that every array of indices is looked through once before it is used.
inline void must(bool holds, const char* what) {
  if (!holds) throw nanobind::value_error(what);
}

// Row starts: from 0 to `size`, never descending.
inline void must_be_starts(const In<int64_t>& start, size_t size) {
  const int64_t* const first = start.data();
  must(start.size() > 0 && first[0] == 0 && static_cast<uint64_t>(first[start.size() - 1]) == size &&
           std::is_sorted(first, first + start.size()),
       "row starts are not inside of their array");
}

// One more than the largest of some indices, 0 where there are none.
inline size_t bound_of(const In<int32_t>& indices) {
  int32_t least = 0, most = -1;
  for (size_t k = 0; k < indices.size(); ++k) {
    least = std::min(least, indices.data()[k]);
    most = std::max(most, indices.data()[k]);
  }
  must(least >= 0, "an index is negative");
  return static_cast<size_t>(most + int64_t{1});
}

}  // namespace anaphor
