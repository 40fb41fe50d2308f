// Documents of any format: Apache::Request#data by Content-Type, Apache::Response#data= by Accept. The table of
// formats says all.
#include <cstddef>
#include <string_view>

#include "client_data.hpp"
#include "engine/formats.hpp"

namespace kumihimo::inline v0::apache {
namespace {

std::string_view trimmed(std::string_view s) {
    const std::size_t from = s.find_first_not_of(" \t");
    return from == s.npos ? std::string_view{} : s.substr(from, s.find_last_not_of(" \t") - from + 1);
}
// What stands before the next separator; `rest` goes behind it.
std::string_view next(std::string_view& rest, char separator) {
    const std::size_t end = rest.find(separator);
    const std::string_view part = rest.substr(0, end);
    rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
    return trimmed(part);
}
bool same(std::string_view a, std::string_view b) {
    return a.size() == b.size() && ap_cstr_casecmpn(a.data(), b.data(), a.size()) == 0;
}

// A quality ("0.25") in thousandths; what is none counts as 1.
int thousandths(std::string_view s) {
    if (s.empty() || (s[0] != '0' && s[0] != '1') || s.size() > 5 || (s.size() > 1 && s[1] != '.')) return 1000;
    int value = (s[0] - '0') * 1000, unit = 100;
    for (std::size_t i = 2; i < s.size(); i++, unit /= 10) {
        if (s[i] < '0' || s[i] > '9') return 1000;
        value += (s[i] - '0') * unit;
    }
    return value > 1000 ? 1000 : value;
}

// How much the client wants the media type (RFC 9110, 12.5.1): of the ranges that fit, the most exact one counts.
int wanted(std::string_view accept, std::string_view type) {
    int exactness = 0, quality = 0;
    while (!accept.empty()) {
        std::string_view parameters = next(accept, ',');
        const std::string_view range = next(parameters, ';');
        const std::string_view kind = type.substr(0, type.find('/') + 1);
        const int now = same(range, type)                                                                                    ? 3
                        : range.size() == kind.size() + 1 && range.back() == '*' && same(range.substr(0, kind.size()), kind) ? 2
                        : range == "*/*"                                                                                     ? 1
                                         : 0;
        if (now <= exactness) continue;
        exactness = now, quality = 1000;
        while (!parameters.empty()) {
            std::string_view value = next(parameters, ';');
            if (same(next(value, '='), "q")) quality = thousandths(trimmed(value));
        }
    }
    return quality;
}

struct choice {
    std::string_view format, media_type;
};
// The table's first row where nothing is said, or nothing is wanted more; no name where all are refused.
choice chosen(const char* accept) {
    choice best{};
    int most = 0;
    each_format([&](auto row) {
        for (const std::string_view type : decltype(row)::media_types) {
            const int now = accept ? wanted(accept, type) : 1000;
            if (now > most) most = now, best = {decltype(row)::name, type};
        }
    });
    return best;
}

mrb_value call(mrb_state* mrb, const char* name, mrb_value given, std::string_view format) {
    const mrb_value options = mrb_hash_new(mrb);
    mrb_hash_set(mrb, options, mrb_symbol_value(mrb_intern_lit(mrb, "format")), mrb_str_new(mrb, format.data(), format.size()));
    return mrb_funcall(mrb, mrb_obj_value(mrb_module_get(mrb, "Kumihimo")), name, 2, given, options);
}

// The client's error with this status, unless the script rescues it.
[[noreturn]] void refuse(mrb_state* mrb, int status, mrb_value text) {
    const mrb_value error = mrb_exc_new_str(mrb, mrb_class_get_under(mrb, mrb_class_get(mrb, "Apache"), "ClientError"), text);
    exchange::of(mrb).blame(mrb_ptr(error), status);
    mrb_exc_raise(mrb, error);
    __builtin_unreachable();
}

mrb_value data(mrb_state* mrb, mrb_value self) noexcept {
    const request_rec* const r = request_of(mrb, self);
    const char* const type = apr_table_get(r->headers_in, "Content-Type");
    const std::string_view format = type ? format_of_media_type(type) : std::string_view{};
    if (format.empty())
        refuse(mrb, HTTP_UNSUPPORTED_MEDIA_TYPE,
               type ? mrb_format(mrb, "no format has the media type %s", type)
                    : mrb_str_new_lit(mrb, "the body has no Content-Type"));
    const mrb_value body = body_of(mrb, self);
    return parsed(mrb, [&] { return call(mrb, "load", body, format); });
}

mrb_value set_data(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value value = mrb_get_arg1(mrb);
    request_rec* const r = request_of(mrb, self);
    const choice to = chosen(apr_table_get(r->headers_in, "Accept"));
    if (to.format.empty())
        refuse(mrb, HTTP_NOT_ACCEPTABLE, mrb_str_new_lit(mrb, "no format has a media type that the client accepts"));
    const mrb_value document = call(mrb, "dump", value, to.format);
    exchange& x = response_to_write(mrb);
    response_must_be_open(mrb, x);
    const bytes type{to.media_type.data(), to.media_type.size()}, vary{"Accept", 6};
    set_header(mrb, x, r, table::headers_out, {"Content-Type", 12}, &type, false);
    const char* const varies = apr_table_get(r->headers_out, "Vary");
    if (!varies || !ap_find_token(r->pool, varies, "Accept"))
        set_header(mrb, x, r, table::headers_out, {"Vary", 4}, &vary, true);
    host_section section;
    x.append(RSTRING_PTR(document), static_cast<std::size_t>(RSTRING_LEN(document)));
    return value;
}

constexpr method of_requests[] = {{"data", data}};
constexpr method of_responses[] = {{"data=", set_data, MRB_ARGS_REQ(1)}};

}  // namespace

void define_data(mrb_state* mrb, RClass* apache) {
    define_methods(mrb, mrb_class_get_under(mrb, apache, "Request"), of_requests);
    define_methods(mrb, mrb_class_get_under(mrb, apache, "Response"), of_responses);
}

}  // namespace kumihimo::inline v0::apache
