// dumps, loads, packb, unpackb, check: plain C functions, because a call through a binding library costs as much as a
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
#include "src/any_convert.hpp"
#include "src/any_format.hpp"
#include "src/arguments.hpp"
#include "src/buffer.hpp"
#include "src/build.hpp"
#include "src/dialect.hpp"
#include "src/docs.hpp"
#include "src/document_stream.hpp"
#include "src/guard.hpp"
#include "src/lazy.hpp"
#include "src/numbers.hpp"
#include "src/state.hpp"
#include "src/walk.hpp"

namespace kumihimo::inline v0::python {

static_assert(kumihimo::walker<python::walker<json::basic_writer<bytes_buffer>>, json::basic_writer<bytes_buffer>>);

namespace {

// ---- dumps

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
        out.dialect.layout = {",", ": ", "\n", out.indent};
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
        out.dialect.layout.item = out.item;
        out.dialect.layout.key = out.key;
    }
    return true;
}

constexpr const char* dumps_names[] = {"obj",          "default",   "sort_keys",    "indent",  "separators",
                                       "ensure_ascii", "allow_nan", "non_str_keys", "decimal", "binary",
                                       "escape",       "utc_z",     "newline",      "depth",   "floats"};

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
        json.dialect.non_finite = literal ? json::non_finite::literal : json::non_finite::refuse;
    }
    static constexpr const char* encodings[] = {"base64", "base64url"};
    int binary = -1;
    if (!read_word("binary", v[9], encodings, binary)) return false;
    if (binary >= 0) {
        walk.binary = true;
        json.dialect.binary = binary == 0 ? json::binary::base64 : json::binary::base64url;
    }
    static constexpr const char* layouts[] = {"python", "orjson"};
    int layout = 0;
    if (!read_word("floats", v[14], layouts, layout)) return false;
    if (layout == 1) json.dialect.floats = scalar::float_layout::orjson;
    static constexpr const char* sets[] = {"html", "script", "slash"};
    int set = -1;
    if (!read_word("escape", v[10], sets, set)) return false;
    if (set >= 0 && ascii) {
        PyErr_SetString(PyExc_ValueError, "ensure_ascii and escape do not go together");
        return false;
    }
    if (ascii) json.dialect.escapes = &json::python_escapes;
    if (set == 0) json.dialect.escapes = &json::html_safe_escapes;
    if (set == 1) json.dialect.escapes = &json::script_safe_escapes;
    if (set == 2) json.dialect.escapes = &json::slash_escapes;
    return true;
}

