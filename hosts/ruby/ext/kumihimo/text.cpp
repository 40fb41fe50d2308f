#include "text.hpp"

namespace kumihimo::inline v0::ruby {

void init_text() {
    utf8_index = rb_utf8_encindex();
    ascii_index = rb_usascii_encindex();
    binary_index = rb_ascii8bit_encindex();
}

}  // namespace kumihimo::inline v0::ruby
