// Texts and alignments read as bytes, in one pass over a whole file.
//
// anaphor/languages/matcher.py (Runs), anaphor/corpus/alignments.py (parse_pharaoh, within_range, AlignmentFile.around)
// and anaphor/corpus/plausibility.py are the references.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace anaphor {

// Space, tab, vertical tab, form feed and newline end a run of bytes; nothing else does.
inline bool separates(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\f'); }

// The runs that start in [first, last) of a line; the byte before `first` is no part of a run.
inline int64_t count_runs(const char* first, const char* last) {
  if (first == last) return 0;
  // Plain sums of comparisons, without a branch, so that the compiler takes sixteen bytes at a time.
  int64_t runs = separates(*first) ? 0 : 1;
  constexpr std::ptrdiff_t kStretch = 240;  // as many as a byte can count
  for (const char* at = first + 1; at < last;) {
    const char* const stop = at + std::min<std::ptrdiff_t>(kStretch, last - at);
    uint8_t some = 0;
    for (; at < stop; ++at) some = static_cast<uint8_t>(some + (separates(at[-1]) & !separates(*at)));
    runs += some;
  }
  return runs;
}

// Runs of bytes between separators that hold one of the probes: their lines, their numbers among the runs of the line,
// and their kinds; those of one kind are the same bytes, which stand from `starts` to `stops` of the kind. `counts` has
// the runs of every line.
struct RunScan {
  std::vector<int64_t> starts, stops, kinds, lines, numbers, counts;
};

// Probes are ASCII letters in lower case, none empty; letters of the text match in either case. Every line of the text
// ends with a newline.
inline RunScan scan_runs(std::string_view text, const std::vector<std::string>& probes) {
  // Bit k of a letter: the probes k, k + 64 and so on have it first, or second.
  std::array<uint64_t, 256> first{}, second{};
  for (size_t k = 0; k < probes.size(); ++k) {
    const uint64_t bit = uint64_t{1} << (k % 64);
    const auto either_case = [&](std::array<uint64_t, 256>& table, char letter) {
      table[static_cast<uint8_t>(letter)] |= bit;
      table[static_cast<uint8_t>(letter - 'a' + 'A')] |= bit;
    };
    either_case(first, probes[k][0]);
    if (probes[k].size() > 1) either_case(second, probes[k][1]);
    else for (uint64_t& bits : second) bits |= bit;
  }
  const auto lower = [](char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte; };
  const auto holds = [&](const char* at, const char* stop) {
    return std::any_of(probes.begin(), probes.end(), [&](const std::string& probe) {
      return stop - at >= static_cast<std::ptrdiff_t>(probe.size()) &&
             std::equal(probe.begin(), probe.end(), at, [&](char letter, char byte) { return letter == lower(byte); });
    });
  };
  RunScan found;
  std::unordered_map<std::string_view, size_t> kinds;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  int64_t line = 0;
  for (const char* start = begin; start < end; ++line) {
    // Several times as fast as std::find.
    const size_t newline = text.find('\n', static_cast<size_t>(start - begin));
    const char* const stop = newline == text.npos ? end : begin + newline;
    found.counts.push_back(count_runs(start, stop));
    const char* counted = start;  // runs up to here are in `number`
    int64_t number = 0;
    // A newline, which no probe has, or the end of the text follows the last byte of a line.
    for (const char* at = start; at < stop && !probes.empty(); ++at) {
      const auto next = at + 1 < end ? static_cast<uint8_t>(at[1]) : uint8_t{0};
      if ((first[static_cast<uint8_t>(*at)] & second[next]) == 0 || !holds(at, stop)) continue;
      const char* from = at;
      while (from > start && !separates(from[-1])) --from;
      at = std::find_if(at, stop, separates);
      number += count_runs(counted, from);
      const auto kind = kinds.try_emplace({from, static_cast<size_t>(at - from)}, kinds.size()).first->second;
      if (kind == found.starts.size()) {
        found.starts.push_back(from - begin);
        found.stops.push_back(at - begin);
      }
      found.kinds.push_back(static_cast<int64_t>(kind));
      found.lines.push_back(line);
      found.numbers.push_back(number);
      counted = from;
    }
    start = stop == end ? end : stop + 1;
  }
  return found;
}

// The links of an alignment file in the format of Pharaoh, line after line; `offsets` has the first link of each line and
// the end of the last. `column` is the place of a link in its line, from 1; there are none where it follows from the
// links before, because one space separates them and no number begins with a surplus 0.
template <class Place = int32_t>
struct ParsedLinks {
  std::vector<Place> sources, targets;
  std::vector<int32_t> columns;
  std::vector<uint8_t> sure;
  std::vector<int64_t> offsets{0};
  bool well_formed = true, all_sure = true;
};

// As nearly all files are: sure links of at most six digits without surplus 0 that fit into a Place, one space between
// them, a newline behind the last. Twice as fast as the general way; false, and nothing of use in `found`, for a file that
// has anything else.
template <class Place>
bool parse_plain_links(std::string_view text, ParsedLinks<Place>& found) {
  if (text.empty() || text.back() != '\n') return false;
  const auto most = static_cast<size_t>(std::count(text.begin(), text.end(), '-'));
  found.sources.resize(most + 1);  // the first number of a link is read before its joint is looked at
  found.targets.resize(most);
  Place *source = found.sources.data(), *target = found.targets.data();
  const char *at = text.data(), *const stop = at + text.size();
  // The newline at the end stops every number. Most have one digit or two.
  const auto number = [&](Place& place) {
    const auto digit = [&](int number) { return static_cast<uint8_t>(at[number] - '0'); };
    if (digit(0) > 9) return false;
    int32_t value = digit(0);
    int places = 1;
    if (digit(1) <= 9) {
      for (; places < 6 && digit(places) <= 9; ++places) value = 10 * value + digit(places);
      if (digit(0) == 0 || digit(places) <= 9 || value > std::numeric_limits<Place>::max()) return false;
    }
    place = static_cast<Place>(value);
    at += places;
    return true;
  };
  while (at < stop) {
    for (bool more = *at != '\n'; more;) {
      if (!number(*source++) || *at++ != '-' || !number(*target++)) return false;
      more = *at == ' ' && at[1] != '\n';
      at += *at == ' ' ? 1 : 0;
    }
    if (*at++ != '\n') return false;
    found.offsets.push_back(source - found.sources.data());
  }
  found.sources.pop_back();
  return true;
}

// Stops at the first fault, for only Python names it.
inline ParsedLinks<> parse_links(std::string_view text) {
  constexpr int kDigits = 6;
  ParsedLinks<> found;
  if (parse_plain_links(text, found)) return found;
  found = {};
  const size_t likely = static_cast<size_t>(std::count(text.begin(), text.end(), '-'));
  for (auto* part : {&found.sources, &found.targets, &found.columns}) part->reserve(likely);
  const char *at = text.data(), *const stop = at + text.size(), *line = at, *next = at;
  bool regular = true;  // every link so far begins at `next`
  const auto number = [&](int32_t& value) {
    int digits = 0;
    const bool zero = at < stop && *at == '0';
    for (value = 0; at < stop && *at >= '0' && *at <= '9'; ++at)
      if (++digits <= kDigits) value = 10 * value + (*at - '0');
    regular = regular && !(zero && digits > 1);
    return digits >= 1 && digits <= kDigits;
  };
  while (at < stop) {
    if (*at == ' ') {
      ++at;
    } else if (*at == '\n') {
      found.offsets.push_back(static_cast<int64_t>(found.sources.size()));
      line = next = ++at;
    } else {
      const auto column = at - line + 1;
      regular = regular && at == next;
      int32_t source = 0, target = 0;
      found.well_formed = column <= std::numeric_limits<int32_t>::max() && number(source) && at < stop &&
                          (*at == '-' || *at == '?' || *at == 'p');
      if (!found.well_formed) return found;
      const bool sure = *at++ == '-';
      found.well_formed = number(target) && (at == stop || *at == ' ' || *at == '\n');
      if (!found.well_formed) return found;
      if (!sure && found.all_sure) {
        found.all_sure = false;
        found.sure.assign(found.sources.size(), 1);
      }
      found.sources.push_back(source);
      found.targets.push_back(target);
      found.columns.push_back(static_cast<int32_t>(column));
      if (!found.all_sure) found.sure.push_back(sure ? 1 : 0);
      next = at + 1;
    }
  }
  if (regular) std::vector<int32_t>().swap(found.columns);
  if (line < stop) found.offsets.push_back(static_cast<int64_t>(found.sources.size()));
  return found;
}

// Which links lead outside their segments; empty where none does. Lengths are tokens per segment.
template <class Place>
std::vector<uint8_t> links_outside(const Place* sources, const Place* targets, const int64_t* offsets, size_t segments,
                                   const int64_t* source_lengths, const int64_t* target_lengths) {
  std::vector<uint8_t> found;
  const auto links = static_cast<size_t>(offsets[segments]);
  for (size_t k = 0; k < segments; ++k) {
    for (int64_t link = offsets[k]; link < offsets[k + 1]; ++link) {
      if (sources[link] < source_lengths[k] && targets[link] < target_lengths[k]) continue;
      if (found.empty()) found.resize(links);
      found[static_cast<size_t>(link)] = 1;
    }
  }
  return found;
}

// The targets linked to the word before each wanted position, to the position itself and to the word after it, ascending
// and each once: those of slot 3 k, 3 k + 1 and 3 k + 2 are `targets` from `bounds` of the slot to that of the next.
struct LinksAround {
  std::vector<int64_t> bounds{0};
  std::vector<int32_t> targets;
};

// The links of a segment are sorted once for all positions of it that follow each other.
template <class Place>
LinksAround links_around(const Place* sources, const Place* targets, const int64_t* offsets, size_t wanted,
                         const int64_t* segments, const int64_t* positions) {
  LinksAround found;
  found.bounds.reserve(3 * wanted + 1);
  std::vector<std::pair<int32_t, int32_t>> links;
  for (size_t k = 0; k < wanted; ++k) {
    if (k == 0 || segments[k] != segments[k - 1]) {
      links.clear();
      for (int64_t link = offsets[segments[k]]; link < offsets[segments[k] + 1]; ++link)
        links.emplace_back(sources[link], targets[link]);
      std::sort(links.begin(), links.end());
      links.erase(std::unique(links.begin(), links.end()), links.end());
    }
    const auto first = [](const std::pair<int32_t, int32_t>& link, int64_t source) { return link.first < source; };
    auto at = std::lower_bound(links.begin(), links.end(), positions[k] - 1, first);
    for (int64_t beside = -1; beside <= 1; ++beside) {
      for (; at != links.end() && at->first == positions[k] + beside; ++at) found.targets.push_back(at->second);
      found.bounds.push_back(static_cast<int64_t>(found.targets.size()));
    }
  }
  return found;
}

// Sentences with their pronouns, one after the other: sentence k is the text from begins[k] to ends[k] and has the
// pronouns from first[k] to first[k + 1]. Each pronoun has a position, the number of its form, and links around it.
struct PronounSentences {
  const char* text;
  size_t sentences;
  const int64_t *begins, *ends, *first, *positions, *forms, *bounds;
  const int32_t* targets;

  std::string_view line(size_t k) const { return {text + begins[k], static_cast<size_t>(ends[k] - begins[k])}; }

  bool same(size_t a, size_t b) const {
    const int64_t pronouns = first[a + 1] - first[a], slots = 3 * pronouns;
    if (pronouns != first[b + 1] - first[b] || line(a) != line(b)) return false;
    const auto equal = [](const auto* one, int64_t at, int64_t other, int64_t count) {
      return std::equal(one + at, one + at + count, one + other);
    };
    const int64_t *const one = bounds + 3 * first[a], *const other = bounds + 3 * first[b];
    for (int64_t slot = 1; slot <= slots; ++slot)
      if (one[slot] - one[0] != other[slot] - other[0]) return false;
    return equal(positions, first[a], first[b], pronouns) && equal(forms, first[a], first[b], pronouns) &&
           equal(targets, one[0], other[0], one[slots] - one[0]);
  }
};

// For every sentence the first one with the same text, pronouns and links: its own number where there is none before.
inline std::vector<int64_t> first_alike(const PronounSentences& all) {
  std::vector<int64_t> found(all.sentences);
  std::unordered_multimap<size_t, size_t> seen;
  seen.reserve(all.sentences);
  for (size_t k = 0; k < all.sentences; ++k) {
    const size_t hash = std::hash<std::string_view>{}(all.line(k));
    const auto [from, to] = seen.equal_range(hash);
    const auto known = std::find_if(from, to, [&](const auto& one) { return all.same(one.second, k); });
    found[k] = static_cast<int64_t>(known == to ? k : known->second);
    if (known == to) seen.emplace(hash, k);
  }
  return found;
}

// Whether bytes are UTF-8 as Unicode has it: no longer form of a character than it needs, no surrogates, none above U+10FFFF.
inline bool is_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const uint8_t*>(text.data());
  const auto* const stop = at + text.size();
  const auto within = [](uint8_t byte, int least, int most) { return byte >= least && byte <= most; };
  while (at < stop) {
    uint64_t eight = 0;
    if (stop - at >= 8) {
      std::memcpy(&eight, at, 8);
      if ((eight & 0x8080808080808080U) == 0) {
        at += 8;
        continue;
      }
    }
    if (*at < 0x80) {
      while (at < stop && *at < 0x80) ++at;
      continue;
    }
    const uint8_t lead = *at++;
    const int more = within(lead, 0xC2, 0xDF) ? 1 : within(lead, 0xE0, 0xEF) ? 2 : within(lead, 0xF0, 0xF4) ? 3 : 0;
    if (more == 0 || stop - at < more) return false;
    const int least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const int most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (!within(*at, least, most)) return false;
    for (int k = 1; k < more; ++k)
      if (!within(at[k], 0x80, 0xBF)) return false;
    at += more;
  }
  return true;
}

