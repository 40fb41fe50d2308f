// The request's body, read once for all the scripts of a request.
#pragma once
#include "exchange.hpp"

namespace kumihimo::inline v0::apache {

/// What of a request's body was read. It is in the request's own configuration and lives as long as r->pool: a hook, a
/// filter and the handler see the same.
struct body_state {
    const char* data = nullptr;  // the whole of it, or what was left when somebody asked for it
    char* grown = nullptr;       // malloc's, freed with r->pool: what does not fit into the first piece
    std::size_t size = 0;
    std::size_t replayed = 0;   // other modules have come so far
    std::int64_t streamed = 0;  // bytes that read_some gave out unkept
    apr_bucket_brigade* rest = nullptr;
    bool whole = false;
    bool ended = false;  // httpd has said so
    exchange::body failed = exchange::body::ok;
    int status = 0;
};

/// An HTTP/2 client that is still sending when its answer is complete finds its stream reset, and some take that for
/// an error: reads a small body that nobody wanted first, for whom it is yet to be (ErrorDocument). HTTP/1 has httpd
/// do that afterwards.
void take_small_body(request_rec*) noexcept;

/// The filter that lets other modules read a body that a hook has read.
void register_body_filter();

}  // namespace kumihimo::inline v0::apache
