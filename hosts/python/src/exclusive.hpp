// Objects that work outside of the GIL, or run Python code in the middle of their work: another thread, or that code,
// may call them again meanwhile. They refuse.
#pragma once
#include <Python.h>
#include <nanobind/nanobind.h>

namespace kumihimo::inline v0::python {

/// In such an object; a `use` of it lives as long as a call.
class exclusive {
public:
    class use {
    public:
        /// Throws RuntimeError where a call is under way.
        explicit use(exclusive& object) : object_(object) {
            if (object.busy_) {
                PyErr_SetString(PyExc_RuntimeError, "it is at work already: one call at a time");
                throw nanobind::python_error();
            }
            object.busy_ = true;
        }
        ~use() { object_.busy_ = false; }
        use(const use&) = delete;
        use& operator=(const use&) = delete;

    private:
        exclusive& object_;
    };

private:
    bool busy_ = false;  // under the GIL
};

}  // namespace kumihimo::inline v0::python
