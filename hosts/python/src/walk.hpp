// Python objects -> verbs. The walker is a loop over an explicit stack: the kind switch is hot first (the eight exact built-in
// types by their address), everything else takes the cold way through types.hpp.
//
// What is open is held by a reference of its own, because user code (default=, a property, a tzinfo) may run in between and
// change anything: a container whose size changed meanwhile is an error, as in Python's own iteration.
#pragma once
#include <Python.h>

#include <cstdint>
#include <string>

#include "engine/core/context.hpp"
#include "engine/core/source.hpp"
#include "engine/core/stack.hpp"
#include "src/guard.hpp"
#include "src/text.hpp"
#include "src/types.hpp"

namespace kumihimo::inline v0::python {

/// What the caller asked for. Borrowed references.
struct walk_options {
    PyObject* fallback = nullptr;  // default=
    bool sort_keys = false;        // by code point
    bool non_str_keys = false;     // else TypeError
    bool decimals = false;         // Decimal as its digits; else it goes to default=
    bool binary = true;            // bytes, bytearray, memoryview; else they go to default=
    bool ext = true;               // kumihimo.msgpack.Ext; else it goes to default=
    bool moments_as_text = false;  // datetime as isoformat() text; else through time()
    bool utc_z = false;            // in such text, Z for an offset of 0
};

/// default= may answer with an object that needs default= again; so often at most.
inline constexpr int longest_fallback_chain = 254;

/// The parts of a walk that do not depend on the sink: kept out of the template, so that they exist once.
class walk_base {
public:
    struct frame {
        PyObject* object;  // owned
        PyObject* keys;    // owned; the sorted keys of a map, or null
        Py_ssize_t at;     // of a list or tuple: the next index; of a dict: PyDict_Next's position
        Py_ssize_t size;   // what it was at the start
        Py_ssize_t left;   // of a dict: pairs still to come
        enum class shape : std::uint8_t { list, tuple, dict, sorted, fields } as;
    };

    walk_base(PyObject* root, context& ctx, const walk_options& options, type_table& types) noexcept
        : root_(root), ctx_(ctx), options_(options), types_(types) {}
    walk_base(const walk_base&) = delete;
    walk_base& operator=(const walk_base&) = delete;
    ~walk_base() { unwind(); }

protected:
    /// Holds `object` and makes it the innermost container; errc::depth beyond the limit, which is also how a cycle ends.
    errc open(PyObject* object, frame::shape as, Py_ssize_t size);
    errc open_sorted(PyObject* dict);
    void close() noexcept;
    void unwind() noexcept;

    /// Fails with errc::unsupported and the sentence `format`, whose %s is the name of the object's type.
    [[gnu::cold]] errc refuse(const char* format, PyObject* object);
    [[gnu::cold]] errc refuse_type(PyObject* object);
    [[gnu::cold]] errc refuse_key(PyObject* key);
    [[gnu::cold]] errc changed();
    [[gnu::cold]] errc broken_text();
    [[gnu::cold]] void note_path();

    // Each gives a value in a simpler form; false with an error pending.
    [[gnu::cold]] bool instant_of_datetime(PyObject* o, instant& out);
    [[gnu::cold]] bool instant_of_date(PyObject* o, instant& out);
    [[gnu::cold]] ref text_of_time(PyObject* o);
    bool text_of_uuid(PyObject* o, char (&to)[36]);
    [[gnu::cold]] ref value_of_numpy(PyObject* o, kind k);
    [[gnu::cold]] ref fields_of(PyObject* dataclass);
    [[gnu::cold]] bool bytes_of(PyObject* o, input_bytes& out);
    [[gnu::cold]] bool ext_of(PyObject* o, int& type, input_bytes& out);

    PyObject* root_;
    context& ctx_;
    const walk_options& options_;
    type_table& types_;
    std::string sentence_;  // what ctx.failure.what points to, when it is not a constant
    text_scratch scratch_;
    stack<frame> frames_;
    bool key_due_ = false;  // the value being visited is the key of a map
};

template <sink K = null_sink>
class walker : walk_base {
public:
    using value = PyObject*;
    using walk_base::walk_base;

