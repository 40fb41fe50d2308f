// Python str <-> text, and the cache of keys.
//
// A str is ASCII, Latin-1, UCS-2 or UCS-4, whichever is the narrowest that holds it. The first two are encodings of
// core/sink.hpp. UCS-2 is UTF-16 once no unit is a surrogate (in a str a surrogate is always half a character: an
// error). UCS-4 becomes UTF-8 in a scratch buffer.
#pragma once
#include <Python.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/core/key_hash.hpp"
#include "engine/core/sink.hpp"
#include "src/guard.hpp"

namespace kumihimo::inline v0::python {

// ---- text -> str

/// Copies n bytes to `to`, which has room for n only. Small sizes are the rule, and a call of memcpy with an unknown
/// size costs more than the two overlapping moves.
[[gnu::always_inline]] inline void copy_small(void* to_, const void* from_, std::size_t n) noexcept {
    char* to = static_cast<char*>(to_);
    const char* from = static_cast<const char*>(from_);
    if (n > 32) {
        std::memcpy(to, from, n);
    } else if (n >= 16) {
        char a[16], b[16];
        std::memcpy(a, from, 16);
        std::memcpy(b, from + n - 16, 16);
        std::memcpy(to, a, 16);
        std::memcpy(to + n - 16, b, 16);
    } else if (n >= 8) {
        std::uint64_t a, b;
        std::memcpy(&a, from, 8);
        std::memcpy(&b, from + n - 8, 8);
        std::memcpy(to, &a, 8);
        std::memcpy(to + n - 8, &b, 8);
    } else if (n >= 4) {
        std::uint32_t a, b;
        std::memcpy(&a, from, 4);
        std::memcpy(&b, from + n - 4, 4);
        std::memcpy(to, &a, 4);
        std::memcpy(to + n - 4, &b, 4);
    } else {
        for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
    }
}

inline PyObject* str_of_ascii(const char* p, std::size_t n) noexcept {
    // CPython's shared strings of no and of one character.
    if (n == 1) return PyUnicode_FromOrdinal(static_cast<unsigned char>(*p));
    if (n == 0) return PyUnicode_FromStringAndSize(nullptr, 0);
    PyObject* s = PyUnicode_New(static_cast<Py_ssize_t>(n), 127);
    if (s != nullptr) [[likely]]
        copy_small(reinterpret_cast<PyASCIIObject*>(s) + 1, p, n);
    return s;
}

/// `p` is valid UTF-8.
PyObject* str_of_utf8(const char* p, std::size_t n) noexcept;
/// `p` is UTF-16; half a surrogate pair stays what it is.
PyObject* str_of_utf16(const char16_t* p, std::size_t n) noexcept;

/// A new str; null with an error pending. utf8 must be valid.
[[gnu::always_inline]] inline PyObject* str_of(const text& t) noexcept {
    if (t.charset == encoding::ascii) [[likely]]
        return str_of_ascii(static_cast<const char*>(t.data), t.size);
    if (t.charset == encoding::utf8) return str_of_utf8(static_cast<const char*>(t.data), t.size);
    if (t.charset == encoding::latin1)
        return PyUnicode_DecodeLatin1(static_cast<const char*>(t.data), static_cast<Py_ssize_t>(t.size), nullptr);
    return str_of_utf16(static_cast<const char16_t*>(t.data), t.size);
}

/// The keys seen lately, so that a thousand records with the same eight keys make eight strings, with their hashes
/// computed once. Direct-mapped; a collision replaces. Belongs to one module object and is used under the GIL.
class key_cache {
public:
    key_cache() { slots_.fill(nullptr); }
    key_cache(const key_cache&) = delete;
    key_cache& operator=(const key_cache&) = delete;
    ~key_cache() { clear(); }

    void clear() noexcept {
        for (PyObject*& s : slots_) Py_CLEAR(s);
    }

    /// A new reference; null with an error pending.
    [[gnu::always_inline]] PyObject* get(const text& t) noexcept {
        if (t.charset == encoding::ascii && t.size <= longest && t.size > 1) [[likely]] {
            const char* p = static_cast<const char*>(t.data);
            PyObject*& slot = slots_[key_place<bits>(p, t.size)];
            if (slot != nullptr && static_cast<std::size_t>(reinterpret_cast<PyASCIIObject*>(slot)->length) == t.size &&
                same_key(reinterpret_cast<const char*>(reinterpret_cast<PyASCIIObject*>(slot) + 1), p, t.size)) [[likely]] {
                Py_INCREF(slot);
                return slot;
            }
            return replace(slot, p, t.size);
        }
        return str_of(t);
    }

private:
    static constexpr std::size_t longest = 64;
    static constexpr unsigned bits = 11;

    [[gnu::noinline]] static PyObject* replace(PyObject*& slot, const char* p, std::size_t n) noexcept {
        PyObject* made = str_of_ascii(p, n);
        if (made == nullptr) return nullptr;
        PyObject_Hash(made);  // kept in the object; of an exact str it cannot fail
        Py_XDECREF(slot);     // an exact str: no code of the user's runs
        Py_INCREF(made);
        slot = made;
        return made;
    }

    std::array<PyObject*, std::size_t{1} << bits> slots_;
};

// ---- str -> text

/// What text_of needs beside the string: the UTF-8 of one UCS-4 string.
using text_scratch = ref;

/// The UTF-8 of a str that is not compact ASCII; null when it holds a surrogate, or is so long that keeping a second
/// form of it in the object (what CPython does with it, and what makes the next time 10 to 40 times as fast) would be
/// a burden: then wide_text_of converts it.
inline const char* utf8_of(PyObject* s, std::size_t& n) noexcept {
    constexpr Py_ssize_t longest_kept = Py_ssize_t{1} << 20;
    const PyCompactUnicodeObject* u = reinterpret_cast<const PyCompactUnicodeObject*>(s);
    if (PyUnicode_IS_COMPACT(s) && u->utf8 != nullptr) {
        n = static_cast<std::size_t>(u->utf8_length);
        return u->utf8;
    }
    if (PyUnicode_GET_LENGTH(s) > longest_kept) return nullptr;
    Py_ssize_t size = 0;
    const char* const p = PyUnicode_AsUTF8AndSize(s, &size);
    if (p == nullptr) PyErr_Clear();
    n = static_cast<std::size_t>(size);
    return p;
}

/// The characters of a str that is not ASCII. False when it holds a surrogate, or, with an error pending, when memory
/// is out.
[[nodiscard]] bool wide_text_of(PyObject* s, text& out, text_scratch& scratch) noexcept;

/// The characters of `s` (a str or a subclass), valid while `s` lives and `scratch` is not used again. False when it
/// holds a surrogate, which no encoding of Unicode can say.
[[nodiscard, gnu::always_inline]] inline bool text_of(PyObject* s, text& out, text_scratch& scratch) noexcept {
    if (PyUnicode_IS_COMPACT_ASCII(s)) [[likely]] {
        const PyASCIIObject* a = reinterpret_cast<const PyASCIIObject*>(s);
        out = text(a + 1, static_cast<std::size_t>(a->length), encoding::ascii);
        return true;
    }
    return wide_text_of(s, out, scratch);
}

}  // namespace kumihimo::inline v0::python
