#include "src/any_convert.hpp"

#include <nanobind/nanobind.h>

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "engine/core/pipe.hpp"
#include "src/arguments.hpp"
#include "src/buffer.hpp"
#include "src/docs.hpp"
#include "src/exclusive.hpp"
#include "src/format_options.hpp"

namespace nb = nanobind;

namespace kumihimo::inline v0::python {

namespace {

constexpr const char* convert_names[] = {"data",       "source",    "target",      "depth",          "decimal",        "big",
                                         "relaxed",    "allow_nan", "unique_keys", "source_dialect", "target_dialect", "frame",
                                         "frame_level"};

// Runs without the GIL: neither end is a host's. A bytearray stays locked by its buffer meanwhile.
template <class From, class To>
errc convert_document(bytes input, const typename From::reader::dialect& granted,
                      const typename format_options<To>::dialect& dialect, bool decimal, bytes_buffer& out, context& ctx,
                      unlocked& outside, bool& found) {
    typename From::reader from(input, ctx, granted);
    noting<typename To::template writer<bytes_buffer>> to(decimal, &outside, out, ctx, dialect);
    bytes whole;
    KUMIHIMO_TRY(pipe(from, to, whole));
    found = to.found();
    return errc::ok;
}

template <class From, class To>
PyObject* convert_between(PyObject* const* v, const convert_options& o, context& ctx) {
    auto granted = format_options<From>::converted_from(o);
    auto dialect = format_options<To>::converted_to(o);
    if (!read_dialect_name<From>("source_dialect", v[9], From::read_dialects, granted) ||
        !read_dialect_name<To>("target_dialect", v[10], To::write_dialects, dialect))
        return nullptr;
    const bool decimal = exact_numbers(granted, false);
    const frame::codec* frame = nullptr;
    int level = frame::usual_level;
    if (!read_frame(v[11], frame) || !read_frame_level(v[12], frame, level)) return nullptr;
    unframed_bytes input;
    if (!open_input<From>(input, v[0], ctx, granted)) return nullptr;
    bytes_buffer out;
    errc e;
    bool doubtful = false;
    {
        unlocked free;
        out.work_outside(&free);
        e = convert_document<From, To>(input.get(), granted, dialect, decimal, out, ctx, free, doubtful);
        out.work_outside(nullptr);
    }
    if constexpr (format_options<From>::judged) {
        if (e == errc::ok && doubtful && !o.digits_as_text) [[unlikely]]
            e = judge(input.get(), ctx, granted);
        else if (e != errc::ok)
            e = fault_of<From>(e, input.get(), ctx, granted, o.digits_as_text ? digits::as_text : digits::as_numbers);
    }
    if (e != errc::ok) {
        raise_decode(ctx, e, input.shown(v[0]), input.get(), From::name.data());
        return nullptr;
    }
    return framed(out.take(), frame, level);
}

}  // namespace

PyObject* convert(PyObject*, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
    context ctx;
    PyObject* v[std::size(convert_names)] = {};
    int big = -1;
    convert_options o;
    static constexpr const char* lowerings[] = {"text"};
    if (!read_arguments("convert", args, given, kwnames, convert_names, 3, 4, v) || !read_depth(v[3], ctx) ||
        !read_flag(v[4], o.decimal) || !read_word("big", v[5], lowerings, big) || !read_flag(v[6], o.relaxed) ||
        !read_flag(v[7], o.non_finite) || !read_flag(v[8], o.unique_keys))
        return nullptr;
    if (v[1] == Py_None || v[2] == Py_None) {
        PyErr_Format(PyExc_TypeError, "convert(data, source, target): the formats are %s", format_names().c_str());
        return nullptr;
    }
    std::string_view source, target;
    if (!read_format("source", v[1], source) || !read_format("target", v[2], target)) return nullptr;
    bool takes_flags = false;
    visit_format(source, [&](auto from) { takes_flags = format_options<decltype(from)>::takes_flags; });
    if (!takes_flags && (o.relaxed || o.non_finite || o.unique_keys)) {
        PyErr_Format(PyExc_ValueError, "relaxed, allow_nan and unique_keys say how JSON is read: the source is '%s'",
                     source.data());
        return nullptr;
    }
    if (o.decimal && !package_attribute("decimal", "Decimal")) return nullptr;
    o.digits_as_text = big == 0;
    PyObject* made = nullptr;
    visit_format(source, [&](auto from) {
        visit_format(target, [&](auto to) { made = convert_between<decltype(from), decltype(to)>(v, o, ctx); });
    });
    return made;
}

namespace {

constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Documents of a stream, one behind the other, from a format into another as they become whole. Text documents get a
// line each.
//
//      | seen, not whole yet ... |  + chunk  ->  whole documents are written, the rest is kept
class converter {
public:
    explicit converter(const context& asked) : limits_(asked.limits) {}
    virtual ~converter() = default;

