// Moments as texts of HTTP and mail, and back.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../src/guard.hpp"
#include "engine/core/sink.hpp"

namespace kumihimo::inline v0::mruby {

inline constexpr std::string_view month_names[] = {"January", "February", "March",     "April",   "May",      "June",
                                                   "July",    "August",   "September", "October", "November", "December"};
inline constexpr std::string_view day_names[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
/// "Jan", "Sun"
constexpr std::string_view short_name(std::string_view name) noexcept { return name.substr(0, 3); }

inline constexpr std::size_t http_date_room = 40;
/// "Fri, 20 Nov 2026 16:28:04 GMT". Null for a year that is not 0 to 9999; else the end.
char* write_http_date(char* to, std::int64_t seconds) noexcept;

enum class date_read : std::uint8_t { yes, out_of_range, no };  // out_of_range: the form, but no such moment

/// Each takes one form, as strictly as Ruby's method of the name: httpdate ("Sun, 06 Nov 1994 08:49:37 GMT" and its
/// two obsolete forms), rfc2822 (with an offset or a zone's name; anything may follow), xmlschema
/// ("1994-11-06T08:49:37.5+09:00").
date_read read_http(std::string_view, instant&) noexcept;
date_read read_mail(std::string_view, instant&) noexcept;
date_read read_xml(std::string_view, instant&) noexcept;

/// The first two forms as they are met: days of any name, blanks, commas and dashes anywhere between the words. `utc`:
/// it says so itself. False: no such form, or no such moment.
bool read_mail_date(std::string_view text, std::int64_t& seconds, bool& utc) noexcept;

}  // namespace kumihimo::inline v0::mruby
