// Whole runs: order, policies, limits, counters, cancelling, sampling, widening. With one thread and with several the
// results must be the same, byte for byte.
#include "extract/run.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "archives.hpp"
#include "extract/dialect_reader.hpp"
#include "extract/schedule.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

options how(unsigned jobs, policy p = policy::skip, form out = form::csv) { return {.jobs = jobs, .on_error = p, .out = out}; }

// Zips, loose files, NDJSON and an array, with a bad document here and there.
struct mixture {
    archives::folder f;
    std::vector<std::string> paths;
    std::uint64_t documents = 0, bad = 0;

    std::string document() {
        ++documents;
        if (documents % 97 == 0) {
            ++bad;
            return "{\"a\":tru}";
        }
        return "{\"b\":[1,2,{}],\"a\":" + std::to_string(documents) + "}";
    }
    mixture() {
        for (int z = 0; z < 5; ++z) {
            std::vector<archives::member> m;
            for (int i = 0; i < 400; ++i) m.push_back({"e/" + std::to_string(i) + ".json", document()});
            paths.push_back(f.write("z" + std::to_string(z) + ".zip", archives::zip(m)));
            for (int i = 0; i < 50; ++i) paths.push_back(f.write("l" + std::to_string(z * 50 + i), document()));
            std::string lines;
            for (int i = 0; i < 8000; ++i) lines += document() + "\n";
            paths.push_back(f.write("n" + std::to_string(z), lines));
            std::string array = "[\n";
            for (int i = 0; i < 4000; ++i) array += (i == 0 ? "" : ",\n") + document();
            paths.push_back(f.write("a" + std::to_string(z), array + "]"));
        }
    }
};

std::vector<std::string> texts(const std::vector<report>& reports) {
    std::vector<std::string> out;
    for (const report& r : reports) out.push_back(r.text());
    return out;
}

}  // namespace

TEST_CASE("results do not depend on the number of threads") {
    mixture m;
    for (const form out : {form::csv, form::ndjson}) {
        for (const policy p : {policy::skip, policy::null, policy::quarantine, policy::stop}) {
            const auto one = archives::extract(m.paths, {"a:int64"}, how(1, p, out), true);
            for (const unsigned jobs : {2u, 3u, 8u}) {
                const auto many = archives::extract(m.paths, {"a:int64"}, how(jobs, p, out), true);
                CHECK((many.text == one.text));
                CHECK(texts(many.reports) == texts(one.reports));
                CHECK((many.quarantine == one.quarantine));
                CHECK(many.rows == one.rows);
                CHECK(many.counters.documents == one.counters.documents);
                CHECK(many.failure.has_value() == one.failure.has_value());
            }
            if (p == policy::stop) {
                CHECK(one.failure.has_value());
                CHECK(one.rows == 96);
                CHECK(one.reports.size() == 1);
                continue;
            }
            CHECK_FALSE(one.failure.has_value());
            CHECK(one.counters.documents == m.documents);
            CHECK(one.counters.bad == m.bad);
            CHECK(one.reports.size() == m.bad);
            CHECK(one.counters.bytes == one.counters.total);
            CHECK(one.rows == (p == policy::null ? m.documents : m.documents - m.bad));
        }
    }
}

// A document of many lines, of which some look as if a document began there; `twice`: the key a comes twice, before
// the list or behind it, and `at` is where it comes again.
std::string of_many_lines(std::size_t elements, std::string_view twice, std::size_t& at) {
    std::string d = "{\n\"a\": 1,\n";
    const auto again = [&](std::string_view now) {
        if (twice != now) return;
        at = d.size();
        d += "\"a\": 2,\n";
    };
    again("early");
    d += "\"list\":\n[\n";
    for (std::size_t i = 0; i < elements; ++i) d += "{\"a\": 100}" + std::string(i + 1 < elements ? ",\n" : "\n");
    d += "],\n";
    again("late");
    return d + "\"tail\":\n[\n{\"a\":77},\n{\"a\":78}\n]\n}";
}

