// What the walkers write to (engine/core/emit.hpp, engine/json/emit.hpp), with Ruby's way to fail.
#pragma once
#include "engine/json/emit.hpp"
#include "errors.hpp"
#include "output.hpp"

namespace kumihimo::inline v0::ruby {

/// Raises what a sink said about a value that is being written.
[[noreturn, gnu::cold]] void raise_write(errc code, const char* what);

template <const json::escape_set& Escapes>
using emit_burst = json::emit_burst<string_output, Escapes, raise_write>;
template <const json::escape_set& Escapes>
using emit_laid_out = json::emit_laid_out<string_output, Escapes, raise_write>;
using emit_writer = json::emit_writer<string_output, raise_write>;

}  // namespace kumihimo::inline v0::ruby
