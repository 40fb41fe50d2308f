#include "answers.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

namespace {
// The bytes that a script prints.
std::string printed(const std::string& code) {
    const auto v = usual_vm();
    const result r = run(*v, code);
    INFO(r.end.message);
    CHECK(r.end);
    return r.out;
}
}  // namespace

TEST_CASE("puts writes lines") {
    CHECK(printed("puts") == "\n");
    CHECK(printed("puts nil") == "\n");
    CHECK(printed("puts ''") == "\n");
    CHECK(printed("puts 'a', \"b\n\", :c, 1, 1.5, true") == "a\nb\nc\n1\n1.5\ntrue\n");
    CHECK(printed("puts [1, [2, [nil, 3]], []], []") == "1\n2\n\n3\n");
    CHECK(printed("a = [1]; a << a; puts a") == "1\n[...]\n");
    CHECK(printed("class C; def to_s; 'me'; end; end; puts C.new") == "me\n");
    CHECK(printed("puts 'x' * 100_000") == std::string(100'000, 'x') + "\n");
    CHECK(printed("puts \"a\\0b\"") == std::string("a\0b\n", 4));
}

TEST_CASE("print, p, pp and printf") {
    CHECK(printed("print 1, nil, 'a', :b") == "1ab");
    CHECK(printed("x = p; print x.inspect") == "nil");
    CHECK(printed("x = p 'a'; print x") == "\"a\"\na");
    CHECK(printed("x = p 1, nil; print x.inspect") == "1\nnil\n[1, nil]");
    CHECK(printed("pp({1 => 2})") == "{1=>2}\n");
    CHECK(printed("printf '%05.1f|%s', 1.26, :x; printf") == "001.3|x");
    CHECK(printed("__printstr__ 'raw'") == "raw");
}

TEST_CASE("the stream objects") {
    CHECK(printed("$stdout.puts 1; $stdout.print 2, 3; $stdout << 4 << \"\n\"; $stdout.printf '%d', 5") == "1\n234\n5");
    CHECK(printed(
              "p $stdout.write('ab', 1), STDOUT.equal?($stdout), $stdout.tty?, $stdout.flush.equal?($stdout), $stdout.sync") ==
          "ab13\ntrue\nfalse\ntrue\ntrue\n");
    CHECK(printed("begin; StandardStream.new; rescue NoMethodError; print 'no'; end") == "no");
    const auto v = usual_vm();
    from_text errors{"e.rb", "$stderr.puts 'one', 'two'; warn 'three'; $stderr.print \"a\nb\"; puts 'out'"};
    recorded around;
    outcome end;
    v->run(errors.as_script(), {}, &around, end);
    CHECK(around.logged == "one\ntwo\nthree\na\nb\n");
    CHECK(around.out == "out\n");
}

TEST_CASE("a script's own $stdout gets what is printed") {
    CHECK(printed("class Cap; attr_reader :s; def initialize; @s = ''; end; def puts(*a); @s << a.join('|'); end; def "
                  "write(x); @s << x; end\n"
                  "def print(*a); @s << a.join; end; end\n"
                  "old, $stdout = $stdout, Cap.new; puts 1, 2; print 'x'; p :y; printf '%d', 7; c, $stdout = $stdout, old; "
                  "puts c.s") == "1|2x:y7\n");
}

TEST_CASE("without surroundings it goes nowhere") {
    const auto v = usual_vm();
    from_text text{"n.rb", "puts 1; warn 2; p 3; $stderr << 4"};
    outcome end;
    v->run(text.as_script(), {}, nullptr, end);
    CHECK(end);
}

TEST_CASE("an exception in to_s leaves what was printed before") {
    const auto v = usual_vm();
    const result r = run(*v, "class C; def to_s; raise 'no'; end; end; puts 1, C.new, 2");
    CHECK(r.end.type == outcome::kind::raised);
    CHECK(r.out == "1\n");
}

TEST_CASE("what is printed may change all around it") {
    const auto v = usual_vm();
    const result r = run(*v, R"(
        class Wild
          def initialize(&b) @b = b end
          def to_s; @b.call; GC.start; 'w' end
        end
        outer = [[Wild.new { outer.clear }, 'x'], 'y']
        puts outer
        wild = Wild.new { ObjectSpace.each_object(Array) { |a| a.clear if a.size == 20 && !a.frozen? } }
        puts(*([wild] + ['z'] * 19))
        print URI.join(wild.class == Wild ? 'http://a/' : '', *(['b'] * 19)))");
    CHECK(r.end);
    CHECK(r.out == "w\nx\nw\n" + [] {
        std::string z;
        for (int i = 0; i < 19; ++i) z += "z\n";
        return z;
    }() + "http://a/b");
}
