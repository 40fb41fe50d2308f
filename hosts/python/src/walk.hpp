// Python objects -> verbs. The walker is a loop over an explicit stack: the kind switch is hot first (the eight exact
// built-in types by their address), everything else takes the cold way through types.hpp.
//
// What is open is held by a reference of its own, because user code (default=, a property, a tzinfo) may run in
// between and change anything: a container whose size changed meanwhile is an error, as in Python's own iteration.
//
// Over 900 lines, but one idea: there are two walks, the burst's and the verbs', over one stack of frames. Each hands
// values to the other in the middle of a container and takes the container up again, and both rest on the same rules
// of who holds what. Apart, every such step would be a contract between two files.
#pragma once
#include <Python.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "engine/core/context.hpp"
#include "engine/core/source.hpp"
#include "engine/core/stack.hpp"
#include "src/dict_pairs.hpp"
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
        enum class shape : std::uint8_t { items, dict, sorted, fields } form;
    };

    walk_base(PyObject* root, context& ctx, const walk_options& options, type_table& types) noexcept
        : root_(root), ctx_(ctx), options_(options), types_(types) {}
    walk_base(const walk_base&) = delete;
    walk_base& operator=(const walk_base&) = delete;
    ~walk_base() { unwind(); }

protected:
    /// A burst runs no user code, so what it has open is not held; before user code can run, all of it is. From then
    /// on the frames below `pinned_` own their references; frames that open() pushes own theirs always.
    void pin() noexcept {
        for (std::size_t i = pinned_; i < frames_.size(); ++i) Py_INCREF(frames_[i].object);
        pinned_ = frames_.size();
    }

    /// Holds `object` and makes it the innermost container; errc::depth beyond the limit, which is also how a cycle
    /// ends.
    errc open(PyObject* object, frame::shape form, Py_ssize_t size, Py_ssize_t at = 0);
    [[gnu::cold]] errc too_deep();
    [[gnu::cold]] errc too_large();
    [[gnu::cold]] errc full(std::size_t written);  // why a burst took no more: the limit, or memory
    errc open_sorted(PyObject* dict);
    void close() noexcept {
        const std::size_t n = frames_.size() - 1;
        if (n < pinned_) return close_pinned();
        frames_.pop();
    }
    void close_pinned() noexcept;
    void unwind() noexcept;

    /// Signals, whose handlers may do anything: everything that is open is held.
    [[gnu::cold]] errc look_round();
    static constexpr int stretch = 2048;

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
    stack<frame, 8> frames_;
    std::size_t pinned_ = 0;
    int due_ = stretch;     // values, by the verbs, until it is time to look round
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

    /// The same document straight into a format's buffer, through a burst of the format (engine/json/burst.hpp): exact
    /// dicts with str keys, lists, tuples and plain scalars, which is nearly everything, without a verb. Any other
    /// value is one document of a fresh writer K, which leaves it in the buffer with the comma behind it.
    template <class Burst, class B, class Dialect>
    errc feed(B& out, const Dialect& dialect) {
        Burst b(out, dialect, ctx_.limits.size);
        const errc e = burst_document(b, out, dialect);
        if (e != errc::ok) {
            note_path();
            return e;
        }
        b.stop();
        if (out.size() == 0) [[unlikely]]
            return no_memory();  // after the last value, when nothing asked for room any more
        return out.size() > ctx_.limits.size ? too_large() : errc::ok;
    }

