// Kumihimo.lazy, in a plain mruby program: over every row of the engine's table, against what Kumihimo.load gives.
#include <doctest/doctest.h>

#include <string>

#include "engine/formats.hpp"
#include "plain.hpp"

using namespace kumihimo;
using namespace kumihimo::mruby::test;

namespace {

constexpr const char* helpers = R"(
    VALUE = { 'id' => 7, 'tags' => ['a', nil, { 'deep' => [[], {}, -0.5] }], 'text' => "caf\u00E9 \u{1F600}", '' => true,
              'rows' => (0...100).map { |i| [i, { 'n' => i * i }] } }
    def same?(value, lazy)
      case value
      when Hash
        lazy.type == :object && lazy.size == value.size && lazy.keys == value.keys &&
          value.all? { |k, v| same?(v, at(lazy, k)) && lazy.key?(k) } && lazy.each { |pair| return false unless value.key?(pair[0]) }.equal?(lazy)
      when Array
        lazy.type == :array && lazy.size == value.size && lazy.values.size == value.size &&
          (0...value.size).all? { |i| same?(value[i], at(lazy, i)) && same?(value[-1 - i], at(lazy, -1 - i)) } &&
          lazy[value.size].nil? && lazy[-1 - value.size].nil?
      else value == lazy
      end && (!lazy.is_a?(Kumihimo::Lazy) || lazy.value == value && lazy == value && lazy == lazy)
    end
    def at(lazy, key) lazy[key] end
)";

struct program : plain {
    program() { REQUIRE(run(helpers) == ":at"); }
    void check(const std::string& code) {
        INFO(code);
        CHECK(run(code) == "true");
    }
};

}  // namespace

TEST_CASE("a place gives what load gives, in every format") {
    program ruby;
    each_format([&](auto row) {
        const std::string format = in_quotes(decltype(row)::name);
        CAPTURE(format);
        ruby.check("D = Kumihimo.dump(VALUE, format: " + format + "); same?(Kumihimo.load(D, format: " + format +
                   "), Kumihimo.lazy(D, format: " + format + "))");
        ruby.check(
            "l = Kumihimo.lazy(D, format: " + format +
            "); l.dig('tags', 2, 'deep', -1) == -0.5 && l.dig('tags', 1, 'x').nil? && l.dig('rows', 49, 1, :n) == 2401 && "
            "l.dig('none', 1).nil? && l[:id] == 7 && l['tags'][0] == 'a' && l['no'].nil? && !l.key?('no')");
        // Any document is one, and what it is made of may change behind it.
        ruby.check("[nil, true, 5, -1.5, 'x', [], {}].all? { |v| t = Kumihimo.dump(v, format: " + format +
                   "); l = Kumihimo.lazy(t, format: " + format +
                   "); t.replace('?' * 100); GC.start; l.value == v && l.inspect.index('#<Kumihimo::Lazy ') == 0 }");
        ruby.check("Kumihimo.lazy(D, format: " + format + ", symbolize_names: true).keys == VALUE.keys.map(&:to_sym)");
        ruby.check("s = Kumihimo.lazy(D, format: " + format + ", freeze: true); s['text'].frozen? && s['tags'].value.frozen?");
        CHECK(ruby.run("Kumihimo.lazy('', format: " + format + ")").find("Kumihimo::ParserError") == 0);
        CHECK(ruby.run("Kumihimo.lazy(D, format: " + format + ", max_nesting: 2)").find("Kumihimo::NestingError") == 0);
        CHECK(ruby.run("Kumihimo.lazy(D, format: " + format + ", dialect: 'yam')").find("ArgumentError: unknown dialect") == 0);
        CHECK(ruby.run("Kumihimo.lazy(D, nope: 1)") == "ArgumentError: unknown keyword: nope");
        ruby.run("Object.remove_const(:D)");
    });
    ruby.check("Kumihimo.lazy('[1]')[0] == 1 && Kumihimo.lazy(Kumihimo.pack('[1]', 'gzip')).size == 1");
    ruby.check(
        "Kumihimo.lazy('[[1,2],[3]]').map { |l| l.size } == [2, 1] && Kumihimo.lazy('{\"a\":1}').each.to_a == [['a', 1]]");
    ruby.check(
        "Kumihimo.lazy('{\"a\":1,\"a\":[2]}')['a'].value == [2] && Kumihimo.lazy('{\"a\":1,\"a\":2}').keys == ['a', 'a']");
}

