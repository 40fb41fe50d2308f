// One run of a script and what surrounds it: the request, where in httpd's course it is, what the script prints, reads
// and answers.
//
// The Ruby classes stand on this. All of it is called inside a host_section; what waits for the client (flush,
// hand_over, read_body, read_some) gives the script its time back by itself. Everything it hands out lives in r->pool.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "httpd.hpp"
// mruby's headers last
#include "hosts/mruby/vm/vm.hpp"

namespace kumihimo::inline v0::apache {

struct directory_config;

/// Where in httpd's course a script runs.
enum class phase : std::uint8_t {
    post_read_request,
    translate_name,
    map_to_storage,
    access_checker,
    check_user_id,
    auth_checker,
    fixups,
    handler,
    log_transaction,
    quick_handler,
    insert_filter,
    output_filter,
    input_filter,
    check_password,
    realm_hash,
};
inline constexpr int phases = 15;
/// "access_checker", "output_filter" ...
const char* name_of(phase) noexcept;
/// Gives a status that httpd has no words for a line of its own: httpd would send 500.
void put_into_words(request_rec*, int status) noexcept;

class exchange final : public mruby::surroundings {
public:
    exchange(request_rec*, phase, const directory_config&) noexcept;
    ~exchange();
    exchange(const exchange&) = delete;
    exchange& operator=(const exchange&) = delete;

    /// The exchange of the script that runs; raises Apache::Error outside of a request (an init file). A jump: rule 1
    /// of guard.hpp.
    static exchange& of(mrb_state*);
    /// The same; null outside of a request.
    static exchange* find(mrb_state*) noexcept;

    request_rec* const r;
    const phase current_phase;
    const directory_config& config;
    apr_pool_t* pool() const noexcept { return r->pool; }

    /// What the script answers to httpd (Apache.return): OK, DECLINED, DONE, an HTTP status; in an authn provider
    /// AUTH_*. When the script says nothing: OK for a handler, AUTH_DENIED for a provider, DECLINED for everything
    /// else (but see names_file).
    int answer;
    bool answered = false;
    void answers(int code) noexcept { answer = code, answered = true; }
    /// The script has said which file the request leads to. Where that is asked (translate_name) it is an answer: OK.
    bool names_file = false;
    /// The status of a body that cannot be read: 413, 400, 408.
    int status_of_body = HTTP_INTERNAL_SERVER_ERROR;
    /// The status when the run ends by the exception that was last blamed on the client, and by any other.
    int status_if_raised() const noexcept {
        return blamed_ != nullptr && blamed_ == ended_by_ ? blame_ : HTTP_INTERNAL_SERVER_ERROR;
    }
    void blame(const void* exception, int status) noexcept { blamed_ = exception, blame_ = status; }
    /// Where the request goes on when the script has ended well (in a handler or hook): an internal redirect. In
    /// r->pool.
    const char* redirect_to = nullptr;

    // -- what the script prints
    /// Rule: a handler's output is the response. A hook's is too, when it answers DONE. A filter's is added to the
    /// piece at hand. Whoever answers an HTTP status leaves the response to httpd (ErrorDocument): the output is
    /// dropped.
    void append(const char* s, std::size_t n) noexcept;
    void append(std::string_view s) noexcept { append(s.data(), s.size()); }
    /// Sends what there is. False when the client is gone.
    bool flush() noexcept { return pass(true); }
    /// Gives httpd what there is, in order, without sending it yet: before a subrequest that writes into the same
    /// response.
    bool hand_over() noexcept { return pass(false); }
    /// Throws away what is printed and not yet handed over.
    void discard() noexcept { size_ = 0; }
    /// Ends the response with what there is. What a handler returns.
    int finish() noexcept;
    /// The same, with a file behind what there is; it is closed with the request. False when the client is gone.
    bool finish_with(apr_file_t*, apr_off_t size) noexcept;
    /// Ends a response that has begun and went wrong, so that the client notices: no end of the body, no further
    /// request.
    int break_off() noexcept;
    /// What cannot be handed on (a hook's output, a filter's) is kept, up to here.
    static constexpr std::size_t most_kept = std::size_t{64} << 20;
    /// The response is larger than MrubyMaxResponse, or would be with n bytes more. Then the run is left.
    bool too_large(std::uint64_t n = 0) noexcept;
    /// More was printed than that, or than there is memory for: what there is, is not whole.
    bool overflown() const noexcept { return overflown_; }
    /// Bytes printed and not yet handed over.
    std::string_view pending() const noexcept { return {buffer_, size_}; }
    /// The headers are sent, or about to be: status and headers can no longer change.
    bool started() const noexcept { return started_ || r->sent_bodyct; }
    /// Somebody reads the response.
    bool alive() const noexcept { return !gone_ && !r->connection->aborted; }