    nb::object feed(nb::handle chunk) { return run(chunk, false); }
    nb::object finish() { return run(nb::handle(), true); }
    std::uint64_t documents() const noexcept { return documents_; }

protected:
    /// Writes the documents that are whole, at the stream's end also the last; errc::host with an error pending.
    virtual errc work(bool ended, bytes_buffer& out, unlocked& outside, context& ctx) = 0;
    virtual const char* source() const noexcept = 0;
    virtual errc judged(errc e, bytes document, context& ctx) = 0;
    /// The sentence without convert()'s arguments, which raise_decode() advises: here a dialect is the remedy.
    virtual const char* without_advice(const char* what) const noexcept = 0;

    /// Gives `send` each document that is whole by now; all there is at its end, where it is one document `alone`.
    template <class From, class F>
    errc documents_of(typename From::boundary& where, bool alone, bool ended, context& ctx, F send) {
        if (alone) {
            seen_ = at_hand_.size();
            if (seen_ > limits_.size) return ctx.fail(errc::size, 0, "the document is larger than the limit");
            if (!ended || seen_ == 0) return errc::ok;
            KUMIHIMO_TRY(send({reinterpret_cast<const unsigned char*>(at_hand_.data()), seen_}));
            ++documents_;
            begin_ = seen_;
            return errc::ok;
        }
        for (;;) {
            if constexpr (From::is_text) {
                // White space before a document belongs to none: places in errors count from where it begins.
                while (seen_ == begin_ && begin_ != at_hand_.size() && is_blank(at_hand_[begin_])) seen_ = ++begin_;
            }
            while (!where.complete && seen_ != at_hand_.size())
                seen_ += where.next(at_hand_.data() + seen_, at_hand_.size() - seen_);
            if (seen_ - begin_ > limits_.size) return ctx.fail(errc::size, 0, "the document is larger than the limit");
            if (!where.complete && !(ended && where.started())) return errc::ok;
            const bytes document(reinterpret_cast<const unsigned char*>(at_hand_.data()) + begin_, seen_ - begin_);
            KUMIHIMO_TRY(send(document));
            ++documents_;
            begin_ = seen_;
            where = {};
        }
    }

    limits limits_;
    std::string at_hand_;
    std::size_t begin_ = 0, seen_ = 0;
    std::uint64_t before_ = 0, documents_ = 0;  // bytes of the stream before at_hand_; documents written
    std::size_t written_ = 0;                   // bytes of this call's output that are whole documents
    bool stopped_ = false;

private:
    nb::object run(nb::handle chunk, bool ended) {
        const exclusive::use alone(at_work_);
        if (stopped_) throw nb::value_error("this converter has ended");
        if (pending_ != errc::ok) {
            stopped_ = true;
            fail(pending_, pending_ctx_);
        }
        if (!ended) {
            input_bytes piece;
            if (!piece.open(chunk.ptr(), true)) throw nb::python_error();
            at_hand_.erase(0, begin_);
            before_ += begin_;
            seen_ -= begin_;
            begin_ = 0;
            at_hand_.append(reinterpret_cast<const char*>(piece.get().data()), piece.get().size());
        }
        bytes_buffer out;
        written_ = 0;
        context ctx;
        ctx.limits = limits_;
        errc e;
        {
            unlocked outside;
            out.work_outside(&outside);
            e = work(ended, out, outside, ctx);
            out.work_outside(nullptr);
        }
        const std::size_t whole = e == errc::ok ? out.size() : written_;
        if (e != errc::ok && !ended && whole != 0) {
            // What came before the bad document is given first, however the stream was cut; the next call raises.
            pending_ = e;
            pending_ctx_ = std::move(ctx);
            e = errc::ok;
        }
        stopped_ = ended || e != errc::ok;
        if (e != errc::ok) fail(e, ctx);
        PyObject* const made = out.take(whole);
        if (made == nullptr) throw nb::python_error();
        return nb::steal(made);
    }
    exclusive at_work_;
    errc pending_ = errc::ok;  // of the document at begin_
    context pending_ctx_;
    // Raises; the error knows where in the stream the document begins (`start`) and how many came before it
    // (`document`).
    [[noreturn]] void fail(errc e, context& ctx) {
        bytes document(reinterpret_cast<const unsigned char*>(at_hand_.data()) + begin_, seen_ - begin_);
        if (e != errc::size) e = judged(e, document, ctx);
        if (e == errc::unsupported) ctx.failure.what = without_advice(ctx.failure.what);
        raise_decode(ctx, e, nullptr, document, source());
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyErr_NormalizeException(&type, &value, &trace);
        const ref start(PyLong_FromUnsignedLongLong(before_ + begin_)), number(PyLong_FromUnsignedLongLong(documents_));
        if (value == nullptr || !start || !number || PyObject_SetAttrString(value, "start", start.get()) != 0 ||
            PyObject_SetAttrString(value, "document", number.get()) != 0)
            PyErr_Clear();
        PyErr_Restore(type, value, trace);
        throw nb::python_error();
    }
};

template <class From, class To>
class converter_between final : public converter {
public:
    using granted = typename From::reader::dialect;
    using dialect = typename format_options<To>::dialect;
    converter_between(const granted& from, const dialect& to, const context& asked)
        : converter(asked), granted_(from), dialect_(to) {}

private:
    errc work(bool ended, bytes_buffer& out, unlocked& outside, context& ctx) override {
        return documents_of<From>(where_, has_comments(granted_), ended, ctx, [&](bytes document) -> errc {
            bool found = false;
            KUMIHIMO_TRY((convert_document<From, To>(document, granted_, dialect_, exact_numbers(granted_, false), out, ctx,
                                                     outside, found)));
            if constexpr (To::is_text) {
                char* const p = out.reserve(1);
                if (p == nullptr) return ctx.fail(errc::memory, failure::nowhere, "out of memory");
                *p = '\n';
                out.commit(p + 1);
            }
            written_ = out.size();
            return errc::ok;
        });
    }
    const char* source() const noexcept override { return From::name.data(); }
    errc judged(errc e, bytes document, context& ctx) override {
        return fault_of<From>(e, document, ctx, granted_, digits::as_text);
    }
    const char* without_advice(const char* what) const noexcept override { return format_options<To>::without_advice(what); }

