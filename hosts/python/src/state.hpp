// What one module object keeps between calls: the key cache, the known classes, the names of keyword arguments.
// Nothing is global to the process; everything here is used under the GIL.
#pragma once
#include <Python.h>

#include "src/text.hpp"
#include "src/types.hpp"

namespace kumihimo::inline v0::python {

struct state {
    key_cache keys;
    type_table types;
};

/// The state as an object, which is the `self` of the module's functions and stands in the module as _state: so a call
/// finds it without a look-up. The price: pickle takes such functions for methods, getattr(_state, "loads"), so _state
/// answers for all names of its module, and pickles name it. With the module as self every call would first look for
/// the module's state.
struct state_object {
    PyObject_HEAD state* held;
};

inline state& state_of(PyObject* object) noexcept { return *reinterpret_cast<state_object*>(object)->held; }

/// A new state_object; null with an error pending.
PyObject* new_state();

/// Adds dumps, loads, packb, unpackb, check (codec.cpp) and the calls of any_format.hpp, whose self is `state_object`.
/// False with an error pending.
bool add_codec(PyObject* module, PyObject* state_object);

}  // namespace kumihimo::inline v0::python
