#include "emit.hpp"

namespace kumihimo::inline v0::ruby {

void raise_write(errc code, const char* what) {
    switch (code) {
        case errc::memory: rb_memerror();
        default: raise_generate(Qnil, "%s", what);
    }
}

}  // namespace kumihimo::inline v0::ruby
