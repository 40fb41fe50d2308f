// From a byte offset to the path of the value there: "$.a[3]". Walked only after a failure, so that no correct
// document pays.
#pragma once
#include <cstddef>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"

namespace kumihimo::inline v0::msgpack {

/// Fills ctx.failure.path for ctx.failure.offset in the document that starts at `from`; offsets count from
/// `document`'s start. Spelled as core/path_text.hpp says; the value of a key that is not text is {n}, the n-th pair
/// of its map, 0-based. Where memory is out the path stays empty.
void locate(bytes document, context& ctx, std::size_t from = 0) noexcept;

}  // namespace kumihimo::inline v0::msgpack
