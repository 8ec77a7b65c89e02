// Names of features without Python: the number that each has, and many of them looked up together.
//
// anaphor/recipes/classic/sparse.py is the reference.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "memory.hpp"

namespace anaphor {

constexpr int32_t kUnknownName = -1;

// All characters count, eight at a time; the end of a name is filled up with zeros, and its length counts too.
inline uint64_t hash_of(std::string_view name) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15u;
  uint64_t hash = name.size() * kOdd;
  const auto mix = [&hash](uint64_t word) {
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 29;
  };
  size_t at = 0;
  uint64_t word;
  for (; at + sizeof word <= name.size(); at += sizeof word) {
    std::memcpy(&word, name.data() + at, sizeof word);
    mix(word);
  }
  word = 0;
  if (at < name.size()) std::memcpy(&word, name.data() + at, name.size() - at);
  mix(word);
  return hash * kOdd;
}

// Numbers names from 0 in the order in which they come; none comes twice.
class NameTable {
 public:
  explicit NameTable(size_t names) {
    while ((size_t{1} << bits_) < 2 * (names + 1)) ++bits_;  // at least half of all places stay empty
    places_.resize(size_t{1} << bits_);
  }

  void add(std::string_view name) {
    if (2 * (size_t{next_} + 1) > places_.size()) throw std::length_error("more names than there is room for");
    if (characters_.size() + name.size() > std::numeric_limits<uint32_t>::max()) {
      throw std::length_error("names of more than four gigabytes");
    }
    const uint64_t hash = hash_of(name);
    size_t place = first(hash);
    while (places_[place].number != kEmpty) place = after(place);
    places_[place] = {mark(hash), next_++, static_cast<uint32_t>(characters_.size()),
                      static_cast<uint32_t>(name.size())};
    characters_ += name;
  }

  int32_t find(uint64_t hash, std::string_view name) const {
    for (size_t place = first(hash); places_[place].number != kEmpty; place = after(place)) {
      if (is_it(places_[place], mark(hash), name)) return static_cast<int32_t>(places_[place].number);
    }
    return kUnknownName;
  }

  // What `find` will want of memory: first its place in the table, then the characters of the name that is there.
  void expect_place(uint64_t hash) const { prefetch(&places_[first(hash)]); }
  void expect_name(uint64_t hash) const {
    const Place& place = places_[first(hash)];
    if (place.mark == mark(hash)) prefetch(characters_.data() + place.start);
  }

 private:
  static constexpr uint32_t kEmpty = std::numeric_limits<uint32_t>::max();
  struct Place {
    uint32_t mark = 0, number = kEmpty, start = 0, size = 0;
  };

  // The highest bits of a hash choose a place, where the lowest tell most names apart.
  static uint32_t mark(uint64_t hash) { return static_cast<uint32_t>(hash); }
  size_t first(uint64_t hash) const { return static_cast<size_t>(hash >> (64 - bits_)); }

  size_t after(size_t place) const { return (place + 1) & (places_.size() - 1); }

  bool is_it(const Place& place, uint32_t wanted, std::string_view name) const {
    return place.mark == wanted && place.size == name.size() &&
           std::memcmp(characters_.data() + place.start, name.data(), name.size()) == 0;
  }

  unsigned bits_ = 0;
  uint32_t next_ = 0;
  std::vector<Place> places_;
  std::string characters_;
};

// Names looked up together: while the memory for one is on its way, the others are made.
class NameLookup {
 public:
  // Numbers are added to `numbers` in the order in which names are asked for, the last ones by `finish`.
  NameLookup(const NameTable& table, std::vector<int32_t>& numbers) : table_(table), numbers_(numbers) {}

  // The number of a name that is made of pieces.
  template <class... Pieces>
  void ask(Pieces... pieces) {
    Asked& asked = asked_[count_++];
    asked.name.clear();
    (asked.name.append(pieces), ...);
    asked.hash = hash_of(asked.name);
    table_.expect_place(asked.hash);
    if (count_ == asked_.size()) finish();
  }

  void finish() {
    for (size_t k = 0; k < count_; ++k) table_.expect_name(asked_[k].hash);
    for (size_t k = 0; k < count_; ++k) numbers_.push_back(table_.find(asked_[k].hash, asked_[k].name));
    count_ = 0;
  }

 private:
  struct Asked {
    std::string name;
    uint64_t hash = 0;
  };

  const NameTable& table_;
  std::vector<int32_t>& numbers_;
  std::array<Asked, 64> asked_;
  size_t count_ = 0;
};

// The items of a row with `_` between them, of which every n-gram is a part.
class Joined {
 public:
  void clear() {
    text_.clear();
    starts_.clear();
  }

  void add(std::string_view item) {
    starts_.push_back(text_.size());
    text_ += item;
    text_ += '_';
  }

  size_t size() const { return starts_.size(); }

  // The n-gram from the item `start` up to, not including, `end`, of which there is at least one.
  std::string_view gram(size_t start, size_t end) const {
    const size_t stop = end < starts_.size() ? starts_[end] : text_.size();
    return std::string_view(text_).substr(starts_[start], stop - 1 - starts_[start]);
  }

 private:
  std::string text_;
  std::vector<size_t> starts_;
};

}  // namespace anaphor
