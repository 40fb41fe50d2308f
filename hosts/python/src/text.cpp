#include "src/text.hpp"

#include <algorithm>
#include <new>

namespace kumihimo::inline v0::python {

namespace {

struct shape {
    std::size_t characters;
    unsigned char largest_lead;
};

// One pass that the compiler turns into vector code: characters are the bytes that do not continue one, and the
// largest byte tells the widest character (C3 and below: Latin-1; EF and below: the basic plane).
shape shape_of(const unsigned char* p, std::size_t n) noexcept {
    std::size_t continuing = 0;
    unsigned char largest = 0;
    std::size_t i = 0;
    while (i < n) {
        const std::size_t stop = std::min(n, i + 240);
        unsigned char count = 0;
        for (; i < stop; ++i) {
            count = static_cast<unsigned char>(count + (static_cast<signed char>(p[i]) < -64));
            largest = std::max(largest, p[i]);
        }
        continuing += count;
    }
    return {n - continuing, largest};
}

template <class Unit>
void decode(const unsigned char* p, const unsigned char* end, Unit* to) noexcept {
    while (p < end) {
        const unsigned char c = *p;
        if (c < 0x80) {
            *to++ = static_cast<Unit>(c);
            p += 1;
        } else if constexpr (sizeof(Unit) == 1) {
            *to++ = static_cast<Unit>((c & 0x1F) << 6 | (p[1] & 0x3F));
            p += 2;
        } else if (c >= 0xE0 && (sizeof(Unit) == 2 || c < 0xF0)) {
            *to++ = static_cast<Unit>((c & 0x0F) << 12 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F));
            p += 3;
        } else if (c < 0xE0) {
            *to++ = static_cast<Unit>((c & 0x1F) << 6 | (p[1] & 0x3F));
            p += 2;
        } else if constexpr (sizeof(Unit) == 4) {
            *to++ = static_cast<Unit>((c & 0x07) << 18 | (p[1] & 0x3F) << 12 | (p[2] & 0x3F) << 6 | (p[3] & 0x3F));
            p += 4;
        }
    }
}

bool has_surrogate(const std::uint16_t* p, std::size_t n) noexcept {
    std::size_t i = 0;
    while (i < n) {
        const std::size_t stop = std::min(n, i + 256);
        std::uint16_t found = 0;
        for (; i < stop; ++i) found = static_cast<std::uint16_t>(found | ((p[i] & 0xF800) == 0xD800));
        if (found != 0) return true;
    }
    return false;
}

}  // namespace

PyObject* str_of_utf8(const char* p_, std::size_t n) noexcept {
    const unsigned char* p = reinterpret_cast<const unsigned char*>(p_);
    const shape s = shape_of(p, n);
    if (s.largest_lead < 0x80) return str_of_ascii(p_, n);
    const Py_UCS4 widest = s.largest_lead < 0xC4 ? 0xFF : s.largest_lead < 0xF0 ? 0xFFFF : 0x10FFFF;
    if (s.characters == 1 && widest == 0xFF) return PyUnicode_FromOrdinal((p[0] & 0x1F) << 6 | (p[1] & 0x3F));
    PyObject* made = PyUnicode_New(static_cast<Py_ssize_t>(s.characters), widest);
    if (made == nullptr) return nullptr;
    void* to = reinterpret_cast<PyCompactUnicodeObject*>(made) + 1;
    if (widest == 0xFF) {
        decode(p, p + n, static_cast<Py_UCS1*>(to));
    } else if (widest == 0xFFFF) {
        decode(p, p + n, static_cast<Py_UCS2*>(to));
    } else {
        decode(p, p + n, static_cast<Py_UCS4*>(to));
    }
    return made;
}

PyObject* str_of_utf16(const char16_t* p, std::size_t n) noexcept {
    int native = PY_BIG_ENDIAN ? 1 : -1;
    return PyUnicode_DecodeUTF16(reinterpret_cast<const char*>(p), static_cast<Py_ssize_t>(n * 2), "surrogatepass", &native);
}

bool wide_text_of(PyObject* s, text& out, text_scratch& scratch) noexcept {
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(s) != 0) {
        PyErr_Clear();
        return false;
    }
#endif
    const std::size_t n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(s));
    if (PyUnicode_IS_ASCII(s)) {  // a subclass of str: ASCII, but not compact
        out = text(PyUnicode_DATA(s), n, encoding::ascii);
        return true;
    }
    // Whoever asked this object for UTF-8 before left it there, already valid.
    if (const char* kept = reinterpret_cast<const PyCompactUnicodeObject*>(s)->utf8; kept != nullptr) {
        out = text(kept, static_cast<std::size_t>(reinterpret_cast<const PyCompactUnicodeObject*>(s)->utf8_length),
                   encoding::utf8);
        return true;
    }
    switch (PyUnicode_KIND(s)) {
        case PyUnicode_1BYTE_KIND: out = text(PyUnicode_1BYTE_DATA(s), n, encoding::latin1); return true;
        case PyUnicode_2BYTE_KIND:
            if (has_surrogate(PyUnicode_2BYTE_DATA(s), n)) return false;
            out = text(PyUnicode_2BYTE_DATA(s), n, encoding::utf16);
            return true;
        default: break;
    }
    scratch = ref(PyUnicode_AsUTF8String(s));
    if (!scratch) {
        if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) PyErr_Clear();
        return false;
    }
    out = text(PyBytes_AS_STRING(scratch.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(scratch.get())), encoding::utf8);
    return true;
}

}  // namespace kumihimo::inline v0::python
