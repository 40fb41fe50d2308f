#include "extract/csv.hpp"

#include "tests/extract/rows.hpp"

using namespace rows;

namespace {

std::string header(const x::schema& s, char delimiter = ',') {
    buffer out;
    REQUIRE(x::write_csv_header(s, out, {delimiter}) == errc::ok);
    return {out.data(), out.size()};
}

/// An RFC 4180 reader of its own, so that the writer is not its own judge. A field is its text and whether it was
/// quoted.
struct cell_text {
    std::string text;
    bool quoted = false;
    bool operator==(const cell_text&) const = default;
};
std::vector<std::vector<cell_text>> read(const std::string& s, char delimiter) {
    std::vector<std::vector<cell_text>> lines;
    std::size_t i = 0;
    while (i < s.size()) {
        lines.emplace_back();
        for (;;) {
            cell_text f;
            if (i < s.size() && s[i] == '"') {
                f.quoted = true;
                for (++i;; ++i) {
                    REQUIRE(i < s.size());
                    if (s[i] == '"' && (i + 1 == s.size() || s[i + 1] != '"')) break;
                    i += s[i] == '"';
                    f.text += s[i];
                }
                ++i;
            } else {
                while (i < s.size() && s[i] != delimiter && s[i] != '\n') {
                    REQUIRE(s[i] != '"');
                    REQUIRE(s[i] != '\r');
                    f.text += s[i++];
                }
            }
            lines.back().push_back(f);
            REQUIRE(i < s.size());
            if (s[i++] == '\n') break;
            REQUIRE(s[i - 1] == delimiter);
        }
    }
    return lines;
}

}  // namespace

TEST_CASE("header") {
    CHECK(header(*schema({"a:int64", "price=b.c:float64"}, true)) == "a,price,archive,entry,offset\n");
    CHECK(header(*schema({"\"a,b\"=a:int64", "\"x\\\"y\"=b:int64", "\" c\"=c:int64"})) == "\"a,b\",\"x\"\"y\",\" c\"\n");
    CHECK(header(*schema({"\"a,b\"=a:int64", "\"x\ty\"=b:int64"}), '\t') == "a,b\t\"x\ty\"\n");
}

TEST_CASE("null, the empty text and quoting") {
    const auto s = schema({"a:string", "b:string"});
    CHECK(csv(filled(s, {R"({"a":null,"b":""})"})) == ",\"\"\n");
    CHECK(csv(filled(s, {R"({"a":"plain text","b":"comma, here"})"})) == "plain text,\"comma, here\"\n");
    CHECK(csv(filled(s, {R"({"a":"say \"hi\"","b":"two\nlines"})"})) == "\"say \"\"hi\"\"\",\"two\nlines\"\n");
    CHECK(csv(filled(s, {R"({"a":"\r","b":" spaced "})"})) == "\"\r\",\" spaced \"\n");
    CHECK(csv(filled(s, {R"({"a":"tab\there","b":"semi;colon"})"})) == "tab\there,semi;colon\n");
    CHECK(csv(filled(s, {R"({"a":"tab\there","b":"comma, here"})"}), {'\t'}) == "\"tab\there\"\tcomma, here\n");
    CHECK(csv(filled(s, {R"({"a":"\u0000é😀","b":"'"})"})) == std::string("\0é😀,'\n", 10));
    // A file of one column: a null is an empty line.
    CHECK(csv(filled(schema({"a:string"}), {R"({})", R"({"a":""})", R"({"a":"x"})"})) == "\n\"\"\nx\n");
}

TEST_CASE("numbers, truth and json") {
    const auto s = schema({"i:int64", "f:float64", "d:decimal", "p:decimal(10,2)", "b:bool", "j:json"});
    CHECK(csv(filled(s, {R"({"i":-7,"f":107910.0,"d":0.00070,"p":12.5,"b":true,"j":{"a": [1, 2]}})", R"({"j":false})"})) ==
          "-7,107910.0,0.00070,12.50,true,\"{\"\"a\"\": [1, 2]}\"\n,,,,,false\n");
}

TEST_CASE("any text survives") {
    std::uint64_t seed = 3;
    const auto s = schema({"a:string", "b:string", "c:string"});
    constexpr std::string_view alphabet = "ab ,\"\n\r\t;";
    for (const char delimiter : {',', '\t', ';'}) {
        x::batch b(s, json::level::strict);
        std::vector<std::vector<cell_text>> expected;
        for (int row = 0; row < 500; ++row) {
            std::string document = "{";
            expected.emplace_back();
            for (const char* key : {"a", "b", "c"}) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                cell_text f;
                std::string escaped;
                for (std::uint64_t n = seed >> 61, bits = seed; n != 0; --n, bits = bits >> 6 | bits << 58) {
                    const char ch = alphabet[(bits >> 7) % alphabet.size()];
                    f.text += ch;
                    escaped += ch == '"'    ? "\\\""
                               : ch == '\n' ? "\\n"
                               : ch == '\r' ? "\\r"
                               : ch == '\t' ? "\\t"
                                            : std::string(1, ch);
                }
                document += (document.size() > 1 ? ",\"" : "\"") + std::string(key) + "\":\"" + escaped + '"';
                expected.back().push_back(f);
            }
            context ctx;
            REQUIRE(b.append(as_bytes(document + "}"), {}, ctx) == errc::ok);
        }
        const auto lines = read(csv(b, {delimiter}), delimiter);
        REQUIRE(lines.size() == expected.size());
        for (std::size_t i = 0; i < lines.size(); ++i) {
            REQUIRE(lines[i].size() == 3);
            for (std::size_t k = 0; k < 3; ++k) {
                CHECK(lines[i][k].text == expected[i][k].text);
                if (lines[i][k].text.empty()) CHECK(lines[i][k].quoted);  // not a null
            }
        }
    }
}
