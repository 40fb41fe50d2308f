#include "module.hpp"

namespace kumihimo::inline v0::ruby {

void init_message_pack(VALUE) {}

}  // namespace kumihimo::inline v0::ruby
