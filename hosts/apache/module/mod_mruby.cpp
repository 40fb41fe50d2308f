// The module's record, and what it does when httpd and its children start.
//
// In httpd's parent no script runs and no VM, thread or timer is made: it is root's, and unloads the module at each
// restart.
#include "body.hpp"
#include "config.hpp"
#include "hooks.hpp"
#include "hosts/mruby/vm/deadline.hpp"
#include "status.hpp"

namespace {

using namespace kumihimo;

int pre_config(apr_pool_t* config, apr_pool_t*, apr_pool_t*) {
    apache::forget_hooks();
    apache::forget_filters(config);
    return OK;
}

int post_config(apr_pool_t* config, apr_pool_t*, apr_pool_t*, server_rec* s) {
    // The first reading is only a check.
    if (ap_state_query(AP_SQ_MAIN_STATE) == AP_SQ_MS_CREATE_PRE_CONFIG) return OK;
    const apr_status_t opened = apache::open_counters(config, s);
    if (opened != APR_SUCCESS)
        ap_log_error(APLOG_MARK, APLOG_WARNING, opened, s, "mruby: no shared memory: the status page tells of one child only");
    return OK;
}

apr_status_t stop_deadlines(void*) {
    mruby::deadline::process_ends();
    return APR_SUCCESS;
}

void child_init(apr_pool_t* child, server_rec* s) {
    // Done before any of the child's pools is destroyed. prefork's does so within its signal's handler, wherever it
    // is.
    apr_pool_pre_cleanup_register(child, nullptr, stop_deadlines);
    apache::take_counters(child, s);
    mruby::deadline::prepare();  // should it fail, the first run says so
}

void register_all(apr_pool_t* pool) {
    apache::forget_hooks();
    apache::forget_filters(pool);
    ap_hook_pre_config(pre_config, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_hook_post_config(post_config, nullptr, nullptr, APR_HOOK_MIDDLE);
    ap_hook_child_init(child_init, nullptr, nullptr, APR_HOOK_MIDDLE);
    apache::register_handlers();
    apache::register_authn(pool);
    apache::register_body_filter();
    apache::register_filter_check();
    apache::register_status();
}

}  // namespace

// STANDARD20_MODULE_STUFF, but for the name, which is what <IfModule mod_mruby.c> asks for: a module's is that of a C
// file.
extern "C" {
module AP_MODULE_DECLARE_DATA mruby_module = {MODULE_MAGIC_NUMBER_MAJOR,
                                              MODULE_MAGIC_NUMBER_MINOR,
                                              -1,
                                              "mod_mruby.c",
                                              nullptr,
                                              nullptr,
                                              MODULE_MAGIC_COOKIE,
                                              nullptr,
                                              apache::create_config,
                                              apache::merge_configs,
                                              nullptr,
                                              nullptr,
                                              apache::directives,
                                              register_all,
                                              0};
}
