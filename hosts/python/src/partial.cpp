#include "src/partial.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/json/project.hpp"
#include "src/build.hpp"
#include "src/frames.hpp"
#include "src/guard.hpp"
#include "src/partial_search.hpp"
#include "src/state.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace kumihimo::inline v0::python {
namespace {

class partial {
public:
    partial(state& s, std::vector<std::string> paths, nb::object names, const std::string& level, bool decimal,
            nb::object missing, bool raw, std::optional<std::size_t> depth, bool unique_keys, nb::handle format,
            nb::object dialect)
        : state_(s),
          paths_(std::move(paths)),
          names_(nb::steal<nb::object>(nb::handle())),
          missing_(std::move(missing)),
          dialect_(std::move(dialect)),
          decimal_(decimal),
          unique_keys_(unique_keys),
          raw_(raw),
          depth_(depth.value_or(context().limits.depth)) {
        level_ = level == "strict"       ? json::level::strict
                 : level == "structural" ? json::level::structural
                 : level == "trusted"    ? json::level::trusted
                                         : throw nb::value_error("level is one of 'strict', 'structural', 'trusted'");
        std::vector<std::string_view> views(paths_.begin(), paths_.end());
        context ctx;
        if (json::projection::compile(views, wanted_, ctx) != errc::ok) {
            const std::string place =
                ctx.failure.offset == failure::nowhere ? "" : ", at byte " + std::to_string(ctx.failure.offset) + " of it";
            throw nb::value_error(("the path \"" + ctx.failure.path + "\" is not valid: " + ctx.failure.what + place).c_str());
        }
        if (!names.is_none()) {
            names_ = nb::tuple(names);
            if (nb::len(names_) != wanted_.size()) throw nb::value_error("there must be one name for each path");
        }
        if (!read_format("format", format.ptr(), format_)) throw nb::python_error();
        visit_format(format_, [&](auto row) { by_ = reading_by<decltype(row)>(dialect_, decimal, unique_keys); });
        if (by_.decimals && !package_attribute("decimal", "Decimal")) throw nb::python_error();
        here_ = made();
        options_.decimals = by_.decimals;
        options_.any_text = here_->any_text();
    }

    nb::object call(nb::handle document) { return one_of(document, alone); }

    nb::list many(nb::handle documents) {
        const nb::object iterator = nb::steal(PyObject_GetIter(documents.ptr()));
        if (!iterator.is_valid()) throw nb::python_error();
        nb::list out;
        const std::unique_ptr<partial_search> own = made();
        if (!own->projects()) {  // what was found does not outlive its tape
            for (;;) {
                const nb::object next = nb::steal(PyIter_Next(iterator.ptr()));
                if (!next.is_valid()) break;
                out.append(one_of(next, nb::len(out)));
            }
            if (PyErr_Occurred()) throw nb::python_error();
            return out;
        }
        std::size_t done = 0;
        for (bool more = true; more;) {
            // A batch is taken under the GIL, projected without it, and built under it again.
            context ctx;
            ctx.limits.depth = depth_;
            std::vector<nb::object> held;
            std::vector<std::unique_ptr<unframed_bytes>> inputs;
            std::optional<nb::python_error> later;  // the documents before it are told about first
            std::size_t size = 0;
            while (held.size() < batch_documents && size < batch_bytes) {
                nb::object next = nb::steal(PyIter_Next(iterator.ptr()));
                auto input = std::unique_ptr<unframed_bytes>(new unframed_bytes);
                if (!next.is_valid() || !open(*input, next, ctx, done + held.size())) {
                    if (PyErr_Occurred()) later.emplace();
                    more = false;
                    break;
                }
                size += input->get().size();
                held.push_back(std::move(next));
                inputs.push_back(std::move(input));
            }
            std::vector<json::slice> found;
            std::vector<std::size_t> counts;
            errc e = errc::ok;
            std::size_t n = 0;
            std::vector<std::size_t> doubtful;
            {
                unlocked free;
                for (; n < inputs.size(); ++n) {
                    bool doubt = false;
                    e = own->run(inputs[n]->get(), ctx, &free, doubt);
                    if (e != errc::ok) break;
                    if (doubt) [[unlikely]]
                        doubtful.push_back(n);
                    for (std::size_t i = 0; i < wanted_.size(); ++i) {
                        const auto values = own->slices(i);
                        found.insert(found.end(), values.begin(), values.end());
                        counts.push_back(values.size());
                    }
                }
            }
            // They come before the document that was refused, if one was.
            for (const std::size_t d : doubtful) {
                context own_ctx;
                own_ctx.limits = ctx.limits;
                const bytes document = inputs[d]->get();
                if (const errc why = own->judged(errc::ok, true, document, own_ctx); why != errc::ok)
                    fail(own_ctx, why, held[d], *inputs[d], done + d);
            }
            if (e != errc::ok) fail(ctx, own->judged(e, false, inputs[n]->get(), ctx), held[n], *inputs[n], done + n);
            if (later) throw *std::move(later);
            const json::slice* next = found.data();
            std::size_t count = 0;
            kept values{*own, {}, {}};
            for (n = 0; n < inputs.size(); ++n) {
                values.document = inputs[n]->get();
                values.by_path.clear();
                for (std::size_t i = 0; i < wanted_.size(); ++i) {
                    values.by_path.emplace_back(next, counts[count]);
                    next += counts[count++];
                }
                out.append(build(values, held[n], *inputs[n], done + n));
            }
            done += inputs.size();
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
        }
        return out;
    }

