// JSON in a plain mruby program: the names and answers of Ruby's json gem.
#include <doctest/doctest.h>

#include <string>

#include "plain.hpp"

using namespace kumihimo::mruby::test;

TEST_CASE("values are written as Ruby's json writes them") {
    plain ruby;
    const auto json = [&](const std::string& value) { return ruby.run("JSON.generate(" + value + ")"); };
    CHECK(json("nil") == "null");
    CHECK(json("[true, false, nil]") == "[true,false,null]");
    CHECK(json("[]") == "[]");
    CHECK(json("{}") == "{}");
    CHECK(json("{'a' => 1, b: [2, {}], nil => 3, 4 => 5, -1 => 0, 1.5 => 6, (1..2) => 7}") ==
          R"({"a":1,"b":[2,{}],"":3,"4":5,"-1":0,"1.5":6,"1..2":7})");
    CHECK(json("[0, -1, 4611686018427387903, 4611686018427387904, -4611686018427387905, 9223372036854775807]") ==
          "[0,-1,4611686018427387903,4611686018427387904,-4611686018427387905,9223372036854775807]");
    CHECK(json("[0.1, 1.0, -0.0, 1e20, 1.5e-7, 100.0, 123456789.125]") == "[0.1,1.0,-0.0,1.0e+20,1.5e-07,100.0,123456789.125]");
    CHECK(json(R"("\"\\/\b\f\n\r\t\x01\x1f\x7f é")") == "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f é\"");
    CHECK(json("[:a, 'x'.to_sym, 1..3, 1...3, 1r, Complex(1, 2), Object, StandardError.new('e')]") ==
          R"(["a","x","1..3","1...3","1/1","1.0+2.0i","Object","e"])");
    CHECK(ruby.run("Point = Struct.new(:x); JSON.generate(Point.new(1))") == R"("#<struct Point x=1>")");
    CHECK(json("Time.at(0).utc") == R"("1970-01-01 00:00:00 UTC")");
    CHECK(json("'x' * 5000").size() == 5002);
    CHECK(ruby.run("JSON.generate((1..20000).to_a) == '[' + (1..20000).map { |i| i.to_s }.join(',') + ']'") == "true");
    CHECK(ruby.run("JSON.generate(\"\\n\" * 20000).size") == "40002");
    CHECK(ruby.run("h = {}; 100.times { |i| h[i] = i }; 50.times { |i| h.delete(i * 2) }; JSON.generate(h).size") ==
          ruby.run("'{}'.size + (0..49).map { |i| %(\"#{i * 2 + 1}\":#{i * 2 + 1},).size }.inject(:+) - 1"));
}

TEST_CASE("an object's own to_json, to_s and the classes that are not exactly core ones count as in Ruby") {
    plain ruby;
    CHECK(ruby.run("class A; def to_json(*a) {'x' => 1}.to_json(*a) end end; JSON.generate([A.new, A.new])") ==
          R"([{"x":1},{"x":1}])");
    CHECK(ruby.run("class B; def to_json() '7' end end; JSON.generate([B.new])") == "[7]");
    CHECK(ruby.run("class C; def to_s() 'c' end; def to_h() {'x' => 1} end end; JSON.generate([C.new, {C.new => C.new}])") ==
          R"(["c",{"c":"c"}])");
    CHECK(ruby.run("class D; def to_s() 1 end end; JSON.generate([D.new])") ==
          "TypeError: can't convert D to String (D#to_s gives Integer)");
    CHECK(ruby.run("class E; def to_json(*) 1 end end; JSON.generate([E.new])") ==
          "TypeError: E#to_json gives Integer, not a String");
    CHECK(ruby.run("class F; def to_json(*) raise 'no' end end; JSON.generate([[F.new]])") == "RuntimeError: no");
    CHECK(ruby.run("class Own < Hash; end; class List < Array; end; class Text < String; end;"
                   "o = Own.new; o['a'] = 1; l = List.new; l << 2; JSON.generate([o, l, Text.new('t')])") ==
          R"([{"a":1},[2],"t"])");
    CHECK(ruby.run("class Own; def to_json(*a) super.sub('1', '2') end end rescue 0; class Loud < Array;"
                   "def to_json(*a) '!' + super + '!' end end; JSON.generate([Loud.new])") == "[![]!]");
    CHECK(ruby.run("x = {'a' => 1}; def x.to_json(*) '0' end; JSON.generate([x])") == "[0]");
    CHECK(ruby.run("class String; def to_json(*) 'S' end end; JSON.generate(['a']) + 'a'.to_json") == R"(["a"]S)");
    CHECK(ruby.run("class Symbol; def to_s() 'other' end end; JSON.generate([:a, {a: 1}])") == R"(["other",{"a":1}])");
    CHECK(ruby.run("[1, {a: nil}].to_json + nil.to_json + 1.5.to_json + true.to_json + Object.to_json + 3.to_json") ==
          R"([1,{"a":null}]null1.5true"Object"3)");
}

TEST_CASE("generate by the name that mruby-json gives it") {
    plain ruby;
    CHECK(ruby.run("JSON.stringify({a: [1, nil]}) + JSON::stringify('b')") == R"({"a":[1,null]}"b")");
    CHECK(ruby.run("JSON.stringify([1], array_nl: '|')") == "[|1|]");
}

TEST_CASE("options of generate") {
    plain ruby;
    CHECK(ruby.run("JSON.pretty_generate({a: [1, {b: []}], c: {}})") ==
          "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": {}\n}");
    CHECK(ruby.run("JSON.pretty_generate([])") == "[]");
    CHECK(ruby.run("JSON.generate([1, {'a' => 2}], space: ' ', array_nl: '|')") == "[|1,|{\"a\": 2}|]");
    CHECK(ruby.run("JSON.generate({'a' => {'b' => 1}}, object_nl: '|', indent: '-', space_before: '_')") ==
          "{|-\"a\"_:{|--\"b\"_:1|-}|}");
    CHECK(ruby.run("class P; def to_json(*a) {'x' => [1]}.to_json(*a) end end; JSON.pretty_generate([P.new])") ==
          "[\n  {\n    \"x\": [\n      1\n    ]\n  }\n]");
    CHECK(ruby.run("JSON.generate(\"</script>\\u2028\\u2029\", script_safe: true)") == R"("<\/script>\u2028\u2029")");
    CHECK(ruby.run("JSON.generate(\"é\\u{1F600}/\", ascii_only: true)") == R"("\u00e9\ud83d\ude00/")");
    CHECK(ruby.run("JSON.generate(\"é/\", ascii_only: true, script_safe: true)") == R"("\u00e9\/")");
    CHECK(ruby.run("JSON.generate([0.0 / 0, 1.0 / 0, -1.0 / 0], allow_nan: true)") == "[NaN,Infinity,-Infinity]");
    CHECK(ruby.run("JSON.dump([0.0 / 0])") == "[NaN]");
    CHECK(ruby.run("JSON.dump([[1]], 2) + JSON.dump([[1]], nil, 2)") == "[[1]][[1]]");
    CHECK(ruby.run("JSON.dump([[1]], 1)") == "ArgumentError: exceed depth limit");
    CHECK(ruby.run("class IoLike; attr_reader :s; def write(s) @s = s end end; io = IoLike.new; JSON.dump([1], io).s") ==
          "[1]");
    CHECK(ruby.run("JSON.generate([:a, 1], strict: true)") == R"(["a",1])");
    CHECK(ruby.run("JSON.generate([Object.new], strict: true)") == "JSON::GeneratorError: Object not allowed in JSON");
    CHECK(ruby.run("JSON.generate(1, indent: 3)") == "TypeError: wrong argument type Integer (expected String)");
    CHECK(ruby.run("JSON.generate(1, 2)").find("TypeError") == 0);
    CHECK(ruby.run("JSON[[1]] + JSON['[1, 2]'].inspect") == "[1][1, 2]");
}

TEST_CASE("what JSON has not is refused") {
    plain ruby;
    CHECK(ruby.run("JSON.generate([0.0 / 0])") == "JSON::GeneratorError: NaN not allowed in JSON");
    CHECK(ruby.run("JSON.generate([-1.0 / 0])") == "JSON::GeneratorError: -Infinity not allowed in JSON");
    for (const char* text : {"\\xff", "abc\\x80", "\\xed\\xa0\\x80", "\\xc0\\x80"}) {
        CHECK(ruby.run("JSON.generate([\"" + std::string(text) + "\"])") ==
              "JSON::GeneratorError: source sequence is illegal/malformed utf-8");
        CHECK(ruby.run("JSON.generate({\"" + std::string(text) + "\" => 1})") ==
              "JSON::GeneratorError: source sequence is illegal/malformed utf-8");
    }
    CHECK(ruby.run("begin; JSON.generate([\"\\xff\"]); rescue JSON::JSONError => e; e.invalid_object == \"\\xff\"; end") ==
          "true");
    CHECK(ruby.run("a = []; a << a; JSON.generate(a)") == "JSON::NestingError: nesting of 101 is too deep");
    CHECK(ruby.run("h = {}; h[1] = h; JSON.generate(h)") == "JSON::NestingError: nesting of 101 is too deep");
    CHECK(ruby.run("a = []; a << a; JSON.generate(a, max_nesting: 0)") == "SystemStackError: stack level too deep");
    CHECK(ruby.run("a = []; a << a; JSON.generate(a, max_nesting: 0, indent: ' ')") ==
          "SystemStackError: stack level too deep");
    CHECK(ruby.run("a = []; 100.times { a = [a] }; JSON.generate(a)") == "JSON::NestingError: nesting of 101 is too deep");
    CHECK(ruby.run("a = []; 99.times { a = [a] }; JSON.generate(a).size") == "200");
    CHECK(ruby.run("class R; def to_json(*a) [self].to_json(*a) end end; JSON.generate(R.new)").find("Error") !=
          std::string::npos);
}

TEST_CASE("code that runs in between may change what is being written") {
    plain ruby;
    ruby.run(
        "class Cut; def initialize(&b) @b = b end; def to_json(*) @b.call; GC.start; '0' end; def to_s() @b.call; 'k' end end");
    CHECK(ruby.run("a = [1, nil, 2, 3]; a[1] = Cut.new { a.clear }; JSON.generate(a)") == "[1,0]");
    CHECK(ruby.run("a = [1, nil]; a[1] = Cut.new { 3.times { |i| a << i } if a.size < 5 }; JSON.generate(a)") == "[1,0,0,1,2]");
    CHECK(ruby.run("h = {a: 1}; h[:b] = Cut.new { h.clear; 100.times { |i| h[i] = i } if h.size == 0 }; h[:c] = 3;"
                   "JSON.parse(JSON.generate(h)).size > 0") == "true");
    CHECK(ruby.run("h = {}; h[Cut.new { h.delete(:z) }] = 'value' * 20; h[:z] = 1; JSON.generate(h)") ==
          R"({"k":"valuevaluevaluevaluevaluevaluevaluevaluevaluevaluevaluevaluevaluevaluevaluevaluevaluevaluevaluevalue"})");
    CHECK(ruby.run("outer = [[['deep' * 10, Cut.new { outer.clear; GC.start; 2000.times { 'x' * 50 } }, 'after' * 10]]];"
                   "JSON.generate(outer)") ==
          R"([[["deepdeepdeepdeepdeepdeepdeepdeepdeepdeep",0,"afterafterafterafterafterafterafterafterafterafter"]]])");
    CHECK(ruby.run("h = {}; 20.times { |i| h['key' + i.to_s] = Cut.new { h.rehash; GC.start } };"
                   "JSON.parse(JSON.generate([h] * 3)).size") == "3");
    // What it is to be laid out with, too.
    CHECK(ruby.run("o = {indent: '-' * 300, array_nl: '|' * 300}; cut = Cut.new { o.each_value { |s| s.replace('y') }; o.clear;"
                   "GC.start; 100.times { 'z' * 300 } }; n = '|' * 300;"
                   "JSON.generate([cut, 1], o) == \"[#{n}#{'-' * 300}0,#{n}#{'-' * 300}1#{n}]\"") == "true");
}

TEST_CASE("documents are read") {
    plain ruby;
    const auto parsed = [&](const std::string& document, const std::string& options = "") {
        mrb_define_global_const(ruby.state(), "DOCUMENT", ruby.string(document));
        return ruby.run("JSON.parse(DOCUMENT" + options + ")");
    };
    CHECK(parsed("null") == "nil");
    CHECK(parsed(" [1, -2, 2.5, 1e3, true, false, null, \"a\\u00e9\\n\"] ") ==
          R"([1, -2, 2.5, 1000.0, true, false, nil, "a\xc3\xa9\n"])");
    CHECK(parsed(R"({"a":{"b":[]},"c":{}})") == R"({"a"=>{"b"=>[]}, "c"=>{}})");
    CHECK(parsed(R"({"a":{"b":[]}})", ", symbolize_names: true") == "{:a=>{:b=>[]}}");
    CHECK(parsed(R"({"a":1,"b":2,"a":3})") == R"({"a"=>3, "b"=>2})");
    CHECK(parsed(R"({"a":1,"\u0061":3})") == R"({"a"=>3})");
    CHECK(parsed("-0") == "0");
    CHECK(parsed("[4611686018427387904, -9223372036854775808, 9223372036854775807]") ==
          "[4611686018427387904, -9223372036854775808, 9223372036854775807]");
    // Beyond 64 bits: the integers of mruby 3.3, the nearest Floats of 3.1.
    if (MRUBY_RELEASE_NO >= 30200) {
        CHECK(parsed("[9223372036854775808, -123456789012345678901234567890]") ==
              "[9223372036854775808, -123456789012345678901234567890]");
        CHECK(ruby.run("JSON.generate([2**64, -(2**70), {(2**64) => 1}])") ==
              "[18446744073709551616,-1180591620717411303424,{\"18446744073709551616\":1}]");
        CHECK(ruby.run("JSON.generate((2**64).to_json)") == "\"18446744073709551616\"");
        CHECK(ruby.run("MessagePack.unpack(MessagePack.pack([2**63, 2**64 - 1, {2**63 => 1}]))") ==
              "[9223372036854775808, 18446744073709551615, {9223372036854775808=>1}]");
        CHECK(ruby.run("MessagePack.pack(2**64)").starts_with("RangeError"));
        CHECK(ruby.run("JSON.parse('1' + '0' * 5000)").find("Infinity") != std::string::npos);
        CHECK(
            ruby.run("def deep(n); deep(n + 1); end; GC.start; begin; deep(0); rescue SystemStackError => e; e.message; end") ==
            "stack level too deep");
    } else {
        CHECK(parsed("[9223372036854775808, 123456789012345678901234567890]") ==
              "[9.22337203685478e+18, 1.23456789012346e+29]");
    }
    CHECK(parsed("1e400") == "Infinity");
    CHECK(parsed("[NaN, -Infinity]", ", allow_nan: true") == "[NaN, -Infinity]");
    CHECK(parsed("[1, /* two */ 2,]", ", allow_comments: true, allow_trailing_comma: true") == "[1, 2]");
    CHECK(ruby.run("JSON.parse('{\"a\":[\"b\"]}', freeze: true).then_frozen rescue [(x = JSON.parse('{\"a\":[\"b\"]}', freeze: "
                   "true)).frozen?, x['a'].frozen?, x['a'][0].frozen?]") == "[true, true, true]");
    CHECK(ruby.run("x = JSON.parse('[{\"k\":1},{\"k\":2}]'); x[0]['k'] = 5; x[0]['new'] = 1; x[1].delete('k'); x") ==
          R"([{"k"=>5, "new"=>1}, {}])");
    CHECK(ruby.run("x = JSON.parse('[[1,2],[1,2,3,4]]'); x[0] << 3 << 4 << 5; x[1] << 5; x") ==
          "[[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]]");
    CHECK(ruby.run("x = JSON.parse('[\"short\",\"' + 'long' * 20 + '\"]'); x[0] << '!'; x[1] << '!'; [x[0], x[1].size]") ==
          R"(["short!", 81])");
    CHECK(
        ruby.run("h = {}; 300.times { |i| h['key number ' + i.to_s] = [i, i.to_s * 9] }; JSON.parse(JSON.generate(h)) == h") ==
        "true");
    CHECK(ruby.run("h = {}; 17.times { |i| h['k' * (i + 40)] = i }; [JSON.parse(JSON.generate([h, h])) == [h, h],"
                   "JSON.parse(JSON.generate(h))['k' * 41]]") == "[true, 1]");
    CHECK(ruby.run("a = (1..3000).map { |i| {'id' => i, 's' => 'x' * (i % 60)} }; JSON.parse(JSON.generate(a)) == a") ==
          "true");
    CHECK(ruby.run("a = []; 2000.times { a << [[], {}, 'é' * 30, nil] }; JSON.parse(JSON.generate(a)) == a") == "true");
    CHECK(ruby.run("[JSON.load(nil), JSON.load(''), JSON.load('[NaN]')[0].nan?]") == "[nil, nil, true]");
    CHECK(ruby.run("seen = []; v = JSON.load('[1,{\"a\":[2,null]}]', proc { |x| seen << x.to_s; 5 }); [v == [1, {'a' => [2, "
                   "nil]}], seen]") ==
          R"([true, ["1", "a", "2", "", "[2, nil]", "{\"a\"=>[2, nil]}", "[1, {\"a\"=>[2, nil]}]"]])");
    CHECK(ruby.run("seen = []; JSON.load('', proc { |x| seen << x }); JSON.load(nil, proc { |x| seen << x }); seen") ==
          "[nil, nil]");
    CHECK(ruby.run("def f; JSON.load('[1,2]', proc { |x| return x + 10 }); end; f") == "11");
    CHECK(ruby.run("JSON.load('[1]', 5)") == "TypeError: wrong argument type Integer (expected Proc)");
    for (const char* const name : {"create_additions", "object_class", "array_class", "decimal_class"}) {
        CHECK(ruby.run("JSON.parse('{}', " + std::string(name) + ": true)") ==
              "ArgumentError: " + std::string(name) + " is not supported");
        CHECK(ruby.run("JSON.parse('{}', " + std::string(name) + ": false)") == "{}");
    }
}