    /// After an error ctx.failure.path says where the walk stood.
    errc feed(K& to) {
        const errc e = run(to);
        if (e != errc::ok) note_path();
        return e;
    }

private:
    errc run(K& to) {
        KUMIHIMO_TRY(visit(root_, to));
        while (!frames_.empty()) {
            frame& f = frames_.top();
            switch (f.as) {
                case frame::shape::list: KUMIHIMO_TRY(resume_list(f, to)); break;
                case frame::shape::tuple: KUMIHIMO_TRY(resume_tuple(f, to)); break;
                case frame::shape::dict: KUMIHIMO_TRY(resume_dict(f, to)); break;
                case frame::shape::sorted: KUMIHIMO_TRY(resume_sorted(f, to)); break;
                case frame::shape::fields: KUMIHIMO_TRY(resume_fields(f, to)); break;
            }
        }
        return errc::ok;
    }

    // Each resume_ goes on with the innermost container until it ends or another one opens inside (then `f` may have moved).

    errc resume_list(frame& f, K& to) {
        PyObject* const list = f.object;
        const std::size_t depth = frames_.size();
        const Py_ssize_t size = f.size;
        Py_ssize_t at = f.at;
        while (at < size) {
            if (PyList_GET_SIZE(list) != size) [[unlikely]]
                return changed();
            const errc e = visit(PyList_GET_ITEM(list, at++), to);
            if (e != errc::ok || frames_.size() != depth) [[unlikely]] {
                frames_[depth - 1].at = at;
                return e;
            }
        }
        close();
        return to.end();
    }

    errc resume_tuple(frame& f, K& to) {
        PyObject* const tuple = f.object;
        const std::size_t depth = frames_.size();
        while (frames_.top().at < frames_.top().size) {
            PyObject* o = PyTuple_GET_ITEM(tuple, frames_.top().at++);
            KUMIHIMO_TRY(visit(o, to));
            if (frames_.size() != depth) return errc::ok;
        }
        close();
        return to.end();
    }

    errc resume_dict(frame& f, K& to) {
        PyObject* const dict = f.object;
        const std::size_t depth = frames_.size();
        const Py_ssize_t size = f.size;
        Py_ssize_t left = f.left;
        Py_ssize_t at = f.at;
        while (left > 0) {
            PyObject* k;
            PyObject* v;
            if (PyDict_GET_SIZE(dict) != size || !PyDict_Next(dict, &at, &k, &v)) [[unlikely]]
                return changed();
            --left;
            errc e;
            if (PyUnicode_CheckExact(k)) [[likely]] {
                text t;
                e = text_of(k, t, scratch_) ? to.key(t) : broken_text();
                if (e == errc::ok) [[likely]]
                    e = visit(v, to);
            } else {
                e = other_pair(k, v, to);
            }
            if (e != errc::ok || frames_.size() != depth) [[unlikely]] {
                frames_[depth - 1].at = at;
                frames_[depth - 1].left = left;
                return e;
            }
        }
        close();
        return to.end();
    }

    errc resume_sorted(frame& f, K& to) {
        PyObject* const dict = f.object;
        PyObject* const keys = f.keys;
        const std::size_t depth = frames_.size();
        while (frames_.top().at < frames_.top().size) {
            PyObject* k = PyList_GET_ITEM(keys, frames_.top().at++);
            PyObject* found = PyDict_GetItemWithError(dict, k);
            if (found == nullptr) return PyErr_Occurred() != nullptr ? errc::host : changed();
            const ref v = ref::borrowed(found);
            KUMIHIMO_TRY(any_key(k, to));
            KUMIHIMO_TRY(visit(v.get(), to));
            if (frames_.size() != depth) return errc::ok;
        }
        close();
        return to.end();
    }

    // The __dict__ of a dataclass: names with a leading underscore are private and stay out.
    errc resume_fields(frame& f, K& to) {
        PyObject* const dict = f.object;
        const std::size_t depth = frames_.size();
        while (frames_.top().left > 0) {
            PyObject* k;
            PyObject* v;
            frame& now = frames_.top();
            if (PyDict_GET_SIZE(dict) != now.size || !PyDict_Next(dict, &now.at, &k, &v)) return changed();
            if (is_private(k)) continue;
            --now.left;
            KUMIHIMO_TRY(any_key(k, to));
            KUMIHIMO_TRY(visit(v, to));
            if (frames_.size() != depth) return errc::ok;
        }
        close();
        return to.end();
    }

