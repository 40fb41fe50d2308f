// What the exact reader answers, and what to say about a text that was refused.
//
//      xs        , or ] expected while parsing array, at character offset 3 (before "x]")
//      cpanel    the same; at the end of the text without (before "...")
//      mojo      Malformed JSON: Expected comma or right square bracket while parsing array at line 1, offset 3
#pragma once
#include "engine/core/errc.hpp"
#include "options.hpp"

namespace kumihimo::inline v0::perl {

struct exact_result {
    errc code = errc::ok;
    const char* what = nullptr;  // the rule set's sentence; null where the sink refused
    std::size_t offset = 0;      // of the error, in bytes; may be one behind the text (Cpanel's unended bare key)
    std::size_t end = 0;         // of the value, in bytes
    bool placed = true;          // whether the text of the error names a place
    bool at_end = false;         // Mojo: "before end of data"
};

/// What to say about a text that was refused: the rule set's own words; with clear_messages, Mojo's kind of sentence,
/// which names line and offset. Mortal, without the place in the program. `text` is what was read, and flagged UTF-8
/// when it is characters.
SV* read_message(pTHX_ const exact_result& r, SV* text, const json_options& o);

/// Dies with it, at the statement that is running.
[[noreturn]] void croak_read(pTHX_ const exact_result& r, SV* text, const json_options& o);

/// Croaks when a text is larger than max_size; to be asked before it is changed in any way.
void check_size(pTHX_ std::size_t size, const json_options& o);

/// Cpanel's byte order marks. The text as octets that are UTF-8, mortal, when it begins with one that only bytes can
/// have: UTF-16, UTF-32, or UTF-8 in a string of characters that is not flagged; flagged UTF-8, because errors count
/// its characters. Null when there is nothing to change (exact_read itself passes over U+FEFF). It is to be read with
/// `utf8` set.
SV* without_mark(pTHX_ SV* text, const json_options& o);

}  // namespace kumihimo::inline v0::perl
