// Sources feed sinks. A reader is made from bytes, a walker from a host's value; feed() delivers exactly one document
// and returns the first code that is not ok, its own or the sink's.
#pragma once
#include <concepts>

#include "engine/core/null.hpp"
#include "engine/core/sink.hpp"

namespace kumihimo::inline v0 {

template <class S, class K = null_sink>
concept source = sink<K> && requires(S s, K& k) {
    { s.feed(k) } -> std::same_as<errc>;
};

/// A source of a format. Made from bytes; `typename R::dialect` says which relaxations it grants.
template <class R, class K = null_sink>
concept reader = source<R, K> && requires {
    typename R::dialect;
};

/// A source of a host. `typename W::value` is what it walks.
template <class W, class K = null_sink>
concept walker = source<W, K> && requires {
    typename W::value;
};

}  // namespace kumihimo::inline v0
