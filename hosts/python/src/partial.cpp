#include "src/partial.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/json/project.hpp"
#include "engine/json/reader.hpp"
#include "src/build.hpp"
#include "src/dialect.hpp"
#include "src/guard.hpp"
#include "src/numbers.hpp"
#include "src/state.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace kumihimo::inline v0::python {
namespace {

class partial {
public:
    partial(state& s, std::vector<std::string> paths, nb::object names, const std::string& level, bool decimal,
            nb::object missing, bool raw, std::optional<std::size_t> depth, bool unique_keys)
        : state_(s),
          paths_(std::move(paths)),
          names_(nb::steal<nb::object>(nb::handle())),
          missing_(std::move(missing)),
          raw_(raw),
          depth_(depth.value_or(context().limits.depth)) {
        const json::level chosen = level == "strict"       ? json::level::strict
                                   : level == "structural" ? json::level::structural
                                   : level == "trusted"
                                       ? json::level::trusted
                                       : throw nb::value_error("level is one of 'strict', 'structural', 'trusted'");
        level_ = chosen;
        if (unique_keys && chosen != json::level::strict)
            throw nb::value_error("unique_keys needs level='strict': the other levels do not look at all keys");
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
        options_.decimals = decimal;
        whole_ = granted_ = json_read;
        granted_.decimal_digits = decimal;
        grant(whole_, decimal, false, unique_keys);
        if (decimal && !package_attribute("decimal", "Decimal")) throw nb::python_error();
        here_ = std::make_unique<json::projector>(wanted_, level_, whole_);
    }

    nb::object call(nb::handle document) {
        input_bytes input;
        context ctx;
        ctx.limits.depth = depth_;
        if (!open(input, document, ctx)) throw nb::python_error();
        const bytes whole = input.get();
        const bool is_long = whole.size() > small;
        const lease scratch(*this, is_long);
        json::projector& own = *scratch;
        errc e;
        bool doubtful = false;
        const auto look = [&] {
            e = own.run(whole, ctx);
            doubtful = e == errc::ok && doubtful_in(own, whole, ctx);
        };
        if (is_long) {  // long enough for other threads to care
            const unlocked free;
            look();
        } else {
            look();
        }
        if (doubtful) [[unlikely]]
            e = judge(whole, ctx, whole_);
        else if (e != errc::ok)
            e = first_fault(e, whole, ctx, whole_);
        if (e != errc::ok) fail(ctx, e, document, whole);
        return build(whole, document, [&](std::size_t i) { return own.values(i); });
    }

