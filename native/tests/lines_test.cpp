// The tests of the line reader, without Python, to be run under sanitizers (native/tests/sanitize.sh).
#include <cstdio>
#include <memory>
#include <random>
#include <string>

#include "../lines.hpp"
#include "check.hpp"

namespace {

using namespace anaphor;

// Memory of exactly the size of the text, so that a step past its end is found out.
template <class Char>
std::vector<Char> characters(const std::string& text) {
  std::vector<Char> made;
  made.reserve(text.size());
  for (const char c : text) made.push_back(static_cast<Char>(static_cast<unsigned char>(c)));
  return made;
}

template <class Char>
Span<Char> span_of(const std::vector<Char>& text) {
  return {text.data(), text.data() + text.size()};
}

template <class Char>
void check_good() {
  const auto text = characters<Char>("il x\ta b\tit is it\tREPLACE_0 REPLACEMENT REPLACE_02\t0-0  2-1 ");
  const auto parts = parts_of(span_of(text));
  check(parts.has_value(), "a well-formed line is read");
  check(parts->tokens == std::array<size_t, 4>{2, 2, 3, 3}, "tokens are counted");
  check(parts->places.size() == 2 && parts->places[1].source == 2 && parts->places[1].target == 2, "placeholders");
  check(parts->links.size() == 2 && parts->links[1].source == 2 && parts->links[1].target == 1, "links");
  std::vector<uint32_t> hashes;
  each_token(parts->columns[2], [&](Span<Char>, uint32_t hash) { hashes.push_back(hash); });
  check(hashes.size() == 3 && hashes[0] == hashes[2] && hashes[0] != hashes[1], "a word has one hash");
  const auto wide = characters<uint32_t>("it");
  each_token(span_of(wide), [&](Span<uint32_t>, uint32_t hash) { check(hash == hashes[0], "in every width"); });
  check(is_plain(span_of(characters<Char>("\t\ta\tb\t"))), "links may be missing");
  check(!is_plain(span_of(text)) && !is_plain(span_of(characters<Char>("\t\ta\txREPLACE\t"))), "not plain");
}

template <class Char>
void check_bad() {
  for (const char* line :
       {"", "\t", "\t\t\t\t", "\t\ta\tb", "\t\ta\tb\t\t", "\t\t\tb\t", "\t\ta\t\t", "\t\t a\tb\t", "\t\ta \tb\t",
        "\t\ta  b\tb\t", "\t\ta\tb\t0", "\t\ta\tb\t0-", "\t\ta\tb\t-0", "\t\ta\tb\t0-0-0", "\t\ta\tb\t0-00000000",
        "\t\ta\tb\t4294967296-0", "\t\ta\tb\t1-0", "\t\ta\tb\t0-1", "\t\ta\tREPLACE\t", "\t\ta\tREPLACE_\t",
        "\t\ta\tREPLACE_1\t", "\t\ta\tREPLACE_0x\t", "\t\ta\tREPLACE_0000000\t", "x\t\ta\tb\t", "\tx\ta\tb\t",
        "x  y\t\ta\tREPLACE_0\t", " \t\ta\tREPLACE_0\t"})
    check(!parts_of(span_of(characters<Char>(line))), line);
}

// Whatever is done to a line, what is read of it stays inside.
template <class Char>
void check_damaged(unsigned seed) {
  std::mt19937 random(seed);
  const std::string good = "il\tx\tit is the old house\tREPLACE_0 est la vieille maison\t0-0 1-1 2-2 3-3 4-4";
  const std::string letters = "\t  -_019ERPLAx";
  size_t read = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string line = good.substr(0, random() % 4 == 0 ? random() % good.size() : good.size());
    for (auto changes = random() % 3; changes > 0 && !line.empty(); --changes)
      line[random() % line.size()] = letters[random() % letters.size()];
    const auto text = characters<Char>(line);
    const auto parts = parts_of(span_of(text));
    if (!parts) continue;
    ++read;
    for (size_t k = 0; k < 4; ++k) {
      size_t tokens = 0;
      if (parts->tokens[k] > 0) each_token(parts->columns[k], [&](Span<Char> token, uint32_t) {
        ++tokens;
        check(token.size() > 0, "no token is empty");
      });
      check(tokens == parts->tokens[k], "as many tokens as were counted");
    }
    for (const auto* pairs : {&parts->links, &parts->places})
      for (const Pair& pair : *pairs)
        check(pair.source < parts->tokens[2] && pair.target < parts->tokens[3], "pairs stay inside");
  }
  check(read > 1000, "some lines stay well formed");
}

void check_recent() {
  auto kept = std::make_shared<int>(7);
  {
    Recent<std::shared_ptr<int>> recent(5);
    const auto any = [](const std::shared_ptr<int>&) { return true; };
    check(recent.find(0, any) == nullptr, "an empty place is no word");
    for (uint32_t hash = 0; hash < 100; ++hash) recent.add(hash * 0x9E3779B1U, kept);
    check(recent.size() <= 8 && kept.use_count() == static_cast<long>(recent.size()) + 1, "who is driven out is let go");
    recent.add(3, kept);
    check(recent.find(3, any) != nullptr && recent.find(3, any) != nullptr, "the last to come is there");
    check(recent.find(3, [](const std::shared_ptr<int>&) { return false; }) == nullptr, "a hash is not enough");
    for (uint32_t hash = 4; hash < 100; ++hash) recent.add(hash, kept);
    check(recent.find(3, any) != nullptr, "who was met again stays longer");
  }
  check(kept.use_count() == 1, "in the end all are let go");
  check(Recent<int>(0).size() == 0, "the smallest has one set");
}

template <class Char>
void check_width() {
  check_good<Char>();
  check_bad<Char>();
  for (unsigned seed = 1; seed <= 3; ++seed) check_damaged<Char>(seed);
  std::string thousand = "\t\ta", many = "a";
  for (int k = 1; k < 1000; ++k) thousand += " a", many += " bc";
  const auto text = characters<Char>(thousand + "\t" + many + "\t999-999");
  check(parts_of(span_of(text)) && parts_of(span_of(text))->tokens[3] == 1000, "counts outgrow a byte");
}

void check_scan() {
  const Scanned none = scan("", "ab"), some = scan("abab a\n\nxab\na b", "ab");
  check(none.starts == std::vector<size_t>{0} && none.counts.empty(), "no line");
  check(some.starts == std::vector<size_t>({0, 7, 8, 12, 15}), "starts of lines");
  check(some.counts == std::vector<size_t>({2, 0, 1, 0}), "words of lines");
}

}  // namespace

int main() {
  check_width<uint8_t>();
  check_width<uint16_t>();
  check_width<uint32_t>();
  check_recent();
  check_scan();
  std::puts("all held");
  return 0;
}
