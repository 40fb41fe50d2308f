#include <doctest/doctest.h>

#include <signal.h>
#include <sys/wait.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "../vm/counters.hpp"
#include "scripts.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;
using kind = outcome::kind;

TEST_CASE("a script runs, and prints to its surroundings") {
    const auto v = usual_vm();
    const result r = run(*v, "puts 1, [2, [nil]], 'x'");
    CHECK(r.end);
    CHECK(r.out == "1\n2\n\nx\n");
}

TEST_CASE("a changed script is compiled anew, one that is the same is not read") {
    const auto v = usual_vm();
    from_text s{"s.rb", "print 1"};
    CHECK(run(*v, s).out == "1");
    s.text = "print 2";
    CHECK(run(*v, s).out == "1");
    CHECK(s.reads == 1);
    s.version = 2;
    CHECK(run(*v, s).out == "2");
    CHECK(s.reads == 2);
    s.keep = script::reuse::always;
    s.version = 3;
    s.text = "print 3";
    CHECK(run(*v, s).out == "2");
    s.keep = script::reuse::never;
    CHECK(run(*v, s).out == "3");
    CHECK(run(*v, s).out == "3");
    CHECK(s.reads == 4);
}

TEST_CASE("a script that changes all the time does not grow the VM for ever") {
    const auto v = usual_vm();
    from_text s{"s.rb", ""};
    std::size_t most = 0;
    for (int i = 0; i < 1000; ++i) {
        s.version = i;
        s.text = "def f; " + std::to_string(i) + "; end; print f";
        REQUIRE(run(*v, s).out == std::to_string(i));
        most = std::max(most, v->image());
    }
    CHECK(most < (std::size_t{2} << 20));
}

TEST_CASE("errors say what and where") {
    const auto v = usual_vm();
    from_text s{"app.rb", "def f(x)\n  x.nosuch\nend\n\nf(1)\n"};
    const result r = run(*v, s);
    CHECK(r.end.type == kind::raised);
    CHECK(r.end.message == "undefined method 'nosuch' (NoMethodError)");
    CHECK(r.end.file == "app.rb");
    CHECK(r.end.line == 2);
    REQUIRE(r.end.backtrace.size() == 2);
    CHECK(r.end.backtrace[1] == "app.rb:5");

    from_text wrong{"wrong.rb", "puts 1\nputs (\n\n"};
    for (int i = 0; i < 2; ++i) {
        const result w = run(*v, wrong);
        CHECK(w.end.type == kind::syntax);
        CHECK(w.end.message.find("syntax error") == 0);
        CHECK(w.end.file == "wrong.rb");
        CHECK(w.end.line >= 2);
        CHECK(w.out.empty());
    }
    CHECK(wrong.reads == 1);
    wrong.version = 2;
    wrong.text = "print 'mended'";
    CHECK(run(*v, wrong).out == "mended");

    from_text none{"none.rb", ""};
    none.unreadable = true;
    CHECK(run(*v, none).end.type == kind::unreadable);
    CHECK(run(*v, none).end.message == "permission denied");
    none.unreadable = false;
    CHECK(run(*v, none).end);

    CHECK(run(*v, std::string_view("print 1\0print 2", 15)).end.type == kind::syntax);
    CHECK(run(*v, "raise 'text'").end.message == "text (RuntimeError)");
    CHECK(run(*v, "class E < StandardError; def message; raise 'again'; end; end; raise E").end.message == "E");
    CHECK(run(*v, "class E < StandardError; def message; 5; end; end; raise E").end.message == "5 (E)");
    CHECK(run(*v, "raise Exception, ''").end.type == kind::raised);
    CHECK(run(*v, "break").end.type != kind::unmade);
    CHECK(run(*v, "return").end);
    CHECK(run(*v, "print 'fine'").out == "fine");
}

