// Kumihimo.dump, load, convert, each_document and formats, in a plain mruby program: over every row of the engine's
// table, whose formats are not named where a test holds for all of them.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/null.hpp"
#include "engine/formats.hpp"
#include "vectors.hpp"

using namespace kumihimo;
using namespace kumihimo::mruby::test;
using namespace std::string_literals;

namespace {

// Values of all kinds that every format has, or lowers so that they come back as they were.
constexpr const char* values = R"(
    class Dice
      def initialize(seed) @n = seed end
      def roll(n) (@n = (@n * 1103515245 + 12345) & 0x7fffffff) / 65536 % n end
      TEXTS = ['', 'a', 'key', 'é', "quote \" and \\", "line\nline", 'x' * 40, "\u{1F600} and more", 'long ' * 100, "\x01\x1f"]
      NUMBERS = [0, 1, -1, 127, 128, 255, 256, -32, -33, -128, -129, 65535, 65536, 2**31, -2**31, 2**32, 2**40, 2**53, 2**61, -2**61,
                 0.5, -0.25, 1.5e300, 0.1, 1e-7, 123456789.125, -0.0]
      def value(depth)
        case roll(depth > 4 ? 4 : 7)
        when 0 then [nil, true, false][roll(3)]
        when 1, 2 then NUMBERS[roll(NUMBERS.size)]
        when 3 then TEXTS[roll(TEXTS.size)]
        when 4, 5 then (0...roll(6)).map { value(depth + 1) }
        else (0...roll(20)).inject({}) { |h, i| h[TEXTS[roll(TEXTS.size)] + i.to_s] = value(depth + 1); h }
        end
      end
    end
    def same?(a, b) a == b && a.inspect == b.inspect end
)";

}  // namespace

TEST_CASE("the formats are those of the table") {
    plain ruby;
    std::string expected = "[";
    each_format([&](auto row) {
        using rows = decltype(row);
        const auto list = [](const auto& all) {
            std::string out;
            for (const auto& one : all) {
                if constexpr (requires { one.name; })
                    out += (out.empty() ? "\"" : ", \"") + std::string(one.name) + "\"";
                else
                    out += (out.empty() ? "\"" : ", \"") + std::string(one) + "\"";
            }
            return "[" + out + "]";
        };
        expected += (expected.size() == 1 ? "" : ", ") + "{:name=>\""s + std::string(rows::name) + "\", :text=>" +
                    (rows::is_text ? "true" : "false") + ", :media_types=>" + list(rows::media_types) + ", :endings=>" +
                    list(rows::endings) + ", :read_dialects=>" + list(rows::read_dialects) + ", :write_dialects=>" +
                    list(rows::write_dialects) + "}";
    });
    CHECK(ruby.run("Kumihimo.formats") == expected + "]");
}

TEST_CASE("random values come back through every format and every dialect") {
    plain ruby;
    REQUIRE(ruby.run(values) != "");
    const std::string all = R"(
        # What a dialect's layout cannot say, asked of the smallest documents.
        def refuses_empty?(f, w) Kumihimo.dump({}, format: f, dialect: w); false; rescue Kumihimo::GeneratorError; true end
        def truth_is_a_number?(f, w) Kumihimo.load(Kumihimo.dump([true, false], format: f, dialect: w), format: f) == [1, 0] end
        PROBE = [{'b' => 'text', 'a' => [1, 70000, 0.5, 0.1, nil]}]
        def reads?(f, w, r) Kumihimo.load(Kumihimo.dump(PROBE, format: f, dialect: w), format: f, dialect: r) == PROBE; rescue Kumihimo::ParserError; false end
        def with_numbers(v)
          case v
          when true then 1
          when false then 0
          when Array then v.map { |x| with_numbers(x) }
          when Hash then v.inject({}) { |h, (k, x)| h[k] = with_numbers(x); h }
          else v
          end
        end
        wrong = []
        Kumihimo.formats.each do |f|
          f[:read_dialects].each { |r| wrong << [f[:name], r, 'reads nothing'] unless f[:write_dialects].any? { |w| reads?(f[:name], w, r) } }
        end
        dice = Dice.new(7)
        40.times do |n|
          v = dice.value(0)
          Kumihimo.formats.each do |f|
            f[:write_dialects].each do |w|
              next if v == {} && refuses_empty?(f[:name], w)
              bytes = Kumihimo.dump(v, format: f[:name], dialect: w)
              wanted = truth_is_a_number?(f[:name], w) ? with_numbers(v) : v
              readers = f[:read_dialects].select { |r| reads?(f[:name], w, r) }
              wrong << [n, f[:name], w, 'unread'] if readers.empty?
              readers.each do |r|
                back = Kumihimo.load(bytes, format: f[:name], dialect: r)
                # A dialect may have one kind of number only.
                wrong << [n, f[:name], w, r] unless same?(back, wanted) || back == wanted
              end
            end
            first = Kumihimo.dump(v, format: f[:name])
            wrong << [n, f[:name]] unless same?(Kumihimo.load(first, format: f[:name]), v)
            Kumihimo.formats.each do |g|
              made = Kumihimo.convert(first, from: f[:name], to: g[:name])
              wrong << [n, f[:name], g[:name]] unless same?(Kumihimo.load(made, format: g[:name]), v)
              wrong << [n, f[:name], g[:name], 'bytes'] unless made == Kumihimo.dump(v, format: g[:name])
            end
          end
        end
        wrong)";
    CHECK(ruby.run(all) == "[]");
}

