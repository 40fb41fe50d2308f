// httpd's and APR's headers, without the macros that break C++ headers. Include order: the standard library first,
// then this, mruby's last.
#pragma once
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <httpd.h>
// The order matters: the rest builds on httpd.h.
#include <ap_provider.h>
#include <apr_buckets.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <http_config.h>
#include <http_core.h>
#include <http_log.h>
#include <http_main.h>
#include <http_protocol.h>
#include <http_request.h>
#include <mod_auth.h>
#include <util_filter.h>
#include <util_script.h>
#pragma GCC diagnostic pop

extern "C" {
// What httpd looks up in the module; everything else stays hidden.
extern __attribute__((visibility("default"))) module mruby_module;
}
APLOG_USE_MODULE(mruby);
