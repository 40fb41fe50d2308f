// What the bytes are that a projection by headers is given.
#pragma once
#include <cstdint>

namespace kumihimo::inline v0::json {

enum class given : std::uint8_t {
    document,  // one document
    stream,    // a document, and whatever follows it
};

}  // namespace kumihimo::inline v0::json
