// Damaged texts: lines of generated NDJSON are broken at random, and an oracle that goes line by line says what must
// come out. Whatever the input lies in, however it arrives and whoever works on it, no undamaged line is lost and no
// damaged one unreported.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "archives.hpp"
#include "engine/json/check.hpp"
#include "extract/split.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

using texts = std::vector<std::string>;

bytes as_bytes(std::string_view s) { return {reinterpret_cast<const unsigned char*>(s.data()), s.size()}; }

bool valid_json(std::string_view line) {
    context ctx;
    return json::check(as_bytes(line), ctx) == errc::ok;
}

struct damaged {
    texts lines;
    std::vector<bool> touched;

    std::string text() const {
        std::string all;
        for (const std::string& l : lines) all += l + "\n";
        return all;
    }
    std::size_t count() const { return static_cast<std::size_t>(std::count(touched.begin(), touched.end(), true)); }
};

class generator {
public:
    explicit generator(unsigned seed) : random_(seed) {}

    unsigned below(std::size_t n) { return static_cast<unsigned>(random_() % n); }

    std::string document(int number) {
        static const char* const tails[] = {"",
                                            ",\"b\":[1,2,[3]]",
                                            ",\"b\":\"a text, with } and ] in it\"",
                                            ",\"b\":{\"c\":null,\"d\":[{}]}",
                                            ",\"b\":\"\\\"quoted\\\"\"",
                                            ",\"e\":-1.5e3",
                                            ",\"\xc3\xa4\":true"};
        return "{\"a\":" + std::to_string(number) + tails[below(std::size(tails))] + "}";
    }

    void damage(std::string& line) {
        const std::string before = line;
        do {
            line = before;
            const std::size_t at = below(line.size());
            switch (below(9)) {
                case 0: line.resize(at); break;                             // the end is missing
                case 1: line.erase(0, at); break;                           // the beginning is
                case 2: line.insert(at, "\""); break;                       // a string opens, or closes, too many
                case 3: line.erase(at, 1); break;                           // a byte is missing
                case 4: line[at] = "{}[]\",:0 \\"[below(11)]; break;        // is another
                case 5: line.insert(at, 1, "{}[]\",:\\"[below(8)]); break;  // is there twice
                case 6: line[at] = static_cast<char>(1 + below(255)); break;
                case 7: line = "1 " + line; break;
                case 8: line.insert(0, "\"\""); break;
            }
            line.erase(std::remove(line.begin(), line.end(), '\n'), line.end());
            while (!line.empty() && std::strchr(" \t\r", line.back()) != nullptr) line.pop_back();
            while (!line.empty() && std::strchr(" \t\r", line[0]) != nullptr) line.erase(0, 1);
        } while (valid_json(line) || line.empty() || line[0] == '\x1e');
    }

    damaged make(std::size_t lines, std::size_t percent, bool first = false) {
        damaged d;
        for (std::size_t i = 0; i < lines; ++i) {
            d.lines.push_back(document(static_cast<int>(i)));
            d.touched.push_back((first && i == 0) || below(100) < percent);
            if (d.touched.back()) damage(d.lines.back());
        }
        return d;
    }

private:
    std::mt19937 random_;
};

texts good(const damaged& d) {
    texts out;
    for (std::size_t i = 0; i < d.lines.size(); ++i)
        if (!d.touched[i]) out.push_back(d.lines[i]);
    return out;
}

// All documents that a scanner or a cutter finds.
texts documents(text_cutter& cut, std::size_t want) {
    texts out;
    for (;;) {
        piece p;
        context ctx;
        REQUIRE(cut.next(want, p, ctx) == errc::ok);
        if (p.text.empty()) return out;
        if (p.text_layout == layout::lines) {
            scanner s(layout::lines);
            span_of w;
            for (std::size_t at = 0; s.next(p.text, at, true, w, ctx) == scanner::found::document;)
                out.emplace_back(reinterpret_cast<const char*>(p.text.data()) + w.offset, w.length);
        }
        for (const span_of w : p.documents) out.emplace_back(reinterpret_cast<const char*>(p.text.data()) + w.offset, w.length);
    }
}

class drip final : public byte_source {
public:
    drip(std::string_view s, std::size_t n) : rest_(as_bytes(s)), n_(n) {}
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override {
        return rest_.read(to, std::min(room, n_), got, ctx);
    }
    std::uint64_t consumed() const noexcept override { return rest_.consumed(); }

private:
    memory_source rest_;
    std::size_t n_;
};

