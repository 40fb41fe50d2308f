// What can go wrong, as one small code that every part returns. The detail (where, and what to do about it) is in
// core/context.hpp and is filled only when something did go wrong, so that the way through without errors stays short.
#pragma once
#include <cstdint>

namespace kumihimo::inline v0 {

enum class errc : std::uint16_t {
    ok = 0,
    syntax,       // the bytes break the format's grammar
    truncated,    // the bytes end inside a value
    trailing,     // a whole document, and then something more
    encoding,     // text that is not valid in its own encoding (UTF-8, UTF-16, an escape for half a surrogate pair)
    range,        // a number, instant or length that the receiver cannot hold
    type,         // a value of another type than its receiver declared
    duplicate,    // a key twice, where the dialect forbids it
    depth,        // nested deeper than limits.depth
    size,         // larger than a limit: limits.size, a format's own maximum
    unsupported,  // a value that the format or host cannot say, and its dialect does not lower
    misuse,       // verbs in an order that makes no document: a value without its key, an end without its start
    memory,       // the allocator said no
    host,         // the host already has its own error pending; the adapter raises it when the engine has unwound
};

/// The code's name as users see it in machine-readable reports: "syntax", "truncated", ...
constexpr const char* name(errc e) noexcept {
    switch (e) {
        case errc::ok: return "ok";
        case errc::syntax: return "syntax";
        case errc::truncated: return "truncated";
        case errc::trailing: return "trailing";
        case errc::encoding: return "encoding";
        case errc::range: return "range";
        case errc::type: return "type";
        case errc::duplicate: return "duplicate";
        case errc::depth: return "depth";
        case errc::size: return "size";
        case errc::unsupported: return "unsupported";
        case errc::misuse: return "misuse";
        case errc::memory: return "memory";
        case errc::host: return "host";
    }
    return "unknown";
}

}  // namespace kumihimo::inline v0

/// Hands an error to the caller at once; the one control-flow macro of the engine.
#define KUMIHIMO_TRY(call)                                                                                     \
    do {                                                                                                       \
        if (const ::kumihimo::errc kumihimo_try_ = (call); kumihimo_try_ != ::kumihimo::errc::ok) [[unlikely]] \
            return kumihimo_try_;                                                                              \
    } while (false)
