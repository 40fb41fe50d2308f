// What both layouts' readers share: the input, and how a failure is told.
#pragma once
#include <cstddef>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/scalar/utf8.hpp"
#include "engine/simd/text.hpp"
#include "engine/tagged/locate.hpp"

namespace kumihimo::inline v0::tagged {

class input {
protected:
    input(bytes all, context& ctx) noexcept : begin_(all.data()), end_(begin_ + all.size()), at_(begin_), ctx_(ctx) {}

    std::size_t offset(const unsigned char* at) const noexcept { return static_cast<std::size_t>(at - begin_); }

    /// The document ends in the piece at `at`.
    [[gnu::cold, gnu::noinline]] errc cut(const unsigned char* at) noexcept {
        if (last_ != end_) return stop(errc::size, at, "the document is larger than the limit");
        return stop(errc::truncated, at, at == end_ ? "the input ends where a value is due" : "the input ends inside a value");
    }
    [[gnu::cold, gnu::noinline]] errc not_utf8(text t) noexcept {
        const char* const s = static_cast<const char*>(t.data);
        return stop(errc::encoding, reinterpret_cast<const unsigned char*>(s + scalar::utf8_valid_prefix(s, t.size)),
                    "a string is not valid UTF-8");
    }
    [[gnu::cold, gnu::noinline]] errc too_deep(const unsigned char* at) noexcept {
        return stop(errc::depth, at, "containers are nested deeper than the limit");
    }
    [[gnu::cold, gnu::noinline]] errc no_memory(const unsigned char* at) noexcept {
        return stop(errc::memory, at, "out of memory");
    }

    /// The failure at a byte of the input.
    [[gnu::cold, gnu::noinline]] errc stop(errc code, const unsigned char* at, const char* what) noexcept {
        ctx_.fail(code, offset(at), what);
        locate({begin_, offset(end_)}, ctx_, offset(first_));
        return code;
    }
    /// The sink said no to the value at this byte; it knows why, but not where.
    [[gnu::cold, gnu::noinline]] errc refused(errc code, const unsigned char* at) noexcept {
        if (code == errc::host) return code;
        ctx_.fail(code, failure::nowhere, "the receiver refused this value");
        if (ctx_.failure.offset == failure::nowhere) {
            ctx_.failure.offset = offset(at);
            locate({begin_, offset(end_)}, ctx_, offset(first_));
        }
        return code;
    }

    const unsigned char* begin_;
    const unsigned char* end_;
    const unsigned char* at_;
    const unsigned char* first_ = nullptr;  // of the document under way
    const unsigned char* last_ = nullptr;   // where limits.size or the input ends it
    context& ctx_;
};

}  // namespace kumihimo::inline v0::tagged
