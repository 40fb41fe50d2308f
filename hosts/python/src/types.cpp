#include "src/types.hpp"

#include "src/guard.hpp"

namespace kumihimo::inline v0::python {

PyObject* imported(const char* module, const char* name) noexcept {
    PyObject* modules = PyImport_GetModuleDict();  // borrowed
    PyObject* m = modules == nullptr ? nullptr : PyDict_GetItemString(modules, module);
    PyObject* found = m == nullptr || m == Py_None ? nullptr : PyObject_GetAttrString(m, name);
    if (found == nullptr) PyErr_Clear();
    return found;
}

namespace {

bool is_a(PyTypeObject* t, const char* module, const char* name) noexcept {
    const ref wanted(imported(module, name));
    return wanted && PyType_Check(wanted.get()) && PyType_IsSubtype(t, reinterpret_cast<PyTypeObject*>(wanted.get()));
}

bool has_attribute(PyTypeObject* t, const char* name) noexcept {
    const ref text(PyUnicode_InternFromString(name));
    return text && _PyType_Lookup(t, text.get()) != nullptr;
}

}  // namespace

kind type_table::look(PyTypeObject* t) noexcept {
    // A member of an IntEnum is an int too: its value is what is meant.
    if (is_a(Py_TYPE(t), "enum", "EnumMeta")) return kind::enumeration;
    if (PyType_HasFeature(t, Py_TPFLAGS_UNICODE_SUBCLASS)) return kind::str;
    if (PyType_HasFeature(t, Py_TPFLAGS_LONG_SUBCLASS)) return kind::integer;
    if (PyType_HasFeature(t, Py_TPFLAGS_LIST_SUBCLASS)) return kind::list;
    if (PyType_HasFeature(t, Py_TPFLAGS_DICT_SUBCLASS)) return kind::dict;
    if (has_attribute(t, "__dataclass_fields__")) return kind::dataclass;
    if (PyType_HasFeature(t, Py_TPFLAGS_TUPLE_SUBCLASS)) return is_a(t, "kumihimo.msgpack", "Ext") ? kind::ext : kind::tuple;
    if (PyType_IsSubtype(t, &PyFloat_Type)) return kind::real;
    if (PyType_HasFeature(t, Py_TPFLAGS_BYTES_SUBCLASS) || PyType_IsSubtype(t, &PyByteArray_Type) ||
        PyType_IsSubtype(t, &PyMemoryView_Type))
        return kind::binary;
    if (is_a(t, "datetime", "datetime")) return kind::datetime;
    if (is_a(t, "datetime", "date")) return kind::date;
    if (is_a(t, "datetime", "time")) return kind::time;
    if (is_a(t, "uuid", "UUID")) return kind::uuid;
    if (is_a(t, "decimal", "Decimal")) return kind::decimal;
    if (is_a(t, "numpy", "generic")) return kind::numpy_scalar;
    if (is_a(t, "numpy", "ndarray")) return kind::numpy_array;
    has_attribute(t, "__class__");  // gives the class a version tag, so that the answer can be kept
    return kind::other;
}

}  // namespace kumihimo::inline v0::python
