// When work is long, and how much of it lies between two turns of others (turn.hpp).
#pragma once
#include <cstddef>
#include <cstdint>

#include "guard.hpp"

namespace kumihimo::inline v0::ruby {

/// Writing: some tens of microseconds where values are plain, a few hundred where each one is a call into Ruby.
inline constexpr std::size_t bytes_per_turn = std::size_t{32} << 10;
/// Reading, as the builder counts what it makes (build.hpp).
inline constexpr std::int64_t units_per_turn = std::int64_t{64} << 10;
/// Loops that neither write nor build.
inline constexpr unsigned steps_per_turn = 4096;

/// From here on a document that is read is worth a frozen String of its own, so that others may have their turns
/// meanwhile.
inline constexpr std::size_t long_document = std::size_t{32} << 10;
/// A piece of a stream has many documents, and the usual one (256 KB) is over soon enough.
inline constexpr std::size_t long_piece = std::size_t{512} << 10;
/// From here on what makes no objects is done without Ruby's lock: giving it up and taking it again costs more before.
inline constexpr std::size_t unlocked_document = std::size_t{256} << 10;

/// `string` as it is read, where nobody can change it if it is long or if the user's code is called meanwhile: frozen,
/// sharing its bytes. Sets `interruptible` then, and leaves it as it is otherwise.
inline VALUE unchangeable(VALUE string, std::size_t long_from, bool calls, bool& interruptible) {
    if (!calls && static_cast<std::size_t>(RSTRING_LEN(string)) < long_from) return string;
    interruptible = true;
    return rb_str_new_frozen(string);
}

}  // namespace kumihimo::inline v0::ruby
