// dumps, loads, packb, unpackb, convert, check: plain C functions, because a call through a binding library costs as much as a
// small document. Each pair of a host's end and a format's end is instantiated here and nowhere else.
#include <Python.h>

#include <cstring>
#include <span>

#include "engine/core/pipe.hpp"
#include "engine/core/trace.hpp"
#include "engine/json/burst.hpp"
#include "engine/json/check.hpp"
#include "engine/json/reader.hpp"
#include "engine/json/writer.hpp"
#include "engine/msgpack/burst.hpp"
#include "engine/msgpack/reader.hpp"
#include "engine/msgpack/writer.hpp"
#include "src/buffer.hpp"
#include "src/build.hpp"
#include "src/dialect.hpp"
#include "src/guard.hpp"
#include "src/state.hpp"
#include "src/walk.hpp"

namespace kumihimo::inline v0::python {

static_assert(kumihimo::walker<python::walker<json::basic_writer<bytes_buffer>>, json::basic_writer<bytes_buffer>>);

namespace {

// ---- keyword arguments
// -------------------------------------------------------------------------------------------------------

// The arguments of one METH_FASTCALL call, by name. `names` in order; the first `positional` of them may come without a name.
// values[i] is borrowed, or null where the argument was not given.
bool read_arguments(const char* function, PyObject* const* args, Py_ssize_t given, PyObject* kwnames,
                    std::span<const char* const> names, Py_ssize_t required, Py_ssize_t positional, PyObject** values) {
    if (given > positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %zd positional arguments, %zd were given", function, positional,
                     given);
        return false;
    }
    for (Py_ssize_t i = 0; i < given; ++i) values[i] = args[i];
    const Py_ssize_t named = kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames);
    for (Py_ssize_t i = 0; i < named; ++i) {
        PyObject* const name = PyTuple_GET_ITEM(kwnames, i);
        std::size_t found = 0;
        while (found < names.size() && PyUnicode_CompareWithASCIIString(name, names[found]) != 0) ++found;
        if (found == names.size()) {
            PyErr_Format(PyExc_TypeError, "%s() has no argument named '%U'", function, name);
            return false;
        }
        if (values[found] != nullptr) {
            PyErr_Format(PyExc_TypeError, "%s() got the argument '%U' twice", function, name);
            return false;
        }
        values[found] = args[given + i];
    }
    for (Py_ssize_t i = 0; i < required; ++i) {
        if (values[i] == nullptr) {
            PyErr_Format(PyExc_TypeError, "%s() needs the argument '%s'", function, names[static_cast<std::size_t>(i)]);
            return false;
        }
    }
    return true;
}

bool read_flag(PyObject* value, bool& out) {
    if (value == nullptr) return true;
    const int truth = PyObject_IsTrue(value);
    if (truth < 0) return false;
    out = truth != 0;
    return true;
}

bool read_depth(PyObject* value, context& ctx) {
    if (value == nullptr || value == Py_None) return true;
    const Py_ssize_t n = PyNumber_AsSsize_t(value, PyExc_OverflowError);
    if (n == -1 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return false;
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "depth is a number of levels, from 1 to %zd", PY_SSIZE_T_MAX);
        return false;
    }
    if (n < 1) {
        PyErr_SetString(PyExc_ValueError, "depth is at least 1");
        return false;
    }
    ctx.limits.depth = static_cast<std::size_t>(n);
    return true;
}

bool read_fallback(PyObject* value, PyObject*& out) {
    if (value == nullptr || value == Py_None) return true;
    if (!PyCallable_Check(value)) {
        PyErr_Format(PyExc_TypeError, "expected a callable, not %.200s", Py_TYPE(value)->tp_name);
        return false;
    }
    out = value;
    return true;
}

// A choice among words; `out` is its index.
bool read_word(const char* argument, PyObject* value, std::span<const char* const> words, int& out) {
    if (value == nullptr || value == Py_None) return true;
    if (PyUnicode_Check(value)) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (PyUnicode_CompareWithASCIIString(value, words[i]) == 0) {
                out = static_cast<int>(i);
                return true;
            }
        }
    }
    std::string all;
    for (const char* w : words) all += std::string(all.empty() ? "'" : ", '") + w + "'";
    PyErr_Format(PyExc_ValueError, "%s is one of %s", argument, all.c_str());
    return false;
}

