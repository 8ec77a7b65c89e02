// Where word pairs of the table occur in the text.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "bitext.hpp"

namespace anaphor {

// A target place beside a source place, and the entry of the two words.
struct Beside {
  int32_t target, entry;
};

// Finds the word pairs of a block of sentence pairs. Its source words are taken one after the other, wherever they
// stand: the row of a word is spread over an array with a place for every target word, where the words beside it are
// found by their numbers. Nothing is hashed, and all of a row is in the cache while it is needed. A row need not be removed
// afterwards: rows come in their order, so that entries of earlier ones are smaller than all of the row in work.
class CellFinder {
 public:
  // Every target word of the text and of the rows has a smaller number than `targets`.
  CellFinder(const Bitext& text, const Rows& rows, size_t targets) : text_(text), rows_(rows), entry_of_(targets) {}

  // Takes up the sentence pairs [first, last).
  void open(int64_t first, int64_t last) {
    begin_ = text_.source.start[first], number_ = 0;
    std::fill(entry_of_.begin(), entry_of_.end(), kNoEntry);
    const auto size = static_cast<size_t>(text_.source.start[last] - begin_);
    const int32_t* const words = text_.source.words + begin_;
    start_.assign(static_cast<size_t>(rows_.sources) + 2, 0);
    for (size_t k = 0; k < size; ++k)
      if (words[k] < rows_.sources) ++start_[static_cast<size_t>(words[k]) + 2];
    for (size_t s = 2; s < start_.size(); ++s) start_[s] += start_[s - 1];
    place_.resize(size), pair_.resize(size);
    for (int64_t p = first; p < last; ++p)
      std::fill_n(pair_.begin() + (text_.source.start[p] - begin_), text_.source.length(p), p);
    for (size_t k = 0; k < size; ++k)
      if (words[k] < rows_.sources) place_[static_cast<size_t>(start_[static_cast<size_t>(words[k]) + 1]++)] = static_cast<int32_t>(k);
  }

  // Calls visit(place in the block, p, i, first found, number found) for every source word whose row is not empty. Places
  // of a word are ascending, and so are the target places of each. What was found stays, in found(), until the next block.
  template <class Visit>
  void sweep(const Visit& visit) {
    for (int32_t s = 0; s < rows_.sources; ++s) {
      const auto of_s = static_cast<size_t>(s);
      if (start_[of_s] == start_[of_s + 1] || rows_.start[s] == rows_.start[s + 1]) continue;
      for (int64_t entry = rows_.start[s]; entry < rows_.start[s + 1]; ++entry)
        entry_of_[static_cast<size_t>(rows_.target[entry])] = static_cast<int32_t>(entry);
      for (int32_t k = start_[of_s]; k < start_[of_s + 1]; ++k) {
        const int32_t place = place_[static_cast<size_t>(k)];
        const int64_t p = pair_[static_cast<size_t>(place)];
        const auto i = static_cast<int>(place - (text_.source.start[p] - begin_));
        const size_t before = number_;
        number_ += find_beside(p, i, static_cast<int32_t>(rows_.start[s]));
        visit(static_cast<size_t>(place), p, i, before, static_cast<int>(number_ - before));
      }
    }
  }

  const Beside* found() const { return found_.data(); }

 private:
  // How many words beside a source word are in its row, whose first entry is given. Without a branch that depends on the
  // answer, for it would be guessed wrong too often.
  size_t find_beside(int64_t p, int i, int32_t first_entry) {
    const int32_t* const target = text_.target.sentence(p);
    const auto [first, last] = near_diagonal(i, text_.source.length(p), text_.target.length(p));
    const size_t most = number_ + static_cast<size_t>(last - first);
    if (found_.size() < most) found_.resize(2 * most);
    Beside* const begin = found_.data() + number_;
    Beside* end = begin;
    for (int j = first; j < last; ++j) {
      const int32_t entry = entry_of_[static_cast<size_t>(target[j])];
      *end = {j, entry};
      end += entry >= first_entry ? 1 : 0;
    }
    return static_cast<size_t>(end - begin);
  }

  const Bitext& text_;
  const Rows rows_;
  std::vector<int32_t> entry_of_;  // the row in work and what is left of those before it, by target word
  int64_t begin_ = 0;              // of the block, in the source text
  std::vector<int32_t> start_, place_;  // source word s stands at place_[start_[s]] .. place_[start_[s + 1]]
  std::vector<int64_t> pair_;           // the sentence pair of each place
  std::vector<Beside> found_;  // more than there are: number_
  size_t number_ = 0;
};

// The cells of a block, kept for reading them pair by pair.
class BlockCells {
 public:
  BlockCells(const Bitext& text, const Rows& rows, size_t targets) : text_(text), finder_(text, rows, targets) {}

  void open(int64_t first, int64_t last) {
    begin_ = text_.source.start[first];
    parts_.assign(static_cast<size_t>(text_.source.start[last] - begin_), {0, 0});
    finder_.open(first, last);
    finder_.sweep([&](size_t place, int64_t, int, size_t found, int number) { parts_[place] = {found, number}; });
  }

  // The cells of a sentence pair that can be linked, by source place, then target place: those whose words
  // are in the table, and those of two words that are there with no word of the other sentence.
  void read(int64_t p, std::vector<Cell>& cells) {
    const int rows = text_.source.length(p), columns = text_.target.length(p);
    const Part* const parts = parts_.data() + (text_.source.start[p] - begin_);
    size_t size = 0;
    bool lonely = false;
    for (int i = 0; i < rows; ++i) size += static_cast<size_t>(parts[i].number), lonely |= parts[i].number == 0;
    if (lonely) return read_with_lonely(rows, columns, parts, cells);
    cells.resize(size);
    Cell* next = cells.data();
    for (int i = 0; i < rows; ++i) {
      const Beside* const beside = finder_.found() + parts[i].first;
      for (int k = 0; k < parts[i].number; ++k) *next++ = {i, beside[k].target, beside[k].entry};
    }
  }

 private:
  struct Part {
    size_t first;
    int number;
  };

  void read_with_lonely(int rows, int columns, const Part* parts, std::vector<Cell>& cells) {
    const Beside* const found = finder_.found();
    known_.assign(static_cast<size_t>(columns), 0);
    for (int i = 0; i < rows; ++i)
      for (int k = 0; k < parts[i].number; ++k) known_[static_cast<size_t>(found[parts[i].first + static_cast<size_t>(k)].target)] = 1;
    cells.clear();
    for (int i = 0; i < rows; ++i) {
      for (int k = 0; k < parts[i].number; ++k) {
        const Beside& beside = found[parts[i].first + static_cast<size_t>(k)];
        cells.push_back({i, beside.target, beside.entry});
      }
      if (parts[i].number > 0) continue;
      const auto [first, last] = near_diagonal(i, rows, columns);
      for (int j = first; j < last; ++j)
        if (known_[static_cast<size_t>(j)] == 0) cells.push_back({i, j, kNoEntry});
    }
  }

  const Bitext& text_;
  CellFinder finder_;
  int64_t begin_ = 0;
  std::vector<Part> parts_;  // of every source place of the block
  std::vector<char> known_;  // whether the table has a target place with any source word
};

}  // namespace anaphor
