// Verbs -> Python objects.
//
// Everything that has arrived and is not yet inside a container lies on one stack. When a container ends, its values
// are the top of that stack and their number is known: the list or dict is made in its final size and takes the
// references over.
//
//      {"a": [1, 2], "b"      "a" | 1 2          ->  end()  ->      "a" [1, 2] | "b" ...
//
// No user code runs while a builder works, unless there is an ext_hook or a signal; so the GIL is kept and, without
// one, the collector rests (guard.hpp).
#pragma once
#include <Python.h>

#include <cstdint>
#include <cstring>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/core/stack.hpp"
#include "src/guard.hpp"
#include "src/text.hpp"

namespace kumihimo::inline v0::python {

/// What the caller asked for. Borrowed references.
struct build_options {
    bool decimals = false;         // numbers with a fraction or exponent become decimal.Decimal
    bool non_str_keys = true;      // MessagePack: keys of other types; else an error
    bool any_text = false;         // text may arrive that is not UTF-8, as the reader's dialect lets it
    PyObject* ext_hook = nullptr;  // called with (type, bytes) for each ext; else kumihimo.msgpack.Ext
};

class builder {
public:
    using value = PyObject*;

    builder(context& ctx, key_cache& keys, const build_options& options) noexcept
        : ctx_(ctx), keys_(keys), options_(options), begin_(first_), at_(first_), limit_(first_ + room), end_(first_ + room) {}
    builder(const builder&) = delete;
    builder& operator=(const builder&) = delete;
    ~builder() {
        clear();
        if (begin_ != first_) std::free(begin_);
    }

    /// The finished object, a new reference; null before one whole value has arrived.
    PyObject* take() noexcept {
        if (at_ - begin_ != 1 || !open_.empty()) return nullptr;
        return *--at_;
    }
    /// From now on signals and other threads are thought of; `pause`, which may be null, is lifted meanwhile.
    void look_round(collector_pause* pause) noexcept {
        looks_ = true;
        pause_ = pause;
        due_ = stretch;
        limit_ = soft_limit();
    }

    /// Drops what has arrived; ready for another document.
    void clear() noexcept {
        while (at_ != begin_) Py_DECREF(*--at_);
        open_.clear();
    }

    errc null() {
        Py_INCREF(Py_None);
        return push(Py_None);
    }
    errc boolean(bool b) {
        PyObject* o = b ? Py_True : Py_False;
        Py_INCREF(o);
        return push(o);
    }
    errc i64(std::int64_t n) { return push(PyLong_FromLongLong(n)); }
    errc u64(std::uint64_t n) { return push(PyLong_FromUnsignedLongLong(n)); }
    errc f64(double x) { return push(PyFloat_FromDouble(x)); }
    errc str(text t) {
        if (t.charset == encoding::utf8 && options_.any_text) [[unlikely]]
            return doubtful_text(t);
        return push(str_of(t));
    }
    errc key(text t) {
        if (t.charset == encoding::utf8 && options_.any_text) [[unlikely]]
            return doubtful_text(t);
        return push(keys_.get(t));
    }
    errc key(next_value) {
        if (options_.non_str_keys) return errc::ok;
        return ctx_.fail(errc::unsupported, failure::nowhere, "a key is not a str: pass non_str_keys=True to allow it");
    }
    errc bin(bytes b) {
        return push(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(b.data()), static_cast<Py_ssize_t>(b.size())));
    }
    errc big(text digits);
    errc time(const instant& t);
    errc ext(int type, bytes data);

    errc array(count) { return open(false); }
    errc map(count) { return open(true); }
    errc end() {
        const frame f = open_.top();
        open_.pop();
        PyObject** const first = begin_ + f.first;
        PyObject* made = f.map ? dict_of(first, at_) : list_of(first, at_);
        if (made == nullptr) [[unlikely]]
            return PyErr_Occurred() ? errc::host : ctx_.failure.code;  // a key that Python has no hash for
        due_ -= at_ - first + 1;
        at_ = first;
        KUMIHIMO_TRY(push(made));  // an empty one has left no room
        return due_ <= 0 ? look() : errc::ok;
    }

private:
    struct frame {
        std::size_t first;  // index on the stack of the container's first value
        bool map;
    };

    [[gnu::always_inline]] errc push(PyObject* o) {
        if (o == nullptr) [[unlikely]]
            return errc::host;
        if (at_ == limit_) [[unlikely]] {
            if (const errc e = make_room(); e != errc::ok) {
                Py_DECREF(o);
                return e;
            }
        }
        *at_++ = o;
        return errc::ok;
    }

    errc open(bool map) {
        if (!open_.push({static_cast<std::size_t>(at_ - begin_), map})) [[unlikely]]
            return ctx_.fail(errc::memory, failure::nowhere, "out of memory");
        return errc::ok;
    }

    // On success the references are taken over; on failure they stay on the stack.
    static PyObject* list_of(PyObject** first, PyObject** last) noexcept {
        const Py_ssize_t n = last - first;
        PyObject* list = PyList_New(n);
        if (list != nullptr && n != 0)
            std::memcpy(reinterpret_cast<PyListObject*>(list)->ob_item, first, static_cast<std::size_t>(n) * sizeof *first);
        return list;
    }
    PyObject* dict_of(PyObject** first, PyObject** last) noexcept {
        PyObject* dict = PyDict_New();
        if (dict == nullptr) return nullptr;
        for (PyObject** p = first; p != last; p += 2) {
            if (!PyUnicode_CheckExact(p[0]) && !hashable_key(p)) [[unlikely]] {
                Py_DECREF(dict);
                return nullptr;
            }
            if (PyDict_SetItem(dict, p[0], p[1]) != 0) [[unlikely]] {
                Py_DECREF(dict);
                return nullptr;
            }
        }
        for (PyObject** p = first; p != last; ++p) Py_DECREF(*p);
        return dict;
    }
    /// Text that may not be UTF-8: half a surrogate pair is a character of a str, all else that is broken is refused.
    [[gnu::cold]] errc doubtful_text(const text& t);
    /// An array as key becomes a tuple; a map as key is an error, in the context or Python's own.
    [[gnu::cold]] bool hashable_key(PyObject** key, int level = 0) noexcept;
    /// No room below limit_: memory is at its end, or it is time to look round.
    [[gnu::cold, gnu::noinline]] errc make_room() noexcept;
    [[gnu::cold, gnu::noinline]] errc look() noexcept;
    bool grow() noexcept;
    PyObject** soft_limit() const noexcept { return looks_ && end_ - at_ > stretch ? at_ + stretch : end_; }

    static constexpr std::size_t room = 256;
    static constexpr std::ptrdiff_t stretch = 4096;  // values; some hundred microseconds
    context& ctx_;
    key_cache& keys_;
    const build_options& options_;
    PyObject** begin_;
    PyObject** at_;
    PyObject** limit_;  // where push() must stop and think
    PyObject** end_;    // of the memory
    std::ptrdiff_t due_ = PTRDIFF_MAX;
    bool looks_ = false;
    collector_pause* pause_ = nullptr;
    turns turns_;
    stack<frame, 16> open_;
    PyObject* first_[room];
};
static_assert(kumihimo::builder<builder>);

}  // namespace kumihimo::inline v0::python
