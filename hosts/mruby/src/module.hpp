// The parts of the module: JSON, MessagePack and Kumihimo (any format). None of them needs a VM.
#pragma once
#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

void define_json(mrb_state*);          // JSON
void define_message_pack(mrb_state*);  // MessagePack
void define_any_format(mrb_state*);    // Kumihimo

/// All of them.
void define_module(mrb_state*);

}  // namespace kumihimo::inline v0::mruby
