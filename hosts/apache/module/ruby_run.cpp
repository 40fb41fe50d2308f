// The environment that `run` gives a Rack app: Apache::Request#rack_env. The rest of `run` is Ruby (ruby_prelude.cpp).
#include "hosts/mruby/src/characters.hpp"
#include "ruby.hpp"

namespace kumihimo::inline v0::apache {
namespace {

struct environment {
    mrb_state* mrb;
    mrb_value hash;

    void put(const char* key, mrb_value value) const { mrb_hash_set(mrb, hash, mrb_str_new_cstr(mrb, key), value); }
    void put(const char* key, const char* value) const {
        put(key, value ? mrb_str_new_cstr(mrb, value) : mrb_str_new_lit(mrb, ""));
    }
    void put_port(const char* key, const apr_sockaddr_t* address) const {
        if (address) put(key, mrb_integer_to_str(mrb, mrb_fixnum_value(address->port), 10));
    }
};

// Accept-Language: HTTP_ACCEPT_LANGUAGE. Two go without HTTP_, and one not at all: CGI programs took Proxy for
// HTTP_PROXY, the proxy that they were to use.
mrb_value name_of_header(mrb_state* mrb, const char* name) {
    if (!ap_cstr_casecmp(name, "Content-Type")) return mrb_str_new_lit(mrb, "CONTENT_TYPE");
    if (!ap_cstr_casecmp(name, "Content-Length")) return mrb_str_new_lit(mrb, "CONTENT_LENGTH");
    if (!ap_cstr_casecmp(name, "Proxy")) return mrb_nil_value();
    const std::size_t n = std::strlen(name);
    const mrb_value key = mrb_str_new(mrb, nullptr, n + 5);
    char* const to = RSTRING_PTR(key);
    std::memcpy(to, "HTTP_", 5);
    for (std::size_t i = 0; i < n; i++) {
        to[i + 5] = name[i] == '-' ? '_' : mruby::upper(name[i]);
    }
    return key;
}

void put_headers(const environment& env, const request_rec* r) {
    mrb_state* const mrb = env.mrb;
    const int arena = mrb_gc_arena_save(mrb);
    for (int i = 0; i < apr_table_elts(r->headers_in)->nelts; i++) {
        const auto& e = reinterpret_cast<const apr_table_entry_t*>(apr_table_elts(r->headers_in)->elts)[i];
        if (!e.key || !e.val) continue;
        const mrb_value key = name_of_header(mrb, e.key);
        if (!mrb_nil_p(key)) mrb_hash_set(mrb, env.hash, key, to_ruby(mrb, e.val));
        mrb_gc_arena_restore(mrb, arena);
    }
}

// A file's script is the app, and what follows its name is the app's path. Code of the configuration has no name of
// its own.
void put_path(const environment& env, const request_rec* r) {
    const std::size_t uri = r->uri ? std::strlen(r->uri) : 0, info = r->path_info ? std::strlen(r->path_info) : 0;
    if (r->handler && !std::strcmp(r->handler, "mruby-script") && info <= uri) {
        env.put("SCRIPT_NAME", mrb_str_new(env.mrb, r->uri, uri - info));
        env.put("PATH_INFO", r->path_info);
    } else {
        env.put("SCRIPT_NAME", "");
        env.put("PATH_INFO", r->uri);
    }
}

mrb_value rack_env(mrb_state* mrb, mrb_value self) noexcept {
    request_rec* const r = request_of(mrb, self);
    const char *scheme, *server, *description;
    int port;
    {
        host_section section;
        const whole_request whole(r);
        scheme = ap_http_scheme(r);
        server = r->hostname ? r->hostname : ap_get_server_name(r);
        description = ap_get_server_description();
        port = ap_get_server_port(r);
    }
    const environment env{mrb, mrb_hash_new_capa(mrb, 40)};
    const int arena = mrb_gc_arena_save(mrb);
    env.put("REQUEST_METHOD", r->method);
    put_path(env, r);
    env.put("REQUEST_URI", r->unparsed_uri);
    env.put("QUERY_STRING", r->args);
    env.put("SERVER_NAME", server);
    env.put("SERVER_PORT", mrb_integer_to_str(mrb, mrb_fixnum_value(port), 10));
    env.put("SERVER_PROTOCOL", r->protocol);
    env.put("SERVER_ADDR", r->connection->local_ip);
    env.put("REMOTE_ADDR", r->useragent_ip);
    env.put_port("REMOTE_PORT", r->useragent_addr);
    mrb_gc_arena_restore(mrb, arena);
    if (r->user) env.put("REMOTE_USER", r->user);
    if (r->ap_auth_type) env.put("AUTH_TYPE", r->ap_auth_type);
    env.put("DOCUMENT_ROOT", ap_document_root(r));
    if (!std::strcmp(scheme, "https")) env.put("HTTPS", "on");
    env.put("rack.url_scheme", scheme);
    const mrb_value version[] = {mrb_fixnum_value(3), mrb_fixnum_value(0)};
    env.put("rack.version", mrb_ary_new_from_values(mrb, 2, version));
    // A thread has a VM of its own: no other calls the app.
    env.put("rack.multithread", mrb_false_value());
    env.put("rack.multiprocess", mrb_true_value());
    env.put("rack.run_once", mrb_bool_value(!vm::of(mrb)->made_with().keep_state));
    env.put("rack.hijack?", mrb_false_value());
    env.put("server.name", AP_SERVER_BASEPRODUCT);
    env.put("server.version", description);
    put_headers(env, r);
    mrb_gc_arena_restore(mrb, arena);
    return env.hash;
}

constexpr method methods[] = {{"rack_env", rack_env}};

}  // namespace

void define_run(mrb_state* mrb, RClass* apache) { define_methods(mrb, mrb_class_get_under(mrb, apache, "Request"), methods); }

}  // namespace kumihimo::inline v0::apache