TEST_CASE("what a dialect refuses of a document does not cut it") {
    std::string why;
    const auto once = reader_by("json", "unique_keys", why);
    const auto doubles = reader_by("json", "doubles", why);
    REQUIRE(once);
    REQUIRE(doubles);
    archives::folder f;
    for (const char* const twice : {"early", "late"}) {
        for (const std::size_t elements : {2u, 60u, 600u, 6000u}) {
            for (const bool array : {false, true}) {
                for (const unsigned jobs : {1u, 4u}) {
                    INFO(twice << ", " << elements << " elements, array " << array << ", jobs " << jobs);
                    std::size_t at = 0, none = 0;
                    const std::string bad = of_many_lines(elements, twice, at), good = of_many_lines(2, "", none);
                    const std::string between = array ? ",\n" : "\n", before = array ? "[\n" : "";
                    std::string text = before + bad;
                    text += between + good + between + bad;
                    text += between + good + (array ? "\n]\n" : "\n");
                    options by = how(jobs);
                    by.read.format = "json";
                    by.read.dialect = once;
                    const auto e = archives::extract({f.write("x.json", text)}, {"a:int64"}, by);
                    CHECK(e.text == "1\n1\n");
                    CHECK(e.counters.documents == 4);
                    REQUIRE(e.reports.size() == 2);
                    const std::size_t second = before.size() + bad.size() + good.size() + 2 * between.size();
                    CHECK(e.reports[0].code == errc::duplicate);
                    CHECK(e.reports[0].document == before.size());
                    CHECK(e.reports[0].offset == before.size() + at);
                    CHECK(e.reports[1].document == second);
                    CHECK(e.reports[1].offset == second + at);
                }
            }
        }
    }
    // A number that is too large for it, too.
    std::size_t none = 0;
    const std::string good = of_many_lines(600, "", none);
    std::string large = good;
    large.replace(large.find("77"), 2, "1e400");
    for (const unsigned jobs : {1u, 4u}) {
        options by = how(jobs);
        by.read.format = "json";
        by.read.dialect = doubles;
        const auto e = archives::extract({f.write("y.json", large + "\n" + good + "\n")}, {"a:int64"}, by);
        CHECK(e.text == "1\n");
        CHECK(e.counters.documents == 2);
        REQUIRE(e.reports.size() == 1);
        CHECK(e.reports[0].code == errc::range);
        CHECK(e.reports[0].offset == large.find("1e400"));
    }
}

TEST_CASE("columns: the same rows as text") {
    mixture m;
    for (const unsigned jobs : {1u, 3u}) {
        run r(m.paths, how(jobs, policy::skip, form::columns));
        REQUIRE(r.start(archives::columns({"a:int64"})) == errc::ok);
        std::uint64_t rows = 0, last = 0;
        for (result got; r.next(got);) {
            if (got.count == 0) continue;
            REQUIRE(got.rows);
            REQUIRE(got.rows->rows() == got.count);
            for (std::size_t i = 0; i < got.count; ++i) {
                const auto v = static_cast<std::uint64_t>(got.rows->at(0).i64(i));
                CHECK(v > last);
                last = v;
            }
            rows += got.count;
            if (rows % 3 == 0) got.rows.reset();  // taken away by the consumer
        }
        CHECK(rows == m.documents - m.bad);
    }
}

TEST_CASE("form::none counts and reports as the other forms do, and hands nothing out") {
    mixture m;
    for (const policy p : {policy::skip, policy::null, policy::quarantine, policy::stop}) {
        const auto text = archives::extract(m.paths, {"a:json"}, how(1, p, form::csv));
        for (const unsigned jobs : {1u, 3u}) {
            // Without a column every document is still judged in full.
            for (const std::vector<std::string>& fields : {std::vector<std::string>{}, {"a:json"}}) {
                run r(m.paths, how(jobs, p, form::none));
                const auto none = archives::drive(r, archives::columns(fields));
                CHECK(none.text.empty());
                CHECK(none.rows == text.rows);
                CHECK(texts(none.reports) == texts(text.reports));
                CHECK((none.quarantine == text.quarantine));
                CHECK(none.counters.documents == text.counters.documents);
                CHECK(none.counters.bad == text.counters.bad);
                CHECK(none.failure.has_value() == text.failure.has_value());
            }
        }
    }
    run r({m.paths.front()}, how(1, policy::skip, form::none));
    REQUIRE(r.start(archives::columns({"a:json"})) == errc::ok);
    for (result got; r.next(got);) CHECK_FALSE(got.rows);
}

