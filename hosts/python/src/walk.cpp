#include "src/walk.hpp"

#include <datetime.h>

#include <cstdio>
#include <cstring>

#include "engine/core/path_text.hpp"
#include "engine/scalar/time_text.hpp"

namespace kumihimo::inline v0::python {

errc walk_base::open(PyObject* object, frame::shape form, Py_ssize_t size, Py_ssize_t at) {
    if (frames_.size() >= ctx_.limits.depth) return too_deep();
    if (!frames_.push({object, nullptr, at, size, size, form}))
        return ctx_.fail(errc::memory, failure::nowhere, "out of memory");
    pin();
    return errc::ok;
}

errc walk_base::look_round() {
    due_ = stretch;
    return answer_signals() ? errc::ok : errc::host;
}

errc walk_base::too_deep() {
    return ctx_.fail(errc::depth, failure::nowhere,
                     "nested deeper than the limit: a container that holds itself, or raise depth=");
}

errc walk_base::too_large() { return ctx_.fail(errc::size, failure::nowhere, "the document is larger than the size limit"); }

errc walk_base::full(std::size_t written) {
    return written > ctx_.limits.size ? too_large() : ctx_.fail(errc::memory, failure::nowhere, "out of memory");
}

errc walk_base::open_sorted(PyObject* dict) {
    ref keys(PyDict_Keys(dict));
    if (!keys || PyList_Sort(keys.get()) != 0) return errc::host;
    KUMIHIMO_TRY(open(dict, frame::shape::sorted, PyList_GET_SIZE(keys.get())));
    frames_.top().keys = keys.release();
    return errc::ok;
}

void walk_base::close_pinned() noexcept {
    const frame f = frames_.top();
    frames_.pop();
    pinned_ = frames_.size();
    Py_XDECREF(f.keys);
    Py_DECREF(f.object);
}

void walk_base::unwind() noexcept {
    while (!frames_.empty()) close();
}

errc walk_base::refuse(const char* format, PyObject* object) {
    char line[400];
    std::snprintf(line, sizeof line, format, Py_TYPE(object)->tp_name);
    sentence_ = line;
    return ctx_.fail(errc::unsupported, failure::nowhere, sentence_.c_str());
}

errc walk_base::refuse_type(PyObject* object) {
    switch (types_.kind_of(Py_TYPE(object))) {
        case kind::decimal: return refuse("a value of type %.200s is written with decimal=True only, or pass default=", object);
        case kind::binary:
            return refuse("a value of type %.200s is written with binary='base64' or 'base64url' only, or pass default=",
                          object);
        default: return refuse("a value of type %.200s has no form here: convert it, or pass default=", object);
    }
}

errc walk_base::refuse_key(PyObject* key) {
    if (PyDict_Check(key) || PyList_Check(key)) return refuse("a %.200s cannot be a key", key);
    return refuse("a key of type %.200s is not a str: pass non_str_keys=True to allow it", key);
}

errc walk_base::changed() {
    PyErr_SetString(PyExc_RuntimeError, "a container changed its size while it was walked");
    return errc::host;
}

errc walk_base::broken_text() {
    if (PyErr_Occurred()) return errc::host;  // no memory for its UTF-8
    return ctx_.fail(errc::encoding, failure::nowhere, "a str holds half a surrogate pair, which is not valid Unicode");
}

void walk_base::note_path() {
    std::string out = "$";
    for (std::size_t i = 0; i < frames_.size(); ++i) {
        if (i == 16 && frames_.size() > 24) {
            // A path of a thousand levels tells nobody anything.
            out += "...";
            i = frames_.size() - 4;
        }
        const frame& f = frames_[i];
        if (f.form == frame::shape::items) {
            add_index(out, static_cast<std::uint64_t>(f.at > 0 ? f.at - 1 : 0));
            continue;
        }
        PyObject* found = nullptr;
        if (f.form == frame::shape::sorted) {
            if (f.at > 0) found = PyList_GET_ITEM(f.keys, f.at - 1);
        } else {
            PyObject *k, *v;
            for (Py_ssize_t at = 0; at < f.at && PyDict_Next(f.object, &at, &k, &v);) found = k;
        }
        // A key's own text; for anything else only its type, because no user code may run here (an error may be
        // pending).
        if (found == nullptr) {
            out += ".?";
        } else if (PyUnicode_Check(found) && PyUnicode_IS_ASCII(found)) {
            add_key(out,
                    {static_cast<const char*>(PyUnicode_DATA(found)), static_cast<std::size_t>(PyUnicode_GET_LENGTH(found))});
        } else if (PyLong_CheckExact(found)) {
            int overflow = 0;
            out += '[' + std::to_string(PyLong_AsLongLongAndOverflow(found, &overflow)) + ']';
        } else if (text t; PyUnicode_Check(found) && text_of(found, t, scratch_) && t.charset == encoding::utf8) {
            add_key(out, t.view());
        } else if (PyUnicode_Check(found)) {
            PyObject *type, *value, *trace;
            PyErr_Fetch(&type, &value, &trace);
            if (const ref b{PyUnicode_AsEncodedString(found, "utf-8", "backslashreplace")}; b)
                add_key(out, PyBytes_AS_STRING(b.get()));
            PyErr_Restore(type, value, trace);
        } else {
            out += std::string(".<") + Py_TYPE(found)->tp_name + '>';
        }
    }
    shorten_path(out);
    ctx_.failure.path = std::move(out);
}

// ---- dates and times

namespace {

bool import_datetime() noexcept {
    if (PyDateTimeAPI == nullptr) PyDateTime_IMPORT;
    return PyDateTimeAPI != nullptr;
}

// Seconds east of UTC; a tzinfo of None gives has_zone = false. False with an error pending.
bool offset_of(PyObject* o, PyObject* zone, std::int32_t& seconds, bool& has_zone) {
    has_zone = false;
    seconds = 0;
    if (zone == Py_None) return true;
    if (zone == PyDateTime_TimeZone_UTC) {
        has_zone = true;
        return true;
    }
    const ref delta(PyObject_CallMethod(o, "utcoffset", nullptr));
    if (!delta) return false;
    if (delta.get() == Py_None) return true;
    if (!PyDelta_Check(delta.get())) {
        PyErr_SetString(PyExc_TypeError, "utcoffset() answered with something else than a timedelta");
        return false;
    }
    has_zone = true;
    seconds = PyDateTime_DELTA_GET_DAYS(delta.get()) * 86400 + PyDateTime_DELTA_GET_SECONDS(delta.get());
    return true;
}

}  // namespace

bool walk_base::instant_of_datetime(PyObject* o, instant& out) {
    if (!import_datetime()) return false;
    const ref zone(PyObject_GetAttrString(o, "tzinfo"));
    if (!zone) return false;
    bool has_zone;
    std::int32_t offset;
    if (!offset_of(o, zone.get(), offset, has_zone)) return false;
    const std::int64_t days =
        scalar::days_from_civil({PyDateTime_GET_YEAR(o), static_cast<std::uint32_t>(PyDateTime_GET_MONTH(o)),
                                 static_cast<std::uint32_t>(PyDateTime_GET_DAY(o))});
    out.seconds = days * 86400 + PyDateTime_DATE_GET_HOUR(o) * 3600 + PyDateTime_DATE_GET_MINUTE(o) * 60 +
                  PyDateTime_DATE_GET_SECOND(o) - offset;
    out.nanoseconds = static_cast<std::uint32_t>(PyDateTime_DATE_GET_MICROSECOND(o)) * 1000;
    out.offset = offset;
    out.clock = has_zone ? instant::kind::offset : instant::kind::naive;
    return true;
}

bool walk_base::instant_of_date(PyObject* o, instant& out) {
    if (!import_datetime()) return false;
    out = {};
    out.seconds = 86400 * scalar::days_from_civil({PyDateTime_GET_YEAR(o), static_cast<std::uint32_t>(PyDateTime_GET_MONTH(o)),
                                                   static_cast<std::uint32_t>(PyDateTime_GET_DAY(o))});
    out.clock = instant::kind::date;
    return true;
}

ref walk_base::text_of_time(PyObject* o) {
    const ref zone(PyObject_GetAttrString(o, "tzinfo"));
    if (!zone) return {};
    if (zone.get() != Py_None) {
        refuse("a %.200s with a tzinfo has no form here: its offset depends on the day", o);
        raise_encode(ctx_, errc::unsupported);
        return {};
    }
    return ref(PyObject_CallMethod(o, "isoformat", nullptr));
}

bool walk_base::text_of_uuid(PyObject* o, char (&to)[36]) {
    const ref number(PyObject_GetAttrString(o, "int"));
    if (!number) return false;
    const ref sixty_four(PyLong_FromLong(64));
    if (!sixty_four) return false;
    const ref upper(PyNumber_Rshift(number.get(), sixty_four.get()));
    if (!upper) return false;
    const unsigned long long high = PyLong_AsUnsignedLongLongMask(upper.get());
    const unsigned long long low = PyLong_AsUnsignedLongLongMask(number.get());
    if (PyErr_Occurred()) return false;
    static constexpr char hex[] = "0123456789abcdef";
    char* p = to;
    for (int i = 0; i < 32; ++i) {
        const unsigned long long word = i < 16 ? high : low;
        *p++ = hex[word >> (60 - 4 * (i % 16)) & 15];
        if (i == 7 || i == 11 || i == 15 || i == 19) *p++ = '-';
    }
    return true;
}

// ---- numpy, dataclasses, bytes

ref walk_base::value_of_numpy(PyObject* o, kind k) {
    const ref type(PyObject_GetAttrString(o, "dtype"));
    const ref letter(type ? PyObject_GetAttrString(type.get(), "kind") : nullptr);
    if (!letter) return {};
    const Py_UCS4 kind_code =
        PyUnicode_Check(letter.get()) && PyUnicode_GET_LENGTH(letter.get()) == 1 ? PyUnicode_READ_CHAR(letter.get(), 0) : 0;
    if (std::strchr("biufUMV", static_cast<int>(kind_code)) == nullptr || kind_code == 'V' || kind_code == 0) {
        // complex, timedelta, objects and records: what they should become is the caller's to say.
        if (options_.fallback != nullptr) return ref(PyObject_CallOneArg(options_.fallback, o));
        refuse_type(o);
        raise_encode(ctx_, errc::unsupported);
        return {};
    }
    if (kind_code == 'M') {
        // item() and tolist() would give integers for nanoseconds; datetime holds microseconds. NaT becomes None.
        const ref micro(PyObject_CallMethod(o, "astype", "s", "datetime64[us]"));
        return micro ? ref(PyObject_CallMethod(micro.get(), k == kind::numpy_array ? "tolist" : "item", nullptr)) : ref();
    }
    ref made(PyObject_CallMethod(o, k == kind::numpy_array ? "tolist" : "item", nullptr));
    // longdouble: item() is the object itself again.
    if (made && made.get() == o) return ref(PyNumber_Float(o));
    if (made && Py_TYPE(made.get()) == Py_TYPE(o)) return ref(PyNumber_Float(o));
    return made;
}

ref walk_base::fields_of(PyObject* o) {
    PyTypeObject* const t = Py_TYPE(o);
    const ref slots(PyUnicode_InternFromString("__slots__"));
    if (!slots) return {};
    const bool slotted = _PyType_Lookup(t, slots.get()) != nullptr;
    if (!slotted) {
        ref d(PyObject_GetAttrString(o, "__dict__"));
        if (d && PyDict_Check(d.get())) return d;
        PyErr_Clear();
    }
    // With slots: the fields as they are declared, without ClassVar and InitVar.
    const ref declared(PyObject_GetAttrString(o, "__dataclass_fields__"));
    const ref marker(imported("dataclasses", "_FIELD"));
    ref made(PyDict_New());
    if (!declared || !made) return {};
    if (!PyDict_Check(declared.get())) {
        PyErr_SetString(PyExc_TypeError, "__dataclass_fields__ is not a dict");
        return {};
    }
    const ref names(PyDict_Keys(declared.get()));
    if (!names) return {};
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(names.get()); ++i) {
        PyObject* const name = PyList_GET_ITEM(names.get(), i);
        PyObject* const field = PyDict_GetItemWithError(declared.get(), name);
        if (field == nullptr) continue;
        const ref marked(PyObject_GetAttrString(field, "_field_type"));
        if (!marked) return {};
        if (marker && marked.get() != marker.get()) continue;
        const ref v(PyObject_GetAttr(o, name));
        if (!v || PyDict_SetItem(made.get(), name, v.get()) != 0) return {};
    }
    return made;
}

bool walk_base::bytes_of(PyObject* o, input_bytes& out) { return out.open(o, false); }

bool walk_base::ext_of(PyObject* o, int& type, input_bytes& out) {
    // A tuple of two: (type, data).
    if (PyTuple_GET_SIZE(o) != 2) {
        PyErr_SetString(PyExc_TypeError, "an Ext holds a type and its data");
        return false;
    }
    const long n = PyLong_AsLong(PyTuple_GET_ITEM(o, 0));
    if (n == -1 && PyErr_Occurred()) return false;
    if (n < -128 || n > 127) {
        PyErr_SetString(PyExc_ValueError, "the type of an Ext is -128 to 127");
        return false;
    }
    type = static_cast<int>(n);
    return out.open(PyTuple_GET_ITEM(o, 1), false);
}

}  // namespace kumihimo::inline v0::python
