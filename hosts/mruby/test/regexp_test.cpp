#include <pthread.h>

#include "../library/pattern_syntax.hpp"
#include "answers.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

TEST_CASE("made and asked") {
    const auto v = usual_vm();
    check(*v, {{R"~([/a/, /a\/b/mix, Regexp.new("a", true), Regexp.new("a/b", 4), Regexp.new(/x/i)])~",
                R"~([/a/, /a\/b/mix, /a/i, /a\/b/m, /x/i])~"},
               {R"~([/a/.source, /a/i.options, /a/i.casefold?, /a/mi.to_s, /a/.to_s, /a/mix.to_s])~",
                R"~(["a", 1, true, "(?mi-x:a)", "(?-mix:a)", "(?mix:a)"])~"},
               {R"~([/a/ == /a/, /a/ == /a/i, /a/.eql?(/a/), {/a/ => 1}[/a/]])~", "[true, false, true, 1]"},
               {R"~(Regexp.escape("a.b*c\n [x]-{}|^$#"))~", R"~("a\\.b\\*c\\n\\ \\[x\\]\\-\\{\\}\\|\\^\\$\\#")~"},
               {R"~([Regexp.union, Regexp.union("a.b", /c/i), Regexp.union(["x", "y"]), Regexp.union(/z/)])~",
                R"~([/(?!)/, /a\.b|(?i-mx:c)/, /x|y/, /z/])~"},
               {R"~([/(?<b>.)(?<a>.)/.names, /(?<a>.)(?<a>.)/.named_captures])~", R"~([["b", "a"], {"a"=>[1, 2]}])~"},
               {R"~(x = "b"; /a#{x}c/.source)~", R"~("abc")~"},
               {R"~([/x/.frozen?, Regexp.new("x").frozen?])~", "[true, false]"},
               {R"~(Regexp.new("("))~", "RegexpError: end pattern with unmatched parenthesis: /(/"},
               {R"~(Regexp.new("[a"))~", "RegexpError: premature end of char-class: /[a/"},
               {R"~(Regexp.new("*"))~", "RegexpError: target of repeat operator is not specified: /*/"},
               {R"~(Regexp.new("(?<1>x)"))~", "RegexpError: invalid group name (letters, digits and _, 32 at most): /(?<1>x)/"},
               {R"~(Regexp.new("(*LIMIT_MATCH=1)a"))~",
                "RegexpError: target of repeat operator is not specified: /(*LIMIT_MATCH=1)a/"},
               {R"~(Regexp.new("(?~a)"))~", "RegexpError: the absence operator (?~ ) is not supported: /(?~a)/"},
               {R"~(Regexp.new("a", "q"))~", "ArgumentError: unknown regexp option: q"},
               {R"~(Regexp.new(1))~", "TypeError: Integer cannot be converted to String"},
               {R"~(Regexp.allocate.source)~", "TypeError: uninitialized Regexp"}});
}

TEST_CASE("matching") {
    const auto v = usual_vm();
    check(
        *v,
        {{R"~(["xab" =~ /a(b)/, $~[0], $1, $`, $', $&, $+])~", R"~([1, "ab", "b", "x", "", "ab", "b"])~"},
         {R"~([/a/ =~ "b", $~, $1])~", "[nil, nil, nil]"},
         {R"~(["ab" =~ /(a)(b)/, "c" =~ /(c)/, $1, $2])~", R"~([0, 0, "c", nil])~"},
         {R"~([/a/ === "a", /a/ === :ab, /a/ === nil, /a/ === 1, nil =~ /a/, :ab =~ /b/])~",
          "[true, true, false, false, nil, 1]"},
         {R"~((case "foo12" when /^\d/ then 1 when /(\d+)$/ then $1 end))~", R"~("12")~"},
         {R"~([/a/.match("ba").begin(0), /a/.match("aba", 1).begin(0), /a/.match(nil), /a/.match?("ba", -1), "x".match?("y")])~",
          "[1, 2, nil, true, false]"},
         {R"~(/(.)/.match("ab") { |m| m[1] * 2 })~", R"~("aa")~"},
         {R"~(Regexp.last_match.nil?)~", "true"},
         {R"~("ab" =~ /(?<x>b)/; [Regexp.last_match(:x), Regexp.last_match(1), Regexp.last_match(0)])~",
          R"~(["b", "b", "b"])~"},
         {R"~("a" =~ "a")~", "TypeError: type mismatch: String given"},
         {R"~(%w(apple bob avocado).grep(/^a/))~", R"~(["apple", "avocado"])~"}});
}

TEST_CASE("MatchData") {
    const auto v = usual_vm();
    const std::string m = "m = /(?<a>.)(?<b>x)?(?<c>.)/.match('-yz-'); ";
    const auto of = [&](const std::string& code) { return answered(*v, m + code); };
    CHECK(of("[m.to_a, m.captures, m.names, m.named_captures, m.size]") ==
          R"~([["-y", "-", nil, "y"], ["-", nil, "y"], ["a", "b", "c"], {"a"=>"-", "b"=>nil, "c"=>"y"}, 4])~");
    CHECK(of("[m[0], m[:a], m['c'], m[2], m[-1], m[9], m[1, 2], m[1..-1]]") ==
          R"~(["-y", "-", "y", nil, "y", nil, ["-", nil], ["-", nil, "y"]])~");
    CHECK(of("[m.begin(0), m.end(:c), m.offset(2), m.offset('a'), m.pre_match, m.post_match]") ==
          R"~([0, 2, [nil, nil], [0, 1], "", "z-"])~");
    CHECK(of("[m[-3], m[-4], m[-5], m.values_at(-4, -3)]") == R"~(["-", nil, nil, [nil, "-"]])~");
    CHECK(of("[/b/.match('abc')[-1], 'abc'[/b/, -1], 'abc'[/(b)(c)/, -1], 'abc'[/(b)(c)/, -3]]") ==
          R"~([nil, nil, "c", nil])~");
    CHECK(of("s = 'abc'; s[/b/, -1] = 'z'") == "IndexError: index -1 out of regexp");
    CHECK(of("[m.string, m.string.frozen?, m.regexp == /(?<a>.)(?<b>x)?(?<c>.)/, m.values_at(0, :c, -1), m.to_s]") ==
          R"~(["-yz-", true, true, ["-y", "y", "y"], "-y"])~");
    CHECK(of("m.inspect") == R"~("#<MatchData \"-y\" a:\"-\" b:nil c:\"y\">")~");
    CHECK(of("m == /(?<a>.)(?<b>x)?(?<c>.)/.match('-yz-')") == "true");
    CHECK(of("m[:nope]") == "IndexError: undefined group name reference: nope");
    CHECK(of("m.begin(7)") == "IndexError: index 7 out of matches");
    CHECK(of("m.begin(nil)") == "TypeError: a group is an Integer, a String or a Symbol");
    CHECK(answered(*v, "MatchData.new").starts_with("NoMethodError"));
    CHECK(answered(*v, "s = 'abc'; m = /b/.match(s); s << 'd'; s[0] = 'X'; [m.string, m.pre_match]") == R"~(["abc", "a"])~");
}

TEST_CASE("a MatchData asks no method that a script has put in place of ours") {
    const auto v = usual_vm();
    check(*v,
          {{"class Regexp; def names; 5; end; end; m = /(?<a>.)(?<b>x)?/.match('yz'); [m.names, m.inspect, m.named_captures]",
            R"~([["a", "b"], "#<MatchData \"y\" a:\"y\" b:nil>", {"a"=>"y", "b"=>nil}])~"}});
}

TEST_CASE("String's methods") {
    const auto v = usual_vm();
    check(
        *v,
        {{R"~(["a1b22".scan(/\d+/), "a1b2".scan(/([a-z])(\d)/), "aaa".scan("a"), "".scan(/x*/), "ab".scan(//)])~",
          R"~([["1", "22"], [["a", "1"], ["b", "2"]], ["a", "a", "a"], [""], ["", "", ""]])~"},
         {R"~(x = []; r = "a1".scan(/./) { |c| x << c + $~.begin(0).to_s }; [x, r])~", R"~([["a0", "11"], "a1"])~"},
         {R"~(["hello".sub(/l/, "L"), "hello".gsub(/l/, "L"), "hello".gsub(/[el]/, "e" => "3", "l" => 1), "hello".gsub("l") { |x| x.upcase }])~",
          R"~(["heLlo", "heLLo", "h311o", "heLLo"])~"},
         {R"~("John Smith".sub(/(?<f>\w+) (?<l>\w+)/, '\k<l>, \k<f>'))~", R"~("Smith, John")~"},
         {R"~(["abc".gsub(/(b)/, '<\0\1\\\\\&>'), "abc".sub(/b/, '[\`|\']'), "a.c".gsub(".", '-'), "x".sub(/x/, '\\\\')])~",
          R"~(["a<bb\\b>c", "a[a|']c", "a-c", "\\"])~"},
         {R"~(["abc".gsub(//, "-"), "abc".gsub(/x*/, "-"), "hello".gsub(/(l+)/) { $1.upcase }])~",
          R"~(["-a-b-c-", "-a-b-c-", "heLLo"])~"},
         {R"~(s = "hello"; [s.sub!(/x/, ""), s.gsub!(/l/, "L"), s, s.sub!(/h/) { "J" }])~",
          R"~([nil, "JeLLo", "JeLLo", "JeLLo"])~"},
         {R"~("abc".freeze.gsub!(/b/, ""))~", "FrozenError: can't modify frozen String"},
         {R"~("a".sub(/a/))~", "ArgumentError: wrong number of arguments (given 1, expected 2)"},
         {R"~("abcb".gsub(/b/).class)~", "Enumerator"},
         {R"~(["a,b;c".split(/[,;]/), "a1b2c".split(/(\d)/), "abc".split(//), " a b ".split(" "), "a,b,,".split(/,/), "a,b,,".split(/,/, -1), "a,b,c".split(/,/, 2), "".split(/,/)])~",
          R"~([["a", "b", "c"], ["a", "1", "b", "2", "c"], ["a", "b", "c"], ["a", "b"], ["a", "b"], ["a", "b", "", ""], ["a", "b,c"], []])~"},
         {R"~(["foobar"[/o+/], "foobar"[/f(o)(o)/, 2], "foobar"[/(?<x>b)/, "x"], "foobar"[/x/], "foobar"[1], "foobar"[1, 2], "foobar"[1..2], "foobar"["oba"]])~",
          R"~(["oo", "o", "b", nil, "o", "oo", "oo", "oba"])~"},
         {R"~(s = "foobar"; s[/o+/] = "0"; s[/b(a)/, 1] = "A"; s[0] = "F"; s)~", R"~("F0bAr")~"},
         {R"~(s = "abc"; s[/x/] = "y")~", "IndexError: regexp not matched"},
         {R"~(s = "foobar"; [s.slice!(/o+/), s.slice!(/x/), s.slice!(0), s.slice!(-1, 1), s])~",
          R"~(["oo", nil, "f", "r", "ba"])~"},
         {R"~(["hello".index(/l/), "hello".index(/l/, 3), "hello".index(/l/, 9), "hello".rindex(/l/), "hello".rindex(/l/, 2), "hello".index("l"), "hello".rindex("l"), "hello".rindex(/x/)])~",
          "[2, 3, nil, 3, 2, 2, 3, nil]"},
         {R"~(["hello".start_with?(/h./), $~[0], "hello".start_with?(/e/), "hello".start_with?("he", "x")])~",
          R"~([true, "he", false, true])~"},
         {R"~(["a-b-c".partition(/-/), "a-b-c".rpartition(/-/), "abc".partition(/x/), "abc".rpartition("x"), "a.b".partition(".")])~",
          R"~([["a", "-", "b-c"], ["a-b", "-", "c"], ["abc", "", ""], ["", "", "abc"], ["a", ".", "b"]])~"},
         {R"~(["hello".tr('el', 'ip'), "a".upcase, "abc".include?("b")])~", R"~(["hippo", "A", true])~"}});
}

TEST_CASE("a block leaves the method it is written in") {
    const auto v = usual_vm();
    check(
        *v,
        {{R"~(def f(s); s.scan(/\d/) { |m| return m if m.to_i > 5 }; nil; end; [f("1 7 9"), f("1")])~", R"~(["7", nil])~"},
         {R"~(lambda { "a".gsub(/a/) { return 7 }; 8 }.call)~", "7"},
         {R"~(def f; yield; end; def g; "a".scan(/a/) { f { return 3 } }; 4; end; g)~", "3"},
         {R"~(def f(s); s.match(/b/) { |m| return m[0] * 2 }; 9; end; [f("abc"), f("x")])~", R"~(["bb", 9])~"},
         {R"~(def f(s); /b/.match(s) { |m| return m[0] * 2 }; 9; end; [f("abc"), f("x")])~", R"~(["bb", 9])~"},
         {R"~(def f(s); s.sub!(/b/) { return 2 }; end; s = "abc"; [f(s), s])~", R"~([2, "abc"])~"},
         {R"~(def f(s); s.split(",") { |x| return x if x == "b" }; end; f("a,b,c"))~", R"~("b")~"},
         {R"~([1].each { |i| "ab".scan(/./) { |c| break i } })~", "[1]"},
         {R"~(["abc".scan(/./) { |x| break x if x == "b" }, "abc".gsub(/./) { |x| break 5 if x == "b" }])~", R"~(["b", 5])~"},
         {R"~("abc".gsub(/./) { |x| next "-" if x == "b"; x + $~[0] })~", R"~("aa-cc")~"},
         {R"~("a".gsub(/a/) { raise IOError, "no" })~", "IOError: no"},
         {R"~("a-b".gsub(/-/) { "x-y".gsub(/-/) { "z" } + $~[0] })~", R"~("axzy-b")~"},
         {R"~("abc".gsub(/b/, &lambda { |x| return x * 2 }))~", R"~("abbc")~"},
         {R"~(["abc".__send__(:gsub, /b/) { "x" }, "abc".method(:gsub).call(/b/) { |x| x * 2 }, "abc".gsub(/b/).map { |x| x * 2 }])~",
          R"~(["axc", "abbc", ["bb"]])~"},
         {R"~(class S < String; def scan(x); super; end; end; r = []; [S.new("ab").scan(/./) { |x| r << x }, r])~",
          R"~(["ab", ["a", "b"]])~"}});
}

TEST_CASE("what a block leaves behind") {
    const auto v = usual_vm();
    check(*v, {{R"~(s = "aba"; s.gsub!(/a/) { s << "b"; "c" })~", "RuntimeError: string modified"},
               {R"~(s = "aba"; s.scan(/a/) { s << "b" })~", "RuntimeError: string modified"},
               {R"~(s = "aba"; begin; s.gsub!(/a/) { s << "b"; "c" }; rescue; end; s)~", R"~("abab")~"},
               {R"~("ab".scan(/b/) { "z" =~ /z/ }; $~[0])~", R"~("b")~"},
               {R"~("ab".scan(/x/) {}; $~)~", "nil"},
               {R"~("abab".gsub(/b/) { "q" =~ /z/; "" }; $~.begin(0))~", "3"},
               {R"~("ab".sub(/b/) { "q" =~ /q/; "" }; $~[0])~", R"~("q")~"},
               {R"~(r = []; ["a,b,".split(",", -1) { |x| r << x }, "axb".split(/x/) { |x| r << x }, r])~",
                R"~(["a,b,", "axb", ["a", "b", "", "a", "b"]])~"}});
}

// The object that a loop goes through is no script's, but ObjectSpace has it.
TEST_CASE("a loop that a script gets hold of") {
    const auto v = usual_vm();
    check(*v, {{R"~(n = 0
                    "abab".gsub(/b/) { |x|
                      ObjectSpace.each_object { |o|
                        next unless o.respond_to?(:more?) && !o.is_a?(Class)
                        n += 1
                        3.times { o.more?; o.take("y") }
                        o.result
                        o.take("z")
                        o.more?
                        break
                      }
                      x
                    }
                    n)~",
                "1"},
               {R"~(c = nil
                    "a".gsub(/a/) { ObjectSpace.each_object { |o| c = o.class if o.respond_to?(:more?) && !o.is_a?(Class) }; "" }
                    c.new.more?)~",
                "TypeError: no steps"},
               {R"~("abab".gsub("b") { |x|
                      ObjectSpace.each_object(String) { |s| begin; s.replace("other"); rescue; end }
                      "q" * 40
                    }.size)~",
                "RuntimeError: string modified"}});
}

TEST_CASE("long strings") {
    const auto v = usual_vm();
    const std::string l = "l = 'x' * 300; s = l + '-' + l + '-' + l; ";
    const auto of = [&](const std::string& code) { return answered(*v, l + code); };
    CHECK(of("[s.index(l), s.index(l, 1), s.index(l, -300), s.index(l, -301), s.index(l, -299), s.index(l, 903), s.index(l + "
             "'y')]") == "[0, 301, 602, 602, nil, nil, nil]");
    CHECK(of("[s.rindex(l), s.rindex(l, 601), s.rindex(l, 602), s.rindex(l, -301), s.rindex(l, -902), s.rindex(l, -903), "
             "s.rindex(l, 9999), s.rindex(l + 'y'), 'ab'.rindex(l)]") == "[602, 301, 602, 301, 0, nil, 602, nil, nil]");
    CHECK(of("[s.include?(l), s.include?(l + 'y'), s[l] == l, s[l + 'y']]") == "[true, false, true, nil]");
    CHECK(of("[s.split(l), s.split('-' + l).map(&:size), s.split(l, -1), s.split(l, 2).map(&:size), (l + l).split(l), "
             "(l + l).split(l, -1)]") == R"([["", "-", "-"], [300], ["", "-", "-", ""], [0, 602], [], ["", "", ""]])");
    CHECK(of("s[l] = 'q'; [s.size, s[0, 3], s.slice!(l) == l, s.size, s.slice!(l + 'y')]") ==
          R"([603, "q-x", true, 303, nil])");
    CHECK(of("s[l + 'y'] = 'q'") == "IndexError: string not matched");
    CHECK(of("[s.partition('-' + l).map(&:size), s.rpartition(l).map(&:size), s.sub(l, '').size, s.gsub(l, 'z')]") ==
          R"([[300, 301, 301], [602, 300, 0], 602, "z-z-z"])");
    CHECK(of("l.index(l, nil)").starts_with("TypeError"));
    // Each place compares for long: quadratic, and not in libc.
    const result r = run(*v, R"~(("a" * 40_000_000).rindex("a" * 20_000_000 + "c"))~", {std::size_t{512} << 20, 200 * ms});
    CHECK(r.end.type == outcome::kind::expired);
    for (const char* const search : {"index", "include?", "split", "partition", "sub", "gsub", "slice!", "slice"}) {
        INFO(search);
        const std::string rest = std::string(search).find("sub") == std::string::npos ? ")" : ", '')";
        CHECK(run(*v, "('a' * 4_000_000)." + std::string(search) + "('a' * 2_000_000 + 'ca'" + rest).end.message == "");
    }
}

TEST_CASE("Ruby's syntax") {
    const auto v = usual_vm();
    check(
        *v,
        {{R"~(["ab\ncd".scan(/^./), "ab\ncd".scan(/.$/), "a\nb"[/a.b/], "a\nb"[/a.b/m], "a\n"[/a\Z/], "a\n"[/a\z/]])~",
          R"~([["a", "c"], ["b", "d"], nil, "a\nb", "a", nil])~"},
         {R"~(["0xFG"[/\h+/], "fg"[/\H/], "fz"[/[^\h]/], "a-z"[/[\w-]+/], "x\v"[/\v/] == "\v"])~",
          R"~(["0", "g", "z", "a-z", true])~"},
         {R"~(["abcdef"[/[a-e&&[^c]]+/], "xyz"[/[x[yz]]+/], "a]b"[/[\]]/], "ab12"[/[[:digit:]]+/]])~",
          R"~(["ab", "xyz", "]", "12"])~"},
         {R"~(["aXb"[/a(?i)x|B/], "AXb"[/a(?i)x|B/], "a b"[/a\ b # spaces
                    /x], "aa"[/a{,1}/], "aaaa"[/\Aa{2}+\z/], "{}"[/{}/]])~",
          R"~(["aX", nil, "a b", "a", "aaaa", "{}"])~"},
         {R"~(["abab"[/(ab)\k<1>/], "aa"[/(?<x>a)\k<x>/], "(a(b)c)"[/(?<p>\((?:[^()]|\g<p>)*\))/], "aab"[/(?>a+)ab/], "foobar"[/foo\Kbar/]])~",
          R"~(["abab", "aa", "(a(b)c)", nil, "bar"])~"},
         {R"~(["é" =~ /\u00e9/, "é" =~ /\u{e9}/, "é" =~ /\xc3\xa9/, "é".scan(/./).size, "é".bytes.size, "aé"[/[^a]/] == "é", "É" =~ /é/i, "日本"[/\p{Han}/] == "日"])~",
          "[0, 0, 0, 1, 2, true, 0, true]"},
         {R"~(["日本語".split(//).size, "日本語".gsub(/./) { "x" }, "日本" =~ /本/])~", R"~([3, "xxx", 3])~"},
         {R"~(["\xff\xfe".scan(/./).size, "\xffa"[/a/], "\xff" =~ /\xff/, "\xff" =~ /é/])~", R"~([2, "a", 0, nil])~"}});
}

