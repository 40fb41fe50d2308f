#include "src/lazy.hpp"

#include <nanobind/stl/string.h>

#include <memory>
#include <new>
#include <string>

#include "engine/tape/cursor.hpp"
#include "engine/tape/lookup.hpp"
#include "engine/tape/pick.hpp"
#include "src/arguments.hpp"
#include "src/build.hpp"
#include "src/docs.hpp"
#include "src/format_options.hpp"
#include "src/guard.hpp"
#include "src/numbers.hpp"
#include "src/state.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace kumihimo::inline v0::python {
namespace {

// How the document is read: its format and the dialect, which the template knows.
struct reading {
    virtual ~reading() = default;
    virtual const char* format() const noexcept = 0;
    virtual bool open(unframed_bytes& input, PyObject* data, context& ctx) const = 0;
    virtual errc feed(bytes input, context& ctx, noting<tape::recorder>& to) const = 0;
    virtual errc feed_places(bytes input, context& ctx, tape::recorder& to) const = 0;
    // What the calls of this format say of the document after `e`, and whether `found` numbers were doubtful.
    virtual errc judged(errc e, bool found, bytes input, context& ctx) const = 0;
    virtual bool any_text() const noexcept = 0;
};
template <class F>
struct reading_of : reading {
    using dialect = typename F::reader::dialect;
    explicit reading_of(const dialect& dialect) : granted(dialect) {}
    const char* format() const noexcept override { return F::name.data(); }
    bool open(unframed_bytes& input, PyObject* data, context& ctx) const override {
        return open_input<F>(input, data, ctx, granted);
    }
    errc feed(bytes input, context& ctx, noting<tape::recorder>& to) const override {
        typename F::reader from(input, ctx, granted);
        return from.feed(to);
    }
    errc feed_places(bytes input, context& ctx, tape::recorder& to) const override {
        typename F::reader from(input, ctx, granted);
        return from.feed(to);
    }
    errc judged(errc e, bool found, bytes input, context& ctx) const override {
        if (e != errc::ok) return fault_of<F>(e, input, ctx, granted);
        if constexpr (format_options<F>::judged)
            if (found) return judge(input, ctx, granted);
        return e;
    }
    bool any_text() const noexcept override { return lets_any_text(granted); }
    dialect granted;
};

// Shared by every node of one document. The input is held, so nothing of it is copied.
struct document {
    nb::object held;
    unframed_bytes input;
    context ctx;
    std::unique_ptr<const reading> format_reader;
    std::unique_ptr<noting<tape::recorder>> tape;
    tape::view view;
    tape::element_marks marks;
    tape::kept_spans spans;
    build_options options;
    state* module_state = nullptr;
};

using shared = std::shared_ptr<document>;

PyObject* checked(PyObject* o) {
    if (o == nullptr) throw nb::python_error();
    return o;
}

// The whole value at a place, as loads() would have made it.
nb::object value_of(const shared& d, tape::cursor at) {
    context ctx;
    ctx.limits = d->ctx.limits;
    builder to(ctx, d->module_state->keys, d->options);
    errc e;
    {
        collector_pause pause;
        if (d->input.get().size() > long_document) to.look_round(&pause);
        tape::player from = at.play();
        e = from.feed(to);
    }
    if (e != errc::ok) {
        raise_decode(ctx, e, d->input.shown(d->held.ptr()), d->input.get(), d->format_reader->format());
        throw nb::python_error();
    }
    return nb::steal(to.take());
}

// The exact bytes of a place. The tape does not keep them, since few ask; for the first who does the document is read
// once more, with places, which are kept.
bytes raw_of(document& d, std::size_t wanted) {
    tape::span s;
    if (d.spans.known()) {
        s = d.spans.span_of(wanted);
    } else {
        context ctx;
        ctx.limits = d.ctx.limits;
        tape::recorder again(ctx, d.input.get(), true);
        tape::view found;
        if (d.format_reader->feed_places(d.input.get(), ctx, again) != errc::ok || again.finish(found) != errc::ok) return {};
        s = found.spans[wanted];
        d.spans.keep(found);
    }
    return d.input.get().subspan(s.begin, s.end - s.begin);
}

class lazy;
nb::object node_or_value(const shared& d, tape::cursor at);

class iterator {
public:
    enum class what { values, keys, items };
    iterator(shared d, tape::cursor first, what wanted, bool map)
        : document_(std::move(d)), at_(first), wanted_(wanted), map_(map) {}

