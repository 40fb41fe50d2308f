// Text in addresses, forms and HTML: what is written with % and &, and back. Sizes first, so that a string is made
// once.
#pragma once
#include <cstddef>
#include <string_view>

namespace kumihimo::inline v0::mruby {

/// Which bytes stay as they are.
enum class percent {
    form,       // letters, digits and *-._; a space becomes +
    query,      // letters, digits and -._~; a space becomes +
    component,  // the same, and a space becomes %20 (RFC 3986's unreserved)
    address,    // those, and what an address is made of: reserved characters and %
};

std::size_t percent_encoded_size(std::string_view, percent) noexcept;
/// Writes that many bytes; returns the end.
char* percent_encode(std::string_view, percent, char* to) noexcept;
/// Writes no more bytes than there are; returns the end. A % that is not followed by two hexadecimal digits stays.
char* percent_decode(std::string_view, bool plus_is_space, char* to) noexcept;
/// Whether every % is followed by two hexadecimal digits.
bool percent_valid(std::string_view) noexcept;

std::size_t html_escaped_size(std::string_view) noexcept;
char* html_escape(std::string_view, char* to) noexcept;
/// & < > " ' by name, and any character by number. Writes no more bytes than there are.
char* html_unescape(std::string_view, char* to) noexcept;

}  // namespace kumihimo::inline v0::mruby