TEST_CASE("what would take too long is an error") {
    const auto v = usual_vm();
    CHECK(answered(*v, "/(a+)+$/ =~ 'a' * 40 + 'b'") ==
          "Regexp::TimeoutError: regexp match timeout: /(a+)+$/ tries too many ways on this text");
    CHECK(answered(*v, "begin; ('a' * 40 + 'b').gsub(/(a|aa)+$/, ''); rescue RegexpError => e; e.class; end") ==
          "Regexp::TimeoutError");
    CHECK(answered(*v, "Regexp.new('(' * 300 + ')' * 300)").starts_with("RegexpError: "));
    CHECK(answered(*v, "Regexp.new('a' * 70_000)").starts_with("RegexpError: regular expression is longer than 64 KB"));
    CHECK(answered(*v, "Regexp.new('((a{1,1000}){1,1000}){1,1000}')").starts_with("RegexpError: "));
}

TEST_CASE("many places, each of them hard, end with the run's time") {
    const auto v = usual_vm();
    run_limits short_time;
    short_time.nanoseconds = 300 * ms;
    const result r = run(*v, R"~(s = ("a" * 120 + "y") * 20_000; loop { s =~ /a*a*a*b/ })~", short_time);
    CHECK((r.end.type == outcome::kind::expired || r.end.message.find("TimeoutError") != std::string::npos));
    CHECK(answered(*v, "'ok'[/o./]") == "\"ok\"");
}

