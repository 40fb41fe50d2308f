// pipe(source, sink): the whole engine in one line. Encoding, decoding and converting are this call with different
// ends.
#pragma once
#include "engine/core/source.hpp"

namespace kumihimo::inline v0 {

/// Feeds one document from `from` into `to`. After an error neither is worth asking further; the context they share
/// says why.
template <class S, sink K>
requires source<S, K> errc pipe(S& from, K& to) { return from.feed(to); }

/// The same, and the writer's bytes with it.
template <class S, writer W>
requires source<S, W> errc pipe(S& from, W& to, bytes& out) {
    KUMIHIMO_TRY(from.feed(to));
    return to.finish(out);
}

}  // namespace kumihimo::inline v0
