#include "src/extraction_arguments.hpp"

#include <nanobind/stl/string.h>

#include <new>
#include <string>
#include <vector>

#include "engine/scalar/utf8.hpp"

namespace nb = nanobind;

namespace kumihimo::inline v0::python {

description::description() { must(to_.map({})); }

// A writer of valid text into memory can fail only for want of it.
void description::must(errc e) const {
    if (e != errc::ok) throw std::bad_alloc();
}
void description::key(std::string_view name) { must(to_.key(text(name))); }
void description::value(std::string_view s) { must(to_.str(text(s))); }

void description::put(std::string_view name, std::string_view s) {
    key(name);
    value(s);
}

void description::put_options(nb::kwargs given) {
    for (auto [name, value] : given)
        if (!value.is_none()) put_option(nb::cast<std::string>(name), value);
}

void description::put_option(std::string_view name, nb::handle given) {
    PyObject* const o = given.ptr();
    const auto wrong = [&](const char* why) { return std::string(name) + " " + why; };
    if (name == "password") return put_names(name, nb::make_tuple(given));
    if (PyUnicode_Check(o)) return put(name, nb::cast<std::string>(given));
    if (PyBool_Check(o)) {
        key(name);
        must(to_.boolean(o == Py_True));
    } else if (PyFloat_Check(o)) {
        const double x = PyFloat_AS_DOUBLE(o);
        // What JSON cannot say is no share either.
        if (x != x || x - x != 0) throw nb::value_error(wrong("is a finite number").c_str());
        key(name);
        must(to_.f64(x));
    } else if (PyIndex_Check(o)) {
        const nb::object n = nb::steal(PyNumber_Index(o));
        if (!n.is_valid()) throw nb::python_error();
        int beyond = 0;
        const long long small = PyLong_AsLongLongAndOverflow(n.ptr(), &beyond);
        if (beyond < 0) throw nb::value_error(wrong("is too small").c_str());
        const unsigned long long large = beyond > 0 ? PyLong_AsUnsignedLongLong(n.ptr()) : 0;
        if (PyErr_Occurred() != nullptr) {
            PyErr_Clear();
            throw nb::value_error(wrong("is too large").c_str());
        }
        key(name);
        must(beyond > 0 ? to_.u64(large) : to_.i64(small));
    } else if (PySequence_Check(o) && !PyBytes_Check(o)) {
        put_names(name, given);
    } else {
        throw nb::type_error(wrong((std::string("cannot be of type ") + Py_TYPE(o)->tp_name).c_str()).c_str());
    }
}

void description::put_names(std::string_view name, nb::handle given) {
    key(name);
    must(to_.array({}));
    for (nb::handle h : given) {
        PyObject* converted = nullptr;
        if (PyUnicode_FSConverter(h.ptr(), &converted) == 0) throw nb::python_error();
        const nb::bytes owner = nb::steal<nb::bytes>(converted);
        const std::string_view bytes(owner.c_str(), owner.size());
        if (scalar::utf8_valid_prefix(bytes.data(), bytes.size()) == bytes.size()) {
            value(bytes);
            continue;
        }
        static constexpr char digits[] = "0123456789abcdef";
        std::string hex;
        for (const char c : bytes) {
            hex += digits[static_cast<unsigned char>(c) >> 4];
            hex += digits[static_cast<unsigned char>(c) & 15];
        }
        must(to_.map({}));
        put("hex", hex);
        must(to_.end());
    }
    must(to_.end());
}

void description::put_fields(nb::list given) {
    key("fields");
    must(to_.array({}));
    for (nb::handle f : given) {
        if (nb::isinstance<nb::str>(f)) {
            value(nb::cast<std::string>(f));
            continue;
        }
        if (!nb::isinstance<nb::tuple>(f) || nb::len(f) != 3)
            throw nb::type_error("a field is a str, or a tuple (name, path, type)");
        const nb::tuple t = nb::borrow<nb::tuple>(f);
        must(to_.map({}));
        if (!t[2].is_none()) put("type", nb::cast<std::string>(t[2]));
        put("path", nb::cast<std::string>(t[1]));
        if (!t[0].is_none()) put("name", nb::cast<std::string>(t[0]));
        must(to_.end());
    }
    must(to_.end());
}

std::string_view description::finish() {
    bytes document;
    must(to_.end());
    must(to_.finish(document));
    return {reinterpret_cast<const char*>(document.data()), document.size()};
}

void put_zones(kumihimo_extraction* x) {
    std::uint32_t code = KUMIHIMO_OK;
    const auto wanted = taken<owned_strings>(code, [&](auto** out) { return kumihimo_extract_zones(x, out); });
    expect(x, code);
    for (std::size_t i = 0; i < kumihimo_strings_count(wanted.get()); ++i) {
        const std::string name = kumihimo_strings_at(wanted.get(), i, nullptr);
        const nb::tuple rules = nb::cast<nb::tuple>(nb::module_::import_("kumihimo.zones").attr("rules")(name));
        std::vector<std::int64_t> seconds;
        std::vector<std::int32_t> offsets;
        for (nb::handle h : rules[1]) {
            const nb::tuple pair = nb::cast<nb::tuple>(h);
            seconds.push_back(nb::cast<std::int64_t>(pair[0]));
            offsets.push_back(nb::cast<std::int32_t>(pair[1]));
        }
        const std::string rule = nb::cast<std::string>(rules[2]);
        expect(x, kumihimo_extract_put_zone(x, name.c_str(), nb::cast<std::int32_t>(rules[0]), seconds.data(), offsets.data(),
                                            seconds.size(), rule.c_str(), nullptr));
    }
}

}  // namespace kumihimo::inline v0::python
