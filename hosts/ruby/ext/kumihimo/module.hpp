// The parts of the Ruby module: each file adds its own methods. Called once, in this order, by Init_kumihimo
// (module.cpp).
#pragma once
#include "guard.hpp"

namespace kumihimo::inline v0::ruby {

void init_text();                        // encodings, and the cache of keys (text.hpp)
void init_output();                      // the spare String that documents are written into
void init_errors(VALUE kumihimo);        // ParserError, GeneratorError, NestingError
void init_moment(VALUE kumihimo);        // Moment
void init_generate(VALUE kumihimo);      // generate, and the natives of Coder#dump
void init_parse(VALUE kumihimo);         // parse, and the natives of Coder#load
void init_message_pack(VALUE kumihimo);  // MessagePack
void init_partial(VALUE kumihimo);       // Partial
void init_lazy(VALUE kumihimo);          // Lazy
void init_stream(VALUE kumihimo);        // documents out of an IO
void init_frames(VALUE kumihimo);        // frames, pack, and the natives of unpack and of streams in frames
void init_any_format(VALUE kumihimo);    // formats, and the natives of dump, load and convert with any format
void init_rails(VALUE kumihimo);         // Rails::Encoder

}  // namespace kumihimo::inline v0::ruby
