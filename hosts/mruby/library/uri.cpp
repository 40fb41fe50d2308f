// URI: what is written with %, and the parts of an address (RFC 3986). CGI.escape.
#include <algorithm>

#include "../src/characters.hpp"
#include "escape.hpp"
#include "form.hpp"
#include "library.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// --- percent ----------------------------------------------------------------------------------------------------------------

template <percent style>
mrb_value encode(mrb_state* mrb, mrb_value) {
    mrb_value v, ignored;  // an encoding, of which mruby has none
    mrb_get_args(mrb, "o|o", &v, &ignored);
    return encoded(mrb, v, style);
}

template <bool plus_is_space, bool strict>
mrb_value decode(mrb_state* mrb, mrb_value) {
    mrb_value v;
    mrb_get_args(mrb, "S", &v);
    if (strict && !percent_valid(bytes_of(v))) {
        raise(mrb, mrb_exc_new_str(mrb, mrb_class_get(mrb, "ArgumentError"), mrb_format(mrb, "invalid %%-encoding (%v)", v)));
    }
    return decoded(mrb, bytes_of(v), plus_is_space);
}

void put_pair(mrb_state* mrb, growing_string& out, mrb_value key, mrb_value value) {
    const int ai = mrb_gc_arena_save(mrb);
    // A to_s may take them out of what holds them.
    kept(mrb, key);
    kept(mrb, value);
    out.put(bytes_of(encoded(mrb, key, percent::form)));
    if (!mrb_nil_p(value)) {
        out.put('=');
        out.put(bytes_of(encoded(mrb, value, percent::form)));
    }
    mrb_gc_arena_restore(mrb, ai);
}

// The key with each of the elements; without any, an empty place between two pairs.
void put_pairs(mrb_state* mrb, growing_string& out, mrb_value key, mrb_value list) {
    const int ai = mrb_gc_arena_save(mrb);
    kept(mrb, key);
    kept(mrb, list);
    for (mrb_int i = 0; i < RARRAY_LEN(list); ++i) {
        if (i != 0) out.put('&');
        put_pair(mrb, out, key, RARRAY_PTR(list)[i]);
    }
    mrb_gc_arena_restore(mrb, ai);
}

mrb_value encode_www_form(mrb_state* mrb, mrb_value) {
    mrb_value v;
    mrb_get_args(mrb, "o", &v);
    const mrb_value pairs = mrb_funcall_argv(mrb, v, mrb_intern_lit(mrb, "to_a"), 0, nullptr);
    if (!mrb_array_p(pairs)) raise(mrb, "TypeError", "URI.encode_www_form takes a Hash or pairs");
    growing_string out(mrb, 64);
    for (mrb_int i = 0; i < RARRAY_LEN(pairs); ++i) {
        const mrb_value pair = RARRAY_PTR(pairs)[i];
        if (!mrb_array_p(pair) || RARRAY_LEN(pair) == 0)
            raise(mrb, "ArgumentError", "URI.encode_www_form takes a Hash or pairs");
        if (i != 0) out.put('&');
        const mrb_value key = RARRAY_PTR(pair)[0], value = mrb_ary_entry(pair, 1);
        (mrb_array_p(value) ? put_pairs : put_pair)(mrb, out, key, value);
    }
    return out.take();
}

mrb_value decode_www_form(mrb_state* mrb, mrb_value) {
    mrb_value v;
    mrb_get_args(mrb, "S", &v);
    const mrb_value list = mrb_ary_new(mrb);
    const int ai = mrb_gc_arena_save(mrb);
    for (std::string_view rest = bytes_of(v); !rest.empty();) {
        const std::string_view pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(pair.size() == rest.size() ? pair.size() : pair.size() + 1);
        const std::size_t equals = std::min(pair.find('='), pair.size());
        const mrb_value two[] = {decoded(mrb, pair.substr(0, equals), true),
                                 decoded(mrb, pair.substr(std::min(equals + 1, pair.size())), true)};
        mrb_ary_push(mrb, list, mrb_ary_new_from_values(mrb, 2, two));
        mrb_gc_arena_restore(mrb, ai);
    }
    return list;
}

// --- addresses --------------------------------------------------------------------------------------------------------------

// A part that is not there has no data.
struct address {
    std::string_view scheme, authority, path, query, fragment, user, host, port;
    bool good = true;
};

