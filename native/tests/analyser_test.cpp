// The tests of the analyser's network, without Python, to be run under sanitizers (native/tests/sanitize.sh).
#include <cstdio>
#include <vector>

#include "../analyser.hpp"
#include "check.hpp"

namespace {

using namespace anaphor;

// Small whole numbers from `least` on, whose sums are exact in whatever order they are made.
class Draw {
 public:
  std::vector<float> numbers(size_t count, int least, int most) {
    std::vector<float> found(count);
    const auto span = static_cast<uint32_t>(most - least + 1);
    for (float& one : found) one = static_cast<float>(least + static_cast<int>(next() % span));
    return found;
  }
  uint32_t next() { return (state_ = state_ * 1664525u + 1013904223u) >> 8; }

 private:
  uint32_t state_ = 7;
};

struct Drawn {
  Drawn(Draw& draw, size_t types, const AnalyserWidths& of)
      : widths(of), near_bias(draw.numbers(of.near, -4, 2)), squeeze(draw.numbers(of.near * of.squeezed, -2, 2)),
        squeeze_bias(draw.numbers(of.squeezed, -6, 1)), wide(draw.numbers(kWide * of.squeezed * of.wide, -2, 2)),
        wide_bias(draw.numbers(of.wide, -3, 3)), from_near(draw.numbers(of.near * of.answers(), -2, 2)),
        from_wide(draw.numbers(of.wide * of.answers(), -2, 2)), bias(draw.numbers(of.answers(), -2, 2)) {
    for (size_t at = 0; at < kNear; ++at) tables.push_back(draw.numbers(types * of.near, -2, 2));
  }
  AnalyserNetwork answers() const {
    return AnalyserNetwork(widths, {near_bias.data(), squeeze.data(), squeeze_bias.data(), wide.data(), wide_bias.data(),
                            from_near.data(), from_wide.data(), bias.data()});
  }
  Products products() const {
    Products found;
    for (size_t at = 0; at < kNear; ++at) found[at] = tables[at].data();
    return found;
  }
  AnalyserWidths widths;
  std::vector<float> near_bias, squeeze, squeeze_bias, wide, wide_bias, from_near, from_wide, bias;
  std::vector<std::vector<float>> tables;
};

// bias + row vector times matrix, nothing left out; without what is below zero if `rectified`.
std::vector<float> dense(const std::vector<float>& values, const std::vector<float>& matrix,
                         const std::vector<float>& bias, bool rectified) {
  std::vector<float> found(bias);
  for (size_t k = 0; k < found.size(); ++k) {
    for (size_t row = 0; row < values.size(); ++row) found[k] += values[row] * matrix[row * found.size() + k];
    if (rectified) found[k] = std::max(found[k], 0.0f);
  }
  return found;
}

// The first layer at a place.
std::vector<float> near_at(const Drawn& drawn, const std::vector<int64_t>& types, size_t place) {
  std::vector<float> found(drawn.near_bias);
  for (size_t k = 0; k < found.size(); ++k) {
    for (size_t at = 0; at < kNear; ++at) {
      found[k] += drawn.tables[at][static_cast<size_t>(types[place + at - kNear / 2]) * found.size() + k];
    }
    found[k] = std::max(found[k], 0.0f);
  }
  return found;
}

void check_place(const Drawn& drawn, const std::vector<int64_t>& types, size_t place,
                 const std::vector<std::vector<int64_t>>& found) {
  const size_t out = place - kWide / 2;
  std::vector<float> window;
  for (size_t other = out; other < out + kWide; ++other) {
    const bool seen = other >= kNear / 2 && other + kNear / 2 < types.size() && types[other] != 0;
    const auto squeezed = seen ? dense(near_at(drawn, types, other), drawn.squeeze, drawn.squeeze_bias, true)
                               : std::vector<float>(drawn.widths.squeezed);
    window.insert(window.end(), squeezed.begin(), squeezed.end());
  }
  auto scores = dense(near_at(drawn, types, place), drawn.from_near, drawn.bias, false);
  scores = dense(dense(window, drawn.wide, drawn.wide_bias, true), drawn.from_wide, scores, false);
  const float* head = scores.data();
  for (size_t number = 0; number < found.size(); ++number) {
    const float* end = head + drawn.widths.heads[number];
    const auto best = types[place] == 0 ? 0 : std::max_element(head, end) - head;
    check(found[number][out] == best, "an answer");
    head = end;
  }
}

void check_answers(Draw& draw, size_t count, const AnalyserWidths& widths) {
  const size_t kinds = 6;
  const Drawn drawn(draw, kinds, widths);
  std::vector<int64_t> types;
  for (size_t k = 0; k < count; ++k) types.push_back(draw.next() % kinds);
  const size_t places = count < kWide ? 0 : count - (kWide - 1);
  std::vector<std::vector<int64_t>> found(widths.heads.size(), std::vector<int64_t>(places, -1));
  std::vector<int64_t*> room;
  for (auto& head : found) room.push_back(head.data());
  drawn.answers().find(drawn.products(), types.data(), count, room);
  for (size_t place = kWide / 2; place < kWide / 2 + places; ++place) check_place(drawn, types, place, found);
}

}  // namespace

int main() {
  Draw draw;
  // Fewer places than a window, one, and more than are answered at once.
  for (const size_t count : {0u, 8u, 9u, 10u, 30u, 263u, 264u, 265u, 700u}) {
    check_answers(draw, count, {6, 4, 5, {3, 2}});
  }
  // Layers that fill one block, two and three, or a little more.
  check_answers(draw, 40, {64, 24, 48, {17, 3, 2}});
  check_answers(draw, 40, {1, 1, 1, {1}});
  check_answers(draw, 40, {25, 23, 49, {30, 3}});
  check_answers(draw, 40, {7, 30, 72, {24}});
  std::puts("all held");
  return 0;
}
