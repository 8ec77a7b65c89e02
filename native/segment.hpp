// The search for the cuts between the translations of source segments in one text.
//
// anaphor/segment/search.py is the reference, and explains columns and layers. What is done here and not there:
// scores of stretches that cannot reach the beam are not completed, so that nearly all of the time goes into
// adding up the evidence of words.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace anaphor {

constexpr double kLowest = -std::numeric_limits<double>::infinity();
// Documents of up to kWhole segments are held in memory, longer ones in blocks.
constexpr int64_t kWhole = 4096, kBlock = 512;
enum Layer : size_t { kCut, kOmitted, kAdded, kLayers };

inline double log_add(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return low == kLowest ? high : high + std::log1p(std::exp(low - high));
}

struct SegmentSource {
  const int64_t* start;
  const int32_t* words;
  const int32_t* ends;
  const int32_t* begins;
  const float* length;
  const int32_t* sentences;
  const int32_t* first;  // `edge_words` for each segment, -1 where there are fewer
  const int32_t* last;
  int64_t edge_words;
  int64_t count;
};

struct SegmentText {
  const int32_t* words;
  const int8_t* kinds;
  const int8_t* ends;
  const int8_t* begins;
  const int8_t* gaps;
  const int32_t* length;
  const int32_t* sentences;
  const uint8_t* edges;
  const float* final;    // evidence of the word before each gap for an end
  const float* initial;  // of the word after it for a beginning
  int64_t size;
};

struct SegmentLexicon {
  const int64_t* start;
  const int32_t* target;
  const float* ratio;
  size_t targets;
};

struct SegmentModel {
  const float* words;
  int64_t bins;  // columns of `words`
  const float* ends;
  int64_t end_classes;
  const float* begins;
  int64_t begin_classes;
  const float* gaps;
  const float* sentences;
  int64_t sentence_columns;
  const float* opening;  // evidence of the first word behind a cut, by its association with the first source words
  const float* closing;
  double spread, omission, further_omission, addition, temperature, ratio;
  double beam;
  int64_t width, far, longest, slack, linked, punctuation;
};

struct SegmentCuts {
  std::vector<int64_t> start, end, second;
  std::vector<uint8_t> omitted;
  std::vector<double> confidence, second_confidence, empty, added;
};

class SegmentSearch {
 public:
  SegmentSearch(const SegmentSource& source, const SegmentText& text, const SegmentLexicon& lexicon,
                const SegmentModel& model)
      : source_(source), text_(text), lexicon_(lexicon), model_(model), scale_(1 / model.temperature),
        weight_(lexicon.targets), strongest_(lexicon.targets), owner_(lexicon.targets, -1),
        first_bin_(lexicon.targets), last_bin_(lexicon.targets),
        most_closing_(static_cast<double>(*std::max_element(model.closing, model.closing + model.bins - 1))) {
    const auto gaps = static_cast<size_t>(text.size) + 1;
    next_word_.assign(gaps, -1), last_word_.assign(gaps, -1);
    for (size_t k = gaps - 1; k-- > 0;)
      next_word_[k] = text.kinds[k] < model.punctuation ? text.words[k] : next_word_[k + 1];
    for (size_t k = 1; k < gaps; ++k)
      last_word_[k] = text.kinds[k - 1] < model.punctuation ? text.words[k - 1] : last_word_[k - 1];
  }

