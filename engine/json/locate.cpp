#include "engine/json/locate.hpp"

namespace kumihimo::inline v0::json {

place locate(bytes document, std::size_t offset) noexcept {
    if (offset > document.size()) offset = document.size();
    place at;
    std::size_t start = 0;  // of the line
    for (std::size_t i = 0; i < offset; ++i) {
        const unsigned char c = document[i];
        const bool pair = c == '\r' && i + 1 < document.size() && document[i + 1] == '\n';
        if (c == '\n' || (c == '\r' && !pair)) {
            ++at.line;
            start = i + 1;
        }
    }
    at.column = offset - start + 1;
    return at;
}

}  // namespace kumihimo::inline v0::json
