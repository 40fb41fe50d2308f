// The extension module kumihimo._core: the one file that spells the public surface.
#include <libdeflate.h>
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "engine/simd/dispatch.hpp"
#include "src/any_convert.hpp"
#include "src/document_stream.hpp"
#include "src/extraction.hpp"
#include "src/frames.hpp"
#include "src/lazy.hpp"
#include "src/partial.hpp"
#include "src/state.hpp"

namespace nb = nanobind;

namespace {

// Plain C functions, so that pickle, inspect and type checkers' tools know what they are.
PyObject* inflate_library(PyObject*, PyObject*) { return PyUnicode_FromString("libdeflate " LIBDEFLATE_VERSION_STRING); }
PyObject* kernel(PyObject*, PyObject*) { return PyUnicode_FromString(kumihimo::simd::active().name); }
PyObject* kernels(PyObject*, PyObject*) {
    PyObject* const out = PyList_New(0);
    for (const auto* k : kumihimo::simd::available()) {
        PyObject* const name = out == nullptr ? nullptr : PyUnicode_FromString(k->name);
        if (name == nullptr || PyList_Append(out, name) != 0) {
            Py_XDECREF(name);
            Py_XDECREF(out);
            return nullptr;
        }
        Py_DECREF(name);
    }
    return out;
}
PyObject* use_kernel(PyObject*, PyObject* name) {
    const char* const s = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
    if (s != nullptr) return PyBool_FromLong(kumihimo::simd::use(s));
    if (PyErr_Occurred() == nullptr) PyErr_SetString(PyExc_TypeError, "the name of a kernel is a str");
    return nullptr;
}

PyMethodDef functions[] = {
    {"inflate_library", inflate_library, METH_NOARGS, "inflate_library()\n--\n\nWhat whole buffers are inflated with."},
    {"kernel", kernel, METH_NOARGS, "kernel()\n--\n\nThe instruction set that is in use, such as 'avx512'."},
    {"kernels", kernels, METH_NOARGS, "kernels()\n--\n\nThe instruction sets that this machine can use, the best last."},
    {"use_kernel", use_kernel, METH_O,
     "use_kernel(name, /)\n--\n\nMakes the whole process use one instruction set; False if this machine has none of that name. "
     "For tests and benches."},
    {nullptr, nullptr, 0, nullptr}};

// nanobind keeps what it knows of its classes for one interpreter, and its import in another one replaces that: values
// of the first would then be of no class that it knows. So the first interpreter that comes here stays the only one,
// until the process ends. Both share a GIL; one that has a GIL of its own is refused by Python itself.
std::int64_t owner = -1;  // of the module: its number, which no other interpreter ever has

bool is_ours() {
    if (owner == -1 || owner == PyInterpreterState_GetID(PyInterpreterState_Get())) return true;
    PyErr_SetString(PyExc_ImportError,
                    "kumihimo is in use by another interpreter of this process, and can serve only the first that imports it");
    return false;
}

// A slot of the module: what Python runs before nanobind's own.
int claim(PyObject*) {
    if (!is_ours()) return -1;
    owner = PyInterpreterState_GetID(PyInterpreterState_Get());
    return 0;
}

}  // namespace

// nanobind's module under another name: PyInit__core below puts claim() before its slots.
NB_MODULE(kumihimo_core, m) {
    m.doc() = "The compiled part of kumihimo.";
    // A thread that runs on when Python ends (one that fetches URLs, a program's own) keeps what it holds. That is no
    // leak to warn a user of.
    nb::set_leak_warnings(false);
    m.attr("__version__") = KUMIHIMO_VERSION;
    // The module keeps the state alive: classes and functions only point to it.
    const nb::object shared = nb::steal(kumihimo::python::new_state());
    if (!shared.is_valid() || PyModule_AddFunctions(m.ptr(), functions) != 0 ||
        !kumihimo::python::add_codec(m.ptr(), shared.ptr()))
        nb::raise_python_error();
    m.attr("_state") = shared;
    kumihimo::python::add_partial(m, kumihimo::python::state_of(shared.ptr()));
    kumihimo::python::add_lazy(m);
    kumihimo::python::add_document_stream(m);
    kumihimo::python::add_converter(m);
    kumihimo::python::add_frames(m);
    kumihimo::python::add_extraction(m);
}

extern "C" NB_EXPORT PyObject* PyInit__core() {
    if (!is_ours()) return nullptr;
    PyObject* const made = PyInit_kumihimo_core();
    if (made == nullptr) return nullptr;
    if (!PyObject_TypeCheck(made, &PyModuleDef_Type))
        return claim(made) == 0 ? made : nullptr;  // nanobind 2.0: it is the module
    auto* const def = reinterpret_cast<PyModuleDef*>(made);
    static PyModuleDef_Slot slots[16] = {{Py_mod_exec, reinterpret_cast<void*>(claim)}};
    if (def->m_slots == slots) return made;
    std::size_t n = 0;
    while (def->m_slots[n].slot != 0) ++n;
    if (n + 2 > std::size(slots)) {
        PyErr_SetString(PyExc_SystemError, "kumihimo: nanobind has more slots than there is room for");
        return nullptr;
    }
    std::copy_n(def->m_slots, n, slots + 1);
    def->m_slots = slots;
    return made;
}
