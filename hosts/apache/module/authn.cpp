// The authn provider "mruby": AuthBasicProvider mruby asks the script of MrubyAuthnCheckPassword, AuthDigestProvider
// mruby that of MrubyAuthnGetRealmHash. Whatever goes wrong, nobody gets in.
#include "hooks.hpp"
#include "run.hpp"

namespace kumihimo::inline v0::apache {
namespace {

/// Runs the script; AUTH_GENERAL_ERROR when there is none or it fails.
authn_status ask(exchange& x) {
    const code* const c = x.config.only_code(x.current_phase);
    if (c == nullptr) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, x.r, "mruby: the provider mruby is used, but %s names no script here",
                      x.current_phase == phase::check_password ? "MrubyAuthnCheckPassword" : "MrubyAuthnGetRealmHash");
        return AUTH_GENERAL_ERROR;
    }
    source from;
    from.r = x.r;
    const char* shown = nullptr;
    const mruby::script s = script_of(from, *c, x.config.reuse());
    if (run(x, s, from, shown) != 0) return AUTH_GENERAL_ERROR;
    switch (x.answer) {
        case AUTH_USER_FOUND:
        case AUTH_GRANTED:
            if (x.current_phase != phase::realm_hash || x.authn.hash != nullptr) break;
            log_wrong(x, s, "the script found the user, but gave no hash: it has to set rethash");
            return AUTH_GENERAL_ERROR;
        case AUTH_DENIED:
        case AUTH_USER_NOT_FOUND:
        case AUTH_GENERAL_ERROR: break;
        default:
            // A redirection is an answer, too.
            log_wrong(x, s,
                      "the script answered %d, which a provider cannot: Apache.return takes Apache::AuthnProvider::AUTH_...",
                      x.answer);
            return AUTH_GENERAL_ERROR;
    }
    return static_cast<authn_status>(x.answer);
}

authn_status check_password(request_rec* r, const char* user, const char* password) {
    return without_memory(r, AUTH_GENERAL_ERROR, [&] {
        exchange x(r, phase::check_password, config_of(r));
        x.authn.user = user;
        x.authn.password = password;
        const authn_status s = ask(x);
        // A found user is the digest's answer; here it would be read as a password that was right.
        return s == AUTH_USER_FOUND ? AUTH_DENIED : s;
    });
}

authn_status get_realm_hash(request_rec* r, const char* user, const char* realm, char** hash) {
    return without_memory(r, AUTH_GENERAL_ERROR, [&] {
        exchange x(r, phase::realm_hash, config_of(r));
        x.authn.user = user;
        x.authn.realm = realm;
        const authn_status s = ask(x);
        if (s != AUTH_USER_FOUND && s != AUTH_GRANTED) return s;
        *hash = const_cast<char*>(x.authn.hash);
        return AUTH_USER_FOUND;
    });
}

const authn_provider provider = {check_password, get_realm_hash};

}  // namespace

void register_authn(apr_pool_t* pool) {
    // As httpd's own providers say it: who asks again with the same configuration, user and password may keep the
    // answer.
    ap_register_auth_provider(pool, AUTHN_PROVIDER_GROUP, "mruby", AUTHN_PROVIDER_VERSION, &provider,
                              AP_AUTH_INTERNAL_PER_CONF);
}

}  // namespace kumihimo::inline v0::apache
