// Every limit the engine keeps, with its safe default. A limit that is passed gives errc::depth or errc::size, never a crash.
#pragma once
#include <cstddef>

namespace kumihimo::inline v0 {

struct limits {
    /// Containers open at once. The engine does not recurse, so a larger value costs memory, not stack; hosts whose own
    /// objects recurse (destructors, comparisons) should keep it small.
    std::size_t depth = 1024;
    /// Bytes of one document, in or out.
    std::size_t size = std::size_t{1} << 40;
};

}  // namespace kumihimo::inline v0
