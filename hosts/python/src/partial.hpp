// kumihimo._core.Partial: a compiled partial decoder. One projection over the bytes, and Python objects only for what was asked
// for.
#pragma once
#include <nanobind/nanobind.h>

namespace kumihimo::inline v0::python {

struct state;

/// Adds Partial to the module. Throws nanobind's exceptions.
void add_partial(nanobind::module_& m, state& s);

}  // namespace kumihimo::inline v0::python
