// tar: what no program writes (hosts/python/test/tar_test.py has what programs do).
#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "archives.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

std::string tar_file(const std::string& name, const std::string& content) {
    std::string head(512, '\0');
    head.replace(0, name.size(), name);
    char digits[16];
    const auto put = [&](std::size_t at, int width, std::uint64_t v) {
        std::snprintf(digits, sizeof digits, "%0*llo", width - 1, static_cast<unsigned long long>(v));
        head.replace(at, static_cast<std::size_t>(width - 1), digits);
    };
    put(100, 8, 0644);
    put(124, 12, content.size());
    put(136, 12, 0);
    head[156] = '0';
    head.replace(257, 8,
                 std::string("ustar\0"
                             "00",
                             8));
    head.replace(148, 8, "        ");
    std::uint64_t sum = 0;
    for (const char c : head) sum += static_cast<unsigned char>(c);
    put(148, 7, sum);
    return head + content + std::string((512 - content.size() % 512) % 512, '\0');
}

}  // namespace

TEST_CASE("a file without a name is read alike as a small input and as a large one, where no pattern asks for a name") {
    archives::folder f;
    for (const std::size_t pad : {0, 3 << 20}) {
        CAPTURE(pad);
        // A tar is known by the name of its first file.
        const std::string tar =
            tar_file("b.json", "{\"a\":1}" + std::string(pad, ' ')) + tar_file("", "{\"a\":2}") + std::string(1024, '\0');
        const std::string gz = f.write("x.tar.gz", archives::gzip(tar)), path = f.write("x.tar", tar);
        for (const std::string& one : {path, gz}) {
            options how{.jobs = 1, .on_error = policy::skip, .out = form::csv};
            const auto all = archives::extract({one}, {"a:json"}, how);
            CHECK(all.text == "1\n2\n");
            CHECK(all.reports.empty());
            how.read.match = {"*.json"};
            CHECK(archives::extract({one}, {"a:json"}, how).text == "1\n");
        }
    }
}
