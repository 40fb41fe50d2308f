#include "src/document_stream.hpp"

#include <memory>
#include <new>
#include <optional>
#include <string>

#include "engine/frame/plain_stream.hpp"
#include "src/arguments.hpp"
#include "src/build.hpp"
#include "src/docs.hpp"
#include "src/exclusive.hpp"
#include "src/format_options.hpp"
#include "src/guard.hpp"
#include "src/state.hpp"

namespace nb = nanobind;

namespace kumihimo::inline v0::python {
namespace {

// What is at hand and not yet given out, whole documents and the beginning of the next:
//
//      | given out | document | document | docum        begin_ is behind what was given out, seen_ behind what the boundary saw
//
// Offsets in errors count from the start of the stream.
class document_stream {
public:
    document_stream(state& s, nb::object source, nb::object read, const build_options& options, const context& asked)
        : state_(s), source_(std::move(source)), read_(std::move(read)), options_(options), limits_(asked.limits) {}
    virtual ~document_stream() = default;

    nb::object next() {
        const exclusive::use alone(at_work_);
        return next_document();
    }

    // What the collector asks: a source or a hook may hold the stream that it belongs to.
    int visit(visitproc visit, void* arg) {
        Py_VISIT(source_.ptr());
        Py_VISIT(read_.ptr());
        Py_VISIT(held_.ptr());
        return 0;
    }
    void let_go() {
        stopped_ = let_go_ = true;
        options_.ext_hook = nullptr;
        source_.reset();
        read_.reset();
        piece_.reset();
        held_.reset();
    }

protected:
    virtual nb::object next_document() = 0;

    // More of the stream behind what is at hand; false at its end.
    bool fill() {
        if (ended_) return false;
        if (begin_ != 0) {
            at_hand_.erase(0, begin_);
            before_ += begin_;
            seen_ -= begin_;
            begin_ = 0;
        }
        for (;;) {
            bytes text;
            if (const errc e = next_text(text); e != errc::ok) {
                stopped_ = true;
                raise_decode(plain_.said(), e, nullptr, {}, plain_.found() == nullptr ? "" : plain_.found()->name.data());
                throw nb::python_error();
            }
            at_hand_.append(reinterpret_cast<const char*>(text.data()), text.size());
            if (!text.empty()) return true;
            if (read_all_) {
                ended_ = true;
                piece_.reset();
                held_.reset();
                return false;
            }
            read_more();
        }
    }

    errc next_text(bytes& text) {
        if (plain_.found() == nullptr) return plain_.next(text);
        const unlocked free;
        return plain_.next(text);
    }

    // The next piece of the source, which lives until its text is taken.
    void read_more() {
        piece_.reset();
        if (read_.is_valid()) {
            held_ = read_(chunk);
            if (held_.is_none())
                throw nb::type_error("the stream has nothing to read now: each_document() needs one that waits");
        } else {
            held_ = source_;
        }
        piece_.emplace();
        if (!piece_->open(held_.ptr(), true)) throw nb::python_error();
        if (piece_->get().empty() && read_.is_valid()) {
            plain_.end();
            read_all_ = true;
            return;
        }
        plain_.push(piece_->get());
        if (read_.is_valid()) return;
        plain_.end();
        read_all_ = true;
    }

    // White space before a document belongs to none: places in errors count from where it begins.
    void skip_blank() noexcept {
        const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
        while (seen_ == begin_ && begin_ != at_hand_.size() && blank(at_hand_[begin_])) seen_ = ++begin_;
    }

    static constexpr int chunk = 256 << 10;
    exclusive at_work_;
    state& state_;
    nb::object source_;
    nb::object read_;  // the stream's read(); not valid where the source is bytes
    build_options options_;
    limits limits_;
    nb::object held_;  // what was read last
    std::optional<input_bytes> piece_;
    frame::plain_stream plain_;
    bool read_all_ = false;
    std::string at_hand_;
    std::size_t begin_ = 0, seen_ = 0;
    std::uint64_t before_ = 0;  // bytes of the stream before at_hand_
    bool ended_ = false;
    bool stopped_ = false;  // by an error, or at the end
    bool let_go_ = false;   // by the collector
};

template <class F>
class stream_of final : public document_stream {
public:
    using dialect = typename F::reader::dialect;
    template <class... T>
    explicit stream_of(const dialect& granted, T&&... rest) : document_stream(std::forward<T>(rest)...), granted_(granted) {}