TEST_CASE("broken documents are told by place") {
    plain ruby;
    const auto parsed = [&](const std::string& document) {
        mrb_define_global_const(ruby.state(), "DOCUMENT", ruby.string(document));
        return ruby.run(
            "begin; JSON.parse(DOCUMENT); rescue JSON::ParserError => e; [e.class, e.line, e.column, e.offset, e.path]; end");
    };
    CHECK(parsed("[1, 2,, 3]") == R"([JSON::ParserError, 1, 7, 6, "$[2]"])");
    CHECK(parsed("{\n \"a\": tru\n}") == R"([JSON::ParserError, 2, 7, 8, "$.a"])");
    CHECK(parsed("") == R"([JSON::ParserError, 1, 1, 0, "$"])");
    CHECK(parsed("[1] x").find("JSON::ParserError, 1, 5, 4") != std::string::npos);
    CHECK(parsed(std::string(101, '[') + "1" + std::string(101, ']')).find("[JSON::NestingError, 1, 101, 100") == 0);
    CHECK(ruby.run("JSON.parse('[1, 2,, 3]')") ==
          "JSON::ParserError: a value is missing before the comma at line 1 column 7 (byte 6, $[2]): '[1, 2,, 3]'");
    CHECK(ruby.run("JSON.parse('[' * 101 + '1' + ']' * 101, max_nesting: 101).flatten") == "[1]");
    CHECK(ruby.run("JSON.parse('[' * 5000 + ']' * 5000, max_nesting: 0).size") == "1");
    CHECK(ruby.run("JSON.parse('{\"a\":1,\"a\":2}', allow_duplicate_key: false)").find("JSON::ParserError") == 0);
    CHECK(ruby.run("JSON.parse(\"[\\\"\\xff\\\"]\")").find("JSON::ParserError") == 0);
    CHECK(ruby.run("JSON.parse(nil)") == "TypeError: no implicit conversion of NilClass into String");
    CHECK(ruby.run("JSON.parse('[]', 3)").find("TypeError") == 0);
    CHECK(ruby.run("JSON.parse('[]', max_nesting: -1)").find("ArgumentError") == 0);
    const std::string deep = std::string(300, '{') + "\"a\":";
    CHECK(parsed(deep).find("JSON::ParserError") != std::string::npos);
}

