#include "src/row_stream.hpp"

#include <memory>
#include <new>

#include "src/extraction_guard.hpp"

namespace nb = nanobind;

namespace kumihimo::inline v0::python {
namespace {

// Keeps the pending error and raises it again in the main thread, between two instructions of its.
void raise_soon() {
    struct kept {
        PyObject *type, *value, *trace;
    };
    auto* k = new (std::nothrow) kept{};
    if (k == nullptr) {
        PyErr_Clear();
        PyErr_SetInterrupt();
        return;
    }
    PyErr_Fetch(&k->type, &k->value, &k->trace);
    const auto deliver = [](void* p) -> int {
        const std::unique_ptr<kept> mine(static_cast<kept*>(p));
        PyErr_Restore(mine->type, mine->value, mine->trace);
        return -1;
    };
    if (Py_AddPendingCall(deliver, k) == 0) return;
    Py_XDECREF(k->type);
    Py_XDECREF(k->value);
    Py_XDECREF(k->trace);
    delete k;
    PyErr_SetInterrupt();
}

// Whether Python ends or has ended. When it has, nothing knows any more which thread has the GIL.
bool has_ended() noexcept {
    if (Py_IsInitialized() == 0) return true;
#if PY_VERSION_HEX >= 0x030D0000
    return Py_IsFinalizing() != 0;
#else
    return _Py_IsFinalizing() != 0;
#endif
}

// The consumer has waited for a while. It may be the main thread, where nobody else looks for Ctrl-C meanwhile. A
// handler may ask this very extraction, and so may a thread that has the GIL.
int go_on(void*) {
    if (has_ended()) return 0;
    const PyGILState_STATE gil = with_gil_or_stay(PyGILState_Ensure);
    const bool interrupted = PyErr_CheckSignals() != 0;
    // The consumer will raise an error of its own; what the handler raised comes again as soon as Python code runs.
    if (interrupted) raise_soon();
    PyGILState_Release(gil);
    return interrupted ? 0 : 1;
}

// The engine's stream behind one that gives the GIL away: its consumer calls on any thread, with or without it.
ArrowArrayStream& inner(ArrowArrayStream* s) { return *static_cast<ArrowArrayStream*>(s->private_data); }

int get_schema(ArrowArrayStream* s, ArrowSchema* out) { return inner(s).get_schema(&inner(s), out); }
int get_next(ArrowArrayStream* s, ArrowArray* out) {
    if (has_ended() || PyGILState_Check() == 0) return inner(s).get_next(&inner(s), out);
    const unlocked free;
    return inner(s).get_next(&inner(s), out);
}
const char* get_last_error(ArrowArrayStream* s) { return inner(s).get_last_error(&inner(s)); }
void release(ArrowArrayStream* s) {
    const std::unique_ptr<ArrowArrayStream> mine(&inner(s));
    mine->release(mine.get());
    s->release = nullptr;
}

// The Arrow PyCapsule interface: whoever takes the structure over sets its release to null.
template <typename T>
nb::object capsule_of(std::unique_ptr<T> held, const char* name) {
    PyObject* const capsule = PyCapsule_New(held.get(), name, [](PyObject* c) {
        auto* const p = static_cast<T*>(PyCapsule_GetPointer(c, PyCapsule_GetName(c)));
        if (p->release != nullptr) p->release(p);
        delete p;
    });
    if (capsule == nullptr) {
        held->release(held.get());
        throw nb::python_error();
    }
    held.release();
    return nb::steal(capsule);
}

}  // namespace

nb::object row_stream(kumihimo_extraction* x) {
    auto mine = std::make_unique<ArrowArrayStream>(), outer = std::make_unique<ArrowArrayStream>();
    drive(x, [&] { return kumihimo_extract_stream(x, go_on, nullptr, mine.get(), nullptr); });
    *outer = {get_schema, get_next, get_last_error, release, mine.release()};
    return capsule_of(std::move(outer), "arrow_array_stream");
}

nb::object row_schema(kumihimo_extraction* x) {
    auto schema = std::make_unique<ArrowSchema>();
    drive(x, [&] { return kumihimo_extract_schema(x, patience, schema.get(), nullptr); });
    return capsule_of(std::move(schema), "arrow_schema");
}

}  // namespace kumihimo::inline v0::python