// In every way of cutting the same; the valid ones among them contain `want` in this order.
texts cut_everyway(const std::string& text, layout as = layout::automatic) {
    text_cutter at_hand(as_bytes(text), as, 1 << 20);
    const texts all = documents(at_hand, 1 << 20);
    for (const std::size_t size : {std::size_t{1}, std::size_t{40}, std::size_t{1} << 20}) {
        text_cutter again(as_bytes(text), as, 1 << 20);
        CHECK(documents(again, size) == all);
        for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 20}) {
            drip from(text, step);
            text_cutter streamed(from, as, 1 << 20);
            CHECK(documents(streamed, size) == all);
        }
    }
    return all;
}

bool holds(const texts& all, const texts& want) {
    auto at = all.begin();
    for (const std::string& w : want) {
        at = std::find(at, all.end(), w);
        if (at == all.end()) return false;
        ++at;
    }
    return true;
}

options how(unsigned jobs, policy p = policy::skip) { return {.jobs = jobs, .on_error = p, .out = form::ndjson}; }

}  // namespace

TEST_CASE("a damaged first line does not hide that these are lines") {
    for (const std::string first : {"\"\"a\":1}", "1 {\"a\":1}", "{\"a\":1}}", "{\"a\":[1", "{\"a\":\"x", "}", "[1,2",
                                    "[{\"a\":1}", "{\"a\":1} {\"a\":1}", "{\"a\":1,", "nope"}) {
        CAPTURE(first);
        const std::string text = first + "\n{\"a\":2}\n{\"a\":\"x\n{\"a\":4}\n{\"a\":5}\n";
        CHECK(sniff_layout(as_bytes(text), true) == layout::lines);
        CHECK(holds(cut_everyway(text), {"{\"a\":2}", "{\"a\":4}", "{\"a\":5}"}));
    }
}

TEST_CASE("lines damaged at random: every other one comes out") {
    for (unsigned seed = 0; seed < 1500; ++seed) {
        generator g(seed);
        const damaged d = g.make(3 + g.below(12), g.below(40), g.below(2) == 0);
        const std::string text = d.text();
        CAPTURE(seed);
        CAPTURE(text);
        if (2 * d.count() >= d.lines.size()) continue;
        const texts all = seed % 10 == 0 ? cut_everyway(text) : [&] {
            text_cutter cut(as_bytes(text), layout::automatic, 1 << 20);
            return documents(cut, 1 << 20);
        }();
        CHECK(all == d.lines);
    }
}

TEST_CASE("the same in files, pipes, gzip and Zips, whatever the number of threads") {
    for (unsigned seed = 0; seed < 12; ++seed) {
        generator g(seed);
        const damaged d = g.make(seed < 6 ? 5 + g.below(20) : 30000, 20, true);
        CAPTURE(seed);
        const std::string text = d.text();
        if (2 * d.count() >= d.lines.size()) continue;
        std::string want;
        for (const std::string& line : good(d)) want += "{\"d\":" + line + "}\n";
        archives::folder f;
        const std::string path = f.write("lines", text), packed = f.write("lines.gz", archives::gzip(text)),
                          zip = f.write("lines.zip", archives::zip({{"a", text}, {.name = "b", .content = text, .method = 0}})),
                          pipe = f.path() + "/pipe";
        REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
        for (const unsigned jobs : {1u, 3u}) {
            for (const std::string& in : {path, packed, zip}) {
                const auto e = archives::extract({in}, {"d=$:json"}, how(jobs));
                CHECK((e.text == (in == zip ? want + want : want)));
                CHECK(e.counters.bad == d.count() * (in == zip ? 2 : 1));
                CHECK(e.counters.documents == d.lines.size() * (in == zip ? 2 : 1));
            }
            for (const std::size_t step : {std::size_t{3}, std::size_t{1000}, text.size()}) {
                if (step == 3 && text.size() > 10000) continue;
                std::thread sender([&] {
                    const int fd = ::open(pipe.c_str(), O_WRONLY);
                    for (std::size_t at = 0; at < text.size();) {
                        const ssize_t n = ::write(fd, text.data() + at, std::min(step, text.size() - at));
                        if (n <= 0) break;
                        at += static_cast<std::size_t>(n);
                    }
                    ::close(fd);
                });
                const auto e = archives::extract({pipe}, {"d=$:json"}, how(jobs));
                sender.join();
                CHECK((e.text == want));
                CHECK(e.counters.bad == d.count());
            }
        }
    }
}

