#include <doctest/doctest.h>

#include "../vm/layout.hpp"
#include "scripts.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

namespace {

// Both sides of where mruby's integers become objects, and the ends of 64 bits.
constexpr const char* integers[] = {"4611686018427387902",  "4611686018427387903",  "4611686018427387904",
                                    "4611686018427387905",  "9223372036854775806",  "9223372036854775807",
                                    "-4611686018427387903", "-4611686018427387904", "-4611686018427387905",
                                    "-9223372036854775807", "-9223372036854775808"};

}  // namespace

TEST_CASE("integers are equal when their numbers are, however they came about") {
    const auto v = usual_vm();
    for (const char* const n : integers) {
        CAPTURE(n);
        const std::string code =
            std::string("t = '") + n +
            "'\n"
            "a = t.to_i\nb = JSON.parse('[' + t + ']')[0]\nc = MessagePack.unpack(MessagePack.pack(a))\nd = (a / 2) * 2 + a % "
            "2\n"
            "print [a == b, b == a, a == c, c == d, !(a != b), a === b, a.eql?(b), (a <=> b) == 0, a.hash == b.hash,\n"
            "  [a].include?(b), [a].index(b) == 0, [1, a].rindex(b) == 1, [a, b, c].uniq.size == 1, [a] == [b], "
            "[a].eql?([b]),\n"
            "  [[a]] == [[b]], ([a] - [b]) == [], ([a] & [b]) == [a], ([a] | [b]) == [b], [a, b].count(b) == 2, [a, "
            "1].delete(b) == b,\n"
            "  {a => 1}[b] == 1, {a => 1} == {b => 1}, {1 => a} == {1 => b}, {1 => a}.value?(b), {1 => a}.key(b) == 1, {[a] => "
            "1}[[b]] == 1,\n"
            "  (case a when b then true end), [a, 0].max == (t[0] == '-' ? 0 : b), a.to_s == t,\n"
            "  Struct.new(:x).new(a).to_a == [b], (a..a) == (b..b), [a, b].each_slice(1).to_a.uniq == [[c]], [a].each { |x| "
            "break x == b }].all?";
        CHECK(run(*v, code).out == "true");
    }
}

TEST_CASE("integers that differ are not equal") {
    const auto v = usual_vm();
    std::string all = "print [";
    for (const char* const n : integers) all.append(all.back() == '[' ? "" : ", ").append(n);
    all +=
        "].each_with_index.to_a.permutation(2).all? { |(a, i), (b, j)| (a == b) == (i == j) && (a != b) == (i != j) && "
        "![a].include?(b) }";
    const result r = run(*v, all);
    CHECK_MESSAGE(r.out == "true", r.end.message);
    CHECK(run(*v,
              "print [2**62 == nil, 2**62 == '4611686018427387904', 2**62 == :a, nil == 2**62, 2**62 == 0, 2**62 == [2**62], "
              "2**62 == 2**61].none?")
              .out == "true");
}

TEST_CASE("an integer and a Float that is the same number are equal") {
    const auto v = usual_vm();
    CHECK(run(*v,
              "print [2**62 == 4611686018427387904.0, 4611686018427387904.0 == 2**62, -(2**62) * 2 == -9223372036854775808.0, "
              "2**61 == 2305843009213693952.0].all?")
              .out == "true");
    CHECK(run(*v, "print [2**62 == 4611686018427387904.0 * 2, 1.5 == 2**62, 2**62 == 0.0 / 0.0].none?").out == "true");
}

// Doubles, by which mruby compares, cannot tell neighbours beyond 2^53 apart.
TEST_CASE("integers stand in the order of their numbers") {
    const auto v = usual_vm();
    std::string all = "all = [";
    for (const char* const n : {"-9223372036854775808",
                                "-9223372036854775807",
                                "-4611686018427387905",
                                "-4611686018427387904",
                                "-4611686018427387903",
                                "-9007199254740993",
                                "-9007199254740992",
                                "-1",
                                "0",
                                "1",
                                "9007199254740992",
                                "9007199254740993",
                                "1729182873192873192",
                                "1729182873192873193",
                                "4611686018427387902",
                                "4611686018427387903",
                                "4611686018427387904",
                                "4611686018427387905",
                                "9223372036854775806",
                                "9223372036854775807"})
        all.append(all.back() == '[' ? "" : ", ").append(n);
    all += "]\n";
    for (const char* const holds : {
             "all.shuffle.sort == all",
             "all.shuffle.sort { |a, b| b <=> a } == all.reverse",
             "all.shuffle.sort_by { |a| a } == all && all.shuffle.map { |a| [a] }.sort == all.map { |a| [a] }",
             "all.shuffle.max == all[-1] && all.shuffle.min == all[0] && all.minmax == [all[0], all[-1]]",
             "all.each_cons(2).all? { |a, b| [a, b].max == b && [b, a].max == b && [a, b].min == a && [b, a].min == a }",
             "all.each_with_index.all? { |a, i| all.each_with_index.all? { |b, j| (a <=> b) == (i <=> j) } }",
             "all.each_with_index.all? { |a, i| all.each_with_index.all? { |b, j| [:<, :<=, :>, :>=].all? { |o| a.send(o, b) "
             "== "
             "i.send(o, j) } } }",
             "all.each_cons(2).all? { |a, b| a.clamp(b, b) == b && b.clamp(a, a) == a }",
             "all.each_cons(2).all? { |a, b| !(a..a).include?(b) && !((b..b) === a) && (a..b).include?(b) && "
             "!(a...b).include?(b) }",
             "(1 <=> 1.5) == -1 && (2 <=> 1.5) == 1 && (2**53 <=> 2.0**53) == 0 && (1 <=> 'a') == nil && (1 <=> nil) == nil",
             "begin; 1.send(:<, 'a'); rescue ArgumentError, TypeError; true; end",
         }) {
        const result r = run(*v, all + "print((" + holds + "))");
        CHECK_MESSAGE(r.out == "true", holds << ": " << r.out << r.end.message);
    }
    if (!big_integers) return;
    const result r =
        run(*v,
            "a = [-(2**70), -(2**64), -1, 2**53, 2**62, 2**64, 2**64 + 1, 2**70]\n"
            "print a.shuffle.sort == a && a.each_cons(2).all? { |x, y| (x <=> y) == -1 && (y <=> x) == 1 && x < y && "
            "y > x && x <= y && !(x >= y) }");
    CHECK_MESSAGE(r.out == "true", r.out << r.end.message);
}

TEST_CASE("a class of one's own is asked") {
    const auto v = usual_vm();
    CHECK(
        run(*v, "class A; def ==(o) = o.is_a?(Integer); end\nprint [A.new == 2**62, A.new != 2**62, A.new == 1, A.new == nil]")
            .out == "[true, false, true, false]");
}
