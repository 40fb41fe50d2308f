// The last look at a document: what Unicode does not have is found in all of it at once, when every string is inside,
// and the encodings other than UTF-8 are made of it. Beyond ASCII a JSON text has nothing but its strings, so no
// structure can be hit.
#pragma once
#include "options.hpp"
#include "output.hpp"

namespace kumihimo::inline v0::perl {

/// The caller's scalar. `wide`: text that was flagged UTF-8 is inside, which may be anything.
SV* finished(pTHX_ scalar_output& out, const json_options& o, bool wide);

}  // namespace kumihimo::inline v0::perl