TEST_CASE("concatenated documents: behind a bad one reading goes on at the next line that begins a document") {
    std::size_t total = 0, lost = 0;
    for (unsigned seed = 0; seed < 1500; ++seed) {
        generator g(seed);
        // The first line decides for concatenated; what follows is damaged.
        damaged d = g.make(2 + g.below(10), g.below(60));
        const std::string text = "{} {}\n{} {}\n{} {}\n{} {}\n" + d.text();
        CAPTURE(seed);
        CAPTURE(text);
        const texts all = seed % 10 == 0 ? cut_everyway(text, layout::concatenated) : [&] {
            text_cutter cut(as_bytes(text), layout::concatenated, 1 << 20);
            return documents(cut, 1 << 20);
        }();
        // Two mistakes can make one document that is closed again; then what it swallowed is at least in the record
        // that is reported.
        for (const std::string& line : good(d)) {
            ++total;
            if (std::find(all.begin(), all.end(), line) != all.end()) continue;
            ++lost;
            CHECK(std::any_of(all.begin(), all.end(),
                              [&](const std::string& one) { return !valid_json(one) && one.find(line) != std::string::npos; }));
        }
    }
    CHECK(lost * 100 < total);
}

TEST_CASE("documents over several lines: a bad one ends before the next") {
    const texts bad = {"{\n  \"a\": \"x,\n  \"b\": [1]\n}", "{\n  \"a\": [1,\n  \"b\": 2\n}", "{\n  \"a\": {\n  \"b\": 2\n}",
                       "{\n  \"a\": \"\"\"\n}"};
    const std::string whole = "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [\n      {}\n    ]\n  }\n}";
    for (const std::string& b : bad) {
        CAPTURE(b);
        const std::string text = whole + "\n" + b + "\n" + whole + "\n" + b + "\n" + whole + "\n";
        CHECK(cut_everyway(text) == texts{whole, b, whole, b, whole});
        // The elements of an array, indented or not.
        for (const std::string indent : {"", "  "}) {
            const std::string x = indent + "{\"a\":1}", y = indent + "{\"a\":\"x}";
            const texts found = cut_everyway("[\n" + x + ",\n" + y + ",\n" + x + ",\n" + x + "\n]\n");
            CHECK(std::count(found.begin(), found.end(), "{\"a\":1}") == 3);
            CHECK(found.size() == 4);
        }
    }
}

TEST_CASE("lines inside a correct document are no documents") {
    const std::string geo = "{\"type\":\"x\",\"features\":[\n{\"p\":1},\n{\"p\":2},\n{\"p\":3}\n]}";
    CHECK(cut_everyway(geo + "\n") == texts{geo});
    CHECK(cut_everyway(geo + "\n" + geo + "\n") == texts{geo, geo});
    // A mistake in it spoils all of it, and nothing in it is taken for a row.
    std::string broken = geo;
    broken.replace(broken.find("\"x\""), 3, "tru");
    CHECK(cut_everyway(broken + "\n" + geo + "\n") == texts{broken, geo});
    const std::string unindented = "{\n\"a\":\n[\n1,\n2\n],\n\"b\":\n{\n}\n}";
    CHECK(cut_everyway(unindented + "\n" + unindented) == texts{unindented, unindented});
    // Longer than the window that is looked at.
    std::string longer = "{\"rows\":[\n";
    for (int i = 0; i < 20000; ++i) longer += "{\"p\":" + std::to_string(i) + "},\n";
    longer += "{}\n]}";
    CHECK(cut_everyway(longer + "\n{}\n") == texts{longer, "{}"});
}

TEST_CASE("damage costs a bounded number of looks at each byte") {
    // Strings that stay open, brackets that are never closed: each line could look to the end of the text. It does
    // not, or this test does not end.
    for (const std::string line : {"{\"a\":\"x\n", "{\"a\":[1,\n", "[1,\n", "{\"a\":[1\n", "{\"a\":{\"\n"}) {
        std::string text = "{} {}\n";
        while (text.size() < (8 << 20)) text += line;
        text_cutter cut(as_bytes(text), layout::concatenated, 1 << 30);
        CHECK(documents(cut, 1 << 20).size() > 1);
    }
}

TEST_CASE("local headers without an end cost a bounded number of looks at each byte") {
    // Stored, lengths said behind the data: each could be looked for to the end of the file. The second kind holds a
    // mark of such an end in every entry. Looked for so, they take minutes.
    const std::string header = std::string("PK\3\4\24\0\10\0\0\0", 10) + std::string(20, '\0');
    for (const std::string& entry : {header, header + "PK\7\10"}) {
        std::string file;
        while (file.size() < (8 << 20)) file += entry;
        zip_walk walk(as_bytes(file), {});
        std::size_t lost = 0, entries = 0;
        for (zip_entry e; walk.next(e); ++entries) lost += e.lost != nullptr;
        CHECK(entries >= file.size() / entry.size());
        CHECK(lost + 1 >= entries);  // the last may be cut off
    }
}

