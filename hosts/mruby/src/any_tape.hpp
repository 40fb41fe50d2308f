// What keeps a document of any format on a tape: Kumihimo.partial and Kumihimo.lazy.
#pragma once
#include "engine/tape/tape.hpp"

#include "any_format.hpp"

namespace kumihimo::inline v0::mruby {

/// errc::size where a tape of the document may not be made: each byte can become a node, and with `places` a span,
/// while it is read in memory that no script's limit counts.
inline errc may_have_tape(mrb_state* mrb, bytes document, context& ctx, bool places = false) noexcept {
    const std::size_t each = sizeof(tape::node) + (places ? sizeof(tape::span) : 0);
    if (document.size() <= most_bytes(mrb) / each) return errc::ok;
    return ctx.fail(errc::size, failure::nowhere, "the document is larger than a tape may be");
}

}  // namespace kumihimo::inline v0::mruby
