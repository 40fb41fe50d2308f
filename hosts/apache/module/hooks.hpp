// The request hooks, and the handlers.
#pragma once
#include "config.hpp"

namespace kumihimo::inline v0::apache {

/// Has httpd call the hook of a phase in that position. Once per reading of the configuration; only what the
/// configuration names is registered, so that requests pay for nothing else.
void want_hook(phase, position);
/// Has httpd know a filter: "mruby", whose code is the place's, or one with its own code. Null, or what is wrong.
const char* want_filter(const cmd_parms*, bool input, const char* name, const code*);

/// The response of the request, which nobody has begun, will be that of this status.
void refuse_response(request_rec*, int status);

/// A new reading of the configuration begins: nothing is registered yet.
void forget_hooks() noexcept;
void forget_filters(apr_pool_t*) noexcept;

/// Handlers, authn provider, a check of the filters' names, status page: what is there whatever the configuration
/// says.
void register_handlers();
void register_authn(apr_pool_t*);
void register_filter_check();
void register_status();

}  // namespace kumihimo::inline v0::apache
