// What Python asks of a format beyond its row of the table (engine/formats.hpp): its own default dialects, and what
// only the interpreter knows about its numbers. A format that is not named here has the table's defaults and needs
// nothing.
#pragma once
#include <Python.h>

#include <type_traits>

#include "engine/formats.hpp"
#include "src/dialect.hpp"
#include "src/frames.hpp"
#include "src/numbers.hpp"
#include "src/walk.hpp"

namespace kumihimo::inline v0::python {

/// Of convert(). The first three are of a source that takes_flags.
struct convert_options {
    bool relaxed = false, non_finite = false, unique_keys = false;
    bool decimal = false;         // numbers keep all their digits
    bool digits_as_text = false;  // big='text': such digits are no number of Python's
};

/// dump(), load() and convert() without a dialect's name.
template <class F>
struct format_options {
    using read_dialect = typename F::reader::dialect;
    using dialect = typename F::template writer<buffer>::dialect;

    static dialect written(bool /*decimal*/) { return *F::write_dialects[0].dialect; }
    static read_dialect read(bool /*decimal*/) { return *F::read_dialects[0].dialect; }
    static dialect converted_to(const convert_options&) { return *F::write_dialects[0].dialect; }
    static read_dialect converted_from(const convert_options&) { return *F::read_dialects[0].dialect; }
    /// Of Converter: nothing is lowered that nobody asked for.
    static dialect streamed_to() { return *F::write_dialects[0].dialect; }
    /// How values are walked for the default dialect; a dialect that was named says itself what becomes of each.
    static walk_options walked() { return {}; }
    /// Whether documents may hold numbers that only the interpreter can judge (numbers.hpp).
    static constexpr bool judged = false;
    /// Whether relaxed, allow_nan and unique_keys say how it is read.
    static constexpr bool takes_flags = false;
    /// A writer's sentence, where what raise_decode() would advise is no argument of the call.
    static const char* without_advice(const char* what) noexcept { return what; }
};

template <>
struct format_options<json::format> {
    using read_dialect = json::read_dialect;
    using dialect = json::dialect;

    static dialect written(bool) { return json_default; }
    static read_dialect read(bool decimal) {
        read_dialect granted = json_read;
        granted.decimal_digits = decimal;
        return granted;
    }
    static dialect converted_to(const convert_options& o) {
        dialect changed = json_from_other;
        if (o.digits_as_text) changed.big = json::big_number::text;
        return changed;
    }
    static read_dialect converted_from(const convert_options& o) {
        read_dialect granted = json_read;
        granted.non_finite = o.non_finite;
        grant(granted, o.decimal, o.relaxed, o.unique_keys);
        if (o.digits_as_text) granted.overflows = json::overflow::digits;
        return granted;
    }
    static dialect streamed_to() { return json::exact; }
    static walk_options walked() { return {.binary = false, .ext = false, .moments_as_text = true}; }
    static constexpr bool judged = true;
    static constexpr bool takes_flags = true;
    static const char* without_advice(const char* what) noexcept { return what; }
};

template <>
struct format_options<msgpack::format> {
    using read_dialect = msgpack::read_dialect;
    using dialect = msgpack::dialect;

    static dialect written(bool decimal) {
        dialect changed = msgpack_default;
        if (decimal) changed.big = msgpack::big_number::text;
        return changed;
    }
    static read_dialect read(bool) { return msgpack::standard_read; }
    static dialect converted_to(const convert_options& o) { return written(o.decimal || o.digits_as_text); }
    static read_dialect converted_from(const convert_options&) { return msgpack::standard_read; }
    static dialect streamed_to() { return msgpack_default; }
    static walk_options walked() { return {}; }
    static constexpr bool judged = false;
    static constexpr bool takes_flags = false;
    static const char* without_advice(const char* what) noexcept {
        return std::string_view(what) == msgpack::no_such_number ? "the format to write has no number of this size" : what;
    }
};

/// Whether numbers with a fraction arrive as Decimal: asked for, or the dialect's own way.
template <class D>
bool exact_numbers(const D& granted, bool decimal) {
    if constexpr (requires { granted.decimal_digits; })
        return decimal || granted.decimal_digits;
    else
        return decimal;
}

/// After a reader's failure `e`: the fault that every call names for this document.
template <class F>
errc fault_of(errc e, bytes document, context& ctx, const typename F::reader::dialect& granted,
              digits form = digits::as_numbers) {
    if constexpr (format_options<F>::judged)
        return first_fault(e, document, ctx, granted, form);
    else
        return e;
}

/// Opens the input of a reader of F, without its frame; false with an error pending.
template <class F>
bool open_input(unframed_bytes& input, PyObject* data, context& ctx, const typename F::reader::dialect& granted) {
    if (input.open(data, F::is_text)) return input.unframe(data, ctx.limits);
    if constexpr (format_options<F>::judged) refuse_input(data, ctx, granted);
    return false;
}

/// Whether documents may hold comments, which no boundary between documents knows: then an input is one document.
template <class D>
bool has_comments(const D& granted) {
    if constexpr (requires { granted.comments; })
        return granted.comments;
    else
        return false;
}

/// "'json', 'msgpack'": the names of all formats, or of a format's dialects, for an error.
std::string format_names();
template <class D, std::size_t N>
std::string dialect_names(const named<D> (&all)[N]) {
    std::string names;
    for (const named<D>& d : all) names += std::string(names.empty() ? "'" : ", '") + std::string(d.name) + "'";
    return names;
}

/// The text of an argument that names a format; false with an error pending where no format has the name.
bool read_format(const char* argument, PyObject* value, std::string_view& name);

/// The dialect that `value` names; where it names none (null, None) what `otherwise` is. False with an error pending.
template <class F, class D, std::size_t N>
bool read_dialect_name(const char* argument, PyObject* value, const named<D> (&all)[N], D& out) {
    if (value == nullptr || value == Py_None) return true;
    if (PyUnicode_Check(value)) {
        for (const named<D>& d : all) {
            if (PyUnicode_CompareWithASCIIString(value, d.name.data()) != 0) continue;
            out = *d.dialect;
            return true;
        }
    }
    PyErr_Format(PyExc_ValueError, "%s of '%s' is one of %s", argument, F::name.data(), dialect_names(all).c_str());
    return false;
}

}  // namespace kumihimo::inline v0::python
