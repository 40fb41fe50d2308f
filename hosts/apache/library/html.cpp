// HTML.escape and unescape.
#include "library.hpp"

namespace kumihimo::inline v0::mruby {

void define_html(mrb_state*) {}

}  // namespace kumihimo::inline v0::mruby