private:
    template <class Burst, class B, class Dialect>
    [[gnu::noinline]] errc burst_document(Burst& outer, B& out, const Dialect& dialect) {
        Burst b(outer);  // a local whose address nobody has, so that its cursor can live in registers
        PyObject* o = root_;
        PyObject* c = nullptr;  // the innermost container; its frame is the top one
        PyObject* const* first = nullptr;
        Py_ssize_t at = 0, size = 0;  // items: next index, and size; pairs: PyDict_Next's place, and pairs to come
        bool map = false;

        if (burst_scalar(o, Py_TYPE(o), b)) goto next;

    no_scalar : {
        PyTypeObject* const t = Py_TYPE(o);
        const bool dict = t == &PyDict_Type && !options_.sort_keys;
        if (dict || t == &PyList_Type || t == &PyTuple_Type) [[likely]] {
            const auto count = static_cast<std::size_t>(dict ? PyDict_GET_SIZE(o) : PySequence_Fast_GET_SIZE(o));
            if (count == 0 && out.pauses()) [[unlikely]]
                goto aside;
            while (!b.open(dict, count)) [[unlikely]] {
                    if (!put_off(out)) return full(out.size());
                    b.resume();
                }
            if (frames_.size() >= ctx_.limits.depth) [[unlikely]]
                return too_deep();
            // Most containers hold nothing but scalars and need no frame.
            Py_ssize_t i = 0;
            Py_ssize_t n;
            PyObject* inner = nullptr;
            if (!dict) {
                n = PySequence_Fast_GET_SIZE(o);
                PyObject* const* const f = PySequence_Fast_ITEMS(o);
                while (i < n && burst_scalar(f[i], Py_TYPE(f[i]), b)) ++i;
                if (i < n) inner = f[i++];
            } else {
                n = PyDict_GET_SIZE(o);
                const dict_pairs all(o);
                PyObject* k;
                PyObject* v;
                while (n > 0) {
                    const Py_ssize_t before = i;
                    if (!all.next(i, k, v)) [[unlikely]]
                        break;  // pairs: says what is wrong
                    if (!PyUnicode_CheckExact(k) || !PyUnicode_IS_COMPACT_ASCII(k)) [[unlikely]] {
                        i = before;
                        break;
                    }
                    --n;
                    const PyASCIIObject* const a = reinterpret_cast<const PyASCIIObject*>(k);
                    if (!b.key(reinterpret_cast<const char*>(a + 1), static_cast<std::size_t>(a->length))) [[unlikely]] {
                        if (!out.pauses()) return full(out.size());
                        i = before;  // pairs: looks round
                        ++n;
                        break;
                    }
                    if (!burst_scalar(v, Py_TYPE(v), b)) {
                        inner = v;
                        break;
                    }
                }
            }
            if (inner == nullptr && (dict ? n == 0 : i == n)) [[likely]] {
                while (!b.close(dict)) [[unlikely]] {
                        if (!put_off(out)) return full(out.size());
                        b.resume();
                    }
                goto next;
            }
            if (c != nullptr) keep_place(at, size, map);
            c = o;
            at = i;
            map = dict;
            size = n;
            frame* const f = frames_.add();
            if (f == nullptr) [[unlikely]]
                return no_memory();
            f->object = c;
            f->keys = nullptr;
            f->at = at;
            f->size = dict ? PyDict_GET_SIZE(c) : n;
            f->left = n;
            f->form = dict ? frame::shape::dict : frame::shape::items;
            if (!dict) first = PySequence_Fast_ITEMS(c);
            if (inner == nullptr) goto pairs;
            o = inner;
            goto no_scalar;
        }
    aside:
        b.stop();
        if (c != nullptr) keep_place(at, size, map);
        KUMIHIMO_TRY(long_way(o, out, dialect));
        if (c != nullptr && (map ? PyDict_GET_SIZE(c) : PySequence_Fast_GET_SIZE(c)) != frames_.top().size) [[unlikely]]
            return changed();
        if (c != nullptr && !map) first = PySequence_Fast_ITEMS(c);
        b.resume();
    }
    next:
        if (c == nullptr) {
            b.stop();
            outer.resume();
            return errc::ok;
        }
        if (map) goto pairs;

    items:
        while (at < size) {
            o = first[at++];
            if (!burst_scalar(o, Py_TYPE(o), b)) [[unlikely]]
                goto no_scalar;
        }
        goto close;

    pairs : {
        dict_pairs all(c);
        while (size > 0) {
            PyObject* k;
            if (!all.next(at, k, o)) [[unlikely]] {
                keep_place(at, size, map);
                return changed();
            }
            --size;
            bool written = false;
            if (PyUnicode_CheckExact(k) && PyUnicode_IS_COMPACT_ASCII(k)) [[likely]] {
                const PyASCIIObject* const a = reinterpret_cast<const PyASCIIObject*>(k);
                written = b.key(reinterpret_cast<const char*>(a + 1), static_cast<std::size_t>(a->length));
                if (!written && !out.pauses()) return full(out.size());
            }
            if (!written) [[unlikely]] {
                const ref held = ref::borrowed(o), held_key = ref::borrowed(k);
                b.stop();
                keep_place(at, size, map);
                const bool looked = out.pauses();
                if (looked) {
                    pin();
                    out.go_on();
                    KUMIHIMO_TRY(look_round());
                }
                KUMIHIMO_TRY(long_key(k, out, dialect));
                // User code, a signal's or the key's, may have taken the value out of the dict: then `held` is all
                // that keeps it.
                const bool user_code = looked || !is_plain(k, Py_TYPE(k));
                if (user_code) KUMIHIMO_TRY(long_way(o, out, dialect));
                if (PyDict_GET_SIZE(c) != frames_.top().size) return changed();
                all = dict_pairs(c);
                b.resume();
                if (user_code) continue;
            }
            if (!burst_scalar(o, Py_TYPE(o), b)) [[unlikely]]
                goto no_scalar;
        }
    }

    close:
        while (!b.close(map)) [[unlikely]] {
                if (!put_off(out)) return full(out.size());
                b.resume();
            }
        close();
        if (frames_.empty()) {
            c = nullptr;
            goto next;
        }
        {
            const frame& f = frames_.top();
            c = f.object;
            at = f.at;
            map = f.form == frame::shape::dict;
            size = map ? f.left : f.size;
            if (map) goto pairs;
            // What was inside may have run user code, and that may have emptied this list.
            if (PySequence_Fast_GET_SIZE(c) != f.size) [[unlikely]]
                return changed();
            first = PySequence_Fast_ITEMS(c);
            goto items;
        }
    }

    void keep_place(Py_ssize_t at, Py_ssize_t left, bool map) noexcept {
        frames_.top().at = at;
        if (map) frames_.top().left = left;
    }
    [[gnu::cold]] errc no_memory() noexcept { return ctx_.fail(errc::memory, failure::nowhere, "out of memory"); }

    /// At a bracket nobody looks round: what is in hand there is not held. A few bytes more, then; a key or a scalar
    /// comes soon. False: it was not time to look round that stopped the burst.
    template <class B>
    [[gnu::cold, gnu::noinline]] static bool put_off(B& out) noexcept {
        if (!out.pauses()) return false;
        out.go_on(4096);
        return true;
    }

    /// A value by the verbs, and the place where a burst looks round. The buffer's own state is right; what the value
    /// opens lies on the frames above those of the burst.
    template <class B, class Dialect>
    [[gnu::noinline]] errc long_way(PyObject* o, B& out, const Dialect& dialect) {
        if (out.size() > ctx_.limits.size) return too_large();
        pin();
        const ref held = ref::borrowed(o);
        if (out.pauses()) {
            out.go_on();
            KUMIHIMO_TRY(look_round());
        }
        K to(out, ctx_, dialect);
        const std::size_t base = frames_.size();
        KUMIHIMO_TRY(visit(o, to));
        return run_above(base, to);
    }

    /// A key that is not compact ASCII: other text directly, the rest as the writer lowers it.
    template <class B, class Dialect>
    [[gnu::noinline]] errc long_key(PyObject* k, B& out, const Dialect& dialect) {
        if (out.size() > ctx_.limits.size) return too_large();
        if (PyUnicode_CheckExact(k)) {
            std::size_t n = 0;
            // Compact ASCII comes here only where a burst looked round; utf8_of() is for the rest.
            const char* const s = PyUnicode_IS_COMPACT_ASCII(k) ? nullptr : utf8_of(k, n);
            text t(s, n, encoding::utf8);
            if (s == nullptr && !text_of(k, t, scratch_)) return broken_text();
            return key_alone(out, dialect, [&](K& to) { return to.key(t); });
        }
        pin();
        return key_alone(out, dialect, [&](K& to) { return other_key(k, to); });
    }

    /// A writer writes a key only inside a map, so it is given one, whose bracket is then taken away: {"key":
    template <class B, class Dialect, class Write>
    errc key_alone(B& out, const Dialect& dialect, Write write) {
        const std::size_t start = out.size();
        K to(out, ctx_, dialect);
        KUMIHIMO_TRY(to.map(count{1}));
        KUMIHIMO_TRY(write(to));
        // Where it lies, with nothing reserved: asking for room may fail.
        char* const b = out.data() + start;
        const std::size_t n = out.size() - start;
        std::memmove(b, b + 1, n - 1);
        out.commit(b + n - 1);
        return errc::ok;
    }

    errc run(K& to) {
        KUMIHIMO_TRY(visit(root_, to));
        return run_above(0, to);
    }

    errc run_above(std::size_t base, K& to) {
        while (frames_.size() > base) {
            // By reference: copying a frame as a whole right after its fields were stored one by one stalls.
            const frame& f = frames_.top();
            switch (f.form) {
                case frame::shape::items: KUMIHIMO_TRY(items(f.object, f.at, f.size, true, to)); break;
                case frame::shape::dict: KUMIHIMO_TRY(pairs(f.object, f.at, f.left, f.size, true, to)); break;
                case frame::shape::sorted: KUMIHIMO_TRY(sorted_pairs(to)); break;
                case frame::shape::fields: KUMIHIMO_TRY(fields(to)); break;
            }
        }
        return errc::ok;
    }

    // items() and pairs() walk one list, tuple or dict. Most containers hold scalars only: those are walked where they
    // are found, with nothing pushed (`framed` is false) and nothing held, because no user code can run. At the first
    // value that is not a plain scalar the container gets its frame and goes back to run(), which comes again with
    // `framed`; inside, values that are containers are tried the same way. So the C stack is two calls deep whatever
    // the input.

    [[gnu::noinline]] errc items(PyObject* const sequence, Py_ssize_t at, const Py_ssize_t size, const bool framed, K& to) {
        // A frame that is come back to: what was inside may have run user code, and that may have emptied this list.
        if (PySequence_Fast_GET_SIZE(sequence) != size) [[unlikely]]
            return changed();
        PyObject* const* first = PySequence_Fast_ITEMS(sequence);
        const std::size_t depth = frames_.size();
        for (; at < size; ++at) {
            if (--due_ <= 0) [[unlikely]] {
                if (!framed) return open(sequence, frame::shape::items, size, at);
                KUMIHIMO_TRY(look_round());
                if (PySequence_Fast_GET_SIZE(sequence) != size) return changed();
                first = PySequence_Fast_ITEMS(sequence);
            }
            PyObject* const o = first[at];
            PyTypeObject* const t = Py_TYPE(o);
            if (t == &PyUnicode_Type) {
                text s;
                const errc e = text_of(o, s, scratch_) ? to.str(s) : broken_text();
                if (e == errc::ok) [[likely]]
                    continue;
                return stopped(e, sequence, frame::shape::items, at + 1, size, framed);
            }
            if (t == &PyLong_Type) {
                const errc e = integer(o, to);
                if (e == errc::ok) [[likely]]
                    continue;
                return stopped(e, sequence, frame::shape::items, at + 1, size, framed);
            }
            if (t == &PyFloat_Type) {
                const errc e = to.f64(PyFloat_AS_DOUBLE(o));
                if (e == errc::ok) [[likely]]
                    continue;
                return stopped(e, sequence, frame::shape::items, at + 1, size, framed);
            }
            if (!framed && !is_plain(o, t)) return open(sequence, frame::shape::items, size, at);
            const errc e = visit(o, to);
            if (e != errc::ok || frames_.size() != depth) {
                if (!framed) return stopped(e, sequence, frame::shape::items, at + 1, size, framed);
                frames_[depth - 1].at = at + 1;
                return e;
            }
            if (framed) {
                if (PySequence_Fast_GET_SIZE(sequence) != size) [[unlikely]]
                    return changed();
                first = PySequence_Fast_ITEMS(sequence);
            }
        }
        if (framed) close();
        return to.end();
    }

    [[gnu::noinline]] errc pairs(PyObject* const dict, Py_ssize_t at, Py_ssize_t left, const Py_ssize_t size, const bool framed,
                                 K& to) {
        const std::size_t depth = frames_.size();
        for (; left > 0; --left) {
            const Py_ssize_t before = at;
            if (--due_ <= 0) [[unlikely]] {
                if (!framed) return open_pairs(dict, before, left, size);
                KUMIHIMO_TRY(look_round());
                if (PyDict_GET_SIZE(dict) != size) return changed();
            }
            PyObject* k;
            PyObject* v;
            if (!next_pair(dict, &at, &k, &v)) [[unlikely]]
                return changed();
            PyTypeObject* const t = Py_TYPE(v);
            if (!PyUnicode_CheckExact(k)) [[unlikely]] {
                if (!framed) return open_pairs(dict, before, left, size);
                const errc e = other_pair(k, v, to);
                if (e != errc::ok || frames_.size() != depth) {
                    frames_[depth - 1].at = at;
                    frames_[depth - 1].left = left - 1;
                    return e;
                }
                if (PyDict_GET_SIZE(dict) != size) [[unlikely]]
                    return changed();
                continue;
            }
            const bool plain = is_plain(v, t);
            if (!framed && !plain) return open_pairs(dict, before, left, size);
            text s;
            errc e = text_of(k, s, scratch_) ? to.key(s) : broken_text();
            if (e == errc::ok) [[likely]]
                e = visit(v, to);
            if (e != errc::ok || frames_.size() != depth) [[unlikely]] {
                if (!framed) return stopped(e, dict, frame::shape::dict, at, size, framed);
                frames_[depth - 1].at = at;
                frames_[depth - 1].left = left - 1;
                return e;
            }
            if (!plain && PyDict_GET_SIZE(dict) != size) [[unlikely]]
                return changed();
        }
        if (framed) close();
        return to.end();
    }

    /// One scalar through the burst; false: not one of those, nothing was written.
    template <class Burst>
    [[gnu::always_inline]] bool burst_scalar(PyObject* o, PyTypeObject* t, Burst& b) noexcept {
        if (t == &PyUnicode_Type) {
            if (PyUnicode_IS_COMPACT_ASCII(o)) [[likely]] {
                const PyASCIIObject* a = reinterpret_cast<const PyASCIIObject*>(o);
                return b.str(reinterpret_cast<const char*>(a + 1), static_cast<std::size_t>(a->length));
            }
            std::size_t n;
            const char* const s = utf8_of(o, n);
            return s != nullptr && b.str(s, n);
        }
        if (t == &PyLong_Type) {
            std::int64_t n;
            return short_integer(o, n) && b.i64(n);
        }
        if (t == &PyFloat_Type) return std::isfinite(PyFloat_AS_DOUBLE(o)) && b.f64(PyFloat_AS_DOUBLE(o));
        if (t == &PyBool_Type) return b.boolean(o == Py_True);
        if (o == Py_None) return b.null();
        // An empty container, which would cost its parent a frame: many objects hold nothing but scalars and [].
        if (frames_.size() + 1 < ctx_.limits.depth) {
            if (t == &PyList_Type) return PyList_GET_SIZE(o) == 0 && b.open(false, 0) && b.close(false);
            if (t == &PyDict_Type) return PyDict_GET_SIZE(o) == 0 && b.open(true, 0) && b.close(true);
        }
        return false;
    }

    /// Whether visiting `o` can neither open a frame nor run user code.
    static bool is_plain(PyObject* o, PyTypeObject* t) noexcept {
        return t == &PyUnicode_Type || t == &PyLong_Type || t == &PyFloat_Type || t == &PyBool_Type || o == Py_None;
    }

    errc open_pairs(PyObject* dict, Py_ssize_t at, Py_ssize_t left, Py_ssize_t size) {
        KUMIHIMO_TRY(open(dict, frame::shape::dict, size, at));
        frames_.top().left = left;
        return errc::ok;
    }

    /// After an error in a container without a frame: gives it one, for the path.
    [[gnu::cold, gnu::noinline]] errc stopped(errc e, PyObject* object, frame::shape form, Py_ssize_t at, Py_ssize_t size,
                                              bool framed) {
        if (framed) {
            frames_.top().at = at;
        } else {
            frames_.push({object, nullptr, at, size, size, form});
        }
        return e;
    }

    errc sorted_pairs(K& to) {
        PyObject* const dict = frames_.top().object;
        PyObject* const keys = frames_.top().keys;
        const std::size_t depth = frames_.size();
        while (frames_.top().at < frames_.top().size) {
            if (--due_ <= 0) [[unlikely]]
                KUMIHIMO_TRY(look_round());
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
    errc fields(K& to) {
        PyObject* const dict = frames_.top().object;
        const std::size_t depth = frames_.size();
        while (frames_.top().left > 0) {
            PyObject* k;
            PyObject* v;
            frame& now = frames_.top();
            if (PyDict_GET_SIZE(dict) != now.size || !next_pair(dict, &now.at, &k, &v)) return changed();
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

    /// A key that is not exactly a str: a subclass of str counts as text, an Enum as its value, the rest if it was
    /// allowed.
    [[gnu::cold, gnu::noinline]] errc other_key(PyObject* k, K& to) {
        const ref held = ref::borrowed(k);
        if (PyUnicode_Check(k) && types_.kind_of(Py_TYPE(k)) == kind::str) {
            text t;
            if (!text_of(k, t, scratch_)) return broken_text();
            return to.key(t);
        }
        if (!options_.non_str_keys) return refuse_key(k);
        if (types_.kind_of(Py_TYPE(k)) == kind::enumeration) {
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
            const frame f = frames_.top();
            if (f.form != frame::shape::items) return refuse_key(k);
            KUMIHIMO_TRY(items(f.object, f.at, f.size, true, to));
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
        if (t == &PyList_Type) return list(o, to);
        if (t == &PyBool_Type) return to.boolean(o == Py_True);
        if (o == Py_None) return to.null();
        if (t == &PyTuple_Type) return tuple(o, to);
        return other(o, to);
    }

    /// Integers of one digit of CPython's: those that need no call.
    [[gnu::always_inline]] static bool short_integer(PyObject* o, std::int64_t& out) noexcept {
#if PY_VERSION_HEX < 0x030C0000
        const Py_ssize_t size = Py_SIZE(o);
        if (size < -1 || size > 1) [[unlikely]] {
            int overflow = 0;
            out = PyLong_AsLongLongAndOverflow(o, &overflow);
            return overflow == 0;
        }
        out = size == 0 ? 0 : size * static_cast<std::int64_t>(reinterpret_cast<PyLongObject*>(o)->ob_digit[0]);
        return true;
#else
        if (!PyUnstable_Long_IsCompact(reinterpret_cast<PyLongObject*>(o))) [[unlikely]] {
            int overflow = 0;
            out = PyLong_AsLongLongAndOverflow(o, &overflow);
            return overflow == 0;
        }
        out = PyUnstable_Long_CompactValue(reinterpret_cast<PyLongObject*>(o));
        return true;
#endif
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
        if (key_due_) [[unlikely]]
            return refuse_key(o);
        if (frames_.size() >= ctx_.limits.depth) [[unlikely]]
            return too_deep();
        KUMIHIMO_TRY(to.map(count{n}));
        if (options_.sort_keys) [[unlikely]]
            return open_sorted(o);
        return pairs(o, 0, n, n, false, to);
    }

    errc list(PyObject* o, K& to) {
        const Py_ssize_t n = PyList_GET_SIZE(o);
        if (key_due_) [[unlikely]]
            return refuse_key(o);
        if (frames_.size() >= ctx_.limits.depth) [[unlikely]]
            return too_deep();
        KUMIHIMO_TRY(to.array(count{n}));
        return items(o, 0, n, false, to);
    }

    errc tuple(PyObject* o, K& to) {
        const Py_ssize_t n = PyTuple_GET_SIZE(o);
        if (frames_.size() >= ctx_.limits.depth) [[unlikely]]
            return too_deep();
        KUMIHIMO_TRY(to.array(count{n}));
        return items(o, 0, n, false, to);
    }

    /// Everything else. An object that stands for another one (an Enum's value, what default= answered) is exchanged
    /// for it.
    [[gnu::noinline]] errc other(PyObject* object, K& to) {
        ref held = ref::borrowed(object);
        for (int chain = 0;;) {
            PyObject* const o = held.get();
            PyTypeObject* const t = Py_TYPE(o);
            if (t == &PyUnicode_Type || t == &PyLong_Type || t == &PyFloat_Type || t == &PyBool_Type || o == Py_None ||
                t == &PyDict_Type || t == &PyList_Type || t == &PyTuple_Type) {
                return visit_exact(o, to);
            }
            switch (types_.kind_of(t)) {
                case kind::str: {
                    text s;
                    if (!text_of(o, s, scratch_)) return broken_text();
                    return to.str(s);
                }
                case kind::integer: return long_integer(o, to);
                case kind::real: return to.f64(PyFloat_AS_DOUBLE(o));
                case kind::dict: return map(o, to);
                case kind::list: return list(o, to);
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
                    if (!(types_.kind_of(t) == kind::date ? instant_of_date(o, i) : instant_of_datetime(o, i)))
                        return errc::host;
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
                    ref inner = value_of_numpy(o, types_.kind_of(t));
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

    /// The exact built-ins again, for what other() found behind an object. `o` stays alive: containers are held by
    /// their frame.
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
        return list(o, to);
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
    if (options_.utc_z) l.zone_form = scalar::time_layout::zone::z_for_zero;
    const char* end = scalar::write_time(room, i, l);
    if (end == nullptr)
        return ctx_.fail(errc::range, failure::nowhere, "a moment outside the years 0000 to 9999 has no RFC 3339 text");
    return to.str(text(room, static_cast<std::size_t>(end - room), encoding::ascii));
}

static_assert(source<walker<>>);

}  // namespace kumihimo::inline v0::python