TEST_CASE("keys that are no text") {
    program ruby;
    ruby.check(R"(
        key = "\xff\x00".b rescue "\xff\x00"
        d = Kumihimo.dump({ 1 => 'one', nil => 'nil', 2.5 => ['x'], key => 'bytes', 'a' => 'A' }, format: 'msgpack')
        l = Kumihimo.lazy(d, format: 'msgpack')
        l[1] == 'one' && l[nil] == 'nil' && l[2.5].value == ['x'] && l[key] == 'bytes' && l['a'] == 'A' && l[:a] == 'A' && l[2].nil? &&
          l.keys.size == 5 && l.key?(1))");
}

TEST_CASE("what is no container, and what scripts may try") {
    program ruby;
    CHECK(ruby.run("Kumihimo.lazy('5')[0]") == "TypeError: this value is of type number, not an object or an array");
    CHECK(ruby.run("Kumihimo.lazy('[5]').dig(0, 0)") == "TypeError: this value is of type number, not an object or an array");
    CHECK(ruby.run("Kumihimo.lazy('[5]').keys") == "TypeError: this value is of type array, not an object");
    CHECK(ruby.run("Kumihimo.lazy('\"a\"').size") == "TypeError: this value is of type string, not an object or an array");
    CHECK(ruby.run("Kumihimo.lazy('[5]').dig") == "ArgumentError: dig needs a key");
    CHECK(ruby.run("Kumihimo.lazy('[5]')['a']").find("TypeError") == 0);
    CHECK(ruby.run("Kumihimo.lazy(5)") == "TypeError: no implicit conversion of Integer into String");
    CHECK(ruby.run("Kumihimo::Lazy.new").find("NoMethodError") == 0);
    CHECK(ruby.run("Kumihimo::Lazy.allocate").find("NoMethodError") == 0);
    CHECK(ruby.run("Class.new(Kumihimo::Lazy).new").find("NoMethodError") == 0);
    CHECK(ruby.run("Kumihimo.lazy('[5]').instance_variables") == "[]");
    CHECK(ruby.run("Kumihimo.lazy('[5]').instance_variable_get(:document)").find("NameError") == 0);
    ruby.check("l = Kumihimo.lazy('[[5]]'); l.freeze; l.dup[0].value == [5] && l[0][0] == 5");
    // Nothing of a document is found among the objects.
    ruby.check(
        "KEPT = Kumihimo.lazy('[\"' + 'q' * 200 + '\", [1]]'); GC.start; found = 0; "
        "ObjectSpace.each_object(String) { |s| found += 1 if s.size > 199 && s.index('\"qqq') }; "
        "ObjectSpace.each_object(Array) { |a| found += 1 if a[0].is_a?(String) && a[0].index('\"qqq') }; found == 0");
}

TEST_CASE("elements of arrays of any size, in any order") {
    program ruby;
    // The sizes lie around those from which places are kept.
    ruby.check(R"(
        [1, 15, 16, 17, 32, 63, 64, 65, 80, 81, 97, 1000].all? do |n|
          value = (0...n).map { |i| i % 3 == 0 ? i : [i, { 'n' => [i] }] }
          text = Kumihimo.dump(value, format: 'json')
          orders = [(0...n).to_a, (0...n).to_a.reverse, (0...n).map { |i| i * 37 % n }, [n - 1, 0, n / 2, n - 1, n / 2 + 1, 1 % n]]
          orders.all? { |order| l = Kumihimo.lazy(text); order.all? { |i| same?(value[i], l[i]) && same?(value[i - n], l[i - n]) } }
        end)");
    ruby.collect_always();
    ruby.check(R"(
        l = Kumihimo.lazy('[' + (['[' + (0...100).map { |i| "[#{i}]" }.join(',') + ']'] * 3).join(',') + ',5]')
        (0...100).all? { |i| (0..2).all? { |k| l[k][i][0] == i && l[k][99 - i][0] == 99 - i } })");
}

