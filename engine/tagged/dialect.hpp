// The two layouts of tagged, as data: what a writer writes and what a reader takes.
//
//      safe     header.hpp: loses nothing, and is told by its first three bytes
//      study    study.hpp: the bytes that sjson-new's author published in 2016
#pragma once
#include <cstdint>

namespace kumihimo::inline v0::tagged {

// ---------------------------------------------------------------------------------------------------------------- reading

enum class accepted : std::uint8_t {
    both,  // told by the first byte
    safe,
    study,
};

/// What a reader takes.
struct read_dialect {
    accepted layouts = accepted::both;
};

/// Whether text may arrive that says utf8 and is none.
constexpr bool lets_any_text(const read_dialect&) noexcept { return false; }

inline constexpr read_dialect standard_read{};
inline constexpr read_dialect safe_read{.layouts = accepted::safe};
inline constexpr read_dialect study_read{.layouts = accepted::study};

// ---------------------------------------------------------------------------------------------------------------- writing

enum class layout : std::uint8_t { safe, study };

struct dialect {
    tagged::layout layout = layout::safe;
};

/// Every value comes back as it was: order, keys that come twice, keys of any kind, all fourteen verbs.
inline constexpr dialect safe{};
/// The published bytes. Fields are sorted by tag, a boolean is the number 0 or 1, NaN and the infinities are null.
/// What these bytes cannot say is refused: docs/formats.md has the list.
inline constexpr dialect study{.layout = layout::study};

}  // namespace kumihimo::inline v0::tagged