// Where the newlines of a text are.
inline std::vector<int64_t> line_stops(std::string_view text) {
  std::vector<int64_t> found;
  found.reserve(text.size() / 64);
  for (size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
    found.push_back(static_cast<int64_t>(at));
  return found;
}

// The numbers of lines that may be equal in two texts but for white space around them, or blank in the second text. It
// knows the white space of ASCII alone: lines with a character at either end that could be another one are named too.
// Every line of either text ends with a newline.
inline std::vector<int64_t> lines_to_compare(std::string_view first, std::string_view second) {
  const auto is_space = [](char byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r') || (byte >= '\x1c' && byte <= '\x1f');
  };
  const auto next_line = [&](std::string_view& text) {
    const size_t stop = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, stop);
    text.remove_prefix(std::min(stop + 1, text.size()));
    while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
    while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
    return line;
  };
  const auto unsure = [](std::string_view line) {
    return !line.empty() && ((line.front() | line.back()) & '\x80') != 0;
  };
  std::vector<int64_t> found;
  for (int64_t number = 0; !first.empty() && !second.empty(); ++number) {
    const std::string_view one = next_line(first), other = next_line(second);
    if (other.empty() || one == other || unsure(one) || unsure(other)) found.push_back(number);
  }
  return found;
}

}  // namespace anaphor
