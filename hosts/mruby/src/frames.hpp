// Frames: compression around documents (engine/frame/frame.hpp), in pieces between which a run that is late is left.
// Libraries' memory is not mruby's, so what unpacks and packs is held (vm/held.hpp).
#pragma once
#include <cstddef>
#include <string_view>

#include "engine/core/sink.hpp"
#include "engine/frame/frame.hpp"

#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

/// The options frame and frame_level of a call that writes.
class frame_options {
public:
    /// Whether the option is one of the two; then its value is kept.
    bool take(std::string_view option, mrb_value value) noexcept;
    /// ArgumentError for a frame or a level that is none. To be asked before the document is made.
    void check(mrb_state*);
    /// The document in the frame; itself where none is named.
    mrb_value framed(mrb_state*, mrb_value document) const;

private:
    mrb_value name_ = mrb_nil_value(), level_ = mrb_nil_value();
    const frame::codec* codec_ = nullptr;
    int chosen_level_ = frame::usual_level;
};

/// What is in the frames of a String, or itself where it begins as no frame does. ParserError.
mrb_value unframed(mrb_state*, mrb_value string);

// A stream in frames (engine/frame/plain_stream.hpp), for loops that call a block between two pieces of text: a run
// has `most_streams` at once.
inline constexpr std::size_t most_streams = 8;

/// An object that scripts do not find, to be kept for as long as it is needed. RuntimeError where there are too many.
mrb_value new_packed_stream(mrb_state*);
/// What was read; it stays where it is until there is no more text.
void push_packed(mrb_state*, mrb_value stream, bytes read);
/// No byte follows.
void end_packed(mrb_state*, mrb_value stream);
/// The text that comes next, valid until the next call. Empty: there is none in what was pushed, or something stops
/// the stream.
bytes next_text(mrb_state*, mrb_value stream);
/// Raises what stops the stream, where something does. ParserError.
void check_packed(mrb_state*, mrb_value stream);
/// Lets go of the memory that it has.
void close_packed(mrb_value stream);

void define_frames(mrb_state*, RClass* module);

}  // namespace kumihimo::inline v0::mruby
