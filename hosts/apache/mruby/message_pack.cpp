#include "../library/library.hpp"
namespace kumihimo::inline v0::mruby {
void define_message_pack(mrb_state*) {}
}
