// What the brackets and quotes of one line say about it: what layout.cpp and scanner.cpp share.
#pragma once
#include <cstring>

#include "engine/json/boundary.hpp"
#include "engine/json/check.hpp"
#include "engine/json/scan.hpp"
#include "extract/dialect_reader.hpp"
#include "extract/split.hpp"

namespace kumihimo::inline v0::extract {

inline bool white(unsigned char c) noexcept { return json::is_space(static_cast<char>(c)); }

inline std::size_t skip_white(bytes text, std::size_t at) noexcept {
    while (at < text.size() && white(text[at])) ++at;
    return at;
}

inline std::size_t find_newline(bytes text, std::size_t from) noexcept {
    if (from >= text.size()) return text.size();
    const void* p = std::memchr(text.data() + from, '\n', text.size() - from);
    return p == nullptr ? text.size() : static_cast<std::size_t>(static_cast<const unsigned char*>(p) - text.data());
}

inline const char* chars(bytes b) noexcept { return reinterpret_cast<const char*>(b.data()); }

inline bool begins_value(unsigned char c) noexcept {
    return c == '{' || c == '[' || c == '"' || c == '-' || (c >= '0' && c <= '9') || c == 't' || c == 'f' || c == 'n';
}

/// Whether a text is one document. How deep is too deep, what else a dialect refuses, and half a surrogate pair in a
/// value that nobody may want, is the reader's question.
inline errc judge(bytes document, const dialect_reader* dialect, context& ctx) {
    ctx.limits.depth = std::size_t{1} << 20;
    constexpr json::read_dialect any_escapes{.surrogates = json::lone_surrogates::keep};
    return dialect != nullptr ? dialect->whole(document, ctx) : json::check(document, ctx, any_escapes);
}

/// How far a line is one document by its brackets alone.
enum class shape : std::uint8_t { document, more_behind, unfinished, nothing };

/// `behind`: with more_behind, the first byte of what is behind the document.
inline shape shape_of(bytes line, unsigned char* behind = nullptr) {
    const std::size_t start = skip_white(line, 0);
    if (start == line.size() || !begins_value(line[start])) return shape::nothing;
    json::boundary state;
    const std::size_t n = state.next(chars(line) + start, line.size() - start);
    if (!state.complete) {
        // A scalar that ends in a comma is a line of a pretty-printed array.
        if (state.document == json::boundary::kind::scalar && trimmed(line).back() == ',') return shape::nothing;
        return state.finish() ? shape::document : shape::unfinished;
    }
    if (state.document == json::boundary::kind::scalar && n != 0 && line[start + n - 1] == ',') return shape::nothing;
    const std::size_t next = skip_white(line, start + n);
    if (next == line.size()) return shape::document;
    if (behind != nullptr) *behind = line[next];
    return shape::more_behind;
}

}  // namespace kumihimo::inline v0::extract