  template <class Check>
  SegmentCuts run(const Check& check) {
    const float* gaps = model_.gaps;
    for (int64_t gap = 0; gap <= text_.size; ++gap)
      most_at_gaps_ = std::max(most_at_gaps_, static_cast<double>(gaps[text_.gaps[gap]]) + static_cast<double>(text_.final[gap]));
    Wide first(0, std::min(model_.far, text_.size));
    first.best[kCut][0] = first.total[kCut][0] = 0;
    // Of a long document only every kBlock-th column is kept; those between are made again on the way back.
    const int64_t block = source_.count <= kWhole ? source_.count + 1 : kBlock;
    std::vector<Column> kept{closed(first, source_.count == 0)};
    const auto fill = [&](size_t number) {
      const auto begin = static_cast<int64_t>(number) * block;
      columns_.assign(1, kept[number]);
      for (int64_t i = begin; i < std::min(begin + block, source_.count); ++i) {
        if (i % 256 == 0) check();
        columns_.push_back(advance(i));
      }
      return begin;
    };
    while (fill(kept.size() - 1) + block < source_.count) kept.push_back(columns_.back());
    const auto count = static_cast<size_t>(source_.count);
    SegmentCuts cuts;
    cuts.start.assign(count, 0), cuts.end.assign(count, 0), cuts.second.assign(count, -1);
    cuts.omitted.assign(count, 0), cuts.confidence.assign(count, 1), cuts.second_confidence.assign(count, 0);
    cuts.empty.assign(count, 0), cuts.added.assign(count + 1, 0);
    // What completes the text from each gap of a column, by the layer in which it is reached.
    Behind behind;
    for (auto& layer : behind) layer.assign(columns_.back().gaps.size(), kLowest), layer.back() = 0;
    Step step{text_.size, false};
    for (size_t number = kept.size(); number-- > 0;) {
      const auto begin = static_cast<size_t>(number + 1 == kept.size() ? static_cast<int64_t>(number) * block : fill(number));
      for (size_t k = columns_.size(); k-- > 1;) {
        if ((begin + k) % 256 == 0) check();
        step_along_path(cuts, begin + k, columns_[k], step);
        const auto ends = share(cuts, begin + k, columns_[k], behind);
        step_back(static_cast<int64_t>(begin + k) - 1, columns_[k - 1], columns_[k], ends, behind);
      }
    }
    share(cuts, 0, columns_[0], behind);
    return cuts;
  }

 private:
  // Many columns are kept, so numbers are small: scores relative to the best one, sums to the largest.
  struct Column {
    std::vector<int32_t> gaps;
    std::vector<uint8_t> hopeless;  // gaps from which the next segment cannot come within the beam
    int64_t reach = 0;              // the last gap that is not the end of an addition only
    std::array<std::vector<float>, kLayers> best, total;
    std::vector<int32_t> cut_from, added_from;
    double best_at(size_t layer, size_t k) const { return static_cast<double>(best[layer][k]); }
    double total_at(size_t layer, size_t k) const { return static_cast<double>(total[layer][k]); }
    size_t at(int64_t gap) const {
      return static_cast<size_t>(std::lower_bound(gaps.begin(), gaps.end(), gap) - gaps.begin());
    }
  };
  using Behind = std::array<std::vector<double>, kLayers>;
  // A column over all gaps from `low`, before it is cut down to the beam.
  struct Wide {
    Wide(int64_t low_gap, int64_t high) : low(low_gap), size(static_cast<size_t>(high - low_gap + 1)) {
      for (auto& layer : best) layer.assign(size, kLowest);
      for (auto& layer : total) layer.assign(size, kLowest);
      cut_from.assign(size, -1);
      added_from.assign(size, -1);
    }
    int64_t low;
    size_t size;
    std::array<std::vector<double>, kLayers> best, total;
    std::vector<int64_t> cut_from, added_from;
  };

  int64_t words_in(int64_t i) const { return source_.start[i + 1] - source_.start[i]; }
  int64_t most(int64_t i) const { return model_.longest * words_in(i) + model_.slack; }
  double omission(int64_t i) const { return words_in(i) ? model_.omission : 0; }
  double further(int64_t i) const { return words_in(i) ? model_.further_omission : 0; }

  // The bin of an association, which is positive.
  size_t bin_of(double association) const {
    const auto steps = static_cast<int64_t>(std::floor(std::log2(association))) + 4;
    return static_cast<size_t>(std::clamp<int64_t>(steps, 1, model_.bins - 2));
  }

