// Memory that lies well for the processor, and prefetching, where the compiler offers it.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace anaphor {

constexpr size_t kCacheLine = 64;

// Begins with a line of the cache. Wide loads that cross lines take twice as long, those of tiles four times.
template <class Value>
struct Aligned {
  using value_type = Value;
  Aligned() = default;
  template <class Other>
  explicit Aligned(const Aligned<Other>&) {}
  Value* allocate(size_t size) {
    return static_cast<Value*>(::operator new(size * sizeof(Value), std::align_val_t(kCacheLine)));
  }
  void deallocate(Value* values, size_t) { ::operator delete(values, std::align_val_t(kCacheLine)); }
  bool operator==(const Aligned&) const { return true; }
  bool operator!=(const Aligned&) const { return false; }
};

template <class Value>
using AlignedVector = std::vector<Value, Aligned<Value>>;

// Starts loading memory that will be read soon: tables are larger than caches, and most time would be spent waiting.
inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

}  // namespace anaphor
