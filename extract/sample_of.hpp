// The beginning of a text, for sentences.
#pragma once
#include <string>
#include <string_view>

namespace kumihimo::inline v0::extract {

/// At most 60 bytes of it, as a line; what was cut off is "...".
inline std::string sample_of(std::string_view text) {
    std::size_t shown = text.size() < 60 ? text.size() : 60;
    while (shown < text.size() && shown != 0 && (static_cast<unsigned char>(text[shown]) & 0xC0) == 0x80) --shown;
    std::string out(text.substr(0, shown));
    for (char& c : out)
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    return shown < text.size() ? out + "..." : out;
}

}  // namespace kumihimo::inline v0::extract
