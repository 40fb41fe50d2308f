// convert and Converter: documents of any format into any other, without making Python objects.
#pragma once
#include <Python.h>
#include <nanobind/nanobind.h>

namespace kumihimo::inline v0::python {

/// With METH_FASTCALL | METH_KEYWORDS.
PyObject* convert(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames);

/// Adds Converter, for streams of documents. Throws nanobind's exceptions.
void add_converter(nanobind::module_& m);

}  // namespace kumihimo::inline v0::python
