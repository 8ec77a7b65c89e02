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
  return nb::make_tuple(give(std::move(found.starts)), give(std::move(found.stops)), give(std::move(found.lines)),
                        give(std::move(found.numbers)), give(std::move(found.counts)));
}

nb::object links(nb::bytes text) {
  ParsedLinks found;
  {
    const nb::gil_scoped_release released;
    found = parse_links({text.c_str(), text.size()});
  }
  if (!found.well_formed) return nb::none();
  nb::object sure = nb::none();
  if (!found.all_sure) sure = nb::cast(give(std::move(found.sure)));
  return nb::make_tuple(give(std::move(found.sources)), give(std::move(found.targets)), sure,
                        give(std::move(found.offsets)), give(std::move(found.columns)));
}

}  // namespace

void bind_scan(nb::module_& m) {
  m.def("scan_runs", &runs, nb::arg("text"), nb::arg("probes"));
  m.def("parse_links", &links, nb::arg("text"));
}
