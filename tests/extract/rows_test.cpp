// Rows that are elements of arrays: wherever a document's rows are cut into parts. What the values are is Python's to
// judge (hosts/python/test/rows_test.py).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "archives.hpp"
#include "extract/infer.hpp"
#include "extract/row_plan.hpp"
#include "extract/row_walk.hpp"
#include "rows.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

row_path arrays(std::string_view text, bool outer = false) {
    row_path of;
    std::string why;
    of.outer = outer;
    const errc e = parse_rows(text, of, why);
    INFO(why);
    REQUIRE(e == errc::ok);
    return of;
}

std::shared_ptr<const schema> columns(std::initializer_list<std::string_view> fields, const row_path& of, bool provenance) {
    std::vector<column_spec> specs;
    for (const std::string_view f : fields) specs.push_back(rows::field(f));
    std::shared_ptr<const schema> s;
    std::string why;
    const errc e = schema::make(std::move(specs), provenance, s, why, beyond::ignored, &of);
    INFO(why);
    REQUIRE(e == errc::ok);
    return s;
}

archives::extracted taken(const std::vector<std::string>& inputs, std::shared_ptr<const schema> s, const options& how) {
    run r(inputs, how);
    return archives::drive(r, std::move(s));
}

// Documents of groups of elements; some elements are bad, some groups are, and some are none.
std::string nested(int seed) {
    std::string out = "{\"id\":" + std::to_string(seed) + ",\"a\":[";
    for (int i = 0; i < seed % 5; ++i) {
        out += i == 0 ? "" : ",\n";
        if ((seed + i) % 7 == 0) {
            out += "{\"b\":7}";
            continue;
        }
        out += "{\"b\":[";
        for (int k = 0; k < (seed * 7 + i) % 4; ++k)
            out += std::string(k == 0 ? "" : ", ") +
                   "{\"v\": " + ((seed + k) % 11 == 3 ? "\"bad\"" : std::to_string(seed * 100 + i * 10 + k)) + "}";
        out += "],\"g\":" + std::string((seed + i) % 13 == 5 ? "\"no\"" : std::to_string(i)) + "}";
    }
    return out + "]}";
}

// Of lines of CSV so many columns.
std::string first_columns(const std::string& text, std::size_t n) {
    std::string out;
    std::size_t commas = 0;
    for (const char c : text) {
        if (c == '\n') commas = 0;
        commas += c == ',';
        if (commas < n) out += c;
    }
    return out;
}

void same(const archives::extracted& got, const archives::extracted& want) {
    CHECK((got.text == want.text));
    CHECK((got.quarantine == want.quarantine));
    CHECK(got.rows == want.rows);
    CHECK(got.counters.documents == want.counters.documents);
    CHECK(got.counters.bad == want.counters.bad);
    REQUIRE(got.reports.size() == want.reports.size());
    for (std::size_t i = 0; i < got.reports.size(); ++i) CHECK(got.reports[i].text() == want.reports[i].text());
}

}  // namespace

TEST_CASE("wherever parts end, in a document or behind one, rows and reports are the same") {
    archives::folder f;
    std::vector<archives::member> members;
    std::string lines, array = "[";
    for (int i = 0; i < 300; ++i) {
        members.push_back({std::to_string(i), nested(i)});
        std::string line = nested(i);
        for (char& c : line)
            if (c == '\n') c = ' ';
        lines += line + "\n";
        array += (i == 0 ? "" : ",") + nested(i);
    }
    const std::vector<std::string> inputs = {f.write("a.zip", archives::zip(members)), f.write("b", lines),
                                             f.write("c", array + "]"), f.write("d.gz", archives::gzip(lines))};
    for (const bool outer : {false, true}) {
        const auto s = columns({"id:int64", "g=..g:int64", "v=.v:int64"}, arrays("a[*].b[*]", outer), true);
        const auto plain = columns({"id:int64", "g=..g:int64", "v=.v:int64"}, arrays("a[*].b[*]", outer), false);
        for (const policy p : {policy::skip, policy::null, policy::quarantine, policy::stop}) {
            options how{.jobs = 1, .on_error = p, .out = form::csv};
            const auto want = taken(inputs, s, how);
            CHECK((p == policy::stop || want.rows > 2000));
            // Without the columns that say where a row is from several are made at once.
            auto bare = want;
            bare.text = first_columns(want.text, 3);
            for (const std::size_t part : {std::size_t{1}, std::size_t{300}, std::size_t{5000}}) {
                for (const unsigned jobs : {1u, 3u}) {
                    how.part = part;
                    how.jobs = jobs;
                    same(taken(inputs, s, how), want);
                    same(taken(inputs, plain, how), bare);
                }
            }
        }
        for (const bool share : {false, true}) {
            options how{.jobs = 1, .on_error = policy::null, .out = form::csv};
            if (share)
                how.sample.emplace(0.4, 7);
            else
                how.per_archive = 77;
            const auto want = taken(inputs, s, how);
            CHECK(want.rows > (share ? 800 : 4 * 77 - 1));
            for (const std::size_t part : {std::size_t{1}, std::size_t{900}}) {
                how.part = part;
                how.jobs = 3;
                same(taken(inputs, s, how), want);
            }
        }
        options how{.jobs = 2, .on_error = policy::null, .out = form::csv};
        const auto all = taken(inputs, s, how);
        for (const std::uint64_t n : {1u, 2u, 33u, 100u, 1500u}) {
            how.limit = n;
            how.part = 200;
            const auto some = taken(inputs, s, how), few = taken(inputs, plain, how);
            CHECK(some.rows == n);
            CHECK((all.text.compare(0, some.text.size(), some.text) == 0));
            CHECK(few.rows == n);
            CHECK((few.text == first_columns(some.text, 3)));
        }
    }
}

