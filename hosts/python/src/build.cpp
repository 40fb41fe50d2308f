#include "src/build.hpp"

#include <datetime.h>

#include <cstdlib>

#include "engine/scalar/time_text.hpp"
#include "engine/simd/dispatch.hpp"
#include "src/numbers.hpp"

namespace kumihimo::inline v0::python {

bool builder::grow() noexcept {
    const std::size_t used = static_cast<std::size_t>(at_ - begin_);
    const std::size_t want = static_cast<std::size_t>(end_ - begin_) * 2;
    PyObject** p =
        static_cast<PyObject**>(begin_ == first_ ? std::malloc(want * sizeof *p) : std::realloc(begin_, want * sizeof *p));
    if (p == nullptr) return false;
    if (begin_ == first_) std::memcpy(p, first_, used * sizeof *p);
    begin_ = p;
    at_ = p + used;
    end_ = p + want;
    return true;
}

errc builder::make_room() noexcept {
    if (at_ == end_ && !grow()) return ctx_.fail(errc::memory, failure::nowhere, "out of memory");
    if (looks_) return look();
    limit_ = end_;
    return errc::ok;
}

errc builder::look() noexcept {
    due_ = looks_ ? stretch : PTRDIFF_MAX;
    limit_ = soft_limit();
    return !looks_ || turns_.take(pause_) ? errc::ok : errc::host;
}

bool builder::hashable_key(PyObject** key, int level) noexcept {
    if (PyDict_Check(*key)) {
        ctx_.fail(errc::unsupported, failure::nowhere, "a map cannot be a key in Python");
        return false;
    }
    if (PyList_Check(*key)) {
        // Lists inside lists, innermost first. Hashing a tuple recurses in Python itself, so deep ones are refused.
        if (level == 32) {
            ctx_.fail(errc::unsupported, failure::nowhere, "an array as key is nested too deep");
            return false;
        }
        PyObject* list = *key;
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
            if (!hashable_key(&reinterpret_cast<PyListObject*>(list)->ob_item[i], level + 1)) return false;
        }
        PyObject* tuple = PyList_AsTuple(list);
        if (tuple == nullptr) return false;
        Py_DECREF(list);
        *key = tuple;
    }
    return true;
}

errc builder::doubtful_text(const text& t) {
    const char* const p = static_cast<const char*>(t.data);
    if (simd::active().utf8(p, t.size)) return push(str_of(t));
    PyObject* const made = PyUnicode_DecodeUTF8(p, static_cast<Py_ssize_t>(t.size), "surrogatepass");
    if (made != nullptr) return push(made);
    if (!PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) return errc::host;
    PyErr_Clear();
    return ctx_.fail(errc::encoding, failure::nowhere, "a text that is not UTF-8, which no str holds");
}

errc builder::big(text digits) {
    errc why = errc::host;
    PyObject* const made = number_of(digits, options_.decimals, ctx_, why);
    return made != nullptr ? push(made) : why;
}

errc builder::time(const instant& t) {
    if (PyDateTimeAPI == nullptr) PyDateTime_IMPORT;
    if (PyDateTimeAPI == nullptr) return errc::host;
    const std::int64_t days = (t.seconds >= 0 ? t.seconds : t.seconds - 86399) / 86400;
    const bool in_years = days >= -719162 && days <= 2932896;  // 0001-01-01 to 9999-12-31
    if (!in_years || t.nanoseconds % 1000 != 0) {
        // Beyond what a datetime can say: kept whole, as the extension that it is.
        unsigned char b[12];
        for (int i = 0; i < 4; ++i) b[i] = static_cast<unsigned char>(t.nanoseconds >> (24 - 8 * i));
        for (int i = 0; i < 8; ++i)
            b[4 + i] = static_cast<unsigned char>(static_cast<std::uint64_t>(t.seconds) >> (56 - 8 * i));
        const ref type = package_attribute("kumihimo.msgpack", "Ext");
        if (!type) return errc::host;
        return push(PyObject_CallFunction(type.get(), "iy#", -1, b, static_cast<Py_ssize_t>(sizeof b)));
    }
    const scalar::civil d = scalar::civil_from_days(days);
    const int second = static_cast<int>(t.seconds - days * 86400);
    return push(PyDateTimeAPI->DateTime_FromDateAndTime(
        d.year, static_cast<int>(d.month), static_cast<int>(d.day), second / 3600, second / 60 % 60, second % 60,
        static_cast<int>(t.nanoseconds / 1000), PyDateTime_TimeZone_UTC, PyDateTimeAPI->DateTimeType));
}

errc builder::ext(int type, bytes data) {
    ref maker = options_.ext_hook != nullptr ? ref::borrowed(options_.ext_hook) : package_attribute("kumihimo.msgpack", "Ext");
    if (!maker) return errc::host;
    return push(PyObject_CallFunction(maker.get(), "iy#", type, reinterpret_cast<const char*>(data.data()),
                                      static_cast<Py_ssize_t>(data.size())));
}

}  // namespace kumihimo::inline v0::python
