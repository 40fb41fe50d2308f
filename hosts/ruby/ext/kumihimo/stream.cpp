#include "module.hpp"

namespace kumihimo::inline v0::ruby {

void init_stream(VALUE) {}

}  // namespace kumihimo::inline v0::ruby
