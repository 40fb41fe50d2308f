// kumihimo._core.Partial: a compiled partial decoder of documents of any format (engine/tape/partial.hpp). Python
// objects are made only of what was asked for.
#pragma once
#include <nanobind/nanobind.h>

namespace kumihimo::inline v0::python {

struct state;

/// Adds Partial to the module. Throws nanobind's exceptions.
void add_partial(nanobind::module_& m, state& s);

}  // namespace kumihimo::inline v0::python