TEST_CASE("a column that is widened in the midst of a document leaves the rows before as they were") {
    archives::folder f;
    std::string document = "{\"name\":\"n\",\"t\":[", want;
    for (int i = 0; i < 3000; ++i) {
        const std::string v = i < 1000 ? std::to_string(i) : i < 2000 ? "1.5" : "\"x\"";
        document += (i == 0 ? "" : ",") + ("{\"v\":" + v) + "}";
        want += "n," + (v == "\"x\"" ? std::string("x") : v) + "\n";
    }
    const std::string path = f.write("w", document + "]}");
    const row_path of = arrays("t[*]");
    for (const unsigned jobs : {1u, 3u}) {
        for (const std::size_t part : {std::size_t{1}, std::size_t{5000}, default_part}) {
            column_spec v = rows::field("v=.v:int64"), name = rows::field("name:string");
            v.inferred = true;
            std::shared_ptr<const schema> s;
            std::string why;
            REQUIRE(schema::make({name, v}, false, s, why, beyond::ignored, &of) == errc::ok);
            run r({path}, {.jobs = jobs, .part = part});
            REQUIRE(r.start(s) == errc::ok);
            std::string text;
            std::size_t changes = 0;
            for (result got; r.next(got);) {
                changes += got.notes.size();
                buffer out;
                REQUIRE(write_csv(*got.rows, out, {}) == errc::ok);
                text.append(out.data(), out.size());
            }
            if (part < default_part) {
                CHECK(changes == 2);
                CHECK(text.substr(0, 40) == want.substr(0, 40));
                CHECK(std::count(text.begin(), text.end(), '\n') == 3000);
            }
            CHECK(r.columns()->columns()[1].type == column_type::json);
        }
    }
}

TEST_CASE("paths of rows and of their columns") {
    CHECK(arrays("trades[*]").arrays.size() == 1);
    CHECK(arrays("$.a[*][*]").arrays[1].empty());
    CHECK(arrays("a[2].b[*].c.d[*]").arrays[1].size() == 2);
    for (const auto& [text, dots, printed] :
         std::vector<std::tuple<std::string, std::size_t, std::string>>{{".a", 1, "$.a"},
                                                                        {".", 1, "$"},
                                                                        {"..", 2, "$"},
                                                                        {"..a[0]", 2, "$.a[0]"},
                                                                        {".[1]", 1, "$[1]"},
                                                                        {"a.b", 0, "$.a.b"},
                                                                        {"$.a", 0, "$.a"},
                                                                        {".$", 1, "$.$"},
                                                                        {"./a.b", 1, "$[\"/a\"].b"},
                                                                        {".\"a.b\"", 1, "$[\"a.b\"]"},
                                                                        {"/a/0", 0, "$.a[\"0\"]"}}) {
        std::size_t found = 9;
        json::path steps;
        context ctx;
        INFO(text);
        CHECK(parse_column_path(text, found, steps, ctx) == errc::ok);
        CHECK(found == dots);
        CHECK(json::print(steps) == printed);
    }
}