TEST_CASE("reports: where, in every kind of input") {
    archives::folder f;
    const std::string bad = "{\"x\":{\"y\":[1,\n  tru]}}";
    const auto one = [&](const std::string& path, std::uint64_t document, std::uint64_t offset, std::uint64_t line,
                         std::uint64_t column, const std::string& entry = "") {
        for (const unsigned jobs : {1u, 2u}) {
            const auto e = archives::extract({path}, {"a:json"}, how(jobs));
            REQUIRE(e.reports.size() == 1);
            const report& r = e.reports[0];
            CHECK(r.about == report::scope::document);
            CHECK(r.code == errc::syntax);
            CHECK(r.archive == path);
            CHECK(r.entry == entry);
            CHECK(r.document == document);
            CHECK(r.offset == offset);
            CHECK(r.line == line);
            CHECK(r.column == column);
            CHECK(r.path == "$.x.y[1]");
            CHECK(!r.message.empty());
            CHECK(r.text().find("line " + std::to_string(line) + ", column " + std::to_string(column)) != std::string::npos);
        }
    };
    const std::uint64_t inside = bad.find("tru");
    one(f.write("one.json", bad), 0, inside, 2, 3);
    one(f.write("mark.json", "\xef\xbb\xbf\n" + bad), 4, 4 + inside, 3, 3);
    one(f.write("z.zip", archives::zip({{"good", "{}"}, {"d/bad.json", bad}})), 0, inside, 2, 3, "d/bad.json");
    one(f.write("g.gz", archives::gzip("{}" + bad + "{}")), 2, 2 + inside, 2, 3);
    one(f.write("array.json", "[{},\n {},  " + bad + ",\n{}]"), 11, 11 + inside, 3, 3);
    std::string flat = bad;
    flat[flat.find('\n')] = ' ';
    one(f.write("lines", "{}\r\n\r\n {}\n  " + flat + "\n{}\n"), 12, 12 + inside, 4, 3 + inside);
    // Far into a long text, in a later piece.
    std::string head;
    for (int i = 0; i < 300000; ++i) head += "{\"a\":" + std::to_string(i) + "}\n";
    one(f.write("long", head + flat + "\n" + head), head.size(), head.size() + inside, 300001, inside + 1);
    one(f.write("long.gz", archives::gzip(head + flat + "\n" + head)), head.size(), head.size() + inside, 300001, inside + 1);
    std::string array = "[";
    for (int i = 0; i < 300000; ++i) array += "{\"a\":" + std::to_string(i) + "},\n";
    one(f.write("long.array", array + bad + ",{}]"), array.size(), array.size() + inside, 300002, 3);
    // One line, many pieces.
    std::string line = "\n[";
    for (int i = 0; i < 300000; ++i) line += "{\"a\":" + std::to_string(i) + "},";
    one(f.write("line", line + flat + ",{}]"), line.size(), line.size() + inside, 2, line.size() + inside);
    one(f.write("line.gz", archives::gzip(line + flat + ",{}]")), line.size(), line.size() + inside, 2, line.size() + inside);
}

TEST_CASE("an array that is cut off: rows before it, and where it ends") {
    archives::folder f;
    std::string array = "[";
    for (int i = 0; i < 100000; ++i) array += "{\"a\":" + std::to_string(i) + "},\n";
    for (const unsigned jobs : {1u, 2u}) {
        const auto e = archives::extract({f.write("a", array)}, {"a:json"}, how(jobs));
        CHECK(e.rows == 100000);
        REQUIRE(e.reports.size() == 1);
        CHECK(e.reports[0].code == errc::truncated);
        CHECK(e.reports[0].offset == array.size());
        CHECK(e.reports[0].line == 100001);
        CHECK(e.reports[0].column == 1);
        std::string line = array;
        std::replace(line.begin(), line.end(), '\n', ' ');
        const auto flat = archives::extract({f.write("l", line)}, {"a:json"}, how(jobs));
        REQUIRE(flat.reports.size() == 1);
        CHECK(flat.reports[0].line == 1);
        CHECK(flat.reports[0].column == line.size() + 1);
        const auto small = archives::extract({f.write("s", "[{\"a\":1},\n{\"a\":2},\n x")}, {"a:json"}, how(jobs));
        CHECK(small.text == "1\n2\n");
        REQUIRE(small.reports.size() == 2);  // x, and the end
        CHECK(small.reports[1].line == 3);
    }
}