    nb::object next() {
        if (!at_) throw nb::stop_iteration();
        const tape::cursor k = at_;
        const tape::cursor v = map_ ? k.next() : k;
        nb::object out;
        if (wanted_ == what::keys) {
            out = value_of(document_, k);
        } else if (wanted_ == what::values) {
            out = node_or_value(document_, v);
        } else {
            out = nb::make_tuple(value_of(document_, k), node_or_value(document_, v));
        }
        at_ = v.next();
        return out;
    }

private:
    shared document_;
    tape::cursor at_;
    what wanted_;
    bool map_;
};

class lazy {
public:
    lazy(shared d, tape::cursor at) : document_(std::move(d)), at_(at) {}

    bool map() const { return at_.is(tape::kind::map); }
    bool array() const { return at_.is(tape::kind::array); }

    std::size_t size() const {
        if (!map() && !array()) throw nb::type_error("only an object or an array has a length");
        return at_.size();
    }

    nb::object get(nb::handle key) {
        if (PyUnicode_Check(key.ptr())) {
            if (!map())
                throw nb::type_error(array() ? "an array is indexed with an int, not with a str" : "this is not an object");
            const tape::cursor found = find(key);
            if (!found) {
                PyErr_SetObject(PyExc_KeyError, key.ptr());
                throw nb::python_error();
            }
            return node_or_value(document_, found);
        }
        if (!array()) throw nb::type_error(map() ? "an object is indexed with a str" : "this is not an array");
        if (PySlice_Check(key.ptr())) {
            Py_ssize_t start, stop, step;
            if (PySlice_Unpack(key.ptr(), &start, &stop, &step) != 0) throw nb::python_error();
            const Py_ssize_t n = PySlice_AdjustIndices(static_cast<Py_ssize_t>(at_.size()), &start, &stop, step);
            nb::list out;
            for (Py_ssize_t i = 0; i < n; ++i)
                out.append(node_or_value(document_, element(static_cast<std::size_t>(start + i * step))));
            return out;
        }
        if (!PyIndex_Check(key.ptr())) throw nb::type_error("an array is indexed with an int");
        Py_ssize_t i = PyNumber_AsSsize_t(key.ptr(), PyExc_IndexError);
        if (i == -1 && PyErr_Occurred()) throw nb::python_error();
        const auto n = static_cast<Py_ssize_t>(at_.size());
        if (i < 0) i += n;
        if (i < 0 || i >= n) throw nb::index_error("the array has no such element");
        return node_or_value(document_, element(static_cast<std::size_t>(i)));
    }

    nb::object get_or(nb::handle key, nb::object otherwise) {
        if (!map()) throw nb::type_error("this is not an object");
        const tape::cursor found = PyUnicode_Check(key.ptr()) ? find(key) : tape::cursor();
        return found ? node_or_value(document_, found) : otherwise;
    }

    bool contains(nb::handle key) {
        if (map()) return PyUnicode_Check(key.ptr()) && find(key);
        if (!array()) throw nb::type_error("only an object or an array contains something");
        for (tape::cursor c = at_.first(); c; c = c.next())
            if (value_of(document_, c).equal(key)) return true;
        return false;
    }

    iterator each(iterator::what wanted) const {
        if (!map() && !array()) throw nb::type_error("only an object or an array can be iterated over");
        if (array() && wanted != iterator::what::values) throw nb::type_error("an array has no keys");
        return iterator(document_, at_.first(), wanted, map());
    }

