// Rows that are elements of arrays: wherever a document's rows are cut into parts, and whatever form its elements
// have. What the values are is Python's to judge (hosts/python/test/rows_test.py).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "archives.hpp"
#include "extract/element_forms.hpp"
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
        for (const policy p : {policy::skip, policy::null, policy::quarantine, policy::stop}) {
            options how{.jobs = 1, .on_error = p, .out = form::csv};
            const auto want = taken(inputs, s, how);
            CHECK((p == policy::stop || want.rows > 2000));
            for (const std::size_t part : {std::size_t{1}, std::size_t{300}, std::size_t{5000}}) {
                for (const unsigned jobs : {1u, 3u}) {
                    how.part = part;
                    how.jobs = jobs;
                    same(taken(inputs, s, how), want);
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
            const auto some = taken(inputs, s, how);
            CHECK(some.rows == n);
            CHECK((all.text.compare(0, some.text.size(), some.text) == 0));
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

TEST_CASE("an element that has a known form has the values that the walk finds") {
    const std::vector<std::string> elements = {
        R"({"a": 1, "b": "x", "c": [1, {"d": 2}]})",
        R"({"a": 22.5, "b": "yy\"]}", "c": [1, {"d": [2, "}"]}]})",
        R"({"a": {"x": 1}, "b": null, "c": null})",
        R"({"a": {"x": [1]}, "b": {"y": {"z": 1}}, "c": []})",
        R"({"a": null, "b": 5, "c": [7]})",
        R"({"b": 5, "a": 1})",
        R"({"a": 1, "b": 5, "a": {"x": 3}})",
        R"({"a": {"x": 3}, "a": {}, "b": 1})",
        R"({"\u0061": {"x": 3}, "b": 1})",
        R"({})",
        R"([])",
        R"([1])",
        R"(5)",
        R"("text")",
        R"(null)",
        R"({ "a" : 1 , "b" : "x" , "c" : [ 1 ] })",
        R"({"a":-0.5e+10,"b":true})",
        R"({"a":)" + std::string(80, ' ') + R"(1,"b":2})",
        R"({")" + std::string(80, 'k') + R"(":1,"a":2})",
    };
    const std::vector<std::vector<std::string_view>> wants = {{"a", "b", "c"}, {"a.x", "b"},   {"a", "a.x"}, {"c[0]", "c[1].d"},
                                                              {"$"},           {"b.y.z", "a"}, {"zz"},       {}};
    for (const auto& paths : wants) {
        json::projection wanted;
        context ctx;
        REQUIRE(json::projection::compile(paths, wanted, ctx) == errc::ok);
        element_forms forms(wanted.plan());
        std::size_t matched = 0;
        // Each element behind each other one, so that each is met with the form of each; with and without room behind
        // it.
        for (std::size_t i = 0; i < elements.size(); ++i) {
            for (std::size_t j = 0; j < elements.size(); ++j) {
                const std::string text =
                    "[" + elements[i] + "," + elements[j] + "," + elements[j] + "]" + (j % 2 ? std::string(64, ' ') : "");
                const char* const end = text.data() + text.size();
                const char* p = text.data() + 1;
                for (int k = 0; k < 3; ++k) {
                    json::harvest walked;
                    walked.begin(wanted.plan(), text.data());
                    const char* const behind = json::walk(wanted.plan(), 0, p, end, 0, walked);
                    REQUIRE(behind != nullptr);
                    std::vector<json::slice> found(paths.size(), json::slice{1, 2}), want;
                    for (std::size_t n = 0; n < paths.size(); ++n) want.push_back(walked.slices(n)[0]);
                    if (const char* const met = forms.match(p, end, text.data(), found.data()); met != nullptr) {
                        ++matched;
                        CHECK(met == behind);
                        CHECK(walked.blocked() == json::nowhere);
                        CHECK((found == want));
                    } else {
                        forms.learn(p, behind, text.data(), want.data(), walked.blocked() != json::nowhere);
                    }
                    p = behind + 1;
                }
            }
        }
        CHECK(matched > 20);
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
