// kumihimo._core.Extraction: a run of extract/ as Python drives it.
#pragma once
#include <nanobind/nanobind.h>

namespace kumihimo::inline v0::python {

/// Adds Extraction and Report to the module. Throws nanobind's exceptions.
void add_extraction(nanobind::module_& m);

}  // namespace kumihimo::inline v0::python
