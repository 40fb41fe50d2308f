#include "exchange.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "config.hpp"
#include "hosts/mruby/vm/thread_specific.hpp"
#include "request_state.hpp"

namespace kumihimo::inline v0::apache {
namespace {

constexpr std::size_t to_begin_with = std::size_t{16} << 10;
// A response is handed on when it has grown so large; until then it can be taken back.
constexpr std::size_t whole_up_to = std::size_t{64} << 10;

// A thread's output buffers, one for each run within a run. They stay from one run to the next.
struct output_buffers {
    struct one {
        char* data = nullptr;
        std::size_t room = 0;
    } by_depth[mruby::borrowed_vm::most_nested + 1];
    int depth = 0;
    ~output_buffers() {
        for (auto& b : by_depth) std::free(b.data);
    }
};
constinit thread_local mruby::thread_specific<output_buffers> buffers;

constexpr const char* names[phases] = {
    "post_read_request", "translate_name", "map_to_storage", "access_checker",  "check_user_id",
    "auth_checker",      "fixups",         "handler",        "log_transaction", "quick_handler",
    "insert_filter",     "output_filter",  "input_filter",   "check_password",  "realm_hash",
};

int silent_answer(phase p) noexcept {
    switch (p) {
        case phase::handler: return OK;
        case phase::check_password:
        case phase::realm_hash: return AUTH_DENIED;
        default: return DECLINED;
    }
}

/// Whether there is anybody to print to.
bool prints(phase p) noexcept {
    return p != phase::log_transaction && p != phase::insert_filter && p != phase::check_password && p != phase::realm_hash;
}

}  // namespace

const char* name_of(phase p) noexcept { return names[static_cast<int>(p)]; }

void put_into_words(request_rec* r, int status) noexcept {
    if (std::atoi(ap_get_status_line(status)) == status) return;
    if (r->status_line != nullptr && std::atoi(r->status_line) == status) return;  // the script's own
    r->status_line = apr_psprintf(r->pool, "%d Status %d", status, status);
}

exchange::exchange(request_rec* request, phase p, const directory_config& c) noexcept
    : r(request),
      current_phase(p),
      config(c),
      answer(silent_answer(p)),
      streams_(p == phase::handler || p == phase::quick_handler) {
    output_buffers& b = buffers.get();
    if (b.depth <= mruby::borrowed_vm::most_nested) {
        buffer_ = b.by_depth[b.depth].data;
        room_ = b.by_depth[b.depth].room;
        b.by_depth[b.depth] = {};  // one owner at a time
    }
    ++b.depth;
    if (c.in_all <= 0) return;
    // A stream of HTTP/2 has none of its own.
    conn_rec* const connection = request->connection->master != nullptr ? request->connection->master : request->connection;
    apr_os_sock_t socket = -1;
    if (apr_socket_t* const s = ap_get_conn_socket(connection); s != nullptr && apr_os_sock_get(&socket, s) == APR_SUCCESS)
        socket_ = socket;
}

// httpd waits for a slow client of HTTP/2 in a condition variable that only the end of the connection signals. So all
// streams of that connection end.
void exchange::give_up() noexcept {
    if (socket_ >= 0) shutdown(socket_, SHUT_RDWR);
}

bool exchange::too_large(std::uint64_t n) noexcept {
    if (handed_on_ + size_ + n <= config.most_response()) [[likely]]
        return false;
    mruby::deadline::here().stop(mruby::deadline::over_output);
    return true;
}

exchange::~exchange() {
    output_buffers& b = buffers.get();
    --b.depth;
    if (b.depth > mruby::borrowed_vm::most_nested || room_ > whole_up_to) {
        std::free(buffer_);
        buffer_ = nullptr;
        room_ = 0;
    }
    if (b.depth <= mruby::borrowed_vm::most_nested) b.by_depth[b.depth] = {buffer_, room_};
}

exchange* exchange::find(mrb_state* mrb) noexcept {
    mruby::vm* const v = mruby::vm::of(mrb);
    return v == nullptr ? nullptr : static_cast<exchange*>(v->here());
}

exchange& exchange::of(mrb_state* mrb) {
    exchange* const x = find(mrb);
    if (x == nullptr) {
        RClass* const error = mrb_class_get_under(mrb, mrb_class_get(mrb, "Apache"), "Error");
        mrb_raise(mrb, error, "there is no request here: this runs while the VM is made (MrubyInit)");
    }
    return *x;
}

bool exchange::take(std::size_t n) noexcept {
    if (account_ == nullptr) account_ = &account_of(r);
    return (account_->taken += n) <= config.limits().memory;
}

bool exchange::go_within() noexcept {
    if (account_ == nullptr) account_ = &account_of(r);
    return account_->within < account::most_within && (++account_->within, true);
}

void exchange::append(const char* s, std::size_t n) noexcept {
    // Nothing at all goes there too: without a buffer there is nowhere to copy it.
    if (n >= room_ - size_ || finished) return append_more(s, n);
    std::memcpy(buffer_ + size_, s, n);
    size_ += n;
}

void exchange::append_more(const char* s, std::size_t n) noexcept {
    if (n == 0 || finished || !prints(current_phase)) return;
    if (streams_ && too_large(n)) {
        // Nothing of it is to go out any more.
        finished = true;
        return;
    }
    if (streams_ && size_ + n > whole_up_to) {
        pass(false);
        if (n >= whole_up_to) {
            hand_on(s, n, false, false);
            return;
        }
    }
    if (n > room_ - size_) {
        if (!streams_ && size_ + n > most_kept) {
            overflown_ = true;
            return;
        }
        const std::size_t room = std::max({to_begin_with, size_ + n, streams_ ? std::min(room_ * 2, whole_up_to) : room_ * 2});
        auto* const larger = static_cast<char*>(std::realloc(buffer_, room));
        if (larger == nullptr) {
            overflown_ = true;
            return;
        }
        buffer_ = larger;
        room_ = room;
    }
    std::memcpy(buffer_ + size_, s, n);
    size_ += n;
}

bool exchange::hand_on(const char* s, std::size_t n, bool flush, bool last) noexcept {
    handed_on_ += n;
    // What scripts print is HTML, unless they say something else.
    if (!started_ && r->content_type == nullptr && (n != 0 || flush)) ap_set_content_type(r, "text/html; charset=utf-8");
    // A length that the script said may be wrong. httpd counts when all comes at once, and frames what comes in parts.
    if (!started_ && !last) apr_table_unset(r->headers_out, "Content-Length");
    if (n != 0 || flush) started_ = true;
    if (r->eos_sent) return alive();
    // The answer to HEAD ends with its headers, though the script goes on: of a body in parts httpd would send, in
    // HTTP/2, the later ones, and the length of the first.
    if (r->header_only && !last) last = true, n = 0;
    if (gone_ || r->connection->aborted) {
        gone_ = true;
        return false;
    }
    apr_bucket_alloc_t* const buckets = r->connection->bucket_alloc;
    if (brigade_ == nullptr) brigade_ = apr_brigade_create(r->pool, buckets);
    if (n != 0) APR_BRIGADE_INSERT_TAIL(brigade_, apr_bucket_transient_create(s, n, buckets));
    if (flush) APR_BRIGADE_INSERT_TAIL(brigade_, apr_bucket_flush_create(buckets));
    if (last) APR_BRIGADE_INSERT_TAIL(brigade_, apr_bucket_eos_create(buckets));
    {
        // The client may be slow; that is not the script's time.
        mruby::waiting_section wait;
        passed_ = ap_pass_brigade(r->output_filters, brigade_);
        apr_brigade_cleanup(brigade_);
    }
    gone_ = passed_ != APR_SUCCESS || r->connection->aborted;
    return !gone_;
}

bool exchange::pass(bool flush) noexcept {
    if (!streams_ || finished) return alive();
    // What there was room for has not been counted yet.
    if (too_large()) {
        finished = true;
        size_ = 0;
        return false;
    }
    const std::size_t n = size_;
    size_ = 0;
    if (n == 0 && !flush) return alive();
    return hand_on(buffer_, n, flush, false);
}

int exchange::finish() noexcept {
    if (r->eos_sent) return OK;
    if (too_large()) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "mruby: the script's response is larger than its limit (MrubyMaxResponse)");
        size_ = 0;
        return started() ? break_off() : HTTP_INTERNAL_SERVER_ERROR;
    }
    const std::size_t n = size_;
    size_ = 0;
    hand_on(buffer_, n, false, true);
    // Something in the way has answered in its own way (a bad header, a filter's error), or will.
    return passed_ == APR_SUCCESS || r->connection->aborted ? OK : AP_FILTER_ERROR;
}

