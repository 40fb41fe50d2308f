// Rack::Utils: what scripts written for Rack call by name, and HTTP's status texts.
#include "../src/characters.hpp"
#include "form.hpp"
#include "library.hpp"
#include "native.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

constexpr struct {
    int code;
    const char* text;
} statuses[] = {
    {100, "Continue"},
    {101, "Switching Protocols"},
    {102, "Processing"},
    {103, "Early Hints"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {207, "Multi-Status"},
    {208, "Already Reported"},
    {226, "IM Used"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {305, "Use Proxy"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {424, "Failed Dependency"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {506, "Variant Also Negotiates"},
    {507, "Insufficient Storage"},
    {508, "Loop Detected"},
    {511, "Network Authentication Required"},
};

// "Not Found", :not_found and "not found" are the same.
bool same_status(const char* text, std::string_view name) noexcept {
    for (const char c : name) {
        const auto plain = [](char x) { return x == ' ' || x == '-' ? '_' : lower(x); };
        if (*text == '\0' || plain(*text++) != plain(c)) return false;
    }
    return *text == '\0';
}

// Rack::Utils.status_code(:not_found) is 404; numbers are themselves.
mrb_value status_code(mrb_state* mrb, mrb_value) {
    mrb_value v;
    mrb_get_args(mrb, "o", &v);
    if (!mrb_symbol_p(v)) return mrb_integer_p(v) ? v : mrb_funcall_argv(mrb, v, mrb_intern_lit(mrb, "to_i"), 0, nullptr);
    const std::string_view name = bytes_of(mrb, mrb_symbol(v));
    for (const auto& s : statuses) {
        if (same_status(s.text, name)) return mrb_fixnum_value(s.code);
    }
    raise(mrb, mrb_exc_new_str(mrb, mrb_class_get(mrb, "ArgumentError"),
                               mrb_format(mrb, "unrecognized status code %v", mrb_inspect(mrb, v))));
}

template <percent style>
mrb_value escape(mrb_state* mrb, mrb_value) {
    mrb_value v;
    mrb_get_args(mrb, "o", &v);
    return encoded(mrb, v, style);
}

template <bool plus_is_space>
mrb_value unescape(mrb_state* mrb, mrb_value) {
    mrb_value v;
    mrb_get_args(mrb, "S", &v);
    return decoded(mrb, bytes_of(v), plus_is_space);
}

// What Rack takes a query apart at: any of the separators, & if none are given, and the spaces behind it.
struct query_arguments {
    mrb_value text, separators;
    explicit query_arguments(mrb_state* mrb) {
        mrb_value v, given = mrb_nil_value();
        mrb_get_args(mrb, "o|S!", &v, &given);
        separators = mrb_nil_p(given) ? mrb_str_new_lit(mrb, "&") : mrb_str_dup(mrb, given);
        if (RSTRING_LEN(separators) == 0) raise(mrb, "ArgumentError", "the separator is empty");
        text = mrb_nil_p(v) ? mrb_str_new_lit(mrb, "") : mrb_str_dup(mrb, mrb_ensure_string_type(mrb, v));
    }
    query_reader pairs() const noexcept { return {bytes_of(text), bytes_of(separators), true}; }
};

// A name that comes once has its value, one that comes again an Array.
mrb_value query(mrb_state* mrb, mrb_value) {
    const query_arguments given(mrb);
    const mrb_value all = parse_query(mrb, given.pairs(), repeated::all);
    const mrb_value keys = mrb_hash_keys(mrb, all);
    for (mrb_int i = 0; i < RARRAY_LEN(keys); ++i) {
        const mrb_value key = RARRAY_PTR(keys)[i], list = mrb_hash_get(mrb, all, key);
        if (RARRAY_LEN(list) == 1) mrb_hash_set(mrb, all, key, RARRAY_PTR(list)[0]);
    }
    return all;
}

mrb_value nested_query(mrb_state* mrb, mrb_value) {
    const query_arguments given(mrb);
    return parse_query(mrb, given.pairs(), repeated::nested);
}

}  // namespace

void define_rack(mrb_state* mrb) {
    RClass* const utils = mrb_define_module_under(mrb, mrb_define_module(mrb, "Rack"), "Utils");
    const auto on = [&](const char* name, mrb_func_t f, mrb_aspec args) {
        mrb_define_module_function(mrb, utils, name, f, args);
    };
    on("escape", escape<percent::form>, MRB_ARGS_REQ(1));
    on("unescape", unescape<true>, MRB_ARGS_REQ(1));
    on("escape_path", escape<percent::component>, MRB_ARGS_REQ(1));
    on("unescape_path", unescape<false>, MRB_ARGS_REQ(1));
    on("parse_query", query, MRB_ARGS_ARG(1, 1));
    on("parse_nested_query", nested_query, MRB_ARGS_ARG(1, 1));
    on("status_code", status_code, MRB_ARGS_REQ(1));
    const mrb_value texts = mrb_hash_new(mrb);
    for (const auto& s : statuses) mrb_hash_set(mrb, texts, mrb_fixnum_value(s.code), mrb_str_new_cstr(mrb, s.text));
    MRB_SET_FROZEN_FLAG(mrb_basic_ptr(texts));
    mrb_const_set(mrb, mrb_obj_value(utils), mrb_intern_lit(mrb, "HTTP_STATUS_CODES"), texts);
}

}  // namespace kumihimo::inline v0::mruby
