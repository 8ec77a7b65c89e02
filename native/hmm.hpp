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
#include <utility>
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

// A direction of one sentence pair; kept between sentences so that nothing is allocated in the loop.
//
// All loops are short, and a branch that depends on the numbers would be guessed wrong too often. So slots and states are
// taken kTogether at once, also beyond the last: arrays have room for that, and what is computed there is not used.
class Lattice {
 public:
  // What goes in, after begin(): the null emission of every word, where its slots start, and the place and emission of
  // each slot, by ascending place.
  std::vector<int> start, place;
  std::vector<double> null, emission;

  void begin(int states, int words, size_t slots) {
    states_ = states, no_slot_ = static_cast<int>(slots);
    start.assign(static_cast<size_t>(words) + 1, 0), null.resize(static_cast<size_t>(words));
    place.resize(slots + kTogether), emission.resize(slots + kTogether);
    std::fill(place.begin() + no_slot_, place.end(), 0);
    std::fill(emission.begin() + no_slot_, emission.end(), 0.0);
  }

  // What comes out: the posterior of every slot, and one more number without a meaning.
  std::vector<double> posterior;

  int words() const { return static_cast<int>(null.size()); }

  // Fills `posterior`. Where `jump_counts` is given, adds to jump_counts[kReach + d] how often the model
  // expects a jump of d.
  void forward_backward(const Jumps& jumps, double p0, double* jump_counts) {
    for (int k = -1; k < states_; ++k) leave_[static_cast<size_t>(k + 1)] = (1 - p0) / jumps.ways(k, states_);
    posterior.assign(static_cast<size_t>(no_slot_) + 1, 0.0);
    scale_.resize(null.size());
    make_room(1);
    kept_.place[0] = -1, kept_.slot[0] = no_slot_, kept_.real[0] = 0, kept_.mass[0] = 1;
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
          const double move = leave(there) * jumps.from(there)[here] * emission[static_cast<size_t>(kept_.slot[s])];
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
  static constexpr size_t kTogether = 4;
  static constexpr size_t kMost = kLongest + 1 + kTogether;  // states of a group, and those taken together with the last
  static constexpr int kEnd = INT32_MAX;                     // a place behind all others
  static constexpr size_t kNowhere = kMost;                  // which state stayed, where none did
  static_assert(kLongest < kReach, "longer sentences do not come here: fits_lattice");

  // Group 0 holds the start, group t + 1 the states after word t.
  int first(int group) const { return group_[static_cast<size_t>(group)]; }
  // (1 - p0) / Z(from), the factor of all jumps from a place.
  double leave(int from) const { return leave_[static_cast<size_t>(from + 1)]; }

  void make_room(size_t size) {
    size += kTogether;
    if (kept_.place.size() >= size) return;
    for (auto* numbers : {&kept_.place, &kept_.slot, &kept_.stayed}) numbers->resize(2 * size);
    for (auto* numbers : {&kept_.real, &kept_.mass, &kept_.behind}) numbers->resize(2 * size);
  }

  // From group `word` to group `word` + 1.
  void advance(const Jumps& jumps, double p0, int word) {
    const double stay = p0 * null[static_cast<size_t>(word)];
    const auto before = static_cast<size_t>(first(word)), after = static_cast<size_t>(first(word + 1));
    const auto begin = static_cast<size_t>(start[static_cast<size_t>(word)]);
    const auto end = static_cast<size_t>(start[static_cast<size_t>(word) + 1]);
    make_room(after + after - before + end - begin);
    send(jumps, stay, before, after);
    // The states before sum to one, so that `stay` is the mass of all that stays with the null word.
    const double least = kBeam * (receive(after - before, begin, end) + stay);
    // The places of slots and of the states before are merged in their order; the beam leaves some of them.
    int* const place_of = kept_.place.data() + after;
    int* const slot_of = kept_.slot.data() + after;
    int* const stayed = kept_.stayed.data() + after;
    double* const real_of = kept_.real.data() + after;
    double* const mass_of = kept_.mass.data() + after;
    size_t slot = 0, state = 0, left = 0;
    double total = 0;
    for (int at; (at = std::min(here_[slot], there_[state])) != kEnd;) {
      const bool moves = here_[slot] == at, stays = there_[state] == at;
      const double real = real_[slot] * static_cast<double>(moves);
      const double mass = real + stays_[state] * static_cast<double>(stays);
      const bool keeps = mass > least;
      place_of[left] = at;
      slot_of[left] = static_cast<int>(moves ? begin + slot : static_cast<size_t>(no_slot_));
      stayed[left] = static_cast<int>(stays ? state : kNowhere);
      real_of[left] = real, mass_of[left] = mass;
      total += mass * static_cast<double>(keeps);
      left += keeps, slot += moves, state += stays;
    }
    const double scale = 1 / total;
    for (size_t k = 0; k < left; k += kTogether)
      for (size_t x = k; x < k + kTogether; ++x) real_of[x] *= scale, mass_of[x] *= scale;
    scale_[static_cast<size_t>(word)] = total;
    group_.push_back(static_cast<int>(after + left));
  }

  // What the states [before, after) give, to the places that words can come from and, with the null word, to their own.
  void send(const Jumps& jumps, double stay, size_t before, size_t after) {
    for (size_t k = before; k < after; ++k) {
      const int at = kept_.place[k];
      senders_[k - before] = {jumps.from(at), kept_.mass[k] * leave(at)};
      there_[k - before] = at, stays_[k - before] = stay * kept_.mass[k];
    }
    there_[after - before] = kEnd;
  }

  // What the slots [begin, end) get from so many states, times their emissions; the sum of it comes back.
  double receive(size_t senders, size_t begin, size_t end) {
    for (size_t slot = begin; slot < end; slot += kTogether) {
      double sums[kTogether] = {};
      for (size_t k = 0; k < senders; ++k)
        for (size_t x = 0; x < kTogether; ++x) sums[x] += senders_[k].mass * senders_[k].jump[place[slot + x]];
      for (size_t x = 0; x < kTogether; ++x)
        real_[slot - begin + x] = emission[slot + x] * sums[x], here_[slot - begin + x] = place[slot + x];
    }
    here_[end - begin] = kEnd;
    std::fill_n(&real_[end - begin], kTogether, 0.0);
    double totals[kTogether] = {};
    for (size_t slot = 0; slot < end - begin; slot += kTogether)
      for (size_t x = 0; x < kTogether; ++x) totals[x] += real_[slot + x];
    return (totals[0] + totals[1]) + (totals[2] + totals[3]);
  }

  // The posteriors of a word, and what lies behind the states before it. States that no slot gave mass have no emission.
  void retreat(const Jumps& jumps, double p0, int word, double* jump_counts) {
    const double scale = 1 / scale_[static_cast<size_t>(word)];
    const double stay = p0 * null[static_cast<size_t>(word)] * scale;
    const auto before = static_cast<size_t>(first(word)), after = static_cast<size_t>(first(word + 1)),
               end = static_cast<size_t>(first(word + 2));
    for (size_t s = after; s < end; ++s) {
      const auto slot = static_cast<size_t>(kept_.slot[s]);
      const double behind = kept_.behind[s];
      posterior[slot] = kept_.real[s] * behind;
      receives_[s - after] = emission[slot] * behind;
      remains_[static_cast<size_t>(kept_.stayed[s])] = stay * behind;
    }
    for (size_t b = before; b < after; b += kTogether) {
      const double* jump[kTogether];
      double behind[kTogether] = {};
      for (size_t x = 0; x < kTogether; ++x) jump[x] = jumps.from(kept_.place[b + x]);
      for (size_t s = after; s < end; ++s)
        for (size_t x = 0; x < kTogether; ++x) behind[x] += jump[x][kept_.place[s]] * receives_[s - after];
      // Beyond the last state this writes into the group after it, which is done with.
      for (size_t x = 0; x < kTogether; ++x)
        kept_.behind[b + x] = leave(kept_.place[b + x]) * scale * behind[x] + std::exchange(remains_[b - before + x], 0.0);
    }
    if (jump_counts != nullptr)
      for (size_t b = before; b < after; ++b) {
        const int here = kept_.place[b];
        const double weight = kept_.mass[b] * (leave(here) * scale);
        for (size_t s = after; s < end; ++s)
          jump_counts[kReach + kept_.place[s] - here] += weight * jumps.from(here)[kept_.place[s]] * receives_[s - after];
      }
  }

  // Places with mass after a word: which slot gave them real mass, if any, which state of the group before has the same
  // place, and how much there is, of real mass and in all.
  struct Kept {
    std::vector<int> place, slot, stayed;
    std::vector<double> real, mass, behind;
  };

  // A place before a word, as the places it moves to see it.
  struct Sender {
    const double* jump;
    double mass;
  };

  int states_ = 0, no_slot_ = 0;
  std::vector<int> group_;
  std::vector<double> scale_;
  Kept kept_;  // more than there are: the last group ends at group_.back()
  std::array<double, kMost> leave_{};
  // Of the word in work: the states before it (`there_`), its slots (`here_`), and what states send and slots receive.
  std::array<Sender, kMost> senders_{};
  std::array<int, kMost> here_{}, there_{};
  std::array<double, kMost> real_{}, stays_{}, receives_{};
  std::array<double, kMost + 1> remains_{};  // zero between words
};

struct Model {
  const float* tables;  // p(t | s), p(s | t) of every entry
  const float *source_unigram, *target_unigram;
  const float *source_null, *target_null;  // what the null word emits
  Jumps forward, reverse;
  double null, smoothing, diagonal;
};

}  // namespace anaphor
