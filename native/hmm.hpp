// The hidden Markov model of word alignment, one direction (Vogel et al. 1996; null words after Och and Ney 2003).
//
// Words are generated one after the other; each comes from one of `states` places of the other sentence, or
// from the null word. The probability of moving from place k to i depends on i - k alone:
//
//   p(i | k) = (1 - p0) * jump(i - k) / Z(k),    Z(k) = sum over i of jump(i - k),
//
// and a null word keeps the place k of the last real one in mind: p(null k | k) = p0. Before the first real
// word that place is -1. With m(k) the mass of "the last real place is k" after word t-1, e the emissions
// and n the null emission of word t,
//
//   real(i) = e(i) * sum over k of m(k) p(i | k),    null(i) = n * p0 * m(i),    m'(i) = real(i) + null(i),
//
// each divided by their total c(t), so that nothing underflows. What is to come depends only on the last
// real place, so that one backward vector b serves real and null alike:
//
//   b(k) at t-1 = [ sum over i of p(i | k) e(i) b(i) + p0 n b(k) ] / c(t),
//
// and real(i) b(i) is the posterior probability that word t comes from place i.
//
// All of this is sparse. A word can only come from places where the table has the pair (its slots), usually
// a handful; and places with less than kBeam of the mass after a word are forgotten. A step then costs the
// product of two small numbers, whatever the length of the sentence.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "bitext.hpp"

namespace anaphor {

constexpr int kReach = 256;  // jumps are told apart up to this distance
constexpr int kJumps = 2 * kReach + 1;
constexpr double kBeam = 1e-3;  // places with a smaller share of the mass are forgotten

class Jumps {
 public:
  explicit Jumps(const float* table) : table_(table, table + kJumps), below_(kJumps + 1) {
    for (size_t d = 0; d < kJumps; ++d) below_[d + 1] = below_[d] + table_[d];
  }
  // from(k)[i] is jump(i - k).
  const double* from(int k) const { return table_.data() + kReach - k; }
  // Z(k) among n places.
  double ways(int k, int n) const {
    return below_[static_cast<size_t>(kReach + n - k)] - below_[static_cast<size_t>(kReach - k)];
  }

 private:
  std::vector<double> table_, below_;  // below_: sums of all jumps before each
};

constexpr int kNone = -1;

inline size_t lowest_bit(uint64_t bits) {
#if defined(__GNUC__)
  return static_cast<size_t>(__builtin_ctzll(bits));
#else
  size_t place = 0;
  for (; (bits & 1) == 0; bits >>= 1) ++place;
  return place;
#endif
}

// A direction of one sentence pair; kept between sentences so that nothing is allocated in the loop.
//
// Places are counted from 1 here, and 0 is the one before the first. What belongs to a place stands in arrays with room
// for all of them, which are cleared after every word: the branches of a merge would be guessed wrong too often.
class Lattice {
 public:
  // What goes in, after begin(): the null emission of every word, where its slots start, and the place and emission of
  // each slot, by ascending place.
  std::vector<int> start, place;
  std::vector<double> null, emission;

  void begin(int states, int words, size_t slots) {
    states_ = states, no_slot_ = static_cast<int>(slots);
    slot_.fill(no_slot_);
    start.assign(static_cast<size_t>(words) + 1, 0), null.resize(static_cast<size_t>(words));
    place.resize(slots), emission.resize(slots + 1);
    emission[slots] = 0;
  }

  // What comes out: the posterior of every slot, and one more number without a meaning.
  std::vector<double> posterior;

  int words() const { return static_cast<int>(null.size()); }

  // Fills `posterior`. Where `jump_counts` is given, adds to jump_counts[kReach + d] how often the model
  // expects a jump of d.
  void forward_backward(const Jumps& jumps, double p0, double* jump_counts) {
    leave_.resize(static_cast<size_t>(states_) + 1);
    for (int k = -1; k < states_; ++k) leave_[static_cast<size_t>(k + 1)] = (1 - p0) / jumps.ways(k, states_);
    posterior.assign(place.size() + 1, 0.0);
    scale_.resize(null.size());
    make_room(1);
    kept_.place[0] = 0, kept_.slot[0] = no_slot_, kept_.real[0] = 0, kept_.mass[0] = 1;
    group_.assign({0, 1});
    for (int word = 0; word < words(); ++word) advance(jumps, p0, word);
    std::fill(kept_.behind.begin() + first(words()), kept_.behind.begin() + first(words() + 1), 1.0);
    for (int word = words() - 1; word >= 0; --word) retreat(jumps, p0, word, jump_counts);
  }

