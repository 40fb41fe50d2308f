// A named Perl function gets another body while it stays the same CV, so that everything that has hold of it follows:
// names imported elsewhere, references in variables and closures, calls that are compiled already.
//
//      *Mojo::JSON::encode_json  --\                    /-- body: Perl's, gone for good
//      *My::App::encode_json     ---->  the same CV  --<
//      my $saved = \&encode_json --/                    \-- body: an XSUB
//
// What was tried beside it: a new function under the same name leaves every import behind; a walk over all symbol
// tables leaves references behind. That walk is what the Perl side falls back to where perl does not play along.
#pragma once
#include "guard.hpp"

namespace kumihimo::inline v0::perl {

/// Whether a call of `code` is under way: its body must not go then. XSUBs are never in the way.
inline bool runs(pTHX_ CV* code) { return !CvISXSUB(code) && CvDEPTH(code) != 0; }

/// Gives the function that the glob `name` ("Package::function") holds the body `body`. False when that glob holds
/// another CV than `code` afterwards: then perl has made a new one, and whoever holds `code` has a function without a
/// body. Croaks, with nothing changed, when the glob holds something else to begin with, or `code` runs.
bool replace_body(pTHX_ const char* name, CV* code, XSUBADDR_t body);

}  // namespace kumihimo::inline v0::perl
