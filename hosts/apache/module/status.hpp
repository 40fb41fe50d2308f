// The status page (SetHandler mruby-status), and the counters behind it in memory that all children share.
#pragma once
#include "httpd.hpp"

namespace kumihimo::inline v0::apache {

/// In the parent, before there are children: the shared memory. It outlives restarts.
apr_status_t open_counters(apr_pool_t* config, server_rec*);
/// In a child: counts into its own part of it.
void take_counters(apr_pool_t* child, server_rec*);

}  // namespace kumihimo::inline v0::apache
