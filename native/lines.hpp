// Five-column lines without Python: where the parts of a well-formed one are, and the words met lately.
//
// Characters are code points of one, two or four bytes, as Python keeps them. U+0020 alone separates tokens, and
// U+0009 columns; any other white space is part of a token. anaphor/task/lines.py is the reference.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <string_view>
#include <vector>

namespace anaphor {

template <class Char>
struct Span {
  const Char* begin;
  const Char* end;
  size_t size() const { return static_cast<size_t>(end - begin); }
};

// A source token and a target token: of a link, or of a hidden word, whose placeholder names the one and is the other.
struct Pair {
  size_t source, target;
};

// The parts of a well-formed line: the tokens of four columns, how many there are, and what they and the fifth say.
// Labels and words may be missing; where there are any, there is one for each placeholder.
template <class Char>
struct Parts {
  std::array<Span<Char>, 4> columns{};
  std::array<size_t, 4> tokens{};
  bool marked = false;  // whether the target has what placeholders begin with
  std::vector<Pair> places, links;
};

// The tokens of a side; 0 where there is none, or a space too many.
template <class Char>
size_t count_tokens(Span<Char> side) {
  if (side.size() == 0 || side.begin[0] == ' ' || side.end[-1] == ' ') return 0;
  size_t tokens = 1;
  Char doubled = 0;
  for (const Char* at = side.begin + 1; at < side.end;) {
    // As many as a single byte can count: sums as narrow as the characters make the best use of vectors.
    const Char* const stop = at + std::min<ptrdiff_t>(side.end - at, 255);
    Char spaces = 0;
    for (; at < stop; ++at) {
      spaces = static_cast<Char>(spaces + (at[0] == ' '));
      doubled = static_cast<Char>(doubled | ((at[0] == ' ') & (at[-1] == ' ')));
    }
    tokens += spaces;
  }
  return doubled == 0 ? tokens : 0;
}

// Where the next tab is, or the end.
template <class Char>
const Char* tab_in(Span<Char> text) {
  if constexpr (sizeof(Char) == 1) {
    const void* const found = text.size() == 0 ? nullptr : std::memchr(text.begin, '\t', text.size());
    return found == nullptr ? text.end : static_cast<const Char*>(found);
  } else {
    return std::find(text.begin, text.end, Char{'\t'});
  }
}

// Takes a number of one to six ASCII digits off the front.
template <class Char>
std::optional<uint32_t> take_number(Span<Char>& text) {
  uint32_t value = 0;
  const Char* const first = text.begin;
  for (; text.size() > 0 && *text.begin >= '0' && *text.begin <= '9'; ++text.begin) {
    if (text.begin - first == 6) return std::nullopt;
    value = 10 * value + static_cast<uint32_t>(*text.begin - '0');
  }
  if (text.begin == first) return std::nullopt;
  return value;
}

// Finds the links of a column; false where a word is none, or leads outside.
template <class Char>
bool find_links(Span<Char> column, size_t source_tokens, size_t target_tokens, std::vector<Pair>& links) {
  links.reserve(std::min<size_t>(column.size() / 3, 64));
  while (column.size() > 0) {
    if (*column.begin == ' ') {
      ++column.begin;
      continue;
    }
    const auto source = take_number(column);
    if (!source || column.size() == 0 || *column.begin++ != '-') return false;
    const auto target = take_number(column);
    if (!target || (column.size() > 0 && *column.begin != ' ')) return false;
    if (*source >= source_tokens || *target >= target_tokens) return false;
    links.push_back({*source, *target});
  }
  return true;
}

// Calls `use` with every token of a side that has some, and a number made of its characters, whatever their width.
template <class Char, class Use>
void each_token(Span<Char> side, Use use) {
  for (const Char* at = side.begin;; ++at) {
    const Char* const first = at;
    uint32_t hash = 1;
    for (; at < side.end && *at != ' '; ++at) hash = hash * 0x9E3779B1U + *at;
    use(Span<Char>{first, at}, hash * 0x85EBCA6BU);
    if (at == side.end) return;
  }
}

constexpr std::array<char, 7> kMark{'R', 'E', 'P', 'L', 'A', 'C', 'E'};

// Whether a text has what placeholders begin with, in any place.
template <class Char>
bool is_marked(Span<Char> text) {
  // Hardly a text gets past its first letters, and to look for them alone is work for vectors.
  Char maybe = 0;
  for (size_t k = 2; k < text.size(); ++k) {
    const Char* const at = text.begin + k;
    maybe = static_cast<Char>(maybe | ((at[-2] == kMark[0]) & (at[-1] == kMark[1]) & (at[0] == kMark[2])));
  }
  return maybe != 0 && std::search(text.begin, text.end, kMark.begin(), kMark.end()) != text.end;
}

// Finds the placeholders of a target; false where one is malformed or names no source token. `REPLACE` and
// `REPLACE_x` are placeholders gone wrong, and `REPLACEMENT` is a word.
template <class Char>
bool find_places(Span<Char> target, size_t source_tokens, std::vector<Pair>& places) {
  const Char* at = target.begin;
  while ((at = std::search(at, target.end, kMark.begin(), kMark.end())) != target.end) {
    const bool first = at == target.begin || at[-1] == ' ';
    const Char* const mark = std::exchange(at, at + kMark.size());
    Span<Char> rest{at, std::find(at, target.end, Char{' '})};
    if (!first || (rest.size() > 0 && *rest.begin != '_')) continue;
    if (rest.size() > 0) ++rest.begin;
    const auto source = take_number(rest);
    if (!source || rest.size() > 0 || *source >= source_tokens) return false;
    places.push_back({*source, static_cast<size_t>(std::count(target.begin, mark, Char{' '}))});
  }
  return true;
}

// The columns of a line; nothing where it has more or fewer than five.
template <class Char>
std::optional<std::array<Span<Char>, 5>> split(Span<Char> line) {
  std::array<Span<Char>, 5> columns{};
  for (size_t k = 0; k < columns.size(); ++k) {
    columns[k] = {line.begin, tab_in(line)};
    const bool last = k + 1 == columns.size();
    if ((columns[k].end == line.end) != last) return std::nullopt;
    if (!last) line.begin = columns[k].end + 1;
  }
  return columns;
}

// The parts of a line; nothing where it is wrong in any way, and somebody else has to say in which.
template <class Char>
std::optional<Parts<Char>> parts_of(Span<Char> line) {
  const auto columns = split(line);
  if (!columns) return std::nullopt;
  Parts<Char> found;
  for (size_t k = 0; k < found.columns.size(); ++k) {
    found.columns[k] = (*columns)[k];
    found.tokens[k] = count_tokens((*columns)[k]);
    const bool may_be_empty = k < 2;
    if (found.tokens[k] == 0 && !(may_be_empty && found.columns[k].size() == 0)) return std::nullopt;
  }
  const auto [labels, words, source, target] = found.tokens;
  found.marked = is_marked(found.columns[3]);
  if (found.marked && !find_places(found.columns[3], source, found.places)) return std::nullopt;
  for (const size_t given : {labels, words})
    if (given != 0 && given != found.places.size()) return std::nullopt;
  if (!find_links((*columns)[4], source, target, found.links)) return std::nullopt;
  return found;
}

// Whether a line is well formed and has neither labels nor words, nor any trace of a placeholder.
template <class Char>
bool is_plain(Span<Char> line) {
  const auto parts = parts_of(line);
  return parts && !parts->marked && parts->tokens[0] + parts->tokens[1] == 0;
}

// What belongs to the words met lately. A word has four places, chosen by its hash: to look it up takes one line of
// the processor's cache, however many words there were. It comes to the last of them, driving out who was there, and
// moves forward each time it is met, so that frequent words are found first and stay.
template <class Held>
class Recent {
 public:
  // Keeps at most `most` words, rounded up to four times a power of two, and never more than 2^26.
  explicit Recent(size_t most) {
    while (bits_ < 24 && (kWays << bits_) < most) ++bits_;
    sets_.resize(size_t{1} << bits_);
  }

