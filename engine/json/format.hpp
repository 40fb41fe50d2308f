// JSON's row of the table of formats.
#pragma once
#include <cstdint>
#include <string_view>

#include "engine/core/format.hpp"
#include "engine/json/boundary.hpp"
#include "engine/json/burst.hpp"
#include "engine/json/dialect.hpp"
#include "engine/json/project_text.hpp"
#include "engine/json/reader.hpp"
#include "engine/json/scan.hpp"
#include "engine/json/writer.hpp"

namespace kumihimo::inline v0::json {

struct format {
    static constexpr std::string_view name = "json";
    static constexpr bool is_text = true;
    static constexpr std::string_view media_types[] = {"application/json", "text/json"};
    static constexpr std::string_view endings[] = {".json", ".ndjson", ".jsonl"};
    static constexpr std::string_view endings_of_lines[] = {".ndjson", ".jsonl"};

    /// JSON has no mark of its own: a value begins with one of these, behind white space, a byte order mark or a
    /// comment.
    static likeness resembles(bytes document) noexcept {
        std::size_t i = 0;
        if (document.size() >= 3 && document[0] == 0xEF && document[1] == 0xBB && document[2] == 0xBF) i = 3;
        while (i < document.size() && is_space(static_cast<char>(document[i]))) ++i;
        if (i == document.size()) return i == 0 ? likeness::none : likeness::possible;
        const unsigned char c = document[i];
        constexpr std::string_view first = "{[\"-0123456789tfnNI/";
        return first.find(static_cast<char>(c)) != first.npos ? likeness::possible : likeness::none;
    }

    using reader = json::reader;
    template <output B>
    using writer = basic_writer<B>;
    template <output B>
    using burst = json::burst<B>;
    using boundary = json::boundary;
    using projector = text_projector;

    static constexpr named<read_dialect> read_dialects[] = {
        {"rfc8259", &rfc8259},     {"unique_keys", &unique_keys},       {"doubles", &doubles},
        {"relaxed", &relaxed},     {"exact_decimals", &exact_decimals}, {"python_read", &python_read},
        {"ruby_read", &ruby_read}, {"old_ruby_read", &old_ruby_read}};
    static constexpr named<dialect> write_dialects[] = {{"compact", &compact},
                                                        {"javascript", &javascript},
                                                        {"pretty", &pretty},
                                                        {"script_safe", &script_safe},
                                                        {"html_safe", &html_safe},
                                                        {"ascii_only", &ascii_only},
                                                        {"escape_slash", &escape_slash},
                                                        {"python_default", &python_default},
                                                        {"python_compact", &python_compact},
                                                        {"orjson", &orjson},
                                                        {"ruby_generate", &ruby_generate},
                                                        {"ruby_pretty", &ruby_pretty},
                                                        {"lenient", &lenient}};
};
static_assert(kumihimo::format<format> && bursting_format<format, buffer> && projecting_format<format>);

}  // namespace kumihimo::inline v0::json