// If each step began at an array's begin, or where the last one of another order ended, these would be 10^11 steps.
TEST_CASE("walks by index are linear, whatever their order") {
    program ruby;
    // In pieces: an Array of mruby 3.3 has at most 131,072 elements.
    REQUIRE(ruby.run("N = 300_000; ROWS = '[[0]'; (1...N).each { |i| ROWS << \",[#{i}]\" }; (ROWS << ']').size") == "2588891");
    SUBCASE("forwards") {
        ruby.check("l = Kumihimo.lazy(ROWS); (0...N).all? { |i| l[i][0] == i } && l[5][0] == 5 && l.size == N");
    }
    SUBCASE("backwards") { ruby.check("l = Kumihimo.lazy(ROWS); (1..N).all? { |i| l[-i][0] == N - i }"); }
    SUBCASE("two arrays in step") {
        ruby.check(
            "l = Kumihimo.lazy('{\"a\":' + ROWS + ',\"b\":' + ROWS + '}'); a = l['a']; b = l['b']; "
            "(0...N).all? { |i| a[i][0] == i && b[i][0] == i }");
    }
    SUBCASE("an array in an array") {
        ruby.check(
            "l = Kumihimo.lazy('[' + '[1],' * N + ROWS + ']'); l[N].size.times.all? { |j| l[N][j][0] == j && l.dig(-1, j, 0) "
            "== j }");
    }
    SUBCASE("here and there") {
        ruby.check("l = Kumihimo.lazy(ROWS); (0...N).all? { |i| l[i * 7919 % N][0] == i * 7919 % N }");
    }
}

TEST_CASE("each makes what it yields, one after the other, and a block may leave it") {
    program ruby;
    ruby.check(R"(
        def made() GC.start; n = 0; ObjectSpace.each_object(Kumihimo::Lazy) { n += 1 }; n end
        def first_of(l) l.each { |x| return made, x }; nil end
        LIST = Kumihimo.lazy('[' + '[1],' * 999 + '[2]]')
        before = made
        n, x = first_of(LIST)
        n < before + 9 && x[0] == 1 && LIST.find { |y| y[0] == 2 }[0] == 2 && LIST.first[0] == 1 && LIST.count == 1000)");
    ruby.check(R"(
        l = Kumihimo.lazy('{"a":[1],"b":2,"a":{"c":3}}')
        pairs = []
        gave = l.each { |k, v| GC.start; pairs << [k, v.is_a?(Kumihimo::Lazy) ? v.value : v] }
        gave.equal?(l) && pairs == [['a', [1]], ['b', 2], ['a', { 'c' => 3 }]] && l.each { |pair| break pair }.size == 2)");
    ruby.check(
        "(begin; LIST.each { |x| raise 'out' }; rescue => e; e.message; end) == 'out' && LIST.each { |x| x }.equal?(LIST)");
    ruby.check(
        "Kumihimo.lazy('[]').each { |x| raise 'none' }.size == 0 && Kumihimo.lazy('{}').each { |x| raise 'none' }.size == 0");
    ruby.check("Kumihimo.lazy('{\"a\":1}', symbolize_names: true).each { |k, v| break k } == :a");
    ruby.check("Kumihimo.lazy('{\"a\":[1]}', freeze: true).each { |pair| break pair << 1 }.size == 3");
    ruby.check(
        "l = Kumihimo.lazy('[[1],[2]]'); l.each { |x| l.each { |y| y[0] } }; l.each_with_index.map { |x, i| [x[0], i] } == "
        "[[1, 0], [2, 1]]");
    CHECK(ruby.run("Kumihimo.lazy('5').each { }") == "TypeError: this value is of type number, not an object or an array");
    // The steps of a loop are an object like others, and may be asked for more than there is.
    ruby.check(R"(
        steps = nil
        Kumihimo.lazy('[[1],2]').each { |x| ObjectSpace.each_object(Object) { |o| steps = o if o.respond_to?(:more?) } }
        3.times { steps.more? }
        steps.item == 2)");
}

