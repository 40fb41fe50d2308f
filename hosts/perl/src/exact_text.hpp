// The scalars of JSON as Perl's modules read them: white space, strings, numbers, and what is wrong with them, where.
//
// Everything here moves `at` of one exact_input forward. On false, `what` is the sentence and `at` the place where the
// module that is followed says it (they differ: JSON::XS names the backslash of a bad escape, but the first digit of a
// bad \u).
//
//      ["a\qb"                 [1.x                       ["\ud800x"
//         ^ illegal backslash     ^ no digits after          ^      ^ missing low surrogate
//           escape sequence         decimal point         at(mojo)  at(xs, cpanel)
//
// The end of the text is read as a byte 0, which is what the modules find there; a byte 0 inside the text is not the
// end, but starts no value and no escape, so that it is refused by the same sentences.
#pragma once
#include "engine/core/errc.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/number.hpp"
#include "interpreter.hpp"
#include "options.hpp"

namespace kumihimo::inline v0::perl {

struct exact_input {
    const char* begin;
    const char* end;
    const json_options& o;
    const char* at;
    bool keep_bytes = false;     // Mojo: the caller's text was not flagged UTF-8: strings without \u are bytes again
    errc code = errc::ok;        // of what is wrong
    const char* what = nullptr;  // the sentence; lives for good
    bool at_end = false;         // Mojo's texts: "before end of data" instead of line and offset
    SV* scratch = nullptr;       // mortal: the characters of a string that has escapes

    unsigned char peek() const noexcept { return at < end ? static_cast<unsigned char>(*at) : 0; }
    bool mojo() const noexcept { return o.follows == rules::mojo; }
    bool cpanel() const noexcept { return o.follows == rules::cpanel; }
    /// Whether the Cpanel::JSON::XS whose rules these are is at least that release, in hundredths.
    bool cpanel_since(pTHX_ unsigned release) const noexcept {
        return cpanel() && interpreter::here(aTHX).cpanel_since(release);
    }

    /// False; what is wrong where `at` is now.
    bool fail(const char* sentence, errc reason = errc::syntax) noexcept {
        what = sentence;
        code = reason;
        return false;
    }
    bool fail_at(const char* place, const char* sentence, errc reason = errc::syntax) noexcept {
        at = place;
        return fail(sentence, reason);
    }
    /// The same by Mojo's habit: white space is passed first, and only if there was some is the end of the text named
    /// as such.
    bool fail_mojo(const char* place, const char* sentence, errc reason = errc::syntax) noexcept;

    /// White space, and comments where they are allowed.
    void skip() noexcept;
    bool word(const char* letters, std::size_t n) const noexcept {
        return static_cast<std::size_t>(end - at) >= n && std::memcmp(at, letters, n) == 0;
    }
};

/// The length of the valid character at p, not ASCII, or 0. Octets must be UTF-8; characters are whatever a Perl
/// string holds, but Cpanel::JSON::XS wants none beyond U+10FFFF unless relaxed.
std::size_t character(const exact_input& in, const char* p) noexcept;

/// A string whose opening `quote` has been passed; `at` ends up behind the closing one. `to` lies in the input where
/// it has no escapes, else in the scratch scalar until the next string. May warn (Cpanel: non-characters), and so may
/// not return.
bool read_string(pTHX_ exact_input& in, char quote, text& to);

/// A number, whose first character (a minus or a digit) is at `at`. kind big: the text from there to `at` is what it
/// was.
bool read_number(pTHX_ exact_input& in, json::number& to);

}  // namespace kumihimo::inline v0::perl
