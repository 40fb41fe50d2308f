// What the tests of columns share: making a schema from the command line's syntax, filling batches, reading the
// output.
#pragma once
#include <doctest/doctest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "extract/batch.hpp"
#include "extract/csv.hpp"
#include "extract/ndjson.hpp"

namespace rows {

using namespace kumihimo;
namespace x = kumihimo::extract;

inline bytes as_bytes(std::string_view s) { return {reinterpret_cast<const unsigned char*>(s.data()), s.size()}; }

inline x::column_spec field(std::string_view text) {
    x::column_spec c;
    std::string why;
    const errc e = x::parse_field(text, c, why);
    INFO(text << ": " << why);
    REQUIRE(e == errc::ok);
    return c;
}

inline std::shared_ptr<const x::schema> schema(std::vector<x::column_spec> fields, bool provenance = false) {
    std::shared_ptr<const x::schema> s;
    std::string why;
    const errc e = x::schema::make(std::move(fields), provenance, s, why);
    INFO(why);
    REQUIRE(e == errc::ok);
    return s;
}

inline std::shared_ptr<const x::schema> schema(std::initializer_list<std::string_view> fields, bool provenance = false) {
    std::vector<x::column_spec> specs;
    for (const std::string_view f : fields) specs.push_back(field(f));
    return schema(std::move(specs), provenance);
}

inline x::batch filled(std::shared_ptr<const x::schema> s, std::initializer_list<std::string_view> documents) {
    x::batch b(std::move(s), json::level::strict);
    for (const std::string_view d : documents) {
        context ctx;
        const errc e = b.append(as_bytes(d), {}, ctx);
        INFO(d << ": " << ctx.failure.what << "; " << b.explanation());
        REQUIRE(e == errc::ok);
    }
    return b;
}

inline std::string csv(const x::batch& b, const x::csv_options& options = {}) {
    buffer out;
    REQUIRE(x::write_csv(b, out, options) == errc::ok);
    return {out.data(), out.size()};
}

inline std::string ndjson(const x::batch& b) {
    buffer out;
    REQUIRE(x::write_ndjson(b, out) == errc::ok);
    return {out.data(), out.size()};
}

/// The CSV field that one value becomes in a column of this type; "!" and the code's name when it is refused.
inline std::string cell(std::string_view type, std::string_view value) {
    x::batch b(schema({"v:" + std::string(type)}), json::level::strict);
    const std::string document = "{\"v\":" + std::string(value) + "}";
    context ctx;
    if (const errc e = b.append(as_bytes(document), {}, ctx); e != errc::ok) {
        CHECK(b.rows() == 0);
        CHECK(b.failed_column() == 0);
        CHECK(ctx.failure.offset == 5);
        CHECK(ctx.failure.path == "$.v");
        return std::string("!") + name(e);
    }
    std::string line = csv(b);
    line.pop_back();
    return line;
}

}  // namespace rows
