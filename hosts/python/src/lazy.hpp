// kumihimo._core.Lazy: a document that is read once into a tape (engine/tape) and becomes Python objects only where it
// is touched.
#pragma once
#include <nanobind/nanobind.h>

namespace kumihimo::inline v0::python {

/// Adds Lazy. Throws nanobind's exceptions.
void add_lazy(nanobind::module_& m);

/// The function lazy, with METH_FASTCALL | METH_KEYWORDS; its self is the state_object.
PyObject* open_lazy(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames);

}  // namespace kumihimo::inline v0::python