    // The values that a path leads to from here, as partial() gives them: a list where the path has a [*].
    nb::object pick(const std::string& path, nb::object missing, bool raw) const {
        context ctx;
        json::path steps;
        if (json::parse(path, steps, ctx) != errc::ok) {
            const std::string where =
                ctx.failure.offset == failure::nowhere ? "" : ", at byte " + std::to_string(ctx.failure.offset) + " of it";
            throw nb::value_error(("the path \"" + path + "\" is not valid: " + ctx.failure.what + where).c_str());
        }
        tape::picker by;
        stack<tape::cursor> found;
        if (by.run(at_, steps, found, ctx) != errc::ok) throw std::bad_alloc();
        const auto made = [&](tape::cursor c) -> nb::object {
            if (!c) return missing;
            if (!raw) return value_of(document_, c);
            const bytes b = raw_of(*document_, c.index());
            return nb::bytes(reinterpret_cast<const char*>(b.data()), b.size());
        };
        bool wild = false;
        for (const json::step& s : steps) wild = wild || s.type == json::step::kind::each;
        if (!wild) return made(found[0]);
        nb::list all;
        for (std::size_t i = 0; i < found.size(); ++i) all.append(made(found[i]));
        return all;
    }

    nb::object value() const { return value_of(document_, at_); }

    nb::bytes raw() const {
        const bytes b = raw_of(*document_, at_.index());
        return nb::bytes(reinterpret_cast<const char*>(b.data()), b.size());
    }

    const char* type() const { return tape::name_of(at_.is()); }

    nb::object repr() const {
        const bytes b = raw_of(*document_, at_.index());
        const std::size_t shown = b.size() > 60 ? 60 : b.size();
        const nb::object text = nb::steal(
            checked(PyUnicode_DecodeUTF8(reinterpret_cast<const char*>(b.data()), static_cast<Py_ssize_t>(shown), "replace")));
        return nb::str("<kumihimo.Lazy {}{}>").format(text, shown < b.size() ? "..." : "");
    }

private:
    tape::cursor find(nb::handle key) const {
        Py_ssize_t n = 0;
        const char* p = PyUnicode_AsUTF8AndSize(key.ptr(), &n);
        if (p == nullptr) {
            PyErr_Clear();  // half a surrogate pair: no document has such a key
            return {};
        }
        return at_[std::string_view(p, static_cast<std::size_t>(n))];
    }

    // An array is usually walked forwards, by index too: go on from where the last one was found.
    tape::cursor element(std::size_t i) {
        if (last_ && i >= last_index_ && i - last_index_ <= tape::element_marks::every && !at_.flat()) {
            for (std::size_t k = last_index_; k < i; ++k) last_ = last_.next();
        } else {
            last_ = document_->marks.find(document_->view, at_, i);
        }
        last_index_ = i;
        return last_;
    }

    shared document_;
    tape::cursor at_;
    tape::cursor last_;
    std::size_t last_index_ = 0;
};

nb::object node_or_value(const shared& d, tape::cursor at) {
    if (at.is(tape::kind::map) || at.is(tape::kind::array)) return nb::cast(lazy(d, at));
    return value_of(d, at);
}

constexpr const char* names[] = {"data", "decimal", "allow_nan", "relaxed", "unique_keys", "depth", "format", "dialect"};

lazy open(state& s, nb::object data, std::unique_ptr<const reading> format_reader, bool decimals, const context& asked) {
    auto d = std::make_shared<document>();
    d->module_state = &s;
    d->ctx.limits = asked.limits;
    d->format_reader = std::move(format_reader);
    d->options.decimals = decimals;
    d->options.any_text = d->format_reader->any_text();
    if (!d->format_reader->open(d->input, data.ptr(), d->ctx)) throw nb::python_error();
    d->held = std::move(data);
    const bytes input = d->input.get();
    d->tape = std::make_unique<noting<tape::recorder>>(decimals, nullptr, d->ctx, input);
    errc e;
    if (input.size() < long_document) {
        e = d->format_reader->feed(input, d->ctx, *d->tape);
    } else {
        unlocked free;
        d->tape->work_outside(&free);
        e = d->format_reader->feed(input, d->ctx, *d->tape);
        d->tape->work_outside(nullptr);
    }
    if (e == errc::ok) e = d->tape->finish(d->view);
    if (e != errc::ok || d->tape->found()) [[unlikely]]
        e = d->format_reader->judged(e, d->tape->found(), input, d->ctx);
    if (e != errc::ok) {
        raise_decode(d->ctx, e, d->input.shown(d->held.ptr()), input, d->format_reader->format());
        throw nb::python_error();
    }
    const tape::cursor root(d->view);
    return lazy(std::move(d), root);
}

// The dialect by its name, or by the options of loads, which are JSON's; null with an error pending.
template <class F>
std::unique_ptr<const reading> reading_by(PyObject* const* v, bool& decimals) {
    convert_options o;
    if (!read_flag(v[1], o.decimal) || !read_flag(v[2], o.non_finite) || !read_flag(v[3], o.relaxed) ||
        !read_flag(v[4], o.unique_keys))
        return nullptr;
    if (!format_options<F>::takes_flags && (o.relaxed || o.non_finite || o.unique_keys)) {
        PyErr_Format(PyExc_ValueError, "relaxed, allow_nan and unique_keys say how JSON is read: the format is '%s'",
                     F::name.data());
        return nullptr;
    }
    auto granted = format_options<F>::converted_from(o);
    if (!read_dialect_name<F>("dialect", v[7], F::read_dialects, granted)) return nullptr;
    decimals = exact_numbers(granted, o.decimal);
    if constexpr (requires { granted.decimal_digits; }) granted.decimal_digits = decimals;
    if (decimals && !package_attribute("decimal", "Decimal")) return nullptr;
    return std::make_unique<const reading_of<F>>(granted);
}

}  // namespace

