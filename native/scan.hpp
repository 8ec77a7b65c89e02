// Where the lines of a text are, and how often a word is in each. anaphor/task/unparsed.py has the same in Python.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace anaphor {

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
