#include "src/state.hpp"

#include <new>

#include "src/guard.hpp"

namespace kumihimo::inline v0::python {
namespace {

void dealloc(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    delete reinterpret_cast<state_object*>(self)->held;
    type->tp_free(self);
    Py_DECREF(type);
}

// pickle: the object is found again by its name in its module.
PyObject* reduce(PyObject*, PyObject*) { return PyUnicode_FromString("_state"); }

PyObject* getattr(PyObject* self, PyObject* name) {
    PyObject* const own = PyObject_GenericGetAttr(self, name);
    if (own != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError)) return own;
    PyErr_Clear();
    const ref module(PyImport_ImportModule("kumihimo._core"));
    return module ? PyObject_GetAttr(module.get(), name) : nullptr;
}

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                       {Py_tp_getattro, reinterpret_cast<void*>(getattr)},
                       {Py_tp_methods, methods},
                       {0, nullptr}};
PyType_Spec spec = {"kumihimo._core._State", sizeof(state_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

}  // namespace

PyObject* new_state() {
    const ref type(PyType_FromSpec(&spec));
    if (!type) return nullptr;
    auto* const as_type = reinterpret_cast<PyTypeObject*>(type.get());
    ref made(as_type->tp_alloc(as_type, 0));
    if (!made) return nullptr;
    state*& held = reinterpret_cast<state_object*>(made.get())->held;
    held = new (std::nothrow) state;
    if (held == nullptr) return PyErr_NoMemory();
    return made.release();
}

}  // namespace kumihimo::inline v0::python