    /// Nothing more can be printed: the script has finished the response itself.
    bool finished = false;
    /// Counts bytes of r->pool that the script causes to be kept; false when a request's scripts have more than a run
    /// may have. What is more than the limit stays counted: who asks again is told the same.
    bool take(std::size_t n) noexcept;
    /// Counts a subrequest, or a handler that is run by hand; false when there were too many in the whole request.
    bool go_within() noexcept;

    // -- the request's body
    enum class body : std::uint8_t {
        ok,         // here it is (read_some: there may be more)
        end,        // read_some: nothing more
        too_large,  // over MrubyMaxBody; status_of_body is 413 now
        failed,     // the client broke off or sent nonsense; status_of_body is 400, 408, ... now
    };
    /// The whole body. Asked again, gives the same. After read_some: what is left.
    body read_body(const char*& data, std::size_t& size) noexcept;
    /// Up to n bytes, as they come. After read_body: out of what that has read.
    body read_some(char* to, std::size_t n, std::size_t& got) noexcept;

    // -- in a filter (output_filter, input_filter)
    struct {
        ap_filter_t* f = nullptr;
        apr_bucket_brigade* brigade = nullptr;  // the piece of the body at hand; what is in it afterwards goes on
        bool last = false;                      // it is the end of the body; the EOS bucket is not in the brigade
        int error = 0;                          // an HTTP status: the filter breaks the body off with it
        std::size_t put = 0;                    // bytes that the script has put into the brigade and that are still there
    } filter;

    // -- in an authn provider (check_password, realm_hash)
    struct {
        const char* user = nullptr;
        const char* password = nullptr;  // check_password
        const char* realm = nullptr;     // realm_hash
        const char* hash = nullptr;      // realm_hash: the script's result, in r->pool
    } authn;

    // surroundings: puts, print, p and the log
    void write(const char* s, std::size_t n) noexcept override;
    void log(int level, std::string_view message) noexcept override;
    void ended_by(const void* exception) noexcept override { ended_by_ = exception; }
    void give_up() noexcept override;

private:
    bool pass(bool flush) noexcept;
    bool hand_on(const char* s, std::size_t n, bool flush, bool last) noexcept;
    void append_more(const char* s, std::size_t n) noexcept;

    char* buffer_ = nullptr;
    std::size_t body_at_ = 0;  // read_some is here, in a body that was read whole
    std::size_t size_ = 0, room_ = 0;
    std::uint64_t handed_on_ = 0;  // bytes, of all that was printed
    int socket_ = -1;              // the client's, where somebody may have to end a wait for it
    apr_bucket_brigade* brigade_ = nullptr;
    apr_status_t passed_ = APR_SUCCESS;
    const bool streams_;
    bool started_ = false, gone_ = false, overflown_ = false;
    struct account* account_ = nullptr;
    const void* blamed_ = nullptr;
    const void* ended_by_ = nullptr;
    int blame_ = HTTP_INTERNAL_SERVER_ERROR;
};

}  // namespace kumihimo::inline v0::apache
