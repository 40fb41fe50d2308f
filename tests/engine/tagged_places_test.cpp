// A tape of tagged with places: every value's own bytes, where names are numbers too.
#include <doctest/doctest.h>

#include <string>

#include "engine/tagged/reader.hpp"
#include "engine/tagged/writer.hpp"
#include "engine/tape/cursor.hpp"
#include "engine/tape/tape.hpp"
#include "tests/engine/helpers.hpp"

using namespace kumihimo;
using namespace helpers;

namespace {

std::string row(int i) {
    std::string lines = "map\n";
    for (int k = 0; k < 70; ++k) lines += "key \"name" + std::to_string(k) + "\"\ni64 " + std::to_string(i * 1000 + k) + "\n";
    return lines + "key \"text\"\nstr \"" + std::string(300, 'x') + "\"\nkey \"bin\"\nbin 0x00ff\nkey\ni64 5\nnull\nend\n";
}

}  // namespace

TEST_CASE("a value's own bytes, behind a mark, are that value") {
    std::string lines = "array\nmap\nend\nmap\nend\nmap\nend\n";
    for (int i = 0; i < 3; ++i) lines += row(i);
    const std::string document = write<tagged::writer>(lines + "end\n", tagged::safe);
    REQUIRE(document.find('\xf0') != std::string::npos);  // a name by a number of two bytes
    context ctx;
    tape::recorder record(ctx, as_bytes(document), true);
    tagged::reader from(as_bytes(document), ctx);
    REQUIRE(from.feed(record) == errc::ok);
    tape::view view;
    REQUIRE(record.finish(view) == errc::ok);
    const tape::cursor root(view);
    CHECK("\xc1\xfe\x54" + as_string(root.raw()) == document);
    int numbered[3] = {};  // names by a number of so many bytes
    for (std::size_t i = 3; i < 6; ++i) {
        const tape::cursor map = root[i];
        CHECK(as_string(map.raw()).substr(0, 1) == "\xc5");
        CHECK(as_string(map.raw()).back() == '\xc6');
        std::size_t pairs = 0;
        for (tape::cursor key = map.first(); key; key = key.next().next(), ++pairs) {
            const tape::cursor value = key.next();
            // One behind the other: nothing lies between them but the sign for a key that is any value.
            const unsigned char* const end = value.raw().data() + value.raw().size();
            CHECK(key.raw().data() + key.raw().size() == value.raw().data());
            CHECK(end <= map.raw().data() + map.raw().size() - 1);
            const std::string name = "name" + std::to_string(pairs);
            if (pairs < 70) {
                text t;
                REQUIRE(key.get(t) == errc::ok);
                CHECK(std::string_view(static_cast<const char*>(t.data), t.size) == name);
                const std::size_t spelled =
                    2 + name.size();  // also where another name has taken its place in the writer's table
                CHECK((key.raw().size() == spelled || (i > 3 && key.raw().size() <= 2)));
                numbered[key.raw().size() == spelled ? 0 : key.raw().size()] += 1;
            }
            const std::string alone = "\xc1\xfe\x54" + as_string(value.raw());
            std::int64_t n = 0;
            if (value.get(n) == errc::ok) {
                CHECK(read<tagged::reader>(alone, {}) == "i64 " + std::to_string(n) + "\n");
            } else if (pairs == 70) {
                CHECK(read<tagged::reader>(alone, {}) == "str \"" + std::string(300, 'x') + "\"\n");
            }
        }
        CHECK(pairs == 73);
    }
    CHECK(numbered[1] > 50);
    CHECK(numbered[2] > 0);
}
