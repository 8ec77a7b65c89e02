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
#include <cstdint>
#include <vector>

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

// A place with mass after a word. `slot` says which slot gave it real mass; kNone if only null words did.
struct State {
  int place, slot;
  double emission, real, mass, behind;
};
constexpr int kNone = -1;

// One direction of one sentence pair; kept between sentences so that nothing is allocated in the loop.
class Lattice {
 public:
  // What goes in, after begin(): the null emission of every word, where its slots start, and the place and emission of
  // each slot, by ascending place.
  std::vector<int> start, place;
  std::vector<double> null, emission;

  void begin(int states, int words, size_t slots) {
    states_ = states;
    start.assign(static_cast<size_t>(words) + 1, 0), null.resize(static_cast<size_t>(words));
    place.resize(slots), emission.resize(slots);
  }

  // What comes out: the posterior of every slot.
  std::vector<double> posterior;

  int words() const { return static_cast<int>(null.size()); }

  // Fills `posterior`. Where `jump_counts` is given, adds to jump_counts[kReach + d] how often the model
  // expects a jump of d.
  void forward_backward(const Jumps& jumps, double p0, double* jump_counts) {
    leave_.resize(static_cast<size_t>(states_) + 1);
    for (int k = -1; k < states_; ++k) leave_[static_cast<size_t>(k + 1)] = (1 - p0) / jumps.ways(k, states_);
    posterior.assign(place.size(), 0.0);
    scale_.resize(null.size());
    kept_.resize(std::max(kept_.size(), size_t{1}));
    kept_[0] = {-1, kNone, 0, 0, 1, 1};
    group_.assign({0, 1});
    for (int word = 0; word < words(); ++word) advance(jumps, p0, word);
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
      for (int s = first(word + 1); s < first(word + 2); ++s) {
        const State& state = at(s);
        for (int k = first(word); k < first(word + 1); ++k) {
          const auto [from_k, at_s] = std::pair(static_cast<size_t>(k), static_cast<size_t>(s));
          const double move = leave(at(k).place) * jumps.from(at(k).place)[state.place] * state.emission;
          if (state.slot != kNone && value[from_k] * move > value[at_s])
            value[at_s] = value[from_k] * move, from[at_s] = k, real[at_s] = true;
          const double stay = p0 * null[static_cast<size_t>(word)];
          if (state.place == at(k).place && value[from_k] * stay > value[at_s])
            value[at_s] = value[from_k] * stay, from[at_s] = k, real[at_s] = false;
        }
        best = std::max(best, value[static_cast<size_t>(s)]);
      }
      for (int s = first(word + 1); s < first(word + 2); ++s) value[static_cast<size_t>(s)] /= best;
    }
    slots.assign(null.size(), kNone);
    const auto last = value.begin() + first(words());
    auto s = static_cast<size_t>(std::max_element(last, value.end()) - value.begin());
    for (size_t word = null.size(); word-- > 0; s = static_cast<size_t>(from[s]))
      if (real[s]) slots[word] = kept_[s].slot;
  }

 private:
  // Group 0 holds the start, group t + 1 the states after word t.
  int first(int group) const { return group_[static_cast<size_t>(group)]; }
  State& at(int s) { return kept_[static_cast<size_t>(s)]; }
  double leave(int k) const { return leave_[static_cast<size_t>(k + 1)]; }

  // From group `word` to group `word` + 1: a merge of its places, for null, and the word's slots.
  void advance(const Jumps& jumps, double p0, int word) {
    const double stay = p0 * null[static_cast<size_t>(word)];
    int k = first(word);
    const int after = first(word + 1);
    const int begin = start[static_cast<size_t>(word)], end = start[static_cast<size_t>(word) + 1];
    senders_.clear();
    for (int b = k; b < after; ++b) senders_.push_back({jumps.from(at(b).place), at(b).mass * leave(at(b).place)});
    // Room for all of them at the end of kept_, which never shrinks; what the beam leaves is moved together there.
    const auto room = static_cast<size_t>(after + after - k + end - begin);
    if (kept_.size() < room) kept_.resize(2 * room);
    State* next = &at(after);
    double total = 0;
    for (int slot = begin; slot < end; ++slot) {
      const int here = place[static_cast<size_t>(slot)];
      for (; k < after && at(k).place < here; ++k) total += (*next++ = null_state(at(k), stay)).mass;
      const double stays = k < after && at(k).place == here ? stay * at(k++).mass : 0.0;
      double reached = 0;
      for (const Sender& sender : senders_) reached += sender.mass * sender.jump[here];
      const double emitted = emission[static_cast<size_t>(slot)], real = emitted * reached;
      *next++ = {here, slot, emitted, real, real + stays, 1};
      total += real + stays;
    }
    for (; k < after; ++k) total += (*next++ = null_state(at(k), stay)).mass;
    keep(kBeam * total, word, next);
  }

  static State null_state(const State& before, double stay) {
    return {before.place, kNone, 0, 0, stay * before.mass, 1};
  }

  // Leaves those states of the new group, which ends at `end`, with more than `least` mass, scaled so that they sum to one.
  void keep(double least, int word, State* end) {
    State* const begin = &at(first(word + 1));
    end = std::remove_if(begin, end, [&](const State& state) { return state.mass <= least; });
    double total = 0;
    for (State* state = begin; state != end; ++state) total += state->mass;
    const double scale = 1 / total;
    for (State* state = begin; state != end; ++state) state->real *= scale, state->mass *= scale;
    scale_[static_cast<size_t>(word)] = total;
    group_.push_back(static_cast<int>(end - kept_.data()));
  }

  // The posteriors of a word, and what lies behind the states before it.
  void retreat(const Jumps& jumps, double p0, int word, double* jump_counts) {
    const double scale = 1 / scale_[static_cast<size_t>(word)];
    const double stay = p0 * null[static_cast<size_t>(word)] * scale;
    const int before = first(word), after = first(word + 1), end = first(word + 2);
    receivers_.clear();
    for (int s = after; s < end; ++s) {
      if (at(s).slot == kNone) continue;
      posterior[static_cast<size_t>(at(s).slot)] = at(s).real * at(s).behind;
      receivers_.push_back({at(s).place, at(s).emission * at(s).behind});
    }
    int same = after;
    for (int b = before; b < after; ++b) {
      State& state = at(b);
      const double* jump = jumps.from(state.place);
      const double weight = leave(state.place) * scale;
      double behind = 0;
      for (const Receiver& receiver : receivers_) behind += jump[receiver.place] * receiver.mass;
      if (jump_counts != nullptr)
        for (const Receiver& receiver : receivers_)
          jump_counts[kReach + receiver.place - state.place] += state.mass * weight * jump[receiver.place] * receiver.mass;
      while (same < end && at(same).place < state.place) ++same;
      const bool stays = same < end && at(same).place == state.place;
      state.behind = weight * behind + (stays ? stay * at(same).behind : 0.0);
    }
  }

  // A place before a word, as the places it moves to see it, and a place after a word, as those before see it.
  struct Sender {
    const double* jump;
    double mass;
  };
  struct Receiver {
    int place;
    double mass;
  };

  int states_ = 0;
  std::vector<int> group_;
  std::vector<double> leave_, scale_;
  std::vector<State> kept_;  // more than there are: the last group ends at group_.back()
  std::vector<Sender> senders_;
  std::vector<Receiver> receivers_;
};

struct Model {
  const float* tables;  // p(t | s), p(s | t) of every entry
  const float *source_unigram, *target_unigram;
  const float *source_null, *target_null;  // what the null word emits
  Jumps forward, reverse;
  double null, smoothing, diagonal;
};

}  // namespace anaphor
