// Over one MessagePack value by the first bytes of what is in it (core/header_skip.hpp).
#pragma once
#include <cstddef>

#include "engine/core/mold.hpp"

namespace kumihimo::inline v0::msgpack {

/// header_skip<>::skip and header_skip<>::pass for MessagePack.
const unsigned char* skip(const unsigned char* p, const unsigned char* e, molds& known, bool& starved) noexcept;
const unsigned char* pass(const unsigned char* p, const unsigned char* e, std::size_t depth, molds& known,
                          bool& starved) noexcept;

}  // namespace kumihimo::inline v0::msgpack
