// Draws with replacement, as NumPy's Generator(PCG64).integers makes them, counted while they are made.
//
// anaphor/stats/resampling.py is the reference; the numbers are NumPy's to the last one, so that a seed means the
// same with and without this extension.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace anaphor {

// PCG64 (O'Neill's XSL-RR 128/64): a linear congruential generator of 128 bits, of which it shows 64.
class Pcg64 {
 public:
  Pcg64(uint64_t high, uint64_t low, uint64_t step_high, uint64_t step_low)
      : high_(high), low_(low), step_high_(step_high), step_low_(step_low) {}

  // 64 bits. NumPy takes numbers of 32 bits from them, the lower half first.
  uint64_t next() {
    advance();
    const uint64_t mixed = high_ ^ low_;
    const unsigned turn = static_cast<unsigned>(high_ >> 58);
    return (mixed >> turn) | (mixed << ((64 - turn) & 63));
  }

 private:
  static constexpr uint64_t kHigh = 2549297995355413924ULL, kLow = 4865540595714422341ULL;

  void advance() {
#ifdef __SIZEOF_INT128__
    __extension__ using Wide = unsigned __int128;
    const Wide state = ((static_cast<Wide>(high_) << 64) | low_) * ((static_cast<Wide>(kHigh) << 64) | kLow) +
                       ((static_cast<Wide>(step_high_) << 64) | step_low_);
    high_ = static_cast<uint64_t>(state >> 64);
    low_ = static_cast<uint64_t>(state);
#else
    const uint64_t a = low_ & UINT32_MAX, b = low_ >> 32, c = kLow & UINT32_MAX, d = kLow >> 32;
    const uint64_t middle = ((a * c) >> 32) + ((b * c) & UINT32_MAX) + a * d;
    const uint64_t carried = b * d + ((b * c) >> 32) + (middle >> 32);
    const uint64_t low = low_ * kLow + step_low_;
    high_ = carried + high_ * kLow + low_ * kHigh + step_high_ + (low < step_low_ ? 1 : 0);
    low_ = low;
#endif
  }

  uint64_t high_, low_, step_high_, step_low_;
};

// Numbers below a limit, all equally likely (Lemire 2019), from 32 bits each.
class Below {
 public:
  static constexpr size_t kLanes = 4;

  explicit Below(const Pcg64& random) : random_(random) {}

  // Calls use(number, lane) `count` times. Lanes are below kLanes; neighbouring numbers mostly have different ones.
  template <class Use>
  void each(uint32_t limit, uint64_t count, const Use& use) {
    const uint32_t threshold = (UINT32_MAX - (limit - 1)) % limit;
    // The generator is copied, for through a reference every number would be written back to memory.
    Pcg64 random = random_;
    const auto take = [&](uint64_t bits, size_t lane) {
      const uint64_t product = (bits & UINT32_MAX) * limit;
      if (static_cast<uint32_t>(product) < threshold) return;
      use(static_cast<uint32_t>(product >> 32), lane);
      --count;
    };
    if (left_ && count > 0) {
      left_ = false;
      take(rest_, 0);
    }
    // As long as two words cannot be too many, nobody has to ask after each number whether it was the last.
    while (count >= kLanes) {
      const uint64_t one = random.next(), two = random.next();
      take(one, 0);
      take(one >> 32, 1);
      take(two, 2);
      take(two >> 32, 3);
    }
    while (count > 0) {
      const uint64_t bits = random.next();
      take(bits, 0);
      rest_ = static_cast<uint32_t>(bits >> 32);
      if (count > 0) {
        take(rest_, 1);
      } else {
        left_ = true;
      }
    }
    random_ = random;
  }

 private:
  Pcg64 random_;
  bool left_ = false;
  uint32_t rest_ = 0;
};

// Adds up, for each of `rows` resamples of `items` items, how often an item of each kind is drawn.
//
// Item k is of kind kinds[k], which is below `columns`; without `kinds` every item is a kind of its own. Each lane counts
// in a table of its own where kinds are few: the same place twice in a row would wait for itself.
inline void count_draws(Below& random, size_t rows, uint32_t items, const int32_t* kinds, size_t columns, double* to) {
  constexpr size_t kFew = 4096;
  const size_t tables = kinds != nullptr && columns <= kFew ? Below::kLanes : 1;
  std::vector<uint32_t> counts(tables * columns);
  uint32_t* const count = counts.data();
  for (size_t row = 0; row < rows; ++row, to += columns) {
    counts.assign(counts.size(), 0);
    if (kinds == nullptr) {
      random.each(items, items, [=](uint32_t item, size_t) { ++count[item]; });
    } else {
      const size_t apart = tables > 1 ? columns : 0;
      random.each(items, items, [=](uint32_t item, size_t lane) {
        ++count[lane * apart + static_cast<size_t>(kinds[item])];
      });
    }
    for (size_t k = 0; k < columns; ++k) {
      uint32_t sum = 0;
      for (size_t table = 0; table < tables; ++table) sum += count[table * columns + k];
      to[k] = static_cast<double>(sum);
    }
  }
}

}  // namespace anaphor
