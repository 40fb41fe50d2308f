#include "module.hpp"

namespace kumihimo::inline v0::ruby {

void init_parse(VALUE) {}

}  // namespace kumihimo::inline v0::ruby
