// MessagePack in a plain mruby program: the names of Ruby's msgpack gem, the bytes of the specification.
#include <doctest/doctest.h>

#include <string>

#include "../vm/layout.hpp"
#include "plain.hpp"

using namespace kumihimo::mruby::test;
using namespace std::string_literals;

TEST_CASE("values have the specification's bytes") {
    plain ruby;
    const auto packed = [&](const std::string& value) { return ruby.run("MessagePack.pack(" + value + ")"); };
    CHECK(packed("nil") == "\xc0");
    CHECK(packed("[true, false, 0, 127, 128, -1, -32, -33, 65536]") ==
          "\x99\xc3\xc2\x00\x7f\xcc\x80\xff\xe0\xd0\xdf\xce\x00\x01\x00\x00"s);
    CHECK(packed("{'a' => 1, :b => 'é', 3 => nil}") == "\x83\xa1"s + "a\x01\xa1" + "b\xa2\xc3\xa9\x03\xc0");
    CHECK(packed("0.1") == "\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a");
    CHECK(packed("9223372036854775807") == "\xcf\x7f\xff\xff\xff\xff\xff\xff\xff");
    CHECK(packed("\"\\xff\\x00\"") == "\xc4\x02\xff\x00"s);
    CHECK(packed("\"\\xff\", invalid: :keep") == "\xa1\xff");
    CHECK(packed("\"\\xff\", invalid: :refuse") == "MessagePack::PackError: String cannot be packed: its bytes are not UTF-8");
    CHECK(packed("'x' * 70000").substr(0, 5) == "\xdb\x00\x01\x11\x70"s);
    CHECK(packed("[0] * 16").substr(0, 3) == "\xdc\x00\x10"s);
    CHECK(packed("MessagePack::Extension.new(5, 'abc')") == "\xc7\x03\x05"s + "abc");
    CHECK(packed("MessagePack::Timestamp.new(1, 0)") == "\xd6\xff\x00\x00\x00\x01"s);
    CHECK(packed("Time.at(1, 500000)") == "\xd7\xff\x77\x35\x94\x00\x00\x00\x00\x01"s);
    CHECK(ruby.run("[1].to_msgpack + nil.to_msgpack + :a.to_msgpack") == "\x91\x01\xc0\xa1"s + "a");
    CHECK(packed("(0.0 / 0)").substr(0, 2) == "\xcb\x7f");
}

TEST_CASE("values come back") {
    plain ruby;
    const auto back = [&](const std::string& value, const std::string& options = "") {
        return ruby.run("MessagePack.unpack(MessagePack.pack(" + value + ")" + options + ")");
    };
    CHECK(back("[nil, true, -5, 2.5, 0.1, 'é', {'a' => [1]}]") == R"([nil, true, -5, 2.5, 0.1, "\xc3\xa9", {"a"=>[1]}])");
    CHECK(back("{'a' => {'b' => 1}}", ", symbolize_keys: true") == "{:a=>{:b=>1}}");
    CHECK(back("{1 => 2, nil => 3, true => 4, 1.5 => 5}") == "{1=>2, nil=>3, true=>4, 1.5=>5}");
    CHECK(back("{'a' => 1, 1 => 2, 'b' => 3}") == R"({"a"=>1, 1=>2, "b"=>3})");
    CHECK(back("Time.at(1000, 7).to_i") == "1000");
    CHECK(ruby.run("t = Time.at(1000, 7); u = MessagePack.unpack(MessagePack.pack(t)); [u.class, u == t]") == "[Time, true]");
    CHECK(ruby.run(
              "MessagePack.unpack(MessagePack.pack(Time.at(1, 2)), timestamp: true) == MessagePack::Timestamp.new(1, 2000)") ==
          "true");
    CHECK(ruby.run("class << Time; def at(*) raise 'no' end end; MessagePack.unpack(MessagePack.pack(Time.now)).class") ==
          "MessagePack::Timestamp");
    CHECK(ruby.run("e = MessagePack::Extension.new(-5, 'x'); u = MessagePack.unpack(e.to_msgpack, allow_unknown_ext: true);"
                   "[u == e, u.type, u.payload]") == "[true, -5, \"x\"]");
    CHECK(back("'a'", ", freeze: true") == "a");
    CHECK(ruby.run("MessagePack.unpack(\"\\xcf\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\")") ==
          (kumihimo::mruby::big_integers ? "18446744073709551615" : "1.84467440737096e+19"));
    CHECK(ruby.run("seen = []; MessagePack.each(\"\\x01\\x92\\x02\\x03\\xa1x\") { |v| seen << v }; seen") ==
          R"([1, [2, 3], "x"])");
    CHECK(ruby.run("s = \"\\x01\\x02\"; seen = []; MessagePack.each(s) { |v| s.replace(''); GC.start; seen << v }; seen") ==
          "[1, 2]");
    CHECK(ruby.run("a = (1..500).map { |i| {'id' => i, 's' => 'x' * (i % 60), 'l' => [i] * (i % 5)} };"
                   "MessagePack.unpack(MessagePack.pack(a)) == a") == "true");
}