TEST_CASE("a thousand keys of all kinds come back") {
    plain ruby;
    CHECK(ruby.run(
              "a = (0...200).map { |i| h = {}; (0...(i % 23)).each { |k| h['k' * (k % 50) + (i * k % 7).to_s] = k }; h };"
              "[JSON.parse(JSON.generate(a)) == a, JSON.parse(JSON.generate(a), symbolize_names: true).map { |h| h.size } == "
              "a.map { |h| h.size }]") == "[true, true]");
}

TEST_CASE("the classes are Ruby's") {
    plain ruby;
    CHECK(
        ruby.run("[JSON::ParserError, JSON::NestingError, JSON::GeneratorError, JSON::JSONError].map { |c| c.ancestors.include?"
                 "(JSON::JSONError) && c.ancestors.include?(StandardError) }") == "[true, true, true, true]");
    CHECK(ruby.run("JSON::NestingError.superclass") == "JSON::ParserError");
    CHECK(
        ruby.run("class S; def to_json(state) state.class.to_s.to_json + state.depth.to_s end end; JSON.generate([[S.new]])") ==
        R"([["JSON::State"2]])");
    CHECK(ruby.run("class T; def to_json(state) state[:indent].to_json end end; JSON.generate([T.new], indent: '-')") ==
          "[-\"-\"]");
}