    nb::object next_document() override {
        if (stopped_) throw nb::stop_iteration();
        if (has_comments(granted_)) {
            while (fill()) {
            }
            seen_ = at_hand_.size();
            where_.complete = stopped_ = true;
            if (seen_ == begin_) throw nb::stop_iteration();
        }
        while (!where_.complete) {
            if constexpr (F::is_text) skip_blank();
            if (seen_ == at_hand_.size()) {
                if (fill()) continue;
                stopped_ = true;
                if (!where_.started()) throw nb::stop_iteration();
                break;  // a document that needs nothing behind it, or one that is cut: the reader says which
            }
            seen_ += where_.next(at_hand_.data() + seen_, at_hand_.size() - seen_);
            if (seen_ - begin_ > limits_.size) return refuse_size();
        }
        const bytes document(reinterpret_cast<const unsigned char*>(at_hand_.data()) + begin_, seen_ - begin_);
        where_ = {};
        const bool last = stopped_;
        stopped_ = true;  // an error ends the stream
        nb::object made = read(document);
        stopped_ = last || let_go_;
        begin_ = seen_;
        return made;
    }

private:
    nb::object read(bytes document) {
        context ctx;
        ctx.limits = limits_;
        errc e;
        {
            builder to(ctx, state_.keys, options_);
            typename F::reader from(document, ctx, granted_);
            const bool is_long = document.size() > long_document;
            if (options_.ext_hook == nullptr) {
                collector_pause pause;
                if (is_long) to.look_round(&pause);
                e = from.feed(to);
            } else {
                if (is_long) to.look_round(nullptr);
                e = from.feed(to);
            }
            if (e == errc::ok) [[likely]]
                return nb::steal(to.take());
        }
        e = fault_of<F>(e, document, ctx, granted_);
        raise_decode(ctx, e, nullptr, document, F::name.data());
        name_place();
        throw nb::python_error();
    }
    nb::object refuse_size() {
        stopped_ = true;
        context ctx;
        const errc e = ctx.fail(errc::size, 0, "the document is larger than the limit");
        raise_decode(ctx, e, nullptr, {}, F::name.data());
        name_place();
        throw nb::python_error();
    }
    // The pending error's offset counts from the document's start; `start` says where that is in the stream.
    void name_place() {
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyErr_NormalizeException(&type, &value, &trace);
        const ref start(PyLong_FromUnsignedLongLong(before_ + begin_));
        if (value == nullptr || !start || PyObject_SetAttrString(value, "start", start.get()) != 0) PyErr_Clear();
        PyErr_Restore(type, value, trace);
    }

    dialect granted_;
    typename F::boundary where_;
};

constexpr const char* names[] = {"source", "format", "dialect", "ext_hook", "non_str_keys", "decimal", "depth"};

struct holder {
    std::unique_ptr<document_stream> stream;
    nb::object hook;  // kept alive for build_options
};

int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    holder* const h = nb::inst_ptr<holder>(self);
    Py_VISIT(h->hook.ptr());
    return h->stream ? h->stream->visit(visit, arg) : 0;
}
int clear(PyObject* self) {
    if (!nb::inst_ready(self)) return 0;
    holder* const h = nb::inst_ptr<holder>(self);
    if (h->stream) h->stream->let_go();
    h->hook.reset();
    return 0;
}
PyType_Slot slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {Py_tp_clear, reinterpret_cast<void*>(clear)}, {0, nullptr}};

}  // namespace

PyObject* each_document(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
    context ctx;
    build_options options{.non_str_keys = false};
    PyObject* v[std::size(names)] = {};
    bool decimal = false;
    std::string_view name;
    if (!read_arguments("each_document", args, given, kwnames, names, 2, 3, v) || !read_format("format", v[1], name) ||
        !read_fallback(v[3], options.ext_hook) || !read_flag(v[4], options.non_str_keys) || !read_flag(v[5], decimal) ||
        !read_depth(v[6], ctx))
        return nullptr;
    try {
        nb::object source = nb::borrow(v[0]), read;
        if (nb::hasattr(source, "read")) read = source.attr("read");
        std::unique_ptr<document_stream> stream;
        visit_format(name, [&](auto row) {
            using rows = decltype(row);
            auto granted = format_options<rows>::read(decimal);
            if (!read_dialect_name<rows>("dialect", v[2], rows::read_dialects, granted)) return;
            options.decimals = exact_numbers(granted, decimal);
            options.any_text = lets_any_text(granted);
            if constexpr (requires { granted.decimal_digits; }) granted.decimal_digits = options.decimals;
            if (options.decimals && !package_attribute("decimal", "Decimal")) return;
            stream = std::make_unique<stream_of<rows>>(granted, state_of(self), source, read, options, ctx);
        });
        if (!stream) return nullptr;
        nb::object hook = options.ext_hook == nullptr ? nb::none() : nb::borrow(options.ext_hook);
        return nb::cast(holder{std::move(stream), std::move(hook)}).release().ptr();
    } catch (nb::python_error& e) {
        e.restore();
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    }
    return nullptr;
}

void add_document_stream(nb::module_& m) {
    nb::class_<holder>(m, "DocumentStream", nb::type_slots(slots),
                       "The documents of a stream, one after the other. Made by kumihimo.each_document().")
        .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
        .def("__next__", [](holder& h) { return h.stream->next(); });
}

}  // namespace kumihimo::inline v0::python