TEST_CASE("an entry that is said to be empty and is not is damaged, not passed over") {
    archives::folder f;
    for (const int method : {0, 8}) {
        CAPTURE(method);
        const std::string path =
            f.write("e.zip", archives::zip({{.name = "a", .content = "{\"a\":1}", .method = method, .size = 0},
                                            {.name = "empty", .content = "", .method = method},
                                            {.name = "sum", .content = "", .method = method, .crc = 7},
                                            {.name = "z", .content = "{\"a\":2}", .method = method}}));
        for (const unsigned jobs : {1u, 3u}) {
            const auto e = archives::extract({path}, {"a:json"}, how(jobs, policy::skip));
            CHECK(e.text == "2\n");
            REQUIRE(e.reports.size() == 2);
            CHECK(e.reports[0].entry == "a");
            CHECK(e.reports[1].entry == "sum");
            CHECK(e.reports[1].message.find("checksum") != std::string::npos);
        }
    }
}

TEST_CASE("quarantine: the report and the document, as one JSON line") {
    archives::folder f;
    const std::string path = f.write("q.zip", archives::zip({{"a.json", "{\"a\":\"\n\"}"},
                                                             {"b.json", "{\"a\":\"\xff\"}"},
                                                             {.name = "c.json", .content = "{}", .crc = 1},
                                                             {"d", "{}"}}));
    const auto e = archives::extract({path}, {"a:json"}, how(1, policy::quarantine));
    CHECK(e.rows == 1);
    CHECK(e.reports.size() == 3);
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < e.quarantine.size();) {
        const std::size_t end = e.quarantine.find('\n', at);
        lines.push_back(e.quarantine.substr(at, end - at));
        at = end + 1;
    }
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].find("\"entry\":\"a.json\"") != std::string::npos);
    CHECK(lines[0].find("\"document\":\"{\\\"a\\\":\\\"\\u000a\\\"}\"") != std::string::npos);
    CHECK(lines[1].find("\"document_base64\":\"eyJhIjoi/yJ9\"") != std::string::npos);
    CHECK(lines[1].find("\"error\":\"encoding\"") != std::string::npos);
    CHECK(lines[2].find("\"scope\":\"entry\"") != std::string::npos);
    // They are JSON themselves.
    const auto again = archives::extract({f.write("q.ndjson", e.quarantine)}, {"entry:string", "error:string"}, how(1));
    CHECK(again.text == "a.json,syntax\nb.json,encoding\nc.json,syntax\n");
}

TEST_CASE("null: bad documents and entries become rows of nulls") {
    archives::folder f;
    const std::string path = f.write(
        "n.zip",
        archives::zip({{"a", "{\"a\":1}"}, {"b", "{\"a\":"}, {.name = "c", .content = "{}", .crc = 1}, {"d", "{\"a\":4}"}}));
    const auto e = archives::extract({path}, {"a:int64"}, how(1, policy::null), true);
    CHECK(e.text == "1," + path + ",a,0\n," + path + ",b,0\n," + path + ",c,0\n4," + path + ",d,0\n");
    CHECK(e.reports.size() == 2);
}

TEST_CASE("stop: the rows before, the report, nothing behind") {
    archives::folder f;
    const std::string path = f.write("s", "{\"a\":1}\n{\"a\":2}\nnope\n{\"a\":3}\n");
    for (const unsigned jobs : {1u, 2u}) {
        const auto e = archives::extract({path, path}, {"a:json"}, how(jobs, policy::stop));
        CHECK(e.text == "1\n2\n");
        REQUIRE(e.failure.has_value());
        CHECK(e.failure->line == 3);
        CHECK(e.reports.size() == 1);
    }
    const auto missing = archives::extract({f.path() + "/none", path}, {"a:json"}, how(1, policy::stop));
    CHECK(missing.rows == 0);
    CHECK(missing.failure.has_value());
}

TEST_CASE("limits: exactly so many rows, from the beginning") {
    mixture m;
    const auto all = archives::extract(m.paths, {"a:int64"}, how(1));
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{395}, std::uint64_t{396},
                                  std::uint64_t{397}, std::uint64_t{12345}, all.rows, all.rows + 1}) {
        for (const unsigned jobs : {1u, 4u}) {
            options o = how(jobs);
            o.limit = n;
            const auto e = archives::extract(m.paths, {"a:int64"}, o);
            CHECK(e.rows == std::min(n, all.rows));
            CHECK((all.text.compare(0, e.text.size(), e.text) == 0));
            CHECK(static_cast<std::uint64_t>(std::count(e.text.begin(), e.text.end(), '\n')) == e.rows);
        }
    }
}

