// What RFC 8259 requires to be escaped in a string, as ready texts for the kernels.
#pragma once

namespace kumihimo::inline v0::json {

struct escape_table {
    char texts[256][8];  // the text, and its length in the last byte; only of control characters, the quote and the backslash
};

inline constexpr escape_table escape_texts = [] {
    escape_table t{};
    const auto put = [&](unsigned char c, char letter) {
        t.texts[c][0] = '\\';
        t.texts[c][1] = letter;
        t.texts[c][7] = 2;
    };
    for (unsigned char c = 0; c < 0x20; ++c) {
        const char* const digits = "0123456789abcdef";
        const char text[6] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
        for (int i = 0; i < 6; ++i) t.texts[c][i] = text[i];
        t.texts[c][7] = 6;
    }
    put('"', '"');
    put('\\', '\\');
    put('\b', 'b');
    put('\f', 'f');
    put('\n', 'n');
    put('\r', 'r');
    put('\t', 't');
    return t;
}();

/// Room that a block of 64 bytes may need, escaped, with the copy that goes over its end.
inline constexpr long escape_room = 64 * 6 + 64;

}  // namespace kumihimo::inline v0::json