TEST_CASE("what JSON.generate and MessagePack.pack write is what their formats read and write") {
    plain ruby;
    REQUIRE(ruby.run(values) != "");
    CHECK(ruby.run(R"(
        d = Dice.new(3)
        (0...200).all? { v = [d.value(0)]; Kumihimo.load(JSON.generate(v)) == v && Kumihimo.dump(v, format: 'json', dialect: 'ruby_generate') == JSON.generate(v) &&
          Kumihimo.load(MessagePack.pack(v), format: 'msgpack') == v && Kumihimo.dump(v, format: :msgpack) == MessagePack.pack(v) })") ==
          "true");
}

TEST_CASE("values of all kinds") {
    plain ruby;
    const auto json = [&](const std::string& v, const std::string& dialect = "nil") {
        return ruby.run("Kumihimo.dump(" + v + ", format: 'json', dialect: " + dialect + ")");
    };
    const auto packed = [&](const std::string& v, const std::string& dialect = "nil") {
        return ruby.run("Kumihimo.dump(" + v + ", format: 'msgpack', dialect: " + dialect + ")");
    };
    CHECK(json("[nil, :a, 0.1, 1.0 / 4, 'é', 2 ** 62]") == R"([null,"a",0.1,0.25,"é",4611686018427387904])");
    CHECK(json("\"\\xff\"") == R"("/w==")");
    CHECK(packed("\"\\xff\"") == "\xc4\x01\xff"s);
    CHECK(json("{1 => 2, nil => 3, 1.5 => 4, true => 5, a: 6, \"\\xff\" => 7}") ==
          R"({"1":2,"null":3,"1.5":4,"true":5,"a":6,"/w==":7})");
    CHECK(packed("{1 => 2, \"\\xff\" => 7, :a => 6, [1] => 2}") == "\x84\x01\x02\xc4\x01\xff\x07\xa1\x61\x06\x91\x01\x02"s);
    CHECK(json("{[1] => 2}") == "Kumihimo::GeneratorError: a container as a key: JSON's keys are text");
    CHECK(json("{Time.at(0).utc => 1}") == R"({"1970-01-01T00:00:00Z":1})");
    CHECK(json("0.0 / 0").find("Kumihimo::GeneratorError: NaN or an infinity") == 0);
    CHECK(json("[1.0 / 0]", "'lenient'") == "[null]");
    CHECK(packed("0.0 / 0").substr(0, 1) == "\xcb");
    CHECK(json("Time.at(1, 500000).utc") == R"("1970-01-01T00:00:01.5Z")");
    CHECK(packed("Time.at(1, 500000)") == "\xd7\xff\x77\x35\x94\x00\x00\x00\x00\x01"s);
    CHECK(packed("Time.at(1)", "'time_text'").find("\xb9"s + "1970-01-01T") == 0);
    CHECK(json("MessagePack::Timestamp.new(2, 5)") == R"("1970-01-01T00:00:02.000000005Z")");
    CHECK(json("MessagePack::Extension.new(5, 'x')").find("Kumihimo::GeneratorError: an extension") == 0);
    CHECK(json("[MessagePack::Extension.new(5, 'x'), 1]", "'lenient'") == R"([{"type":5,"data":"eA=="},1])");
    CHECK(packed("MessagePack::Extension.new(5, 'abc')") == "\xc7\x03\x05"s + "abc");
    CHECK(packed("MessagePack::Extension.new(200, '')") == "RangeError: an extension's type is not from -128 to 127");
    CHECK(packed("MessagePack::Extension.new(2, nil)") ==
          "Kumihimo::GeneratorError: MessagePack::Extension cannot be written: its payload is not a String");
    CHECK(
        ruby.run("class List < Array; end; class Table < Hash; end; class Name < String; end; l = List.new; l << Name.new('n');"
                 "t = Table.new; t[Name.new('k')] = l; Kumihimo.dump([t, l], format: 'json')") == R"([{"k":["n"]},["n"]])");
    if (mruby::big_integers) {
        CHECK(json("[2 ** 63, -(2 ** 70)]") == "[9223372036854775808,-1180591620717411303424]");
        CHECK(packed("2 ** 63") == "\xcf\x80\x00\x00\x00\x00\x00\x00\x00"s);
        CHECK(packed("2 ** 64") == "Kumihimo::GeneratorError: MessagePack has no number of this size");
        CHECK(packed("2 ** 64", "'big_text'") == "\xb4"s + "18446744073709551616");
    }
    const auto back = [&](const std::string& v, const std::string& more = "") {
        return ruby.run("Kumihimo.load(Kumihimo.dump(" + v + ", format: 'msgpack'), format: 'msgpack'" + more + ")");
    };
    CHECK(ruby.run(
              "t = Time.at(1000, 7); u = Kumihimo.load(Kumihimo.dump(t, format: 'msgpack'), format: 'msgpack'); [u.class, u == "
              "t, u.utc?]") == "[Time, true, true]");
    CHECK(ruby.run("Kumihimo.load(Kumihimo.dump(Time.at(1, 2), format: 'msgpack'), format: 'msgpack', timestamp: true) == "
                   "MessagePack::Timestamp.new(1, 2000)") == "true");
    CHECK(
        ruby.run("class Time; def to_i() raise 'asked' end; def usec() raise 'asked' end; def self.at(*) raise 'asked' end end;"
                 "Kumihimo.load(Kumihimo.dump(Time.now, format: 'msgpack'), format: 'msgpack').class") == "Time");
    CHECK(
        ruby.run(
            "e = MessagePack::Extension.new(-5, 'x'); Kumihimo.load(Kumihimo.dump(e, format: 'msgpack'), format: 'msgpack') == "
            "e") == "true");
    CHECK(back("{'a' => {'b' => 1}}", ", symbolize_names: true") == "{:a=>{:b=>1}}");
    CHECK(ruby.run("x = Kumihimo.load('{\"a\":[\"b\"]}', freeze: true); [x.frozen?, x['a'].frozen?, x['a'][0].frozen?]") ==
          "[true, true, true]");
    CHECK(back("{[1] => 2}").find("Kumihimo::ParserError: a map's key is neither text") == 0);
    CHECK(ruby.run("Kumihimo.load('[\"\\\\ud800x\\\\ud83d\\\\ude00\"]', format: 'json', dialect: 'python_read')") ==
          "[\"\\xed\\xa0\\x80x\\xf0\\x9f\\x98\\x80\"]");
    CHECK(ruby.run("Kumihimo.load('{\"\\\\ud800\":1}', format: 'json', dialect: 'python_read')") == "{\"\\xed\\xa0\\x80\"=>1}");
}

