// Zip archives: every shape that is read, and every damage that is refused, with what the refusal says.
#include "extract/zip.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "archives.hpp"
#include "extract/glob.hpp"
#include "extract/salvage.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;
using archives::member;

namespace {

bytes as_bytes(const std::string& s) { return {reinterpret_cast<const unsigned char*>(s.data()), s.size()}; }

errc open(const std::string& file, context& ctx) {
    zip_directory d;
    return d.open(as_bytes(file), ctx);
}

std::vector<std::string> names(const std::string& file) {
    zip_directory d;
    context ctx;
    REQUIRE(d.open(as_bytes(file), ctx) == errc::ok);
    std::vector<std::string> out;
    std::string room;
    while (!d.done()) out.emplace_back(zip_name(d.next(), room));
    return out;
}

archives::extracted from(const std::string& file, options how = {.jobs = 1, .on_error = policy::skip, .out = form::csv}) {
    archives::folder f;
    return archives::extract({f.write("x.zip", file)}, {"a:json"}, how);
}

const std::vector<member> two = {{"one.json", R"({"a":1})"}, {"deep/two.json", R"({"a": [2, "x"]})"}};
const std::string two_rows = "1\n\"[2, \"\"x\"\"]\"\n";

}  // namespace

TEST_CASE("deflated and stored entries, in directory order") {
    CHECK(from(archives::zip(two)).text == two_rows);
    for (const int method : {0, 93}) {
        auto other = two;
        other[0].method = method;
        CHECK(from(archives::zip(other)).text == two_rows);
    }
    CHECK(names(archives::zip(two)) == std::vector<std::string>{"one.json", "deep/two.json"});
}

TEST_CASE("zip64 sizes, offsets and end records") {
    auto wide = two;
    wide[1].wide = true;
    CHECK(from(archives::zip(wide)).text == two_rows);
    CHECK(from(archives::zip(wide, {.wide = true})).text == two_rows);
    CHECK(from(archives::zip(two, {.prefix = "#!stub\n", .wide = true})).text == two_rows);
}

TEST_CASE("data descriptors") {
    auto m = two;
    m[0].descriptor = m[1].descriptor = true;
    CHECK(from(archives::zip(m)).text == two_rows);
}

TEST_CASE("comments, also one that looks like an end record") {
    CHECK(from(archives::zip(two, {.comment = "hello"})).text == two_rows);
    std::string trap = "PK\5\6";
    trap += std::string(30, 'x');
    CHECK(from(archives::zip(two, {.comment = trap})).text == two_rows);
    CHECK(from(archives::zip(two, {.comment = std::string(65535, 'c')})).text == two_rows);
}

TEST_CASE("a prefix, counted in the offsets or not, and bytes behind") {
    const std::string stub = "#!/bin/sh\nexec unzip \"$0\"\n" + std::string(5000, '#');
    CHECK(from(archives::zip(two, {.prefix = stub})).text == two_rows);
    CHECK(from(archives::zip(two, {.prefix = stub, .prefix_counted = true})).text == two_rows);
    CHECK(from(archives::zip(two, {.behind = "\r\n"})).text == two_rows);
    // Large enough to be mapped rather than read.
    CHECK(from(archives::zip(two, {.prefix = "#!/bin/sh\n" + std::string(300000, '#')})).text == two_rows);
}

TEST_CASE("entries out of file order are read, entries that share bytes are not") {
    const std::string file = archives::zip(two);
    auto swapped = two;
    // The directory lists the second local header first.
    const std::size_t second = file.find("PK\3\4", 4);
    swapped[0].header = second;
    swapped[1].header = 0;
    swapped[0].name = "deep/two.json", swapped[1].name = "one.json";
    std::string mixed = archives::zip(two);
    {
        // Swap the two records of a correct archive.
        const std::size_t first_record = mixed.find("PK\1\2"), second_record = mixed.find("PK\1\2", first_record + 4),
                          end = mixed.find("PK\5\6");
        const std::string a = mixed.substr(first_record, second_record - first_record),
                          b = mixed.substr(second_record, end - second_record);
        mixed = mixed.substr(0, first_record) + b + a + mixed.substr(end);
    }
    CHECK(names(mixed) == std::vector<std::string>{"deep/two.json", "one.json"});
    CHECK(from(mixed).text == "\"[2, \"\"x\"\"]\"\n1\n");

    auto shared = two;
    shared[1].header = 0;
    context ctx;
    CHECK(open(archives::zip(shared), ctx) == errc::syntax);
    CHECK(std::string(ctx.failure.what).find("share the same bytes") != std::string::npos);
}

