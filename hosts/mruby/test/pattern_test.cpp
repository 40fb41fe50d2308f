#include "../library/pattern_cache.hpp"
#include "answers.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

TEST_CASE("quantifiers") {
    const auto v = usual_vm();
    check(
        *v,
        {{R"~(["ab" =~ /b{1}?/, "aab"[/a{2}?b/], "aaa"[/a{1,2}?/], "aaaa"[/\A(?:a{2})??\z/], "aa"[/a{1} {2}/x], "aaaa"[/\Aa{2}+\z/]])~",
          R"~([0, "aab", "a", nil, "aa", "aaaa"])~"},
         {R"~(["ab" =~ /\b*/, "b" =~ /^*b/, "a" =~ /\Z?/, "aab"[/a**b/], "aa"[/a+?*/], "aaaa"[/(?:..){2}{1}/], "ab"[/a\K*b/]])~",
          R"~([0, 0, 0, "aab", "aa", "aaaa", "b"])~"},
         {R"~(["aa"[/(a)**/], $1, "ab"[/(?=a)*a/], "a+ b"[/a\+ +b/x], "éé"[/é{1}{2}/] == "éé", "\u{e9}\u{e9}b"[/\u00e9**b/] == "ééb"])~",
          R"~(["aa", "a", "a", nil, true, true])~"},
         {R"~(/a|*b/)~", "RegexpError: target of repeat operator is not specified: /a|*b/"},
         {R"~(/(+a)/)~", "RegexpError: target of repeat operator is not specified: /(+a)/"},
         {R"~(/a(?i){1,2}/)~", "RegexpError: target of repeat operator is not specified: /a(?i){1,2}/"},
         {R"~(/a{2,1}/)~", "RegexpError: upper is smaller than lower in repeat range: /a{2,1}/"},
         {R"~(Regexp.new("a" + "*" * 60_000).match("a"))~",
          ("RegexpError: too many quantifiers, one behind the other at byte 52: /a" + std::string(199, '*') + ".../")
              .c_str()}});
    CHECK(answered(*v, R"~(Regexp.new("(" * 150 + "a" + ("{1}" * 40 + ")") * 150))~")
              .starts_with("RegexpError: parentheses are too deeply nested"));
}

TEST_CASE("where a pattern is wrong") {
    const auto v = usual_vm();
    check(
        *v,
        {{R"~(Regexp.new('a**b(?<n>x)(?(3)y)'))~",
          "RegexpError: reference to non-existent subpattern at byte 11: /a**b(?<n>x)(?(3)y)/"},
         {R"~(begin; Regexp.new("é" * 150 + "("); rescue RegexpError => e; e.message == "end pattern with unmatched parenthesis at byte 301: /" + "é" * 100 + ".../"; end)~",
          "true"}});
}

TEST_CASE("characters of several bytes in what is UTF-8 and in what is not") {
    const auto v = usual_vm();
    check(
        *v,
        {{R"~(["b" =~ /\xc3\xa9*b/, "ab" =~ /\xc3\xa9?b/, "éb" =~ /\xc3\xa9*b/, "b".sub(/[\xc3\xa9]?b/, "x"), "é"[/[\xc3\xa9]/] == "é"])~",
          R"~([0, 1, 0, "x", true])~"},
         {R"~(f = "\xff"; [("ééx" + f).index(/é+x/), ("\xc3x" + f) =~ /[é]x/, ("éx" + f) =~ /[é]x/, ("éé" + f)[/\xc3\xa9+/].size, ("aéé" + f)[/\é{2}/].size])~",
          R"~([0, nil, 0, 4, 4])~"},
         {R"~(f = "\xff"; [("aà日x" + f).scan(/[à-ï日a]/), ("bé日x" + f).scan(/[a-é]/)] == [["a", "à", "日"], ["b", "é", "x"]])~",
          "true"},
         {R"~(f = "\xff"; [("bé" + f)[/\u00e9/], ("bé" + f)[/[\u00e9]/], ("x\u{1f600}y" + f).scan(/[\u{800}-\u{10ffff}]/)] == ["é", "é", ["😀"]])~",
          "true"},
         {R"~(f = "\xff"; [("x-é" + f).scan(/[é-]/), ("x-é1" + f).scan(/[é-\d]/), ("x-é9" + f).scan(/[é\-9]/), ("aéb" + f).scan(/[é&&[^z]]/)] ==
               [["-", "é"], ["-", "é", "1"], ["-", "é", "9"], ["é"]])~",
          "true"},
         {R"~(f = "\xff"; [("aéb" + f).gsub(/[^é]/, ""), ("aéb日" + f).scan(/[^é]/), ("aéb" + f).scan(/[[é]&&[^z]]/), ("é😀z" + f).scan(/[^[é]z]/)] ==
               ["é", ["a", "b", "日", f], ["é"], ["😀", f]])~",
          "true"},
         {R"~(["\xe9\x80a", "\xf0\x9f\x98a", "é\x80", "日\x80a", "\xff😀"].map { |t| t.scan(/[^é]/).map(&:bytes) })~",
          "[[[233], [128], [97]], [[240], [159], [152], [97]], [[128]], [[230, 151, 165], [128], [97]], [[255], [240, 159, "
          "152, 128]]]"},
         {R"~(f = "\xff"; [f =~ /[\xff]/, f =~ /[\x80-\xff]/, f =~ /[\377]/, Regexp.new("\xff*a") =~ f + f + "a", "é" =~ /[\xff]/])~",
          "[0, 0, 0, 0, nil]"},
         {R"~(Regexp.new("[é-a]"))~", "RegexpError: empty range in char class: /[é-a]/"},
         // Each range of two, three or four bytes, against what it holds and what is beside it.
         {R"~(f = "\xff"
              [[0x80, 0x10ffff], [0x7ff, 0x800], [0x81, 0x7fe], [0x840, 0xfff], [0x3041, 0x3096], [0xffff, 0x10000], [0x1f600, 0x1f64f],
               [0x61, 0x3041]].all? { |low, high|
                 inside = Regexp.new("\\A[\\u{#{low.to_s(16)}}-\\u{#{high.to_s(16)}}]#{f}")
                 [0x60, 0x61, 0x80, 0x81, 0xbf, 0xc0, 0x7fe, 0x7ff, 0x800, 0x83f, 0x840, 0xfff, 0x1000, 0x3040, 0x3041, 0x3096, 0x3097,
                  0xd7ff, 0xe000, 0xffff, 0x10000, 0x1f5ff, 0x1f600, 0x1f64f, 0x1f650, 0x10ffff].all? { |c|
                   s = eval("\"\\u{#{c.to_s(16)}}\"")
                   inside.match?(s + f) == (low <= c && c <= high)
                 }
               })~",
          "true"}});
}