bool read_string(const char* argument, PyObject* value, std::string& out) {
    Py_ssize_t n = 0;
    const char* p = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &n) : nullptr;
    if (p == nullptr) {
        if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s holds a str", argument);
        return false;
    }
    out.assign(p, static_cast<std::size_t>(n));
    return true;
}

// ---- dumps
// -------------------------------------------------------------------------------------------------------------------

bool read_layout(PyObject* indent, PyObject* separators, json_options& out) {
    const bool indented = indent != nullptr && indent != Py_None;
    if (indented) {
        if (PyUnicode_Check(indent)) {
            if (!read_string("indent", indent, out.indent)) return false;
        } else {
            const Py_ssize_t n = PyNumber_AsSsize_t(indent, PyExc_OverflowError);
            if (n == -1 && PyErr_Occurred()) return false;
            if (n > 64) {
                PyErr_SetString(PyExc_ValueError, "indent is at most 64");
                return false;
            }
            out.indent.assign(n > 0 ? static_cast<std::size_t>(n) : 0, ' ');
        }
        for (const char c : out.indent) {
            if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
                PyErr_SetString(PyExc_ValueError, "indent is white space, or the output would not be JSON");
                return false;
            }
        }
        out.as.layout = {",", ": ", "\n", out.indent};
    }
    if (separators != nullptr && separators != Py_None) {
        const ref pair(PySequence_Tuple(separators));
        if (!pair) return false;
        if (PyTuple_GET_SIZE(pair.get()) != 2) {
            PyErr_SetString(PyExc_ValueError, "separators is a pair: (item, key)");
            return false;
        }
        if (!read_string("separators", PyTuple_GET_ITEM(pair.get(), 0), out.item) ||
            !read_string("separators", PyTuple_GET_ITEM(pair.get(), 1), out.key))
            return false;
        const auto fits = [](const std::string& s, char sign) {
            const std::size_t first = s.find_first_not_of(" \t\r\n");
            return first != std::string::npos && s[first] == sign &&
                   s.find_first_not_of(" \t\r\n", first + 1) == std::string::npos;
        };
        if (!fits(out.item, ',') || !fits(out.key, ':')) {
            PyErr_SetString(PyExc_ValueError,
                            "separators are a comma and a colon with white space around them, or the output would not be JSON");
            return false;
        }
        out.as.layout.item = out.item;
        out.as.layout.key = out.key;
    }
    return true;
}

constexpr const char* dumps_names[] = {"obj",          "default",   "sort_keys",    "indent",  "separators",
                                       "ensure_ascii", "allow_nan", "non_str_keys", "decimal", "binary",
                                       "escape",       "utc_z",     "newline",      "depth"};

bool read_dumps_options(PyObject* const* v, walk_options& walk, json_options& json, bool& newline, context& ctx) {
    bool ascii = false;
    bool utc_z = false;
    if (!read_fallback(v[1], walk.fallback) || !read_flag(v[2], walk.sort_keys) || !read_layout(v[3], v[4], json) ||
        !read_flag(v[5], ascii) || !read_flag(v[7], walk.non_str_keys) || !read_flag(v[8], walk.decimals) ||
        !read_flag(v[11], utc_z) || !read_flag(v[12], newline) || !read_depth(v[13], ctx))
        return false;
    walk.utc_z = utc_z;
    if (v[6] != nullptr && v[6] != Py_None) {
        bool literal = false;
        if (!read_flag(v[6], literal)) return false;
        json.as.non_finite = literal ? json::non_finite::literal : json::non_finite::refuse;
    }
    static constexpr const char* encodings[] = {"base64", "base64url"};
    int binary = -1;
    if (!read_word("binary", v[9], encodings, binary)) return false;
    if (binary >= 0) {
        walk.binary = true;
        json.as.binary = binary == 0 ? json::binary::base64 : json::binary::base64url;
    }
    static constexpr const char* sets[] = {"html", "script", "slash"};
    int set = -1;
    if (!read_word("escape", v[10], sets, set)) return false;
    if (set >= 0 && ascii) {
        PyErr_SetString(PyExc_ValueError, "ensure_ascii and escape do not go together");
        return false;
    }
    if (ascii) json.as.escapes = &python_ascii_escapes;
    if (set == 0) json.as.escapes = &json::html_safe_escapes;
    if (set == 1) json.as.escapes = &json::script_safe_escapes;
    if (set == 2) json.as.escapes = &json::slash_escapes;
    return true;
}

