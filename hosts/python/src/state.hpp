// What one module object keeps between calls: the key cache, the known classes, the names of keyword arguments. Nothing is
// global to the process; everything here is used under the GIL.
#pragma once
#include <Python.h>

#include "src/text.hpp"
#include "src/types.hpp"

namespace kumihimo::inline v0::python {

struct state {
    key_cache keys;
    type_table types;
};

/// The state behind the capsule that is the `self` of the module's functions.
inline state& state_of(PyObject* capsule) noexcept { return *static_cast<state*>(PyCapsule_GetPointer(capsule, nullptr)); }

/// Adds dumps, loads, packb, unpackb, convert, check (codec.cpp). `capsule` holds the state and is the functions' self. False
/// with an error pending.
bool add_codec(PyObject* module, PyObject* capsule);

/// The state in a capsule; null with an error pending.
PyObject* new_state();

}  // namespace kumihimo::inline v0::python
