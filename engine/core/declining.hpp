// An optional refinement: a sink that can do without some values. A reader whose format tells a value's length by its
// first bytes may then pass over it unread. Readers that do not offer it send the value's verbs, and the sink drops
// them.
#pragma once
#include <concepts>

#include "engine/core/sink.hpp"

namespace kumihimo::inline v0 {

/// declines(): whether the value that comes now is of no use. Asked before every value that is not a key; a reader
/// that passes over it says passed_over() in place of its verbs. What is inside of it is then not checked.
template <class K>
concept declining_sink = sink<K> && requires(K k) {
    { k.declines() } -> std::same_as<bool>;
    { k.passed_over() } -> std::same_as<errc>;
};

}  // namespace kumihimo::inline v0
