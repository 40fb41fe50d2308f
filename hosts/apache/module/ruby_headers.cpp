// A request's tables as Ruby has hashes: Headers_in, Headers_out, Err_headers_out, Notes, Env. Names are matched
// without case, and may have several values.
#include <charconv>

#include "hosts/mruby/src/characters.hpp"
#include "ruby.hpp"

namespace kumihimo::inline v0::apache {
namespace {

apr_table_t* table_of(const request_rec* r, table which) {
    switch (which) {
        case table::headers_in: return r->headers_in;
        case table::headers_out: return r->headers_out;
        case table::err_headers_out: return r->err_headers_out;
        case table::env: return r->subprocess_env;
        default: return r->notes;
    }
}
apr_table_t* table_of(const handle& h) { return table_of(h.r, h.which); }
// What an entry takes of the pool: a table that is full is copied into one twice as large, and the old one stays.
constexpr std::size_t of_entry = 4 * sizeof(apr_table_entry_t);
// A header of the response is, when it is sent, four buckets of their own.
constexpr std::size_t of_sending = 2048;

bool of_headers(table t) { return t == table::headers_in || t == table::headers_out || t == table::err_headers_out; }
bool of_response(table t) { return t == table::headers_out || t == table::err_headers_out; }

bool is(bytes name, const char* other) {
    return name.size == std::strlen(other) && !ap_cstr_casecmpn(name.data, other, name.size);
}

template <table Which>
mrb_value initialize(mrb_state* mrb, mrb_value self) noexcept {
    request_rec* const r = exchange::of(mrb).r;
    begin_object(mrb, self, r, Which);
    if (Which == table::env) fill_env(mrb, r);
    return self;
}

// A name that httpd can read; most are short, and take nothing of the pool.
class name_argument {
public:
    name_argument(mrb_state* mrb, const handle& h, mrb_value v) {
        const bytes name = text_of(mrb, v);
        check(mrb, name, rule::text);
        if (name.size < sizeof buffer_) {
            std::memcpy(buffer_, name.data, name.size);
            buffer_[name.size] = 0;
            text_ = buffer_;
        } else {
            text_ = keep(mrb, exchange::of(mrb), h.r->pool, name);
        }
    }
    const char* c_str() const { return text_; }

private:
    const char* text_;
    char buffer_[128];
};

// httpd keeps these of the response elsewhere.
const char* kept_apart(const handle& h, const char* name) {
    if (h.which == table::headers_out && !ap_cstr_casecmp(name, "Content-Type")) return h.r->content_type;
    return nullptr;
}

mrb_value get(mrb_state* mrb, mrb_value self) noexcept {
    const handle& h = handle_of(mrb, self);
    const name_argument name{mrb, h, mrb_get_arg1(mrb)};
    const char* value = apr_table_get(table_of(h), name.c_str());
    return to_ruby(mrb, value ? value : kept_apart(h, name.c_str()));
}

mrb_value has(mrb_state* mrb, mrb_value self) noexcept {
    const handle& h = handle_of(mrb, self);
    const name_argument name{mrb, h, mrb_get_arg1(mrb)};
    return mrb_bool_value(apr_table_get(table_of(h), name.c_str()) || kept_apart(h, name.c_str()));
}

void put(mrb_state* mrb, const handle& h, mrb_value key, mrb_value value, bool add) {
    exchange& x = exchange::of(mrb);
    const bool gone = mrb_nil_p(value);
    const bytes v = gone ? bytes{nullptr, 0} : text_of(mrb, value);
    const bytes name = text_of(mrb, key);
    if (of_headers(h.which)) return set_header(mrb, x, h.r, h.which, name, gone ? nullptr : &v, add);
    check(mrb, name, rule::text);
    check(mrb, v, rule::text);
    if (!name.size) mrb_raise(mrb, E_ARGUMENT_ERROR, "the name is empty");
    char* const k = keep(mrb, x, h.r->pool, name);
    char* const copy = gone ? nullptr : keep(mrb, x, h.r->pool, v);
    if (!gone) charge(mrb, x, of_entry);
    host_section section;
    if (gone)
        apr_table_unset(table_of(h), k);
    else if (add)
        apr_table_addn(table_of(h), k, copy);
    else
        apr_table_setn(table_of(h), k, copy);
}

mrb_value set(mrb_state* mrb, mrb_value self) noexcept {
    mrb_value key, value;
    mrb_get_args(mrb, "oo", &key, &value);
    const handle& h = handle_of(mrb, self);
    // Cookies are one header each: as in mod_mruby, setting another one adds it.
    const bool add = of_response(h.which) && is(text_of(mrb, key), "Set-Cookie") && !mrb_nil_p(value);
    put(mrb, h, key, value, add);
    return value;
}

mrb_value add(mrb_state* mrb, mrb_value self) noexcept {
    mrb_value key, value;
    mrb_get_args(mrb, "oo", &key, &value);
    if (mrb_nil_p(value)) mrb_raise(mrb, E_TYPE_ERROR, "add takes a String, not nil");
    put(mrb, handle_of(mrb, self), key, value, true);
    return self;
}

mrb_value remove(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value key = mrb_get_arg1(mrb);
    const handle& h = handle_of(mrb, self);
    const name_argument name{mrb, h, key};
    const char* const value = apr_table_get(table_of(h), name.c_str());
    const mrb_value was = to_ruby(mrb, value ? value : kept_apart(h, name.c_str()));
    put(mrb, h, key, mrb_nil_value(), false);
    return was;
}

// The entries are asked for each time: what is called in between may change the table.
const apr_table_entry_t* entry(const handle& h, int i) {
    const apr_array_header_t* const list = apr_table_elts(table_of(h));
    return i < list->nelts ? reinterpret_cast<const apr_table_entry_t*>(list->elts) + i : nullptr;
}

template <class Each>
void for_each(mrb_state* mrb, const handle& h, Each each) {
    const int arena = mrb_gc_arena_save(mrb);
    for (int i = 0; const apr_table_entry_t* const e = entry(h, i); i++) {
        if (!e->key || !e->val) continue;
        each(*e);
        mrb_gc_arena_restore(mrb, arena);
    }
}

mrb_value get_all(mrb_state* mrb, mrb_value self) noexcept {
    const handle& h = handle_of(mrb, self);
    const name_argument name{mrb, h, mrb_get_arg1(mrb)};
    const mrb_value list = mrb_ary_new(mrb);
    for_each(mrb, h, [&](const apr_table_entry_t& e) {
        if (!ap_cstr_casecmp(e.key, name.c_str())) mrb_ary_push(mrb, list, to_ruby(mrb, e.val));
    });
    const char* const apart = kept_apart(h, name.c_str());
    if (apart && !RARRAY_LEN(list)) mrb_ary_push(mrb, list, to_ruby(mrb, apart));
    return list;
}

mrb_value to_a(mrb_state* mrb, mrb_value self) noexcept {
    const handle& h = handle_of(mrb, self);
    const mrb_value list = mrb_ary_new(mrb);
    for_each(mrb, h, [&](const apr_table_entry_t& e) {
        const mrb_value key = to_ruby(mrb, e.key), value = to_ruby(mrb, e.val);
        mrb_ary_push(mrb, list, mrb_assoc_new(mrb, key, value));
    });
    return list;
}

// Several values of a name are one, as HTTP joins them; cookies cannot be joined, and are lines.
mrb_value to_h(mrb_state* mrb, mrb_value self) noexcept {
    const handle& h = handle_of(mrb, self);
    const mrb_value all = mrb_hash_new(mrb);
    for_each(mrb, h, [&](const apr_table_entry_t& e) {
        const char* const more = e.val;
        const mrb_value key = to_ruby(mrb, e.key);
        mrb_value value = mrb_hash_fetch(mrb, all, key, mrb_nil_value());
        if (mrb_nil_p(value)) {
            value = to_ruby(mrb, more);
        } else {
            value = mrb_str_dup(mrb, value);
            mrb_str_cat_cstr(
                mrb, value,
                is(bytes{RSTRING_PTR(key), static_cast<std::size_t>(RSTRING_LEN(key))}, "Set-Cookie") ? "\n" : ", ");
            mrb_str_cat_cstr(mrb, value, more);
        }
        mrb_hash_set(mrb, all, key, value);
    });
    return all;
}

mrb_value size(mrb_state* mrb, mrb_value self) noexcept {
    return mrb_fixnum_value(apr_table_elts(table_of(handle_of(mrb, self)))->nelts);
}

template <table Which>
constexpr method methods[] = {
    {"initialize", initialize<Which>},
    {"[]", get, MRB_ARGS_REQ(1)},
    {"get", get, MRB_ARGS_REQ(1)},
    {"[]=", set, MRB_ARGS_REQ(2)},
    {"set", set, MRB_ARGS_REQ(2)},
    {"add", add, MRB_ARGS_REQ(2)},
    {"get_all", get_all, MRB_ARGS_REQ(1)},
    {"delete", remove, MRB_ARGS_REQ(1)},
    {"key?", has, MRB_ARGS_REQ(1)},
    {"has_key?", has, MRB_ARGS_REQ(1)},
    {"include?", has, MRB_ARGS_REQ(1)},
    {"all", to_h},
    {"to_h", to_h},
    {"to_a", to_a},
    {"size", size},
    {"length", size},
};

// Digits alone, and not more than a size has.
bool length_of(bytes text, apr_off_t& length) {
    if (!text.size) return false;
    for (std::size_t i = 0; i < text.size; i++)
        if (!mruby::is_digit(text.data[i])) return false;
    return std::from_chars(text.data, text.data + text.size, length).ec == std::errc{};
}

}  // namespace

void set_header(mrb_state* mrb, exchange& x, request_rec* r, table which, bytes name, const bytes* value, bool add) {
    check(mrb, name, rule::token);
    if (value) check(mrb, *value, rule::line);
    if (of_response(which)) {
        if (r == x.r) response_must_be_open(mrb, x);
        if (is(name, "Transfer-Encoding"))
            mrb_raise(mrb, E_ARGUMENT_ERROR,
                      "Transfer-Encoding is httpd's own: it frames the response as the client can take it");
        if (is(name, "Content-Length") && value) {
            apr_off_t length = 0;
            if (!length_of(*value, length)) mrb_raise(mrb, E_ARGUMENT_ERROR, "Content-Length is a number of bytes");
            charge(mrb, x, 32);
            host_section section;
            ap_set_content_length(r, length);
            return;
        }
        if (is(name, "Content-Type")) {
            const char* const type = value && value->size ? keep(mrb, x, r->pool, *value) : nullptr;
            host_section section;
            apr_table_unset(r->headers_out, "Content-Type");
            if (type)
                ap_set_content_type(r, type);
            else
                r->content_type = nullptr;
            return;
        }
    }
    char* const k = keep(mrb, x, r->pool, name);
    char* const v = value ? keep(mrb, x, r->pool, *value) : nullptr;
    if (v) charge(mrb, x, of_entry + (of_response(which) ? of_sending : 0));
    apr_table_t* const t = table_of(r, which);
    host_section section;
    if (!v)
        apr_table_unset(t, k);
    else if (add)
        apr_table_addn(t, k, v);
    else
        apr_table_setn(t, k, v);
}

void fill_env(mrb_state* mrb, request_rec* r) {
    // Texts of the request's, some more than once, and a variable for each header.
    std::size_t size = 4096 + copying(r->subprocess_env) + 4 * std::strlen(r->unparsed_uri ? r->unparsed_uri : "");
    const apr_array_header_t* const headers = apr_table_elts(r->headers_in);
    for (int i = 0; i < headers->nelts; i++) {
        const char* const key = reinterpret_cast<const apr_table_entry_t*>(headers->elts)[i].key;
        size += 128 + (key ? std::strlen(key) : 0);
    }
    charge(mrb, exchange::of(mrb), size);
    waiting_section section;  // PATH_TRANSLATED takes a subrequest
    const whole_request whole(r);
    ap_add_common_vars(r);
    ap_add_cgi_vars(r);
}

void define_tables(mrb_state* mrb, RClass* apache) {
    define_class(mrb, apache, "Headers_in", methods<table::headers_in>);
    define_class(mrb, apache, "Headers_out", methods<table::headers_out>);
    define_class(mrb, apache, "Err_headers_out", methods<table::err_headers_out>);
    define_class(mrb, apache, "Notes", methods<table::notes>);
    define_class(mrb, apache, "Env", methods<table::env>);
}

}  // namespace kumihimo::inline v0::apache
