// What an input is, by its content; folders; and every kind of input through a whole run, from files and from pipes.
#include "extract/input.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "archives.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;
using namespace std::string_literals;

namespace {

bytes as_bytes(const std::string& s) { return {reinterpret_cast<const unsigned char*>(s.data()), s.size()}; }

const options csv{.jobs = 1, .on_error = policy::skip, .out = form::csv};

// Everything through a pipe, written by a thread that gives up when the reader does.
archives::extracted piped(const std::string& content, const std::vector<std::string>& fields = {"a:json"}, options how = csv) {
    archives::folder f;
    const std::string name = f.path() + "/pipe";
    REQUIRE(mkfifo(name.c_str(), 0600) == 0);
    std::thread writer([&] {
        const int fd = open(name.c_str(), O_WRONLY);
        for (std::size_t at = 0; at < content.size();) {
            const ssize_t n = write(fd, content.data() + at, std::min<std::size_t>(content.size() - at, 30000));
            if (n <= 0) break;
            at += static_cast<std::size_t>(n);
        }
        close(fd);
    });
    const auto e = archives::extract({name}, fields, how);
    writer.join();
    return e;
}

archives::extracted filed(const std::string& content, const std::string& name = "x.dat") {
    archives::folder f;
    return archives::extract({f.write(name, content)});
}

}  // namespace

TEST_CASE("content is recognised by its first bytes") {
    const char* why = nullptr;
    const auto is = [&](const std::string& s) { return sniff_file(as_bytes(s), why); };
    CHECK(is("") == content::text);
    CHECK(is("{}") == content::text);
    CHECK(is("not json") == content::text);
    CHECK(is("PK\3\4....") == content::zip);
    CHECK(is("PK\5\6"s + std::string(18, 0)) == content::zip);
    CHECK(is("MZ the program"s + archives::zip({{"a", "{}"}})) == content::zip);
    CHECK(is("\x1f\x8b\x08") == content::gzip);
    CHECK(is("\x28\xb5\x2f\xfd") == content::zstd);
    CHECK(is("\x04\x22\x4d\x18") == content::lz4);
    CHECK(is("\xfd"s + "7zXZ\0"s) == content::xz);
    CHECK(is("BZh9") == content::bzip2);
    CHECK(is("BZhello") == content::text);
    CHECK(is("a"s + std::string(256, 0) + "ustar\0"s + std::string(249, 0)) == content::tar);
    CHECK(is("{" + std::string(256, 'x') + "ustar" + std::string(250, 'x')) == content::text);
    CHECK(is("\x50\x2a\x4d\x18\1\0\0\0x"s + archives::zstd("{}")) == content::zstd);
    CHECK(is("\x5f\x2a\x4d\x18\1\0\0\0x"s + archives::lz4("{}")) == content::lz4);
    struct {
        std::string head;
        const char* says;
    } const refused[] = {{"7z\xbc\xaf\x27\x1c", "7z"}, {"Rar!\x1a\x07", "RAR"},     {"\xff\xfe{\0"s, "UTF-16"},
                         {"\xfe\xff\0{"s, "UTF-16"},   {"\x02\x21\x4c\x18", "LZ4"}, {"PAR1", "Parquet"}};
    for (const auto& r : refused) {
        CHECK(is(r.head) == content::other);
        CHECK(std::string(why).find(r.says) != std::string::npos);
        // Refused with that sentence whether small, large, or through a pipe.
        for (const auto& e : {filed(r.head), filed(r.head + std::string(300000, 'x')), piped(r.head)}) {
            REQUIRE(e.reports.size() == 1);
            CHECK(e.reports[0].code == errc::unsupported);
            CHECK(e.reports[0].message == why);
        }
    }
}

