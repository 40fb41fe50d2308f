// Paths into a document, as users write them. Two notations; the first byte decides.
//
//   JSON Pointer (RFC 6901)   /trades/0/price   /a~1b   "" is the whole document
//     A token of digits means the member of that name in an object and the element of that number in an array.
//   dotted                    last_price.price   asks[0][1]   trades[*].price   $.a.b   $ is the whole document
//     [3] an element, [*] every element, ["a.b"] or "a.b" a member whose name has . [ ] " or nothing in it (JSON's
//     escapes apply, ['a.b'] works too). Bare names are taken as they are, blanks included.
//
// With path_steps::all the dotted notation has four more, which no projection compiles:
//
//   trades[-1].price   elements counted from the end        pairs.*.price   every member of an object
//   pairs.*.~          the keys of those members            $..price        the members of that name, however deep
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/context.hpp"

namespace kumihimo::inline v0::json {

struct step {
    enum class kind : std::uint8_t {
        key,     // the member `key` of an object
        index,   // the element `index` of an array
        each,    // every element of an array
        either,  // key in an object, index in an array: a pointer's token of digits
        // Of path_steps::all only:
        from_end,  // the element `index` of an array, counted from its end: 1 is the last
        members,   // every member of an object
        descend,   // the value itself and every value in it; another step follows
        name,      // the key that the value is the member of
    };
    kind type = kind::key;
    std::string key;          // UTF-8, unescaped
    std::uint64_t index = 0;  // 0-based

    friend bool operator==(const step&, const step&) = default;
};

using path = std::vector<step>;

/// Which steps a path may have.
enum class path_steps : std::uint8_t { compiled, all };

/// Reads one path. On failure ctx.failure.offset is the byte of `text` where it went wrong.
errc parse(std::string_view text, path& out, context& ctx, path_steps allowed = path_steps::compiled);

/// Whether a projection compiles such a step.
constexpr bool is_compiled(step::kind k) noexcept { return k <= step::kind::either; }

/// The path in dotted notation, as errors spell it (core/path_text.hpp); parse() reads it back (an `either` step
/// prints as its key).
std::string print(const path& p);

}  // namespace kumihimo::inline v0::json
