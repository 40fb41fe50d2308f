// From a byte offset to the line and column that an editor shows. Worked out only after a failure.
#pragma once
#include <cstddef>

#include "engine/core/sink.hpp"

namespace kumihimo::inline v0::json {

struct place {
    std::size_t line = 1;    // 1-based
    std::size_t column = 1;  // 1-based, in bytes from the start of the line
};

/// Lines end with \n, \r\n or \r. An offset past the end counts as the end.
place locate(bytes document, std::size_t offset) noexcept;

}  // namespace kumihimo::inline v0::json