    nb::list many(nb::handle documents) {
        const nb::object iterator = nb::steal(PyObject_GetIter(documents.ptr()));
        if (!iterator.is_valid()) throw nb::python_error();
        nb::list out;
        json::projector own(wanted_, level_, whole_);
        std::size_t done = 0;
        for (bool more = true; more;) {
            // A batch is taken under the GIL, projected without it, and built under it again.
            context ctx;
            ctx.limits.depth = depth_;
            std::vector<nb::object> held;
            std::vector<std::unique_ptr<input_bytes>> inputs;
            std::optional<nb::python_error> later;  // the documents before it are told about first
            std::size_t size = 0;
            while (held.size() < batch_documents && size < batch_bytes) {
                nb::object next = nb::steal(PyIter_Next(iterator.ptr()));
                auto input = std::make_unique<input_bytes>();
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
                const unlocked free;
                for (; n < inputs.size(); ++n) {
                    e = own.run(inputs[n]->get(), ctx);
                    if (e != errc::ok) break;
                    if (doubtful_in(own, inputs[n]->get(), ctx)) [[unlikely]]
                        doubtful.push_back(n);
                    for (std::size_t i = 0; i < wanted_.size(); ++i) {
                        const auto values = own.values(i);
                        found.insert(found.end(), values.begin(), values.end());
                        counts.push_back(values.size());
                    }
                }
            }
            // They come before the document that was refused, if one was.
            for (const std::size_t d : doubtful) {
                context own_ctx;
                own_ctx.limits = ctx.limits;
                if (const errc why = judge(inputs[d]->get(), own_ctx, whole_); why != errc::ok)
                    fail(own_ctx, why, held[d], inputs[d]->get(), done + d);
            }
            if (e != errc::ok) fail(ctx, first_fault(e, inputs[n]->get(), ctx, whole_), held[n], inputs[n]->get(), done + n);
            if (later) throw *std::move(later);
            std::size_t next = 0, count = 0;
            for (n = 0; n < inputs.size(); ++n) {
                out.append(build(inputs[n]->get(), held[n], [&](std::size_t) {
                    const std::span<const json::slice> values(found.data() + next, counts[count]);
                    next += counts[count++];
                    return values;
                }));
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
    /// What __init__ takes.
    nb::tuple arguments() const {
        return nb::make_tuple(paths_, names(), level(), options_.decimals, missing_, raw_, depth_,
                              whole_.duplicates == json::duplicate_keys::error);
    }

private:
    // The projector of one call. Short documents share one that is made beforehand, and a call takes it away: in the middle of
    // it other threads may come in, and the collector may run Python code, and both may call this very object.
    class lease {
    public:
        lease(partial& owner, bool is_long) : owner_(owner), is_long_(is_long) {
            if (!is_long) p_ = std::move(owner.here_);
            if (p_ == nullptr) p_ = std::make_unique<json::projector>(owner.wanted_, owner.level_, owner.whole_);
        }
        lease(const lease&) = delete;
        lease& operator=(const lease&) = delete;
        ~lease() {
            if (!is_long_) owner_.here_ = std::move(p_);
        }
        json::projector& operator*() const noexcept { return *p_; }

    private:
        partial& owner_;
        bool is_long_;
        std::unique_ptr<json::projector> p_;
    };

    // Whether a document that was projected has numbers for judge(): in the strict level, where all of them count.
    bool doubtful_in(const json::projector& p, bytes document, context& ctx) const {
        return p.may_overflow() && level_ == json::level::strict && has_doubtful(document, ctx, whole_);
    }

    static constexpr std::size_t small = std::size_t{256} << 10;
    static constexpr std::size_t batch_documents = 256;
    static constexpr std::size_t batch_bytes = std::size_t{4} << 20;

    static constexpr std::size_t alone = static_cast<std::size_t>(-1);  // a document that is not one of many

    [[noreturn, gnu::cold]] static void fail(const context& ctx, errc e, nb::handle document, bytes input,
                                             std::size_t index = alone) {
        raise_decode(ctx, e, document.ptr(), input, "json");
        add_index(index);
        throw nb::python_error();
    }

    // False with an error pending.
    bool open(input_bytes& input, nb::handle document, context& ctx, std::size_t index = alone) {
        if (input.open(document.ptr(), true)) [[likely]]
            return true;
        refuse_input(document.ptr(), ctx, whole_);
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

    // values(i) must be asked for in ascending order of i, once each.
    template <class Values>
    nb::object build(bytes document, nb::handle object, Values values) {
        const auto n = static_cast<Py_ssize_t>(wanted_.size());
        const bool named = names_.is_valid();
        nb::object out = nb::steal(named ? PyDict_New() : PyTuple_New(n));
        if (!out.is_valid()) throw nb::python_error();
        context ctx;
        ctx.limits.depth = depth_;
        builder to(ctx, state_.keys, options_);
        for (Py_ssize_t i = 0; i < n; ++i) {
            const std::span<const json::slice> found = values(static_cast<std::size_t>(i));
            PyObject* made;
            if (!wanted_.wild(static_cast<std::size_t>(i))) {
                made = found.empty() ? one({}, document, object, ctx, to) : one(found[0], document, object, ctx, to);
            } else {
                nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(found.size())));
                if (!list.is_valid()) throw nb::python_error();
                for (std::size_t k = 0; k < found.size(); ++k)
                    PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(k), one(found[k], document, object, ctx, to));
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

    // A new reference; throws instead of null.
    PyObject* one(json::slice s, bytes document, nb::handle object, context& ctx, builder& to) {
        if (s.length == 0) {
            PyObject* o = missing_.ptr();
            Py_INCREF(o);
            return o;
        }
        const bytes value = document.subspan(s.offset, s.length);
        if (raw_) {
            PyObject* o =
                PyBytes_FromStringAndSize(reinterpret_cast<const char*>(value.data()), static_cast<Py_ssize_t>(value.size()));
            if (o == nullptr) throw nb::python_error();
            return o;
        }
        errc e;
        {
            json::reader from(value, ctx, granted_);
            if (value[0] == '{' || value[0] == '[') {
                const collector_pause pause;
                e = from.feed(to);
            } else {
                e = from.feed(to);
            }
        }
        if (e != errc::ok) [[unlikely]] {
            if (ctx.failure.offset != failure::nowhere) ctx.failure.offset += s.offset;
            fail(ctx, e, object, document);
        }
        return to.take();
    }

    state& state_;
    std::vector<std::string> paths_;
    json::projection wanted_;
    json::level level_ = json::level::strict;
    std::unique_ptr<json::projector> here_;  // of short documents, while no call has it
    nb::object names_;                       // a tuple, or nothing
    nb::object missing_;
    build_options options_;
    json::read_dialect granted_;  // for the wanted values
    json::read_dialect whole_;    // for the document
    bool raw_;
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
                 nb::object missing, bool raw, std::optional<std::size_t> depth, bool unique_keys) {
                new (self)
                    partial(s, std::move(paths), std::move(names), level, decimal, std::move(missing), raw, depth, unique_keys);
            },
            "paths"_a, "names"_a = nb::none(), "level"_a = "strict", "decimal"_a = false, "missing"_a = nb::none(),
            "raw"_a = false, "depth"_a = 1024, "unique_keys"_a = false)
        .def("__call__", &partial::call, "document"_a,
             "The wanted values of one JSON document (bytes, bytearray, memoryview or str): a tuple, or a dict if there are "
             "names.")
        .def("many", &partial::many, "documents"_a,
             "A list with one result per document. Other threads run meanwhile. JSONDecodeError.index says which document was "
             "bad.")
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
                 return nb::str("<kumihimo.Partial {} level={!r}>")
                     .format(names.is_none() ? nb::cast(p.paths()) : nb::object(names), p.level());
             })
        .def_prop_ro("paths", &partial::paths, "The paths, as they were given.")
        .def_prop_ro("names", &partial::names, "The names of the values, or None where results are tuples.")
        .def_prop_ro("level", &partial::level, "'strict', 'structural' or 'trusted'.");
}

}  // namespace kumihimo::inline v0::python
