// The slow and exact pass after a reader, a check or a projection said no: it walks the document once more and finds
// what broke, where, and under which path. All texts about JSON syntax live in diagnose.cpp, so every kernel and every
// level reports a broken document in the same words, and no correct document pays for it.
#pragma once
#include <cstddef>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/dialect.hpp"

namespace kumihimo::inline v0::json {

/// How much of the bytes the document is.
enum class extent : unsigned char {
    whole,  // one document and white space; anything more is errc::trailing
    first,  // one document; what follows it is not looked at
};

/// Fills ctx.failure for the document that starts at `from` and returns the code; errc::ok, and ctx untouched, when
/// there is nothing wrong with it. Offsets, lines and columns count from the start of `document`. A failure that ctx
/// holds already is replaced: the first pass knew less.
errc diagnose(bytes document, context& ctx, const read_dialect& granted = rfc8259, extent wanted = extent::whole,
              std::size_t from = 0);

/// Adds line, column and path to a failure of a sink (a number out of its range, a refused key) at a known offset.
void describe(bytes document, context& ctx, const read_dialect& granted, std::size_t from, std::size_t offset);

/// Makes a failure of a reader that was given one value alone, which begins at `value`, what it is in the whole
/// document, and returns its code. As at every level it is the document's first fault, wherever that is.
errc relocate(bytes document, context& ctx, const read_dialect& granted, std::size_t value);

}  // namespace kumihimo::inline v0::json
