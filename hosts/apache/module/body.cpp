#include "body.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "config.hpp"
#include "request_state.hpp"

namespace kumihimo::inline v0::apache {
namespace {

constexpr std::size_t at_once = std::size_t{64} << 10;
// Of a body that is read whole, so much is made room for because it is announced.
constexpr std::size_t first_piece = std::size_t{256} << 10;
constexpr char replay_name[] = "MRUBY_REPLAY";

body_state* known_body(const request_rec* r) noexcept {
    const request_state* const known = known_state(r);
    return known == nullptr ? nullptr : known->body;
}

body_state& body_of(request_rec* r) noexcept {
    // An internal redirect goes on with the body that its origin has read.
    for (const request_rec* q = r; q != nullptr; q = q->prev) {
        if (body_state* const known = known_body(q)) return *known;
    }
    auto* const made = new (apr_palloc(r->pool, sizeof(body_state))) body_state;
    // A subrequest has no body of its own, and must not eat that of its parent.
    made->whole = made->ended = r->main != nullptr;
    made->data = "";
    state_of(r).body = made;
    return *made;
}

exchange::body fail(exchange& x, body_state& b, exchange::body reason, int status) noexcept {
    b.failed = reason;
    b.status = status;
    x.status_of_body = status;
    // httpd would wait for the rest, so as to find the next request behind it.
    x.r->connection->keepalive = AP_CONN_CLOSE;
    return reason;
}

/// What the client announces; -1 if it does not say.
std::int64_t announced(const request_rec* r) noexcept {
    const char* const length = apr_table_get(r->headers_in, "Content-Length");
    apr_off_t n = 0;
    return length != nullptr && ap_parse_strict_length(&n, length) != 0 ? n : -1;
}

/// Fills b.rest with up to n bytes more.
exchange::body fetch(exchange& x, body_state& b, std::size_t n) noexcept {
    request_rec* const r = x.r;
    if (b.rest == nullptr) b.rest = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    mruby::waiting_section wait;
    const apr_status_t got =
        ap_get_brigade(r->input_filters, b.rest, AP_MODE_READBYTES, APR_BLOCK_READ, static_cast<apr_off_t>(n));
    if (got == APR_SUCCESS && !APR_BRIGADE_EMPTY(b.rest)) return exchange::body::ok;
    ap_log_rerror(APLOG_MARK, APLOG_INFO, got, r, "the request's body cannot be read to its end");
    return fail(x, b, exchange::body::failed,
                ap_map_http_request_error(got == APR_SUCCESS ? APR_EGENERAL : got, HTTP_BAD_REQUEST));
}

/// Takes up to n bytes out of b.rest; got is 0 when it is empty, b.ended set when the end was in it.
exchange::body take_out(exchange& x, body_state& b, char* to, std::size_t n, std::size_t& got) noexcept {
    got = 0;
    while (got < n && b.rest != nullptr && !APR_BRIGADE_EMPTY(b.rest)) {
        apr_bucket* const first = APR_BRIGADE_FIRST(b.rest);
        if (APR_BUCKET_IS_EOS(first)) b.ended = true;
        if (APR_BUCKET_IS_METADATA(first)) {
            apr_bucket_delete(first);
            continue;
        }
        const char* data = nullptr;
        apr_size_t size = 0;
        mruby::waiting_section wait;
        if (const apr_status_t s = apr_bucket_read(first, &data, &size, APR_BLOCK_READ); s != APR_SUCCESS) {
            return fail(x, b, exchange::body::failed, ap_map_http_request_error(s, HTTP_BAD_REQUEST));
        }
        const std::size_t part = std::min<std::size_t>(size, n - got);
        std::memcpy(to + got, data, part);
        got += part;
        if (part < size) apr_bucket_split(first, part);
        apr_bucket_delete(first);
    }
    return exchange::body::ok;
}

apr_status_t free_grown(void* body) noexcept {
    std::free(static_cast<body_state*>(body)->grown);
    return APR_SUCCESS;
}

/// More room for a body of which n bytes have come into `all`. A pool cannot take back the smaller piece; a large one
/// of malloc's is moved without a copy.
char* grow(request_rec* r, body_state& b, const char* all, std::size_t n, std::size_t room) noexcept {
    if (b.grown != nullptr) return b.grown = static_cast<char*>(ap_realloc(b.grown, room));
    b.grown = static_cast<char*>(ap_malloc(room));
    apr_pool_cleanup_register(r->pool, &b, free_grown, apr_pool_cleanup_null);
    return static_cast<char*>(std::memcpy(b.grown, all, n));
}

// -- other modules

ap_filter_rec_t* replay_handle = nullptr;

apr_status_t replay(ap_filter_t* f, apr_bucket_brigade* to, ap_input_mode_t mode, apr_read_type_e block, apr_off_t n) {
    auto& b = *static_cast<body_state*>(f->ctx);
    if (b.failed != exchange::body::ok) return b.failed == exchange::body::too_large ? APR_ENOSPC : APR_EGENERAL;
    if (mode != AP_MODE_READBYTES && mode != AP_MODE_GETLINE && mode != AP_MODE_SPECULATIVE)
        return ap_get_brigade(f->next, to, mode, block, n);
    apr_bucket_alloc_t* const buckets = f->c->bucket_alloc;
    const char* const data = b.data + b.replayed;
    const std::size_t left = b.size - b.replayed;
    std::size_t part = left;
    if (mode == AP_MODE_GETLINE) {
        const void* const end = left == 0 ? nullptr : std::memchr(data, '\n', left);
        if (end != nullptr) part = static_cast<std::size_t>(static_cast<const char*>(end) - data) + 1;
    } else if (n >= 0 && static_cast<std::size_t>(n) < part) {
        part = static_cast<std::size_t>(n);
    }
    if (part != 0) APR_BRIGADE_INSERT_TAIL(to, apr_bucket_immortal_create(data, part, buckets));
    if (mode != AP_MODE_SPECULATIVE) b.replayed += part;
    if (part == left) APR_BRIGADE_INSERT_TAIL(to, apr_bucket_eos_create(buckets));
    return APR_SUCCESS;
}

bool is_before_handler(phase p) noexcept {
    return p <= phase::fixups || p == phase::check_password || p == phase::realm_hash || p == phase::insert_filter;
}

}  // namespace

void take_small_body(request_rec* r) noexcept {
    if (r->proto_num < HTTP_VERSION(2, 0) || r->main != nullptr || r->prev != nullptr) return;
    const std::int64_t size = announced(r);
    if (size <= 0 || size > static_cast<std::int64_t>(at_once)) return;
    if (const body_state* const known = known_body(r);
        known != nullptr && (known->ended || known->failed != exchange::body::ok))
        return;
    const char* data = nullptr;
    std::size_t n = 0;
    exchange x(r, phase::handler, config_of(r));
    if (x.read_body(data, n) == exchange::body::ok) return;
    // More than a script may read: nobody will.
    apr_bucket_brigade* const rest = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    for (bool ended = false;
         !ended && ap_get_brigade(r->input_filters, rest, AP_MODE_READBYTES, APR_BLOCK_READ, at_once) == APR_SUCCESS;) {
        ended = APR_BRIGADE_EMPTY(rest) || APR_BUCKET_IS_EOS(APR_BRIGADE_LAST(rest));
        apr_brigade_cleanup(rest);
    }
    apr_brigade_destroy(rest);
}

void register_body_filter() { replay_handle = ap_register_input_filter(replay_name, replay, nullptr, AP_FTYPE_RESOURCE); }

exchange::body exchange::read_body(const char*& data, std::size_t& size) noexcept {
    body_state& b = body_of(r);
    if (b.failed != body::ok) return status_of_body = b.status, b.failed;
    if (!b.whole) {
        const std::int64_t most = config.most_body();
        const std::int64_t said = announced(r);
        // Nothing is read then: whoever comes later may still have it.
        if (said > most) return status_of_body = HTTP_REQUEST_ENTITY_TOO_LARGE, body::too_large;
        // One byte more than is announced: the end is seen without growing. What is only announced takes no memory,
        // though: room for the first piece, and then for four times what has come.
        const std::size_t wanted = said >= 0 ? static_cast<std::size_t>(said) + 1 : 0;
        std::size_t room = said >= 0 ? std::min(wanted, first_piece) : at_once, n = 0;
        auto* all = static_cast<char*>(apr_palloc(r->pool, room));
        for (;;) {
            std::size_t got = 0;
            if (const body s = take_out(*this, b, all + n, room - n, got); s != body::ok) return s;
            n += got;
            if (b.streamed + static_cast<std::int64_t>(n) > most)
                return fail(*this, b, body::too_large, HTTP_REQUEST_ENTITY_TOO_LARGE);
            if (n == room) {
                // An input filter may have made more of it than was announced.
                room = std::min(n < wanted ? std::min(room * 4, wanted) : room * 4,
                                static_cast<std::size_t>(most - b.streamed) + 1);
                all = grow(r, b, all, n, room);
                continue;
            }
            if (b.ended) break;
            if (const body s = fetch(*this, b, at_once); s != body::ok) return s;
        }
        b.data = all;
        b.size = n;
        b.whole = true;
        if (is_before_handler(current_phase)) ap_add_input_filter_handle(replay_handle, &b, r, r->connection);
    }
    data = b.data;
    size = b.size;
    return body::ok;
}

exchange::body exchange::read_some(char* to, std::size_t n, std::size_t& got) noexcept {
    got = 0;
    body_state& b = body_of(r);
    // What a hook reads, others shall still find.
    if (!b.whole && is_before_handler(current_phase)) {
        const char* data = nullptr;
        std::size_t size = 0;
        if (const body s = read_body(data, size); s != body::ok) return s;
    }
    if (b.failed != body::ok) return status_of_body = b.status, b.failed;
    if (b.whole) {
        got = std::min(n, b.size - body_at_);
        std::memcpy(to, b.data + body_at_, got);
        body_at_ += got;
        return got == 0 && n != 0 ? body::end : body::ok;
    }
    if (b.streamed == 0 && announced(r) > config.most_body())
        return status_of_body = HTTP_REQUEST_ENTITY_TOO_LARGE, body::too_large;
    while (got == 0 && n != 0) {
        if (const body s = take_out(*this, b, to, n, got); s != body::ok) return s;
        if (got != 0) break;
        if (b.ended) return body::end;
        if (const body s = fetch(*this, b, std::min(n, at_once)); s != body::ok) return s;
    }
    b.streamed += static_cast<std::int64_t>(got);
    if (b.streamed > config.most_body()) return fail(*this, b, body::too_large, HTTP_REQUEST_ENTITY_TOO_LARGE);
    return body::ok;
}

}  // namespace kumihimo::inline v0::apache
