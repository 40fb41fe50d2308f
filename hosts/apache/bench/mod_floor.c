/* The floor of the bench: what httpd, the network and C cost for the same answers, with no script at all.
 *
 *      hello.floor     a constant
 *      json100.floor   the document, record after record by snprintf
 *      parse100.floor  the body read to its end; the two fields are cut out where they stand, nothing else is looked at
 */
#include <httpd.h>

#include <http_config.h>
#include <http_protocol.h>

#include <stdio.h>
#include <string.h>

static int hello(request_rec* r) {
    ap_set_content_type(r, "text/html");
    ap_rputs("hello world!", r);
    return OK;
}

static int json100(request_rec* r) {
    char text[32768];
    char *at = text, *const end = text + sizeof text;
    int i;
    at += snprintf(at, end - at, "{\"count\":100,\"users\":[");
    for (i = 1; i <= 100; ++i)
        at += snprintf(
            at, end - at,
            "%s{\"id\":%d,\"name\":\"User %d\",\"email\":\"u%d@example.com\",\"score\":%.15g,\"tags\":[\"red\",\"blue\"],"
            "\"at\":{\"lat\":%.15g,\"lon\":%.15g},\"active\":%s}",
            i == 1 ? "" : ",", i, i, i, (i * 30 + 5) / 100.0, (35000 + i * 79) / 1000.0, (139000 + i * 61) / 1000.0,
            i % 3 == 0 ? "false" : "true");
    at += snprintf(at, end - at, "]}");
    ap_set_content_type(r, "application/json");
    ap_rwrite(text, (int)(at - text), r);
    return OK;
}

/* The text behind `name` in the record that begins with `record`, to the first of `stop`; NULL if it is not there. */
static const char* field(const char* text, const char* record, const char* name, const char* stop, int* length) {
    const char* found = strstr(text, record);
    if (found) found = strstr(found, name);
    if (!found) return NULL;
    found += strlen(name);
    *length = (int)strcspn(found, stop);
    return found;
}

static int parse100(request_rec* r) {
    char text[32768];
    const char *email, *score;
    apr_size_t size = 0;
    int email_length, score_length;
    if (ap_setup_client_block(r, REQUEST_CHUNKED_DECHUNK) != OK || !ap_should_client_block(r)) return HTTP_BAD_REQUEST;
    for (;;) {
        long got = ap_get_client_block(r, text + size, sizeof text - 1 - size);
        if (got < 0 || size == sizeof text - 1) return HTTP_BAD_REQUEST;
        if (got == 0) break;
        size += (apr_size_t)got;
    }
    text[size] = 0;
    email = field(text, "{\"id\":100,", "\"email\":\"", "\"", &email_length);
    score = field(text, "{\"id\":50,", "\"score\":", ",", &score_length);
    if (!email || !score) return HTTP_BAD_REQUEST;
    ap_set_content_type(r, "text/plain");
    ap_rprintf(r, "%.*s %.*s\n", email_length, email, score_length, score);
    return OK;
}

/* Which one, the file's name says: so these go the way through httpd that scripts go. */
static int handle(request_rec* r) {
    const char* name;
    if (!r->handler || strcmp(r->handler, "floor") != 0) return DECLINED;
    name = strrchr(r->filename, '/');
    if (!name) return DECLINED;
    if (!strcmp(name, "/hello.floor")) return hello(r);
    if (!strcmp(name, "/json100.floor")) return json100(r);
    if (!strcmp(name, "/parse100.floor")) return parse100(r);
    return DECLINED;
}

static void hooks(apr_pool_t* pool) {
    (void)pool;
    ap_hook_handler(handle, NULL, NULL, APR_HOOK_MIDDLE);
}

AP_DECLARE_MODULE(floor) = {STANDARD20_MODULE_STUFF, NULL, NULL, NULL, NULL, NULL, hooks, 0};