  // What is held for a word, or null; `is_it` says whether something with the same hash is it.
  template <class IsIt>
  const Held* find(uint32_t hash, IsIt is_it) {
    auto& set = sets_[set_of(hash)];
    for (size_t k = 0; k < kWays; ++k) {
      if (set[k].hash != hash || !set[k].used || !is_it(set[k].held)) continue;
      if (k == 0) return &set[0].held;
      std::swap(set[k - 1], set[k]);
      return &set[k - 1].held;
    }
    return nullptr;
  }

  void add(uint32_t hash, Held held) {
    Entry& last = sets_[set_of(hash)].back();
    size_ += last.used ? 0 : 1;
    // What leaves does so last, when all is in order again.
    const Entry gone = std::exchange(last, Entry{hash, true, std::move(held)});
  }

  size_t size() const { return size_; }

 private:
  static constexpr size_t kWays = 4;
  struct Entry {
    uint32_t hash = 0;
    bool used = false;
    Held held{};
  };
  // The highest bits, which depend on all characters.
  size_t set_of(uint32_t hash) const { return static_cast<size_t>(uint64_t{hash} >> (32 - bits_)); }

  unsigned bits_ = 0;
  size_t size_ = 0;
  std::vector<std::array<Entry, kWays>> sets_;
};

// Where the lines of a text are, and how often a word occurs in each; anaphor/task/files.py has the same in Python.
// `starts` has the start of each line and the end of the last one, `counts` one number a line. A line ends with its
// newline, the last one perhaps without.
struct Scanned {
  std::vector<size_t> starts, counts;
};

inline Scanned scan(std::string_view text, std::string_view word) {
  Scanned found;
  for (size_t start = 0; start < text.size();) {
    const size_t newline = text.find('\n', start), end = newline == text.npos ? text.size() : newline + 1;
    const std::string_view line = text.substr(start, end - start);
    size_t count = 0;
    for (size_t at = line.find(word); at != line.npos; at = line.find(word, at + word.size())) ++count;
    found.starts.push_back(start);
    found.counts.push_back(count);
    start = end;
  }
  found.starts.push_back(text.size());
  return found;
}

}  // namespace anaphor
