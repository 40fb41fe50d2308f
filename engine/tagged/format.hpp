// Tagged's row of the table of formats.
#pragma once
#include <cstring>
#include <string_view>

#include "engine/core/format.hpp"
#include "engine/tagged/boundary.hpp"
#include "engine/tagged/dialect.hpp"
#include "engine/tagged/header.hpp"
#include "engine/tagged/reader.hpp"
#include "engine/tagged/study.hpp"
#include "engine/tagged/writer.hpp"

namespace kumihimo::inline v0::tagged {

struct format {
    static constexpr std::string_view name = "tagged";
    static constexpr bool is_text = false;
    static constexpr std::string_view media_types[] = {"application/x-tagged"};
    static constexpr std::string_view endings[] = {".tagged"};

    /// The layout safe has a mark. A document of the layout study begins with one of its types, as many others do.
    static likeness resembles(bytes document) noexcept {
        if (document.size() >= sizeof mark && std::memcmp(document.data(), mark, sizeof mark) == 0) return likeness::certain;
        if (document.size() < 5 || document[0] > published::digits || document[0] == published::table) return likeness::none;
        return likeness::possible;
    }

    using reader = tagged::reader;
    template <output B>
    using writer = basic_writer<B>;
    using boundary = tagged::boundary;

    static constexpr named<read_dialect> read_dialects[] = {
        {"standard", &standard_read}, {"safe_read", &safe_read}, {"study_read", &study_read}};
    static constexpr named<dialect> write_dialects[] = {{"safe", &safe}, {"study", &study}};
};
static_assert(kumihimo::format<format>);

}  // namespace kumihimo::inline v0::tagged
