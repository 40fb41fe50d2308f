// A task whose rows are many times its text is handed over in parts. Wherever they end, what comes out is the same,
// and no part is larger than it should be.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "archives.hpp"
#include "extract/infer.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

// One of every way in which a task reads documents, with bad ones among them.
struct ways {
    archives::folder f;
    std::vector<std::string> paths;
    int n = 0;

    std::string one() {
        ++n;
        if (n % 41 == 0) return "{\"a\":tru}";
        if (n % 53 == 0) return "{\"a\":\"text\"}";
        return "{\"a\":" + std::to_string(n) + ",\"b\":[" + std::to_string(n) + "]}";
    }
    std::string lines(int of) {
        std::string out;
        for (int i = 0; i < of; ++i) out += one() + (i % 7 == 0 ? "\n\n" : "\n");
        return out;
    }
    std::string array(int of) {
        std::string out = "[";
        for (int i = 0; i < of; ++i) out += (i == 0 ? "" : ",\n ") + one();
        return out + "]";
    }
    std::string several(int of) {
        std::string out;
        for (int i = 0; i < of; ++i) out += (n % 3 == 0 ? "{\n \"a\": -1\n}" : one()) + " ";
        return out;
    }
    void add(const std::string& content) { paths.push_back(f.write(std::to_string(1000 + paths.size()), content)); }