TEST_CASE("limits of depth and size") {
    archives::folder f;
    options o = how(1);
    o.document.depth = 10;
    o.document.size = 100;
    const std::string deep = std::string(11, '[') + std::string(11, ']');
    const auto e = archives::extract(
        {f.write("x", "{\"a\":1}\n{\"a\":" + deep + "}\n{\"a\":\"" + std::string(200, 'x') + "\"}\n{\"a\":2}\n")}, {"a:json"},
        o);
    CHECK(e.text == "1\n2\n");
    REQUIRE(e.reports.size() == 2);
    CHECK(e.reports[0].code == errc::depth);
    CHECK(e.reports[1].code == errc::size);
    // A million brackets do no harm.
    CHECK(archives::extract({f.write("y", std::string(1000000, '['))}, {"a:json"}, how(1)).reports.size() >= 1);
    CHECK(archives::extract({f.write("z", "{\"a\":" + std::string(1000000, '['))}, {"a:json"}, how(1)).reports.size() == 1);
}

TEST_CASE("levels: trusted finds the documents all the same") {
    mixture m;
    for (const json::level level : {json::level::strict, json::level::structural, json::level::trusted}) {
        options o = how(2);
        o.level = level;
        archives::folder f;
        const auto e = archives::extract({f.write("z.zip", archives::zip({{"1", "{\"a\":1}"},
                                                                          {"2", "{\"a\":2}\n{\"a\":3}\n"},
                                                                          {"3", "{\n\"a\":4\n}"},
                                                                          {"4", "[{\"a\":5},{\"a\":6}]"}}))},
                                         {"a:json"}, o);
        CHECK(e.text == "1\n2\n3\n4\n5\n6\n");
    }
}

TEST_CASE("cancelling from another thread ends a run soon") {
    mixture m;
    std::vector<std::string> many;
    for (int i = 0; i < 200; ++i) many.insert(many.end(), m.paths.begin(), m.paths.end());
    for (const unsigned jobs : {1u, 2u}) {
        run r(many, how(jobs));
        REQUIRE(r.start(archives::columns({"a:int64"})) == errc::ok);
        std::thread other([&] {
            while (r.now().rows < 1000) std::this_thread::yield();
            r.cancel();
        });
        for (result got; r.next(got);) {
        }
        other.join();
        CHECK(r.cancelled());
        CHECK(r.now().bytes < r.now().total);
        CHECK_FALSE(r.failure().has_value());
    }
    // A run that is dropped in the middle, or before it began, cleans up.
    run never(many, how(2));
    run dropped(many, how(3));
    REQUIRE(dropped.start(archives::columns({"a:int64"})) == errc::ok);
    result got;
    CHECK(dropped.next(got));
}

TEST_CASE("sampling: files, archives, pipes; nothing is lost") {
    archives::folder f;
    std::string lines, want;
    for (int i = 0; i < 50000; ++i) lines += "{\"a\":" + std::to_string(i) + "}\n", want += std::to_string(i) + "\n";
    std::vector<archives::member> members;
    for (int i = 0; i < 1000; ++i) members.push_back({std::to_string(i), "{\"a\":" + std::to_string(i) + ".5}"});
    const std::vector<std::string> contents = {lines, archives::gzip(lines), archives::zip(members), "[{\"a\":1},{\"a\":2}]"};
    for (const std::string& content : contents) {
        for (const bool pipe : {false, true}) {
            int ends[2] = {-1, -1};
            std::string name;
            std::thread writer;
            if (pipe) {
                REQUIRE(::pipe(ends) == 0);
                name = "/proc/self/fd/" + std::to_string(ends[0]);
                writer = std::thread([&] {
                    for (std::size_t at = 0; at < content.size();) {
                        const ssize_t n = write(ends[1], content.data() + at, content.size() - at);
                        if (n <= 0) break;
                        at += static_cast<std::size_t>(n);
                    }
                    close(ends[1]);
                });
            } else {
                name = f.write("x", content);
            }
            run r({name}, how(2));
            std::vector<column_spec> fields(1);
            std::string why;
            REQUIRE(parse_field("a", fields[0], why) == errc::ok);
            inference guess(fields, false, json::level::strict);
            const std::uint64_t seen = r.sample(500, guess);
            CHECK(seen > 0);
            CHECK(seen <= 500);
            CHECK(guess.documents() == seen);
            std::shared_ptr<const schema> columns;
            REQUIRE(guess.finish(columns, why) == errc::ok);
            CHECK(columns->columns()[0].type == (&content == &contents[2] ? column_type::float64 : column_type::int64));
            const auto e = archives::drive(r, columns);
            if (writer.joinable()) writer.join();
            if (pipe) close(ends[0]);
            CHECK(e.reports.empty());
            CHECK(e.counters.bytes == content.size());
            CHECK(e.rows == (&content == &contents[2] ? 1000u : &content == &contents[3] ? 2u : 50000u));
            if (e.rows == 50000) CHECK((e.text == want));
        }
    }
}

