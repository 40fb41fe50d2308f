// kumihimo._core.DocumentStream: the documents of a stream, one behind the other, of any format.
#pragma once
#include <nanobind/nanobind.h>

namespace kumihimo::inline v0::python {

/// Adds DocumentStream. Throws nanobind's exceptions.
void add_document_stream(nanobind::module_& m);

/// The function each_document, with METH_FASTCALL | METH_KEYWORDS; its self is the state_object.
PyObject* each_document(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames);

}  // namespace kumihimo::inline v0::python
