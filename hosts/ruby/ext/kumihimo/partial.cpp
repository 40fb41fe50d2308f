#include "module.hpp"

namespace kumihimo::inline v0::ruby {

void init_partial(VALUE) {}

}  // namespace kumihimo::inline v0::ruby