  // Evidence of a word near a cut for every gap from `low`, by its association with some source words.
  void weigh_edge(const int32_t* edge, const std::vector<int32_t>& near, const float* table, std::vector<uint8_t>& bins,
                  std::vector<double>& value, int64_t low, int64_t high) {
    const auto each = [&](const auto& entry) {
      for (int64_t k = 0; k < source_.edge_words; ++k) {
        if (edge[k] < 0) continue;
        for (int64_t e = lexicon_.start[edge[k]]; e < lexicon_.start[edge[k] + 1]; ++e) entry(static_cast<size_t>(e));
      }
    };
    each([&](size_t e) {
      auto& bin = bins[static_cast<size_t>(lexicon_.target[e])];
      if (lexicon_.ratio[e] > 0) bin = std::max(bin, static_cast<uint8_t>(bin_of(static_cast<double>(lexicon_.ratio[e]))));
    });
    value.resize(static_cast<size_t>(high - low) + 1);
    for (size_t k = 0; k < value.size(); ++k) {
      const int32_t word = near[static_cast<size_t>(low) + k];
      value[k] = word < 0 ? 0 : static_cast<double>(table[bins[static_cast<size_t>(word)]]);
    }
    each([&](size_t e) { bins[static_cast<size_t>(lexicon_.target[e])] = 0; });
  }

  // For tokens from `low` their evidence for segment i, and the earlier token that used up their counterpart.
  void weigh(int64_t i, int64_t low, int64_t high) {
    low_ = low;
    weigh_edge(source_.first + source_.edge_words * i, next_word_, model_.opening, first_bin_, opening_, low, high);
    weigh_edge(source_.last + source_.edge_words * i, last_word_, model_.closing, last_bin_, closing_, low, high);
    distinct_.assign(source_.words + source_.start[i], source_.words + source_.start[i + 1]);
    std::sort(distinct_.begin(), distinct_.end());
    touched_.clear();
    times_.clear();
    for (size_t k = 0; k < distinct_.size();) {
      const int32_t word = distinct_[k];
      size_t behind = k;
      while (behind < distinct_.size() && distinct_[behind] == word) ++behind;
      const auto often = static_cast<double>(behind - k);
      const auto number = static_cast<int32_t>(times_.size());
      times_.push_back(behind - k);
      for (int64_t e = lexicon_.start[word]; e < lexicon_.start[word + 1]; ++e) {
        const auto target = static_cast<size_t>(lexicon_.target[e]);
        const float ratio = lexicon_.ratio[e];
        if (owner_[target] < 0) touched_.push_back(target);
        weight_[target] += often * static_cast<double>(ratio);
        if (owner_[target] < 0 || ratio > strongest_[target]) strongest_[target] = ratio, owner_[target] = number;
      }
      k = behind;
    }
    if (places_.size() < times_.size()) places_.resize(times_.size());
    for (size_t k = 0; k < times_.size(); ++k) places_[k].clear();
    const auto size = static_cast<size_t>(high - low);
    value_.resize(size);
    used_.assign(size, -1);
    gains_.assign(size + 1, 0);
    const auto count = static_cast<double>(std::max<int64_t>(words_in(i), 1));
    for (size_t t = 0; t < size; ++t) {
      const auto place = static_cast<size_t>(low) + t;
      const auto word = static_cast<size_t>(text_.words[place]);
      const double association = weight_[word] / count;
      const auto bin = association > 0 ? static_cast<int64_t>(bin_of(association)) : 0;
      value_[t] = static_cast<double>(model_.words[text_.kinds[place] * model_.bins + bin]);
      gains_[t + 1] = gains_[t] + std::max(value_[t], 0.0);
      if (bin < model_.linked) continue;
      const auto owner = static_cast<size_t>(owner_[word]);
      auto& earlier = places_[owner];
      if (earlier.size() >= times_[owner]) used_[t] = earlier[earlier.size() - times_[owner]];
      earlier.push_back(static_cast<int64_t>(place));
    }
    for (const size_t target : touched_) weight_[target] = 0, owner_[target] = -1;
  }

  // Calls at(gap, evidence) for every gap behind `start` at which segment i may end, with what its words say.
  template <class At>
  void walk(int64_t i, int64_t low, int64_t start, const At& at) {
    const int64_t last = std::min(start + most(i), text_.size);
    const double covered = static_cast<double>(model_.words[model_.bins - 1]);
    double sum = at_start(i, start);
    for (int64_t t = start; t < last; ++t) {
      const auto k = static_cast<size_t>(t - low);
      sum += used_[k] >= start ? std::min(value_[k], covered) : value_[k];
      at(t + 1, sum);
    }
  }

