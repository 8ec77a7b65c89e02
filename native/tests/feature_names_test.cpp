// The tests of the table of feature names, without Python, to be run under sanitizers (native/tests/sanitize.sh).
#include <cstdio>
#include <map>
#include <random>

#include "../feature_names.hpp"
#include "check.hpp"

namespace {

using namespace anaphor;

int32_t number_of(const NameTable& table, const std::string& name) { return table.find(hash_of(name), name); }

void check_table() {
  NameTable table(3);
  for (const char* name : {"a", "", "abcdefgh"}) table.add(name);
  check(number_of(table, "a") == 0 && number_of(table, "") == 1 && number_of(table, "abcdefgh") == 2, "numbers");
  check(number_of(table, "b") == kUnknownName, "a name that was not added has no number");
  check(number_of(table, std::string(1, '\0')) == kUnknownName, "a zero at the end counts");
  bool refused = false;
  try {
    for (int k = 0; k < 9; ++k) table.add(std::to_string(k));
  } catch (const std::length_error&) {
    refused = true;
  }
  check(refused, "there is room for no more than was asked for");
  const NameTable empty(0);
  check(number_of(empty, "a") == kUnknownName, "an empty table knows nothing");
}

// Words over a small alphabet, so that many are equal and many share their beginning.
std::string word(std::mt19937& random) {
  std::string made;
  for (auto size = random() % 20; size > 0; --size) made += static_cast<char>('a' + random() % 2);
  return made;
}

void check_together() {
  std::mt19937 random(7);
  std::map<std::string, int32_t> expected;
  while (expected.size() < 5000) expected.emplace(word(random), static_cast<int32_t>(expected.size()));
  std::vector<std::string> names(expected.size());
  for (const auto& [name, number] : expected) names[static_cast<size_t>(number)] = name;
  NameTable table(names.size());
  for (const auto& name : names) table.add(name);
  for (const size_t count : {0u, 1u, 63u, 64u, 65u, 20000u}) {
    std::vector<int32_t> numbers, wanted;
    NameLookup together(table, numbers);
    for (size_t k = 0; k < count; ++k) {
      const std::string first = word(random), second = word(random);
      together.ask(std::string_view(first), std::string_view(second));
      const auto found = expected.find(first + second);
      wanted.push_back(found == expected.end() ? kUnknownName : found->second);
    }
    together.finish();
    check(numbers == wanted, "names that are asked for together are those that are asked for alone");
  }
}

void check_joined() {
  Joined items;
  for (int round = 0; round < 2; ++round) {
    items.clear();
    for (const char* item : {"a", "", "bc"}) items.add(item);
    check(items.size() == 3 && items.gram(0, 3) == "a__bc" && items.gram(1, 2).empty(), "n-grams");
    check(items.gram(2, 3) == "bc" && items.gram(0, 2) == "a_", "n-grams at the ends");
  }
}

}  // namespace

int main() {
  check_table();
  check_together();
  check_joined();
  std::puts("all held");
  return 0;
}