TEST_CASE("an inferred type that does not hold is widened, in order, and said") {
    archives::folder f;
    std::vector<std::string> paths;
    for (int k = 0; k < 40; ++k) {
        std::string lines;
        for (int i = 0; i < 20000; ++i)
            lines += "{\"a\":" +
                     (k == 20 && i == 10000   ? std::string("1.5")
                      : k == 30 && i == 15000 ? std::string("\"x\"")
                                              : std::to_string(i)) +
                     "}\n";
        paths.push_back(f.write(std::to_string(k), lines));
    }
    std::string first;
    for (const unsigned jobs : {1u, 2u, 7u}) {
        run r(paths, how(jobs));
        std::vector<column_spec> fields(1);
        std::string why;
        REQUIRE(parse_field("a", fields[0], why) == errc::ok);
        inference guess(fields, false, json::level::strict);
        r.sample(100, guess);
        std::shared_ptr<const schema> columns;
        REQUIRE(guess.finish(columns, why) == errc::ok);
        CHECK(columns->columns()[0].type == column_type::int64);
        const auto e = archives::drive(r, columns);
        CHECK(e.rows == 800000);
        CHECK(e.reports.empty());
        CHECK(e.notes.size() == 2);
        CHECK(r.columns()->columns()[0].type == column_type::json);
        CHECK(e.text.find("1.5\n") != std::string::npos);
        if (first.empty()) first = e.text;
        CHECK((e.text == first));
    }
    // Without leave to widen, the run ends and says what to try.
    options o = how(2);
    o.widen = false;
    run r(paths, o);
    std::vector<column_spec> fields(1);
    std::string why;
    REQUIRE(parse_field("a", fields[0], why) == errc::ok);
    inference guess(fields, false, json::level::strict);
    r.sample(100, guess);
    std::shared_ptr<const schema> columns;
    REQUIRE(guess.finish(columns, why) == errc::ok);
    const auto e = archives::drive(r, columns);
    CHECK(e.disagreed);
    REQUIRE(r.disagreement().has_value());
    CHECK(r.disagreement()->widened->columns()[0].type == column_type::float64);
    CHECK(e.rows < 800000);
}

TEST_CASE("the schedule: order and a bounded window, whatever the workers do") {
    struct job {
        int n = 0;
    };
    struct plan {
        std::atomic<int> alive{0}, most{0};
        int next = 0;
        bool cut(job& j) {
            if (next == 500) return false;
            j.n = next++;
            const int now = ++alive;
            int seen = most;
            while (now > seen && !most.compare_exchange_weak(seen, now)) {
            }
            return true;
        }
        bool work(job& j, unsigned) {
            for (volatile int i = 0; i < (j.n * 7919 % 1000) * 20;) i = i + 1;
            return false;
        }
    } p;
    schedule<job, plan> s(p);
    REQUIRE(s.start(4, 6));
    for (int i = 0; i < 500; ++i) {
        job* j = nullptr;
        REQUIRE(s.next(j, std::chrono::hours(1)) == progress::ready);
        CHECK(j->n == i);
        --p.alive;
        s.release();
    }
    job* j = nullptr;
    CHECK(s.next(j, std::chrono::hours(1)) == progress::end);
    CHECK(p.most <= 6);
}

