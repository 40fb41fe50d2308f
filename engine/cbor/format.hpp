// CBOR's row of the table of formats.
#pragma once
#include <string_view>

#include "engine/cbor/boundary.hpp"
#include "engine/cbor/burst.hpp"
#include "engine/cbor/dialect.hpp"
#include "engine/cbor/headers.hpp"
#include "engine/cbor/reader.hpp"
#include "engine/cbor/writer.hpp"
#include "engine/core/format.hpp"
#include "engine/json/project_headers.hpp"

namespace kumihimo::inline v0::cbor {

struct format {
    static constexpr std::string_view name = "cbor";
    static constexpr bool is_text = false;
    static constexpr std::string_view media_types[] = {"application/cbor", "application/cbor-seq"};
    static constexpr std::string_view endings[] = {".cbor"};

    /// Tag 55799 is CBOR's mark. Without it nearly any byte may begin an item.
    static likeness resembles(bytes document) noexcept {
        if (document.size() >= 3 && document[0] == 0xd9 && document[1] == 0xd9 && document[2] == 0xf7) return likeness::certain;
        const unsigned char* const p = document.data();
        const header h = read_header(p, p + document.size());
        const bool none = document.empty() || h.is == header::kind::reserved || h.is == header::kind::stop;
        return none ? likeness::none : likeness::possible;
    }

    using reader = cbor::reader;
    template <output B>
    using writer = basic_writer<B>;
    template <output B>
    using burst = cbor::burst<B>;
    using boundary = cbor::boundary;
    using projector = json::header_projector<headers>;

    static constexpr named<read_dialect> read_dialects[] = {{"standard_read", &standard_read},
                                                            {"exact_read", &exact_read},
                                                            {"plain_read", &plain_read},
                                                            {"unique_keys", &unique_keys},
                                                            {"last_key", &last_key},
                                                            {"preferred_read", &preferred_read},
                                                            {"deterministic_read", &deterministic_read},
                                                            {"raw_read", &raw_read},
                                                            {"any_text_read", &any_text_read}};
    static constexpr named<dialect> write_dialects[] = {{"preferred", &preferred}, {"deterministic", &deterministic},
                                                        {"canonical", &canonical}, {"exact", &exact},
                                                        {"doubles", &doubles},     {"time_text", &time_text},
                                                        {"moments", &moments},     {"streaming", &streaming},
                                                        {"big_text", &big_text},   {"lenient", &lenient},
                                                        {"any_text", &any_text}};
};
static_assert(kumihimo::format<format> && bursting_format<format, buffer> && header_projecting_format<format>);

}  // namespace kumihimo::inline v0::cbor
