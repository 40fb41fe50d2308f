#include "engine/json/locate.hpp"

namespace kumihimo::inline v0::json {

place locate(bytes document, std::size_t offset) noexcept {
    if (offset > document.size()) offset = document.size();
    place found;
    std::size_t start = 0;  // of the line
    for (std::size_t i = 0; i < offset; ++i) {
        const unsigned char c = document[i];
        const bool pair = c == '\r' && i + 1 < document.size() && document[i + 1] == '\n';
        if (c == '\n' || (c == '\r' && !pair)) {
            ++found.line;
            start = i + 1;
        }
    }
    found.column = offset - start + 1;
    return found;
}

}  // namespace kumihimo::inline v0::json