    static bool is_private(PyObject* k) noexcept {
        return PyUnicode_Check(k) && PyUnicode_GET_LENGTH(k) > 0 && PyUnicode_READ_CHAR(k, 0) == '_';
    }

    errc any_key(PyObject* k, K& to) {
        if (!PyUnicode_CheckExact(k)) return other_key(k, to);
        text t;
        if (!text_of(k, t, scratch_)) return broken_text();
        return to.key(t);
    }

    [[gnu::cold, gnu::noinline]] errc other_pair(PyObject* k, PyObject* v, K& to) {
        const ref held = ref::borrowed(v);  // user code behind the key may empty the dict
        KUMIHIMO_TRY(other_key(k, to));
        return visit(v, to);
    }

    /// A key that is not exactly a str: a subclass of str counts as text, an Enum as its value, the rest if it was allowed.
    [[gnu::cold, gnu::noinline]] errc other_key(PyObject* k, K& to) {
        const ref held = ref::borrowed(k);
        if (PyUnicode_Check(k) && types_.of(Py_TYPE(k)) == kind::str) {
            text t;
            if (!text_of(k, t, scratch_)) return broken_text();
            return to.key(t);
        }
        if (!options_.non_str_keys) return refuse_key(k);
        if (types_.of(Py_TYPE(k)) == kind::enumeration) {
            const ref inner(PyObject_GetAttrString(k, "value"));
            if (!inner) return errc::host;
            return any_key(inner.get(), to);
        }
        KUMIHIMO_TRY(to.key(next_value{}));
        const std::size_t depth = frames_.size();
        key_due_ = true;
        const errc e = visit(k, to);
        key_due_ = false;
        if (e != errc::ok) return e;
        // A tuple as key: its items are walked here, so that the pair's value comes after them.
        while (frames_.size() > depth) {
            frame& f = frames_.top();
            if (f.as != frame::shape::tuple) return refuse_key(k);
            KUMIHIMO_TRY(resume_tuple(f, to));
        }
        return errc::ok;
    }

    [[gnu::always_inline]] errc visit(PyObject* o, K& to) {
        PyTypeObject* const t = Py_TYPE(o);
        if (t == &PyUnicode_Type) {
            text s;
            if (!text_of(o, s, scratch_)) [[unlikely]]
                return broken_text();
            return to.str(s);
        }
        if (t == &PyLong_Type) return integer(o, to);
        if (t == &PyFloat_Type) return to.f64(PyFloat_AS_DOUBLE(o));
        if (t == &PyDict_Type) return map(o, to);
        if (t == &PyList_Type) {
            const Py_ssize_t n = PyList_GET_SIZE(o);
            KUMIHIMO_TRY(to.array(count{n}));
            return open(o, frame::shape::list, n);
        }
        if (t == &PyBool_Type) return to.boolean(o == Py_True);
        if (o == Py_None) return to.null();
        if (t == &PyTuple_Type) return tuple(o, to);
        return other(o, to);
    }

    [[gnu::always_inline]] errc integer(PyObject* o, K& to) {
#if PY_VERSION_HEX < 0x030C0000
        const Py_ssize_t size = Py_SIZE(o);
        if (size >= -1 && size <= 1) [[likely]]
            return to.i64(size == 0 ? 0 : size * static_cast<std::int64_t>(reinterpret_cast<PyLongObject*>(o)->ob_digit[0]));
#else
        if (PyUnstable_Long_IsCompact(reinterpret_cast<PyLongObject*>(o))) [[likely]]
            return to.i64(PyUnstable_Long_CompactValue(reinterpret_cast<PyLongObject*>(o)));
#endif
        return long_integer(o, to);
    }

