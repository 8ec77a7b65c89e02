// What all bindings share: NumPy arrays in and out, and Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

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

}  // namespace anaphor
