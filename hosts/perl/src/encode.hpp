// Perl value -> JSON text.
#pragma once
#include "options.hpp"

namespace kumihimo::inline v0::perl {

/// The JSON text of a value, mortal. Croaks with the rule set's own text. `type`: Cpanel's types for the values, or
/// null.
SV* encode(pTHX_ SV* value, const json_options& o, SV* type = nullptr);

}  // namespace kumihimo::inline v0::perl
