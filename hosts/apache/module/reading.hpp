// Which files a script may have httpd read for it without MrubyAllow read: those of the document root that httpd
// itself would send as they are.
#pragma once
#include "exchange.hpp"

namespace kumihimo::inline v0::apache {

enum class refusal : std::uint8_t { none, missing, outside, denied, handled, broken, too_large };

/// Asks httpd's access rules for the file. `handler`: who is to get it; null: it goes out as it is. The type of what
/// was found is copied into `type` (r->pool) unless that is null. All of this in a host_section.
refusal judge(request_rec*, const char* path, const char* handler, const char** type = nullptr) noexcept;
/// The same for what is to be r->filename: it goes to r->handler. It need not be there, but must not lead into a
/// folder that is closed.
refusal judge_name(request_rec*, const char* path) noexcept;
/// Whether handing the request on to its handler would show a file that has another one.
bool shows_source(request_rec*) noexcept;
/// Whether a file lies in the document root. The one that httpd knows: a script may have named another.
bool is_within_root(request_rec*, const char* path, bool or_is_root = false) noexcept;

/// The calling thread only asks what would be: fixups, which prepare a request for its handler, have nothing to do.
bool only_judging() noexcept;

/// What the script hears.
const char* because(refusal) noexcept;

}  // namespace kumihimo::inline v0::apache
