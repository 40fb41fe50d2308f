// What stands between the engine and the interpreter: owned references, the GIL, the garbage collector's pause, and
// the one place where a failure in the engine's context becomes a Python exception.
//
// The engine never unwinds by exception: a Python error that is already pending travels through it as errc::host.
#pragma once
#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"

namespace kumihimo::inline v0::python {

/// One owned reference; null is allowed and means "an error is pending" or "nothing".
class ref {
public:
    ref() = default;
    explicit ref(PyObject* owned) noexcept : p_(owned) {}
    ref(const ref&) = delete;
    ref& operator=(const ref&) = delete;
    ref(ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
    ref& operator=(ref&& o) noexcept {
        // The old object goes last: its destructor may run Python code that looks at this very reference.
        PyObject* old = std::exchange(p_, std::exchange(o.p_, nullptr));
        Py_XDECREF(old);
        return *this;
    }
    ~ref() { Py_XDECREF(p_); }

    static ref borrowed(PyObject* p) noexcept {
        Py_XINCREF(p);
        return ref(p);
    }
    PyObject* get() const noexcept { return p_; }
    PyObject* release() noexcept { return std::exchange(p_, nullptr); }
    explicit operator bool() const noexcept { return p_ != nullptr; }

private:
    PyObject* p_ = nullptr;
};

/// For a thread that wants the GIL when Python has ended: it stays where it is until the process ends, as from Python
/// 3.14 on. Before that Python leaves its frames by pthread_exit(), and those that let nothing through abort the
/// process.
[[noreturn]] void stay() noexcept;

/// Calls `take`, which takes the GIL, and gives what it gives. The GIL is taken nowhere else.
template <class Take>
auto with_gil_or_stay(Take take) noexcept {
    try {
        return take();
    } catch (...) {
        stay();
    }
}

/// Other Python threads run while this lives. Nothing inside may touch an object.
class unlocked {
public:
    unlocked() noexcept { leave(); }
    ~unlocked() { enter(); }
    unlocked(const unlocked&) = delete;
    unlocked& operator=(const unlocked&) = delete;

    /// In between: enter() takes the GIL, leave() gives it back.
    void enter() noexcept {
        with_gil_or_stay([this] { PyEval_RestoreThread(state_); });
    }
    void leave() noexcept { state_ = PyEval_SaveThread(); }

private:
    PyThreadState* state_ = nullptr;
};

/// No cycle collection while this lives: a builder makes thousands of containers that are all alive and cannot be in a
/// cycle, so every collection in between is work for nothing. Only around code that keeps the GIL and runs no Python
/// code, so nobody can see the switch; where it does, it lifts the pause meanwhile.
class collector_pause {
public:
    collector_pause() noexcept { rest(); }
    ~collector_pause() { lift(); }
    void rest() noexcept { was_on_ = PyGC_Disable() != 0; }
    void lift() noexcept {
        if (was_on_) PyGC_Enable();
    }
    collector_pause(const collector_pause&) = delete;
    collector_pause& operator=(const collector_pause&) = delete;

private:
    bool was_on_ = false;
};

/// Long work that keeps the GIL looks round every few hundred microseconds: signals are answered (by Python's rule in
/// the main thread only), so that KeyboardInterrupt and a handler's exception end it. False with an error pending.
[[gnu::cold]] inline bool answer_signals() noexcept { return PyErr_CheckSignals() == 0; }

/// The same, and every five milliseconds, as often as the interpreter itself does it, other threads get their turn.
/// For work that shares nothing with them.
class turns {
public:
    /// For work outside the GIL, which has nobody to make room for: every 50 ms the GIL is taken, signals are
    /// answered.
    [[gnu::cold]] bool take(unlocked& outside) noexcept;
    [[gnu::cold]] bool take(collector_pause* pause) noexcept;

private:
    std::int64_t last_ = 0;  // nanoseconds; when they had it
};

/// Memory of an object that speaks the buffer protocol, or of a str; held until destruction.
class input_bytes {
public:
    input_bytes() = default;
    input_bytes(const input_bytes&) = delete;
    input_bytes& operator=(const input_bytes&) = delete;
    ~input_bytes() {
        if (view_.obj != nullptr) PyBuffer_Release(&view_);
    }

    /// False with a Python error pending: TypeError for another type, JSONDecodeError for a str with lone surrogates.
    bool open(PyObject* from, bool text_allowed) noexcept;

    bytes get() const noexcept { return {static_cast<const unsigned char*>(data_), size_}; }

private:
    const void* data_ = nullptr;
    std::size_t size_ = 0;
    Py_buffer view_{};
};

/// From this size on a document is work for others to wait for.
inline constexpr std::size_t long_document = std::size_t{64} << 10;

/// Raises what `ctx` says about reading `document`: JSONDecodeError (`doc_object` becomes its doc) or msgpack's
/// DecodeError. For errc::host the pending error stays, for errc::memory it is MemoryError.
[[gnu::cold]] void raise_decode(const context& ctx, errc code, PyObject* doc_object, bytes document, const char* format);

/// Raises what `ctx` says about writing: EncodeError, a subclass of TypeError and ValueError.
[[gnu::cold]] void raise_encode(const context& ctx, errc code);

/// The attribute `name` of the package's own module `module`, imported now; null with an error pending.
[[gnu::cold]] ref package_attribute(const char* module, const char* name);

}  // namespace kumihimo::inline v0::python
