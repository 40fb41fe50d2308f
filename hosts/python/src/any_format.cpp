#include "src/any_format.hpp"

#include <span>
#include <string>
#include <string_view>

#include "engine/core/pipe.hpp"
#include "src/arguments.hpp"
#include "src/buffer.hpp"
#include "src/build.hpp"
#include "src/format_options.hpp"
#include "src/state.hpp"

namespace kumihimo::inline v0::python {

std::string format_names() {
    std::string names;
    each_format([&](auto row) { names += std::string(names.empty() ? "'" : ", '") + std::string(decltype(row)::name) + "'"; });
    return names;
}

bool read_format(const char* argument, PyObject* value, std::string_view& name) {
    if (value != nullptr && PyUnicode_Check(value)) {
        const auto test = [value](auto row) {
            return PyUnicode_CompareWithASCIIString(value, decltype(row)::name.data()) == 0;
        };
        if (first_format(test, [&](auto row) { name = decltype(row)::name; })) return true;
    }
    PyErr_Format(PyExc_ValueError, "%s is one of %s", argument, format_names().c_str());
    return false;
}

namespace {

// ---- dump

constexpr const char* dump_names[] = {"obj",          "format",  "dialect", "default", "sort_keys",
                                      "non_str_keys", "decimal", "depth",   "frame",   "frame_level"};

template <class F>
PyObject* write(state& s, PyObject* object, const walk_options& options, const typename format_options<F>::dialect& dialect,
                context& ctx) {
    using writer = typename F::template writer<bytes_buffer>;
    bytes_buffer out;
    python::walker<writer> from(object, ctx, options, s.types);
    errc e;
    std::size_t behind = 0;
    const auto by_writer = [&] {
        writer to(out, ctx, dialect);
        bytes whole;
        return pipe(from, to, whole);
    };
    if constexpr (bursting_format<F, bytes_buffer>) {
        using burst = typename F::template burst<bytes_buffer>;
        if (burst::suits(dialect)) {
            e = from.template feed<burst>(out, dialect);
            behind = burst::trailing;
        } else {
            e = by_writer();
        }
    } else {
        e = by_writer();
    }
    if (e != errc::ok) [[unlikely]] {
        raise_encode(ctx, e);
        return nullptr;
    }
    return out.take(out.size() - behind);
}

}  // namespace

PyObject* dump(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
    state& s = state_of(self);
    context ctx;
    PyObject* v[std::size(dump_names)] = {};
    std::string_view name;
    if (!read_arguments("dump", args, given, kwnames, dump_names, 2, 3, v) || !read_format("format", v[1], name))
        return nullptr;
    const frame::codec* frame = nullptr;
    int level = frame::usual_level;
    PyObject* made = nullptr;
    visit_format(name, [&](auto row) {
        using rows = decltype(row);
        const bool chosen = v[2] != nullptr && v[2] != Py_None;
        walk_options walk = chosen ? walk_options{} : format_options<rows>::walked();
        if (!read_fallback(v[3], walk.fallback) || !read_flag(v[4], walk.sort_keys) || !read_flag(v[5], walk.non_str_keys) ||
            !read_flag(v[6], walk.decimals) || !read_depth(v[7], ctx) || !read_frame(v[8], frame) ||
            !read_frame_level(v[9], frame, level))
            return;
        auto dialect = format_options<rows>::written(walk.decimals);
        if (!read_dialect_name<rows>("dialect", v[2], rows::write_dialects, dialect)) return;
        made = framed(write<rows>(s, v[0], walk, dialect, ctx), frame, level);
    });
    return made;
}

namespace {

// ---- load

constexpr const char* load_names[] = {"data", "format", "dialect", "ext_hook", "non_str_keys", "decimal", "depth"};

template <class F>
PyObject* read(state& s, PyObject* shown, bytes document, const build_options& options,
               const typename F::reader::dialect& granted, context& ctx) {
    errc e;
    {
        builder to(ctx, s.keys, options);
        typename F::reader from(document, ctx, granted);
        const bool is_long = document.size() > long_document;
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
    e = fault_of<F>(e, document, ctx, granted);
    raise_decode(ctx, e, shown, document, F::name.data());
    return nullptr;
}

// The name of the format of text: a str tells no other, whatever is wrong with it.
std::string_view text_format() {
    std::string_view name;
    first_format([](auto row) { return decltype(row)::is_text; }, [&](auto row) { name = decltype(row)::name; });
    return name;
}

// Opens the input; the name of the format that the document tells, empty with an error pending.
std::string_view told(PyObject* data, unframed_bytes& input, const limits& allowed) {
    std::string_view name;
    if (!input.open(data, true) || !input.unframe(data, allowed)) return name;
    name = format_of(input.get());
    if (name.empty())
        PyErr_Format(PyExc_ValueError, "the bytes do not tell their format: name it, one of %s", format_names().c_str());
    return name;
}

}  // namespace

PyObject* load(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
    state& s = state_of(self);
    context ctx;
    build_options options{.non_str_keys = false};
    PyObject* v[std::size(load_names)] = {};
    bool decimal = false;
    std::string_view name;
    unframed_bytes input;
    bool opened = false;
    if (!read_arguments("load", args, given, kwnames, load_names, 1, 3, v) || !read_fallback(v[3], options.ext_hook) ||
        !read_flag(v[4], options.non_str_keys) || !read_flag(v[5], decimal) || !read_depth(v[6], ctx))
        return nullptr;
    if (v[1] == nullptr || v[1] == Py_None) {
        opened = !PyUnicode_Check(v[0]);
        name = opened ? told(v[0], input, ctx.limits) : text_format();
        if (name.empty()) return nullptr;
    } else if (!read_format("format", v[1], name)) {
        return nullptr;
    }
    PyObject* made = nullptr;
    visit_format(name, [&](auto row) {
        using rows = decltype(row);
        auto granted = format_options<rows>::read(decimal);
        if (!read_dialect_name<rows>("dialect", v[2], rows::read_dialects, granted)) return;
        if constexpr (requires { granted.decimal_digits; }) granted.decimal_digits = exact_numbers(granted, decimal);
        options.decimals = exact_numbers(granted, decimal);
        options.any_text = lets_any_text(granted);
        // Imported here, so that no module is imported while the collector rests.
        if (options.decimals && !package_attribute("decimal", "Decimal")) return;
        if (!opened && !open_input<rows>(input, v[0], ctx, granted)) return;
        made = read<rows>(s, input.shown(v[0]), input.get(), options, granted, ctx);
    });
    return made;
}

namespace {

template <format F>
constexpr std::span<const std::string_view> endings_of_lines() {
    if constexpr (requires { F::endings_of_lines; })
        return F::endings_of_lines;
    else
        return {};
}

template <class All, class Text>
ref tuple_of(const All& all, Text text) {
    ref made(PyTuple_New(static_cast<Py_ssize_t>(std::size(all))));
    Py_ssize_t i = 0;
    for (const auto& one : all) {
        const std::string_view s = text(one);
        PyObject* const o = made ? PyUnicode_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size())) : nullptr;
        if (o == nullptr) return {};
        PyTuple_SET_ITEM(made.get(), i++, o);
    }
    return made;
}

}  // namespace

PyObject* formats_of_table(PyObject*, PyObject*) {
    ref all(PyList_New(0));
    bool whole = static_cast<bool>(all);
    each_format([&](auto row) {
        using rows = decltype(row);
        if (!whole) return;
        const auto itself = [](std::string_view s) { return s; };
        const auto name = [](const auto& d) { return d.name; };
        const ref types = tuple_of(rows::media_types, itself), endings = tuple_of(rows::endings, itself),
                  lines = tuple_of(endings_of_lines<rows>(), itself), read = tuple_of(rows::read_dialects, name),
                  written = tuple_of(rows::write_dialects, name);
        whole = types && endings && lines && read && written;
        if (!whole) return;
        const ref one(Py_BuildValue("{s:s,s:O,s:O,s:O,s:O,s:O,s:O}", "name", rows::name.data(), "text",
                                    rows::is_text ? Py_True : Py_False, "media_types", types.get(), "endings", endings.get(),
                                    "line_endings", lines.get(), "read_dialects", read.get(), "write_dialects", written.get()));
        whole = one && PyList_Append(all.get(), one.get()) == 0;
    });
    return whole ? PyList_AsTuple(all.get()) : nullptr;
}

}  // namespace kumihimo::inline v0::python
