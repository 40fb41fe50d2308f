// httpd's functions read some fields of a request without asking whether they are there, and other modules make
// requests that lack them (internal ones above all), or take away what a request had.
#pragma once
#include <array>

#include "httpd.hpp"

namespace kumihimo::inline v0::apache {

/// The list that Allow is made of, which httpd copies into each subrequest's.
inline ap_method_list_t& methods_of(request_rec* r) noexcept {
    if (r->allowed_methods == nullptr) r->allowed_methods = ap_make_method_list(r->pool, 2);
    return *r->allowed_methods;
}

/// As long as this lives, what is missing has a stand-in: empty texts, an address of nobody. For calls of httpd's that
/// only read. What they keep are the texts, which live for ever.
class whole_request {
public:
    explicit whole_request(request_rec* r) noexcept
        : r_(r),
          had_{r->method, r->protocol, r->uri, r->unparsed_uri, r->filename},
          client_(r->connection->client_addr),
          local_(r->connection->local_addr),
          server_(r->server) {
        for (char** const at : fields()) {
            if (*at == nullptr) *at = const_cast<char*>("");
        }
        if (r->method == nullptr) r->method = "";
        methods_of(r);
        if (client_ == nullptr) r->connection->client_addr = nobody();
        if (local_ == nullptr) r->connection->local_addr = nobody();
        if (server_->server_hostname != nullptr) [[likely]]
            return;
        // The server's record is the whole process's; the connection's is this thread's.
        named_ = *server_;
        named_.server_hostname = const_cast<char*>("");
        r->server = &named_;
    }
    ~whole_request() {
        r_->method = had_.method;
        r_->protocol = had_.protocol;
        r_->uri = had_.uri;
        r_->unparsed_uri = had_.unparsed_uri;
        r_->filename = had_.filename;
        r_->connection->client_addr = client_;
        r_->connection->local_addr = local_;
        r_->server = server_;
    }
    whole_request(const whole_request&) = delete;
    whole_request& operator=(const whole_request&) = delete;

private:
    struct fields_of {
        const char* method;
        char *protocol, *uri, *unparsed_uri, *filename;
    };
    std::array<char**, 4> fields() const noexcept { return {&r_->protocol, &r_->uri, &r_->unparsed_uri, &r_->filename}; }
    static apr_sockaddr_t* nobody() noexcept {
        static thread_local apr_sockaddr_t address{};
        return &address;
    }

    request_rec* const r_;
    const fields_of had_;
    apr_sockaddr_t *const client_, *const local_;
    server_rec* const server_;
    server_rec named_{};
};

}  // namespace kumihimo::inline v0::apache
