// The extension's entry. The public surface is spelled in lib/kumihimo.rb and by the init functions of module.hpp.
#include "module.hpp"

#ifdef HAVE_RB_EXT_RACTOR_SAFE
#include <ruby/ractor.h>
#endif

namespace km = kumihimo::ruby;

extern "C" __attribute__((visibility("default"))) void Init_kumihimo() {
#ifdef HAVE_RB_EXT_RACTOR_SAFE
    rb_ext_ractor_safe(true);
#endif
    const VALUE kumihimo = rb_define_module("Kumihimo");
    km::init_text();
    km::init_errors(kumihimo);
    km::init_moment(kumihimo);
    km::init_generate(kumihimo);
    km::init_parse(kumihimo);
    km::init_message_pack(kumihimo);
    km::init_partial(kumihimo);
    km::init_lazy(kumihimo);
    km::init_stream(kumihimo);
    km::init_rails(kumihimo);
}