    granted granted_;
    dialect dialect_;
    typename From::boundary where_;
};

struct held_converter {
    std::unique_ptr<converter> held;
};

template <class From, class To>
std::unique_ptr<converter> converter_of(PyObject* source_dialect, PyObject* target_dialect, const context& asked) {
    // Between texts the digits of a number stay as they are.
    const convert_options o{.decimal = From::is_text && To::is_text};
    auto granted = format_options<From>::converted_from(o);
    auto dialect = format_options<To>::streamed_to();
    if (!read_dialect_name<From>("source_dialect", source_dialect, From::read_dialects, granted) ||
        !read_dialect_name<To>("target_dialect", target_dialect, To::write_dialects, dialect))
        throw nb::python_error();
    if constexpr (requires { granted.decimal_digits; }) granted.decimal_digits |= o.decimal;
    return std::make_unique<converter_between<From, To>>(granted, dialect, asked);
}

held_converter open_converter(nb::handle source, nb::handle target, nb::handle source_dialect, nb::handle target_dialect,
                              std::size_t depth, std::size_t size) {
    context asked;
    asked.limits.depth = depth;
    asked.limits.size = size;
    std::string_view from_name, to_name;
    if (!read_format("source", source.ptr(), from_name) || !read_format("target", target.ptr(), to_name))
        throw nb::python_error();
    held_converter made;
    visit_format(from_name, [&](auto from) {
        visit_format(to_name, [&](auto to) {
            made.held = converter_of<decltype(from), decltype(to)>(source_dialect.ptr(), target_dialect.ptr(), asked);
        });
    });
    return made;
}

nb::object name_or_none(std::string_view name) {
    return name.empty() ? nb::object(nb::none()) : nb::object(nb::str(name.data(), name.size()));
}

}  // namespace

void add_converter(nb::module_& m) {
    using namespace nb::literals;
    m.def(
        "format_of_bytes",
        [](nb::handle data) -> nb::object {
            input_bytes input;
            if (!input.open(data.ptr(), true)) throw nb::python_error();
            return name_or_none(format_of(input.get()));
        },
        "data"_a, "The name of the format that a document's first bytes tell, or None.");
    m.def(
        "format_of_media_type", [](const char* type) { return name_or_none(format_of_media_type(type)); }, "type"_a,
        "The name of the format with that media type, which may have parameters, or None.");
    m.def(
        "format_of_path",
        [](nb::handle path) {
            PyObject* as_bytes = nullptr;
            if (PyUnicode_FSConverter(path.ptr(), &as_bytes) == 0) throw nb::python_error();
            const ref held(as_bytes);
            return name_or_none(
                format_of_path({PyBytes_AS_STRING(as_bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(as_bytes))}));
        },
        "path"_a, "The name of the format whose ending a path has, or None.");
    nb::class_<held_converter>(
        m, "Converter",
        "Documents of a stream, one behind the other, from a format into another. What is text gets a line each.")
        .def(
            "__init__",
            [](held_converter* self, nb::handle source, nb::handle target, nb::handle source_dialect, nb::handle target_dialect,
               std::size_t depth, std::size_t size) {
                new (self) held_converter(open_converter(source, target, source_dialect, target_dialect, depth, size));
            },
            "source"_a, "target"_a, "source_dialect"_a = nb::none(), "target_dialect"_a = nb::none(),
            "depth"_a = std::size_t{1024}, "size"_a = limits{}.size)
        .def(
            "feed", [](held_converter& c, nb::handle chunk) { return c.held->feed(chunk); }, "chunk"_a,
            "What the documents are that became whole with `chunk`, as bytes.")
        .def(
            "finish", [](held_converter& c) { return c.held->finish(); }, "The last of it; what is not whole raises.")
        .def_prop_ro(
            "documents", [](const held_converter& c) { return c.held->documents(); }, "How many documents were written.");
}

}  // namespace kumihimo::inline v0::python