PyObject* write_json(state& s, PyObject* object, const walk_options& options, const json::dialect& as, bool newline,
                     context& ctx) {
    bytes_buffer out;
    using writer = json::basic_writer<bytes_buffer>;
    using burst = json::burst<bytes_buffer>;
    python::walker<writer> from(object, ctx, options, s.types);
    errc e;
    if (burst::suits(as)) [[likely]] {
        e = from.feed<burst>(out, as);
        if (e == errc::ok && !newline) [[likely]]
            return out.take(out.size() - 1);  // without the last comma
        if (e == errc::ok) {
            out.data()[out.size() - 1] = '\n';
            return out.take();
        }
    } else {
        writer to(out, ctx, as);
        bytes whole;
        e = pipe(from, to, whole);
    }
    if (e != errc::ok) [[unlikely]] {
        raise_encode(ctx, e);
        return nullptr;
    }
    if (newline) {
        char* p = out.reserve(1);
        if (p == nullptr) return PyErr_NoMemory();
        *p = '\n';
        out.commit(p + 1);
    }
    return out.take();
}

PyObject* dumps(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
    state& s = state_of(self);
    context ctx;
    walk_options walk{.binary = false, .ext = false, .moments_as_text = true};
    if (given == 1 && kwnames == nullptr) [[likely]]
        return write_json(s, args[0], walk, json_default, false, ctx);
    PyObject* v[std::size(dumps_names)] = {};
    json_options json;
    bool newline = false;
    if (!read_arguments("dumps", args, given, kwnames, dumps_names, 1, 2, v) ||
        !read_dumps_options(v, walk, json, newline, ctx))
        return nullptr;
    return write_json(s, v[0], walk, json.as, newline, ctx);
}

// ---- loads
// -------------------------------------------------------------------------------------------------------------------

constexpr const char* loads_names[] = {"data", "decimal", "allow_nan", "relaxed", "unique_keys", "lone_surrogates", "depth"};

// After a str that could not be taken: half a surrogate pair is a mistake of the document, and has a place.
PyObject* refuse_input(PyObject* data, context& ctx) {
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return nullptr;
    PyErr_Clear();
    std::size_t offset = 0;  // in bytes of UTF-8
    const Py_ssize_t n = PyUnicode_GET_LENGTH(data);
    for (Py_ssize_t i = 0; i < n; ++i) {
        const Py_UCS4 c = PyUnicode_READ_CHAR(data, i);
        if (c >= 0xD800 && c < 0xE000) break;
        offset += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    }
    ctx.fail(errc::encoding, offset, "the str holds half a surrogate pair, which is not valid Unicode");
    raise_decode(ctx, errc::encoding, data, {}, "json");
    return nullptr;
}

PyObject* read_json(state& s, PyObject* data, const build_options& options, const json::read_dialect& granted, context& ctx) {
    input_bytes input;
    if (!input.open(data, true)) return refuse_input(data, ctx);
    errc e;
    {
        builder to(ctx, s.keys, options);
        json::reader from(input.get(), ctx, granted);
        const collector_pause pause;
        e = from.feed(to);
        if (e == errc::ok) [[likely]]
            return to.take();
    }
    raise_decode(ctx, e, data, input.get(), "json");
    return nullptr;
}

PyObject* loads(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
    state& s = state_of(self);
    context ctx;
    build_options options;
    json::read_dialect granted;
    if (given == 1 && kwnames == nullptr) [[likely]]
        return read_json(s, args[0], options, granted, ctx);
    PyObject* v[std::size(loads_names)] = {};
    bool relaxed = false, unique = false, surrogates = false;
    if (!read_arguments("loads", args, given, kwnames, loads_names, 1, 1, v) || !read_flag(v[1], options.decimals) ||
        !read_flag(v[2], granted.non_finite) || !read_flag(v[3], relaxed) || !read_flag(v[4], unique) ||
        !read_flag(v[5], surrogates) || !read_depth(v[6], ctx))
        return nullptr;
    granted.decimal_digits = options.decimals;
    granted.comments = granted.trailing_commas = granted.byte_order_mark = relaxed;
    if (unique) granted.duplicates = json::duplicate_keys::error;
    if (surrogates) granted.surrogates = json::lone_surrogates::keep;
    // Imported here, so that no module is imported while the collector rests.
    if (options.decimals && !package_attribute("decimal", "Decimal")) return nullptr;
    return read_json(s, v[0], options, granted, ctx);
}