namespace {

// A Zip with entries of every kind, their rows in order, and how many rows are whole when the file ends at a byte.
struct sample_zip {
    std::string file;
    texts rows;
    std::vector<std::pair<std::size_t, std::size_t>> whole;  // from this length on so many rows

    explicit sample_zip(std::size_t lines) {
        std::vector<archives::member> members;
        for (const int kind : {0, 1, 2, 3, 4}) {
            archives::member m;
            m.name = "entry" + std::to_string(kind);
            m.method = kind == 1 || kind == 3 ? 0 : 8;
            m.descriptor = kind == 2 || kind == 3;
            m.wide = kind == 4;
            for (std::size_t i = 0; i < lines; ++i) {
                rows.push_back("{\"k\":" + std::to_string(kind) + ",\"i\":" + std::to_string(i * 7919) + "}");
                m.content += rows.back() + "\n";
            }
            members.push_back(m);
            file = archives::zip(members);
            whole.emplace_back(file.find("PK\1\2"), rows.size());
        }
    }
    std::size_t at_least(std::size_t length) const {
        std::size_t n = 0;
        for (const auto& [from, rows_then] : whole)
            if (length >= from) n = rows_then;
        return n;
    }
};

texts lines_of(const std::string& text) {
    texts out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        out.push_back(text.substr(at + 5, end - at - 6));  // without {"d": and }
        at = end + 1;
    }
    return out;
}

// The rows are among the true ones, in order.
bool true_rows(const texts& got, const texts& of) { return holds(of, got); }

}  // namespace

TEST_CASE("a Zip that is cut off anywhere: whole entries, the whole documents of the cut one, and what is lost by name") {
    const sample_zip small(4), large(3000);
    archives::folder f;
    std::mt19937 random(3);
    for (std::size_t i = 0; i < small.file.size() + 60; ++i) {
        const bool is_small = i < small.file.size();
        const sample_zip& z = is_small ? small : large;
        const std::size_t n = is_small ? i : random() % large.file.size();
        if (n < 30) continue;
        CAPTURE(n);
        const std::string path = f.write("cut.zip", z.file.substr(0, n));
        const auto e = archives::extract({path}, {"d=$:json"}, how(is_small ? 1 : 1 + i % 3));
        const texts got = lines_of(e.text);
        CHECK(
            (got == texts(z.rows.begin(), z.rows.begin() + static_cast<std::ptrdiff_t>(std::min(got.size(), z.rows.size())))));
        CHECK(got.size() >= z.at_least(n));
        REQUIRE(!e.reports.empty());
        CHECK(e.reports.back().about == report::scope::input);
        if (n < z.whole.back().first && n > 40 && z.at_least(n) != z.at_least(n - 40)) CHECK(e.reports.size() <= 2);
        // Under `stop` the run ends, and under `null` every report is a row.
        if (i % 17 != 0) continue;
        CHECK(archives::extract({path}, {"d=$:json"}, how(1, policy::stop)).failure.has_value());
        const auto nulls = archives::extract({path}, {"d=$:json"}, how(1, policy::null));
        CHECK(nulls.rows == e.rows + e.reports.size());
    }
}

TEST_CASE("a Zip with a changed byte gives true rows only, and loses none without a word") {
    const sample_zip z(5);
    archives::folder f;
    std::mt19937 random(5);
    for (int i = 0; i < 6000; ++i) {
        std::string broken = z.file;
        const std::size_t at = 4 + random() % (broken.size() - 4);
        broken[at] = static_cast<char>(broken[at] ^ (1 + random() % 255));
        if (i % 2 == 0) broken.resize(z.whole.back().first);  // and without its directory
        CAPTURE(at);
        const auto e = archives::extract({f.write("b.zip", broken)}, {"d=$:json"}, how(1));
        const texts got = lines_of(e.text);
        CHECK(true_rows(got, z.rows));
        if (got.size() != z.rows.size()) CHECK(!e.reports.empty());
    }
}

