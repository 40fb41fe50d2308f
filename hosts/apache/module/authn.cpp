// The authn provider "mruby": AuthBasicProvider mruby asks the script of MrubyAuthnCheckPassword, AuthDigestProvider mruby that
// of MrubyAuthnGetRealmHash. Whatever goes wrong, nobody gets in.
#include "hooks.hpp"
#include "run.hpp"

namespace kumihimo::inline v0::apache {
namespace {

/// Runs the script; AUTH_GENERAL_ERROR when there is none or it fails.
authn_status ask(exchange& x) {
    const code* const c = x.config.only_code(x.at);
    if (c == nullptr) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, x.r, "mruby: the provider mruby is used, but %s names no script here",
                      x.at == phase::check_password ? "MrubyAuthnCheckPassword" : "MrubyAuthnGetRealmHash");
        return AUTH_GENERAL_ERROR;
    }
    source from;
    from.r = x.r;
    const char* shown = nullptr;
    if (run(x, script_of(from, *c, x.config.reuse()), from, shown) != 0) return AUTH_GENERAL_ERROR;
    switch (x.answer) {
        case AUTH_DENIED:
        case AUTH_GRANTED:
        case AUTH_USER_FOUND:
        case AUTH_USER_NOT_FOUND:
        case AUTH_GENERAL_ERROR: return static_cast<authn_status>(x.answer);
        default: break;
    }
    ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, x.r,
                  "mruby: the script of %s answered %d, which is none of AuthnProvider's AUTH_ constants", name_of(x.at),
                  x.answer);
    return AUTH_GENERAL_ERROR;
}

authn_status check_password(request_rec* r, const char* user, const char* password) {
    exchange x(r, phase::check_password, config_of(r));
    x.authn.user = user;
    x.authn.password = password;
    const authn_status s = ask(x);
    // A found user is the digest's answer; here it would be read as a password that was right.
    return s == AUTH_USER_FOUND ? AUTH_DENIED : s;
}

authn_status get_realm_hash(request_rec* r, const char* user, const char* realm, char** hash) {
    exchange x(r, phase::realm_hash, config_of(r));
    x.authn.user = user;
    x.authn.realm = realm;
    const authn_status s = ask(x);
    if (s != AUTH_USER_FOUND && s != AUTH_GRANTED) return s;
    if (x.authn.hash == nullptr) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "mruby: the script of realm_hash found the user, but gave no rethash");
        return AUTH_GENERAL_ERROR;
    }
    *hash = const_cast<char*>(x.authn.hash);
    return AUTH_USER_FOUND;
}

const authn_provider provider = {check_password, get_realm_hash};

}  // namespace

void register_authn(apr_pool_t* pool) {
    // As httpd's own providers say it: who asks again with the same configuration, user and password may keep the answer.
    ap_register_auth_provider(pool, AUTHN_PROVIDER_GROUP, "mruby", AUTHN_PROVIDER_VERSION, &provider,
                              AP_AUTH_INTERNAL_PER_CONF);
}

}  // namespace kumihimo::inline v0::apache