TEST_CASE("names: UTF-8 with and without its flag, CP437") {
    std::vector<member> m = {
        {"\xe3\x83\x86.json", R"({"a":1})"}, {"\xe3\x83\x86.json", R"({"a":2})"}, {"caf\x82\xe1.json", R"({"a":3})"}};
    m[1].flags = m[2].flags = 0;
    CHECK(names(archives::zip(m)) ==
          std::vector<std::string>{"\xe3\x83\x86.json", "\xe3\x83\x86.json", "caf\xc3\xa9\xc3\x9f.json"});
    archives::folder f;
    const auto e = archives::extract({f.write("n.zip", archives::zip(m))}, {"a:json"}, {.jobs = 1, .out = form::csv}, true);
    CHECK(e.text.find("caf\xc3\xa9\xc3\x9f.json,0\n") != std::string::npos);
}

TEST_CASE("what holds no data is left out") {
    const std::vector<member> m = {{"folder/", ""},          {"__MACOSX/._one.json", "junk"},
                                   {"x/._one.json", "junk"}, {"x/.DS_Store", "junk"},
                                   {"empty.json", ""},       {"one.json", R"({"a":1})"}};
    const auto e = from(archives::zip(m));
    CHECK(e.text == "1\n");
    CHECK(e.reports.empty());
}

TEST_CASE("an empty archive has no rows and no faults") {
    const auto e = from(archives::zip({}));
    CHECK(e.rows == 0);
    CHECK(e.reports.empty());
}

TEST_CASE("only entries that match") {
    options how{.jobs = 1, .on_error = policy::skip, .out = form::csv};
    how.read.match = {"*.json"};
    const std::vector<member> m = {{"a.json", R"({"a":1})"}, {"x/b.json", R"({"a":2})"}, {"x/c.txt", "not json"}};
    CHECK(from(archives::zip(m), how).text == "1\n2\n");
    how.read.match = {"x/*.json", "*.none"};
    CHECK(from(archives::zip(m), how).text == "2\n");
}

TEST_CASE("encrypted entries and unknown methods name the entry; the others are read") {
    struct {
        int method, flags;
        const char* says;
    } const cases[] = {{8, 1, "encrypted"}, {0, 0x41, "encrypted"}, {20, 0, "unknown"}, {1, 0, "Shrink"},
                       {6, 0, "Implode"},   {99, 1, "encrypted"},   {77, 0, "unknown"}};
    for (const auto& c : cases) {
        CAPTURE(c.method);
        auto m = two;
        m[0].method = c.method;
        m[0].flags = c.flags;
        const auto e = from(archives::zip(m));
        CHECK(e.text == "\"[2, \"\"x\"\"]\"\n");
        REQUIRE(e.reports.size() == 1);
        const report& r = e.reports[0];
        CHECK(r.code == errc::unsupported);
        CHECK(r.about == report::scope::entry);
        CHECK(r.entry == "one.json");
        CHECK(r.offset == 0);
        CHECK(r.message.find(c.says) != std::string::npos);
        CHECK(r.text().find("x.zip: one.json: byte 0 of the archive: ") != std::string::npos);
    }
}

