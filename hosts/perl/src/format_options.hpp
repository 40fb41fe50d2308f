// What Perl has for a format beyond its row of the table (engine/formats.hpp): a module of the format's own, whose
// values, options and words documents have for which no dialect is named. A format that is not named here needs
// nothing.
#pragma once
#include "engine/formats.hpp"

#include "any_row.hpp"

namespace kumihimo::inline v0::perl {

template <format F>
struct format_options {
    static const typename F::reader::dialect& read() noexcept { return *F::read_dialects[0].dialect; }
    static constexpr bool bignums = true;
    static constexpr const char* document = "document";
    static constexpr const own_reading* own = nullptr;
};

/// Of streams; in format_options.cpp.
extern const own_reading json_stream, message_stream;

template <>
struct format_options<json::format> {
    static const json::read_dialect& read() noexcept { return strict_read; }
    static constexpr bool bignums = false;
    static constexpr const char* document = "JSON";
    static constexpr const own_reading* own = &json_stream;
};

template <>
struct format_options<msgpack::format> {
    static const msgpack::read_dialect& read() noexcept { return msgpack::standard_read; }
    static constexpr bool bignums = true;
    static constexpr const char* document = "document";
    static constexpr const own_reading* own = &message_stream;
};

}  // namespace kumihimo::inline v0::perl
