// Apache::AuthnProvider: whom an authn provider's script is asked about, and what it answers.
#include "ruby.hpp"

namespace kumihimo::inline v0::apache {
namespace {

bool asks(const exchange& x) { return x.current_phase == phase::check_password || x.current_phase == phase::realm_hash; }

exchange& provider_of(mrb_state* mrb, mrb_value self) {
    request_of(mrb, self);
    return exchange::of(mrb);
}

mrb_value initialize(mrb_state* mrb, mrb_value self) noexcept {
    const exchange& x = exchange::of(mrb);
    if (!asks(x)) raise_phase(mrb, x, "Apache::AuthnProvider is for authn providers (AuthBasicProvider mruby)");
    begin_object(mrb, self, x.r);
    return self;
}

mrb_value user(mrb_state* mrb, mrb_value self) noexcept { return to_ruby(mrb, provider_of(mrb, self).authn.user); }
mrb_value password(mrb_state* mrb, mrb_value self) noexcept { return to_ruby(mrb, provider_of(mrb, self).authn.password); }
mrb_value realm(mrb_state* mrb, mrb_value self) noexcept { return to_ruby(mrb, provider_of(mrb, self).authn.realm); }
mrb_value hash(mrb_state* mrb, mrb_value self) noexcept { return to_ruby(mrb, provider_of(mrb, self).authn.hash); }

mrb_value set_hash(mrb_state* mrb, mrb_value self) noexcept {
    const mrb_value value = mrb_get_arg1(mrb);
    exchange& x = provider_of(mrb, self);
    const bytes text = text_of(mrb, value);
    check(mrb, text, rule::line);
    x.authn.hash = keep(mrb, x, x.r->pool, text);
    return value;
}

constexpr method methods[] = {
    {"initialize", initialize}, {"user", user},    {"password", password},
    {"realm", realm},           {"rethash", hash}, {"rethash=", set_hash, MRB_ARGS_REQ(1)},
};

}  // namespace

void define_authn(mrb_state* mrb, RClass* apache) {
    RClass* const c = define_class(mrb, apache, "AuthnProvider", methods);
    constexpr struct {
        const char* name;
        authn_status status;
    } answers[] = {{"AUTH_DENIED", AUTH_DENIED},
                   {"AUTH_GRANTED", AUTH_GRANTED},
                   {"AUTH_USER_FOUND", AUTH_USER_FOUND},
                   {"AUTH_USER_NOT_FOUND", AUTH_USER_NOT_FOUND},
                   {"AUTH_GENERAL_ERROR", AUTH_GENERAL_ERROR}};
    for (const auto& a : answers) mrb_define_const(mrb, c, a.name, mrb_fixnum_value(a.status));
}

}  // namespace kumihimo::inline v0::apache