    std::size_t size() const { return wanted_.size(); }
    bool named() const { return names_.is_valid(); }
    const std::vector<std::string>& paths() const { return paths_; }
    nb::object names() const { return named() ? names_ : nb::none(); }
    const char* level() const {
        return level_ == json::level::strict ? "strict" : level_ == json::level::structural ? "structural" : "trusted";
    }
    nb::str format() const { return nb::str(format_.data(), format_.size()); }
    /// What __init__ takes.
    nb::tuple arguments() const {
        return nb::make_tuple(paths_, names(), level(), decimal_, missing_, raw_, depth_, unique_keys_, format(), dialect_);
    }

private:
    std::unique_ptr<partial_search> made() const { return by_.make(wanted_, level_, by_.granted.get(), by_.decimals, raw_); }

    // The search of one call. Short documents share one that is made beforehand, and a call takes it away: in the
    // middle of it other threads may come in, and the collector may run Python code, and both may call this very
    // object.
    class lease {
    public:
        lease(partial& owner, bool is_long) : owner_(owner), is_long_(is_long) {
            if (!is_long) p_ = std::move(owner.here_);
            if (p_ == nullptr) p_ = owner.made();
        }
        lease(const lease&) = delete;
        lease& operator=(const lease&) = delete;
        ~lease() {
            if (is_long_) return;
            p_->forget();
            owner_.here_ = std::move(p_);
        }
        partial_search& operator*() const noexcept { return *p_; }

    private:
        partial& owner_;
        bool is_long_;
        std::unique_ptr<partial_search> p_;
    };

    // Of one document of many, what was found before.
    struct kept {
        partial_search& by;
        bytes document;
        std::vector<std::span<const json::slice>> by_path;

        std::size_t count(std::size_t i) const noexcept { return by_path[i].size(); }
        bool absent(std::size_t i, std::size_t k) const noexcept { return by_path[i][k].length == 0; }
        bool brief(std::size_t i, std::size_t k) const noexcept { return by_path[i][k].length < few_bytes; }
        bytes raw(std::size_t i, std::size_t k) const noexcept {
            return document.subspan(by_path[i][k].offset, by_path[i][k].length);
        }
        errc give(std::size_t i, std::size_t k, builder& to, context& ctx) { return by.give(document, by_path[i][k], to, ctx); }
    };

    static constexpr std::size_t small = std::size_t{256} << 10;
    static constexpr std::size_t batch_documents = 256;
    static constexpr std::size_t batch_bytes = std::size_t{4} << 20;

