// Failures of the engine as Ruby's exceptions, in the words that users of the json gem match on.
//
//      Kumihimo::ParserError    < JSON::ParserError     offset, line, column, path
//      Kumihimo::GeneratorError < JSON::GeneratorError  invalid_object
//      Kumihimo::NestingError   < JSON::NestingError    offset, line, column, path when it came from a document
#pragma once
#include <cstdarg>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::ruby {

/// The exception for what `ctx` says about reading `document`. `base` is added to the offset and `lines` to the line,
/// for a document that is part of a stream. May raise itself (memory is out): for use inside protect().
[[nodiscard, gnu::cold]] VALUE parse_error_of(const context& ctx, errc code, bytes document, std::size_t base = 0,
                                              std::size_t lines = 0);

/// GeneratorError about `object`, with the sentence `format`; %+"PRIsVALUE" and the like work as in rb_raise.
[[noreturn, gnu::cold]] void raise_generate(VALUE object, const char* format, ...);

/// NestingError: nesting of `depth` is too deep.
[[noreturn, gnu::cold]] void raise_nesting(long depth);

/// The same with newer json gems' question about circular references.
[[noreturn, gnu::cold]] void raise_nesting_with_hint(long depth);

extern VALUE parser_error, generator_error, nesting_error;

}  // namespace kumihimo::inline v0::ruby