TEST_CASE("what an object is instead, and what changes meanwhile") {
    plain ruby;
    ruby.run("class Point; def initialize(x) @x = x end; attr_reader :x end");
    each_format([&](auto row) {
        const std::string format = in_quotes(decltype(row)::name);
        CAPTURE(format);
        CHECK(ruby.run("Kumihimo.dump([Point.new(1)], format: " + format + ")") ==
              "Kumihimo::GeneratorError: Point cannot be written: give dump a block that says what to write instead");
        CHECK(ruby.run("Kumihimo.load(Kumihimo.dump([Point.new(1), 2], format: " + format +
                       ") { |p| [p.x] }, format: " + format + ")") == "[[1], 2]");
        CHECK(ruby.run("Kumihimo.dump([Point.new(1)], format: " + format + ") { |p| p }") ==
              "Kumihimo::GeneratorError: Point cannot be written: the block gave it back as it was");
        CHECK(ruby.run("Kumihimo.dump([Point.new(1)], format: " + format + ") { |p| break 'left' }") == "left");
        CHECK(ruby.run("a = [1]; a << Point.new(1) << 3; Kumihimo.dump(a, format: " + format + ") { a.clear; nil }") ==
              "RuntimeError: the Array was changed while it was being written");
        CHECK(ruby.run("h = {1 => Point.new(1), 2 => 3}; Kumihimo.dump(h, format: " + format +
                       ") { 50.times { |i| h[i] = 1 }; nil }") ==
              "RuntimeError: the Hash was changed while it was being written");
        // Another walk within the block, refused there: the error is its own, and this walk goes on.
        CHECK(ruby.run("Kumihimo.load(Kumihimo.dump([Point.new(1)], format: " + format +
                       ") { begin; Kumihimo.dump({[] => 1}, format: 'json'); rescue Kumihimo::GeneratorError => e; "
                       "e.class.to_s; end }, format: " +
                       format + ")") == R"(["Kumihimo::GeneratorError"])");
    });
}

