// The output of a writer, in the shape that Python wants: a bytes object that the document is written into, so that no
// finished document is copied. The first bytes go to an array on the stack, because most documents are small and an
// exact small bytes object costs less than a large one that is shrunk.
#pragma once
#include <Python.h>

#include <cstddef>
#include <cstring>

#include "engine/core/buffer.hpp"
#include "engine/core/burst.hpp"
#include "engine/core/large.hpp"
#include "src/guard.hpp"

namespace kumihimo::inline v0::python {

class bytes_buffer {
public:
    bytes_buffer() noexcept : begin_(first_), at_(first_), limit_(first_ + sizeof first_) {}
    bytes_buffer(const bytes_buffer&) = delete;
    bytes_buffer& operator=(const bytes_buffer&) = delete;
    ~bytes_buffer() { Py_XDECREF(object_); }

    char* reserve(std::size_t n) noexcept {
        if (static_cast<std::size_t>(limit_ - at_) < n) [[unlikely]]
            return grow(n);
        return at_;
    }
    void commit(char* p) noexcept { at_ = p; }
    /// A walker looks at signals after every so many bytes (engine/core/burst.hpp, walk.hpp).
    static constexpr std::size_t stretch = std::size_t{256} << 10;
    bool pauses() const noexcept { return size() >= pause_at_; }
    void go_on(std::size_t n = stretch) noexcept { pause_at_ = size() + n; }

    /// For a writer that works without the GIL: it is taken while the bytes object grows.
    void work_outside(unlocked* outside) noexcept { outside_ = outside; }

    const char* data() const noexcept { return begin_; }
    char* data() noexcept { return begin_; }
    std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - begin_); }

    /// The finished bytes, once; null with MemoryError pending. `n` bytes from the start (a writer may have moved its
    /// pieces together).
    PyObject* take(std::size_t n) noexcept {
        if (object_ == nullptr) return PyBytes_FromStringAndSize(begin_, static_cast<Py_ssize_t>(n));
        PyObject* made = object_;
        object_ = nullptr;
        was_shrunk(made, static_cast<std::size_t>(limit_ - begin_), n);
        begin_ = at_ = first_;
        limit_ = first_ + sizeof first_;
        if (_PyBytes_Resize(&made, static_cast<Py_ssize_t>(n)) != 0) return nullptr;
        return made;
    }
    PyObject* take() noexcept { return take(size()); }

private:
    [[gnu::cold, gnu::noinline]] char* grow(std::size_t n) noexcept {
        if (limit_ == begin_) return nullptr;
        const std::size_t used = size();
        if (n > static_cast<std::size_t>(PY_SSIZE_T_MAX) / 2 - used) return nullptr;
        std::size_t want = static_cast<std::size_t>(limit_ - begin_) * 2;
        if (want < 8192) want = 8192;
        if (want < used + n) want = used + n;
        if (outside_ != nullptr) outside_->enter();
        if (object_ == nullptr) {
            object_ = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(want));
            if (object_ != nullptr) std::memcpy(PyBytes_AS_STRING(object_), first_, used);
        } else if (_PyBytes_Resize(&object_, static_cast<Py_ssize_t>(want)) != 0) {
            object_ = nullptr;
        }
        if (object_ == nullptr) PyErr_Clear();  // the engine reports errc::memory, and that becomes MemoryError again
        if (outside_ != nullptr) outside_->leave();
        if (object_ == nullptr) {
            // What was written is gone, so nothing may follow it: no room from here on, not even for what is small.
            begin_ = at_ = limit_ = first_;
            return nullptr;
        }
        begin_ = PyBytes_AS_STRING(object_);
        at_ = begin_ + used;
        limit_ = begin_ + want;
        return at_;
    }

    char* begin_;
    char* at_;
    char* limit_;
    std::size_t pause_at_ = stretch;
    PyObject* object_ = nullptr;
    unlocked* outside_ = nullptr;
    char first_[2048];
};
static_assert(pausing_output<bytes_buffer>);

}  // namespace kumihimo::inline v0::python
