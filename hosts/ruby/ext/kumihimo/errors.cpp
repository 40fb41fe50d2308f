#include "module.hpp"

namespace kumihimo::inline v0::ruby {

void init_errors(VALUE) {}

}  // namespace kumihimo::inline v0::ruby
