// The one compiled extension, anaphor._native; anaphor/_native.pyi has the types, anaphor/core/engine.py decides who uses it.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_align(nb::module_& m);
void bind_analyser(nb::module_& m);
void bind_feature_names(nb::module_& m);
void bind_lines(nb::module_& m);
void bind_network(nb::module_& m);
void bind_resample(nb::module_& m);
void bind_scan(nb::module_& m);
void bind_search(nb::module_& m);
void bind_segment(nb::module_& m);

NB_MODULE(_native, m) {
  m.doc() = "The compiled kernels; each has a counterpart in Python that gives the same results.";
  bind_align(m);
  bind_analyser(m);
  bind_feature_names(m);
  bind_lines(m);
  bind_network(m);
  bind_resample(m);
  bind_scan(m);
  bind_search(m);
  bind_segment(m);
}
