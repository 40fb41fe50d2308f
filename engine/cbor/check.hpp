// Whether bytes are well-formed CBOR, and, where asked, in the form that RFC 8949 prefers or its deterministic one;
// and where an item ends. No values are made. The reader runs it over what it passes on unread (ext), and before the
// first verb where its dialect insists on a form; the writer over what it takes in as it is.
#pragma once
#include <cstddef>

#include "engine/cbor/dialect.hpp"
#include "engine/cbor/header.hpp"
#include "engine/core/errc.hpp"

namespace kumihimo::inline v0::cbor {

/// What is wrong, and at which byte.
struct fault {
    errc code = errc::ok;
    const unsigned char* at = nullptr;
    const char* what = "";
};

struct check_rules {
    insist_on insist = insist_on::anything;
    bool text = true;          // text must be UTF-8
    std::size_t depth = 1024;  // containers open at once
};

/// Walks over one item: p is then its end. Codes: syntax, truncated, encoding, depth, memory; duplicate under
/// `deterministic`.
errc check(const unsigned char*& p, const unsigned char* e, const check_rules& rules, fault& found) noexcept;

/// The content of a string whose header was read: p is behind the header and then at the string's end. `take(begin,
/// size)` is called for the one piece or, where the length is indefinite, for each chunk, and returns errc::ok to go
/// on.
template <class Take>
errc pieces(const unsigned char*& p, const unsigned char* e, const header& h, fault& found, Take take) noexcept {
    if (!h.indefinite) {
        if (h.argument > static_cast<std::uint64_t>(e - p)) {
            found = {errc::truncated, p - h.size, "the input ends inside a value"};
            return found.code;
        }
        const unsigned char* const begin = p;
        p += h.argument;
        return take(begin, static_cast<std::size_t>(h.argument));
    }
    const unsigned char* const start = p - h.size;
    for (;;) {
        const header chunk = read_header(p, e);
        const bool cut = chunk.is == header::kind::cut ||
                         (chunk.is == h.is && chunk.argument > static_cast<std::uint64_t>(e - p) - chunk.size);
        if (cut) {
            found = {errc::truncated, start, "the input ends inside a value"};
            return found.code;
        }
        if (chunk.is == header::kind::stop) {
            ++p;
            return errc::ok;
        }
        if (chunk.is != h.is || chunk.indefinite) {
            found = {errc::syntax, p, "a string of indefinite length has chunks of its own kind, each of a definite length"};
            return found.code;
        }
        p += chunk.size + chunk.argument;
        KUMIHIMO_TRY(take(p - chunk.argument, static_cast<std::size_t>(chunk.argument)));
    }
}

}  // namespace kumihimo::inline v0::cbor
