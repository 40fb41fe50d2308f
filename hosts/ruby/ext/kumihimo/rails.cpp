#include "module.hpp"

namespace kumihimo::inline v0::ruby {

void init_rails(VALUE) {}

}  // namespace kumihimo::inline v0::ruby
