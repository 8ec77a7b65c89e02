// Work in numbered blocks, shared out among threads.
//
// Which thread takes which block is left to chance. Results never depend on it: blocks write to places of
// their own, and counts are summed as integers, where the order of additions makes no difference.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace anaphor {

// Calls work(block, thread) once for every block in [0, blocks). The first exception stops the rest and is
// thrown here, in the caller's thread.
template <class Work>
void in_parallel(int64_t blocks, int threads, const Work& work) {
  std::atomic<int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failing;
  const auto run = [&](int thread) {
    try {
      for (int64_t block; (block = next.fetch_add(1)) < blocks;) work(block, thread);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(failing);
      if (!failure) failure = std::current_exception();
      next = blocks;
    }
  };
  const int extra = static_cast<int>(std::min<int64_t>(threads, blocks)) - 1;
  std::vector<std::thread> crew;
  for (int thread = 1; thread <= extra; ++thread) crew.emplace_back(run, thread);
  run(0);
  for (std::thread& member : crew) member.join();
  if (failure) std::rethrow_exception(failure);
}

// Expected counts as integers in units of 2^-32. Two's-complement addition is associative, so that sums
// over threads are the same to the last bit however the work was split; 2^31 whole counts fit.
using Count = int64_t;
constexpr double kCountUnit = 4294967296.0;

inline Count to_count(double value) { return static_cast<Count>(value * kCountUnit); }
inline double from_count(Count count) { return static_cast<double>(count) / kCountUnit; }

// One zeroed array of counts per thread, added up into `total` at the end.
class ThreadCounts {
 public:
  ThreadCounts(int threads, size_t size) : parts_(static_cast<size_t>(threads)) {
    for (auto& part : parts_) part.assign(size, 0);
  }
  Count* of(int thread) { return parts_[static_cast<size_t>(thread)].data(); }
  void add_to(Count* total) const {
    for (const auto& part : parts_)
      for (size_t i = 0; i < part.size(); ++i) total[i] += part[i];
  }

 private:
  std::vector<std::vector<Count>> parts_;
};

}  // namespace anaphor
