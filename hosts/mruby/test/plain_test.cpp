// A plain mruby program under hard conditions: no memory, a collector that never rests, small stacks; and the vectors
// that every host runs.
#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <string>

#include "vectors.hpp"

using namespace kumihimo;
using namespace kumihimo::mruby::test;

namespace {

constexpr const char* program = R"(
    class Node
      def initialize(x) @x = x end
      def to_json(*a) {'x' => @x, 'l' => [@x] * 3}.to_json(*a) end
      def to_s() 'node ' * 10 end
      def to_msgpack() @x.to_msgpack end
    end
    DOC = {'users' => (1..40).map { |i| {'id' => i, 'name' => 'long name ' * (i % 7), s: i / 8.0, node: Node.new(i), i => nil} }}
    PLAIN = JSON.generate(DOC)
    BYTES = MessagePack.pack(DOC)
    PARSED = JSON.parse(PLAIN)
    NODE = Node.new(1)
    DEEP = (1..300).inject(1) { |a, i| [a, i] }
    NESTED = JSON.generate(DEEP, max_nesting: 0)
    ANY, OTHER = 'json', 'msgpack'
    STREAM = PLAIN * 3
    NUMBER = [0]
    COUNT = proc { |v| NUMBER[0] += v['users'].size }
)";
// No comparison of what is nested: mruby does it in Ruby, and crashes there where memory is out.
constexpr const char* steps[] = {
    "JSON.generate(DOC) == PLAIN",
    "JSON.generate(JSON.parse(PLAIN)) == PLAIN",
    "JSON.pretty_generate(DOC).size > PLAIN.size",
    "JSON.parse(PLAIN, symbolize_names: true)[:users].size == 40",
    "MessagePack.pack(DOC) == BYTES",
    "MessagePack.unpack(BYTES)['users'].size == 40",
    "JSON.partial(PLAIN, 'users[*].name', 'users[3]')[0].size == 40",
    "(begin; JSON.parse(PLAIN + ']'); rescue JSON::ParserError => e; e.line; end) == 1",
    "JSON.generate('y' * 100000).size == 100002",
    "JSON.parse('[' + '[1],' * 3000 + '0]').size == 3001",
    "JSON.generate(JSON.parse(JSON.pretty_generate(DEEP, max_nesting: 0), max_nesting: 0), max_nesting: 0) == NESTED",
    "JSON.generate(Kumihimo.load(Kumihimo.dump(PARSED, format: ANY))) == PLAIN",
    "JSON.generate(Kumihimo.load(Kumihimo.dump(PARSED, format: OTHER), format: OTHER)) == PLAIN",
    "JSON.generate(Kumihimo.load(Kumihimo.dump(DEEP, format: ANY, dialect: 'pretty')), max_nesting: 0) == NESTED",
    "Kumihimo.convert(PLAIN, to: OTHER, from: ANY) == Kumihimo.dump(PARSED, format: OTHER)",
    "Kumihimo.each_document(STREAM, &COUNT).nil? && NUMBER[0] >= 120",
    "Kumihimo.convert(BYTES, to: ANY, from: OTHER).size > 1000",
    "Kumihimo.formats.size > 1",
    "(begin; Kumihimo.dump([NODE], format: 'json'); rescue Kumihimo::GeneratorError => e; e.invalid_object.equal?(NODE); end)",
};

}  // namespace

TEST_CASE("a collector that never rests finds everything that is in use") {
    plain ruby;
    REQUIRE(ruby.run(program) != "");
    for (int round = 0; round < 3; ++round)
        for (const char* step : steps) {
            ruby.collect_always();
            CHECK_MESSAGE(ruby.run(step) == "true", std::string(step));
        }
}

