// What the module remembers of a request, whichever of its scripts runs.
#pragma once
#include "httpd.hpp"

namespace kumihimo::inline v0::apache {

struct body_state;

/// In r->pool and r->request_config.
struct request_state {
    body_state* body = nullptr;
    /// As it was before a script named another one.
    const char* document_root = nullptr;
};
/// Null when there is nothing yet.
inline request_state* known_state(const request_rec* r) noexcept {
    return static_cast<request_state*>(ap_get_module_config(r->request_config, &mruby_module));
}
inline request_state& state_of(request_rec* r) noexcept {
    if (request_state* const known = known_state(r)) return *known;
    auto* const made = new (apr_palloc(r->pool, sizeof(request_state))) request_state;
    ap_set_module_config(r->request_config, &mruby_module, made);
    return *made;
}
/// The document root that httpd knows, whatever a script has named.
inline const char* own_document_root(request_rec* r) noexcept {
    const request_state* const known = known_state(r);
    return known && known->document_root ? known->document_root : ap_document_root(r);
}

}  // namespace kumihimo::inline v0::apache
