/* For test_nulls.py: takes a field of httpd's records away, as modules do that make requests of their own, and gives
 * it back behind the phase, so that what is looked at is mod_mruby and not httpd. `?null=NAME` says which; the phases
 * are the handler, fixups and log_transaction (`in=`). /nulls lists the names.
 */
#include <httpd.h>

#include <http_config.h>
#include <http_protocol.h>
#include <http_request.h>

#include <stddef.h>
#include <string.h>

typedef struct {
    const char* name;
    char record; /* r: request_rec, c: conn_rec, s: server_rec */
    size_t at;
} field;

#define OF_REQUEST(NAME) \
    { #NAME, 'r', offsetof(request_rec, NAME) }
#define OF_CONNECTION(NAME) \
    { "connection." #NAME, 'c', offsetof(conn_rec, NAME) }
#define OF_SERVER(NAME) \
    { "server." #NAME, 's', offsetof(server_rec, NAME) }
static const field fields[] = {
    OF_REQUEST(prev),
    OF_REQUEST(next),
    OF_REQUEST(main),
    OF_REQUEST(the_request),
    OF_REQUEST(protocol),
    OF_REQUEST(hostname),
    OF_REQUEST(status_line),
    OF_REQUEST(method),
    OF_REQUEST(range),
    OF_REQUEST(content_type),
    OF_REQUEST(handler),
    OF_REQUEST(content_encoding),
    OF_REQUEST(content_languages),
    OF_REQUEST(vlist_validator),
    OF_REQUEST(user),
    OF_REQUEST(ap_auth_type),
    OF_REQUEST(unparsed_uri),
    OF_REQUEST(uri),
    OF_REQUEST(filename),
    OF_REQUEST(canonical_filename),
    OF_REQUEST(path_info),
    OF_REQUEST(args),
    OF_REQUEST(allowed_methods),
    OF_REQUEST(log),
    OF_REQUEST(log_id),
    OF_REQUEST(useragent_addr),
    OF_REQUEST(useragent_ip),
    OF_REQUEST(finfo.fname),
    OF_REQUEST(finfo.name),
    OF_REQUEST(parsed_uri.hostname),
    OF_REQUEST(parsed_uri.port_str),
    OF_REQUEST(parsed_uri.path),
    OF_REQUEST(parsed_uri.query),
    OF_CONNECTION(local_addr),
    OF_CONNECTION(client_addr),
    OF_CONNECTION(client_ip),
    OF_CONNECTION(remote_host),
    OF_CONNECTION(remote_logname),
    OF_CONNECTION(local_ip),
    OF_CONNECTION(local_host),
    OF_CONNECTION(log),
    OF_CONNECTION(log_id),
    OF_SERVER(defn_name),
    OF_SERVER(server_scheme),
    OF_SERVER(server_admin),
    OF_SERVER(server_hostname),
    OF_SERVER(error_fname),
    OF_SERVER(path),
};

module AP_MODULE_DECLARE_DATA nulls_module;

/* What was taken away. */
typedef struct {
    const field* taken;
    void* was;
    server_rec* server;
    server_rec own;
} kept;

static void** place_of(request_rec* r, const field* f) {
    char* const record = f->record == 'r' ? (char*)r : f->record == 'c' ? (char*)r->connection : (char*)r->server;
    return (void**)(record + f->at);
}

static kept* take(request_rec* r) {
    const char* const asked = r->args ? strstr(r->args, "null=") : NULL;
    size_t i;
    if (!asked || r->main) return NULL;
    for (i = 0; i < sizeof fields / sizeof *fields; i++) {
        kept* k;
        if (strcmp(asked + 5, fields[i].name) != 0) continue;
        k = apr_pcalloc(r->pool, sizeof *k);
        k->taken = &fields[i];
        k->server = r->server;
        k->own = *r->server;
        r->server = &k->own; /* the record is the whole process's */
        k->was = *place_of(r, k->taken);
        *place_of(r, k->taken) = NULL;
        return k;
    }
    return NULL;
}

static void give_back(request_rec* r, const kept* k) {
    if (!*place_of(r, k->taken)) *place_of(r, k->taken) = k->was;
    r->server = k->server;
}

/* All the other handlers, without the field. */
static int handle(request_rec* r) {
    kept* k;
    int answer;
    if (ap_get_module_config(r->request_config, &nulls_module)) return DECLINED;
    k = r->args && strstr(r->args, "in=handler") ? take(r) : NULL;
    if (!k) return DECLINED;
    ap_set_module_config(r->request_config, &nulls_module, k);
    answer = ap_run_handler(r);
    give_back(r, k);
    return answer;
}

static int before(request_rec* r, const char* phase) {
    kept* const k = r->args && strstr(r->args, phase) ? take(r) : NULL;
    ap_set_module_config(r->request_config, &nulls_module, k);
    return OK;
}
static int after(request_rec* r) {
    kept* const k = ap_get_module_config(r->request_config, &nulls_module);
    if (k) give_back(r, k);
    ap_set_module_config(r->request_config, &nulls_module, NULL);
    return OK;
}
static int before_fixups(request_rec* r) { return before(r, "in=fixups"); }
static int before_log(request_rec* r) { return before(r, "in=log"); }

/* The names. */
static int list(request_rec* r) {
    size_t i;
    if (!r->handler || strcmp(r->handler, "nulls") != 0) return DECLINED;
    for (i = 0; i < sizeof fields / sizeof *fields; i++) ap_rprintf(r, "%s\n", fields[i].name);
    return OK;
}

static void hooks(apr_pool_t* pool) {
    (void)pool;
    ap_hook_handler(handle, NULL, NULL, APR_HOOK_REALLY_FIRST - 1);
    ap_hook_handler(list, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_fixups(before_fixups, NULL, NULL, APR_HOOK_REALLY_FIRST - 1);
    ap_hook_fixups(after, NULL, NULL, APR_HOOK_REALLY_LAST + 1);
    ap_hook_log_transaction(before_log, NULL, NULL, APR_HOOK_REALLY_FIRST - 1);
    ap_hook_log_transaction(after, NULL, NULL, APR_HOOK_REALLY_LAST + 1);
}

AP_DECLARE_MODULE(nulls) = {STANDARD20_MODULE_STUFF, NULL, NULL, NULL, NULL, NULL, hooks, 0};
