// Over one CBOR item by the first bytes of what is in it (core/header_skip.hpp). What has no length puts the number of
// items that are still to come aside until its break.
#pragma once
#include <cstddef>

#include "engine/core/mold.hpp"

namespace kumihimo::inline v0::cbor {

/// header_skip<>::skip and header_skip<>::pass for CBOR.
const unsigned char* skip(const unsigned char* p, const unsigned char* e, molds& known, bool& starved) noexcept;
const unsigned char* pass(const unsigned char* p, const unsigned char* e, std::size_t depth, molds& known,
                          bool& starved) noexcept;

}  // namespace kumihimo::inline v0::cbor