PyObject* open_lazy(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
    context ctx;
    PyObject* v[std::size(names)] = {};
    std::string_view format = usual_format;
    if (!read_arguments("lazy", args, given, kwnames, names, 1, 1, v) || !read_depth(v[5], ctx) ||
        (v[6] != nullptr && !read_format("format", v[6], format)))
        return nullptr;
    try {
        std::unique_ptr<const reading> format_reader;
        bool decimals = false;
        visit_format(format, [&](auto row) { format_reader = reading_by<decltype(row)>(v, decimals); });
        if (!format_reader) return nullptr;
        return nb::cast(open(state_of(self), nb::borrow(v[0]), std::move(format_reader), decimals, ctx)).release().ptr();
    } catch (nb::python_error& e) {
        e.restore();
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    }
    return nullptr;
}

void add_lazy(nb::module_& m) {
    nb::class_<iterator>(m, "LazyIterator")
        .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
        .def("__next__", &iterator::next);
    nb::class_<lazy>(
        m, "Lazy",
        "A value of a document that was read, checked, and not turned into Python objects yet. Made by kumihimo.lazy().\n\n"
        "Indexing gives a str, int, float, bool or None as it is, and another Lazy for an object or an array.")
        .def("__getitem__", &lazy::get, "key"_a)
        .def("get", &lazy::get_or, "key"_a, "default"_a = nb::none(), "The value of a key, or `default`.")
        .def("__contains__", &lazy::contains, "key"_a)
        .def("__len__", &lazy::size)
        .def("__iter__", [](const lazy& l) { return l.each(l.map() ? iterator::what::keys : iterator::what::values); })
        .def(
            "keys", [](const lazy& l) { return l.each(iterator::what::keys); },
            "The keys of an object, in the document's order.")
        .def(
            "values", [](const lazy& l) { return l.each(iterator::what::values); }, "The values of an object or array.")
        .def(
            "items", [](const lazy& l) { return l.each(iterator::what::items); }, "Pairs of key and value.")
        .def("pick", &lazy::pick, "path"_a, "default"_a = nb::none(), "raw"_a = false,
             "The value that a path of partial() leads to from here, `default` where there is none; a list for a path with "
             "[*].\n\n"
             "raw: its own bytes in place of an object.")
        .def("value", &lazy::value, "All of it as Python objects, as loads() would have made them.")
        .def("__bytes__", &lazy::raw)
        .def("__repr__", &lazy::repr)
        .def_prop_ro("raw", &lazy::raw, "The exact bytes of the document that this value is.")
        .def_prop_ro("type", &lazy::type, "'object', 'array', 'string', 'number', 'boolean' or 'null'.");
}

}  // namespace kumihimo::inline v0::python
