// The extension's entry. The public surface is spelled in lib/kumihimo.rb and by the init functions of module.hpp.
#include "module.hpp"

namespace km = kumihimo::ruby;

extern "C" __attribute__((visibility("default"))) void Init_kumihimo() {
    rb_ext_ractor_safe(true);
    const VALUE kumihimo = rb_define_module("Kumihimo");
    km::init_text();
    km::init_output();
    km::init_errors(kumihimo);
    km::init_moment(kumihimo);
    km::init_generate(kumihimo);
    km::init_parse(kumihimo);
    km::init_message_pack(kumihimo);
    km::init_partial(kumihimo);
    km::init_lazy(kumihimo);
    km::init_stream(kumihimo);
    km::init_frames(kumihimo);
    km::init_any_format(kumihimo);
    km::init_rails(kumihimo);
}
