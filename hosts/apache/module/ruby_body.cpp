// The body of the request: Apache::Request#body, read, readpartial. What is asked for beyond that is Ruby
// (ruby_prelude.cpp).
#include <algorithm>

#include "client_data.hpp"

namespace kumihimo::inline v0::apache {
namespace {

// The exchange, where there is a body to read.
exchange& reader_of(mrb_state* mrb, mrb_value self) {
    const request_rec* const r = request_of(mrb, self);
    exchange& x = exchange::of(mrb);
    if (r != x.r) raise(mrb, "PhaseError", "a subrequest has no body: read that of the request it was made in");
    if (x.current_phase == phase::log_transaction || x.current_phase == phase::output_filter ||
        x.current_phase == phase::input_filter)
        raise_phase(mrb, x, "the body of the request can be read by handlers and by the hooks before them");
    return x;
}

void must_be_read(mrb_state* mrb, exchange& x, exchange::body result) {
    if (result != exchange::body::too_large && result != exchange::body::failed) return;
    const bool too_large = result == exchange::body::too_large;
    const mrb_value text = too_large ? mrb_str_new_lit(mrb, "the body of the request is larger than MrubyMaxBody allows")
                                     : mrb_str_new_lit(mrb, "the body of the request did not come whole");
    RClass* const kind = mrb_class_get_under(mrb, mrb_class_get(mrb, "Apache"), too_large ? "BodyTooLarge" : "ClientError");
    const mrb_value error = mrb_exc_new_str(mrb, kind, text);
    x.blame(mrb_ptr(error), x.status_of_body);
    mrb_exc_raise(mrb, error);
}

mrb_value whole(mrb_state* mrb, mrb_value self) noexcept { return body_of(mrb, self); }

// Up to `most` more bytes, appended; false at the end.
bool more(mrb_state* mrb, exchange& x, mrb_value to, std::size_t most) {
    char piece[8192];
    std::size_t got = 0;
    exchange::body result;
    {
        host_section section;
        result = x.read_some(piece, std::min(most, sizeof piece), got);
    }
    must_be_read(mrb, x, result);
    if (got) mrb_str_cat(mrb, to, piece, got);
    return result != exchange::body::end && got;
}

mrb_int size_argument(mrb_state* mrb, mrb_value v) {
    const mrb_int n = mrb_as_int(mrb, v);
    if (n < 0) mrb_raisef(mrb, E_ARGUMENT_ERROR, "%n: cannot read %i bytes", mrb_get_mid(mrb), n);
    return n;
}

// As IO#read: so many bytes unless the end comes first; nil at the end. Without a number, all the rest.
mrb_value read(mrb_state* mrb, mrb_value self) noexcept {
    mrb_value wanted = mrb_nil_value();
    mrb_get_args(mrb, "|o", &wanted);
    const bool all = mrb_nil_p(wanted);
    const mrb_int n = all ? MRB_INT_MAX : size_argument(mrb, wanted);
    exchange& x = reader_of(mrb, self);
    const mrb_value text = mrb_str_new(mrb, nullptr, 0);
    if (!n) return text;
    while (RSTRING_LEN(text) < n && more(mrb, x, text, static_cast<std::size_t>(n - RSTRING_LEN(text)))) {
    }
    return RSTRING_LEN(text) || all ? text : mrb_nil_value();
}

// As they come from the client; nil at the end.
mrb_value read_partial(mrb_state* mrb, mrb_value self) noexcept {
    mrb_value wanted = mrb_fixnum_value(8192);
    mrb_get_args(mrb, "|o", &wanted);
    const mrb_int n = size_argument(mrb, wanted);
    if (!n) mrb_raise(mrb, E_ARGUMENT_ERROR, "readpartial: cannot read 0 bytes");
    exchange& x = reader_of(mrb, self);
    const mrb_value text = mrb_str_new(mrb, nullptr, 0);
    more(mrb, x, text, static_cast<std::size_t>(n));
    return RSTRING_LEN(text) ? text : mrb_nil_value();
}

constexpr method methods[] = {
    {"body", whole},
    {"read", read, MRB_ARGS_OPT(1)},
    {"readpartial", read_partial, MRB_ARGS_OPT(1)},
};

}  // namespace

mrb_value body_of(mrb_state* mrb, mrb_value self) {
    exchange& x = reader_of(mrb, self);
    const char* data = nullptr;
    std::size_t size = 0;
    exchange::body result;
    {
        host_section section;
        result = x.read_body(data, size);
    }
    must_be_read(mrb, x, result);
    return mrb_str_new(mrb, data, size);
}

void define_body(mrb_state* mrb, RClass* apache) { define_methods(mrb, mrb_class_get_under(mrb, apache, "Request"), methods); }

}  // namespace kumihimo::inline v0::apache