TEST_CASE("gzip that is cut off anywhere: the documents that end before the cut, and where it is; in a Zip as outside") {
    std::string text;
    texts rows;
    for (int i = 0; i < 60; ++i)
        text += (rows.emplace_back("{\"i\":" + std::to_string(i * 104729) + "}"), rows.back() + (i == 59 ? "" : "\n"));
    const std::string file = archives::gzip(text);
    archives::folder f;
    std::size_t before = 0;
    for (std::size_t n = 12; n < file.size(); ++n) {
        CAPTURE(n);
        const auto e = archives::extract({f.write("cut.gz", file.substr(0, n))}, {"d=$:json"}, how(1));
        const texts got = lines_of(e.text);
        CHECK(got == texts(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(got.size(), rows.size()))));
        CHECK(got.size() >= before);
        before = got.size();
        CHECK(e.reports.size() == 1);
        CHECK(e.reports[0].code == errc::truncated);
        CHECK(e.reports[0].message.find("no check sum proves them") != std::string::npos);
        const auto inside =
            archives::extract({f.write("in.zip", archives::zip({{"a.gz", file.substr(0, n), 0}}))}, {"d=$:json"}, how(1));
        CHECK(inside.text == e.text);
        CHECK(inside.reports.size() == 1);
    }
    CHECK(before == rows.size());  // without the last byte of its trailer all are there
    // A second member that is damaged does not cost the first.
    std::string two = file + archives::gzip("{\"i\":1}\n{\"i\":2}\n");
    two[file.size() + 14] = static_cast<char>(two[file.size() + 14] ^ 1);
    const auto e = archives::extract({f.write("two.gz", two)}, {"d=$:json"}, how(1));
    CHECK(lines_of(e.text) == rows);
    CHECK(e.reports.size() == 1);
}

TEST_CASE("gzip with a changed byte gives nothing of it, small or large") {
    std::string text;
    texts rows;
    for (int i = 0; i < 200; ++i) text += (rows.emplace_back("{\"i\":" + std::to_string(i * 104729) + "}"), rows.back() + "\n");
    const std::string file = archives::gzip(text);
    archives::folder f;
    std::mt19937 random(11);
    for (int i = 0; i < 1500; ++i) {
        std::string broken = file;
        const std::size_t at = 10 + random() % (broken.size() - 10);
        broken[at] = static_cast<char>(broken[at] ^ (1 + random() % 255));
        CAPTURE(at);
        const auto e = archives::extract({f.write("b.gz", broken)}, {"d=$:json"}, how(1));
        // What makes the stream look longer than the file is a cut to the reader, and its rows are only as good as
        // their bytes.
        REQUIRE(!e.reports.empty());
        if (e.reports.back().code == errc::truncated) continue;
        CHECK(e.text.empty());
        CHECK(e.reports.size() == 1);
    }
    std::string large;
    while (large.size() < (17 << 20)) large += text + std::to_string(large.size()) + "\n";
    const std::string packed = archives::gzip(large);
    for (const unsigned jobs : {1u, 3u}) {
        std::string broken = packed;
        broken[packed.size() - 6] = static_cast<char>(broken[packed.size() - 6] ^ 1);  // its check sum
        const auto e = archives::extract({f.write("l.gz", broken)}, {"d=$:json"}, how(jobs));
        CHECK(e.text.empty());
        CHECK(e.reports.size() == 1);
        const auto cut = archives::extract({f.write("l.gz", packed.substr(0, packed.size() - 8))}, {"d=$:json"}, how(jobs));
        CHECK(cut.rows == static_cast<std::uint64_t>(std::count(large.begin(), large.end(), '\n')));
        CHECK(cut.reports.size() == 1);
    }
}

TEST_CASE("an array that is broken between two elements: what stands before, and how much is not read") {
    archives::folder f;
    const auto said = [&](const std::string& text) {
        options how{.jobs = 1, .on_error = policy::skip, .out = form::csv};
        const auto e = archives::extract({f.write("x", text)}, {"a:json"}, how);
        REQUIRE(e.reports.size() == 1);
        return e.text + e.reports[0].text().substr(f.path().size() + 2);
    };
    CHECK(said("[{\"a\":1},\n{\"a\":2} {\"a\":3},{\"a\":4}]\n") ==
          "1\n2\n: byte 18 (line 2, column 9): a comma or the end of the top-level array was expected here; what follows is "
          "not read: 17 bytes");
    CHECK(said("[{\"a\":1},,{\"a\":2}]") ==
          "1\n: byte 9 (line 1, column 10): an element of the top-level array is missing here; what follows is not read: 9 "
          "bytes");
    CHECK(said("[{\"a\":1}]x") ==
          "1\n: byte 9 (line 1, column 10): what follows the top-level array is not read (several arrays are one to a line): 1 "
          "byte");
}