// RFC 3986, appendix B.
address parse(std::string_view s) noexcept {
    address a;
    for (const char c : s) {
        a.good = a.good && c > ' ' && c < 0x7f && c != '"' && c != '<' && c != '>' && c != '\\' && c != '^' && c != '`' &&
                 c != '{' && c != '|' && c != '}';
    }
    a.good = a.good && percent_valid(s);
    if (const std::size_t colon = s.find_first_of(":/?#"); colon != std::string_view::npos && s[colon] == ':') {
        a.scheme = s.substr(0, colon);
        a.good = a.good && colon != 0 && is_letter(s[0]);
        for (const char c : a.scheme) a.good = a.good && (is_letter_or_digit(c) || c == '+' || c == '-' || c == '.');
        s.remove_prefix(colon + 1);
    }
    if (const std::size_t hash = s.find('#'); hash != std::string_view::npos) {
        a.fragment = s.substr(hash + 1);
        s = s.substr(0, hash);
    }
    if (const std::size_t mark = s.find('?'); mark != std::string_view::npos) {
        a.query = s.substr(mark + 1);
        s = s.substr(0, mark);
    }
    if (s.starts_with("//")) {
        s.remove_prefix(2);
        a.authority = s.substr(0, s.find('/'));
        s.remove_prefix(a.authority.size());
        a.host = a.authority;
        if (const std::size_t at = a.host.rfind('@'); at != std::string_view::npos) {
            a.user = a.host.substr(0, at);
            a.host.remove_prefix(at + 1);
        }
        const std::size_t behind = a.host.starts_with('[') ? a.host.find(']') : 0;
        const std::size_t colon = behind == std::string_view::npos ? behind : a.host.find(':', behind);
        a.good = a.good && behind != std::string_view::npos;
        if (colon != std::string_view::npos) {
            a.port = a.host.substr(colon + 1);
            a.host = a.host.substr(0, colon);
            a.good = a.good && a.port.size() <= 5;
            for (const char c : a.port) a.good = a.good && is_digit(c);
        }
    }
    a.path = s;
    return a;
}

[[noreturn]] void bad(mrb_state* mrb, mrb_value text) {
    RClass* const klass = mrb_class_get_under(mrb, mrb_module_get(mrb, "URI"), "InvalidURIError");
    raise(mrb, mrb_exc_new_str(mrb, klass, mrb_format(mrb, "bad URI(is not URI?): %v", mrb_inspect(mrb, text))));
}

void put_address(growing_string& out, const address& a, std::string_view path) {
    if (a.scheme.data() != nullptr) {
        out.put(a.scheme);
        out.put(':');
    }
    if (a.authority.data() != nullptr) {
        out.put("//");
        out.put(a.authority);
    } else if (path.starts_with("//")) {
        out.put("/.");  // or the path would begin as an authority does: x:a/b and ..//host
    }
    out.put(path);
    if (a.query.data() != nullptr) {
        out.put('?');
        out.put(a.query);
    }
    if (a.fragment.data() != nullptr) {
        out.put('#');
        out.put(a.fragment);
    }
}

constexpr struct {
    std::string_view scheme;
    int port;
} default_ports[] = {{"http", 80}, {"https", 443}, {"ws", 80}, {"wss", 443}, {"ftp", 21}, {"ldap", 389}};

mrb_value made(mrb_state* mrb, mrb_value text) {
    // First, as a script's initialize could change the text, which the address' parts lie in.
    const mrb_value self = mrb_obj_new(mrb, mrb_class_get_under(mrb, mrb_module_get(mrb, "URI"), "Generic"), 0, nullptr);
    const address a = parse(bytes_of(text));
    if (!a.good) bad(mrb, text);
    const auto set = [&](const char* name, std::string_view part) {
        mrb_iv_set(mrb, self, mrb_intern_cstr(mrb, name), part.data() == nullptr ? mrb_nil_value() : new_string(mrb, part));
    };
    mrb_value scheme = mrb_nil_value();
    if (a.scheme.data() != nullptr) {
        scheme = new_string(mrb, a.scheme);
        std::transform(a.scheme.begin(), a.scheme.end(), RSTRING_PTR(scheme), lower);
    }
    mrb_iv_set(mrb, self, mrb_intern_lit(mrb, "@scheme"), scheme);
    set("@userinfo", a.user);
    set("@host", a.host);
    set("@path", a.path);
    set("@query", a.query);
    set("@fragment", a.fragment);
    int port = -1;
    if (!a.port.empty()) {
        port = 0;
        for (const char c : a.port) port = port * 10 + (c - '0');
        if (port > 65535) bad(mrb, text);
    } else if (!mrb_nil_p(scheme)) {
        for (const auto& known : default_ports) {
            if (known.scheme == bytes_of(scheme)) port = known.port;
        }
    }
    mrb_iv_set(mrb, self, mrb_intern_lit(mrb, "@port"), port < 0 ? mrb_nil_value() : mrb_fixnum_value(port));
    mrb_iv_set(mrb, self, mrb_intern_lit(mrb, "text"), mrb_str_dup(mrb, text));
    return self;
}

