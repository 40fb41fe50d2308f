// The sink that wants nothing: a reader fed into it validates.
#pragma once
#include "engine/core/sink.hpp"

namespace kumihimo::inline v0 {

struct null_sink {
    errc null() { return errc::ok; }
    errc boolean(bool) { return errc::ok; }
    errc i64(std::int64_t) { return errc::ok; }
    errc u64(std::uint64_t) { return errc::ok; }
    errc f64(double) { return errc::ok; }
    errc big(text) { return errc::ok; }
    errc str(text) { return errc::ok; }
    errc bin(bytes) { return errc::ok; }
    errc time(const instant&) { return errc::ok; }
    errc ext(int, bytes) { return errc::ok; }
    errc array(count) { return errc::ok; }
    errc map(count) { return errc::ok; }
    errc key(text) { return errc::ok; }
    errc key(next_value) { return errc::ok; }
    errc end() { return errc::ok; }
};
static_assert(sink<null_sink>);

}  // namespace kumihimo::inline v0
