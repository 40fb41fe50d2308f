// Validation alone, at the speed of the widest kernel: is this exactly one document that the reader would accept?
//
//      context ctx;
//      if (json::check(document, ctx) != errc::ok) report(ctx.failure);      offset, line, column, path, sentence
//
// Valid is what json::reader accepts by the same dialect, with the same errors. By the default one: RFC 8259, UTF-8
// without a byte order mark, \u escapes that make whole Unicode scalar values, white space around the document and
// nothing else, numbers of any magnitude.
#pragma once
#include "engine/core/context.hpp"
#include "engine/core/null.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/dialect.hpp"
#include "engine/json/kernels.hpp"
#include "engine/json/reader.hpp"

namespace kumihimo::inline v0::json {

/// Whether the kernels know this dialect: what they accept is valid in it. What it grants beyond RFC 8259 is at most
/// numbers and half a surrogate pair.
constexpr bool checked_by_kernels(const read_dialect& d) noexcept {
    read_dialect known = rfc8259;
    known.decimal_digits = d.decimal_digits;
    known.integer_zero = d.integer_zero;
    known.overflows = d.overflows;
    known.surrogates = d.surrogates;
    known.line_end = d.line_end;  // of comments, which are not granted
    if (d.duplicates != duplicate_keys::error) known.duplicates = d.duplicates;
    return d == known;
}

/// errc::ok, or the first thing that is wrong with the document. Keeps ctx.limits.depth and .size. Nothing outside the
/// bytes is read. `may_overflow`, where given, is what the kernels say of a valid document's numbers
/// (json/kernels.hpp), for a receiver with limits of its own.
inline errc check(bytes document, context& ctx, const read_dialect& granted = rfc8259, bool* may_overflow = nullptr) {
    if (may_overflow != nullptr) *may_overflow = true;
    if (document.size() > ctx.limits.size) return ctx.fail(errc::size, 0, "the document is larger than the limit");
    const char* data = reinterpret_cast<const char*>(document.data());
    if (checked_by_kernels(granted)) {
        bool beyond = false;
        if (active_kernels().check(data, document.size(), ctx.limits.depth, beyond) &&
            (!beyond || granted.overflows == overflow::digits || granted.decimal_digits)) {
            if (may_overflow != nullptr) *may_overflow = beyond;
            return errc::ok;
        }
    }
    // What is wrong, or what the kernels do not know, is the reader's to say.
    null_sink nobody;
    reader from(document, ctx, granted);
    return from.feed(nobody);
}

}  // namespace kumihimo::inline v0::json