mrb_value uri_parse(mrb_state* mrb, mrb_value) {
    mrb_value text;
    mrb_get_args(mrb, "o", &text);
    // A String, or what stands for one: a URI.
    if (mrb_string_p(text)) return made(mrb, text);
    if (mrb_nil_p(text) || mrb_immediate_p(text) || !mrb_respond_to(mrb, text, mrb_intern_lit(mrb, "to_str"))) {
        RClass* const generic = mrb_class_get_under(mrb, mrb_module_get(mrb, "URI"), "Generic");
        if (mrb_obj_is_kind_of(mrb, text, generic)) return made(mrb, text_of(mrb, text));
        if (mrb_get_mid(mrb) == mrb_intern_lit(mrb, "URI"))
            raise(mrb, "ArgumentError", "bad argument (expected URI object or URI string)");
        bad(mrb, text);
    }
    return made(mrb, mrb_ensure_string_type(mrb, text));
}

// RFC 3986, 5.2.4: "." and ".." go; what is left of an empty path is a slash.
void put_without_dots(growing_string& out, std::string_view path) {
    const std::size_t begin = out.size();
    while (!path.empty()) {
        if (path.starts_with("../") || path.starts_with("./")) {
            path.remove_prefix(path.find('/') + 1);
        } else if (path.starts_with("/./") || path == "/.") {
            path = path.size() == 2 ? std::string_view("/") : path.substr(2);
        } else if (path.starts_with("/../") || path == "/..") {
            path = path.size() == 3 ? std::string_view("/") : path.substr(3);
            const std::size_t slash = out.view().substr(begin).rfind('/');
            out.cut(slash == std::string_view::npos ? begin : begin + slash);
        } else if (path == "." || path == "..") {
            return;
        } else {
            const std::size_t end = std::min(path.find('/', 1), path.size());
            out.put(path.substr(0, end));
            path.remove_prefix(end);
        }
    }
}

mrb_value joined(mrb_state* mrb, mrb_value base_text, mrb_value text) {
    const address base = parse(bytes_of(base_text)), to = parse(bytes_of(text));
    if (!base.good || base.scheme.data() == nullptr) bad(mrb, base_text);
    if (!to.good) bad(mrb, text);
    address result = to;
    growing_string path(mrb, 64);
    if (to.scheme.data() != nullptr) {
        put_without_dots(path, to.path);
    } else {
        result.scheme = base.scheme;
        if (to.authority.data() != nullptr) {
            put_without_dots(path, to.path);
        } else {
            result.authority = base.authority;
            if (to.path.empty()) {
                path.put(base.path);
                if (to.query.data() == nullptr) result.query = base.query;
            } else if (to.path.starts_with('/')) {
                put_without_dots(path, to.path);
            } else {
                growing_string merged(mrb, 64);
                if (base.authority.data() != nullptr && base.path.empty()) {
                    merged.put('/');
                } else {
                    merged.put(base.path.substr(0, base.path.rfind('/') + 1));
                }
                merged.put(to.path);
                put_without_dots(path, merged.view());
            }
        }
    }
    growing_string out(mrb, 64);
    put_address(out, result, path.view());
    return out.take();
}

mrb_value uri_join(mrb_state* mrb, mrb_value) {
    const arguments a(mrb);
    if (a.n == 0) raise(mrb, "ArgumentError", "URI.join takes an address and what is joined to it");
    mrb_value result = text_of(mrb, a.v[0]);
    for (mrb_int i = 1; i < a.n; ++i) result = joined(mrb, result, text_of(mrb, a.v[i]));
    return made(mrb, result);
}

// --- URI::Generic -----------------------------------------------------------------------------------------------------------

mrb_value part(mrb_state* mrb, mrb_value self) {
    char name[16] = "@";
    const std::string_view method = bytes_of(mrb, mrb_get_mid(mrb));
    if (method.size() + 1 >= sizeof name) return mrb_nil_value();
    std::memcpy(name + 1, method.data(), method.size());
    return mrb_iv_get(mrb, self, mrb_intern(mrb, name, method.size() + 1));
}

mrb_value hostname(mrb_state* mrb, mrb_value self) {
    const mrb_value host = mrb_iv_get(mrb, self, mrb_intern_lit(mrb, "@host"));
    if (!mrb_string_p(host) || !bytes_of(host).starts_with('[')) return host;
    return new_string(mrb, bytes_of(host).substr(1, bytes_of(host).size() - 2));
}

template <bool password>
mrb_value user(mrb_state* mrb, mrb_value self) {
    const mrb_value both = mrb_iv_get(mrb, self, mrb_intern_lit(mrb, "@userinfo"));
    if (!mrb_string_p(both)) return both;
    const std::string_view s = bytes_of(both);
    const std::size_t colon = s.find(':');
    if (!password) return new_string(mrb, s.substr(0, colon));
    return colon == std::string_view::npos ? mrb_nil_value() : new_string(mrb, s.substr(colon + 1));
}

