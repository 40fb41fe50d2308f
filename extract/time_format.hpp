// Times by a format of strptime's directives: timestamp[%d/%b/%Y:%H:%M:%S %z]. Compiled once, then a walk over a few
// steps.
//
//      %Y year, four digits   %y two digits, 69 to 99 are 19xx   %m month   %b %B %h its English name, short or whole
//      %d %e day              %j day of the year                  %a %A weekday's name, read over
//      %H %k hour 0 to 23     %I %l hour 1 to 12, with %p AM, PM  %M minute  %S second  %f fraction, 1 to 9 digits
//      %z Z, +hh, +hhmm, +hh:mm[:ss]    %Z UTC, GMT, Z            %s seconds since 1970
//      %D %m/%d/%y   %F %Y-%m-%d   %T %H:%M:%S   %R %H:%M         %% the sign itself; white space, %n and %t: any, at least one
//
// Numbers but %Y may have fewer digits; names are read in any case. A second 60 is refused, as everywhere in columns.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/errc.hpp"
#include "engine/core/sink.hpp"

namespace kumihimo::inline v0::extract {

class time_format {
public:
    /// errc::misuse: `why` says what is wrong, and at which character.
    static errc compile(std::string_view text, time_format& out, std::string& why);

    /// Where a text departs from the format.
    struct mismatch {
        std::size_t at = 0;  // byte of the text
        const char* wanted = "";
    };
    /// errc::type: not of this form; errc::range: of this form, and no such day, hour, ... The moment is utc, offset
    /// or naive.
    errc read(std::string_view text, instant& out, mismatch& where) const noexcept;

    /// Whether the texts say themselves which moment they are.
    bool zoned() const noexcept { return zoned_; }
    const std::string& text() const noexcept { return text_; }

private:
    struct step {
        char directive;  // a directive's letter, ' ' for white space, 0 for a literal
        char literal;
    };
    std::vector<step> steps_;
    std::string text_;
    bool zoned_ = false;
};

}  // namespace kumihimo::inline v0::extract
