// The one object an operation carries beside its data: the limits it must keep, and, after a failure, where and what.
//
// A reader that fails stores the byte offset and a message; line, column and path are worked out afterwards from the
// input (json/locate.hpp), because keeping them up to date during the work would cost every document for the sake of
// the broken ones.
#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

#include "engine/core/errc.hpp"
#include "engine/core/limits.hpp"

namespace kumihimo::inline v0 {

struct failure {
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

    errc code = errc::ok;
    std::size_t offset = nowhere;  // byte of the input, 0-based
    std::size_t line = 0;          // 1-based; 0 where the format has no lines
    std::size_t column = 0;        // 1-based, in bytes from the start of the line
    std::string path;              // "$.asks[0][1]"; empty where unknown
    const char* what = "";         // a constant sentence without position, such as "a string is not closed"
};

struct context {
    kumihimo::limits limits;
    kumihimo::failure failure;

    /// Records a failure and returns its code, so that a caller can write `return ctx.fail(errc::syntax, at, "...")`.
    /// The first failure wins: what follows from it says less. Kept out of line, away from the hot loops.
    [[gnu::cold, gnu::noinline]] errc fail(errc code, std::size_t offset, const char* what) noexcept {
        if (failure.code == errc::ok) {
            failure.code = code;
            failure.offset = offset;
            failure.what = what;
        }
        return code;
    }

    void clear() noexcept { failure = {}; }
};

/// A context in a frame that a host's jump may cross, where nothing with a destructor may stand. It is never
/// destroyed: for writers, whose failures have no path, so that it owns nothing.
class context_room {
public:
    context& make() noexcept { return *new (room_) context; }

private:
    alignas(context) unsigned char room_[sizeof(context)];
};

}  // namespace kumihimo::inline v0
