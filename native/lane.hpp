// Sixteen floats handled at once, in registers of the width a processor has.
//
// `Lane<Part>` is made of parts of one register each: 16 bytes for NEON and SSE, 32 for AVX2, 64 for AVX-512.
// Code written for any Part is compiled once per kind of processor (see forward_backward in hmm.hpp). Other
// compilers than GCC and Clang use plain floats as parts.
#pragma once

#include <algorithm>
#include <cstring>

#if defined(__GNUC__)
#define ANAPHOR_INLINE inline __attribute__((always_inline))
#else
#define ANAPHOR_INLINE inline
#endif

namespace anaphor {

constexpr int kLanes = 16;

#if defined(__GNUC__)
typedef float Narrow __attribute__((vector_size(16)));
typedef float Middle __attribute__((vector_size(32)));
typedef float Wide __attribute__((vector_size(64)));
#else
using Narrow = float;
#endif

template <class Part>
struct Lane {
  static constexpr int kParts = kLanes * static_cast<int>(sizeof(float)) / static_cast<int>(sizeof(Part));
  Part part[kParts];
};

// Copies are how unaligned memory is read without breaking any rule. Part by part they compile to plain
// loads and stores; as a whole, the lane would be spilled to the stack.
template <class Part>
ANAPHOR_INLINE Lane<Part> load(const float* from) {
  Lane<Part> lane;
  for (int p = 0; p < lane.kParts; ++p)
    std::memcpy(&lane.part[p], from + p * kLanes / lane.kParts, sizeof(Part));
  return lane;
}
template <class Part>
ANAPHOR_INLINE void store(const Lane<Part>& lane, float* to) {
  for (int p = 0; p < lane.kParts; ++p)
    std::memcpy(to + p * kLanes / lane.kParts, &lane.part[p], sizeof(Part));
}
template <class Part>
ANAPHOR_INLINE Lane<Part> zero() {
  Lane<Part> lane;
  for (int p = 0; p < lane.kParts; ++p) lane.part[p] = Part{};
  return lane;
}
template <class Part>
ANAPHOR_INLINE void add(Lane<Part>& to, const Lane<Part>& lane) {
  for (int p = 0; p < to.kParts; ++p) to.part[p] += lane.part[p];
}
template <class Part>
ANAPHOR_INLINE void add(Lane<Part>& to, float weight, const Lane<Part>& lane) {
  for (int p = 0; p < to.kParts; ++p) to.part[p] += weight * lane.part[p];
}
template <class Part>
ANAPHOR_INLINE void scale(Lane<Part>& to, const Lane<Part>& by) {
  for (int p = 0; p < to.kParts; ++p) to.part[p] *= by.part[p];
}
template <class Part>
ANAPHOR_INLINE void scale(Lane<Part>& to, float by) {
  for (int p = 0; p < to.kParts; ++p) to.part[p] *= by;
}
template <class Part>
ANAPHOR_INLINE void raise(Lane<Part>& to, const Lane<Part>& least) {
  for (int p = 0; p < to.kParts; ++p) to.part[p] = to.part[p] > least.part[p] ? to.part[p] : least.part[p];
}

}  // namespace anaphor