    static constexpr std::size_t alone = static_cast<std::size_t>(-1);  // a document that is not one of many

    nb::object one_of(nb::handle document, std::size_t index) {
        unframed_bytes input;
        context ctx;
        ctx.limits.depth = depth_;
        if (!open(input, document, ctx, index)) throw nb::python_error();
        const bytes whole = input.get();
        const bool is_long = whole.size() > small;
        const lease scratch(*this, is_long);
        partial_search& own = *scratch;
        errc e;
        bool doubtful = false;
        if (is_long) {  // long enough for other threads to care
            unlocked free;
            e = own.run(whole, ctx, &free, doubtful);
        } else {
            e = own.run(whole, ctx, nullptr, doubtful);
        }
        if (e != errc::ok || doubtful) [[unlikely]]
            e = own.judged(e, doubtful, whole, ctx);
        if (e != errc::ok) fail(ctx, e, document, input, index);
        return build(own, document, input, index);
    }

    [[noreturn, gnu::cold]] void fail(const context& ctx, errc e, nb::handle document, const unframed_bytes& input,
                                      std::size_t index) const {
        raise_decode(ctx, e, input.shown(document.ptr()), input.get(), format_.data());
        add_index(index);
        throw nb::python_error();
    }

    // False with an error pending.
    bool open(unframed_bytes& input, nb::handle document, context& ctx, std::size_t index) const {
        if (by_.open(input, document.ptr(), ctx, by_.granted.get())) [[likely]]
            return true;
        add_index(index);
        return false;
    }

    // Of the pending error, if it is about a document.
    [[gnu::cold]] static void add_index(std::size_t index) {
        if (index == alone || !PyErr_ExceptionMatches(PyExc_ValueError)) return;
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyErr_NormalizeException(&type, &value, &trace);
        const ref n(PyLong_FromSize_t(index));
        if (value != nullptr && n) PyObject_SetAttrString(value, "index", n.get());
        PyErr_Restore(type, value, trace);
    }

    template <class Found>
    nb::object build(Found& found, nb::handle object, const unframed_bytes& input, std::size_t index) {
        const auto n = static_cast<Py_ssize_t>(wanted_.size());
        const bool named = names_.is_valid();
        nb::object out = nb::steal(named ? PyDict_New() : PyTuple_New(n));
        if (!out.is_valid()) throw nb::python_error();
        context ctx;
        ctx.limits.depth = depth_;
        builder to(ctx, state_.keys, options_);
        const auto one = [&](std::size_t i, std::size_t k) -> PyObject* {  // a new reference
            if (found.absent(i, k)) return nb::object(missing_).release().ptr();
            if (raw_) {
                const bytes value = found.raw(i, k);
                PyObject* const o = PyBytes_FromStringAndSize(reinterpret_cast<const char*>(value.data()),
                                                              static_cast<Py_ssize_t>(value.size()));
                if (o == nullptr) throw nb::python_error();
                return o;
            }
            errc e;
            if (found.brief(i, k)) {
                e = found.give(i, k, to, ctx);
            } else {
                const collector_pause pause;
                e = found.give(i, k, to, ctx);
            }
            if (e != errc::ok) [[unlikely]]
                fail(ctx, e, object, input, index);
            return to.take();
        };
        for (Py_ssize_t i = 0; i < n; ++i) {
            const auto path = static_cast<std::size_t>(i);
            const std::size_t count = found.count(path);
            PyObject* made;
            if (!wanted_.wild(path)) {
                made = count == 0 ? nb::object(missing_).release().ptr() : one(path, 0);
            } else {
                nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(count)));
                if (!list.is_valid()) throw nb::python_error();
                for (std::size_t k = 0; k < count; ++k) PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(k), one(path, k));
                made = list.release().ptr();
            }
            if (named) {
                const int e = PyDict_SetItem(out.ptr(), PyTuple_GET_ITEM(names_.ptr(), i), made);
                Py_DECREF(made);
                if (e != 0) throw nb::python_error();
            } else {
                PyTuple_SET_ITEM(out.ptr(), i, made);
            }
        }
        return out;
    }

    state& state_;
    std::vector<std::string> paths_;
    json::projection wanted_;
    json::level level_ = json::level::strict;
    std::string_view format_;  // the table's
    partial_reading by_;
    std::unique_ptr<partial_search> here_;  // of short documents, while no call has it
    nb::object names_;                      // a tuple, or nothing
    nb::object missing_;
    nb::object dialect_;  // its name, or None
    build_options options_;
    bool decimal_, unique_keys_, raw_;
    std::size_t depth_;

    friend int traverse(PyObject*, visitproc, void*);
    friend int clear(PyObject*);
};