TEST_CASE("no script runs longer than it may") {
    const auto v = usual_vm();
    for (const char* const endless : {
             "while true\nend",
             "loop {}",
             "def f; yield; end; f { f { while true; end } }",
             "begin; loop {}; rescue Exception; retry; end",
             "begin; loop {}; ensure; loop {}; end",
             "loop { begin; raise 'x'; rescue => e; end }",
             "loop { begin; raise Exception; rescue Exception; end }",
             "a = (0..2000).to_a.reverse; loop { a.sort { |x, y| x <=> y } }",
             "loop { 'x' * 1_000_000 }",
             "loop { sprintf('%0100d %s %f', 1, 'x', 1.5) }",
             "loop { {1 => 2}.merge(3 => 4).to_a.flatten.inspect.split(',') }",
             "class C; def method_missing(*a); foo(*a); end; def respond_to_missing?(*) true end; end; loop { begin; C.new.x; "
             "rescue SystemStackError; end }",
             "f = Fiber.new { loop { Fiber.yield 1 } }; loop { f.resume }",
             "loop { Fiber.new { loop {} }.resume }",
             "class E < StandardError; def message; loop {}; end; end; raise E",
             "loop { eval('1+1') }",
             "loop { Class.new { def x; end } }",
             "i = 0; loop { \"symbol#{i += 1}\".to_sym if i < 50000; i += 1 }",
             "at = Object.new; def at.to_s; loop {}; end; puts at",
             "h = Hash.new { |h, k| h[k] }; loop { begin; h[1]; rescue Exception; end }",
             "loop { [1, 2, 3].each_slice(2).map { |x| x }.lazy.map { |y| y }.first(1) }",
             "o = Object.new; def o.==(x); loop {}; end; [o].include?(1)",
             "o = Object.new; def o.hash; loop {}; end; h = {}; 20.times { |i| h[i] = 1 }; h[o] = 1",
             "o = Object.new; def o.<=>(x); loop {}; end; [o, o].max",
             "o = Object.new; def o.to_json(*); loop {}; end; JSON.generate([o])",
             "loop { JSON.parse(JSON.generate((0..200).map { |i| {'a' => i, 'b' => [i.to_s] * 3} })) }",
             "loop { MessagePack.unpack(MessagePack.pack((0..200).map { |i| {'a' => i} })) }",
             "loop { Kumihimo.load(Kumihimo.dump((0..200).map { |i| {'a' => [[i.to_s] * 3]} }, format: 'json', dialect: "
             "'pretty')) }",
             "a = 1; 60.times { a = [a, {'k' => a.class.to_s}] }; loop { JSON.pretty_generate([a] * 50, max_nesting: 0) }",
             "s = '[1]' * 100; loop { Kumihimo.each_document(s, format: 'json') { |v| v } }",
             "s = Kumihimo.dump([[1] * 50] * 200, format: 'json'); loop { Kumihimo.convert(s, to: 'msgpack') }",
             "Kumihimo.dump([Object.new], format: 'json') { loop {} }",
         }) {
        CAPTURE(std::string(endless));
        const result r = run(*v, endless, {std::size_t{64} << 20, 30 * ms});
        CHECK(r.end.type == kind::expired);
        CHECK(r.end.message == "the script ran longer than its limit of 30 ms");
        CHECK((r.end.file == "script.rb" || (r.end.file == "(eval)" && std::strstr(endless, "eval") != nullptr)));
        CHECK(r.end.line >= 1);
        CHECK(run(*v, "print [1, 2].map { |x| x + 1 }.inspect").out == "[2, 3]");
    }
}

