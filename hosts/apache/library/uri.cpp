// URI: escaping and the parts of an address.
#include "library.hpp"

namespace kumihimo::inline v0::mruby {

void define_uri(mrb_state*) {}

}  // namespace kumihimo::inline v0::mruby
