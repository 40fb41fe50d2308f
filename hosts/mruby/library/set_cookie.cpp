// Cookies.make: the value of a Set-Cookie header (RFC 6265bis), checked so that nothing a script passes along can end
// it, or begin a header of its own.
#include <algorithm>

#include "../src/characters.hpp"
#include "escape.hpp"
#include "native.hpp"
#include "time.hpp"
#include "token.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

bool is_attribute(std::string_view s) noexcept {
    return std::none_of(s.begin(), s.end(),
                        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == ';'; });
}

// RFC 6265's cookie-octet.
bool is_cookie_text(std::string_view s) noexcept {
    return std::all_of(s.begin(), s.end(),
                       [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != ',' && c != ';' && c != '\\'; });
}

[[noreturn]] void refuse(mrb_state* mrb, const char* what, mrb_value v) {
    raise(mrb, mrb_exc_new_str(mrb, mrb_class_get(mrb, "ArgumentError"),
                               mrb_format(mrb, "a cookie's %s: %v", what, mrb_inspect(mrb, v))));
}

void put_expires(mrb_state* mrb, growing_string& out, mrb_value v) {
    char text[http_date_room];
    if (mrb_string_p(v)) {
        if (!is_attribute(bytes_of(v))) refuse(mrb, "expires holds what no attribute may", v);
        return out.put(bytes_of(v));
    }
    if (!mrb_integer_p(v)) v = mrb_funcall_argv(mrb, v, mrb_intern_lit(mrb, "to_i"), 0, nullptr);
    const char* const end = mrb_integer_p(v) ? write_http_date(text, mrb_integer(v)) : nullptr;
    if (end == nullptr) refuse(mrb, "expires is no time of the years 0 to 9999", v);
    out.put({text, static_cast<std::size_t>(end - text)});
}

void put_same_site(mrb_state* mrb, growing_string& out, mrb_value v, bool secure) {
    const mrb_value text = mrb_true_p(v) ? mrb_str_new_lit(mrb, "Strict") : text_of(mrb, v);
    for (const char* known : {"Strict", "Lax", "None"}) {
        const std::string_view name = known, given = bytes_of(text);
        if (!same_but_for_case(name, given)) continue;
        if (name == "None" && !secure) refuse(mrb, "same_site is None, which browsers take with secure: true only", v);
        out.put("; SameSite=");
        return out.put(name);
    }
    refuse(mrb, "same_site is Strict, Lax or None, not", v);
}

mrb_value make(mrb_state* mrb, mrb_value) {
    mrb_value name, value, options = mrb_nil_value();
    mrb_get_args(mrb, "oo|H", &name, &value, &options);
    // All that is read is held here: a to_s or to_i may take it out of where it is.
    for (const mrb_value v : {name, value, options}) kept(mrb, v);
    name = text_of(mrb, name);
    value = text_of(mrb, value);
    const auto get = [&](const char* key) { return option(mrb, options, key); };
    const auto get_either = [&](const char* key, const char* other) { return mrb_nil_p(get(key)) ? get(other) : get(key); };
    if (!is_token(bytes_of(name))) refuse(mrb, "name is letters, digits and !#$%&'*+-.^_`|~, not", name);
    const bool secure = mrb_test(get("secure"));
    const mrb_value path = get("path"), domain = get("domain"), expires = get("expires"), age = get("max_age");
    const mrb_value same_site = get_either("same_site", "samesite");
    const std::string_view n = bytes_of(name);
    if ((n.starts_with("__Secure-") || n.starts_with("__Host-")) && !secure) refuse(mrb, "name asks for secure: true", name);
    if (n.starts_with("__Host-") && (!mrb_nil_p(domain) || !mrb_string_p(path) || bytes_of(path) != "/")) {
        refuse(mrb, "name asks for path: \"/\" and no domain", name);
    }

    growing_string out(mrb, 128);
    out.put(n);
    out.put('=');
    if (mrb_test(get("raw"))) {
        if (!is_cookie_text(bytes_of(value)))
            refuse(mrb, "raw value holds what no cookie may (space, quote, comma, semicolon, backslash)", value);
        out.put(bytes_of(value));
    } else {
        char* const to = out.reserve(percent_encoded_size(bytes_of(value), percent::component));
        out.took(static_cast<std::size_t>(percent_encode(bytes_of(value), percent::component, to) - to));
    }
    if (!mrb_nil_p(domain)) {
        if (!mrb_string_p(domain) || bytes_of(domain).empty()) refuse(mrb, "domain is a name such as example.org, not", domain);
        for (const char c : bytes_of(domain)) {
            if (!is_letter_or_digit(c) && c != '.' && c != '-')
                refuse(mrb, "domain is a name such as example.org, not", domain);
        }
        out.put("; Domain=");
        out.put(bytes_of(domain));
    }
    if (!mrb_nil_p(path)) {
        if (!mrb_string_p(path) || !bytes_of(path).starts_with('/') || !is_attribute(bytes_of(path)))
            refuse(mrb, "path begins with / and holds no semicolon, not", path);
        out.put("; Path=");
        out.put(bytes_of(path));
    }
    if (!mrb_nil_p(expires)) {
        out.put("; Expires=");
        put_expires(mrb, out, expires);
    }
    if (!mrb_nil_p(age)) {
        if (!mrb_integer_p(age)) refuse(mrb, "max_age is a number of seconds, not", age);
        out.put("; Max-Age=");
        out.put(bytes_of(mrb_integer_to_str(mrb, age, 10)));
    }
    if (secure) out.put("; Secure");
    if (mrb_test(get_either("http_only", "httponly"))) out.put("; HttpOnly");
    if (mrb_test(same_site)) put_same_site(mrb, out, same_site, secure);
    if (mrb_test(get("partitioned"))) {
        if (!secure) refuse(mrb, "partitioned asks for secure: true, and has", get("secure"));
        out.put("; Partitioned");
    }
    return out.take();
}

}  // namespace

void define_cookie_text(mrb_state* mrb, RClass* cookies) {
    mrb_define_module_function(mrb, cookies, "make", make, MRB_ARGS_ARG(2, 1));
}

}  // namespace kumihimo::inline v0::mruby
