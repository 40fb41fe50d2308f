// The kinds of value that MessagePack has and Ruby has not.
#pragma once
#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

struct message_pack_types {
    RClass* extension;
    RClass* timestamp;
};

/// Defines MessagePack::Extension (type, payload) and Timestamp (sec, nsec).
message_pack_types define_message_pack_types(mrb_state*, RClass* module);

}  // namespace kumihimo::inline v0::mruby
