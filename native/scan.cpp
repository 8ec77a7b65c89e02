// Bindings of the scan of whole texts. anaphor/_native.pyi has the types.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "arrays.hpp"
#include "scan.hpp"

namespace nb = nanobind;
using namespace anaphor;

namespace {

nb::object runs(nb::bytes text, const std::vector<std::string>& probes) {
  for (const std::string& probe : probes)
    if (probe.empty()) throw nb::value_error("a probe without a letter");
  RunScan found;
  {
    const nb::gil_scoped_release released;
    found = scan_runs({text.c_str(), text.size()}, probes);
  }
  return nb::make_tuple(give(std::move(found.starts)), give(std::move(found.stops)), give(std::move(found.kinds)),
                        give(std::move(found.lines)), give(std::move(found.numbers)), give(std::move(found.counts)));
}

template <class Place>
nb::object give_links(ParsedLinks<Place>&& found) {
  nb::object sure = nb::none();
  if (!found.all_sure) sure = nb::cast(give(std::move(found.sure)));
  return nb::make_tuple(give(std::move(found.sources)), give(std::move(found.targets)), sure,
                        give(std::move(found.offsets)), give(std::move(found.columns)));
}

nb::object links(nb::bytes text) {
  const std::string_view bytes{text.c_str(), text.size()};
  ParsedLinks<int16_t> narrow;
  bool plain = false;
  ParsedLinks<> found;
  {
    const nb::gil_scoped_release released;
    plain = parse_plain_links(bytes, narrow);
    if (!plain) {
      narrow = {};
      found = parse_links(bytes);
    }
  }
  if (plain) return give_links(std::move(narrow));
  return found.well_formed ? give_links(std::move(found)) : nb::none();
}

// Positions of links have two bytes where that is enough.
template <class Place>
Out<uint8_t> outside(In<Place> sources, In<Place> targets, In<int64_t> offsets, In<int64_t> source_lengths,
                     In<int64_t> target_lengths) {
  must_be_starts(offsets, sources.size());
  const size_t segments = offsets.size() - 1;
  must(targets.size() == sources.size() && source_lengths.size() == segments && target_lengths.size() == segments,
       "links and lengths do not fit each other");
  return give(links_outside(sources.data(), targets.data(), offsets.data(), segments, source_lengths.data(),
                            target_lengths.data()));
}

template <class Place>
nb::object around(In<Place> sources, In<Place> targets, In<int64_t> offsets, In<int64_t> segments,
                  In<int64_t> positions) {
  must_be_starts(offsets, sources.size());
  const auto known = static_cast<int64_t>(offsets.size()) - 1;
  const int64_t* const first = segments.data();
  must(targets.size() == sources.size() && positions.size() == segments.size() &&
           std::all_of(first, first + segments.size(), [=](int64_t one) { return one >= 0 && one < known; }),
       "a segment is out of range");
  LinksAround found = links_around(sources.data(), targets.data(), offsets.data(), segments.size(), first, positions.data());
  return nb::make_tuple(give(std::move(found.bounds)), give(std::move(found.targets)));
}

Out<int64_t> alike(nb::bytes text, In<int64_t> begins, In<int64_t> ends, In<int64_t> first, In<int64_t> positions,
                   In<int64_t> forms, In<int64_t> bounds, In<int32_t> targets) {
  const size_t sentences = begins.size();
  must_be_starts(first, positions.size());
  must_be_starts(bounds, targets.size());
  must(ends.size() == sentences && first.size() == sentences + 1 && forms.size() == positions.size() &&
           bounds.size() == 3 * positions.size() + 1,
       "sentences, pronouns and links do not fit each other");
  for (size_t k = 0; k < sentences; ++k)
    must(0 <= begins.data()[k] && begins.data()[k] <= ends.data()[k] &&
             static_cast<size_t>(ends.data()[k]) <= text.size(),
         "a line is outside of its text");
  return give(first_alike({text.c_str(), sentences, begins.data(), ends.data(), first.data(), positions.data(),
                           forms.data(), bounds.data(), targets.data()}));
}

Out<int64_t> compared(nb::bytes first, nb::bytes second) {
  return give(lines_to_compare({first.c_str(), first.size()}, {second.c_str(), second.size()}));
}

bool valid(nb::bytes text) { return is_utf8({text.c_str(), text.size()}); }

Out<int64_t> stops(nb::bytes text) { return give(line_stops({text.c_str(), text.size()})); }

// Another type of positions is refused rather than copied.
template <class Place>
void bind_places(nb::module_& m) {
  m.def("links_outside", &outside<Place>, nb::arg("sources").noconvert(), nb::arg("targets").noconvert(),
        nb::arg("offsets"), nb::arg("source_lengths"), nb::arg("target_lengths"));
  m.def("links_around", &around<Place>, nb::arg("sources").noconvert(), nb::arg("targets").noconvert(),
        nb::arg("offsets"), nb::arg("segments"), nb::arg("positions"));
}

}  // namespace

void bind_scan(nb::module_& m) {
  m.def("scan_runs", &runs, nb::arg("text"), nb::arg("probes"));
  m.def("is_utf8", &valid, nb::arg("text"));
  m.def("line_stops", &stops, nb::arg("text"));
  m.def("parse_links", &links, nb::arg("text"));
  bind_places<int16_t>(m);
  bind_places<int32_t>(m);
  m.def("first_alike", &alike, nb::arg("text"), nb::arg("begins"), nb::arg("ends"), nb::arg("first"),
        nb::arg("positions"), nb::arg("forms"), nb::arg("bounds"), nb::arg("targets"));
  m.def("lines_to_compare", &compared, nb::arg("first"), nb::arg("second"));
}