// A default for missing values can be any object, even one that holds this decoder.
int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (nb::inst_ready(self)) {
        partial* p = nb::inst_ptr<partial>(self);
        Py_VISIT(p->missing_.ptr());
        Py_VISIT(p->names_.ptr());
    }
    return 0;
}
int clear(PyObject* self) {
    partial* p = nb::inst_ptr<partial>(self);
    p->missing_.reset();
    p->names_.reset();
    return 0;
}
// For annotations: Partial[tuple[float, str]].
PyMethodDef generic = {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, nullptr};
PyType_Slot slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {Py_tp_clear, reinterpret_cast<void*>(clear)}, {0, nullptr}};

}  // namespace

void add_partial(nb::module_& m, state& s) {
    nb::class_<partial> made(m, "Partial", nb::type_slots(slots), "A compiled partial decoder. Made by kumihimo.partial().");
    const nb::object getitem = nb::steal(PyDescr_NewClassMethod(reinterpret_cast<PyTypeObject*>(made.ptr()), &generic));
    if (!getitem.is_valid()) throw nb::python_error();
    made.attr("__class_getitem__") = getitem;
    made.def(
            "__init__",
            [&s](partial* self, std::vector<std::string> paths, nb::object names, const std::string& level, bool decimal,
                 nb::object missing, bool raw, std::optional<std::size_t> depth, bool unique_keys, nb::handle format,
                 nb::object dialect) {
                new (self) partial(s, std::move(paths), std::move(names), level, decimal, std::move(missing), raw, depth,
                                   unique_keys, format, std::move(dialect));
            },
            "paths"_a, "names"_a = nb::none(), "level"_a = "strict", "decimal"_a = false, "missing"_a = nb::none(),
            "raw"_a = false, "depth"_a = 1024, "unique_keys"_a = false,
            "format"_a = nb::str(usual_format.data(), usual_format.size()), "dialect"_a = nb::none())
        .def("__call__", &partial::call, "document"_a,
             "The wanted values of one document (bytes, bytearray, memoryview, of text also str): a tuple, or a dict if there "
             "are "
             "names.")
        .def(
            "many", &partial::many, "documents"_a,
            "A list with one result per document. Other threads run meanwhile. An error's `index` says which document was bad.")
        .def("__len__", &partial::size, "How many paths.")
        // It never changes, so a copy is the object itself; another process makes its own from the same arguments.
        .def("__copy__", [](nb::handle self) { return nb::borrow(self); })
        .def(
            "__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); }, "memo"_a)
        .def("__reduce__",
             [](nb::handle self) { return nb::make_tuple(self.type(), nb::inst_ptr<partial>(self)->arguments()); })
        .def("__repr__",
             [](const partial& p) {
                 const nb::object names = p.names();
                 return nb::str("<kumihimo.Partial {} format={!r} level={!r}>")
                     .format(names.is_none() ? nb::cast(p.paths()) : nb::object(names), p.format(), p.level());
             })
        .def_prop_ro("paths", &partial::paths, "The paths, as they were given.")
        .def_prop_ro("names", &partial::names, "The names of the values, or None where results are tuples.")
        .def_prop_ro("format", &partial::format, "The name of the documents' format.")
        .def_prop_ro("level", &partial::level, "'strict', 'structural' or 'trusted'.");
}

}  // namespace kumihimo::inline v0::python