TEST_CASE("an entry of AES's method that is not marked as encrypted is refused, with a directory and without") {
    // The second version of AES has no CRC-32, so what is in it would go out unchecked.
    for (const char version : {'\1', '\2'})
        for (const char below : {'\0', '\10'}) {
            auto m = two;
            m[0].method = zip_entry::aes;
            m[0].packed = m[0].content;
            m[0].extra = std::string("\x01\x99\7\0", 4) + version + '\0' + "AE\3" + below + '\0';
            std::string file = archives::zip(m);
            const auto e = from(file);
            CHECK(e.text == "\"[2, \"\"x\"\"]\"\n");
            REQUIRE(e.reports.size() == 1);
            CHECK(e.reports[0].code == errc::syntax);
            CHECK(e.reports[0].entry == "one.json");
            CHECK(e.reports[0].message.find("not marked") != std::string::npos);
            // No directory, and none of an archive behind its data.
            const std::string alone = file.substr(0, file.find("PK\3\4", 1)) + std::string(60, 'x');
            CHECK(from(alone).text.empty());
            zip_walk walk(as_bytes(alone), {});
            zip_entry entry;
            REQUIRE(walk.next(entry));
            CHECK(entry.lost != nullptr);
        }
}

TEST_CASE("checksums and sizes must be those that were announced") {
    const auto check = [](member m, errc code, const char* says) {
        const auto e = from(archives::zip({m, two[1]}));
        CHECK(e.text == "\"[2, \"\"x\"\"]\"\n");
        REQUIRE(e.reports.size() == 1);
        CHECK(e.reports[0].code == code);
        CHECK(e.reports[0].entry == m.name);
        INFO(e.reports[0].message);
        CHECK(e.reports[0].message.find(says) != std::string::npos);
    };
    member m = two[0];
    m.crc = 1;
    check(m, errc::syntax, "checksum");
    m.method = 0;
    check(m, errc::syntax, "checksum");
    m = two[0];
    m.size = 6;
    check(m, errc::syntax, "more than the archive says");
    m.size = 8;
    check(m, errc::truncated, "less than the archive says");
    m.size = 5000;
    check(m, errc::truncated, "less than the archive says");
    m.method = 0;
    check(m, errc::syntax, "two different sizes");
    m = two[0];
    m.packed = archives::deflate(m.content) + "x";
    check(m, errc::syntax, "not as long as the archive says");
    m.packed = archives::deflate(m.content).substr(0, 5);
    check(m, errc::syntax, "");
    m.packed = std::string("\7\7\7\7\7", 5);
    check(m, errc::syntax, "damaged");
}

TEST_CASE("bombs: the ratio beyond a floor, the size limit") {
    member m{"bomb.json", std::string(20 << 20, ' ')};
    options low{.jobs = 1, .on_error = policy::skip, .out = form::csv};
    low.read.allowed.ratio = 500;
    auto e = from(archives::zip({m, two[0]}), low);
    CHECK(e.text == "1\n");
    REQUIRE(e.reports.size() == 1);
    CHECK(e.reports[0].code == errc::size);
    CHECK(e.reports[0].message.find("ratio") != std::string::npos);
    CHECK(e.reports[0].entry == "bomb.json");

    options how{.jobs = 1, .on_error = policy::skip, .out = form::csv};
    how.read.allowed.size = 1000;
    e = from(archives::zip({{"large.json", "{\"a\":\"" + std::string(2000, 'x') + "\"}"}, two[0]}), how);
    CHECK(e.text == "1\n");
    REQUIRE(e.reports.size() == 1);
    CHECK(e.reports[0].code == errc::size);
    CHECK(e.reports[0].message.find("size limit") != std::string::npos);

    // The size that is said does not protect: what comes out is measured.
    m.size = 100;
    e = from(archives::zip({m}));
    REQUIRE(e.reports.size() == 1);
    CHECK(e.reports[0].message.find("more than the archive says") != std::string::npos);
}

TEST_CASE("an archive in an archive is refused by name") {
    const auto e = from(archives::zip({{"inner.zip", archives::zip(two), 0}, two[0]}));
    CHECK(e.text == "1\n");
    REQUIRE(e.reports.size() == 1);
    CHECK(e.reports[0].code == errc::unsupported);
    CHECK(e.reports[0].entry == "inner.zip");
}