// ---- msgpack
// -----------------------------------------------------------------------------------------------------------------

constexpr const char* packb_names[] = {"obj", "default", "sort_keys", "non_str_keys", "decimal", "depth"};

PyObject* packb(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
    state& s = state_of(self);
    context ctx;
    walk_options walk;
    PyObject* v[std::size(packb_names)] = {};
    bool decimal = false;
    if (!read_arguments("packb", args, given, kwnames, packb_names, 1, 2, v) || !read_fallback(v[1], walk.fallback) ||
        !read_flag(v[2], walk.sort_keys) || !read_flag(v[3], walk.non_str_keys) || !read_flag(v[4], decimal) ||
        !read_depth(v[5], ctx))
        return nullptr;
    walk.decimals = decimal;
    msgpack::dialect as = msgpack_default;
    if (decimal) as.big = msgpack::big_number::text;
    bytes_buffer out;
    python::walker<msgpack::basic_writer<bytes_buffer>> from(v[0], ctx, walk, s.types);
    if (const errc e = from.feed<msgpack::burst<bytes_buffer>>(out, as); e != errc::ok) [[unlikely]] {
        raise_encode(ctx, e);
        return nullptr;
    }
    return out.take();
}

constexpr const char* unpackb_names[] = {"data", "ext_hook", "non_str_keys", "raw", "depth"};

PyObject* read_msgpack(state& s, PyObject* data, const build_options& options, const msgpack::read_dialect& granted,
                       context& ctx) {
    input_bytes input;
    if (!input.open(data, false)) return nullptr;
    errc e;
    {
        builder to(ctx, s.keys, options);
        msgpack::reader from(input.get(), ctx, granted);
        if (options.ext_hook == nullptr) {
            const collector_pause pause;
            e = from.feed(to);
        } else {
            e = from.feed(to);
        }
        if (e == errc::ok) [[likely]]
            return to.take();
    }
    raise_decode(ctx, e, data, input.get(), "msgpack");
    return nullptr;
}

PyObject* unpackb(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
    state& s = state_of(self);
    context ctx;
    build_options options{.non_str_keys = false};
    if (given == 1 && kwnames == nullptr) [[likely]]
        return read_msgpack(s, args[0], options, msgpack::standard_read, ctx);
    PyObject* v[std::size(unpackb_names)] = {};
    bool raw = false;
    if (!read_arguments("unpackb", args, given, kwnames, unpackb_names, 1, 1, v) || !read_fallback(v[1], options.ext_hook) ||
        !read_flag(v[2], options.non_str_keys) || !read_flag(v[3], raw) || !read_depth(v[4], ctx))
        return nullptr;
    return read_msgpack(s, v[0], options, raw ? msgpack::raw_read : msgpack::standard_read, ctx);
}

// ---- convert, check
// ----------------------------------------------------------------------------------------------------------

constexpr const char* convert_names[] = {"data", "source", "target", "depth"};
constexpr const char* formats[] = {"json", "msgpack"};

// Runs without the GIL: neither end is a host's. A bytearray stays locked by its buffer meanwhile.
errc convert_document(bytes input, bool from_json, bool to_json, buffer& out, context& ctx) {
    bytes whole;
    if (from_json) {
        json::reader from(input, ctx);
        if (to_json) {
            json::basic_writer<buffer> to(out, ctx, json_from_other);
            return pipe(from, to, whole);
        }
        msgpack::basic_writer<buffer> to(out, ctx);
        return pipe(from, to, whole);
    }
    msgpack::reader from(input, ctx);
    if (to_json) {
        json::basic_writer<buffer> to(out, ctx, json_from_other);
        return pipe(from, to, whole);
    }
    msgpack::basic_writer<buffer> to(out, ctx);
    return pipe(from, to, whole);
}

