// MessagePack's row of the table of formats.
#pragma once
#include <string_view>

#include "engine/core/format.hpp"
#include "engine/json/project_headers.hpp"
#include "engine/msgpack/boundary.hpp"
#include "engine/msgpack/burst.hpp"
#include "engine/msgpack/dialect.hpp"
#include "engine/msgpack/headers.hpp"
#include "engine/msgpack/reader.hpp"
#include "engine/msgpack/writer.hpp"

namespace kumihimo::inline v0::msgpack {

struct format {
    static constexpr std::string_view name = "msgpack";
    static constexpr bool is_text = false;
    static constexpr std::string_view media_types[] = {"application/vnd.msgpack", "application/msgpack",
                                                       "application/x-msgpack"};
    static constexpr std::string_view endings[] = {".msgpack", ".mpk"};

    /// No mark: any byte but c1 begins a value. What begins as JSON does is a small integer here, and JSON's row comes
    /// first.
    static likeness resembles(bytes document) noexcept {
        return document.empty() || document[0] == 0xc1 ? likeness::none : likeness::possible;
    }

    using reader = msgpack::reader;
    template <output B>
    using writer = basic_writer<B>;
    template <output B>
    using burst = msgpack::burst<B>;
    using boundary = msgpack::boundary;
    using projector = json::header_projector<headers>;

    static constexpr named<read_dialect> read_dialects[] = {
        {"standard", &standard_read}, {"raw", &raw_read}, {"ruby_read", &ruby_read}};
    static constexpr named<dialect> write_dialects[] = {{"standard", &standard}, {"exact", &exact},
                                                        {"big_text", &big_text}, {"time_text", &time_text},
                                                        {"lenient", &lenient},   {"ruby", &ruby}};
};
static_assert(kumihimo::format<format> && bursting_format<format, buffer> && header_projecting_format<format>);

}  // namespace kumihimo::inline v0::msgpack