bool exchange::finish_with(apr_file_t* file, apr_off_t size) noexcept {
    apr_bucket_alloc_t* const buckets = r->connection->bucket_alloc;
    if (brigade_ == nullptr) brigade_ = apr_brigade_create(r->pool, buckets);
    if (size_ != 0) APR_BRIGADE_INSERT_TAIL(brigade_, apr_bucket_transient_create(buffer_, size_, buckets));
    apr_brigade_insert_file(brigade_, file, 0, size, r->pool);
    size_ = 0;
    finished = started_ = true;
    // With the end in one brigade, httpd knows the length, and sends ranges of it.
    return hand_on(nullptr, 0, false, true);
}

int exchange::break_off() noexcept {
    size_ = 0;
    r->connection->keepalive = AP_CONN_CLOSE;
    if (r->eos_sent || r->connection->aborted) return OK;
    // As a proxy does whose backend broke: the end of a chunked body is left out, a stream of HTTP/2 is reset.
    apr_bucket_alloc_t* const buckets = r->connection->bucket_alloc;
    if (brigade_ == nullptr) brigade_ = apr_brigade_create(r->pool, buckets);
    APR_BRIGADE_INSERT_TAIL(brigade_, ap_bucket_error_create(HTTP_BAD_GATEWAY, nullptr, r->pool, buckets));
    APR_BRIGADE_INSERT_TAIL(brigade_, apr_bucket_eos_create(buckets));
    ap_pass_brigade(r->output_filters, brigade_);
    apr_brigade_cleanup(brigade_);
    return OK;
}

void exchange::write(const char* s, std::size_t n) noexcept {
    if (config.puts_to_log != on_off::on && prints(current_phase)) return append(s, n);
    // The log's entries are lines.
    std::string_view rest(s, n);
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        if (const std::string_view line = rest.substr(0, end); !line.empty()) log(APLOG_INFO, line);
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
}

void exchange::log(int level, std::string_view message) noexcept {
    const int size = static_cast<int>(std::min<std::size_t>(message.size(), MAX_STRING_LEN));
    ap_log_rerror(APLOG_MARK, std::clamp(level, APLOG_EMERG, APLOG_TRACE8), 0, r, "%.*s", size, message.data());
}

}  // namespace kumihimo::inline v0::apache
