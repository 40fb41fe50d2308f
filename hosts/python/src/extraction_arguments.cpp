#include "src/extraction_arguments.hpp"

#include <nanobind/stl/string.h>

#include "engine/json/path.hpp"
#include "extract/schema.hpp"

namespace nb = nanobind;

namespace kumihimo::inline v0::python {

void refuse(const std::string& why) { throw nb::value_error(why.c_str()); }

extract::column_spec field_of(nb::handle given) {
    extract::column_spec spec;
    std::string why;
    if (nb::isinstance<nb::str>(given)) {
        if (extract::parse_field(nb::cast<std::string>(given), spec, why) != errc::ok) refuse(why);
        return spec;
    }
    if (!nb::isinstance<nb::tuple>(given) || nb::len(given) != 3)
        throw nb::type_error("a field is a str, or a tuple (name, path, type)");
    const nb::tuple t = nb::borrow<nb::tuple>(given);
    if (!t[2].is_none()) {
        const std::string type = nb::cast<std::string>(t[2]);
        if (extract::parse_type(type, spec, why) != errc::ok) refuse(why);
    }
    spec.path = nb::cast<std::string>(t[1]);
    context ctx;
    json::path parsed;
    if (json::parse(spec.path, parsed, ctx) != errc::ok)
        refuse("the path \"" + spec.path + "\" is not valid: " + ctx.failure.what);
    spec.name = t[0].is_none() ? extract::default_name(parsed) : nb::cast<std::string>(t[0]);
    return spec;
}

nb::str file_text(const std::string& s) {
    PyObject* o = PyUnicode_DecodeFSDefaultAndSize(s.data(), static_cast<Py_ssize_t>(s.size()));
    if (o == nullptr) throw nb::python_error();
    return nb::steal<nb::str>(o);
}

std::vector<std::string> file_names(nb::handle given) {
    std::vector<std::string> out;
    for (nb::handle h : given) {
        PyObject* converted = nullptr;
        if (PyUnicode_FSConverter(h.ptr(), &converted) == 0) throw nb::python_error();
        const nb::bytes name = nb::steal<nb::bytes>(converted);
        out.emplace_back(name.c_str(), name.size());
    }
    return out;
}

std::shared_ptr<const extract::zone> zone_of(const std::string& name) {
    if (auto fixed = extract::zone::fixed(name)) return fixed;
    const nb::tuple rules = nb::cast<nb::tuple>(nb::module_::import_("kumihimo.zones").attr("rules")(name));
    std::vector<extract::zone::transition> transitions;
    for (nb::handle h : rules[1]) {
        const nb::tuple pair = nb::cast<nb::tuple>(h);
        transitions.push_back({nb::cast<std::int64_t>(pair[0]), nb::cast<std::int32_t>(pair[1])});
    }
    std::shared_ptr<const extract::zone> out;
    std::string why;
    if (extract::zone::make(name, nb::cast<std::int32_t>(rules[0]), transitions, nb::cast<std::string>(rules[2]), out, why) !=
        errc::ok)
        refuse(why);
    return out;
}

}  // namespace kumihimo::inline v0::python