mrb_value to_s(mrb_state* mrb, mrb_value self) {
    const mrb_value text = mrb_iv_get(mrb, self, mrb_intern_lit(mrb, "text"));
    return mrb_string_p(text) ? mrb_str_dup(mrb, text) : mrb_str_new_lit(mrb, "");
}

mrb_value request_uri(mrb_state* mrb, mrb_value self) {
    const mrb_value path = mrb_iv_get(mrb, self, mrb_intern_lit(mrb, "@path")),
                    query = mrb_iv_get(mrb, self, mrb_intern_lit(mrb, "@query"));
    growing_string out(mrb, 64);
    if (mrb_string_p(path) && RSTRING_LEN(path) > 0) out.put(bytes_of(path));
    if (out.size() == 0) out.put('/');
    if (mrb_string_p(query)) {
        out.put('?');
        out.put(bytes_of(query));
    }
    return out.take();
}

template <bool absolute>
mrb_value is_absolute(mrb_state* mrb, mrb_value self) {
    return mrb_bool_value(mrb_nil_p(mrb_iv_get(mrb, self, mrb_intern_lit(mrb, "@scheme"))) != absolute);
}

mrb_value inspect(mrb_state* mrb, mrb_value self) { return mrb_format(mrb, "#<URI %v>", to_s(mrb, self)); }

mrb_value equal(mrb_state* mrb, mrb_value self) {
    mrb_value other;
    mrb_get_args(mrb, "o", &other);
    if (mrb_obj_class(mrb, other) != mrb_obj_class(mrb, self)) return mrb_false_value();
    return mrb_bool_value(bytes_of(to_s(mrb, self)) == bytes_of(to_s(mrb, other)));
}

}  // namespace

void define_uri(mrb_state* mrb) {
    RClass* const uri = mrb_define_module(mrb, "URI");
    RClass* const error = mrb_define_class_under(mrb, uri, "Error", mrb->eStandardError_class);
    mrb_define_class_under(mrb, uri, "InvalidURIError", error);
    const auto on = [&](RClass* c, const char* name, mrb_func_t f, mrb_aspec args) {
        mrb_define_module_function(mrb, c, name, f, args);
    };
    on(uri, "encode_www_form_component", encode<percent::form>, MRB_ARGS_ARG(1, 1));
    on(uri, "decode_www_form_component", decode<true, true>, MRB_ARGS_REQ(1));
    on(uri, "encode_uri_component", encode<percent::component>, MRB_ARGS_ARG(1, 1));
    on(uri, "decode_uri_component", decode<false, true>, MRB_ARGS_REQ(1));
    on(uri, "escape", encode<percent::address>, MRB_ARGS_ARG(1, 1));
    on(uri, "unescape", decode<false, false>, MRB_ARGS_REQ(1));
    on(uri, "encode_www_form", encode_www_form, MRB_ARGS_REQ(1));
    on(uri, "decode_www_form", decode_www_form, MRB_ARGS_REQ(1));
    on(uri, "parse", uri_parse, MRB_ARGS_REQ(1));
    on(uri, "join", uri_join, MRB_ARGS_ANY());
    mrb_define_method(mrb, mrb->kernel_module, "URI", uri_parse, MRB_ARGS_REQ(1));
    RClass* const cgi = mrb_define_module(mrb, "CGI");
    on(cgi, "escape", encode<percent::query>, MRB_ARGS_ARG(1, 1));
    on(cgi, "unescape", decode<true, false>, MRB_ARGS_REQ(1));

    RClass* const generic = mrb_define_class_under(mrb, uri, "Generic", mrb->object_class);
    for (const char* name : {"scheme", "userinfo", "host", "port", "path", "query", "fragment"}) {
        mrb_define_method(mrb, generic, name, part, MRB_ARGS_NONE());
    }
    const auto in = [&](const char* name, mrb_func_t f, mrb_aspec args) { mrb_define_method(mrb, generic, name, f, args); };
    in("hostname", hostname, MRB_ARGS_NONE());
    in("user", user<false>, MRB_ARGS_NONE());
    in("password", user<true>, MRB_ARGS_NONE());
    in("to_s", to_s, MRB_ARGS_NONE());
    in("request_uri", request_uri, MRB_ARGS_NONE());
    in("absolute?", is_absolute<true>, MRB_ARGS_NONE());
    in("relative?", is_absolute<false>, MRB_ARGS_NONE());
    in("inspect", inspect, MRB_ARGS_NONE());
    in("==", equal, MRB_ARGS_REQ(1));
}

}  // namespace kumihimo::inline v0::mruby