  // No stretch of segment i that begins at `start` scores more, whatever its length.
  double highest(int64_t i, int64_t low, int64_t start) const {
    const auto from = static_cast<size_t>(start - low);
    const auto to = static_cast<size_t>(std::min(start + most(i), text_.size) - low);
    const float* ends = model_.ends + source_.ends[i] * model_.end_classes;
    return gains_[to] - gains_[from] + at_start(i, start) +
           static_cast<double>(*std::max_element(ends, ends + model_.end_classes)) + most_at_gaps_ + most_closing_;
  }

  double at_start(int64_t i, int64_t gap) const {
    const float* begins = model_.begins + source_.begins[i] * model_.begin_classes;
    return static_cast<double>(begins[text_.begins[gap]]) + static_cast<double>(text_.initial[gap]) +
           opening_[static_cast<size_t>(gap - low_)];
  }

  double at_end(int64_t i, int64_t gap) const {
    const float* ends = model_.ends + source_.ends[i] * model_.end_classes;
    return static_cast<double>(ends[text_.ends[gap]]) + static_cast<double>(model_.gaps[text_.gaps[gap]]) +
           static_cast<double>(text_.final[gap]) + closing_[static_cast<size_t>(gap - low_)];
  }

  double shape(int64_t i, int64_t start, int64_t gap) const {
    const double expected = static_cast<double>(source_.length[i]) * model_.ratio;
    const double off = static_cast<double>(text_.length[gap] - text_.length[start]) - expected;
    const int64_t half = (model_.sentence_columns - 1) / 2;
    const int64_t more = text_.sentences[gap] - text_.sentences[start] - source_.sentences[i];
    const double sentences = static_cast<double>(model_.sentences[std::clamp(more, -half, half) + half]);
    return sentences - 2 * std::log1p(off * off / (model_.spread * expected + 20) / 3);
  }

  Column advance(int64_t i) {
    Column& from = columns_.back();
    const bool last = i + 1 == source_.count;
    const int64_t low = from.gaps.front();
    const int64_t ahead = from.reach + model_.far + most(i);
    Wide wide(low, last ? text_.size : std::min(ahead, text_.size));
    const size_t starts = from.gaps.size();
    from.hopeless.assign(starts, 0);
    double top = kLowest;
    for (size_t k = 0; k < starts; ++k) {
      const auto at = static_cast<size_t>(from.gaps[k] - low);
      const double first = omission(i), more = further(i);
      wide.best[kOmitted][at] = std::max(std::max(from.best_at(kCut, k), from.best_at(kAdded, k)) - first,
                                         from.best_at(kOmitted, k) - more);
      wide.total[kOmitted][at] = log_add(log_add(from.total_at(kCut, k), from.total_at(kAdded, k)) - first * scale_,
                                         from.total_at(kOmitted, k) - more * scale_);
      top = std::max(top, wide.best[kOmitted][at]);
    }
    if (words_in(i) > 0) {
      const double bonus = static_cast<double>(*std::max_element(model_.sentences, model_.sentences + model_.sentence_columns));
      weigh(i, low, std::min(from.gaps.back() + most(i), text_.size));
      const auto best_from = [&](size_t k) {
        return std::max({from.best_at(kCut, k), from.best_at(kOmitted, k), from.best_at(kAdded, k)});
      };
      // The best start first: it says how much the others need.
      size_t leader = 0;
      for (size_t k = 1; k < starts; ++k)
        if (best_from(k) > best_from(leader)) leader = k;
      for (size_t turn = 0; turn <= starts; ++turn) {
        if (turn == leader + 1) continue;
        const size_t k = turn == 0 ? leader : turn - 1;
        const int64_t start = from.gaps[k];
        const double best = best_from(k);
        if (best + highest(i, low, start) + bonus < top - model_.beam) {
          from.hopeless[k] = 1;
          continue;
        }
        const double total =
            log_add(log_add(from.total_at(kCut, k), from.total_at(kOmitted, k)), from.total_at(kAdded, k));
        walk(i, low, start, [&](int64_t gap, double words) {
          double score = words + at_end(i, gap);
          if (best + score + bonus < top - model_.beam) return;
          score += shape(i, start, gap);
          if (best + score < top - model_.beam) return;
          const auto at = static_cast<size_t>(gap - low);
          if (best + score > wide.best[kCut][at]) wide.best[kCut][at] = best + score, wide.cut_from[at] = start;
          wide.total[kCut][at] = log_add(wide.total[kCut][at], total + score * scale_);
          top = std::max(top, best + score);
        });
      }
    }
    return closed(wide, last);
  }

