// The handlers: mruby-script runs the file that the request leads to, mruby-native-script the place's own code.
//
// A script's source is never sent: whatever happens, these return an answer of their own for what they are asked to
// handle.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "body.hpp"
#include "hooks.hpp"
#include "run.hpp"
#include "whole_request.hpp"

namespace kumihimo::inline v0::apache {
namespace {

constexpr char file_handler[] = "mruby-script";
constexpr char native_handler[] = "mruby-native-script";
// Types that describe the script's file, not what it prints. The last one is mod_negotiation's, of a file with a
// handler alone.
constexpr std::string_view types_of_source[] = {"application/x-ruby", "application/ruby",          "text/x-ruby",
                                                "text/ruby",          "application/x-httpd-mruby", CGI_MAGIC_TYPE};

/// With parameters (text/x-ruby; charset=utf-8) and in any case, as types are written.
bool is_of_source(const char* type) noexcept {
    const std::string_view name(type, std::strcspn(type, "; \t"));
    return std::any_of(std::begin(types_of_source), std::end(types_of_source), [&](std::string_view source) {
        return name.size() == source.size() && ap_cstr_casecmpn(name.data(), source.data(), name.size()) == 0;
    });
}

int check_method(request_rec* r, const directory_config& c) {
    const std::int64_t takes = c.takes_methods();
    if (r->method_number != M_INVALID && (takes & (AP_METHOD_BIT << r->method_number)) != 0) return OK;
    // The list that httpd makes Allow of; r->allowed is what older modules ask.
    methods_of(r).method_mask |= takes;
    r->allowed |= takes;
    take_small_body(r);
    return HTTP_METHOD_NOT_ALLOWED;
}

/// A handler that declines hands the request to whoever sends files.
int never_declined(request_rec* r, int answer) {
    if (answer != DECLINED) return answer;
    ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r,
                  "mruby: %s answered DECLINED; nobody else handles a script, so the answer is 404", r->filename);
    return HTTP_NOT_FOUND;
}

int handle_file(request_rec* r, const directory_config& c) {
    if (c.handler == on_off::off) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "mruby: MrubyHandlerEnable is Off here: %s is not run", r->filename);
        return HTTP_FORBIDDEN;
    }
    if (const int wrong = check_method(r, c); wrong != OK) return wrong;
    if (r->filename == nullptr || r->finfo.filetype != APR_REG) {
        ap_log_rerror(APLOG_MARK, APLOG_INFO, 0, r, "mruby: %s is no file", r->filename);
        return HTTP_NOT_FOUND;
    }
    // As for a static file: what follows the name is part of no name.
    if (r->path_info != nullptr && *r->path_info != '\0' && r->used_path_info != AP_REQ_ACCEPT_PATH_INFO) {
        ap_log_rerror(APLOG_MARK, APLOG_INFO, 0, r, "mruby: %s: AcceptPathInfo is not On here, and the URL goes on with %s",
                      r->filename, r->path_info);
        return HTTP_NOT_FOUND;
    }
    if (r->content_type != nullptr && is_of_source(r->content_type)) r->content_type = nullptr;
    return never_declined(r, run_file(r, c));
}

int handle_native(request_rec* r, const directory_config& c) {
    if (c.native == nullptr) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "mruby: %s is the handler here, but MrubyHandlerCode gives it no code",
                      native_handler);
        return HTTP_INTERNAL_SERVER_ERROR;
    }
    if (const int wrong = check_method(r, c); wrong != OK) return wrong;
    return run_code(r, phase::handler, *c.native, c);
}

int handle(request_rec* r) {
    if (r->handler == nullptr || std::strncmp(r->handler, "mruby-", 6) != 0) return DECLINED;
    if (std::strcmp(r->handler, file_handler) == 0) return handle_file(r, config_of(r));
    if (std::strcmp(r->handler, native_handler) == 0) return handle_native(r, config_of(r));
    return DECLINED;
}

}  // namespace

// Behind the place's own handlers (MrubyHandler), before httpd's that send files.
void register_handlers() { ap_hook_handler(handle, nullptr, nullptr, APR_HOOK_MIDDLE + 1); }

}  // namespace kumihimo::inline v0::apache
