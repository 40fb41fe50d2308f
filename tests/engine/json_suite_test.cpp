// JSONTestSuite: every y_ accepted, every n_ refused, every i_ as docs/formats.md says, by both walks of every kernel
// and by the diagnosis.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "engine/json/reader.hpp"
#include "engine/simd/dispatch.hpp"
#include "tests/engine/helpers.hpp"

namespace fs = std::filesystem;
using namespace kumihimo;
using namespace helpers;

namespace {

/// What docs/formats.md says about the files that RFC 8259 leaves to the implementation.
const std::map<std::string, errc> decided = {
    {"i_number_double_huge_neg_exp.json", errc::ok},
    {"i_number_huge_exp.json", errc::ok},
    {"i_number_neg_int_huge_exp.json", errc::ok},
    {"i_number_pos_double_huge_exp.json", errc::ok},
    {"i_number_real_neg_overflow.json", errc::ok},
    {"i_number_real_pos_overflow.json", errc::ok},
    {"i_number_real_underflow.json", errc::ok},
    {"i_number_too_big_neg_int.json", errc::ok},
    {"i_number_too_big_pos_int.json", errc::ok},
    {"i_number_very_big_negative_int.json", errc::ok},
    {"i_object_key_lone_2nd_surrogate.json", errc::encoding},
    {"i_string_1st_surrogate_but_2nd_missing.json", errc::encoding},
    {"i_string_1st_valid_surrogate_2nd_invalid.json", errc::encoding},
    {"i_string_UTF-16LE_with_BOM.json", errc::encoding},
    {"i_string_UTF-8_invalid_sequence.json", errc::encoding},
    {"i_string_UTF8_surrogate_U+D800.json", errc::encoding},
    {"i_string_incomplete_surrogate_and_escape_valid.json", errc::encoding},
    {"i_string_incomplete_surrogate_pair.json", errc::encoding},
    {"i_string_incomplete_surrogates_escape_valid.json", errc::encoding},
    {"i_string_invalid_lonely_surrogate.json", errc::encoding},
    {"i_string_invalid_surrogate.json", errc::encoding},
    {"i_string_invalid_utf-8.json", errc::encoding},
    {"i_string_inverted_surrogates_U+1D11E.json", errc::encoding},
    {"i_string_iso_latin_1.json", errc::encoding},
    {"i_string_lone_second_surrogate.json", errc::encoding},
    {"i_string_lone_utf8_continuation_byte.json", errc::encoding},
    {"i_string_not_in_unicode_range.json", errc::encoding},
    {"i_string_overlong_sequence_2_bytes.json", errc::encoding},
    {"i_string_overlong_sequence_6_bytes.json", errc::encoding},
    {"i_string_overlong_sequence_6_bytes_null.json", errc::encoding},
    {"i_string_truncated-utf-8.json", errc::encoding},
    {"i_string_utf16BE_no_BOM.json", errc::encoding},
    {"i_string_utf16LE_no_BOM.json", errc::encoding},
    {"i_structure_500_nested_arrays.json", errc::ok},
    {"i_structure_UTF-8_BOM_empty_object.json", errc::syntax},
};

errc read_null(std::string_view document, context& ctx) {
    json::reader from(as_bytes(document), ctx);
    null_sink nowhere;
    return from.feed(nowhere);
}

}  // namespace

TEST_CASE("JSONTestSuite") {
    const char* const folder = std::getenv("KUMIHIMO_DATA");
    if (folder == nullptr) {
        MESSAGE("not proven: KUMIHIMO_DATA does not name a folder with JSONTestSuite");
        return;
    }
    int accepted = 0, refused = 0, open = 0;
    for (const auto& entry : fs::directory_iterator(fs::path(folder) / "JSONTestSuite" / "test_parsing")) {
        const std::string name = entry.path().filename().string();
        CAPTURE(name);
        std::ifstream in(entry.path(), std::ios::binary);
        const std::string document(std::istreambuf_iterator<char>(in), {});
        context ctx;
        const errc code = read_null(document, ctx);
        switch (name[0]) {
            case 'y':
                ++accepted;
                CHECK(code == errc::ok);
                break;
            case 'n':
                ++refused;
                CHECK(code != errc::ok);
                break;
            default:
                ++open;
                REQUIRE(decided.contains(name));
                CHECK(code == decided.at(name));
        }
        context judge;
        CHECK(json::diagnose(as_bytes(document), judge) == code);
        if (code != errc::ok) {
            CHECK(ctx.failure.offset <= document.size());
            CHECK(ctx.failure.line >= 1);
            CHECK(ctx.failure.column >= 1);
            CHECK(ctx.failure.path.starts_with("$"));
            CHECK(std::string_view(ctx.failure.what) != "the document is not valid JSON");
        }
        // Behind white space, so that the index is used, at each place in a block; a byte order mark would no longer
        // be first.
        if (document.starts_with("\xEF\xBB\xBF") || name.find("16") != std::string::npos) continue;
        for (const simd::kernels* k : simd::available()) {
            simd::use(k->name);
            for (std::size_t n = 256; n < 256 + 70; ++n) {
                context padded;
                const errc same = read_null(std::string(n, ' ') + document, padded);
                CHECK_MESSAGE(same == code, k->name, " ", n);
                if (code != errc::ok && code != errc::truncated && document.size() < 10000)
                    CHECK(padded.failure.offset == ctx.failure.offset + n);
            }
        }
    }
    CHECK(accepted == 95);
    CHECK(refused == 188);
    CHECK(open == 35);
}
