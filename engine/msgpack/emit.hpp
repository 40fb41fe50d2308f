// The emitter (core/emit.hpp) of MessagePack, with what only MessagePack's hosts ask: a value's own bytes, and a new
// beginning.
#pragma once
#include <cstddef>
#include <cstring>

#include "engine/core/emit.hpp"
#include "engine/msgpack/burst.hpp"
#include "engine/msgpack/writer.hpp"

namespace kumihimo::inline v0::msgpack {

template <output Out, auto Raise>
class emit_burst : public kumihimo::emit_burst<burst<Out>, basic_writer<Out>, Out, Raise> {
    using base = kumihimo::emit_burst<burst<Out>, basic_writer<Out>, Out, Raise>;
    using base::b_;
    using base::out_;

public:
    explicit emit_burst(Out& out, const dialect& dialect = standard) : base(out, dialect) {}

    /// A value's own bytes, as they are.
    void raw(const char* s, std::size_t n) {
        b_.stop();
        char* const p = out_.reserve(n);
        std::memcpy(p, s, n);
        out_.commit(p + n);
        b_.resume();
    }
    /// Forgets what was written.
    void clear() {
        b_.stop();
        out_.clear();
        b_.resume();
    }
};

}  // namespace kumihimo::inline v0::msgpack
