// Keyword arguments of plain C functions: a call through a binding library costs as much as a small document.
#pragma once
#include <Python.h>

#include <span>
#include <string>

#include "engine/core/context.hpp"

namespace kumihimo::inline v0::python {

// The arguments of one METH_FASTCALL call, by name. `names` in order; the first `positional` of them may come without
// a name. values[i] is borrowed, or null where the argument was not given.
inline bool read_arguments(const char* function, PyObject* const* args, Py_ssize_t given, PyObject* kwnames,
                           std::span<const char* const> names, Py_ssize_t required, Py_ssize_t positional, PyObject** values) {
    if (given > positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %zd positional arguments, %zd were given", function, positional,
                     given);
        return false;
    }
    for (Py_ssize_t i = 0; i < given; ++i) values[i] = args[i];
    const Py_ssize_t named = kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames);
    for (Py_ssize_t i = 0; i < named; ++i) {
        PyObject* const name = PyTuple_GET_ITEM(kwnames, i);
        std::size_t found = 0;
        while (found < names.size() && PyUnicode_CompareWithASCIIString(name, names[found]) != 0) ++found;
        if (found == names.size()) {
            PyErr_Format(PyExc_TypeError, "%s() has no argument named '%U'", function, name);
            return false;
        }
        if (values[found] != nullptr) {
            PyErr_Format(PyExc_TypeError, "%s() got the argument '%U' twice", function, name);
            return false;
        }
        values[found] = args[given + i];
    }
    for (Py_ssize_t i = 0; i < required; ++i) {
        if (values[i] == nullptr) {
            PyErr_Format(PyExc_TypeError, "%s() needs the argument '%s'", function, names[static_cast<std::size_t>(i)]);
            return false;
        }
    }
    return true;
}

inline bool read_flag(PyObject* value, bool& out) {
    if (value == nullptr) return true;
    const int truth = PyObject_IsTrue(value);
    if (truth < 0) return false;
    out = truth != 0;
    return true;
}

inline bool read_depth(PyObject* value, context& ctx) {
    if (value == nullptr || value == Py_None) return true;
    const Py_ssize_t n = PyNumber_AsSsize_t(value, PyExc_OverflowError);
    if (n == -1 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return false;
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "depth is a number of levels, from 1 to %zd", PY_SSIZE_T_MAX);
        return false;
    }
    if (n < 1) {
        PyErr_SetString(PyExc_ValueError, "depth is at least 1");
        return false;
    }
    ctx.limits.depth = static_cast<std::size_t>(n);
    return true;
}

inline bool read_fallback(PyObject* value, PyObject*& out) {
    if (value == nullptr || value == Py_None) return true;
    if (!PyCallable_Check(value)) {
        PyErr_Format(PyExc_TypeError, "expected a callable, not %.200s", Py_TYPE(value)->tp_name);
        return false;
    }
    out = value;
    return true;
}

// A choice among words; `out` is its index.
inline bool read_word(const char* argument, PyObject* value, std::span<const char* const> words, int& out) {
    if (value == nullptr || value == Py_None) return true;
    if (PyUnicode_Check(value)) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (PyUnicode_CompareWithASCIIString(value, words[i]) == 0) {
                out = static_cast<int>(i);
                return true;
            }
        }
    }
    std::string all;
    for (const char* w : words) all += std::string(all.empty() ? "'" : ", '") + w + "'";
    PyErr_Format(PyExc_ValueError, "%s is one of %s", argument, all.c_str());
    return false;
}

inline bool read_string(const char* argument, PyObject* value, std::string& out) {
    Py_ssize_t n = 0;
    const char* p = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &n) : nullptr;
    if (p == nullptr) {
        if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s holds a str", argument);
        return false;
    }
    out.assign(p, static_cast<std::size_t>(n));
    return true;
}

template <class F>
PyCFunction fast(F f) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f));
}

}  // namespace kumihimo::inline v0::python