TEST_CASE("memory that runs out is NoMemoryError, wherever it does") {
    plain ruby;
    REQUIRE(ruby.run(program) != "");
    for (const char* step : steps) {
        INFO(std::string(step));
        // Compiled before: mruby's compiler crashes where memory is out.
        const mrb_value compiled = mrb_load_string(ruby.state(), ("-> {" + std::string(step) + "}").c_str());
        mrb_gc_register(ruby.state(), compiled);
        bool done = false;
        long n = 0;
        for (; !done && n < 100000; n += 1 + n / 50) {
            ruby.fail_after = n;
            const mrb_value v = mrb_funcall_id(ruby.state(), compiled, mrb_intern_lit(ruby.state(), "call"), 0);
            ruby.fail_after = -1;
            done = ruby.state()->exc == nullptr && mrb_true_p(v);
            ruby.state()->exc = nullptr;
            CHECK_MESSAGE(ruby.run("JSON.generate(JSON.parse('[1,{\"a\":\"b\"}]'))") == R"([1,{"a":"b"}])", std::string(step));
        }
        CHECK_MESSAGE(done, std::string(step));
        CHECK_MESSAGE(ruby.run(step) == "true", std::string(step));
    }
}

TEST_CASE("a small stack is enough, or is told") {
    const auto body = [](void*) -> void* {
        plain ruby;
        CHECK(ruby.run("a = []; a << a; JSON.generate(a, max_nesting: 0)") == "SystemStackError: stack level too deep");
        CHECK(ruby.run("a = []; 99.times { a = [a] }; JSON.parse(JSON.generate(a)) == a") == "true");
        CHECK(ruby.run("class Rec; def to_json(*) JSON.generate([Rec.new]) end end; JSON.generate(Rec.new)").find("Error") !=
              std::string::npos);
        CHECK(ruby.run("JSON.generate(JSON.parse('[' * 90 + ']' * 90)).size") == "180");
        return nullptr;
    };
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, std::size_t{1} << 20);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, &attributes, body, nullptr) == 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

TEST_CASE("programs with several states, one behind the other and at once") {
    plain a, b;
    CHECK(a.run("JSON.parse('{\"k\":1}')") == R"({"k"=>1})");
    CHECK(b.run("JSON.parse('{\"k\":2}', symbolize_names: true)") == "{:k=>2}");
    for (int i = 0; i < 20; ++i) {
        plain c;
        CHECK(c.run("JSON.generate(JSON.parse('{\"k\":[\"k\"]}'))") == R"({"k":["k"]})");
    }
    CHECK(a.run("JSON.parse('{\"k\":1}')") == R"({"k"=>1})");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// What the writer asks for is more than what the String keeps, which glibc's malloc answered with new pages for each
// document.
TEST_CASE("the memory of large documents is used again") {
    mrb_state* const mrb = mrb_open();  // whose allocator is malloc
    kumihimo_mruby_define(mrb);
    mrb_load_string(mrb, "$rows = (0...9000).map { |i| {'id' => i, 'tags' => ['a', 'b'], 'text' => 'x' * 250} }");
    for (const char* const code : {"$s = JSON.generate($rows); GC.start; 1", "$s = MessagePack.pack($rows); GC.start; 1"}) {
        const auto faults = [] {
            rusage used{};
            getrusage(RUSAGE_SELF, &used);
            return used.ru_minflt;
        };
        for (int i = 0; i < 20; ++i) CHECK(mrb_fixnum_p(mrb_load_string(mrb, code)));
        const long before = faults();
        for (int i = 0; i < 20; ++i) mrb_load_string(mrb, code);
        CHECK_MESSAGE(faults() - before < 20 * 50, code);
    }
    mrb_close(mrb);
}
#endif

namespace {

reasons values() {
    reasons all = {
        {"json/numbers/ok-minus-zero", "-0 is the Integer 0, as in Ruby"},
    };
    add_number_exceptions(all);
    return all;
}
const exceptions otherwise{
    values(),
    // Text that is not UTF-8 is a String of bytes, as the msgpack gem has it; an empty container is no level, as in
    // Ruby.
    [](const std::string& id) { return id.rfind("msgpack/text/err-", 0) == 0 || id == "json/containers/err-too-deep"; },
};

}  // namespace

TEST_CASE("the vectors of JSON") { run_vectors("json", "JSON", "parse", "{max_nesting: 1024}", otherwise); }
TEST_CASE("the vectors of MessagePack") {
    run_vectors("msgpack", "MessagePack", "unpack", "{max_nesting: 1024, timestamp: true, allow_unknown_ext: true}", otherwise);
}
