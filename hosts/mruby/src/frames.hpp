// Frames: compression around documents (engine/frame/frame.hpp), in pieces between which a run that is late is left. Libraries'
// memory is not mruby's, so what unpacks and packs is held (vm/held.hpp).
#pragma once
#include <cstddef>

#include "engine/core/sink.hpp"
#include "engine/frame/frame.hpp"

#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

/// The options frame and frame_level.
struct frame_options {
    const frame::codec* as = nullptr;  // null: none
    int level = frame::usual_level;
};
/// nil is none. ArgumentError for a name or a level that there is not.
frame_options frame_of(mrb_state*, mrb_value name, mrb_value level);

/// The document in that frame, or itself where there is none.
mrb_value framed(mrb_state*, mrb_value document, const frame_options&);
/// What is in the frames of a String, or itself where it begins as no frame does. ParserError.
mrb_value unframed(mrb_state*, mrb_value string);

// A stream of frames, for loops that call a block between two pieces of text: a run has `most_unpackers` at once.
inline constexpr std::size_t most_unpackers = 8;

/// An object that scripts do not find, to be kept for as long as it is needed. RuntimeError where there are too many.
mrb_value new_unpacker(mrb_state*, const frame::codec&);
/// Text out of the front of `in`, at most `room` bytes; none: there is no more in it. What stops the stream is raised by the
/// call behind the one that gave the last text before it. ParserError.
std::size_t unpack_some(mrb_state*, mrb_value unpacker, bytes& in, char* to, std::size_t room);
/// No byte follows. ParserError.
void unpack_end(mrb_state*, mrb_value unpacker);

void define_frames(mrb_state*, RClass* module);

}  // namespace kumihimo::inline v0::mruby
