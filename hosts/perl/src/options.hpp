// What a caller asked for: the options of JSON::XS and Cpanel::JSON::XS, and ours, in one struct that encode and
// decode read.
#pragma once
#include <cstddef>
#include <cstdint>

#include "guard.hpp"

namespace kumihimo::inline v0::perl {

/// Whose answers to what JSON leaves open: the kind of a scalar, an object without TO_JSON, the text of a float, the
/// texts of errors.
enum class rules : std::uint8_t {
    xs,      // JSON::XS 4.04
    cpanel,  // Cpanel::JSON::XS, which Mojo::JSON uses where it is installed
    mojo,    // Mojo::JSON in pure Perl
    pp,      // JSON::PP, encoding only
};

/// What becomes of infinities and NaN, numbered as the argument of Cpanel's stringify_infnan.
enum class infnan : std::uint8_t {
    null,     // null
    string,   // what the C library prints, as a string: "inf", "-nan"
    number,   // the same without quotes: not JSON
    unified,  // "inf", "-inf", "nan" on every platform
};

/// A max_depth that is none.
inline constexpr std::uint32_t unlimited_depth = static_cast<std::uint32_t>(-1);

struct json_options {
    rules follows = rules::xs;

    bool ascii = false;
    bool latin1 = false;
    bool utf8 = false;
    bool binary = false;
    bool indent = false;
    bool canonical = false;
    bool space_before = false;
    bool space_after = false;
    bool allow_nonref = true;
    bool shrink = false;
    bool allow_blessed = false;
    bool convert_blessed = false;
    bool relaxed = false;
    bool allow_unknown = false;
    bool allow_tags = false;
    bool escape_slash = false;
    bool unblessed_bool = false;
    bool allow_singlequote = false;
    bool allow_barekey = false;
    bool allow_bignum = false;
    bool allow_stringify = false;
    bool allow_dupkeys = true;
    bool dupkeys_as_arrayref = false;
    bool dupkeys_first = false;
    bool require_types = false;
    bool type_all_string = false;
    bool keep_order = false;        // objects become hashes that keep their order
    bool shortest_floats = false;   // floats by the fewest digits that read back the same, instead of %.15g
    bool clear_messages = false;    // errors of decode name line and offset, whatever the rules
    bool core_booleans = false;     // perl's own booleans (5.36) are true and false, where the rules leave that open
    bool null_objects = false;      // rules::mojo: an object that has neither TO_JSON nor a text of its own is null
    bool flags_characters = false;  // rules::pp: a text of characters is flagged UTF-8 whatever is in it
    infnan non_finite = infnan::null;

    std::uint32_t max_depth = 512;
    std::uint32_t indent_length = 3;
    std::size_t max_size = 0;  // of a text to decode, in bytes; 0: any

    // Counted by whoever owns the options.
    SV* filter_object = nullptr;  // code
    HV* filter_single = nullptr;  // key to code
    SV* sort_by = nullptr;        // code, or the name of a sub
    SV* v_false = nullptr;        // what false and true become, or null: JSON::PP's
    SV* v_true = nullptr;

    SV** top = nullptr;  // rules::pp: gets what stands at the top in the place of an object, a mortal

    bool has_callbacks() const noexcept {
        return filter_object != nullptr || filter_single != nullptr || sort_by != nullptr || v_false != nullptr;
    }
    bool pretty() const noexcept { return indent || space_before || space_after; }
    /// Whether decode calls Perl code while values arrive.
    bool calls() const noexcept { return filter_object != nullptr || filter_single != nullptr || allow_bignum; }
};

}  // namespace kumihimo::inline v0::perl