TEST_CASE("names that there are not, and bytes that tell nothing") {
    plain ruby;
    std::string formats, first, dialects;
    each_format([&](auto row) {
        formats += (formats.empty() ? "" : ", ") + std::string(decltype(row)::name);
        if (!first.empty()) return;
        first = decltype(row)::name;
        for (const auto& d : decltype(row)::write_dialects) dialects += (dialects.empty() ? "" : ", ") + std::string(d.name);
    });
    for (const char* const call : {"Kumihimo.dump(1, format: 'yam')", "Kumihimo.load('1', format: 'yam')",
                                   "Kumihimo.convert('1', to: 'yam')", "Kumihimo.each_document('1', format: 'yam') { }"})
        CHECK(ruby.run(call) == "ArgumentError: unknown format \"yam\": there are " + formats);
    CHECK(ruby.run("Kumihimo.dump(1, format: '" + first + "', dialect: :yam)") ==
          "ArgumentError: unknown dialect :yam: to write " + first + " there are " + dialects);
    CHECK(ruby.run("Kumihimo.load('1', format: '" + first + "', dialect: 'x' * 100)")
              .find("ArgumentError: unknown dialect \"xxx") == 0);
    CHECK(ruby.run("Kumihimo.dump(1)") == "ArgumentError: missing keyword: :format");
    CHECK(ruby.run("Kumihimo.convert('1')") == "ArgumentError: missing keyword: :to");
    CHECK(ruby.run("Kumihimo.dump(1, format: 3)") == "TypeError: a name is a String or a Symbol, not Integer");
    CHECK(ruby.run("Kumihimo.dump(1, format: 'json', surprise: 1)") == "ArgumentError: unknown keyword: surprise");
    CHECK(ruby.run("Kumihimo.load('1', 5)") == "TypeError: can't convert Integer into Hash");
    CHECK(ruby.run("Kumihimo.load(5)") == "TypeError: no implicit conversion of Integer into String");
    for (const char* const call : {"Kumihimo.load('')", "Kumihimo.convert('', to: 'json')", "Kumihimo.each_document('') { }"})
        CHECK(ruby.run(call) == "ArgumentError: the bytes do not tell their format: name it");
    CHECK(ruby.run("Kumihimo.each_document('1')") == "ArgumentError: each_document needs a block");
    CHECK(ruby.run("Kumihimo.dump(1, format: 'json', max_nesting: -1)") == "ArgumentError: max_nesting is not negative: -1");
    CHECK(ruby.run("class Source; def read() '[7]' end end; Kumihimo.load(Source.new)") == "[7]");
}

