// An optional refinement: a writer that lets a source which is right by construction (a host's walker over plain lists
// and maps) write values without verbs. A walker finds it at compile time and does without it elsewhere; no bytes
// depend on it.
//
//      if constexpr (bursting_writer<K>) {
//          if (to.bursts()) {                              by this dialect, and not in the middle of something
//              auto b = to.start_burst();
//              b.open(true, 1)  b.key(k, n)  b.i64(7)  b.close(true)
//              b.stop();  to.value_aside(send);  b.resume();                   what a burst has no verb for
//              b.stop();
//              return to.end_burst();
//          }
//      }
//
// The source answers for the order of values, keys and ends, for counts, for limits.depth and for text being valid
// UTF-8. What stays guaranteed: the bytes are those of the verbs; memory that is out is noticed at once; limits.size
// is looked at whenever the burst asks its buffer for more room, and before every value aside, so that what is written
// beyond it is at most the value at hand and a few hundred bytes, and end_burst() refuses the rest.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "engine/core/buffer.hpp"
#include "engine/core/sink.hpp"

namespace kumihimo::inline v0 {

/// An output whose host has other work now and then (signals, other threads). The burst asks pauses() when it needs
/// more room; if it is true, that verb answers false and writes nothing. The host does its work until pauses() is
/// false, resumes the burst and calls the verb again. What was written stays.
template <class B>
concept pausing_output = output<B> && requires(const B b) {
    { b.pauses() } -> std::same_as<bool>;
};

/// A cursor of a format with dialect D into a buffer B. Its verbs are false where nothing was written: memory is out,
/// the buffer is larger than the limit, or the format's burst has no such value. Copies share the buffer; one of them
/// may be at work.
template <class T, class B, class D>
concept burst = output<B> && std::copy_constructible<T> && std::constructible_from<T, B&, const D&, std::size_t> &&
    requires(T b, const D& dialect, const char* s, std::size_t n) {
    { T::suits(dialect) } -> std::same_as<bool>;  // whether this dialect can be written so
    { b.null() } -> std::same_as<bool>;
    { b.boolean(true) } -> std::same_as<bool>;
    { b.i64(std::int64_t{}) } -> std::same_as<bool>;
    { b.f64(double{}) } -> std::same_as<bool>;            // finite, unless any_double
    { b.str(s, n) } -> std::same_as<bool>;                // valid UTF-8
    { b.key(s, n) } -> std::same_as<bool>;                // valid UTF-8
    { b.open(true, n) } -> std::same_as<bool>;            // a map of n pairs, or an array of n values
    { b.close(true) } -> std::same_as<bool>;              // the same one's end
    b.stop();                                             // hands the bytes to the buffer, which others may then write to
    b.resume();                                           // goes on behind what is there
    b.suspend();                                          // stop(), and every verb that writes is false until resume()
    { T::any_double } -> std::convertible_to<bool>;       // f64() takes NaN and infinities as well
    { T::keys_are_values } -> std::convertible_to<bool>;  // any value's verb writes a key, too
    { T::trailing } -> std::convertible_to<std::size_t>;  // bytes behind the document's last value that are not its own
};

/// A writer that starts bursts itself.
template <class W>
concept bursting_writer = writer<W> && requires(W w, errc (*send)(W&)) {
    { w.bursts() } -> std::same_as<bool>;
    { w.start_burst().null() } -> std::same_as<bool>;
    { w.value_aside(send) } -> std::same_as<errc>;
    { w.key_aside(send) } -> std::same_as<errc>;
    { w.end_burst() } -> std::same_as<errc>;
};

}  // namespace kumihimo::inline v0