TEST_CASE("fields that no sample had: more columns in file order, or a rest, whatever the threads do") {
    archives::folder f;
    std::vector<std::string> paths;
    for (int k = 0; k < 12; ++k) {
        std::string lines;
        for (int i = 0; i < 8000; ++i) {
            lines += "{\"a\":" + std::to_string(i);
            if (k == 5 && i == 4000) lines += ",\"late\":{\"x\":1}";
            if (k == 9 && i == 7999) lines += ",\"late\":[\"other\"],\"more\":2.50";
            lines += "}\n";
        }
        paths.push_back(f.write(std::to_string(10 + k), lines));
    }
    const auto names = [](const schema& s) {
        std::string out;
        for (const column_spec& c : s.columns()) out += c.name + ' ';
        return out;
    };
    std::string first;
    for (const unsigned jobs : {1u, 2u, 7u}) {
        for (const beyond others : {beyond::told, beyond::kept}) {
            run r(paths, how(jobs));
            auto guess = std::make_shared<inference>(std::vector<column_spec>(), false, json::level::strict);
            guess->as_text(layout_of_text::csv, false);
            CHECK(r.sample(100, *guess) <= 100);
            CHECK_FALSE(r.sampled_all());
            std::shared_ptr<const schema> columns;
            std::string why;
            REQUIRE(guess->finish(columns, why, others) == errc::ok);
            CHECK(names(*columns) == (others == beyond::kept ? "a rest " : "a "));
            REQUIRE(r.start(columns, guess) == errc::ok);
            std::string text;
            std::uint64_t count = 0;
            std::vector<std::string> notes;
            for (result got; r.next(got);) {
                text.append(got.text.data(), got.text.size());
                count += got.count;
                notes.insert(notes.end(), got.notes.begin(), got.notes.end());
                CHECK(got.reports.empty());
            }
            CHECK(count == 96000);
            if (others == beyond::kept) {
                CHECK(notes.empty());
                CHECK(text.find("4000,\"{\"\"late\"\":{\"\"x\"\":1}}\"\n") != std::string::npos);
                REQUIRE(r.closing().size() == 1);
                CHECK(r.closing()[0].find("2 rows") == 0);
                CHECK(r.closing()[0].find(paths[5] + ": byte ") != std::string::npos);
                if (first.empty()) first = text;
                CHECK((text == first));
                continue;
            }
            CHECK(notes.size() == 2);
            CHECK(names(*r.columns()) == "a late more ");
            // Again with these columns: every row is there, and nothing has to change any more.
            run second(paths, how(jobs));
            REQUIRE(second.start(r.columns(), guess) == errc::ok);
            text.clear();
            for (result got; second.next(got);) {
                text.append(got.text.data(), got.text.size());
                CHECK(got.notes.empty());
            }
            CHECK(text.find("\n4000,\"{\"\"x\"\":1}\",\n") != std::string::npos);
            CHECK(text.find("\n7999,\"[\"\"other\"\"]\",2.50\n") != std::string::npos);
            CHECK(second.columns() == r.columns());
        }
    }
    // Without leave to add columns the run ends, and says what to try.
    options o = how(2);
    o.widen = false;
    run r(paths, o);
    auto guess = std::make_shared<inference>(std::vector<column_spec>(), false, json::level::strict);
    r.sample(100, *guess);
    std::shared_ptr<const schema> columns;
    std::string why;
    REQUIRE(guess->finish(columns, why, beyond::told) == errc::ok);
    REQUIRE(r.start(columns, guess) == errc::ok);
    for (result got; r.next(got);) {
    }
    REQUIRE(r.disagreement().has_value());
    CHECK(r.disagreement()->note.find("\"late.x\"") != std::string::npos);
    CHECK(r.disagreement()->widened->fields() == 2);
}

