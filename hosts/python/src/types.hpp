// Which of Python's many types an object has, for all that are not one of the eight exact built-ins that the walker
// knows by their address. A class is looked at once; the answer is kept until the class changes.
//
// No module is imported for the question: an object of a class whose module was never imported cannot exist.
#pragma once
#include <Python.h>

#include <array>
#include <cstdint>

namespace kumihimo::inline v0::python {

enum class kind : std::uint8_t {
    other,
    str,
    integer,
    real,
    list,
    tuple,
    dict,
    enumeration,
    dataclass,
    datetime,
    date,
    time,
    uuid,
    decimal,
    numpy_scalar,
    numpy_array,
    binary,  // bytes, bytearray, memoryview
    ext,     // kumihimo.msgpack.Ext
};

class type_table {
public:
    type_table() = default;
    type_table(const type_table&) = delete;
    type_table& operator=(const type_table&) = delete;

    kind kind_of(PyTypeObject* t) noexcept {
        // A version tag names one state of one class and is not given out again, so an address that was freed and used
        // for a new class cannot be mistaken.
        slot& s = slots_[(reinterpret_cast<std::uintptr_t>(t) >> 5) % slots_.size()];
        if (s.type == t && s.version == t->tp_version_tag && s.version != 0) return s.known;
        s.known = look(t);
        s.type = t;
        s.version = t->tp_version_tag;
        return s.known;
    }

private:
    struct slot {
        PyTypeObject* type = nullptr;
        unsigned int version = 0;
        kind known = kind::other;
    };
    static kind look(PyTypeObject* t) noexcept;

    std::array<slot, 64> slots_{};
};

/// The attributes of a module that is already imported; null without an error where there is none.
PyObject* imported(const char* module, const char* name) noexcept;

}  // namespace kumihimo::inline v0::python