TEST_CASE("errors have their place, and nesting its limit") {
    plain ruby;
    CHECK(ruby.run("begin; Kumihimo.load(\"{\\n \\\"a\\\": tru\\n}\"); rescue Kumihimo::ParserError => e; [e.offset, e.line, "
                   "e.column, "
                   "e.path]; end") == R"([8, 2, 7, "$.a"])");
    CHECK(ruby.run(
              "begin; Kumihimo.load(\"\\x92\\x01\", format: 'msgpack'); rescue Kumihimo::ParserError => e; [e.offset, e.line, "
              "e.path]; end") == R"([0, nil, "$"])");
    CHECK(
        ruby.run("begin; Kumihimo.convert('[1', to: 'msgpack'); rescue Kumihimo::ParserError => e; [e.offset, e.line]; end") ==
        "[2, 1]");
    CHECK(ruby.run("Kumihimo::NestingError.superclass") == "Kumihimo::ParserError");
    each_format([&](auto row) {
        const std::string format = in_quotes(decltype(row)::name);
        CAPTURE(format);
        const auto nested = [&](int n, const std::string& rest) {
            return ruby.run("a = 1; " + std::to_string(n) + ".times { a = [a] }; " + rest);
        };
        for (const auto& d : decltype(row)::write_dialects)
            CHECK(nested(1000, "b = Kumihimo.dump(a, format: " + format + ", dialect: " + in_quotes(d.name) +
                                   "); Kumihimo.dump(Kumihimo.load(b, format: " + format + "), format: " + format +
                                   ", dialect: " + in_quotes(d.name) + ") == b") == "true");
        CHECK(nested(1025, "Kumihimo.dump(a, format: " + format + ")") ==
              "Kumihimo::NestingError: nesting of 1025 is too deep");
        CHECK(nested(3, "Kumihimo.dump(a, format: " + format + ", max_nesting: 2)") ==
              "Kumihimo::NestingError: nesting of 3 is too deep");
        const std::string deep = "b = Kumihimo.dump(a, format: " + format + ", max_nesting: nil); ";
        CHECK(nested(2000, deep + "Kumihimo.dump(Kumihimo.load(b, format: " + format +
                               ", max_nesting: nil), format: " + format + ", max_nesting: nil) == b") == "true");
        CHECK(nested(2000, deep + "Kumihimo.load(b, format: " + format + ")").find("Kumihimo::NestingError: nesting of 1025") ==
              0);
        CHECK(nested(2000, deep + "Kumihimo.convert(b, from: " + format + ", to: " + format + ")")
                  .find("Kumihimo::NestingError") == 0);
        CHECK(nested(2000, deep + "Kumihimo.convert(b, from: " + format + ", to: " + format + ", max_nesting: nil) == b") ==
              "true");
        CHECK(ruby.run("a = []; a << a; Kumihimo.dump(a, format: " + format + ", max_nesting: nil)") ==
              "SystemStackError: stack level too deep");
    });
}

TEST_CASE("what is wrong in a stream is placed in the stream") {
    plain ruby;
    ruby.run(R"(
        class Bytes
          def initialize(s) @s, @at = s, 0 end
          def read(n) r = @s[@at, 1]; @at += 1; r end
        end
        def places(text, format = 'json')
          [text, Bytes.new(text), Kumihimo.pack(text, 'gzip')].map do |source|
            begin
              Kumihimo.each_document(source, format: format) {}
            rescue Kumihimo::ParserError => e
              [e.offset, e.line, e.column, e.path, e.message[/at (line|byte) .*?\)/]]
            end
          end.uniq
        end
    )");
    CHECK(ruby.run("places(\"[1]\\n{\\n\\\"a\\\":1}\\n  [2,\\n x]\")") ==
          R"x([[20, 5, 2, "$[1]", "at line 5 column 2 (byte 20, $[1])"]])x");
    CHECK(ruby.run("places('[1] [2] [x]')") == R"x([[9, 1, 10, "$[0]", "at line 1 column 10 (byte 9, $[0])"]])x");
    CHECK(ruby.run("places(\"1\\r\\n2\\r3\\n\\rx\")") == R"x([[8, 5, 1, "$", "at line 5 column 1 (byte 8)"]])x");
    CHECK(ruby.run("places(\"\\x01\\x91\\x02\\x92\\x01\\xc1\", 'msgpack')") ==
          R"x([[5, nil, nil, "$[1]", "at byte 5 ($[1])"]])x");
}