TEST_CASE("gzip inside of a Zip is expanded, once") {
    CHECK(from(archives::zip({{"a.json.gz", archives::gzip(R"({"a":5})"), 0}})).text == "5\n");
    CHECK(from(archives::zip({{"a.json.gz", archives::gzip("{\"a\":5}\n{\"a\":6}")}})).text == "5\n6\n");
    const auto e = from(archives::zip({{"a.gz", archives::gzip(archives::gzip("{}"))}}));
    REQUIRE(e.reports.size() == 1);
    CHECK(e.reports[0].code == errc::unsupported);
}

TEST_CASE("every cut of an archive is said, behind the entries that are whole") {
    const std::string file = archives::zip(two);
    const std::size_t second = file.find("PK\3\4", 4), directory = file.find("PK\1\2");
    for (std::size_t n = 4; n < file.size(); ++n) {
        CAPTURE(n);
        const auto e = from(file.substr(0, n));
        REQUIRE(e.reports.size() >= 1);
        CHECK(e.reports.back().about == report::scope::input);
        CHECK(two_rows.compare(0, e.text.size(), e.text) == 0);
        CHECK(e.rows == (n >= second ? 1 : 0) + (n >= directory ? 1 : 0));
    }
}

TEST_CASE("any byte changed: refused, or read as something in bounds") {
    // Under a sanitizer this proves the bounds checks; without one, that nothing hangs or crashes.
    std::mt19937 random(7);
    auto members = two;
    members[1].wide = true;
    for (const bool wide : {false, true}) {
        const std::string file = archives::zip(members, {.prefix = "stub", .wide = wide});
        for (std::size_t at = 0; at < file.size(); ++at) {
            for (int i = 0; i < 6; ++i) {
                std::string broken = file;
                broken[at] = static_cast<char>(i == 0 ? 0xff : i == 1 ? 0 : random());
                zip_directory d;
                context ctx;
                // A buffer of the exact size, so that one byte too far is outside.
                const std::vector<unsigned char> exact(broken.begin(), broken.end());
                if (d.open(exact, ctx) != errc::ok) {
                    CHECK(ctx.failure.what[0] != 0);
                    continue;
                }
                while (!d.done()) {
                    const zip_entry e = d.next();
                    bytes data;
                    context c;
                    if (zip_data(exact, d.begin(), e, false, data, c) != errc::ok) continue;
                    CHECK(data.data() >= exact.data());
                    CHECK(data.data() + data.size() <= exact.data() + exact.size());
                }
            }
        }
    }
}

TEST_CASE("globs") {
    const auto yes = [](const char* p, const char* s) { return glob_matches(p, s); };
    CHECK(yes("*.json", "a.json"));
    CHECK(yes("*.json", "x/y/a.json"));
    CHECK_FALSE(yes("*.json", "a.jsonx"));
    CHECK(yes("x/*.json", "x/a.json"));
    CHECK_FALSE(yes("x/*.json", "x/y/a.json"));
    CHECK_FALSE(yes("x/*.json", "y/x/a.json"));
    CHECK(yes("x/**/*.json", "x/a.json"));
    CHECK(yes("x/**/*.json", "x/y/z/a.json"));
    CHECK_FALSE(yes("x/**/*.json", "x/y/z/a.txt"));
    CHECK(yes("**/a.json", "a.json"));
    CHECK(yes("**/a.json", "x/y/a.json"));
    CHECK_FALSE(yes("**/a.json", "x/ya.json"));
    CHECK(yes("**", "x/y"));
    CHECK(yes("x/**", "x/y/z"));
    CHECK_FALSE(yes("x/**", "y/z"));
    CHECK(yes("a?c", "abc"));
    CHECK(yes("a?c",
              "a\xc3\xa9"
              "c"));
    CHECK_FALSE(yes("x/a?c", "x/a/c"));
    CHECK(yes("[a-c]x", "bx"));
    CHECK_FALSE(yes("[a-c]x", "dx"));
    CHECK(yes("[!a-c]x", "dx"));
    CHECK(yes("[^a-c]x", "dx"));
    CHECK(yes("[]]x", "]x"));
    CHECK(yes("[", "["));
    CHECK(yes("[ab", "[ab"));
    CHECK(yes("\\*", "*"));
    CHECK_FALSE(yes("\\*", "x"));
    CHECK(yes("*a*b*c*", "xxaxxbxxcxx"));
    CHECK_FALSE(yes("*a*b*c*", "xxaxxcxxbxx"));
    CHECK(yes("", ""));
    CHECK_FALSE(yes("", "x"));
    // No exponential time.
    const std::string long_text(20000, 'a');
    CHECK_FALSE(glob_matches("*a*a*a*a*a*a*a*a*a*a*b", long_text));
    CHECK_FALSE(glob_matches("**a**a**a**a**a**b", long_text));
    CHECK(glob_any({}, "anything"));
    CHECK_FALSE(glob_any({"*.a", "*.b"}, "x.c"));
    CHECK(glob_any({"*.a", "*.b"}, "x.b"));
}

