#include <doctest/doctest.h>

#include <random>

#include "../library/bytes.hpp"
#include "scripts.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

namespace {

// What is hard to search for: few letters, parts that repeat themselves, and one letter that is different.
std::string made(std::mt19937& random, std::size_t size) {
    std::string s;
    const unsigned letters = random() % 3 + 1, period = random() % 9 + 1;
    while (s.size() < size)
        s += random() % 2 != 0 && s.size() >= period ? s[s.size() - period] : static_cast<char>('a' + random() % letters);
    if (size != 0 && random() % 2 != 0) s[random() % size] = '\xff';
    return s;
}

}  // namespace

TEST_CASE("bytes are found where they are") {
    std::mt19937 random(20261122);
    for (int i = 0; i < 60'000; ++i) {
        const std::string text = made(random, random() % 1500), other = made(random, random() % 600 + 1);
        const std::size_t from = random() % (text.size() + 1), at = random() % (text.size() + 1), size = random() % 700;
        for (const std::string& what : {other, text.substr(at, size), text.substr(at, size) + "a", other + other}) {
            const std::size_t wanted = text.find(what, from);
            REQUIRE(find_bytes(text, what, from) == wanted);
        }
    }
}

TEST_CASE("they are found across windows") {
    std::string text(std::size_t{3} << 20, 'x');
    for (const std::size_t size : {1, 2, 256, 257, 5000}) {
        for (const std::size_t at :
             {(std::size_t{1} << 20) - 1, std::size_t{1} << 20, (std::size_t{2} << 20) - 100, text.size() - size}) {
            std::string copy = text;
            const std::string what(size, 'y');
            copy.replace(at, size, what);
            CHECK(find_bytes(copy, what, 0) == at);
            CHECK(find_bytes(copy, what, at) == at);
            CHECK(find_bytes(copy, what, at + 1) == std::string_view::npos);
        }
    }
}

TEST_CASE("a search does not outlast the limit of time") {
    static profile made_with;
    made_with.keep_state = true;
    const auto v = vm_with(made_with);
    const char* const searches[][2] = {{"$b = 'x' * 95_000_000 + 'y'", "loop { $a.index($b) }"},
                                       {"$b = 'x' * 50_000_000 + 'y' + 'x' * 40_000_000", "loop { $a.include?($b) }"},
                                       {"$b = $a + ''", "loop { $a == $b }"},
                                       {"$b = 'y' + 'x' * 50_000_000", "loop { $a.rindex($b) }"},
                                       {"$b = nil", "loop { $a.sub('y', 'z') }"}};
    for (const auto& [before, search] : searches) {
        CAPTURE(search);
        // Left by its time, a VM that keeps its state is made anew.
        const result made = run(*v, "$a = 'x' * 100_000_000\n" + std::string(before), {std::size_t{512} << 20, 0});
        REQUIRE(made.end);
        // Without limits of their own these go on for minutes, so the test's own limit is the bound.
        CHECK(run(*v, search, {std::size_t{512} << 20, 500'000'000}).end.type == outcome::kind::expired);
    }
}