    [[gnu::noinline]] errc long_integer(PyObject* o, K& to) {
        int overflow = 0;
        const long long n = PyLong_AsLongLongAndOverflow(o, &overflow);
        if (overflow == 0) return n == -1 && PyErr_Occurred() ? errc::host : to.i64(n);
        if (overflow > 0) {
            const unsigned long long u = PyLong_AsUnsignedLongLong(o);
            if (u != static_cast<unsigned long long>(-1) || !PyErr_Occurred()) return to.u64(u);
            PyErr_Clear();
        }
        // int.__repr__ itself, whatever a subclass says its text is.
        const ref digits(PyLong_Type.tp_repr(o));
        if (!digits) return errc::host;
        text s;
        if (!text_of(digits.get(), s, scratch_)) return broken_text();
        return to.big(s);
    }

    errc map(PyObject* o, K& to) {
        const Py_ssize_t n = PyDict_GET_SIZE(o);
        if (key_due_) return refuse_key(o);
        KUMIHIMO_TRY(to.map(count{n}));
        if (options_.sort_keys) return open_sorted(o);
        return open(o, frame::shape::dict, n);
    }

    errc tuple(PyObject* o, K& to) {
        KUMIHIMO_TRY(to.array(count{PyTuple_GET_SIZE(o)}));
        return open(o, frame::shape::tuple, PyTuple_GET_SIZE(o));
    }

    /// Everything else. An object that stands for another one (an Enum's value, what default= answered) is exchanged for it.
    [[gnu::noinline]] errc other(PyObject* object, K& to) {
        ref held = ref::borrowed(object);
        for (int chain = 0;;) {
            PyObject* const o = held.get();
            PyTypeObject* const t = Py_TYPE(o);
            if (t == &PyUnicode_Type || t == &PyLong_Type || t == &PyFloat_Type || t == &PyBool_Type || o == Py_None ||
                t == &PyDict_Type || t == &PyList_Type || t == &PyTuple_Type) {
                return visit_exact(o, to);
            }
            switch (types_.of(t)) {
                case kind::str: {
                    text s;
                    if (!text_of(o, s, scratch_)) return broken_text();
                    return to.str(s);
                }
                case kind::integer: return long_integer(o, to);
                case kind::real: return to.f64(PyFloat_AS_DOUBLE(o));
                case kind::dict: return map(o, to);
                case kind::list: {
                    const Py_ssize_t n = PyList_GET_SIZE(o);
                    KUMIHIMO_TRY(to.array(count{n}));
                    return open(o, frame::shape::list, n);
                }
                case kind::tuple: return tuple(o, to);
                case kind::enumeration: {
                    ref inner(PyObject_GetAttrString(o, "value"));
                    if (!inner) return errc::host;
                    held = std::move(inner);
                    if (++chain > longest_fallback_chain) return refuse("an Enum of type %s has itself as value", o);
                    continue;
                }
                case kind::dataclass: return dataclass(o, to);
                case kind::datetime:
                case kind::date: {
                    instant i;
                    if (!(types_.of(t) == kind::date ? instant_of_date(o, i) : instant_of_datetime(o, i))) return errc::host;
                    if (!options_.moments_as_text) return to.time(i);
                    return moment_text(i, to);
                }
                case kind::time: {
                    const ref s = text_of_time(o);
                    if (!s) return errc::host;
                    text x;
                    if (!text_of(s.get(), x, scratch_)) return broken_text();
                    return to.str(x);
                }
                case kind::uuid: {
                    char s[36];
                    if (!text_of_uuid(o, s)) return errc::host;
                    return to.str(text(s, sizeof s, encoding::ascii));
                }
                case kind::decimal: {
                    if (!options_.decimals) break;
                    const ref s(PyObject_Str(o));
                    if (!s) return errc::host;
                    return decimal(s.get(), to);
                }
                case kind::numpy_scalar:
                case kind::numpy_array: {
                    ref inner = value_of_numpy(o, types_.of(t));
                    if (!inner) return errc::host;
                    held = std::move(inner);
                    if (++chain > longest_fallback_chain) return refuse_type(o);
                    continue;
                }
                case kind::binary: {
                    if (!options_.binary) break;
                    input_bytes b;
                    if (!bytes_of(o, b)) return errc::host;
                    return to.bin(b.get());
                }
                case kind::ext: {
                    if (!options_.ext) break;
                    int type;
                    input_bytes b;
                    if (!ext_of(o, type, b)) return errc::host;
                    return to.ext(type, b.get());
                }
                case kind::other: break;
            }
            if (options_.fallback == nullptr) return refuse_type(o);
            if (++chain > longest_fallback_chain)
                return refuse("default= answered %s with objects that need default= again, too often", o);
            ref answer(PyObject_CallOneArg(options_.fallback, o));
            if (!answer) return errc::host;
            held = std::move(answer);
        }
    }

