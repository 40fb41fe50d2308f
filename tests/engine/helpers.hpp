// What several engine tests need: bytes from text, and documents as traces.
#pragma once
#include <string>
#include <string_view>

#include "engine/core/pipe.hpp"
#include "engine/core/trace.hpp"

namespace helpers {
using namespace kumihimo;

inline bytes as_bytes(std::string_view s) { return {reinterpret_cast<const unsigned char*>(s.data()), s.size()}; }
inline std::string as_string(bytes b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }

inline std::string unhex(std::string_view hex) {
    std::string out;
    int high = -1;
    for (const char c : hex) {
        const int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (d < 0) continue;
        if (high < 0) {
            high = d;
        } else {
            out.push_back(static_cast<char>(high << 4 | d));
            high = -1;
        }
    }
    return out;
}
inline std::string hex(std::string_view s) {
    std::string out;
    for (const char c : s) {
        out += trace_text::digits[static_cast<unsigned char>(c) >> 4];
        out += trace_text::digits[c & 15];
    }
    return out;
}

/// The trace of a source's document, or "error <code> <offset> <path>: <sentence>".
template <class S>
std::string trace(S& from, context& ctx, trace_dialect as = {}) {
    buffer out;
    trace_sink to(out, ctx, as);
    bytes text;
    errc code = from.feed(to);
    if (code == errc::ok) code = to.finish(text);
    if (code == errc::ok) return as_string(text);
    std::string said = std::string("error ") + name(code);
    if (ctx.failure.offset != failure::nowhere) said += " " + std::to_string(ctx.failure.offset);
    if (!ctx.failure.path.empty()) said += " " + ctx.failure.path;
    return said + ": " + ctx.failure.what;
}

/// A reader's document as a trace.
template <class Reader>
std::string read(std::string_view document, trace_dialect as = {}) {
    context ctx;
    Reader from(as_bytes(document), ctx);
    return trace(from, ctx, as);
}

/// The bytes of a writer for a document given as a trace, or "error <code>: <sentence>".
template <class Writer>
std::string write(std::string_view trace, const typename Writer::dialect& as) {
    context ctx;
    buffer out;
    trace_source from(trace, ctx);
    Writer to(out, ctx, as);
    bytes document;
    const errc code = pipe(from, to, document);
    if (code == errc::ok) return as_string(document);
    return std::string("error ") + name(code) + ": " + ctx.failure.what;
}

}  // namespace helpers
