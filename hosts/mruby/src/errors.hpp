// The exceptions of JSON, MessagePack and Kumihimo. What raises does not return.
#pragma once
#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

/// A class of one of these modules.
RClass* class_in(mrb_state*, const char* module, const char* name);

[[noreturn]] void raise_generate(mrb_state*, mrb_value object, const char* sentence);
/// NestingError: nesting of `depth` is too deep.
[[noreturn]] void raise_nesting(mrb_state*, mrb_int depth);

/// Where a document of a stream begins; what is said of its places counts from the stream's begin.
struct stream_place {
    std::size_t offset = 0;
    std::size_t lines = 0;    // that have ended
    std::size_t columns = 0;  // bytes of the line it begins in

    /// Moves behind `passed`, which is not cut inside of a line's end.
    void pass(bytes passed) noexcept;
};

/// What is said about a document that cannot be read, as plain memory: made while the context still lives, raised when
/// nothing with a destructor does.
struct read_failure {
    errc code = errc::ok;
    std::size_t offset = failure::nowhere;
    std::size_t line = 0;
    std::size_t column = 0;
    char path[208];  // the engine's are 200 bytes at most (engine/core/path_text.hpp)
    char message[512];

    /// Takes over what ctx says; the sentence gets place and excerpt.
    void take(const context& ctx, errc code, bytes document, std::size_t depth, const stream_place& begin = {}) noexcept;
};

/// offset, line, column and path, for a class of such errors.
void define_failure(mrb_state*, RClass*);

/// ParserError (of MessagePack: UnpackError) or NestingError of `module`, with offset, line, column and path.
[[noreturn]] void raise_read(mrb_state*, const char* module, const read_failure&);

}  // namespace kumihimo::inline v0::mruby