    ways() {
        for (int i = 0; i < 30; ++i) add(one());
        add(lines(60));
        add("\xEF\xBB\xBF" + array(50));
        add(several(50));
        add("[1,2,,3]");
        add("");
        std::vector<archives::member> members;
        for (int i = 0; i < 40; ++i) members.push_back({std::to_string(i), i % 9 == 4 ? lines(20) : one()});
        members.push_back({.name = "damaged", .content = lines(5), .crc = 1});
        members.push_back({"gz", archives::gzip(array(30))});
        members.push_back({"not", "PK\3\4....."});
        members.push_back({"last", one()});
        const std::string zip = archives::zip(members);
        add(zip);                                                            // as a loose file
        add(zip.substr(0, zip.size() * 2 / 3));                              // without its directory
        add(archives::zip(members, {.prefix = std::string(200'000, 'x')}));  // mapped
        const std::string packed = archives::gzip(lines(80));
        add(packed);
        add(packed + packed.substr(0, packed.size() * 2 / 3));  // its second member is cut off: read as a stream
        add(lines(30'000));                                     // pieces
        add(array(20'000));
        paths.push_back(f.path() + "/missing");
        add(one());
    }
};

std::vector<std::string> texts(const std::vector<report>& reports) {
    std::vector<std::string> out;
    for (const report& r : reports) out.push_back(r.text());
    return out;
}

void same(const archives::extracted& got, const archives::extracted& want) {
    CHECK((got.text == want.text));
    CHECK(texts(got.reports) == texts(want.reports));
    CHECK((got.quarantine == want.quarantine));
    CHECK(got.rows == want.rows);
    CHECK(got.notes == want.notes);
    CHECK(got.failure.has_value() == want.failure.has_value());
    CHECK(got.counters.documents == want.counters.documents);
    CHECK(got.counters.bytes == want.counters.bytes);
    CHECK(got.counters.bad == want.counters.bad);
}

std::string wide(int columns) {
    std::string out = "{";
    for (int i = 0; i < columns; ++i) out += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":" + std::to_string(i);
    return out + "}\n";
}

}  // namespace

TEST_CASE("wherever parts end, rows, reports and counts are the same") {
    ways w;
    for (const policy p : {policy::skip, policy::null, policy::quarantine, policy::stop}) {
        options how{.jobs = 1, .on_error = p, .out = form::csv};
        const auto want = archives::extract(w.paths, {"a:int64", "b:json"}, how, true);
        CHECK((p == policy::stop || want.rows > 40'000));
        for (const std::size_t part : {std::size_t{1}, std::size_t{1000}, std::size_t{100'000}}) {
            for (const unsigned jobs : {1u, 3u}) {
                how.part = part;
                how.jobs = jobs;
                same(archives::extract(w.paths, {"a:int64", "b:json"}, how, true), want);
            }
        }
    }
}

TEST_CASE("a limit that falls into any part") {
    ways w;
    options how{.jobs = 2, .on_error = policy::null, .out = form::csv};
    const auto all = archives::extract(w.paths, {"a:json"}, how);
    for (const std::uint64_t n : {1u, 33u, 34u, 97u, 700u, 30'011u}) {
        how.limit = n;
        how.part = 500;
        const auto e = archives::extract(w.paths, {"a:json"}, how);
        CHECK(e.rows == n);
        CHECK((all.text.compare(0, e.text.size(), e.text) == 0));
    }
}

TEST_CASE("a column that is widened in a later part leaves the parts before as they were") {
    archives::folder f;
    std::string lines, want;
    for (int i = 0; i < 3000; ++i) {
        const std::string a = i < 1000 ? std::to_string(i) : "true", b = i < 2000 ? "false" : "[" + std::to_string(i) + "]";
        lines += "{\"a\":" + a + ",\"b\":" + b + "}\n";
        want += a + "," + b + "\n";
    }
    const std::string path = f.write("w", lines);
    for (const unsigned jobs : {1u, 3u}) {
        for (const std::size_t part : {std::size_t{1}, std::size_t{5000}, default_part}) {
            column_spec a, b;
            a.name = a.path = "a";
            b.name = b.path = "b";
            inference guess({a, b}, false, json::level::strict);
            run r({path, path}, {.jobs = jobs, .part = part});
            r.sample(100, guess);
            std::shared_ptr<const schema> columns;
            std::string why;
            REQUIRE(guess.finish(columns, why) == errc::ok);
            REQUIRE(r.start(columns) == errc::ok);
            std::string text;
            std::vector<std::string> notes;
            for (result got; r.next(got);) {
                for (const std::string& n : got.notes) notes.push_back(n);
                buffer out;
                REQUIRE(write_csv(*got.rows, out, {}) == errc::ok);
                text.append(out.data(), out.size());
            }
            CHECK((text == want + want));
            CHECK(notes.size() == 2);
            CHECK(r.columns()->columns()[0].type == column_type::json);
        }
    }
}

TEST_CASE("lines of what is put aside count from the text's beginning, in every piece") {
    archives::folder f;
    std::string lines;
    for (int i = 1; i <= 200'000; ++i) lines += i % 50'000 == 0 ? "{\"a\":nope}\n" : "{\"a\":" + std::to_string(i) + "}\n";
    options how{.jobs = 2, .on_error = policy::quarantine, .out = form::csv};
    const auto e = archives::extract({f.write("q", lines)}, {"a:int64"}, how);
    REQUIRE(e.reports.size() == 4);
    std::size_t at = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(e.reports[i].line == (i + 1) * 50'000);
        at = e.quarantine.find("\"line\":" + std::to_string((i + 1) * 50'000) + ",", at);
        CHECK(at != std::string::npos);
    }
}

TEST_CASE("no result is much larger than a part, however wide the rows and however short their text") {
    archives::folder f;
    std::string sparse = wide(4000), bad = wide(3);
    for (int i = 0; i < 8'000; ++i) sparse += "{}\n";
    for (int i = 0; i < 200'000; ++i) bad += "x\n";
    const std::vector<std::string> inputs = {f.write("a", sparse), f.write("b.gz", archives::gzip(sparse)),
                                             f.write("c.zip", archives::zip({{"s", sparse}}))};
    for (const form out : {form::columns, form::csv, form::ndjson}) {
        for (const unsigned jobs : {1u, 2u}) {
            inference guess({}, false, json::level::strict);
            run r(inputs, {.jobs = jobs, .out = out});
            guess.as_text(out == form::csv      ? layout_of_text::csv
                          : out == form::ndjson ? layout_of_text::ndjson
                                                : layout_of_text::none,
                          false);
            r.sample(10, guess);
            std::shared_ptr<const schema> columns;
            std::string why;
            REQUIRE(guess.finish(columns, why) == errc::ok);
            REQUIRE(columns->fields() == 4000);
            REQUIRE(r.start(columns) == errc::ok);
            std::size_t rows = 0, largest = 0;
            for (result got; r.next(got);) {
                largest = std::max(largest, got.text.size() + (got.rows ? got.rows->bytes_used() : 0));
                rows += got.count;
            }
            CHECK(rows == 3 * 8'001);
            CHECK(largest <= default_part * 5 / 4);
            CHECK(largest >= default_part / 8);
        }
    }
    // Nor are the reports.
    run r({f.write("bad", bad)}, {.jobs = 1, .on_error = policy::skip, .out = form::csv});
    REQUIRE(r.start(archives::columns({"a:int64"})) == errc::ok);
    std::size_t most = 0, all = 0;
    for (result got; r.next(got);) {
        most = std::max(most, got.reports.size());
        all += got.reports.size();
    }
    CHECK(all == 200'000);
    CHECK(most < 20'000);
}

TEST_CASE("a batch that held giants in one column after the other gives their memory back") {
    std::vector<std::string> fields;
    for (int i = 0; i < 100; ++i) fields.push_back("k" + std::to_string(i) + ":string");
    batch b(archives::columns(fields), json::level::strict);
    for (int i = 0; i < 100; ++i) {
        context ctx;
        const std::string d = "{\"k" + std::to_string(i) + "\":\"" + std::string(2'000'000, 'x') + "\"}";
        REQUIRE(b.append({reinterpret_cast<const unsigned char*>(d.data()), d.size()}, {}, ctx) == errc::ok);
        b.clear();
    }
    CHECK(b.capacity() <= batch::keep_all + batch::keep * 2);
}
