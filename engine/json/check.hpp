// Validation alone, at the speed of the widest kernel: is this exactly one document that the reader would accept?
//
//      context ctx;
//      if (json::check(document, ctx) != errc::ok) report(ctx.failure);      offset, line, column, path, sentence
//
// Valid is RFC 8259, as json::reader reads it with its default dialect: UTF-8 without a byte order mark, \u escapes that make
// whole Unicode scalar values, white space around the document and nothing else, numbers of any magnitude.
#pragma once
#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/diagnose.hpp"
#include "engine/simd/dispatch.hpp"

namespace kumihimo::inline v0::json {

/// errc::ok, or the first thing that is wrong with the document. Keeps ctx.limits.depth and .size. Nothing outside the bytes is
/// read.
inline errc check(bytes document, context& ctx) {
    if (document.size() > ctx.limits.size) return ctx.fail(errc::size, 0, "the document is larger than the limit");
    const char* data = reinterpret_cast<const char*>(document.data());
    if (simd::active().check(data, document.size(), ctx.limits.depth)) return errc::ok;
    if (const errc e = diagnose(document, ctx); e != errc::ok) return e;
    // Beyond their inline levels the kernels' bracket stacks are on the heap; that is the only other reason for a "no".
    return ctx.fail(errc::memory, 0, "out of memory for the stack of open containers");
}

}  // namespace kumihimo::inline v0::json
