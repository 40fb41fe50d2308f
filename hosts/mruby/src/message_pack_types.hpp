// The kinds of value that MessagePack has and Ruby has not.
#pragma once
#include "build.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

struct message_pack_types {
    RClass* extension;
    RClass* timestamp;
};

/// Defines MessagePack::Extension (type, payload) and Timestamp (sec, nsec).
message_pack_types define_message_pack_types(mrb_state*, RClass* module);
/// The two as they are there.
message_pack_types message_pack_types_of(mrb_state*);

/// v, if it is an Integer of that range. RangeError, which calls it `what`.
mrb_int integer_within(mrb_state*, mrb_value v, const char* what, mrb_int least, mrb_int most);

struct extension_value {
    int type;
    mrb_value payload;  // whatever a script made it
};
/// What an Extension says; RangeError for a type that there is not.
extension_value extension_of(mrb_state*, mrb_value);
/// What a Timestamp says, as UTC. RangeError.
instant timestamp_of(mrb_state*, mrb_value);

/// A builder of every kind of value: extensions are Extensions, and moments Timestamps.
class typed_builder : public builder {
public:
    typed_builder(mrb_state* mrb, context& ctx, const build_options& o, key_cache& keys,
                  const message_pack_types& types) noexcept
        : builder(mrb, ctx, o, keys), types_(types) {}

    errc time(const instant& t) { return timestamp(t); }
    errc ext(int type, bytes data) {
        return push(made(types_.extension, "@type", mrb_fixnum_value(type), "@payload",
                         new_string(mrb_, reinterpret_cast<const char*>(data.data()), data.size())));
    }

protected:
    errc timestamp(const instant& t) {
        return push(made(types_.timestamp, "@sec", integer_value(mrb_, t.seconds), "@nsec",
                         mrb_fixnum_value(static_cast<mrb_int>(t.nanoseconds))));
    }

private:
    mrb_value made(RClass* c, const char* a, mrb_value first, const char* b, mrb_value second) {
        const mrb_value v = mrb_obj_value(mrb_obj_alloc(mrb_, MRB_TT_OBJECT, c));
        mrb_iv_set(mrb_, v, mrb_intern_cstr(mrb_, a), first);
        mrb_iv_set(mrb_, v, mrb_intern_cstr(mrb_, b), second);
        return v;
    }
    const message_pack_types& types_;
};

}  // namespace kumihimo::inline v0::mruby
