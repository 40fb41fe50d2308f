// dump, load, formats: the calls that read the table of formats (engine/formats.hpp) and name none.
#pragma once
#include <Python.h>

namespace kumihimo::inline v0::python {

/// Functions with METH_FASTCALL | METH_KEYWORDS; their self is the state_object.
PyObject* dump(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames);
PyObject* load(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames);
/// METH_NOARGS: a tuple with a dict for each format.
PyObject* formats_of_table(PyObject* self, PyObject*);

}  // namespace kumihimo::inline v0::python
