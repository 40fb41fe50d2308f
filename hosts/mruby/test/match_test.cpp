#include "answers.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

TEST_CASE("what was never initialized") {
    const auto v = usual_vm();
    for (const char* call :
         {"hash", "inspect", "to_s", "source", "options", "casefold?", "names", "named_captures", "match('a')", "match?('a')",
          "=~ 'a'", "=== 'a'", "== /a/ || raise(TypeError, 'uninitialized Regexp')"}) {
        INFO(call);
        const std::string code = (call[0] == '=' ? " " : ".") + std::string(call);
        CHECK(answered(*v, "Regexp.allocate" + code) == "TypeError: uninitialized Regexp");
        CHECK(answered(*v, "class R < Regexp; def initialize; end; end; R.new" + code) == "TypeError: uninitialized Regexp");
    }
    for (const char* call :
         {"[0]",       "[0, 1]",          "[:a]",     ".begin(0)", ".end(0)", ".offset(0)", ".pre_match",    ".post_match",
          ".captures", ".named_captures", ".names",   ".to_a",     ".to_s",   ".values_at", ".values_at(0)", ".string",
          ".regexp",   ".size",           ".inspect", " == $~",    ".hash"}) {
        INFO(call);
        CHECK(answered(*v, "'a' =~ /(?<a>a)/; MatchData.allocate" + std::string(call)) == "TypeError: uninitialized MatchData");
    }
    check(*v, {{"Regexp.new(Regexp.allocate)", "TypeError: Regexp cannot be converted to String"},
               {"Regexp.union(Regexp.allocate, 'a')", "TypeError: Regexp.union takes Strings and Regexps"},
               {"['a' == Regexp.allocate, /a/ == Regexp.allocate, String.allocate =~ //, String.allocate.gsub(//, 'x')]",
                R"~([false, false, 0, "x"])~"}});
}

