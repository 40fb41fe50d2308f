// What the module remembers of a request, whichever of its scripts runs.
#pragma once
#include <cstddef>
#include <new>

#include "httpd.hpp"

namespace kumihimo::inline v0::apache {

struct body_state;

/// What scripts have had httpd keep and do until the request is over: its own, and those of its subrequests,
/// redirections and filters. It hangs on the request that came from the client.
struct account {
    std::size_t taken = 0;  // bytes of r->pool and its children
    unsigned within = 0;    // subrequests, and handlers run by hand: each may hold a file open
    static constexpr unsigned most_within = 256;
};

/// In r->pool and r->request_config.
struct request_state {
    body_state* body = nullptr;
    account used;
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
inline account& account_of(request_rec* r) noexcept {
    while (r->main != nullptr || r->prev != nullptr) r = r->main != nullptr ? r->main : r->prev;
    return state_of(r).used;
}
/// The document root that httpd knows, whatever a script has named.
inline const char* own_document_root(request_rec* r) noexcept {
    const request_state* const known = known_state(r);
    return known && known->document_root ? known->document_root : ap_document_root(r);
}

}  // namespace kumihimo::inline v0::apache
