// Frames (engine/frame) for Ruby: documents that are compressed, told by their first bytes when they are read.
#pragma once
#include <cstddef>

#include "engine/core/limits.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::ruby {

/// What is in the frames of that String, without an encoding; the String itself where it begins as no frame does. No
/// document of any format begins as a frame does and goes on, so the magic alone tells. Other threads run while much
/// is unpacked. Raises ParserError, with the offset in the packed bytes, for what is damaged, cut off, larger than
/// `size` or a bomb.
VALUE unframed(VALUE string, std::size_t size = limits{}.size);

}  // namespace kumihimo::inline v0::ruby