TEST_CASE("more patterns than the cache holds") {
    const auto v = usual_vm();
    CHECK(
        answered(
            *v,
            R"~(kept = /k(\d+)/; (0...2000).all? { |i| Regexp.new("x#{i}y") =~ "..x#{i}y" && kept =~ "k#{i}" && $1 == i.to_s })~") ==
        "true");
    CHECK(answered(*v, R"~(n = 0; "aaaa".gsub(/a/) { 300.times { |i| Regexp.new("q#{n += 1}") }; "b" })~") == "\"bbbb\"");
}

TEST_CASE("a Regexp of the VM's making serves every run") {
    const profile made_with;
    const auto v = usual_vm();
    for (int i = 0; i < 3; ++i) CHECK(answered(*v, "x = /(b)/; 'abc'[x, 1] + $~.pre_match") == "\"ba\"");
}

TEST_CASE("the translation refuses what is no Ruby") {
    translation t;
    for (const char* bad : {"(",    ")",     "(?<a",    "(?<>a)", "(?P<a>x)", "(?&a)", "(?|a|b)",     "[",
                            "[a-",  "[]",    "\\",      "(?#",    "(?(",      "\\u12", "\\u{110000}", "\\ud800",
                            "\\xg", "\\p{x", "\\p{a!}", "[a&&]",  "(?#\\",    "\\k<",  "(?q)",        "(?-i-i)"}) {
        INFO(bad);
        CHECK_FALSE(translate(bad, 0, true, t));
        CHECK(t.error != nullptr);
    }
    CHECK(translate(std::string(100, '[') + std::string(100, ']'), 0, true, t) == false);
    CHECK(translate(std::string(300, '(') + std::string(300, ')'), 0, true, t) == false);
}

TEST_CASE("patterns within patterns, in a thread of little stack") {
    pthread_attr_t little;
    REQUIRE(pthread_attr_init(&little) == 0);
    REQUIRE(pthread_attr_setstacksize(&little, 65536) == 0);
    const auto work = [](void*) -> void* {
        const auto v = usual_vm();
        for (const char* code :
             {"'(' * n + 'a' + ')' * n", "'(?:' * n + 'a' + ')*' * n", "'(?=' * (n - 1) + 'a' + ')' * (n - 1)",
              "'(?<=' * (n - 1) + 'a' + ')' * (n - 1)", "'(?>' * n + 'a' + ')?' * n", "'(a|' * n + 'b' + ')' * n",
              "'(?i)' * n + 'a'", "'[' * 60 + 'a' + ']' * 60", "'(?i)(' * n + 'a' + ')' * n",
              "'(?:(?:' * (n / 2) + 'a' + '){2}+){2}+' * (n / 2)"}) {
            for (const char* n : {"15", "25", "60", "200"}) {
                const std::string what = std::string(code) + ", n = " + n;
                INFO(what);
                // Twice: a pattern that is used again becomes machine code.
                const result r = run(*v, "n = " + std::string(n) + "; begin; r = Regexp.new(" + code +
                                             "); 3.times { r.match('a' * 2000 + 'b') }; print 'made'; rescue RegexpError, "
                                             "SystemStackError; print 'refused'; end");
                CHECK(r.end.message == "");
                CHECK((r.out == "made" || r.out == "refused"));
            }
        }
        return nullptr;
    };
    pthread_t thread;
    REQUIRE(pthread_create(&thread, &little, work, nullptr) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&little);
}