TEST_CASE("every layout, small, mapped, streamed, in gzip, zstd and lz4, in a Zip") {
    struct {
        const char* name;
        std::string head, tail, between;
        std::string (*document)(int);
    } const layouts[] = {
        {"lines", "", "\n", "\n", [](int i) { return "{\"a\":" + std::to_string(i) + "}"; }},
        {"crlf", "\xef\xbb\xbf", "\r\n\r\n", "\r\n", [](int i) { return "{\"a\":" + std::to_string(i) + "}"; }},
        {"array", " [ ", " ]\n", ", ", [](int i) { return "{\"a\":" + std::to_string(i) + "}"; }},
        {"pretty", "", "\n", "\n", [](int i) { return "{\n  \"b\": [{}, \"}\"],\n  \"a\": " + std::to_string(i) + "\n}"; }},
        {"concatenated", "", "", "", [](int i) { return "{\"a\":" + std::to_string(i) + "}"; }},
    };
    for (const auto& l : layouts) {
        for (const int n : {1, 2, 1000, 200000}) {
            CAPTURE(l.name);
            CAPTURE(n);
            std::string text = l.head, want;
            for (int i = 0; i < n; ++i) {
                text += (i == 0 ? "" : l.between) + l.document(i);
                want += std::to_string(i) + "\n";
            }
            text += l.tail;
            const auto same = [&](const archives::extracted& e) {
                CHECK(e.reports.empty());
                CHECK(e.rows == static_cast<std::uint64_t>(n));
                CHECK((e.text == want));
                CHECK(e.counters.documents == static_cast<std::uint64_t>(n));
            };
            same(filed(text));
            same(piped(text));
            same(filed(archives::gzip(text)));
            same(piped(archives::gzip(text)));
            same(filed(archives::zstd(text)));
            same(piped(archives::zstd(text)));
            same(filed(archives::lz4(text)));
            same(piped(archives::lz4(text)));
            same(filed(archives::zip({{"x", text}})));
            same(piped(archives::zip({{"x", text, 0}})));
            same(filed(archives::zip({{"x", archives::gzip(text)}})));
            same(filed(archives::zip({{"x", text, 93}})));
            same(filed(archives::zip({{"x", archives::zstd(text), 0}})));
            same(filed(archives::zip({{"x", archives::lz4(text)}})));
            same(filed(archives::zip({{"x", archives::gzip(text), 93}})));
        }
    }
}

TEST_CASE("a large entry is streamed, and its checksum still counts") {
    std::string text, want;
    for (int i = 0; text.size() < (17 << 20); ++i) {
        text += "{\"a\":" + std::to_string(i) + ",\"pad\":\"" + std::to_string(i * 7919LL) + "\"}\n";
        want += std::to_string(i) + "\n";
    }
    archives::folder f;
    for (const int method : {0, 8}) {
        const auto e = archives::extract(
            {f.write("l.zip", archives::zip({{"small", "{\"a\":-1}"}, {"l", text, method}, {"s", "{\"a\":-2}"}}))});
        CHECK((e.text == "-1\n" + want + "-2\n"));
        CHECK(e.reports.empty());
        const auto bad = archives::extract({f.write(
            "b.zip", archives::zip({{.name = "l", .content = text, .method = method, .crc = 5}, {"s", "{\"a\":-2}"}}))});
        CHECK(bad.text == "-2\n");  // as of a small one: nothing says how much of it is wrong
        REQUIRE(bad.reports.size() == 1);
        CHECK(bad.reports[0].message.find("checksum") != std::string::npos);
        CHECK(bad.reports[0].entry == "l");
    }
}

TEST_CASE("loose files in their thousands, in order, empty ones and all") {
    archives::folder f;
    std::vector<std::string> paths;
    std::string want;
    for (int i = 0; i < 3000; ++i) {
        const bool empty = i % 100 == 7;
        paths.push_back(f.write("d/" + std::to_string(i) + ".json", empty ? "" : "{\"a\":" + std::to_string(i) + "}"));
        if (!empty) want += std::to_string(i) + "\n";
        if (i == 1500) {
            // One that is large, among the small.
            std::string text;
            for (int k = 0; k < 50000; ++k) text += "{\"a\":-1}\n", want += "-1\n";
            paths.push_back(f.write("d/large.json", text));
        }
        if (i == 2000) {
            paths.push_back(f.write("d/zip.json", archives::zip({{"x", "{\"a\":-2}"}})));
            want += "-2\n";
        }
    }
    for (const unsigned jobs : {1u, 2u, 5u}) {
        const auto e = archives::extract(paths, {"a:json"}, {.jobs = jobs, .out = form::csv});
        CHECK((e.text == want));
        CHECK(e.counters.bytes == e.counters.total);
    }
    std::error_code ignored;
    std::filesystem::remove(paths[5], ignored);
    const auto gone = archives::extract(paths);
    REQUIRE(gone.reports.size() == 1);
    CHECK(gone.reports[0].archive == paths[5]);
    CHECK(gone.reports[0].code == errc::host);
    CHECK(gone.reports[0].message.find("No such file") != std::string::npos);
}

