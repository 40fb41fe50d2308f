#include "emit.hpp"

namespace kumihimo::inline v0::ruby {

void raise_write(const context& ctx, errc code) {
    switch (code) {
        case errc::memory: rb_memerror();
        case errc::depth: raise_nesting(static_cast<long>(ctx.limits.depth) + 1);
        default: raise_generate(Qnil, "%s", ctx.failure.what);
    }
}

}  // namespace kumihimo::inline v0::ruby
