// Prefetching, where the compiler offers it.
#pragma once

namespace anaphor {

// Starts loading memory that will be read soon: tables are larger than caches, and most time would be spent waiting.
inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

}  // namespace anaphor
