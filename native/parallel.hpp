// Work in numbered blocks, shared out among threads.
//
// Which thread takes which block is left to chance. Results never depend on it: blocks write to places of
// their own, and counts are summed as integers, where the order of additions makes no difference.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace anaphor {

// Told about twenty times a second, in the caller's thread, which share of the work is done. An exception
// thrown from it stops all threads: this is how Ctrl-C gets in. May be empty.
using Watch = std::function<void(double)>;

// Calls work(block, thread) once for every block in [0, blocks). The first exception stops the rest and is
// thrown here, in the caller's thread. A thread that cannot be started is done without.
template <class Work>
void in_parallel(int64_t blocks, int threads, const Watch& watch, const Work& work) {
  std::atomic<int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failing;
  const auto run = [&](int thread) {
    using Clock = std::chrono::steady_clock;
    auto told = Clock::now();
    try {
      for (int64_t block; (block = next.fetch_add(1)) < blocks;) {
        work(block, thread);
        if (thread > 0 || !watch || Clock::now() - told < std::chrono::milliseconds(50)) continue;
        watch(static_cast<double>(block + 1) / static_cast<double>(blocks));
        told = Clock::now();
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(failing);
      if (!failure) failure = std::current_exception();
      next = blocks;
    }
  };
  const int extra = static_cast<int>(std::min<int64_t>(threads, blocks)) - 1;
  std::vector<std::thread> workers;
  workers.reserve(static_cast<size_t>(std::max(extra, 0)));
  try {
    for (int thread = 1; thread <= extra; ++thread) workers.emplace_back(run, thread);
  } catch (const std::system_error&) {
  }
  run(0);
  for (std::thread& worker : workers) worker.join();
  if (failure) std::rethrow_exception(failure);
}

// Calls work(first, last) for stretches of [0, size) that together are all of it.
template <class Work>
void in_stretches(int64_t size, int64_t stretch, int threads, const Work& work) {
  in_parallel((size + stretch - 1) / stretch, threads, {}, [&](int64_t block, int) {
    work(block * stretch, std::min((block + 1) * stretch, size));
  });
}

// Expected counts as integers in units of 2^-32. Two's-complement addition is associative, so that sums
// over threads are the same to the last bit however the work was split; 2^31 whole counts fit.
using Count = int64_t;
constexpr double kCountUnit = 4294967296.0;

inline Count to_count(double value) { return static_cast<Count>(value * kCountUnit); }
inline double from_count(Count count) { return static_cast<double>(count) / kCountUnit; }

// One zeroed array of counts per thread, and their sum.
class ThreadCounts {
 public:
  ThreadCounts(int threads, size_t size) : parts_(static_cast<size_t>(threads)) {
    in_stretches(threads, 1, threads, [&](int64_t first, int64_t) { parts_[static_cast<size_t>(first)].assign(size, 0); });
  }
  Count* of(int thread) { return parts_[static_cast<size_t>(thread)].data(); }
  // The sum, in the place of the first thread's counts.
  std::vector<Count> sum() {
    const auto size = static_cast<int64_t>(parts_[0].size());
    in_stretches(size, 1 << 16, static_cast<int>(parts_.size()), [&](int64_t first, int64_t last) {
      for (size_t part = 1; part < parts_.size(); ++part)
        for (int64_t k = first; k < last; ++k) parts_[0][static_cast<size_t>(k)] += parts_[part][static_cast<size_t>(k)];
    });
    return std::move(parts_[0]);
  }

 private:
  std::vector<std::vector<Count>> parts_;
};

}  // namespace anaphor
