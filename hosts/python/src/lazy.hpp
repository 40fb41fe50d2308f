// kumihimo._core.Lazy: a document that is read once into a tape (engine/tape) and becomes Python objects only where it is
// touched.
#pragma once
#include <nanobind/nanobind.h>

namespace kumihimo::inline v0::python {

struct state;

/// Adds Lazy and the function lazy. Throws nanobind's exceptions.
void add_lazy(nanobind::module_& m, state& s);

}  // namespace kumihimo::inline v0::python
