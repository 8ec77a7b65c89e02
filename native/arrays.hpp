// Arrays of NumPy, in and out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

namespace anaphor {

// An array that is only read; one that lies otherwise in memory is copied.
template <class T, size_t kDimensions = 1>
using In = nanobind::ndarray<const T, nanobind::ndim<kDimensions>, nanobind::c_contig, nanobind::device::cpu>;

template <class T>
using Out = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;

// Hands a vector over to Python without copying it.
template <class T>
Out<T> give(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Out<T>(owned->data(), {owned->size()}, owner);
}

}  // namespace anaphor