TEST_CASE("folders: sorted, recursive, filtered; what is hidden stays so") {
    archives::folder f;
    f.write("b.json", "{\"a\":2}");
    f.write("a/z.json", "{\"a\":1}");
    f.write("c/d/e.json", "{\"a\":3}");
    f.write("c/d/e.txt", "{\"a\":4}");
    f.write(".hidden/x.json", "{\"a\":5}");
    f.write("c/.hidden.json", "{\"a\":6}");
    f.write("__MACOSX/._b.json", "fork");
    std::filesystem::create_symlink("b.json", f.path() + "/link.json");
    std::filesystem::create_directory_symlink(f.path(), f.path() + "/c/ring");
    CHECK(archives::extract({f.path()}).text == "1\n2\n3\n4\n");
    CHECK(archives::extract({f.path() + "/"}).text == "1\n2\n3\n4\n");
    options how = csv;
    how.read.match = {"c/**/*.json"};
    CHECK(archives::extract({f.path()}, {"a:json"}, how).text == "3\n");
    // A file that is named is read, whatever the pattern.
    CHECK(archives::extract({f.path() + "/b.json"}, {"a:json"}, how).text == "2\n");
}

TEST_CASE("what in a folder is no file is said; links are read where they are named") {
    archives::folder f;
    f.write("a/good.json", "{\"a\":1}");
    f.write("elsewhere/b.json", "{\"a\":2}");
    std::filesystem::create_symlink("none.json", f.path() + "/a/dangling.json");
    std::filesystem::create_symlink("good.json", f.path() + "/a/again.json");
    std::filesystem::create_symlink("self", f.path() + "/a/self");
    std::filesystem::create_directory_symlink(f.path(), f.path() + "/a/ring");
    std::filesystem::create_directory_symlink(f.path() + "/elsewhere", f.path() + "/a/out");
    REQUIRE(mkfifo((f.path() + "/a/fifo").c_str(), 0600) == 0);
    const auto e = archives::extract({f.path()});
    CHECK(e.text == "1\n2\n");
    CHECK(e.reports.empty());
    REQUIRE(e.notes.size() == 2);
    CHECK(e.notes[0].find("/a/fifo is passed over: it is a pipe") != std::string::npos);
    CHECK(e.notes[1].find("/a/again.json and 4 other links are passed over") != std::string::npos);
    CHECK(archives::extract({f.path() + "/a/again.json", f.path() + "/a/out"}).text == "1\n2\n");
    CHECK(archives::extract({f.path() + "/a/ring"}).text == "1\n2\n");
    const auto nowhere = archives::extract({f.path() + "/a/dangling.json", f.path() + "/a/self"});
    REQUIRE(nowhere.reports.size() == 2);
    CHECK(nowhere.reports[0].code == errc::host);
    // What the pattern leaves out is nobody's loss, but what is in a folder may match.
    options how = csv;
    how.read.match = {"good*"};
    const auto good = archives::extract({f.path()}, {"a:json"}, how);
    CHECK(good.reports.empty());
    CHECK(good.text == "1\n");
    REQUIRE(good.notes.size() == 1);
    CHECK(good.notes[0].find("/a/out and 1 other link are passed over") != std::string::npos);
    // Where nothing else is there, the error says why.
    how.read.match = {"again*"};
    const auto none = archives::extract({f.path()}, {"a:json"}, how);
    REQUIRE(none.reports.size() == 1);
    CHECK(none.reports[0].message.find("/a/again.json and 2 other links are passed over") != std::string::npos);
}

TEST_CASE("inputs that cannot be read are reported, the others are read") {
    archives::folder f;
    const std::string good = f.write("good.json", "{\"a\":1}");
    const auto e = archives::extract({f.path() + "/none.json", good, good + "/x"});
    CHECK(e.text == "1\n");
    REQUIRE(e.reports.size() == 2);
    CHECK(e.reports[0].message == "the input cannot be opened: No such file or directory");
    CHECK(e.reports[1].about == report::scope::input);
    CHECK(archives::extract({}).rows == 0);
}

TEST_CASE("a pipe that is silent does not keep a run from being cancelled") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const std::string name = "/proc/self/fd/" + std::to_string(ends[0]);
    for (const unsigned jobs : {1u, 2u}) {
        run r({name}, {.jobs = jobs, .out = form::csv});
        REQUIRE(r.start(archives::columns({"a:json"})) == errc::ok);
        result got;
        CHECK(r.next(got, std::chrono::milliseconds(20)) == progress::waiting);
        r.cancel();
        CHECK(r.next(got) == false);
    }
    close(ends[0]);
    close(ends[1]);
}