TEST_CASE("documents of a stream") {
    plain ruby;
    REQUIRE(ruby.run(values) != "");
    ruby.run(R"(
        class Pieces
          def initialize(s, n) @s, @n, @at = s, n, 0 end
          def read(n) n = @n if @n < n; r = @s[@at, n]; @at += n; r.nil? || r.empty? ? nil : r end
        end
        def all(source, *more) seen = []; Kumihimo.each_document(source, *more) { |v| seen << v }; seen end
        def first_array(source, *more) Kumihimo.each_document(source, *more) { |v| return v if v.is_a?(Array) }; 0 end
    )");
    each_format([&](auto row) {
        const std::string format = in_quotes(decltype(row)::name);
        CAPTURE(format);
        CHECK(ruby.run(
                  "d = Dice.new(11); docs = (0...60).map { d.value(1) } + [[1] * 40000, 'y' * 200000, {'z' => 1}]; stream = '';"
                  "docs.each { |v| stream << Kumihimo.dump(v, format: " +
                  format + ") << (" + (decltype(row)::is_text ? "\"\\n\"" : "''") +
                  ") };"
                  "[all(stream, format: " +
                  format +
                  ")] .all? { |a| a == docs } && [4097, 65536, 1 << 30].all? { |n| "
                  "all(Pieces.new(stream, n), format: " +
                  format + ") == docs }") == "true");
        CHECK(ruby.run("one = Kumihimo.dump([3], format: " + format + "); s = one + one; [first_array(s, format: " + format +
                       "), all(Pieces.new(s, 1), format: " + format + "), all('', format: " + format + ")]") ==
              "[[3], [[3], [3]], []]");
        CHECK(ruby.run("one = Kumihimo.dump([3], format: " + format +
                       "); s = one + one + one[0, one.size - 1]; seen = []; begin; "
                       "Kumihimo.each_document(Pieces.new(s, 2), format: " +
                       format +
                       ") { |v| seen << v }; rescue "
                       "Kumihimo::ParserError; seen << 'cut'; end; seen") == "[[3], [3], \"cut\"]");
        CHECK(ruby.run("s = Kumihimo.dump([3], format: " + format + ") * 3; n = 0; Kumihimo.each_document(s, format: " +
                       format + ") { |v| s.replace(''); GC.start; n += v[0] }; n") == "9");
        CHECK(ruby.run("Kumihimo.each_document(Kumihimo.dump([3], format: " + format + "), format: " + format +
                       ") { |v| break 4 }") == "4");
    });
    CHECK(ruby.run("class Bad; def read(n) 5 end end; all(Bad.new, format: 'json')") ==
          "TypeError: read gives Integer, not a String");
    CHECK(ruby.run("all(\"{\\\"a\\\":1}\\n\\n[2] 3 \\\"x\\\"\\n\")") == R"([{"a"=>1}, [2], 3, "x"])");
}