TEST_CASE("a path that meets another kind of value is counted, with the first place") {
    archives::folder f;
    const std::string name =
        f.write("x", "{\"p\":{\"x\":1}}\n{\"p\":5}\n{}\n{\"p\":null}\n{\"p\":[{\"x\":1}]}\n[1]\n{\"p\":{\"x\":{}}}\n");
    for (const json::level level : {json::level::strict, json::level::structural, json::level::trusted}) {
        options o = how(2);
        o.level = level;
        run r({name}, o);
        const auto e = archives::drive(r, archives::columns({"p.x:json"}));
        CHECK(e.rows == 7);
        REQUIRE(r.closing().size() == 1);
        CHECK(r.closing()[0] ==
              "in 3 rows a field is empty because its path meets another kind of value; the first: \"p.x\" in " + name +
                  ": byte 14");
    }
    const std::string path = "p" + std::string(100'000, 'p'), long_one = f.write("y", "{\"" + path + "\":5}");
    run r({long_one}, how(1));
    archives::drive(r, archives::columns({"n=" + path + ".x:json"}));
    REQUIRE(r.closing().size() == 1);
    CHECK(r.closing()[0].ends_with("the first: \"" + path.substr(0, 60) + "...\" in " + long_one + ": byte 0"));
}

TEST_CASE("a document is taken or refused alike on one line and on several") {
    archives::folder f;
    const std::string body = "{\"a\":1,\"list\":[|{\"x\":1}|],|\"s\":\"\\ud800\",\"more\":[|{\"a\":2}|,|{\"a\":3}|]}";
    std::string one = body, several = body;
    one.erase(std::remove(one.begin(), one.end(), '|'), one.end());
    std::replace(several.begin(), several.end(), '|', '\n');
    const std::vector<std::string> files = {f.write("one", one + "\n" + one + "\n"),
                                            f.write("several", several + "\n" + several + "\n")};
    for (const json::level level : {json::level::strict, json::level::structural}) {
        for (const std::string& file : files) {
            options o = how(1);
            o.level = level;
            const auto e = archives::extract({file}, {"a:json"}, o);
            const bool strict = level == json::level::strict;  // half a surrogate pair in what no field wants
            CHECK(e.text == (strict ? "" : "1\n1\n"));
            CHECK(e.reports.size() == (strict ? 2 : 0));
        }
    }
}

TEST_CASE("a pipe that cannot be kept gives no rows from its middle") {
    struct rlimit before;
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto signal = std::signal(SIGXFSZ, SIG_IGN);
    archives::folder f;
    const std::string pipe = f.path() + "/pipe", file = f.write("x", "{\"a\":7}\n");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::thread writer([&] {
        std::string lines;
        for (int i = 0; i < 300000; ++i) lines += "{\"a\":" + std::to_string(100000 + i) + "}\n";
        const int fd = ::open(pipe.c_str(), O_WRONLY);
        std::signal(SIGPIPE, SIG_IGN);
        for (std::size_t at = 0; at < lines.size();) {
            const ssize_t n = ::write(fd, lines.data() + at, lines.size() - at);
            if (n <= 0) break;
            at += static_cast<std::size_t>(n);
        }
        ::close(fd);
    });
    // Held open, so that reading what is left in it would find something.
    const int held = ::open(pipe.c_str(), O_RDWR);
    run r({pipe, file}, how(2));
    struct rlimit small = before;
    small.rlim_cur = std::size_t{3} << 19;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    r.keep_streams();
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    run second({pipe, file}, how(2));
    second.inherit(r);
    ::close(held);
    for (run* one : {&r, &second}) {
        const auto e = archives::drive(*one, archives::columns({"a:int64"}));
        CHECK(e.text == "7\n");
        REQUIRE(e.reports.size() == 1);
        CHECK(e.reports[0].text().find("cannot be written to a temporary file") != std::string::npos);
        CHECK(e.reports[0].archive == pipe);
    }
    // What the writer still has is nobody's.
    const int rest = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    ::close(rest);
    writer.join();
    std::signal(SIGXFSZ, signal);
}

TEST_CASE("what is told of a run that was not started") {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    {
        run r({"/dev/fd/" + std::to_string(ends[0])}, options());
        CHECK_FALSE(r.now().complete_total);
        CHECK(r.threads() == 0);
        CHECK(r.columns() == nullptr);
    }
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST_CASE("columns that ask for more need a finder") {
    archives::folder f;
    std::shared_ptr<const schema> columns;
    std::string why;
    column_spec a;
    REQUIRE(parse_field("a:int64", a, why) == errc::ok);
    REQUIRE(schema::make({a}, false, columns, why, beyond::told) == errc::ok);
    run r({f.write("x", "{\"a\":1,\"b\":2}")}, how(1));
    CHECK(r.start(columns) == errc::misuse);
    CHECK(r.start(archives::columns({"a:int64"})) == errc::ok);
}

TEST_CASE("a pattern that matches nothing is a fault") {
    archives::folder f;
    const std::string zip = f.write("x.zip", archives::zip({{"a.json", "{\"a\":1}"}}));
    for (const policy p : {policy::stop, policy::skip}) {
        for (const char* pattern : {"b.json", "a.json"}) {
            options o = how(2, p);
            o.read.match = {pattern};
            run r({zip}, o);
            const auto e = archives::drive(r, archives::columns({"a:json"}));
            const bool found = *pattern == 'a';
            CHECK(e.rows == found);
            CHECK(e.reports.size() == !found);
            CHECK(r.failure().has_value() == (!found && p == policy::stop));
        }
    }
}