TEST_CASE("it is written as its value") {
    program ruby;
    each_format([&](auto row) {
        const std::string format = in_quotes(decltype(row)::name);
        CAPTURE(format);
        ruby.check("D = Kumihimo.dump(VALUE, format: " + format + "); L = Kumihimo.lazy(D, format: " + format + "); true");
        ruby.check("Kumihimo.dump(L, format: " + format + ") == Kumihimo.dump(L.value, format: " + format + ")");
        ruby.check("Kumihimo.dump({ 'of' => [L['rows'], L['tags'][2]] }, format: " + format +
                   ") == Kumihimo.dump({ 'of' => [VALUE['rows'], VALUE['tags'][2]] }, format: " + format + ")");
        ruby.check("JSON.generate(L) == JSON.generate(VALUE) && L['tags'].to_json == JSON.generate(VALUE['tags'])");
        ruby.check("JSON.pretty_generate({ 'of' => [L] }) == JSON.pretty_generate({ 'of' => [VALUE] })");
        ruby.run("Object.remove_const(:D); Object.remove_const(:L)");
    });
    CHECK(ruby.run("JSON.generate([Kumihimo.lazy('[1]')])") == "[[1]]");
    CHECK(ruby.run("JSON.dump([Kumihimo.lazy('\"a\"'), Kumihimo.lazy('null')])") == "[\"a\",null]");
    CHECK(ruby.run("JSON.generate(Kumihimo.lazy('[\"</\"]'), script_safe: true)") == "[\"<\\/\"]");
    CHECK(ruby.run("JSON.generate([Kumihimo.lazy('[1]')], strict: true)")
              .find("JSON::GeneratorError: Kumihimo::Lazy not allowed") == 0);
    // Its containers count as those around it do.
    CHECK(ruby.run("JSON.generate([Kumihimo.lazy('[1]')], max_nesting: 1)") == "JSON::NestingError: nesting of 2 is too deep");
    CHECK(ruby.run("Kumihimo.dump([Kumihimo.lazy('[[1]]')], format: 'json', max_nesting: 2)") ==
          "Kumihimo::NestingError: nesting of 3 is too deep");
    CHECK(ruby.run("Kumihimo.dump([Kumihimo.lazy('[[1]]')], format: 'json', max_nesting: 3)") == "[[[1]]]");
    // The block is for what has no form in a document.
    CHECK(ruby.run("Kumihimo.dump([Kumihimo.lazy('[1]'), Object.new], format: 'json') { Kumihimo.lazy('[2]') }") ==
          "[[1],[2]]");
    ruby.check(
        "class Kumihimo::Lazy; def to_json(*) '0' end; def value() 0 end end; Kumihimo.dump(Kumihimo.lazy('[1]'), format: "
        "'json') == '[1]'");
    ruby.check("K = Kumihimo::Lazy; Kumihimo::Lazy = Array; begin; Kumihimo.lazy('[1]'); rescue TypeError; true; end");
}

TEST_CASE("new Symbols have the limit of load's, for all of a document") {
    program ruby;
    ruby.run(
        "T = '[' + (0...20).map { |i| '{' + (0...1000).map { |k| \"\\\"lazy_#{i}_#{k}\\\":1\" }.join(',') + '}' }.join(',') + "
        "']'; "
        "L = Kumihimo.lazy(T, symbolize_names: true)");
    ruby.check("(0...16).all? { |i| L[i].keys.size == 1000 }");
    for (const char* const touched : {"L[16].keys", "L[16].value", "L[17].each { }", "L.value"})
        CHECK(ruby.run(touched) == "RangeError: more than 16384 new Symbols in one document");
    ruby.check("L[3].keys[5] == :lazy_3_5 && L.dup[15].value.size == 1000");
}

TEST_CASE("the collector may come at any time") {
    program ruby;
    ruby.collect_always();
    ruby.check("t = Kumihimo.dump(VALUE, format: 'msgpack'); same?(VALUE, Kumihimo.lazy(t, format: 'msgpack'))");
}

TEST_CASE("without memory") {
    for (long n = 0; n < 400; ++n) {
        program ruby;
        ruby.run(
            "module Asked; def self.once(t) l = Kumihimo.lazy(t, format: 'json'); "
            "l.dig('rows', 3, 1).value; l['rows'][99].value; l.keys; l.each { |v| v }; 1 end end");
        ruby.run("T = Kumihimo.dump(VALUE, format: 'json')");
        const mrb_value document = mrb_load_string(ruby.state(), "T");
        ruby.fail_after = n;
        ruby.call("Asked", "once", document);
        ruby.fail_after = -1;
        const std::string said = ruby.state()->exc == nullptr ? "1" : ruby.failure();
        CAPTURE(said);
        REQUIRE((said == "1" || said.find("NoMemoryError") == 0));
        REQUIRE(ruby.run("Kumihimo.lazy(T, format: 'json')['id']") == "7");
        if (said == "1") return;
    }
    FAIL("it needs more allocations than are tried");
}
