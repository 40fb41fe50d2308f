/* For test_nonblocking.py: a handler that reads a request's body without waiting for it, and says at once what each
 * reading gave.
 *
 *      nothing         nothing is there yet: said once, then it asks again until something is
 *      data: TEXT
 *      end
 *
 * There are two ways to say that nothing is there: APR_EAGAIN, which is httpd's own, and an empty brigade. The filter
 * EMPTY makes the second of the first.
 */
#include <httpd.h>

#include <http_config.h>
#include <http_protocol.h>
#include <util_filter.h>

#include <string.h>

static int say(request_rec* r, apr_bucket_brigade* got) {
    apr_bucket* b;
    for (b = APR_BRIGADE_FIRST(got); b != APR_BRIGADE_SENTINEL(got); b = APR_BUCKET_NEXT(b)) {
        const char* data;
        apr_size_t size;
        if (APR_BUCKET_IS_EOS(b)) {
            ap_rputs("end\n", r);
            return 1;
        }
        if (APR_BUCKET_IS_METADATA(b) || apr_bucket_read(b, &data, &size, APR_BLOCK_READ) != APR_SUCCESS) continue;
        ap_rputs("data: ", r);
        ap_rwrite(data, (int)size, r);
        ap_rputs("\n", r);
    }
    ap_rflush(r);
    return 0;
}

static int handle(request_rec* r) {
    apr_bucket_brigade* const got = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    int told = 0;
    if (!r->handler || strcmp(r->handler, "nonblocking") != 0) return DECLINED;
    ap_set_content_type(r, "text/plain");
    for (;;) {
        const apr_status_t status = ap_get_brigade(r->input_filters, got, AP_MODE_READBYTES, APR_NONBLOCK_READ, 8192);
        if (APR_STATUS_IS_EAGAIN(status) || (status == APR_SUCCESS && APR_BRIGADE_EMPTY(got))) {
            if (!told) {
                ap_rputs("nothing\n", r);
                ap_rflush(r);
                told = 1;
            }
            apr_sleep(1000);
            continue;
        }
        if (status != APR_SUCCESS) return ap_map_http_request_error(status, HTTP_BAD_REQUEST);
        if (say(r, got)) return OK;
        apr_brigade_cleanup(got);
    }
}

static apr_status_t empty(ap_filter_t* f, apr_bucket_brigade* to, ap_input_mode_t mode, apr_read_type_e block, apr_off_t most) {
    const apr_status_t status = ap_get_brigade(f->next, to, mode, block, most);
    return block == APR_NONBLOCK_READ && APR_STATUS_IS_EAGAIN(status) ? APR_SUCCESS : status;
}

static void hooks(apr_pool_t* pool) {
    (void)pool;
    /* Nearer to the network than filters of content. */
    ap_register_input_filter("EMPTY", empty, NULL, AP_FTYPE_CONTENT_SET + 1);
    ap_hook_handler(handle, NULL, NULL, APR_HOOK_MIDDLE);
}

AP_DECLARE_MODULE(nonblocking) = {STANDARD20_MODULE_STUFF, NULL, NULL, NULL, NULL, NULL, hooks, 0};
