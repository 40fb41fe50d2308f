// Kumihimo::MessagePack's two kinds of values, which stand for extensions and exact moments in any format.
#pragma once
#include <cstdint>

#include "engine/core/sink.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::ruby {

// Structs; set once by init_message_pack.
extern VALUE extension_class;  // type, payload
extern VALUE timestamp_class;  // sec, nsec

/// The moment that a Timestamp stands for. Raises RangeError, TypeError.
instant instant_of_timestamp(VALUE timestamp);

/// Writes an Extension. Raises RangeError, TypeError.
template <class To>
void write_extension(To& to, VALUE extension) {
    VALUE payload = RSTRUCT_GET(extension, 1);
    const long type = NUM2LONG(RSTRUCT_GET(extension, 0));
    if (type < -128 || type > 127) rb_raise(rb_eRangeError, "an extension's type is -128 to 127, not %ld", type);
    StringValue(payload);
    to.ext(static_cast<int>(type), RSTRING_PTR(payload), static_cast<std::size_t>(RSTRING_LEN(payload)));
    RB_GC_GUARD(payload);
}

}  // namespace kumihimo::inline v0::ruby