// What a script does in ObjectSpace while a native writes a text.
TEST_CASE("an unfinished text is no script's") {
    const auto v = usual_vm();
    const std::string take =
        "take = lambda { ObjectSpace.each_object(String) { |s| s.replace('') if !s.frozen? && s.bytesize > 1000 }; GC.start };";
    CHECK(answered(*v, take + R"~(h = Hash.new { |a, k| take.call; "y" * 10 }; ("a" * 3000).gsub(/a/, h).size)~") == "30000");
    CHECK(answered(*v, take + R"~(("a" * 3000 + "b").freeze.gsub(/b/) { take.call; "y" * 10 }.size)~") == "3010");
    CHECK(answered(*v, take + R"~($take = take
                                  class String; alias own inspect; def inspect; $take.call; own * 3; end; end
                                  m = Regexp.new("(a)" * 60 + "a*").match("a" * 2000)
                                  begin; m.inspect.size; ensure; class String; alias inspect own; end; end)~") == "790");
    CHECK(answered(*v, take + R"~(class K; def initialize(f); @f = f; end; def to_s; @f.call; "k" * 500; end; end
                                  URI.encode_www_form((0..30).map { |i| [K.new(take), i] }).size)~") == "15613");
}

TEST_CASE("copies") {
    const auto v = usual_vm();
    check(*v,
          {{"r = /a(.)/i.dup; [r, r.frozen?, r == /a(.)/i, r.match('xAb')[1], /a/.clone.frozen?]",
            R"~([/a(.)/i, false, true, "b", true])~"},
           {"class R < Regexp; end; r = R.new('a').dup; [r.class, r =~ 'ba']", "[R, 1]"},
           {"r = Regexp.new('a'); r.__send__(:initialize_copy, /b/)", "TypeError: already initialized regexp"},
           {"/a/.__send__(:initialize_copy, /b/)", "FrozenError: can't modify frozen Regexp"},
           {"Regexp.allocate.__send__(:initialize_copy, 1)", "TypeError: initialize_copy should take same class object"},
           {"Regexp.allocate.dup", "TypeError: initialize_copy should take same class object"},
           {"'xab' =~ /a(b)/; m = $~.dup; [m, m == $~, m.eql?($~), m.hash == $~.hash, {$~ => 1}[m], m.pre_match, m.regexp]",
            R"~([#<MatchData "ab" 1:"b">, true, true, true, 1, "x", /a(b)/])~"},
           {"'a' =~ /a/; $~.__send__(:initialize_copy, /b/.match('b'))", "TypeError: already initialized MatchData"},
           {"'a' =~ /a/; $~.dup.__send__(:initialize_copy, 5)", "TypeError: wrong argument type Integer (expected MatchData)"},
           {"MatchData.allocate.dup", "TypeError: uninitialized MatchData"}});
}

TEST_CASE("a MatchData's groups by their names and ranges") {
    const auto v = usual_vm();
    const std::string m = R"~(m = /(.)(.)(\d+)(\d)/.match("THX1138: The Movie"); )~";
    const auto of = [&](const std::string& code) { return answered(*v, m + code); };
    CHECK(of("/(?<a>x)(?<a>y)(?<b>z)/.match('xyz')") == R"~(#<MatchData "xyz" a:"x" a:"y" b:"z">)~");
    CHECK(of("[m.values_at(0, 2, -2), m.values_at(1..2, -1), m.values_at(1...3)]") ==
          R"~([["HX1138", "X", "113"], ["H", "X", "8"], ["H", "X"]])~");
    CHECK(of("[m.values_at(3..9), m.values_at(7..9), m.values_at(5..9).size, m.values_at(3..-1), m.values_at(3..1)]") ==
          R"~([["113", "8", nil, nil, nil, nil, nil], [nil, nil, nil], 5, ["113", "8"], []])~");
    CHECK(of("m.values_at(-9..2)") == "RangeError: -9..2 out of range");
}

TEST_CASE("what a search leaves in $~") {
    const auto v = usual_vm();
    const auto of = [&](const std::string& code) { return answered(*v, "'a' =~ /a/; " + code + "; $~ && $~[0]"); };
    for (const char* forgets :
         {"'x'.start_with?(/z/)", "'x'.start_with?(/z/, 'x')", "'x,y'.split(/,/)", "'xy'.split(/,/)", "''.split(/,/)",
          "'x'.index(/x/, -2)", "'x'.index(/y/)", "'x,'.split(/,/, -1)", "'xy'[/z/]", "'x,y'.split(/,/) { |x| x }"}) {
        INFO(forgets);
        CHECK(of(forgets) == "nil");
    }
    for (const char* leaves : {"'x'.start_with?('y')", "'x'.index(/x/, 2)", "'x'.start_with?('x', /z/)", "'x,y'.split(',')",
                               "'x,y'.split(/,/, 1)", "'xy'.split(//)", "'xy'.match?(/z/)", "'xy'.partition('z')"}) {
        INFO(leaves);
        CHECK(of(leaves) == "\"a\"");
    }
    CHECK(of("'x,y,z'.split(/,/, 2)") == "\",\"");
}

TEST_CASE("templates name groups that have names") {
    const auto v = usual_vm();
    check(*v, {{R"~("a".gsub(/a/, '\k<1>'))~", "IndexError: undefined group name reference: 1"},
               {R"~("a".gsub(/(a)/, '\k<1>'))~", "IndexError: undefined group name reference: 1"},
               {R"~("a".gsub("a", '\k<x>'))~", "IndexError: undefined group name reference: x"},
               {R"~("a".gsub(/a/, '\k<'))~", "RuntimeError: invalid group name reference format"},
               {R"~("a".sub("a", 'b\k<x'))~", "RuntimeError: invalid group name reference format"},
               {R"~(["a".gsub(/a/, '\kx>'), "a".gsub(/(?<x>a)/, '[\k<x>]'), "a".gsub(/a/, '\k')])~",
                R"~(["\\kx>", "[a]", "\\k"])~"}});
}

TEST_CASE("Symbol, try_convert and ~") {
    const auto v = usual_vm();
    check(*v,
          {{"[:ab.match(/b/), :ab.match?(/c/), :ab[/b/], :abc[1], :abc[0, 2], :abc['b'], :abc[0..1], :ab =~ /b/, :ab =~ nil]",
            R"~([#<MatchData "b">, false, "b", "b", "ab", "b", "ab", 1, nil])~"},
           {"[:ab.match('b', 1)[0], :ab.match(/b/) { |m| m[0] * 2 }, :a[/(x)?a/, 1], 'é'.to_sym[/./] == 'é']",
            R"~(["b", "bb", nil, true])~"},
           {"def f(s); s.match(/b/) { |m| return m[0] }; 9; end; [f(:abc), f(:x)]", R"~(["b", 9])~"},
           {":ab =~ 'b'", "TypeError: type mismatch: String given"},
           {"[Regexp.try_convert(/a/), Regexp.try_convert('a'), Regexp.try_convert(nil)]", "[/a/, nil, nil]"},
           {"o = Object.new; def o.to_regexp; /x/; end; Regexp.try_convert(o)", "/x/"},
           {"o = Object.new; def o.to_regexp; 1; end; Regexp.try_convert(o)",
            "TypeError: can't convert Object to Regexp (Object#to_regexp gives Integer)"},
           {"$_ = 'xab'; a = [~/a/, $~[0]]; $_ = nil; a + [~/a/, $~]", R"~([1, "a", nil, nil])~"}});
}

// What a long string is made of is remembered from one search to the next, and must be what it is made of.
TEST_CASE("searches in a long string that changes") {
    const auto v = usual_vm();
    const std::string begin =
        "s = 'a' * 9000; seen = []; ask = lambda { seen << s.scan(/.\\z/)[0].bytes.size << s.match?(/\\u00e9/) };";
    const auto of = [&](const std::string& code) { return answered(*v, begin + code); };
    CHECK(of("ask.call; s << 'é'; ask.call; s << \"\\xff\"; ask.call; seen") == "[1, false, 2, true, 1, true]");
    CHECK(of("ask.call; s[8999] = 'é'; ask.call; s.setbyte(9000, 0x62); ask.call; s.setbyte(8999, 0x61); ask.call; seen") ==
          "[1, false, 2, true, 1, false, 1, false]");
    CHECK(of("ask.call; s.replace('é' * 5000); ask.call; s.replace('b' * 10000); ask.call; seen") ==
          "[1, false, 2, true, 1, false]");
    CHECK(of("t = s.dup; s =~ /a/; $~ = nil; GC.start; s.setbyte(8998, 0xc3); s.setbyte(8999, 0xa9); ask.call; [seen, t =~ "
             "/é/]") == "[[2, true], nil]");
    CHECK(of("s.freeze; s =~ /a/; [s.match?(/a\\z/), (s + 'é').match?(/é\\z/), s[0, 8000].match?(/a\\z/)]") ==
          "[true, true, true]");
    // A part of it shares its memory, and may begin or end within a character.
    CHECK(of("s = 'é' * 5000; r = /\\A\\xa9/; [s =~ /é/, s.byteslice(0, 9001) =~ /é\\xc3\\z/, s.byteslice(1, 9000) =~ r, "
             "s.byteslice(2, 9000).scan(/é/).size, s.byteslice(0, 10000).scan(/./).size]") == "[0, 8998, 0, 4500, 5000]");
    CHECK(of("s = 'a' * 5000 + 'é' + 'b' * 5000; s =~ /b/; a = $`; b = $'; [a.scan(/./).size, b.scan(/./).size, "
             "s.scan(/./).size]") == "[5001, 4999, 10001]");
    CHECK(
        of("ObjectSpace.each_object(String) { |x| x.replace('é') if !x.frozen? && x.size > 5000 }; GC.start; ask.call; seen") ==
        "[2, true]");
    CHECK(of("ask.call; [String.instance_variables, String.dup.instance_variables]") == "[[], []]");
    CHECK(answered(*v, "'a' * 9000 =~ /a/; String.instance_variable_get(:searched)").starts_with("NameError"));
    CHECK(of("String.freeze; t = 'é' * 5000; [s =~ /a/, t =~ /é/, t.scan(/./).size]") == "[0, 0, 5000]");
}

TEST_CASE("a loop of searches in a long string") {
    const auto v = usual_vm();
    // A walk for each search would take minutes.
    CHECK(answered(*v, "s = 'é,' * 1_000_000; (1..100_000).all? { s.match?(/,/) }") == "true");
    CHECK(answered(*v, "s = 'a' * 300_000; n = i = 0; while i = s.index(/a/, i); i += 1; n += 1; end; n") == "300000");
    CHECK(answered(*v, "s = 'word ' * 50_000; n = i = 0; while m = s.match(/\\w+/, i); i = m.end(0); n += 1; end; n") ==
          "50000");
    CHECK(answered(*v, "s = 'word ' * 50_000; n = 0; while s =~ /\\w+ /; s = $'; n += 1; end; n") == "50000");
}