  // The gaps that survive, those at the ends of additions among them.
  Column closed(Wide& wide, bool last) {
    const size_t size = wide.size;
    std::vector<double> either(size);
    double top = kLowest, largest = kLowest;
    for (size_t k = 0; k < size; ++k) {
      either[k] = std::max(wide.best[kCut][k], wide.best[kOmitted][k]);
      top = std::max(top, either[k]);
      largest = std::max({largest, wide.total[kCut][k], wide.total[kOmitted][k]});
    }
    std::vector<size_t> alive;
    for (size_t k = 0; k < size; ++k)
      if (either[k] >= top - model_.beam) alive.push_back(k);
    const auto width = static_cast<size_t>(model_.width);
    if (alive.size() > width) {
      std::stable_sort(alive.begin(), alive.end(), [&](size_t a, size_t b) { return either[a] > either[b]; });
      alive.resize(width);
      std::sort(alive.begin(), alive.end());
    }
    Column column;
    column.reach = alive.empty() ? wide.low : wide.low + static_cast<int64_t>(alive.back());
    double running = kLowest, sum = kLowest;
    int64_t winner = -1;
    size_t next = 0;
    for (size_t k = 0; k < size; ++k) {
      const auto gap = wide.low + static_cast<int64_t>(k);
      const bool edge = text_.edges[gap] != 0;
      const bool ends_here = last ? gap == text_.size : edge && gap <= column.reach + model_.far;
      const bool is_alive = next < alive.size() && alive[next] == k;
      const double added = ends_here && winner >= 0 ? running - model_.addition : kLowest;
      if (is_alive || (added > kLowest && added >= top - model_.beam) || (last && gap == text_.size)) {
        column.gaps.push_back(static_cast<int32_t>(gap));
        for (size_t layer = 0; layer < kAdded; ++layer) {
          column.best[layer].push_back(static_cast<float>(is_alive ? wide.best[layer][k] - top : kLowest));
          column.total[layer].push_back(static_cast<float>(is_alive ? wide.total[layer][k] - largest : kLowest));
        }
        column.best[kAdded].push_back(static_cast<float>(added - top));
        const double rest = added > kLowest ? sum - largest - model_.addition * scale_ : kLowest;
        column.total[kAdded].push_back(static_cast<float>(rest));
        column.cut_from.push_back(static_cast<int32_t>(wide.cut_from[k]));
        column.added_from.push_back(static_cast<int32_t>(added > kLowest ? winner : -1));
      }
      if (!is_alive) continue;
      ++next;
      if (!edge && !last) continue;
      if (either[k] >= running) running = either[k], winner = gap;
      sum = log_add(sum, log_add(wide.total[kCut][k], wide.total[kOmitted][k]));
    }
    return column;
  }

  // Where the best path is: at which gap, and whether the segment behind was omitted there.
  struct Step {
    int64_t gap;
    bool after_omission;
  };

  // Sets start and end of segment i - 1, and goes on to where it starts.
  void step_along_path(SegmentCuts& cuts, size_t i, const Column& column, Step& step) const {
    size_t at = column.at(step.gap);
    std::array<double, kLayers> layers{column.best_at(kCut, at), column.best_at(kOmitted, at), column.best_at(kAdded, at)};
    if (step.after_omission) {
      const auto behind = static_cast<int64_t>(i);
      layers[kCut] -= omission(behind), layers[kOmitted] -= further(behind), layers[kAdded] -= omission(behind);
    }
    auto layer = static_cast<size_t>(std::max_element(layers.begin(), layers.end()) - layers.begin());
    if (layer == kAdded) {
      step.gap = column.added_from[at];
      at = column.at(step.gap);
      layer = column.best[kCut][at] >= column.best[kOmitted][at] ? kCut : kOmitted;
    }
    cuts.start[i - 1] = cuts.end[i - 1] = step.gap;
    step.after_omission = layer == kOmitted;
    cuts.omitted[i - 1] = step.after_omission;
    if (layer == kCut) step.gap = cuts.start[i - 1] = column.cut_from[at];
  }