PyObject* write_json(state& s, PyObject* object, const walk_options& options, const json::dialect& dialect, bool newline,
                     context& ctx) {
    bytes_buffer out;
    using writer = json::basic_writer<bytes_buffer>;
    using burst = json::burst<bytes_buffer>;
    python::walker<writer> from(object, ctx, options, s.types);
    errc e;
    if (burst::suits(dialect)) [[likely]] {
        e = from.feed<burst>(out, dialect);
        if (e == errc::ok && !newline) [[likely]]
            return out.take(out.size() - 1);  // without the last comma
        if (e == errc::ok) {
            out.data()[out.size() - 1] = '\n';
            return out.take();
        }
    } else {
        writer to(out, ctx, dialect);
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
    return write_json(s, v[0], walk, json.dialect, newline, ctx);
}

// ---- loads

constexpr const char* loads_names[] = {"data", "decimal", "allow_nan", "relaxed", "unique_keys", "lone_surrogates", "depth"};

// The options of loads from names[1] on, which check has too: what is granted, and with it what a number may be.
bool read_grants(PyObject* const* v, json::read_dialect& granted, context& ctx) {
    bool decimal = false, relaxed = false, unique = false, surrogates = false;
    if (!read_flag(v[0], decimal) || !read_flag(v[1], granted.non_finite) || !read_flag(v[2], relaxed) ||
        !read_flag(v[3], unique) || !read_flag(v[4], surrogates) || !read_depth(v[5], ctx))
        return false;
    grant(granted, decimal, relaxed, unique);
    if (surrogates) granted.surrogates = json::lone_surrogates::keep;
    // Imported here, so that no module is imported while the collector rests.
    return !decimal || package_attribute("decimal", "Decimal");
}

PyObject* read_json(state& s, PyObject* data, const build_options& options, const json::read_dialect& granted, context& ctx) {
    input_bytes input;
    if (!input.open(data, true)) return refuse_input(data, ctx, granted);
    errc e;
    {
        builder to(ctx, s.keys, options);
        json::reader from(input.get(), ctx, granted);
        collector_pause pause;
        if (input.get().size() > long_document) to.look_round(&pause);
        e = from.feed(to);
        if (e == errc::ok) [[likely]]
            return to.take();
    }
    e = first_fault(e, input.get(), ctx, granted);
    raise_decode(ctx, e, data, input.get(), "json");
    return nullptr;
}

PyObject* loads(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
    state& s = state_of(self);
    context ctx;
    build_options options;
    if (given == 1 && kwnames == nullptr) [[likely]]
        return read_json(s, args[0], options, json_read, ctx);
    PyObject* v[std::size(loads_names)] = {};
    json::read_dialect granted = json_read;
    if (!read_arguments("loads", args, given, kwnames, loads_names, 1, 1, v) || !read_grants(v + 1, granted, ctx))
        return nullptr;
    options.decimals = granted.decimal_digits;
    return read_json(s, v[0], options, granted, ctx);
}

// ---- msgpack

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
    msgpack::dialect dialect = msgpack_default;
    if (decimal) dialect.big = msgpack::big_number::text;
    bytes_buffer out;
    python::walker<msgpack::basic_writer<bytes_buffer>> from(v[0], ctx, walk, s.types);
    if (const errc e = from.feed<msgpack::burst<bytes_buffer>>(out, dialect); e != errc::ok) [[unlikely]] {
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
        const bool is_long = input.get().size() > long_document;
        if (options.ext_hook == nullptr) {
            collector_pause pause;
            if (is_long) to.look_round(&pause);
            e = from.feed(to);
        } else {
            if (is_long) to.look_round(nullptr);
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

// ---- check

// None when the document is valid; else raises. The GIL is released for documents that take a while.
PyObject* check(PyObject*, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
    context ctx;
    PyObject* v[std::size(loads_names)] = {};
    json::read_dialect granted = json_read;
    if (!read_arguments("check", args, given, kwnames, loads_names, 1, 1, v) || !read_grants(v + 1, granted, ctx))
        return nullptr;
    input_bytes input;
    if (!input.open(v[0], true)) return refuse_input(v[0], ctx, granted);
    const bytes document = input.get();
    bool doubtful = false;
    const auto look = [&] {
        const errc e = json::check(document, ctx, granted, &doubtful);
        if (e == errc::ok && doubtful) doubtful = has_doubtful(document, ctx, granted);
        return e;
    };
    errc e;
    if (document.size() < 65536) {
        e = look();
    } else {
        const unlocked free;
        e = look();
    }
    if (e == errc::ok && doubtful) [[unlikely]]
        e = judge(document, ctx, granted);
    else if (e != errc::ok)
        e = first_fault(e, document, ctx, granted);
    if (e != errc::ok) {
        raise_decode(ctx, e, v[0], document, "json");
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

PyMethodDef functions[] = {
    {"dumps", fast(dumps), METH_FASTCALL | METH_KEYWORDS, docs::dumps},
    {"loads", fast(loads), METH_FASTCALL | METH_KEYWORDS, docs::loads},
    {"packb", fast(packb), METH_FASTCALL | METH_KEYWORDS, docs::packb},
    {"unpackb", fast(unpackb), METH_FASTCALL | METH_KEYWORDS, docs::unpackb},
    {"dump", fast(dump), METH_FASTCALL | METH_KEYWORDS, docs::dump},
    {"load", fast(load), METH_FASTCALL | METH_KEYWORDS, docs::load},
    {"each_document", fast(each_document), METH_FASTCALL | METH_KEYWORDS, docs::each_document},
    {"formats", formats_of_table, METH_NOARGS, docs::formats},
    {"convert", fast(convert), METH_FASTCALL | METH_KEYWORDS, docs::convert},
    {"check", fast(check), METH_FASTCALL | METH_KEYWORDS, docs::check},
    {"lazy", fast(open_lazy), METH_FASTCALL | METH_KEYWORDS, docs::lazy},
    {"trace", trace, METH_O, docs::trace},
};

}  // namespace

bool add_codec(PyObject* module, PyObject* state_object) {
    const ref name(PyUnicode_FromString("kumihimo._core"));
    if (!name) return false;
    for (PyMethodDef& f : functions) {
        const ref made(PyCFunction_NewEx(&f, state_object, name.get()));
        if (!made || PyObject_SetAttrString(module, f.ml_name, made.get()) != 0) return false;
    }
    return true;
}

}  // namespace kumihimo::inline v0::python