TEST_CASE("what is garbage is no memory taken, in texts that grow as they are written too") {
    const auto v = usual_vm();
    for (const char* const much : {
             "a = 1; 60.times { a = [a, {'k' => a.class.to_s}] }; 200.times { JSON.pretty_generate([a] * 50, max_nesting: 0) }",
             "class C; def method_missing(*a); foo(*a); end; end; 200.times { begin; C.new.x; rescue SystemStackError; end }",
             "300.times { |i| s = ''; 1000.times { s << 'x' * (100 + i) } }",
             "200.times { |i| [1] * (10_000 + 100 * i) }",
         }) {
        CAPTURE(std::string(much));
        CHECK(run(*v, much, {std::size_t{16} << 20, 60'000 * ms}).end);
    }
}

TEST_CASE("no script takes more memory than it may") {
    const auto v = usual_vm();
    for (const char* const greedy : {
             "'x' * (1 << 33)",
             "'x' * 100_000_000",
             "a = []; loop { a << 'x' * 100_000 }",
             "a = ''; loop { a << 'x' * 1000 }",
             "a = 'x'; loop { a += a }",
             "a = []; loop { a << a.dup }",
             "h = {}; i = 0; loop { h[i += 1] = i.to_s }",
             "Array.new(1 << 40)",
             "a = []; a[1 << 30] = 1",
             "[0] * (1 << 30)",
             "a = []; loop { a << Class.new }",
             "a = []; loop { a << Fiber.new { 1 }; a.last.resume }",
             "a = []; loop { a << proc { a } }",
             "begin; a = []; loop { a << 'x' * 100_000 }; rescue Exception; retry; ensure; loop {}; end",
             "sprintf('%1000000000d', 1)",
             "'x'.ljust(1 << 33)",
             "(0..1 << 40).to_a",
             "s = 'ab' * 1000; loop { s = s.gsub('a', s) }",
             "a = 1; 900.times { a = [a] }; Kumihimo.dump([a] * 200, format: 'json', dialect: 'pretty')",
             "Kumihimo.convert('[' + ('[' * 900 + ']' * 900 + ',') * 200 + '1]', to: 'json', target_dialect: 'pretty')",
         }) {
        CAPTURE(std::string(greedy));
        const result r = run(*v, greedy, {std::size_t{32} << 20, 20'000 * ms});
        // mruby itself refuses some of these sizes, with an ArgumentError or the like.
        CHECK((r.end.type == kind::exhausted || r.end.type == kind::raised));
        CHECK(r.end.line == 1);
        CHECK(v->memory() < (std::size_t{8} << 20));
        CHECK(run(*v, "print 'fine'").out == "fine");
    }
    CHECK(run(*v, "a = []; loop { a << 'x' * 100_000 }").end.type == kind::exhausted);
    const result full = run(*v, "def f\n  a = []\n  loop { a << 'x' * 100_000 }\nend\nf", {std::size_t{16} << 20, 0});
    CHECK(full.end.type == kind::exhausted);
    CHECK(full.end.message == "the script took more memory than its limit of 16 MB");
    CHECK(full.end.line == 3);
    CHECK(run(*v, "x = nil; 3000.times { x = 'x' * 100_000 }; print 'garbage is collected'").out == "garbage is collected");
}

TEST_CASE("whatever a script is doing when memory is out, the VM survives") {
    const auto v = usual_vm();
    const std::string_view work =
        "a = []; 300.times { |i| s = \"text #{i}\"; h = {s => [i, i * 1.5, nil], :sym => s.upcase}; f = Fiber.new { "
        "Fiber.yield h }; f.resume; "
        "c = Class.new { define_method(:m) { h } }; a << c.new.m.merge({1 => 2}) << "
        "JSON.parse(JSON.generate([h.to_a.flatten.inspect, s.split(' ')])) "
        "<< (s =~ /x(\\d)/) << s.gsub(/e/) { |x| x * 2 } << Struct.new(:x).new(i) << (1..9).map { |x| x.to_s }.join(',') << "
        "eval('[' + i.to_s + ']') << Kumihimo.load(Kumihimo.dump({'k' => [[[s, i]] * 3], i => nil}, format: 'json', dialect: "
        "'pretty')) "
        "<< Kumihimo.load(Kumihimo.convert(JSON.generate([s]), to: 'msgpack'), format: 'msgpack') }; print a.size";
    CHECK(run(*v, work).out == "2700");
    for (std::size_t kb = 16; kb < 4000; kb += 7) {
        const result r = run(*v, work, {kb << 10, 0});
        if (r.end.type != kind::exhausted && r.out != "2700") FAIL("at " << kb << " KB: " << r.end.message);
    }
    CHECK(run(*v, work).out == "2700");
}

TEST_CASE("deep recursion of every kind is an exception") {
    const auto v = usual_vm();
    for (const char* const deep : {
             "def f(n); f(n + 1); end; f(0)",
             "def f; yield; end; def g; f { g }; end; g",
             "def f(n); [1].each { f(n + 1) }; end; f(0)",
             "def method_missing(*a); nosuch(*a); end; x",
             "a = []; 100_000.times { a = [a] }; a.inspect",
             "a = []; 100_000.times { a = [a] }; a.flatten",
             "a = []; 100_000.times { a = [a] }; b = []; 100_000.times { b = [b] }; a == b",
             "a = []; 100_000.times { a = [a] }; a.hash",
             "a = {}; 100_000.times { a = {1 => a} }; a.inspect",
             "a = []; 100_000.times { a = [a] }; a.to_s",
             "a = []; 100_000.times { a = [a] }; JSON.generate(a)",
             "JSON.parse('[' * 100_000)",
             "MessagePack.unpack(\"\\x91\" * 100_000)",
             "eval('(' * 100_000 + ')' * 100_000)",
             "eval('[' * 20_000 + ']' * 20_000)",
             "eval('1+' * 100_000 + '1')",
             "eval('-' * 100_000 + '1')",
             "eval('if true;' * 10_000 + 'end;' * 10_000)",
             "def f(n); Fiber.new { f(n + 1) }.resume; end; f(0)",
             "f = proc { |x| x.call(x) }; f.call(f)",
             "def f; puts 1; Fiber.new { 'abc'.gsub(/b/) { f } }.resume; end; f",
             "def f; Fiber.new { [2, 1].sort { f; 0 } }.resume; end; f",
             "def f; Fiber.new { [Object.new.tap { |o| def o.to_json(*) f; end }].to_json; 'a'.gsub(/a/) { f } }.resume; end; "
             "f",
             "class A; def to_s; \"#{self}\"; end; end; A.new.to_s",
             "class A; def <=>(o); [self, o].sort; 0; end; end; [A.new, A.new].sort",
             "class A; def inspect; [self].inspect; end; end; A.new.inspect",
             "o = Object.new; def o.to_json(*a); JSON.generate([self]); end; JSON.generate(o)",
             "def x; instance_eval { x }; end; x",
             "def x; eval('x'); end; x",
             "def f; begin; f; ensure; f; end; end; begin; f; rescue SystemStackError; raise; end",
         }) {
        CAPTURE(std::string(deep));
        const result r = run(*v, deep, {std::size_t{64} << 20, 2'000 * ms});
        CHECK(r.end.type != kind::unmade);
        CHECK(r.end.backtrace.size() <= 60);
        CHECK(run(*v, "print 'fine'").out == "fine");
    }
}

TEST_CASE("files run when the VM is made, and what they define is there in every run") {
    profile made_with;
    made_with.init = {file_with("class Greeter; def hi; 'hi'; end; end\n$start = 1\n"),
                      file_with("Greeter.new.hi\nVERSION = '2'\n")};
    const auto v = vm_with(made_with);
    for (int i = 0; i < 3; ++i) CHECK(run(*v, "print Greeter.new.hi, VERSION, $start; $start += 1").out == "hi21");

    profile wrong;
    wrong.init = {file_with("puts 1\nraise 'at the start'\n")};
    outcome why;
    CHECK(vm::make(wrong, why) == nullptr);
    CHECK(why.type == kind::unmade);
    CHECK(why.message == "at the start (RuntimeError)");
    CHECK(why.line == 2);
    wrong.init = {"/nonexistent/file.rb"};
    CHECK(vm::make(wrong, why) == nullptr);
    CHECK(why.file == "/nonexistent/file.rb");
    wrong.init = {file_with("def (")};
    CHECK(vm::make(wrong, why) == nullptr);
    CHECK(why.line == 1);
    for (const profile* p : {&made_with, &wrong})
        for (const std::string& f : p->init) unlink(f.c_str());
}

TEST_CASE("runs within runs have VMs of their own, up to a depth") {
    static const profile made_with;
    outcome why;
    struct nested {
        static int run_at(int depth) {
            outcome inner;
            const borrowed_vm mine(made_with, inner);
            if (mine.get() == nullptr) {
                CHECK(inner.type == kind::unmade);
                CHECK(inner.message.find("nested deeper") != std::string::npos);
                return depth;
            }
            from_text s{"s.rb", "$x = ($x || 0) + 1; print $x"};
            CHECK(run(*mine.get(), s).out == "1");
            const int deepest = run_at(depth + 1);
            CHECK(run(*mine.get(), s).out == "1");
            return deepest;
        }
    };
    // In a thread of their own, with which they end.
    std::thread([] {
        CHECK(nested::run_at(0) == borrowed_vm::most_nested);
        CHECK(nested::run_at(0) == borrowed_vm::most_nested);
    }).join();
}

namespace {

[[gnu::no_sanitize("undefined", "address")]] mrb_value fault_at_null(mrb_state*, mrb_value) {
    *static_cast<volatile int*>(nullptr) = 1;
    return mrb_nil_value();
}
[[gnu::no_sanitize("undefined", "address")]] mrb_value use_up_the_stack(mrb_state* mrb, mrb_value self) {
    volatile char frame[1000];
    frame[0] = 1;
    frame[999] = 1;
    if (frame[0] != 0) use_up_the_stack(mrb, self);
    return mrb_fixnum_value(frame[0]);
}
[[gnu::no_sanitize("undefined", "address")]] mrb_value destroy_the_heap(mrb_state* mrb, mrb_value) {
    std::memset(static_cast<void*>(mrb->gc.heaps), 0x5A, 4096);
    return mrb_nil_value();
}
[[gnu::no_sanitize("undefined", "address")]] mrb_value lose_the_vm(mrb_state* mrb, mrb_value self) {
    mrb->ud = reinterpret_cast<void*>(0x5A);
    return fault_at_null(mrb, self);
}

}  // namespace

TEST_CASE("where mruby itself goes wrong the script ends, and the next has a new VM") {
    profile made_with;
    made_with.define = [](mrb_state* mrb) {
        mrb_define_method(mrb, mrb->kernel_module, "fault", fault_at_null, MRB_ARGS_NONE());
        mrb_define_method(mrb, mrb->kernel_module, "overflow", use_up_the_stack, MRB_ARGS_NONE());
        mrb_define_method(mrb, mrb->kernel_module, "destroy", destroy_the_heap, MRB_ARGS_NONE());
        mrb_define_method(mrb, mrb->kernel_module, "lose", lose_the_vm, MRB_ARGS_NONE());
    };
    for (const int with : {0, 1, 2, 3}) {
        made_with.keep_state = (with & 1) != 0;
        made_with.allow.io = (with & 2) != 0;
        const auto v = vm_with(made_with);
        for (const char* const wrong : {"puts 1\nfault", "puts 1\noverflow", "puts 1\nlose",
                                        "puts 1\ndestroy; a = []; 100_000.times { a << [a] }; GC.start"}) {
            for (int i = 0; i < 3; ++i) {
                CAPTURE(std::string(wrong));
                const result r = run(*v, wrong);
                CHECK(r.out == "1\n");
                CHECK(r.end.type == kind::crashed);
                CHECK(r.end.message == "mruby crashed in this script");
                // What is destroyed may be what says where.
                CHECK((r.end.line == 2 || r.end.line == 0));
                CHECK(run(*v, "print [1, 2].map { |x| x + 1 }.inspect").out == "[2, 3]");
            }
        }
    }
}

TEST_CASE("documents whose keys are costly do not outlive the limit") {
    const auto v = usual_vm();
    const std::string make = "s = '{'; 120_000.times { |i| s << '\"k' << i.to_s << '\":1,' }; s << '\"end\":1}'; ";
    const result many = run(*v, make + "JSON.parse(s, symbolize_names: true)", {std::size_t{512} << 20, 20'000 * ms});
    CHECK(many.end.type == kind::raised);
    CHECK(many.end.message == "more than 16384 new Symbols in one document (RangeError)");
    const result few = run(*v,
                           "s = (1..16000).map { |i| '\"x' + i.to_s + '\":1' }.join(','); print JSON.parse('{' + s + '}', "
                           "symbolize_names: true).size");
    CHECK(few.out == "16000");
    const result late = run(*v, make + "loop { JSON.parse(s) }", {std::size_t{512} << 20, 100 * ms});
    CHECK(late.end.type == kind::expired);
}

TEST_CASE("a Float's text is what it is in a document") {
    const auto v = usual_vm();
    CHECK(run(*v,
              "print 1e100, ' ', 0.1, ' ', [1.5, 100.0, -0.0, 1.0e20, 1e-5].inspect, \" #{0.1 + 0.2} \", 1.0 / 0, (0.0 / "
              "0).to_s, -1.0 / 0")
              .out == "1.0e+100 0.1 [1.5, 100.0, -0.0, 1.0e+20, 1.0e-05] 0.3 InfinityNaN-Infinity");
    CHECK(run(*v, "class Float; def to_s; 'mine'; end; end; print 1.5, \"#{1.5}\"; puts 1.5").out == "mineminemine\n");
}

TEST_CASE("a script that cannot be compiled in time is tried once") {
    for (const profile* const made_with : {&some(), &keeping()}) {
        const auto v = vm_with(*made_with);
        from_text large{"large.rb", ""};
        for (int i = 0; i < 200'000; ++i) large.text += "x=1\n";
        const run_limits short_time{std::size_t{64} << 20, 50 * ms};
        for (int i = 0; i < 3; ++i) {
            const result r = run(*v, large, short_time);
            CHECK(r.end.type == kind::expired);
            CHECK(r.end.message == "the script could not be compiled in 5 s");
            CHECK(run(*v, "print 'fine'").out == "fine");
        }
        CHECK(large.reads <= 2);  // once more where the machine had no time for it
        large.text = "print 'small'";
        large.version = 2;
        CHECK(run(*v, large).out == "small");
    }
}

TEST_CASE("a script whose compiling was late for want of a processor is tried again") {
    const auto v = usual_vm();
    from_text large{"large.rb", "x = [\n"};
    for (int i = 0; i < 25'000; ++i) large.text += "'literal " + std::to_string(i) + "',\n";
    large.text += "]; print x.size";
    const pid_t self = getpid(), other = fork();
    if (other == 0) {
        usleep(100'000);
        kill(self, SIGSTOP);
        sleep(6);
        kill(self, SIGCONT);
        _exit(0);
    }
    const run_limits long_time{std::size_t{64} << 20, 250'000 * ms};
    (void)run(*v, large, {std::size_t{64} << 20, 50 * ms});
    waitpid(other, nullptr, 0);
    CHECK(run(*v, large, long_time).out == "25000");
}

TEST_CASE("counts are kept") {
    counters c{};
    count_into(&c);
    const std::uint64_t vms = c.vms;
    {
        const auto v = usual_vm();
        CHECK(c.vms == vms + 1);
        CHECK(c.image_bytes > 0);
        const std::uint64_t runs = c.runs, compiled = c.compiled, raised = c.raised, expired = c.expired,
                            exhausted = c.exhausted, syntax = c.syntax;
        from_text s{"s.rb", "raise 'x'"};
        run(*v, s), run(*v, s);
        CHECK(c.runs == runs + 2);
        CHECK(c.compiled == compiled + 1);
        CHECK(c.raised == raised + 2);
        CHECK(c.scripts == 1);
        run(*v, "loop {}", {std::size_t{1} << 25, 10 * ms});
        CHECK(c.expired == expired + 1);
        run(*v, "'x' * 100_000_000");
        CHECK(c.exhausted == exhausted + 1);
        run(*v, "(");
        CHECK(c.syntax == syntax + 1);
    }
    CHECK(c.vms == vms);
    CHECK(c.image_bytes == 0);
    static counters rest{};
    count_into(&rest);
}
