// One run of a script for a request: the VM, the errors, and what httpd is told.
#pragma once
#include <new>

#include "config.hpp"

namespace kumihimo::inline v0::apache {

/// Runs it. 0, or the HTTP status of what went wrong: that is in the error log then, and in `shown` for who may see
/// it.
int run(exchange&, const mruby::script&, const source&, const char*& shown);

/// For the error log, of a script that ran to its end and yet went wrong: the phase, its file or its place in the
/// configuration, what it was, and what to do.
[[gnu::format(printf, 3, 4)]] void log_wrong(const exchange&, const mruby::script&, const char* format, ...);
/// The same of one whose output is not whole (overflown).
void log_overflow(const exchange&, const mruby::script&);

/// Runs the file of the request, or code of the configuration, and makes of its end what the phase returns to httpd.
int run_file(request_rec*, const directory_config&) noexcept;
int run_code(request_rec*, phase, const code&, const directory_config&) noexcept;

/// What httpd calls is among its C functions, through which no exception may pass: `otherwise` where the process has
/// no memory left. A request may fail so, a child may not.
template <class Answer, class Work>
Answer without_memory(request_rec* r, Answer otherwise, Work&& work) noexcept {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "mruby: out of memory");
        return otherwise;
    }
}

}  // namespace kumihimo::inline v0::apache