TEST_CASE("a few values by path, the same from every format") {
    plain ruby;
    ruby.run(
        "V = {'last' => {'price' => 0.5}, 'asks' => [[1, 2], [3, 4], {'x' => [5]}], '0' => 'zero', 'n' => nil}; J = "
        "Kumihimo.dump(V, format: 'json')");
    each_format([&](auto row) {
        const std::string format = in_quotes(decltype(row)::name);
        CAPTURE(format);
        const auto picked = [&](const std::string& paths) {
            return ruby.run("Kumihimo.partial(Kumihimo.dump(V, format: " + format + "), " + paths + ", format: " + format +
                            ")");
        };
        for (const std::string paths :
             {"'last.price'", "'$', ''", "'asks[*][1]', '/asks/0/1', '/0', '/asks/2/x/0', 'asks[2].x[*]'",
              "'nosuch', 'asks[9]', 'n.x'", "price: 'last.price', all: 'asks[*]', none: 'x.y'",
              "['last', 'asks[1]'], missing: 7"}) {
            CAPTURE(paths);
            CHECK(picked(paths) == ruby.run("JSON.partial(J, " + paths + ")"));
        }
        ruby.run(
            "W = {'a' => [{'b' => [1, 2]}, {'c' => 1}, {'b' => []}, {'b' => 5}, 7, {'b' => [{'x' => 1}, {}]}], 'e' => [], 'o' "
            "=> {}}");
        const std::string paths =
            "'a[*].b[*]', 'a[*].b', 'a[*].b[*].x', 'a[*].b[0]', 'e[*]', 'o[*]', 'no[*]', 'a[*][*]', 'e[*].x', "
            "'o[*].x', 'a[*].c.d', missing: 'none'";
        CHECK(ruby.run("Kumihimo.partial(Kumihimo.dump(W, format: " + format + "), " + paths + ", format: " + format + ")") ==
              ruby.run("JSON.partial(JSON.generate(W), " + paths + ")"));
        CHECK(picked("'last', symbolize_names: true") == "[{:price=>0.5}]");
        CHECK(picked("'last', missing: 1, freeze: true") == "[{\"price\"=>0.5}]");
        CHECK(picked("'a['").find("ArgumentError: the path is not valid: ") == 0);
        CHECK(picked("5") == "TypeError: a path is a String such as \"last_price.price\" or \"/last_price/price\", not 5");
        CHECK(picked("'asks', max_nesting: 1").find("Kumihimo::NestingError: nesting of 2") == 0);
        CHECK(ruby.run("Kumihimo.partial('', 'a', format: " + format + ")").find("Kumihimo::ParserError") == 0);
        CHECK(ruby.run("Kumihimo.partial('', 'a', format: " + format + ", dialect: 'yam')")
                  .find("ArgumentError: unknown dialect") == 0);
    });
    CHECK(ruby.run("Kumihimo.partial(J, 'last.price')") == "[0.5]");
    CHECK(ruby.run("Kumihimo.partial(J)") == "ArgumentError: at least one path is needed");
    CHECK(ruby.run("JSON.partial('{\"a\":1}', format: 'a')") == "{:format=>1}");
}

TEST_CASE("hostile bytes: refused as the engine's reader does, or read") {
    plain ruby;
    mrb_state* const mrb = ruby.state();
    REQUIRE(ruby.run(values) != "");
    each_format([&](auto row) {
        using rows = decltype(row);
        CAPTURE(rows::name);
        const std::string format = in_quotes(rows::name);
        std::uint32_t seed = 99;
        const auto roll = [&](std::uint32_t n) { return (seed = seed * 1664525 + 1013904223) / 65536 % n; };
        mrb_define_global_const(mrb, "OPTIONS", mrb_load_string(mrb, ("{format: " + format + "}").c_str()));
        const mrb_value options = mrb_load_string(mrb, "OPTIONS");
        int read = 0, refused = 0;
        for (int i = 0; i < 400; ++i) {
            std::string document = ruby.run("Kumihimo.dump(Dice.new(" + std::to_string(i % 50) + ").value(1), OPTIONS)");
            document.resize(std::min<std::size_t>(document.size(), 300));
            for (std::uint32_t n = roll(4); n-- > 0 && !document.empty();)
                document[roll(static_cast<std::uint32_t>(document.size()))] = static_cast<char>(roll(256));
            if (roll(3) == 0) document.resize(roll(static_cast<std::uint32_t>(document.size() + 1)));
            const int arena = mrb_gc_arena_save(mrb);
            ruby.call("Kumihimo", "load", ruby.string(document), options);
            const std::string said = mrb->exc == nullptr ? "" : ruby.failure();
            context ctx;
            typename rows::reader from({reinterpret_cast<const unsigned char*>(document.data()), document.size()}, ctx);
            null_sink nothing;
            const bool valid = from.feed(nothing) == errc::ok;
            if (said.empty())
                CHECK(valid);
            else if (said.find("a map's key is neither") == std::string::npos && said.find("ArgumentError: ") != 0)
                CHECK_MESSAGE((!valid && said.find("Kumihimo::") == 0), said);
            ++(valid ? read : refused);
            mrb_gc_arena_restore(mrb, arena);
        }
        CHECK(read > 20);
        CHECK(refused > 20);
    });
}
