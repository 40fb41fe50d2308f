#include "src/row_stream.hpp"

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "extract/arrow.hpp"

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

errc next_batch_free(session& s, std::unique_ptr<extract::batch>& out, std::string& why) {
    std::unique_lock lock(s.driving);
    if (!s.ready.empty()) {
        out = std::move(s.ready.front());
        s.ready.pop_front();
        return errc::ok;
    }
    out.reset();
    extract::result got;
    for (;;) {
        const extract::progress p = s.over ? extract::progress::end : advance(s, got);
        if (p == extract::progress::ready) {
            if (s.stale || !got.rows) continue;
            // Without rows only so that the consumer may take what is told.
            if (got.rows->rows() == 0 && !much_to_tell(s)) continue;
            out = std::move(got.rows);
            return errc::ok;
        }
        if (p == extract::progress::end) {
            s.over = true;
            if (s.run->cancelled()) {
                why = "the extraction was cancelled";
                return errc::host;
            }
            if (s.run->failure()) {
                why = s.run->failure()->text();
                return s.run->failure()->code;
            }
            if (note_contradiction(s)) {
                why = s.contradiction + ", but rows with the guessed type were handed out already: give the column's type";
                return errc::unsupported;
            }
            return errc::ok;
        }
        // Waiting. The consumer may be the main thread, where nobody else looks for Ctrl-C meanwhile. A handler may ask this
        // very extraction, and so may a thread that has the GIL.
        lock.unlock();
        const PyGILState_STATE gil = PyGILState_Ensure();
        const bool interrupted = PyErr_CheckSignals() != 0;
        if (interrupted) {
            // The consumer will raise an error of its own; what the handler raised comes again as soon as Python code runs.
            raise_soon();
        }
        PyGILState_Release(gil);
        lock.lock();
        if (interrupted) {
            s.cancel();
            s.over = true;
            why = "interrupted";
            return errc::host;
        }
    }
}

// Called by an Arrow consumer, on any thread, with or without the GIL.
errc next_batch(session& s, std::unique_ptr<extract::batch>& out, std::string& why) {
    if (s.process != ::getpid()) {
        why = "this extraction was begun in another process: call extract() in the process that reads the rows";
        return errc::host;
    }
    const bool holding = PyGILState_Check() != 0;
    PyThreadState* const state = holding ? PyEval_SaveThread() : nullptr;
    const errc e = next_batch_free(s, out, why);
    if (state != nullptr) PyEval_RestoreThread(state);
    return e;
}

// The Arrow PyCapsule interface: whoever takes the structure over sets its release to null.
template <typename T>
nb::object capsule_of(std::unique_ptr<T> of, const char* name) {
    PyObject* const capsule = PyCapsule_New(of.get(), name, [](PyObject* c) {
        auto* const p = static_cast<T*>(PyCapsule_GetPointer(c, PyCapsule_GetName(c)));
        if (p->release != nullptr) p->release(p);
        delete p;
    });
    if (capsule == nullptr) {
        of->release(of.get());
        throw nb::python_error();
    }
    of.release();
    return nb::steal(capsule);
}

}  // namespace

nb::object row_stream(std::shared_ptr<session> s) {
    auto stream = std::make_unique<ArrowArrayStream>();
    const errc e = extract::to_arrow(
        s->current_columns(), [s](std::unique_ptr<extract::batch>& out, std::string& why) { return next_batch(*s, out, why); },
        stream.get());
    if (e != errc::ok) throw std::bad_alloc();
    return capsule_of(std::move(stream), "arrow_array_stream");
}

nb::object row_schema(const extract::schema& of) {
    auto schema = std::make_unique<ArrowSchema>();
    if (extract::to_arrow(of, schema.get()) != errc::ok) throw std::bad_alloc();
    return capsule_of(std::move(schema), "arrow_schema");
}

}  // namespace kumihimo::inline v0::python
