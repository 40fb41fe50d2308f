#include "module.hpp"

namespace kumihimo::inline v0::ruby {

void init_generate(VALUE) {}

}  // namespace kumihimo::inline v0::ruby
