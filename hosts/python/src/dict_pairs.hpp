// The pairs of a Python dict, one after the other: PyDict_Next without a call for each pair, where CPython's layout
// allows it.
#pragma once
#include <Python.h>

#include <cstddef>
#include <cstdint>

namespace kumihimo::inline v0::python {

/// PyDict_Next, without the extra call where CPython lets us.
[[gnu::always_inline]] inline bool next_pair(PyObject* dict, Py_ssize_t* at, PyObject** k, PyObject** v) noexcept {
#if PY_VERSION_HEX < 0x030D0000
    return _PyDict_Next(dict, at, k, v, nullptr) != 0;
#else
    return PyDict_Next(dict, at, k, v) != 0;
#endif
}

/// The pairs of an exact dict, for as long as nothing can change it. Positions are PyDict_Next's.
///
/// But for an instance's __dict__, the pairs are an array, with gaps where some were deleted. In CPython 3.11 that
/// array is walked where it lies, which costs a third of a call for each pair; other versions lay it out in other ways
/// and are asked.
class dict_pairs {
public:
#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000 && !defined(PYPY_VERSION)
    [[gnu::always_inline]] explicit dict_pairs(PyObject* dict) noexcept : dict_(dict) {
        const PyDictObject* const d = reinterpret_cast<const PyDictObject*>(dict);
        const head* const h = reinterpret_cast<const head*>(d->ma_keys);
        const char* const first = reinterpret_cast<const char*>(h + 1) + (std::size_t{1} << h->log2_index_bytes);
        if (d->ma_values == nullptr) [[likely]] {
            if (h->kind == 1) [[likely]] {
                first_ = reinterpret_cast<const pair*>(first);
            } else {
                hashed_ = reinterpret_cast<const hashed_pair*>(first);
            }
            count_ = h->entries;
        }
    }
    [[gnu::always_inline]] bool next(Py_ssize_t& at, PyObject*& k, PyObject*& v) const noexcept {
        if (first_ != nullptr) [[likely]] {
            while (at < count_) {
                const pair& p = first_[at++];
                v = p.value;
                if (v == nullptr) [[unlikely]]
                    continue;
                k = p.key;
                return true;
            }
            return false;
        }
        if (hashed_ != nullptr) [[likely]] {
            while (at < count_) {
                const hashed_pair& p = hashed_[at++];
                v = p.value;
                if (v == nullptr) [[unlikely]]
                    continue;
                k = p.key;
                return true;
            }
            return false;
        }
        return next_pair(dict_, &at, &k, &v);
    }

private:
    // struct _dictkeysobject; behind it the index, 1 << log2_index_bytes bytes, and then the pairs. The general form
    // (kind 0: a dict that ever had another key than a str, or was made by _PyDict_NewPresized) has each key's hash in
    // front of it.
    struct head {
        Py_ssize_t references;
        std::uint8_t log2_size, log2_index_bytes, kind;
        std::uint32_t version;
        Py_ssize_t usable, entries;
    };
    struct pair {
        PyObject *key, *value;
    };
    struct hashed_pair {
        Py_hash_t hash;
        PyObject *key, *value;
    };
    PyObject* dict_;
    const pair* first_ = nullptr;
    const hashed_pair* hashed_ = nullptr;
    Py_ssize_t count_ = 0;
#else
    [[gnu::always_inline]] explicit dict_pairs(PyObject* dict) noexcept : dict_(dict) {}
    [[gnu::always_inline]] bool next(Py_ssize_t& at, PyObject*& k, PyObject*& v) const noexcept {
        return next_pair(dict_, &at, &k, &v);
    }

private:
    PyObject* dict_;
#endif
};

}  // namespace kumihimo::inline v0::python