TEST_CASE("properties") {
    const auto v = usual_vm();
    check(
        *v,
        {{R"~(["a b\t\u{a0}".scan(/\p{Blank}/).size, "a b\n".scan(/\p{Graph}/), "a b\n".scan(/\p{Print}/), "xFg1é".scan(/\p{XDigit}/)])~",
          R"~([3, ["a", "b"], ["a", " ", "b"], ["F", "1"]])~"},
         {R"~(["a b\n".scan(/\P{Graph}/), "a b\n".scan(/[^\p{Print}]/), "xFg1".scan(/[\P{XDigit}1]/), "é\u00ad".scan(/\p{^graph}/)])~",
          R"~([[" ", "\n"], ["\n"], ["x", "g", "1"], []])~"}});
}

TEST_CASE("groups of one name") {
    const auto v = usual_vm();
    check(*v, {{R"~(["abb" =~ /(?<n>a)(?<n>b)\k<n>/, "aba" =~ /(?<n>a)(?<n>b)\k<n>/, "abc" =~ /(?<n>a)(?<n>b)\k<n>/])~",
                "[0, 0, nil]"},
               {R"~(["xx" =~ /(?:(?<n>a)|(?<n>x))\k<n>/, "aab"[/(?<n>a)\k<n>(?<n>b)/]])~", R"~([0, "aab"])~"}});
}

TEST_CASE("machine code counts as what patterns take") {
    const auto v = usual_vm();
    CHECK(answered(*v, R"~((0...61).all? { |i|
                             r = Regexp.new((0...600).map { |k| "(?:a#{i}|[b-d]{1,30}#{k}(x|y)*)" }.join("|"))
                             (1..3).all? { r.match("..a#{i}") }
                           })~") == "true");
    CHECK(patterns_memory() > most_patterns_memory / 4);
    CHECK(patterns_memory() <= most_patterns_memory);
}

TEST_CASE("the other form of a pattern counts as what patterns take") {
    const auto v = usual_vm();
    const std::string use = R"~($r = (0...120).map { |i| Regexp.new("a#{i}" + "[b-d]{1,30}(x|y)" * 500) }; )~";
    CHECK(answered(*v, use + "$r.none? { |r| r =~ 'a' }") == "true");
    CHECK(patterns_memory() > most_patterns_memory / 2);
    CHECK(answered(*v, use + "$r.none? { |r| r =~ 'é' }") == "true");
    CHECK(patterns_memory() > most_patterns_memory / 2);
    CHECK(patterns_memory() <= most_patterns_memory);
}
