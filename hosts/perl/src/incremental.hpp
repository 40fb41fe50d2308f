// JSON that arrives in pieces: incr_parse, incr_text, incr_skip and incr_reset of JSON::XS 4.04 and Cpanel::JSON::XS
// 4.35.
//
// A scan, which knows brackets, strings and comments only, finds where a value ends; then decode reads it and it is
// cut off. The scan goes on where it stopped, so that each byte is looked at once by it, whatever the size of the
// pieces.
//
//      text   [1,[2    |   ,3]] [4      scanned up to `at`, `nest` brackets are open, and `mode` says what it is inside of
//                  at
//
// The modules read the end of what has arrived as the end of a number or a word outside brackets: "12" is a value at
// once.
#pragma once
#include <cstdint>

#include "options.hpp"

namespace kumihimo::inline v0::perl {

/// What an object keeps between two calls. Whoever holds it frees it with incr_reset, and keeps it alive during a
/// call: the callbacks of decode may drop the object's last reference.
struct incremental {
    enum class mode : std::uint8_t {
        blank,           // before a value
        string,          // inside a string
        backslash,       // the same, behind a backslash
        comment_before,  // a comment before a value
        comment,         // a comment elsewhere
        word,            // true, false, null (not Cpanel's)
        number,          // (not Cpanel's)
        json,            // anywhere else
    };
    SV* text = nullptr;  // counted
    STRLEN at = 0;       // scanned up to here, in bytes
    std::int64_t nest = 0;
    mode inside = mode::blank;
    bool busy = false;  // decode is running

    /// The scan has found the end of a value.
    bool whole() const noexcept { return nest <= 0 && inside == mode::json; }
};

/// $json->incr_parse(piece). `piece` may be null. Pushes the values on Perl's stack, from PL_stack_sp on: none in void
/// context (the piece is kept only), one or none in scalar context, all in list context. Their number.
I32 incr_parse(pTHX_ incremental& s, const json_options& o, SV* piece, U8 gimme);

/// $json->incr_text, an lvalue: the scalar itself, not counted for the caller; undef where nothing came yet. Croaks
/// while a value has been scanned in part.
SV* incr_text(pTHX_ incremental& s);

/// $json->incr_skip: drops what has been scanned.
void incr_skip(pTHX_ incremental& s);

/// $json->incr_reset: drops everything.
void incr_reset(pTHX_ incremental& s);

}  // namespace kumihimo::inline v0::perl