  // After forward_backward: the slot of each word on the most probable way through the kept states as a
  // whole (Viterbi), kNone where it is the null word's. Of equally probable ways the one further left.
  void best_way(const Jumps& jumps, double p0, std::vector<int>& slots) {
    const auto states = static_cast<size_t>(group_.back());
    std::vector<double> value(states, 0.0);
    std::vector<int> from(states, 0);
    std::vector<bool> real(states, false);
    value[0] = 1;
    for (int word = 0; word < words(); ++word) {
      double best = 0;
      for (auto s = static_cast<size_t>(first(word + 1)); s < static_cast<size_t>(first(word + 2)); ++s) {
        for (int k = first(word); k < first(word + 1); ++k) {
          const auto from_k = static_cast<size_t>(k);
          const int here = kept_.place[s], there = kept_.place[from_k];
          const double move = leave_[static_cast<size_t>(there)] * jumps.from(there)[here] *
                              emission[static_cast<size_t>(kept_.slot[s])];
          if (kept_.slot[s] != no_slot_ && value[from_k] * move > value[s])
            value[s] = value[from_k] * move, from[s] = k, real[s] = true;
          const double stay = p0 * null[static_cast<size_t>(word)];
          if (here == there && value[from_k] * stay > value[s]) value[s] = value[from_k] * stay, from[s] = k, real[s] = false;
        }
        best = std::max(best, value[s]);
      }
      for (int s = first(word + 1); s < first(word + 2); ++s) value[static_cast<size_t>(s)] /= best;
    }
    slots.assign(null.size(), kNone);
    const auto last = value.begin() + first(words());
    auto s = static_cast<size_t>(std::max_element(last, value.end()) - value.begin());
    for (size_t word = null.size(); word-- > 0; s = static_cast<size_t>(from[s]))
      if (real[s]) slots[word] = kept_.slot[s];
  }

 private:
  static constexpr size_t kPlaces = 256;  // more than a sentence has, by a lane of eight
  static constexpr int kWide = 8;         // places whose masses are summed together
  static_assert(kLongest + 1 + kWide < static_cast<int>(kPlaces), "longer sentences do not come here: fits_lattice");
  static constexpr size_t kTogether = 4;  // states

  // Group 0 holds the start, group t + 1 the states after word t.
  int first(int group) const { return group_[static_cast<size_t>(group)]; }

  void make_room(size_t size) {
    if (kept_.place.size() >= size) return;
    kept_.place.resize(2 * size), kept_.slot.resize(2 * size);
    for (auto* numbers : {&kept_.real, &kept_.mass, &kept_.behind}) numbers->resize(2 * size);
  }

  // From group `word` to group `word` + 1.
  void advance(const Jumps& jumps, double p0, int word) {
    const double stay = p0 * null[static_cast<size_t>(word)];
    const int before = first(word), after = first(word + 1);
    const int begin = start[static_cast<size_t>(word)], end = start[static_cast<size_t>(word) + 1];
    make_room(static_cast<size_t>(after + after - before + end - begin));
    uint64_t met[kPlaces / 64] = {}, met_first = 0;  // a bit for each place with mass; most sentences need those of one number
    const auto meet = [&](size_t at) { (at < 64 ? met_first : met[at / 64]) |= uint64_t{1} << (at % 64); };
    if (begin < end) reach(jumps, before, after, place[static_cast<size_t>(begin)], place[static_cast<size_t>(end) - 1]);
    for (int slot = begin; slot < end; ++slot) {
      const auto at = static_cast<size_t>(place[static_cast<size_t>(slot)]) + 1;
      real_[at] = emission[static_cast<size_t>(slot)] * reached_[at], slot_[at] = slot;
      meet(at);
    }
    for (int k = before; k < after; ++k) {
      const auto at = static_cast<size_t>(kept_.place[static_cast<size_t>(k)]);
      stays_[at] = stay * kept_.mass[static_cast<size_t>(k)];
      meet(at);
    }
    met[0] = met_first;
    // The places with mass, in their order.
    int* const places = kept_.place.data() + after;
    double* const masses = kept_.mass.data() + after;
    int found = 0;
    double total = 0;
    for (size_t part = 0; part <= static_cast<size_t>(states_) / 64; ++part)
      for (uint64_t left = met[part]; left != 0; left &= left - 1, ++found) {
        const size_t at = 64 * part + lowest_bit(left);
        places[found] = static_cast<int>(at);
        total += masses[found] = real_[at] + stays_[at];
      }
    // Those that the beam leaves, scaled so that they sum to one.
    const double least = kBeam * total;
    int left = 0;
    total = 0;
    for (int k = 0; k < found; ++k) {
      const double mass = masses[k];
      places[left] = places[k], masses[left] = mass;
      left += mass <= least ? 0 : 1;
    }
    for (int k = 0; k < left; ++k) total += masses[k];
    const double scale = 1 / total;
    for (int k = 0; k < left; ++k) {
      const auto at = static_cast<size_t>(places[k]), state = static_cast<size_t>(after + k);
      kept_.slot[state] = slot_[at];
      kept_.real[state] = real_[at] * scale, kept_.mass[state] *= scale;
    }
    scale_[static_cast<size_t>(word)] = total;
    group_.push_back(after + left);
    for (int slot = begin; slot < end; ++slot) {
      const auto at = static_cast<size_t>(place[static_cast<size_t>(slot)]) + 1;
      real_[at] = 0, slot_[at] = no_slot_;
    }
    for (int k = before; k < after; ++k) stays_[static_cast<size_t>(kept_.place[static_cast<size_t>(k)])] = 0;
  }

