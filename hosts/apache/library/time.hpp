// Moments as texts of HTTP and mail, and back.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kumihimo::inline v0::mruby {

inline constexpr std::size_t http_date_room = 40;
/// "Fri, 20 Nov 2026 16:28:04 GMT". Null for a year that is not 0 to 9999; else the end.
char* write_http_date(char* to, std::int64_t seconds) noexcept;

/// "Sun, 06 Nov 1994 08:49:37 GMT" and its two obsolete forms, and mail's with an offset. `utc`: it says so itself. False: no
/// such form, or no such moment.
bool read_mail_date(std::string_view text, std::int64_t& seconds, bool& utc) noexcept;

}  // namespace kumihimo::inline v0::mruby
