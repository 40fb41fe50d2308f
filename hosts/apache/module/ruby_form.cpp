// What the client says beyond the address: Apache::Request#query, form and cookies, parsed when they are first asked
// for.
#include "hosts/mruby/library/form.hpp"

#include "client_data.hpp"

namespace kumihimo::inline v0::apache {
namespace {

using mruby::repeated;

std::string_view view_of(const char* s) { return s ? std::string_view{s} : std::string_view{}; }

mrb_value query(mrb_state* mrb, mrb_value self) noexcept {
    const request_rec* const r = request_of(mrb, self);
    return once(mrb, self, "query",
                [&] { return parsed(mrb, [&] { return mruby::parse_query(mrb, view_of(r->args), repeated::nested); }); });
}

mrb_value query_all(mrb_state* mrb, mrb_value self) noexcept {
    const request_rec* const r = request_of(mrb, self);
    return once(mrb, self, "query_all",
                [&] { return parsed(mrb, [&] { return mruby::parse_query(mrb, view_of(r->args), repeated::all); }); });
}

mrb_value cookies(mrb_state* mrb, mrb_value self) noexcept {
    const request_rec* const r = request_of(mrb, self);
    return once(mrb, self, "cookies",
                [&] { return mruby::parse_cookies(mrb, view_of(apr_table_get(r->headers_in, "Cookie"))); });
}

bool is_type(std::string_view content_type, std::string_view type) {
    if (content_type.size() < type.size() || ap_cstr_casecmpn(content_type.data(), type.data(), type.size())) return false;
    const std::string_view rest = content_type.substr(type.size());
    return rest.empty() || rest[0] == ';' || rest[0] == ' ' || rest[0] == '\t';
}

// A body of another type is no form: {}.
mrb_value form(mrb_state* mrb, mrb_value self) noexcept {
    const request_rec* const r = request_of(mrb, self);
    return once(mrb, self, "form", [&] {
        const std::string_view type = view_of(apr_table_get(r->headers_in, "Content-Type"));
        const bool multipart = is_type(type, "multipart/form-data");
        if (!multipart && !is_type(type, "application/x-www-form-urlencoded")) return mrb_hash_new(mrb);
        const mrb_value body = body_of(mrb, self);
        return parsed(mrb, [&] {
            if (multipart) return mruby::parse_multipart(mrb, body, type, repeated::nested);
            return mruby::parse_query(mrb, mruby::bytes_of(body), repeated::nested);
        });
    });
}

mrb_value json(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value body = body_of(mrb, self);
    return parsed(mrb, [&] { return mrb_funcall(mrb, mrb_obj_value(mrb_module_get(mrb, "JSON")), "parse", 1, body); });
}

constexpr method methods[] = {
    {"query", query}, {"GET", query},       {"query_all", query_all}, {"form", form},
    {"POST", form},   {"cookies", cookies}, {"json", json},
};

}  // namespace

void define_forms(mrb_state* mrb, RClass* apache) { define_methods(mrb, mrb_class_get_under(mrb, apache, "Request"), methods); }

}  // namespace kumihimo::inline v0::apache