PyObject* convert(PyObject*, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
    context ctx;
    PyObject* v[std::size(convert_names)] = {};
    int source = -1, target = -1;
    if (!read_arguments("convert", args, given, kwnames, convert_names, 3, 3, v) || !read_depth(v[3], ctx)) return nullptr;
    if (v[1] == Py_None || v[2] == Py_None) {
        PyErr_SetString(PyExc_TypeError, "convert(data, source, target): the formats are 'json' and 'msgpack'");
        return nullptr;
    }
    if (!read_word("source", v[1], formats, source) || !read_word("target", v[2], formats, target)) return nullptr;
    input_bytes input;
    if (!input.open(v[0], source == 0)) return refuse_input(v[0], ctx);
    buffer out;
    errc e;
    {
        const unlocked free;
        e = convert_document(input.get(), source == 0, target == 0, out, ctx);
    }
    if (e != errc::ok) {
        raise_decode(ctx, e, v[0], input.get(), formats[source]);
        return nullptr;
    }
    return PyBytes_FromStringAndSize(out.data(), static_cast<Py_ssize_t>(out.size()));
}

constexpr const char* check_names[] = {"data", "depth"};

// None when the document is valid; else raises. The GIL is released for documents that take a while.
PyObject* check(PyObject*, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
    context ctx;
    PyObject* v[std::size(check_names)] = {};
    if (!read_arguments("check", args, given, kwnames, check_names, 1, 1, v) || !read_depth(v[1], ctx)) return nullptr;
    input_bytes input;
    if (!input.open(v[0], true)) return refuse_input(v[0], ctx);
    errc e;
    if (input.get().size() < 65536) {
        e = json::check(input.get(), ctx);
    } else {
        const unlocked free;
        e = json::check(input.get(), ctx);
    }
    if (e != errc::ok) {
        raise_decode(ctx, e, v[0], input.get(), "json");
        return nullptr;
    }
    Py_RETURN_NONE;
}

// The walk as text (engine/core/trace.hpp), counts left out: what the conformance vectors are compared with.
PyObject* trace(PyObject* self, PyObject* object) {
    state& s = state_of(self);
    context ctx;
    const walk_options walk{.non_str_keys = true, .decimals = true};
    buffer out;
    static constexpr trace_dialect bare{.counts = false};
    trace_sink to(out, ctx, bare);
    python::walker<trace_sink> from(object, ctx, walk, s.types);
    bytes whole;
    if (const errc e = pipe(from, to, whole); e != errc::ok) {
        raise_encode(ctx, e);
        return nullptr;
    }
    return PyUnicode_DecodeASCII(out.data(), static_cast<Py_ssize_t>(out.size()), nullptr);
}

template <class F>
PyCFunction fast(F f) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f));
}

PyMethodDef functions[] = {
    {"dumps", fast(dumps), METH_FASTCALL | METH_KEYWORDS, "dumps(obj, /, default=None, **options) -> bytes: JSON"},
    {"loads", fast(loads), METH_FASTCALL | METH_KEYWORDS, "loads(data, /, **options) -> object: from JSON"},
    {"packb", fast(packb), METH_FASTCALL | METH_KEYWORDS, "packb(obj, /, default=None, **options) -> bytes: MessagePack"},
    {"unpackb", fast(unpackb), METH_FASTCALL | METH_KEYWORDS, "unpackb(data, /, **options) -> object: from MessagePack"},
    {"convert", fast(convert), METH_FASTCALL | METH_KEYWORDS,
     "convert(data, source, target) -> bytes: one document into another format"},
    {"trace", trace, METH_O, "trace(obj) -> str: the verbs that a value is written with, one a line; for tests"},
    {"check", fast(check), METH_FASTCALL | METH_KEYWORDS,
     "check(data) -> None: raises JSONDecodeError if data is not valid JSON"},
};

}  // namespace

PyObject* new_state() {
    return PyCapsule_New(new state, nullptr, [](PyObject* c) { delete static_cast<state*>(PyCapsule_GetPointer(c, nullptr)); });
}

bool add_codec(PyObject* module, PyObject* capsule) {
    const ref name(PyUnicode_FromString("kumihimo"));
    if (!name) return false;
    for (PyMethodDef& f : functions) {
        const ref made(PyCFunction_NewEx(&f, capsule, name.get()));
        if (!made || PyObject_SetAttrString(module, f.ml_name, made.get()) != 0) return false;
    }
    return true;
}

}  // namespace kumihimo::inline v0::python
