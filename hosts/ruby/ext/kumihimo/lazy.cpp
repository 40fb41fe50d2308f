#include "module.hpp"

namespace kumihimo::inline v0::ruby {

void init_lazy(VALUE) {}

}  // namespace kumihimo::inline v0::ruby