  // Probabilities at the end of segment i - 1; gives what completes the text from each gap, additions included.
  std::array<std::vector<double>, 2> share(SegmentCuts& cuts, size_t i, const Column& column, const Behind& behind) const {
    const size_t size = column.gaps.size();
    std::array<std::vector<double>, 2> ends{behind[kCut], behind[kOmitted]};
    double sum = kLowest, with_addition = kLowest, whole = kLowest;
    for (size_t k = size; k-- > 0;) {
      const bool edge = static_cast<int64_t>(i) == source_.count || text_.edges[column.gaps[k]] != 0;
      if (!edge) continue;
      if (sum > kLowest) {
        const double rest = sum - model_.addition * scale_;
        for (size_t layer = 0; layer < kAdded; ++layer) {
          ends[layer][k] = log_add(ends[layer][k], rest);
          with_addition = log_add(with_addition, column.total_at(layer, k) + rest);
        }
      }
      if (column.total_at(kAdded, k) > kLowest) sum = log_add(sum, behind[kAdded][k]);
    }
    for (size_t layer = 0; layer < kAdded; ++layer)
      for (size_t k = 0; k < size; ++k) whole = log_add(whole, column.total_at(layer, k) + ends[layer][k]);
    cuts.added[i] = std::exp(with_addition - whole);
    if (i == 0) return ends;
    const size_t chosen = column.at(cuts.end[i - 1]);
    for (size_t k = 0; k < size; ++k) {
      const double omitted = std::exp(column.total_at(kOmitted, k) + ends[kOmitted][k] - whole);
      const double part = omitted + std::exp(column.total_at(kCut, k) + ends[kCut][k] - whole);
      cuts.empty[i - 1] += omitted;
      if (k == chosen) {
        cuts.confidence[i - 1] = part;
      } else if (part > cuts.second_confidence[i - 1]) {
        cuts.second_confidence[i - 1] = part;
        cuts.second[i - 1] = column.gaps[k];
      }
    }
    return ends;
  }

  void step_back(int64_t i, const Column& before, const Column& after, const std::array<std::vector<double>, 2>& ends,
                 Behind& behind) {
    const size_t starts = before.gaps.size();
    for (auto& layer : behind) layer.assign(starts, kLowest);
    const int64_t low = before.gaps.front(), high = std::min(before.gaps.back() + most(i), text_.size);
    if (words_in(i) > 0) weigh(i, low, high);
    double largest = kLowest;
    for (size_t k = 0; k < starts; ++k) {
      const int64_t start = before.gaps[k];
      double through = kLowest;
      size_t next = after.at(start + 1);
      if (words_in(i) > 0 && !before.hopeless[k]) walk(i, low, start, [&](int64_t gap, double words) {
        if (next == after.gaps.size() || after.gaps[next] != gap) return;
        const double end = ends[kCut][next++];
        if (end == kLowest) return;
        const double score = (words + at_end(i, gap) + shape(i, start, gap)) * scale_;
        through = log_add(through, score + end);
      });
      const size_t same = after.at(start);
      const double omit = same < after.gaps.size() && after.gaps[same] == start ? ends[kOmitted][same] : kLowest;
      behind[kCut][k] = behind[kAdded][k] = log_add(through, omit - omission(i) * scale_);
      behind[kOmitted][k] = log_add(through, omit - further(i) * scale_);
      largest = std::max({largest, behind[kCut][k], behind[kOmitted][k]});
    }
    for (auto& layer : behind)
      for (double& value : layer) value -= largest;
  }

  const SegmentSource source_;
  const SegmentText text_;
  const SegmentLexicon lexicon_;
  const SegmentModel model_;
  const double scale_;
  std::vector<Column> columns_;
  std::vector<double> weight_;
  std::vector<float> strongest_;
  std::vector<int32_t> owner_;
  std::vector<int32_t> distinct_;
  std::vector<size_t> touched_, times_;
  std::vector<std::vector<int64_t>> places_;
  std::vector<double> value_, gains_, opening_, closing_;
  std::vector<int32_t> next_word_, last_word_;  // of the text, for every gap; -1 if there is none
  std::vector<uint8_t> first_bin_, last_bin_;
  const double most_closing_;
  int64_t low_ = 0;
  std::vector<int64_t> used_;
  double most_at_gaps_ = kLowest;
};

}  // namespace anaphor
