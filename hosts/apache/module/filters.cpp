// Output and input filters. A script gets the body in pieces: the whole of it if it is no larger than MrubyMaxBody and
// nobody flushes in between; otherwise piece after piece, the last one marked.
#include <algorithm>
#include <cstring>
#include <new>

#include "hooks.hpp"
#include "run.hpp"

namespace kumihimo::inline v0::apache {
namespace {

/// A filter that the configuration names, and where.
struct wanted_filter {
    const code* script;  // null: the place's
    const ap_directive_t* by;
};
// By lower-case name; made when the configuration is read, only looked at afterwards.
apr_hash_t* wanted[2];  // output, input

const wanted_filter* wanted_as(const char* name, bool input) noexcept {
    return static_cast<const wanted_filter*>(apr_hash_get(wanted[input], name, APR_HASH_KEY_STRING));
}

constexpr apr_size_t least_piece = 64 << 10;
constexpr apr_off_t at_once = 64 << 10;

/// What a filter keeps from call to call.
struct stream {
    const code* script = nullptr;
    const directory_config* config = nullptr;
    apr_bucket_brigade* piece = nullptr;  // what has come
    apr_size_t size = 0;
    apr_bucket_brigade* ready = nullptr;  // input: what can be given out
    bool begun = false;                   // output: something was passed on
    bool ended = false;
    apr_status_t failed = APR_SUCCESS;
};

const code* code_for(const ap_filter_t* f, bool input) noexcept {
    const wanted_filter* const filter = wanted_as(f->frec->name, input);
    if (filter != nullptr && filter->script != nullptr) return filter->script;
    return config_of(f->r).only_code(input ? phase::input_filter : phase::output_filter);
}

/// The filter's memory; null when there is no code for it.
stream* stream_of(ap_filter_t* f, bool input) {
    if (f->ctx != nullptr) return static_cast<stream*>(f->ctx);
    const code* const script = code_for(f, input);
    if (script == nullptr) {
        ap_log_rerror(APLOG_MARK, APLOG_WARNING, 0, f->r,
                      "mruby: the filter %s has no code here (%s): what comes is passed on as it is", f->frec->name,
                      input ? "MrubyInputFilter" : "MrubyOutputFilter");
        return nullptr;
    }
    auto* const s = new (apr_palloc(f->r->pool, sizeof(stream))) stream;
    s->script = script;
    s->config = &config_of(f->r);
    s->piece = apr_brigade_create(f->r->pool, f->c->bucket_alloc);
    s->ready = apr_brigade_create(f->r->pool, f->c->bucket_alloc);
    f->ctx = s;
    return s;
}

// Headers that describe the body as it came. The script may change it, and a client that is told the old length waits
// for bytes that do not come, or takes what follows for the next response; a cache would take the new body for the old
// one.
void drop_body_headers(apr_table_t* headers) {
    for (const char* const name : {"Content-Length", "Content-MD5", "ETag", "Last-Modified"}) apr_table_unset(headers, name);
}

apr_size_t piece_size(const stream& s) noexcept {
    return std::max(static_cast<apr_size_t>(s.config->most_body()), least_piece);
}

/// Runs the script over the piece that has come. 0, or the HTTP status to break off with.
int run_piece(ap_filter_t* f, stream& s, phase p, bool last) {
    s.size = 0;
    return without_memory(f->r, HTTP_INTERNAL_SERVER_ERROR, [&] {
        exchange x(f->r, p, *s.config);
        x.filter.f = f;
        x.filter.brigade = s.piece;
        x.filter.last = last;
        source from;
        from.r = f->r;
        const char* shown = nullptr;
        const mruby::script of_place = script_of(from, *s.script, s.config->reuse());
        int wrong = run(x, of_place, from, shown);
        if (wrong == 0) wrong = x.filter.error;
        if (wrong == 0 && x.answered && x.answer >= 400 && x.answer <= 599) wrong = x.answer;
        if (wrong == 0 && x.overflown()) {
            log_overflow(x, of_place);
            wrong = HTTP_INTERNAL_SERVER_ERROR;
        }
        if (const std::string_view printed = x.pending(); wrong == 0 && !printed.empty()) {
            APR_BRIGADE_INSERT_TAIL(s.piece,
                                    apr_bucket_heap_create(printed.data(), printed.size(), nullptr, f->c->bucket_alloc));
        }
        return wrong;
    });
}

apr_status_t hand_on(ap_filter_t* f, stream& s) {
    if (APR_BRIGADE_EMPTY(s.piece)) return APR_SUCCESS;
    s.begun = true;
    const apr_status_t passed = ap_pass_brigade(f->next, s.piece);
    apr_brigade_cleanup(s.piece);
    return passed;
}

/// The response as an error: httpd's page when nothing was sent yet, a broken end otherwise.
apr_status_t break_off(ap_filter_t* f, stream& s, int status) {
    const bool late = s.begun || f->r->sent_bodyct;
    s.ended = true;
    apr_brigade_cleanup(s.piece);
    if (late) f->r->connection->keepalive = AP_CONN_CLOSE;
    APR_BRIGADE_INSERT_TAIL(s.piece,
                            ap_bucket_error_create(late ? HTTP_BAD_GATEWAY : status, nullptr, f->r->pool, f->c->bucket_alloc));
    APR_BRIGADE_INSERT_TAIL(s.piece, apr_bucket_eos_create(f->c->bucket_alloc));
    const apr_status_t passed = hand_on(f, s);
    s.failed = passed == APR_SUCCESS ? AP_FILTER_ERROR : passed;
    return s.failed;
}

apr_status_t filter_output(ap_filter_t* f, apr_bucket_brigade* in) {
    if (APR_BRIGADE_EMPTY(in)) return APR_SUCCESS;
    stream* const known = stream_of(f, false);
    if (known == nullptr) {
        ap_remove_output_filter(f);
        return ap_pass_brigade(f->next, in);
    }
    stream& s = *known;
    if (s.failed != APR_SUCCESS) {
        apr_brigade_cleanup(in);
        return s.failed;
    }
    if (s.ended) return ap_pass_brigade(f->next, in);
    if (!s.begun) drop_body_headers(f->r->headers_out);
    while (!APR_BRIGADE_EMPTY(in)) {
        apr_bucket* const b = APR_BRIGADE_FIRST(in);
        const bool last = APR_BUCKET_IS_EOS(b);
        if (AP_BUCKET_IS_ERROR(b)) {
            // Another answer takes the place of this one.
            s.ended = true;
            apr_brigade_cleanup(s.piece);
            return ap_pass_brigade(f->next, in);
        }
        if (last || APR_BUCKET_IS_FLUSH(b)) {
            if (last || s.size != 0) {
                if (const int wrong = run_piece(f, s, phase::output_filter, last); wrong != 0) return break_off(f, s, wrong);
            }
            APR_BUCKET_REMOVE(b);
            APR_BRIGADE_INSERT_TAIL(s.piece, b);
            s.ended = last;
            if (const apr_status_t passed = hand_on(f, s); passed != APR_SUCCESS) return passed;
            if (last && !APR_BRIGADE_EMPTY(in)) return ap_pass_brigade(f->next, in);
            continue;
        }
        if (!APR_BUCKET_IS_METADATA(b)) {
            const char* data = nullptr;
            apr_size_t size = 0;
            // A bucket of unknown length, or a large file, splits here into parts that fit into memory.
            if (const apr_status_t got = apr_bucket_read(b, &data, &size, APR_BLOCK_READ); got != APR_SUCCESS) return got;
            if (size > piece_size(s) - s.size) apr_bucket_split(b, size = piece_size(s) - s.size);
            s.size += size;
            apr_bucket_setaside(b, f->r->pool);
        }
        APR_BUCKET_REMOVE(b);
        APR_BRIGADE_INSERT_TAIL(s.piece, b);
        if (s.size >= piece_size(s)) {
            if (const int wrong = run_piece(f, s, phase::output_filter, false); wrong != 0) return break_off(f, s, wrong);
            if (const apr_status_t passed = hand_on(f, s); passed != APR_SUCCESS) return passed;
        }
    }
    return APR_SUCCESS;
}

// In front of a response that is not to go out.
ap_filter_rec_t* refusal = nullptr;
struct refused : stream {
    int status = 0;
};
apr_status_t filter_refused(ap_filter_t* f, apr_bucket_brigade* in) {
    auto& s = *static_cast<refused*>(f->ctx);
    apr_brigade_cleanup(in);
    return s.failed != APR_SUCCESS ? s.failed : break_off(f, s, s.status);
}

/// Moves what has come into the piece. True when it is complete.
bool take(ap_filter_t* f, stream& s, apr_bucket_brigade* come, apr_status_t& error) {
    error = APR_SUCCESS;
    while (!APR_BRIGADE_EMPTY(come)) {
        apr_bucket* const b = APR_BRIGADE_FIRST(come);
        if (APR_BUCKET_IS_EOS(b)) {
            s.ended = true;
            apr_brigade_cleanup(come);
            return true;
        }
        if (APR_BUCKET_IS_METADATA(b)) {
            apr_bucket_delete(b);
            continue;
        }
        const char* data = nullptr;
        apr_size_t size = 0;
        error = apr_bucket_read(b, &data, &size, APR_BLOCK_READ);
        if (error != APR_SUCCESS) return false;
        s.size += size;
        apr_bucket_setaside(b, f->r->pool);
        APR_BUCKET_REMOVE(b);
        APR_BRIGADE_INSERT_TAIL(s.piece, b);
    }
    return s.size >= piece_size(s);
}

/// Whoever reads the body hears that the response is made already: httpd's page for that status.
apr_status_t refuse_body(ap_filter_t* f, stream& s, int status) {
    apr_brigade_cleanup(s.piece);
    APR_BRIGADE_INSERT_TAIL(s.piece, ap_bucket_error_create(status, nullptr, f->r->pool, f->c->bucket_alloc));
    APR_BRIGADE_INSERT_TAIL(s.piece, apr_bucket_eos_create(f->c->bucket_alloc));
    ap_pass_brigade(f->r->output_filters, s.piece);
    apr_brigade_cleanup(s.piece);
    return s.failed = AP_FILTER_ERROR;
}

apr_status_t filter_input(ap_filter_t* f, apr_bucket_brigade* out, ap_input_mode_t mode, apr_read_type_e block, apr_off_t n) {
    if (mode != AP_MODE_READBYTES) return ap_get_brigade(f->next, out, mode, block, n);
    stream* const known = stream_of(f, true);
    if (known == nullptr) {
        ap_remove_input_filter(f);
        return ap_get_brigade(f->next, out, mode, block, n);
    }
    stream& s = *known;
    if (s.failed != APR_SUCCESS) return s.failed;
    while (APR_BRIGADE_EMPTY(s.ready)) {
        if (s.ended) {
            APR_BRIGADE_INSERT_TAIL(s.ready, apr_bucket_eos_create(f->c->bucket_alloc));
            break;
        }
        apr_bucket_brigade* const come = apr_brigade_create(f->r->pool, f->c->bucket_alloc);
        apr_status_t got = ap_get_brigade(f->next, come, AP_MODE_READBYTES, block, at_once);
        const bool came = got == APR_SUCCESS && !APR_BRIGADE_EMPTY(come);
        const bool complete = got == APR_SUCCESS && take(f, s, come, got);
        apr_brigade_destroy(come);
        // Not before: httpd's own filter looks at the length when it is first asked.
        drop_body_headers(f->r->headers_in);
        if (got != APR_SUCCESS) return got;
        if (!complete) {
            // Who does not wait is told that nothing is there yet by an empty brigade, which httpd's own filters
            // expect.
            if (block == APR_NONBLOCK_READ && !came) return APR_SUCCESS;
            continue;
        }
        if (const int wrong = run_piece(f, s, phase::input_filter, s.ended); wrong != 0) return refuse_body(f, s, wrong);
        APR_BRIGADE_CONCAT(s.ready, s.piece);
        if (s.ended) APR_BRIGADE_INSERT_TAIL(s.ready, apr_bucket_eos_create(f->c->bucket_alloc));
    }
    apr_bucket* after = nullptr;
    const apr_status_t cut = apr_brigade_partition(s.ready, n, &after);
    if (cut != APR_SUCCESS && cut != APR_INCOMPLETE) return cut;
    while (!APR_BRIGADE_EMPTY(s.ready) && (cut == APR_INCOMPLETE || APR_BRIGADE_FIRST(s.ready) != after)) {
        apr_bucket* const b = APR_BRIGADE_FIRST(s.ready);
        APR_BUCKET_REMOVE(b);
        APR_BRIGADE_INSERT_TAIL(out, b);
    }
    return APR_SUCCESS;
}

const ap_filter_rec_t* registered(const char* name, bool input) {
    return input ? ap_get_input_filter_handle(name) : ap_get_output_filter_handle(name);
}
bool is_ours(const ap_filter_rec_t* f, bool input) noexcept {
    return input ? f->filter_func.in_func == filter_input : f->filter_func.out_func == filter_output;
}

// httpd has one filter of a name: who registers it last, has it. What modules bring is there before the first
// directive; some have directives of their own that name filters, and those may come behind.
int check_filters(apr_pool_t* config, apr_pool_t*, apr_pool_t*, server_rec* s) {
    int result = OK;
    for (const bool input : {false, true}) {
        for (apr_hash_index_t* i = apr_hash_first(config, wanted[input]); i != nullptr; i = apr_hash_next(i)) {
            const auto* const name = static_cast<const char*>(apr_hash_this_key(i));
            const auto* const by = static_cast<const wanted_filter*>(apr_hash_this_val(i))->by;
            if (is_ours(registered(name, input), input)) continue;
            ap_log_error(APLOG_MARK, APLOG_ERR, 0, s,
                         "mruby: %s:%d: %s: a later directive of another module's makes a filter %s, too: one of them needs "
                         "another name",
                         by->filename, by->line_num, by->directive, name);
            result = HTTP_INTERNAL_SERVER_ERROR;
        }
    }
    return result;
}

}  // namespace

void refuse_response(request_rec* r, int status) {
    auto* const s = new (apr_palloc(r->pool, sizeof(refused))) refused;
    s->status = status;
    s->piece = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    ap_add_output_filter_handle(refusal, s, r, r->connection);
}

void forget_filters(apr_pool_t* pool) noexcept {
    refusal = ap_register_output_filter("MRUBY_REFUSAL", filter_refused, nullptr, AP_FTYPE_CONTENT_SET);
    for (auto& filters : wanted) filters = apr_hash_make(pool);
}

void register_filter_check() { ap_hook_check_config(check_filters, nullptr, nullptr, APR_HOOK_MIDDLE); }

const char* want_filter(const cmd_parms* cmd, bool input, const char* name, const code* script) {
    char* const key = apr_pstrdup(cmd->pool, name);
    ap_str_tolower(key);
    if (script != nullptr && std::strcmp(key, "mruby") == 0)
        return apr_psprintf(cmd->pool, "%s: the name mruby is the place's own filter's", cmd->cmd->name);
    if (wanted_as(key, input) != nullptr)
        return script == nullptr ? nullptr : apr_psprintf(cmd->pool, "%s: there is a filter %s already", cmd->cmd->name, name);
    if (registered(key, input) != nullptr)
        return apr_psprintf(cmd->pool, "%s: another module has a filter %s: take another name", cmd->cmd->name, name);
    apr_hash_set(wanted[input], key, APR_HASH_KEY_STRING,
                 new (apr_palloc(cmd->pool, sizeof(wanted_filter))) wanted_filter{script, cmd->directive});
    if (input)
        ap_register_input_filter(key, filter_input, nullptr, AP_FTYPE_CONTENT_SET);
    else
        ap_register_output_filter(key, filter_output, nullptr, AP_FTYPE_CONTENT_SET);
    return nullptr;
}

}  // namespace kumihimo::inline v0::apache
