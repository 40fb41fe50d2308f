// HTML.escape and unescape; CGI's, ERB::Util's and Rack::Utils's names for the same.
#include "escape.hpp"
#include "library.hpp"
#include "native.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

mrb_value escape(mrb_state* mrb, mrb_value) {
    mrb_value v;
    mrb_get_args(mrb, "o", &v);
    v = text_of(mrb, v);
    const std::string_view s = bytes_of(v);
    const std::size_t size = html_escaped_size(s);
    if (size == s.size()) return mrb_str_dup(mrb, v);
    const mrb_value out = mrb_str_new(mrb, nullptr, static_cast<mrb_int>(size));
    html_escape(bytes_of(v), RSTRING_PTR(out));
    return out;
}

mrb_value unescape(mrb_state* mrb, mrb_value) {
    mrb_value v;
    mrb_get_args(mrb, "S", &v);
    const mrb_value out = mrb_str_new(mrb, nullptr, RSTRING_LEN(v));
    const char* const end = html_unescape(bytes_of(v), RSTRING_PTR(out));
    return mrb_str_resize(mrb, out, end - RSTRING_PTR(out));
}

}  // namespace

void define_html(mrb_state* mrb) {
    RClass* const html = mrb_define_module(mrb, "HTML");
    mrb_define_module_function(mrb, html, "escape", escape, MRB_ARGS_REQ(1));
    mrb_define_module_function(mrb, html, "unescape", unescape, MRB_ARGS_REQ(1));
    RClass* const cgi = mrb_define_module(mrb, "CGI");
    for (const char* name : {"escapeHTML", "escape_html", "h"})
        mrb_define_module_function(mrb, cgi, name, escape, MRB_ARGS_REQ(1));
    for (const char* name : {"unescapeHTML", "unescape_html"})
        mrb_define_module_function(mrb, cgi, name, unescape, MRB_ARGS_REQ(1));
    RClass* const util = mrb_define_module_under(mrb, mrb_define_module(mrb, "ERB"), "Util");
    for (const char* name : {"h", "html_escape"}) mrb_define_module_function(mrb, util, name, escape, MRB_ARGS_REQ(1));
    RClass* const rack = mrb_define_module_under(mrb, mrb_define_module(mrb, "Rack"), "Utils");
    mrb_define_module_function(mrb, rack, "escape_html", escape, MRB_ARGS_REQ(1));
}

}  // namespace kumihimo::inline v0::mruby
