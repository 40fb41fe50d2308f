// How a path is spelled, in every error of every format and wherever a path is printed: "$", then a step for each
// level.
//
//      $.asks[0][1]   $.価格   $["a b"].x   $["quote \" and \n"]
//
// A key stands bare where it reads as one word, else in brackets as a JSON string. json::parse reads all of it back.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace kumihimo::inline v0 {

/// Appends an element's step, [index].
inline void add_index(std::string& path, std::uint64_t index) {
    path += '[';
    path += std::to_string(index);
    path += ']';
}

/// Appends a member's step. `key` is UTF-8, unescaped. Bare: letters, digits, _ $ - and all that is not ASCII; no
/// digit first.
inline void add_key(std::string& path, std::string_view key) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    bool bare = !key.empty() && !digit(key[0]);
    for (const char c : key)
        bare = bare && (digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '-' ||
                        static_cast<unsigned char>(c) >= 0x80);
    if (bare) {
        path += '.';
        path += key;
        return;
    }
    path += "[\"";
    for (const char c : key) {
        if (c == '"' || c == '\\') {
            path += '\\';
            path += c;
        } else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) {
            path += c;
        } else if (constexpr std::string_view named = "\b\t\n\f\r"; named.find(c) != named.npos) {
            path += '\\';
            path += "btnfr"[named.find(c)];
        } else {
            constexpr char hex[] = "0123456789abcdef";
            path += "\\u00";
            path += hex[c >> 4 & 15];
            path += hex[c & 15];
        }
    }
    path += "\"]";
}

/// A path that a person can read: of one that is longer than about 200 bytes, beginning and end with "..." between
/// them. Cut between the characters of UTF-8.
inline void shorten_path(std::string& path) {
    constexpr std::size_t longest = 200, head = 120, tail = 60;
    if (path.size() <= longest) return;
    const auto inside = [&](std::size_t i) { return (static_cast<unsigned char>(path[i]) & 0xC0) == 0x80; };
    std::size_t from = head, to = path.size() - tail;
    while (from != 0 && inside(from)) --from;
    while (to < path.size() && inside(to)) ++to;
    path.replace(from, to - from, "...");
}

}  // namespace kumihimo::inline v0