  // What comes to the places from `left` to `right` from the states [before, after): for all of them, whether the word has a
  // slot there or not, because neighbours are computed together.
  void reach(const Jumps& jumps, int before, int after, int left, int right) {
    senders_.clear();
    for (auto k = static_cast<size_t>(before); k < static_cast<size_t>(after); ++k)
      senders_.push_back({jumps.from(kept_.place[k]), kept_.mass[k] * leave_[static_cast<size_t>(kept_.place[k])]});
    for (int at = left + 1; at <= right + 1; at += kWide) {
      double sums[kWide] = {};
      for (const Sender& sender : senders_)
        for (int x = 0; x < kWide; ++x) sums[x] += sender.mass * sender.jump[at + x];
      std::copy_n(sums, kWide, reached_.begin() + at);
    }
  }

  // The posteriors of a word, and what lies behind the states before it. States that no slot gave mass have no emission.
  void retreat(const Jumps& jumps, double p0, int word, double* jump_counts) {
    const double scale = 1 / scale_[static_cast<size_t>(word)];
    const double stay = p0 * null[static_cast<size_t>(word)] * scale;
    const auto before = static_cast<size_t>(first(word)), after = static_cast<size_t>(first(word + 1)),
               end = static_cast<size_t>(first(word + 2));
    receives_.resize(end - after);
    for (size_t s = after; s < end; ++s) {
      const auto slot = static_cast<size_t>(kept_.slot[s]);
      posterior[slot] = kept_.real[s] * kept_.behind[s];
      receives_[s - after] = emission[slot] * kept_.behind[s];
      stays_[static_cast<size_t>(kept_.place[s])] = stay * kept_.behind[s];
    }
    // Some states at once, for every sum is a chain of additions; those after the last are the last again.
    for (size_t b = before; b < after; b += kTogether) {
      const double* jump[kTogether];
      double behind[kTogether] = {};
      for (size_t x = 0; x < kTogether; ++x) jump[x] = jumps.from(kept_.place[std::min(b + x, after - 1)]);
      for (size_t s = after; s < end; ++s)
        for (size_t x = 0; x < kTogether; ++x) behind[x] += jump[x][kept_.place[s]] * receives_[s - after];
      for (size_t x = 0; x < std::min(kTogether, after - b); ++x) {
        const auto here = static_cast<size_t>(kept_.place[b + x]);
        kept_.behind[b + x] = leave_[here] * scale * behind[x] + stays_[here];
      }
    }
    if (jump_counts != nullptr)
      for (size_t b = before; b < after; ++b) {
        const int here = kept_.place[b];
        const double weight = kept_.mass[b] * (leave_[static_cast<size_t>(here)] * scale);
        for (size_t s = after; s < end; ++s)
          jump_counts[kReach + kept_.place[s] - here] += weight * jumps.from(here)[kept_.place[s]] * receives_[s - after];
      }
    for (size_t s = after; s < end; ++s) stays_[static_cast<size_t>(kept_.place[s])] = 0;
  }

  // Places with mass after a word: which slot gave them real mass, if any, and how much there is, of real mass and in all.
  struct Kept {
    std::vector<int> place, slot;
    std::vector<double> real, mass, behind;
  };

  // A place before a word, as the places it moves to see it.
  struct Sender {
    const double* jump;
    double mass;
  };

  int states_ = 0, no_slot_ = 0;
  std::vector<int> group_;
  std::vector<double> leave_, scale_, receives_;
  std::vector<Sender> senders_;
  Kept kept_;  // more than there are: the last group ends at group_.back()
  // By place.
  std::array<double, kPlaces> reached_{}, real_{}, stays_{};
  std::array<int, kPlaces> slot_{};
};

struct Model {
  const float* tables;  // p(t | s), p(s | t) of every entry
  const float *source_unigram, *target_unigram;
  const float *source_null, *target_null;  // what the null word emits
  Jumps forward, reverse;
  double null, smoothing, diagonal;
};

}  // namespace anaphor