TEST_CASE("what an object gives instead") {
    plain ruby;
    ruby.run("class Point; def initialize(x) @x = x end; attr_reader :x end");
    CHECK(ruby.run("MessagePack.pack([Point.new(1)])") ==
          "MessagePack::PackError: Point cannot be packed: give pack a block that says what to pack instead");
    CHECK(ruby.run("MessagePack.pack([Point.new(1)]) { |p| [p.x] }") == "\x91\x91\x01");
    // mruby 3.3 returns out of the method around, as Ruby does.
    CHECK(ruby.run("def packed; made = MessagePack.pack([Point.new(1), 2]) { |p| return p.x }; made; end; packed") ==
          (MRUBY_RELEASE_NO >= 30300 ? "1" : "\x92\x01\x02"));
    CHECK(ruby.run("MessagePack.pack([Point.new(1), 2]) { |p| break 'left' }") == "left");
    CHECK(ruby.run("MessagePack.pack([Point.new(1)]) { |p| p }") ==
          "MessagePack::PackError: Point cannot be packed: the block gave it back as it was");
    CHECK(ruby.run("class Point; def to_msgpack() x.to_msgpack end end; MessagePack.pack([Point.new(7)])") == "\x91\x07");
    CHECK(ruby.run("class Point; def to_msgpack() \"\\x01\\x02\" end end; MessagePack.pack([Point.new(7)])") ==
          "MessagePack::PackError: Point cannot be packed: its to_msgpack did not give one value in MessagePack");
    CHECK(ruby.run("class Point; def to_msgpack() 1 end end; MessagePack.pack([Point.new(7)])") ==
          "MessagePack::PackError: Point cannot be packed: its to_msgpack did not give one value in MessagePack");
    CHECK(ruby.run("a = [1, 2]; a << Object.new << 3; MessagePack.pack(a) { a.clear; nil }") ==
          "RuntimeError: the Array was changed while it was being packed");
    CHECK(ruby.run("h = {1 => Object.new, 2 => 3}; MessagePack.pack(h) { 50.times { |i| h[i] = 1 }; nil }") ==
          "RuntimeError: the Hash was changed while it was being packed");
    CHECK(ruby.run("MessagePack.pack(MessagePack::Extension.new(200, ''))") ==
          "RangeError: an extension's type is not from -128 to 127");
}

TEST_CASE("what is broken is told by place") {
    plain ruby;
    const auto failed = [&](const std::string& document) {
        mrb_define_global_const(ruby.state(), "DOCUMENT", ruby.string(document));
        return ruby.run(
            "begin; MessagePack.unpack(DOCUMENT); rescue MessagePack::UnpackError => e; [e.class, e.offset, e.path]; end");
    };
    CHECK(failed("") == R"([MessagePack::UnpackError, 0, "$"])");
    CHECK(failed("\x92\x01") == R"([MessagePack::UnpackError, 0, "$"])");
    CHECK(failed("\x01\x02").find("[MessagePack::UnpackError, 1") == 0);
    CHECK(failed("\xc1").find("[MessagePack::UnpackError, 0") == 0);
    CHECK(failed("\x81\x90\x01").find("[MessagePack::UnpackError, 1") == 0);
    CHECK(failed("\xc7\x00\x05"s).find("[MessagePack::UnpackError, 0") == 0);
    CHECK(failed(std::string(2000, '\x91') + "\x01").find("[MessagePack::NestingError, 1024") == 0);
    CHECK(ruby.run("MessagePack.unpack(3)") == "TypeError: no implicit conversion of Integer into String");
    CHECK(ruby.run("MessagePack.unpack('', surprise: 1)") == "ArgumentError: unknown keyword: surprise");
    CHECK(ruby.run("MessagePack.pack(1, invalid: 2)") == "ArgumentError: invalid is one of :bin, :keep, :refuse");
    CHECK(ruby.run("a = []; a << a; MessagePack.pack(a)") == "MessagePack::PackError: nesting of 1025 is too deep");
    CHECK(ruby.run("a = []; a << a; MessagePack.pack(a, max_nesting: 0)") == "SystemStackError: stack level too deep");
}

TEST_CASE("new Symbols have the limit of JSON's") {
    plain ruby;
    ruby.run("def packed(n, name) h = {}; n.times { |i| h[name + i.to_s] = 1 }; MessagePack.pack(h) end");
    CHECK(ruby.run("MessagePack.unpack(packed(16000, 'one'), symbolize_keys: true).size") == "16000");
    CHECK(ruby.run("MessagePack.unpack(packed(16000, 'one'), symbolize_keys: true).size") == "16000");
    CHECK(ruby.run("MessagePack.unpack(packed(20000, 'two'), symbolize_keys: true)") ==
          "RangeError: more than 16384 new Symbols in one document");
    CHECK(ruby.run("MessagePack.unpack(packed(20000, 'three' + 'x' * 60), symbolize_keys: true)") ==
          "RangeError: more than 16384 new Symbols in one document");
    CHECK(ruby.run("MessagePack.unpack(packed(20000, 'four')).size") == "20000");
}

TEST_CASE("a block of each leaves the method it is written in") {
    plain ruby;
    ruby.run("def first_array(s) MessagePack.each(s) { |v| return v if v.is_a?(Array) }; 0 end");
    ruby.run("DOCUMENTS = MessagePack.pack(1) + MessagePack.pack(nil) + MessagePack.pack(false) + MessagePack.pack([3])");
    CHECK(ruby.run("first_array(DOCUMENTS)") == "[3]");
    CHECK(ruby.run("seen = []; [MessagePack.each(DOCUMENTS) { |v| seen << v }, seen]") == "[nil, [1, nil, false, [3]]]");
    CHECK(ruby.run("MessagePack.each(DOCUMENTS) { |v| break 4 }") == "4");
    CHECK(ruby.run("s = DOCUMENTS.dup; n = 0; MessagePack.each(s) { s.replace(''); n += 1 }; n") == "4");
}
