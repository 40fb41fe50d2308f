// Text -> Perl value: the engine's reader first, the exact one where that says no.
#pragma once
#include "options.hpp"

namespace kumihimo::inline v0::perl {

/// The value of a JSON text, mortal. Croaks with the rule set's own text. `length`: a text may go on behind its first
/// value; where that ends is put there, in bytes of what was read, which `document` gets: the value and some of what
/// follows, as prepared() gives it, or the text without its mark. `type`: gets Cpanel's types of the values.
SV* decode(pTHX_ SV* text, const json_options& o, std::size_t* length = nullptr, SV* type = nullptr, SV** document = nullptr);

/// The same for a text that is right and plain; null for every other. Does not croak and runs no Perl code.
SV* decode_quietly(pTHX_ SV* text, const json_options& o);

/// The value of a text that the quick reader takes, mortal; null for every other, without a word why. Does not croak
/// but for want of memory; of Perl code, only the text's own magic runs.
SV* try_decode(pTHX_ SV* text, const json_options& o);

/// The text as the readers want it: bytes that are UTF-8 (or Perl's utf8, where `o` says that the text is characters).
/// A mortal copy where that takes a change. Croaks when characters do not fit into bytes.
SV* prepared(pTHX_ SV* text, const json_options& o);

}  // namespace kumihimo::inline v0::perl