    /// The exact built-ins again, for what other() found behind an object. `o` stays alive: containers are held by their frame.
    errc visit_exact(PyObject* o, K& to) {
        if (PyUnicode_CheckExact(o)) {
            text s;
            if (!text_of(o, s, scratch_)) return broken_text();
            return to.str(s);
        }
        if (PyLong_CheckExact(o)) return long_integer(o, to);
        if (PyFloat_CheckExact(o)) return to.f64(PyFloat_AS_DOUBLE(o));
        if (PyBool_Check(o)) return to.boolean(o == Py_True);
        if (o == Py_None) return to.null();
        if (PyDict_CheckExact(o)) return map(o, to);
        if (PyTuple_CheckExact(o)) return tuple(o, to);
        const Py_ssize_t n = PyList_GET_SIZE(o);
        KUMIHIMO_TRY(to.array(count{n}));
        return open(o, frame::shape::list, n);
    }

    errc dataclass(PyObject* o, K& to) {
        const ref fields = fields_of(o);
        if (!fields) return errc::host;
        Py_ssize_t n = 0;
        PyObject *k, *v;
        for (Py_ssize_t at = 0; PyDict_Next(fields.get(), &at, &k, &v);) n += !is_private(k);
        KUMIHIMO_TRY(to.map(count{n}));
        if (options_.sort_keys) {
            // The private ones have to be gone before the rest is sorted.
            const ref open_ones(PyDict_New());
            if (!open_ones) return errc::host;
            for (Py_ssize_t at = 0; PyDict_Next(fields.get(), &at, &k, &v);)
                if (!is_private(k) && PyDict_SetItem(open_ones.get(), k, v) != 0) return errc::host;
            return open_sorted(open_ones.get());
        }
        KUMIHIMO_TRY(open(fields.get(), frame::shape::fields, PyDict_GET_SIZE(fields.get())));
        frames_.top().left = n;
        return errc::ok;
    }

    errc moment_text(const instant& i, K& to);

    /// Decimal.__str__ is JSON's number grammar except for a few spellings: 1E+2 is fine, NaN and Infinity are not.
    errc decimal(PyObject* digits, K& to) {
        text s;
        if (!text_of(digits, s, scratch_)) return broken_text();
        const std::string_view v = s.view();
        const std::size_t first = v.empty() || v[0] != '-' ? 0 : 1;
        if (first < v.size() && v[first] >= '0' && v[first] <= '9') return to.big(s);
        // What is left is NaN, sNaN, Infinity: as the float of that name, so that the non-finite policy is one.
        const bool infinite = v.substr(first, 1) == "I";
        const double x = infinite ? Py_HUGE_VAL : Py_NAN;
        return to.f64(first == 1 && infinite ? -x : x);
    }
};

}  // namespace kumihimo::inline v0::python

#include "engine/scalar/time_text.hpp"

namespace kumihimo::inline v0::python {

template <sink K>
errc walker<K>::moment_text(const instant& i, K& to) {
    char room[scalar::time_room];
    scalar::time_layout l = scalar::time_layouts::python;
    l.offset_seconds = false;  // RFC 3339 has no seconds there
    if (options_.utc_z) l.as = scalar::time_layout::zone::z_for_zero;
    const char* end = scalar::write_time(room, i, l);
    if (end == nullptr)
        return ctx_.fail(errc::range, failure::nowhere, "a moment outside the years 0000 to 9999 has no RFC 3339 text");
    return to.str(text(room, static_cast<std::size_t>(end - room), encoding::ascii));
}

static_assert(source<walker<>>);

}  // namespace kumihimo::inline v0::python
