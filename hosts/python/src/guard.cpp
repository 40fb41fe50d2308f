#include "src/guard.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <string>

#include "engine/json/diagnose.hpp"
#include "engine/json/locate.hpp"
#include "engine/json/reader.hpp"
#include "engine/msgpack/writer.hpp"

namespace kumihimo::inline v0::python {

ref package_attribute(const char* module, const char* name) {
    const ref m(PyImport_ImportModule(module));
    return m ? ref(PyObject_GetAttrString(m.get(), name)) : ref();
}

void stay() noexcept {
    for (;;) ::pause();
}

namespace {

std::int64_t nanoseconds() noexcept {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

// Whether a failure is the one of this text, for which Python has a remedy to tell.
bool is(const char* what, const char* text) noexcept { return std::strcmp(what, text) == 0; }

}  // namespace

bool turns::take(unlocked& outside) noexcept {
    const std::int64_t now = nanoseconds();
    if (last_ == 0) last_ = now;
    if (now - last_ < 50'000'000) return true;
    last_ = now;
    outside.enter();
    const bool fine = answer_signals();
    outside.leave();
    return fine;
}

bool turns::take(collector_pause* pause) noexcept {
    if (pause != nullptr) pause->lift();
    const bool fine = answer_signals();
    const std::int64_t now = nanoseconds();
    if (last_ == 0) last_ = now;
    if (fine && now - last_ > 5'000'000) {
        last_ = now;
        const unlocked others;
    }
    if (pause != nullptr) pause->rest();
    return fine;
}

bool input_bytes::open(PyObject* from, bool text_allowed) noexcept {
    if (PyBytes_CheckExact(from)) {
        data_ = PyBytes_AS_STRING(from);
        size_ = static_cast<std::size_t>(PyBytes_GET_SIZE(from));
        return true;
    }
    if (text_allowed && PyUnicode_Check(from)) {
#if PY_VERSION_HEX < 0x030C0000
        if (PyUnicode_READY(from) != 0) return false;
#endif
        if (PyUnicode_IS_ASCII(from)) {
            data_ = PyUnicode_DATA(from);
            size_ = static_cast<std::size_t>(PyUnicode_GET_LENGTH(from));
            return true;
        }
        Py_ssize_t n = 0;
        const char* p = PyUnicode_AsUTF8AndSize(from, &n);
        if (p == nullptr) return false;
        data_ = p;
        size_ = static_cast<std::size_t>(n);
        return true;
    }
    if (PyUnicode_Check(from) || !PyObject_CheckBuffer(from)) {
        PyErr_Format(PyExc_TypeError,
                     text_allowed ? "expected bytes, bytearray, memoryview or str, not %.200s"
                                  : "expected bytes, bytearray or memoryview, not %.200s",
                     Py_TYPE(from)->tp_name);
        return false;
    }
    if (PyObject_GetBuffer(from, &view_, PyBUF_C_CONTIGUOUS) != 0) return false;
    data_ = view_.buf;
    size_ = static_cast<std::size_t>(view_.len);
    return true;
}

void raise_decode(const context& ctx, errc code, PyObject* doc_object, bytes document, const char* format) {
    if (code == errc::host) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "kumihimo: an error without its cause");
        return;
    }
    if (code == errc::memory) {
        PyErr_NoMemory();
        return;
    }
    const failure& f = ctx.failure;
    const bool json = format[0] == 'j';
    const char* what = f.what[0] != '\0' ? f.what : name(code);
    if (is(what, json::beyond_double)) what = "a number is larger than a float can hold: pass decimal=True for its exact value";
    if (is(what, msgpack::no_such_number))
        what = "MessagePack has no number of this size: pass big='text' to have its digits as a str";
    const ref type = package_attribute("kumihimo.errors", json ? "JSONDecodeError" : "DecodeError");
    if (!type) return;
    const std::size_t offset = f.offset == failure::nowhere ? 0 : f.offset;
    // kumihimo.errors builds the rest (line, column, the document as str) from these, because only a failure needs it.
    const ref data = doc_object != nullptr ? ref::borrowed(doc_object)
                                           : ref(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(document.data()),
                                                                           static_cast<Py_ssize_t>(document.size())));
    if (!data) return;
    const ref path(PyUnicode_DecodeUTF8(f.path.data(), static_cast<Py_ssize_t>(f.path.size()), "replace"));
    if (!path) return;
    const ref error(PyObject_CallMethod(type.get(), "at", "sOnsO", what, data.get(), static_cast<Py_ssize_t>(offset),
                                        name(code), path.get()));
    if (error) PyErr_SetObject(type.get(), error.get());
}

void raise_encode(const context& ctx, errc code) {
    if (code == errc::host) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "kumihimo: an error without its cause");
        return;
    }
    if (PyErr_Occurred()) return;
    if (code == errc::memory) {
        PyErr_NoMemory();
        return;
    }
    const failure& f = ctx.failure;
    const ref type = package_attribute("kumihimo.errors", "EncodeError");
    if (!type) return;
    const char* what = f.what[0] != '\0' ? f.what : name(code);
    if (is(what, msgpack::no_such_number))
        what = "MessagePack has no number of this size: pass decimal=True to have its digits as a str";
    const ref path(PyUnicode_DecodeUTF8(f.path.data(), static_cast<Py_ssize_t>(f.path.size()), "replace"));
    if (!path) return;
    const ref error(PyObject_CallMethod(type.get(), "at", "ssO", what, name(code), path.get()));
    if (error) PyErr_SetObject(type.get(), error.get());
}

}  // namespace kumihimo::inline v0::python