TEST_CASE("the entries of a large archive in an archive count together, as those of a small one") {
    // Every entry by itself keeps to the ratio; all together they do not.
    const std::string spaces = std::string("{\"a\":1}") + std::string(12 << 20, ' ');
    const std::string tail(std::size_t{17} << 20, 'x');  // what makes it large
    for (const bool walked : {false, true}) {
        std::vector<member> inner{{"tail", tail, 0}};
        for (int i = 0; i < 4; ++i) inner.push_back({std::to_string(i) + ".json", spaces});
        options how{.jobs = 1, .on_error = policy::skip, .out = form::csv};
        how.read.nested = 1;
        how.read.match = {"*.json", "**/*.json"};
        how.read.allowed.ratio = 2;
        std::string large = archives::zip(inner);
        if (walked) large.resize(large.size() - 8);  // no end record: the entries are found one after the other
        const std::string file = archives::zip({{"inner.zip", large, 0}, {"z.json", "{\"a\":2}", 0}});
        const auto e = from(file, how);
        CHECK(e.text == "1\n1\n2\n");
        const std::size_t damaged = walked ? 1 : 0;
        REQUIRE(e.reports.size() == 2 + damaged);
        for (std::size_t i = 0; i < 2; ++i) {
            CHECK(e.reports[i].code == errc::size);
            CHECK(e.reports[i].message.find("expand beyond the allowed ratio") != std::string::npos);
            CHECK(e.reports[i].entry == "inner.zip/" + std::to_string(i + 2) + ".json");
        }
        how.read.allowed.ratio = 1000;
        CHECK(from(file, how).rows == 5);
    }
}

TEST_CASE("what is packed in archives in archives counts as their entries do") {
    // Every member by itself keeps to the ratio; all together they do not.
    const std::string packed = archives::gzip(std::string("{\"a\":1}") + std::string(10 << 20, ' '));
    std::vector<member> inner;
    for (int i = 0; i < 40; ++i) inner.push_back({std::to_string(i) + ".json.gz", packed, 0});
    options how{.jobs = 1, .on_error = policy::skip, .out = form::csv};
    how.read.nested = 1;
    how.read.allowed.ratio = 200;
    const std::string file = archives::zip({{"inner.zip", archives::zip(inner), 0}, {"z.json", "{\"a\":2}"}});
    const auto e = from(file, how);
    CHECK(e.rows > 1);
    CHECK(e.rows < 20);
    CHECK(e.text.ends_with("\n2\n"));
    REQUIRE(e.reports.size() == 41 - e.rows);
    for (const report& r : e.reports) CHECK(r.message.find("expand beyond the allowed ratio") != std::string::npos);
    how.read.allowed.ratio = 1000;
    how.read.allowed.floor = std::uint64_t{1} << 30;
    CHECK(from(file, how).rows == 41);
}
