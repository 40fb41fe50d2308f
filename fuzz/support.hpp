// What the fuzz targets share: stop loudly when two answers that must be equal are not.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/core/pipe.hpp"
#include "engine/core/trace.hpp"

namespace fuzz {
using namespace kumihimo;

[[noreturn]] inline void stop(const char* what, std::string_view a = "", std::string_view b = "") {
    std::fprintf(stderr, "fuzz: %s\n--- one\n%.*s\n--- other\n%.*s\n", what, static_cast<int>(a.size()), a.data(),
                 static_cast<int>(b.size()), b.data());
    std::abort();
}
inline void expect(bool condition, const char* what) {
    if (!condition) stop(what);
}
inline void expect_equal(std::string_view a, std::string_view b, const char* what) {
    if (a != b) stop(what, a, b);
}

inline bytes as_bytes(std::string_view s) { return {reinterpret_cast<const unsigned char*>(s.data()), s.size()}; }
inline std::string as_string(bytes b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }

/// A failure must be complete: the code that was returned, a place within the input, a sentence.
inline void expect_told(errc code, const context& ctx, std::size_t size) {
    expect(ctx.failure.code == code, "the context holds another code than was returned");
    if (code == errc::ok) return;
    expect(ctx.failure.offset <= size, "the failure's offset is outside the input");
    expect(ctx.failure.what != nullptr && ctx.failure.what[0] != 0, "the failure has no sentence");
}

/// A reader's document as a trace; false when it refuses. Counts are left out: JSON has none.
template <class Reader, class... A>
bool trace(bytes document, std::string& lines, const A&... dialect) {
    context ctx;
    buffer out;
    Reader from(document, ctx, dialect...);
    trace_sink to(out, ctx, {.counts = false});
    bytes b;
    errc code = from.feed(to);
    expect_told(code, ctx, document.size());
    if (code != errc::ok) return false;
    code = to.finish(b);
    expect(code == errc::ok, "a reader said ok in the middle of a document");
    lines = as_string(b);
    return true;
}

/// What a writer makes of a reader's document; the code says what the two said.
template <class Reader, class Writer, class D>
errc convert(bytes document, std::string& out, const D& dialect) {
    context ctx;
    buffer memory;
    Reader from(document, ctx);
    Writer to(memory, ctx, dialect);
    bytes b;
    const errc code = pipe(from, to, b);
    expect_told(code, ctx, document.size());
    if (code == errc::ok) out = as_string(b);
    return code;
}

}  // namespace fuzz
