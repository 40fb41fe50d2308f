// What the natives of the Apache classes share.
#include "ruby.hpp"

#include <array>

#include "hosts/mruby/library/token.hpp"

namespace kumihimo::inline v0::apache {
namespace {

void release(mrb_state* mrb, void* p) noexcept { mrb_free(mrb, p); }
constexpr mrb_data_type handle_type{"Apache object", release};

handle* new_handle(mrb_state* mrb, request_rec* r, table which) {
    auto* const h = static_cast<handle*>(mrb_malloc(mrb, sizeof(handle)));
    *h = {vm::of(mrb)->run_number(), r, nullptr, which, false, HTTP_OK, nullptr};
    return h;
}

RClass* class_named(mrb_state* mrb, const char* name) { return mrb_class_get_under(mrb, mrb_class_get(mrb, "Apache"), name); }

// Which bytes each rule allows: RFC 9110 5.6.2 (tokens), 5.5 (field values).
constexpr auto allowed = [] {
    std::array<std::uint8_t, 256> t{};
    const auto bit = [](rule r) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(r)); };
    for (int c = 1; c < 256; c++) t[c] |= bit(rule::text);
    for (int c = 32; c < 256; c++)
        if (c != 127) t[c] |= bit(rule::line);
    t['\t'] |= bit(rule::line);
    for (int c = 1; c < 128; c++)
        if (mruby::is_token(static_cast<char>(c))) t[c] |= bit(rule::token);
    return t;
}();

}  // namespace

mrb_value new_object(mrb_state* mrb, const char* class_name, request_rec* r, table which) {
    handle* const h = new_handle(mrb, r, which);
    return mrb_obj_value(mrb_data_object_alloc(mrb, class_named(mrb, class_name), h, &handle_type));
}

void begin_object(mrb_state* mrb, mrb_value self, request_rec* r, table which) {
    if (!mrb_data_p(self)) mrb_raise(mrb, E_TYPE_ERROR, "not an object of Apache's classes");
    handle* const h = new_handle(mrb, r, which);
    if (DATA_TYPE(self) == &handle_type && DATA_PTR(self)) release(mrb, DATA_PTR(self));
    mrb_data_init(self, h, &handle_type);
}

mrb_value stand_for_request(mrb_state* mrb, mrb_value self) noexcept {
    begin_object(mrb, self, exchange::of(mrb).r);
    return self;
}

handle& handle_of(mrb_state* mrb, mrb_value self) {
    if (!mrb_data_p(self) || DATA_TYPE(self) != &handle_type || !DATA_PTR(self))
        mrb_raise(mrb, E_TYPE_ERROR, "object without a request: its class's initialize has not been called");
    handle& h = *static_cast<handle*>(DATA_PTR(self));
    const vm* const v = vm::of(mrb);
    if (!v || !v->here() || h.run != v->run_number())
        raise(mrb, "StaleError", "this object belongs to a request that is over; get a new one (Apache::Request.new ...)");
    return h;
}

void raise(mrb_state* mrb, const char* class_name, const char* text) {
    mrb_raise(mrb, class_named(mrb, class_name), text);
    __builtin_unreachable();
}

void raise_phase(mrb_state* mrb, const exchange& x, const char* what) {
    mrb_raisef(mrb, class_named(mrb, "PhaseError"), "%s (this script runs as %s)", what, name_of(x.current_phase));
    __builtin_unreachable();
}

void response_must_be_open(mrb_state* mrb, const exchange& x) {
    if (x.current_phase == phase::log_transaction) raise_phase(mrb, x, "the response has been sent already");
    if (x.started()) raise(mrb, "Error", "the headers have been sent already: set them before the first flush");
}

bytes text_of(mrb_state* mrb, mrb_value v) {
    switch (mrb_type(v)) {
        case MRB_TT_STRING: break;
        case MRB_TT_SYMBOL: {
            mrb_int n = 0;
            // Short symbols are spelled into a buffer that the next one overwrites.
            const char* const s = mrb_sym_name_len(mrb, mrb_symbol(v), &n);
            v = mrb_str_new(mrb, s, static_cast<std::size_t>(n));
            break;
        }
        case MRB_TT_INTEGER: v = mrb_integer_to_str(mrb, v, 10); break;
        default: mrb_raisef(mrb, E_TYPE_ERROR, "%n takes a String, not %T", mrb_get_mid(mrb), v);
    }
    return {RSTRING_PTR(v), static_cast<std::size_t>(RSTRING_LEN(v))};
}

void check(mrb_state* mrb, bytes text, rule r) {
    const unsigned bit = 1U << static_cast<unsigned>(r);
    for (std::size_t i = 0; i < text.size; i++) {
        const auto c = static_cast<unsigned char>(text.data[i]);
        if (allowed[c] & bit) continue;
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "%n: byte %d at %d cannot be in %s", mrb_get_mid(mrb), static_cast<int>(c),
                   static_cast<int>(i),
                   r == rule::token  ? "a name of HTTP's"
                   : r == rule::line ? "a header or anything else of one line"
                                     : "a text of httpd's");
    }
    if (r == rule::token && !text.size) mrb_raisef(mrb, E_ARGUMENT_ERROR, "%n: the name is empty", mrb_get_mid(mrb));
}

void charge(mrb_state* mrb, exchange& x, std::size_t n) {
    bool has_room;
    {
        host_section section;
        has_room = x.take(n);
    }
    if (!has_room) mrb_exc_raise(mrb, mrb_obj_value(mrb->nomem_err));
}

exchange& go_within(mrb_state* mrb, exchange& x) {
    // A request_rec with its pool and its tables, or what a handler takes; beside that, the files they open.
    charge(mrb, x, 16384 + copying(x.r->headers_in) + copying(x.r->subprocess_env));
    bool may;
    {
        host_section section;
        may = x.go_within();
    }
    if (!may) raise(mrb, "Error", "too many subrequests within one request: there may be 256");
    return x;
}

char* keep(mrb_state* mrb, exchange& x, apr_pool_t* pool, bytes text) {
    charge(mrb, x, text.size + pool_overhead);
    host_section section;
    return apr_pstrmemdup(pool, text.data, text.size);
}

int status_of(mrb_state* mrb, mrb_value v) {
    const mrb_int status = mrb_as_int(mrb, v);
    // After 1xx the client waits for another head, and takes that of the next response.
    if (status < 200 || status > 599) mrb_raisef(mrb, E_ARGUMENT_ERROR, "%i is no status of a response: 200 to 599", status);
    return static_cast<int>(status);
}

void define_methods(mrb_state* mrb, RClass* c, std::span<const method> methods) {
    for (const method& m : methods) mrb_define_method(mrb, c, m.name, m.call, m.arguments);
}

void define_class_methods(mrb_state* mrb, RClass* c, std::span<const method> methods) {
    for (const method& m : methods) mrb_define_class_method(mrb, c, m.name, m.call, m.arguments);
}

RClass* define_class(mrb_state* mrb, RClass* apache, const char* name, std::span<const method> methods, RClass* super) {
    RClass* const c = mrb_define_class_under(mrb, apache, name, super ? super : mrb->object_class);
    MRB_SET_INSTANCE_TT(c, MRB_TT_DATA);
    define_methods(mrb, c, methods);
    return c;
}

}  // namespace kumihimo::inline v0::apache
