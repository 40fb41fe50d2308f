// Whether a text compiles, asked where nothing runs.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "../vm/compile.hpp"

using namespace kumihimo::mruby;

namespace {

constexpr std::int64_t ample = 10'000'000'000;

std::string told(std::string_view text, std::int64_t nanoseconds = ample) {
    syntax_error why;
    if (compiles(text.data(), text.size(), "script.rb", 7, nanoseconds, why)) return "good";
    return std::to_string(why.line) + ": " + why.message;
}

std::string times(std::size_t n, std::string_view text) {
    std::string all;
    for (std::size_t i = 0; i < n; ++i) all += text;
    return all;
}

}  // namespace

TEST_CASE("what compiles, and what does not") {
    CHECK(told("") == "good");
    CHECK(told("puts 1\n") == "good");
    CHECK(told("puts 1\nputs (\n").find("9: syntax error") == 0);
    CHECK(told(std::string_view("a\n\0", 3)) == "8: a NUL byte: this is no text");
    CHECK(told("raise 'it is not run'") == "good");
    CHECK(told(times(1000, "def f(a, b = {})\n  [a, *b].each { |x| puts \"#{x}\" }\nend\n")) == "good");
}

TEST_CASE("a text that takes long is given up, wherever its length lies") {
    const std::string statements = times(2'000'000, "a 1\n"), list = "x = [" + times(2'000'000, "1,") + "1]",
                      nested = "def f\n" + times(500'000, "  if a then b end\n") + "end\n";
    for (const std::string& text : {statements, list, nested}) {
        CHECK(told(text, 1'000'000'000) ==
              "7: the script could not be compiled in 1 s: it has " + std::to_string(text.size()) + " bytes");
    }
    CHECK(told("puts 1") == "good");
}
