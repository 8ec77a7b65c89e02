// The tests of the scan of whole texts, without Python, to be run under sanitizers (native/tests/sanitize.sh).
#include "../scan.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

using namespace anaphor;
using Longs = std::vector<int64_t>;

void check_runs() {
  const std::string text = "It is\twit ,  they\n\n x  THEY they\nti it\n";
  const RunScan found = scan_runs(text, {"it", "they"});
  check(found.counts == Longs{5, 0, 3, 2}, "runs of every line");
  check(found.lines == Longs{0, 0, 0, 2, 2, 3}, "lines of the runs");
  check(found.numbers == Longs{0, 2, 4, 1, 2, 1}, "numbers of the runs");
  check(found.kinds == Longs{0, 1, 2, 3, 2, 4} && found.starts.size() == 5, "which runs are the same");
  check(text.substr(static_cast<size_t>(found.starts[1]), 3) == "wit" && found.stops[1] == found.starts[1] + 3, "a run");
  check(scan_runs("", {"it"}).counts.empty(), "no text");
  check(scan_runs("a i", {"it", "i"}).numbers == Longs{1}, "a probe at the end of a text");
  std::string many;
  for (int k = 0; k < 1000; ++k) many += "a ";
  check(scan_runs(many + "it\n", {"it"}).numbers == Longs{1000}, "more runs than a byte can count");
}

void check_links() {
  const ParsedLinks<> found = parse_links("0-1 2?13\n\n999999p0 \n4-4");
  check(found.well_formed && !found.all_sure, "links of every kind");
  check(found.sources == std::vector<int32_t>{0, 2, 999999, 4} && found.targets == std::vector<int32_t>{1, 13, 0, 4}, "links");
  check(found.sure == std::vector<uint8_t>{1, 0, 0, 1}, "which are sure");
  check(parse_links("0-1  2?13\n\n 999999p0 \n4-4").columns == std::vector<int32_t>{1, 6, 2, 1}, "columns");
  check(found.offsets == Longs{0, 2, 2, 3, 4}, "lines");
  check(parse_links("0-1 20-13\n\n3?0 \n").columns.empty(), "columns that follow from the links");
  for (const char* irregular : {" 0-0", "0-0  1-1", "00-0", "0-01"})
    check(parse_links(irregular).columns.size() == parse_links(irregular).sources.size(), irregular);
  check(parse_links("").offsets == Longs{0} && parse_links("\n").offsets == Longs{0, 0}, "no links");
  const ParsedLinks<> plain = parse_links("0-10 2-123456\n\n7-0 \n");
  check(plain.sources == std::vector<int32_t>{0, 2, 7} && plain.targets == std::vector<int32_t>{10, 123456, 0}, "plain links");
  ParsedLinks<int16_t> narrow;
  check(!parse_plain_links("0-32768\n", narrow), "too large for two bytes");
  narrow = {};
  check(parse_plain_links("32767-0\n", narrow) && narrow.sources == std::vector<int16_t>{32767}, "two bytes");
  check(plain.offsets == Longs{0, 2, 2, 3} && plain.all_sure && plain.columns.empty(), "plain lines");
  for (const char* wrong : {"0-0-0\n", "0-0 -\n", "1234567-0\n", "-\n", "0-\n", "0\n", "0", "0-", "-1", "0-1-2", "0-1x", "1234567-0", "0-1234567", "0- 1", "\t0-0", "0-0\r\n"})
    check(!parse_links(wrong).well_formed, wrong);
}

void check_outside() {
  const std::vector<int32_t> sources{0, 2, 0}, targets{0, 0, 1};
  const Longs offsets{0, 2, 2, 3}, lengths{2, 0, 1}, wide{3, 0, 1};
  check(links_outside(sources.data(), targets.data(), offsets.data(), 3, lengths.data(), lengths.data()) ==
            std::vector<uint8_t>{0, 1, 1},
        "links outside");
  check(links_outside(sources.data(), targets.data(), offsets.data(), 1, wide.data(), lengths.data()).empty(), "none outside");
}

void check_around() {
  const std::vector<int32_t> sources{1, 0, 1, 1, 2, 1}, targets{3, 0, 3, 2, 5, 7};
  const Longs offsets{0, 5, 6}, segments{0, 0, 1}, positions{1, 0, 1};
  const LinksAround found = links_around(sources.data(), targets.data(), offsets.data(), 3, segments.data(), positions.data());
  check(found.bounds == Longs{0, 1, 3, 4, 4, 5, 7, 7, 8, 8}, "links of each slot");
  check(found.targets == std::vector<int32_t>{0, 2, 3, 5, 0, 2, 3, 7}, "ascending, each once");
}

void check_alike() {
  const std::string text = "il est\nil est\nil est\n";
  const Longs begins{0, 7, 14}, ends{6, 13, 20}, first{0, 1, 2, 3}, positions{1, 1, 1}, forms{0, 0, 0};
  const Longs bounds{0, 0, 1, 1, 1, 2, 2, 2, 3, 3};
  const std::vector<int32_t> targets{0, 0, 1};
  const PronounSentences all{text.data(),  3, begins.data(), ends.data(), first.data(), positions.data(), forms.data(),
                             bounds.data(), targets.data()};
  check(first_alike(all) == Longs{0, 0, 2}, "the same text with the same links");
}

void check_encoding() {
  for (const char* text : {"", "a", "plain words\n", "\xc3\xa9t\xc3\xa9 \xe2\x80\x99 \xf0\x9f\x98\x80", "\xed\x9f\xbf \xf4\x8f\xbf\xbf"})
    check(is_utf8(text), "characters of one to four bytes");
  for (const char* text : {"\x80", "\xc3", "twelve bytes\xe2\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3\xa9\xff"})
    check(!is_utf8(text), "cut off, too long, half a character, above U+10FFFF");
}

void check_compared() {
  check(lines_to_compare(" a\nb\nc\n\xc3\xa9\nd\n", "a \nx\n \ny\nd\n") == Longs{0, 2, 3, 4}, "equal, blank or unsure");
  check(line_stops("a\n\nb") == Longs{1, 2} && line_stops("").empty(), "newlines");
  check(lines_to_compare("", "a\n").empty() && lines_to_compare("\n", "\n") == Longs{0}, "no lines, empty lines");
}

}  // namespace

int main() {
  check_encoding();
  check_runs();
  check_links();
  check_outside();
  check_around();
  check_alike();
  check_compared();
  std::puts("all held");
  return 0;
}
