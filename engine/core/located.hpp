// An optional refinement: a sink that wants to know which bytes of the input a verb stands for. A reader that offers
// it calls at() directly before each verb; sources without bytes never do. Readers that do not offer it work with such
// sinks too.
#pragma once
#include <cstddef>

#include "engine/core/sink.hpp"

namespace kumihimo::inline v0 {

/// wants_places(): whether it does this time; a reader may then take a slower way through the input, and need not call
/// at() otherwise. at(begin, end): the next verb's bytes, as offsets in the reader's input. A scalar's or key's are
/// all of it; array() and map() come with their opening bytes; end() with what closes the container, which may be
/// empty, its end at the container's end.
template <class K>
concept located_sink = sink<K> && requires(K k, std::size_t begin, std::size_t end) {
    { k.wants_places() } -> std::same_as<bool>;
    k.at(begin, end);
};

}  // namespace kumihimo::inline v0
