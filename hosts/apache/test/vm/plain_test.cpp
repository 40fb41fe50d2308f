// A plain mruby program under hard conditions: no memory, a collector that never rests, small stacks; and the vectors that
// every host runs.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "engine/scalar/utf8.hpp"
#include "mruby/floats.hpp"
#include "mruby/layout.hpp"
#include "plain.hpp"

using namespace kumihimo;
using namespace kumihimo::mruby::test;
namespace files = std::filesystem;

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
)";
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
};

}  // namespace

TEST_CASE("a collector that never rests finds everything that is in use") {
    plain ruby;
    REQUIRE(ruby.run(program) != "");
    for (int round = 0; round < 3; ++round)
        for (const char* step : steps) {
            ruby.collect_always();
            CHECK_MESSAGE(ruby.run(step) == "true", step);
        }
}

TEST_CASE("memory that runs out is NoMemoryError, wherever it does") {
    plain ruby;
    REQUIRE(ruby.run(program) != "");
    for (const char* step : steps) {
        // Compiled before: mruby's compiler does not bear it.
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
            CHECK_MESSAGE(ruby.run("JSON.generate(JSON.parse('[1,{\"a\":\"b\"}]'))") == R"([1,{"a":"b"}])", step);
        }
        CHECK_MESSAGE(done, step);
        CHECK_MESSAGE(ruby.run(step) == "true", step);
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

// ---- the vectors

namespace {

std::string slurp(const files::path& p) {
    std::ifstream in(p, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string text_line(std::string_view s) {
    std::string out = "\"";
    const char* p = s.data();
    const char* const e = p + s.size();
    while (p != e) {
        char hex[16];
        const scalar::decoded d = scalar::decode_utf8(p, e);
        if (d.length == 0) {
            std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned char>(*p++));
            out += hex;
            continue;
        }
        p += d.length;
        if (d.scalar == '"' || d.scalar == '\\') out += '\\';
        if (d.scalar >= 0x20 && d.scalar <= 0x7e) {
            out += static_cast<char>(d.scalar);
        } else {
            std::snprintf(hex, sizeof hex, "\\u{%x}", static_cast<unsigned>(d.scalar));
            out += hex;
        }
    }
    return out + '"';
}
// A Float is what is left of the double.
std::string float_line(double x) {
    char line[40];
    const auto bits = x != x
                          ? 0x7ff8000000000000
                          : std::bit_cast<std::uint64_t>(x) & (mruby::floats_are_cut ? ~std::uint64_t{3} : ~std::uint64_t{0});
    std::snprintf(line, sizeof line, "f64 0x%016llx\n", static_cast<unsigned long long>(bits));
    return line;
}

void trace(mrb_state* mrb, mrb_value v, std::string& out) {
    const auto part = [&](const char* name) { return mrb_iv_get(mrb, v, mrb_intern_cstr(mrb, name)); };
    const auto bytes = [](mrb_value s) { return std::string_view(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s))); };
    if (mrb_nil_p(v)) {
        out += "null\n";
    } else if (mrb_true_p(v) || mrb_false_p(v)) {
        out += mrb_true_p(v) ? "boolean true\n" : "boolean false\n";
    } else if (mrb_integer_p(v)) {
        out += "i64 " + std::to_string(mrb_integer(v)) + "\n";
    } else if (mruby::is_big(v)) {
        const std::string digits(bytes(mrb_inspect(mrb, v)));
        const bool fits = digits[0] != '-' && (digits.size() < 20 || (digits.size() == 20 && digits <= "18446744073709551615"));
        out += (fits ? "u64 " : "big ") + digits + "\n";
    } else if (mrb_float_p(v)) {
        out += float_line(mrb_float(v));
    } else if (mrb_string_p(v)) {
        out += "str " + text_line(bytes(v)) + "\n";
    } else if (mrb_array_p(v)) {
        out += "array\n";
        for (mrb_int i = 0; i < RARRAY_LEN(v); ++i) trace(mrb, RARRAY_PTR(v)[i], out);
        out += "end\n";
    } else if (mrb_hash_p(v)) {
        out += "map\n";
        const mrb_value keys = mrb_hash_keys(mrb, v);
        for (mrb_int i = 0; i < RARRAY_LEN(keys); ++i) {
            const mrb_value k = RARRAY_PTR(keys)[i];
            out += "key " + (mrb_string_p(k) ? text_line(bytes(k)) + "\n" : std::string("\n"));
            if (!mrb_string_p(k)) trace(mrb, k, out);
            trace(mrb, mrb_hash_get(mrb, v, k), out);
        }
        out += "end\n";
    } else if (mrb_obj_classname(mrb, v) == std::string("MessagePack::Timestamp")) {
        out +=
            "time utc " + std::to_string(mrb_integer(part("@sec"))) + " " + std::to_string(mrb_integer(part("@nsec"))) + " 0\n";
    } else {
        out += "ext " + std::to_string(mrb_integer(part("@type"))) + " 0x";
        char hex[4];
        for (const char c : bytes(part("@payload"))) {
            std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned char>(c));
            out += hex;
        }
        out += "\n";
    }
}

// What the file says, as mruby can hold it: in 3.1 no integer beyond 64 bits with sign, no double's last two bits, no bytes
// beside text.
std::string expected(const files::path& in) {
    std::istringstream lines(slurp(files::path(in).replace_extension(".trace")));
    std::string out, line;
    while (std::getline(lines, line)) {
        if (line.rfind("f64 ", 0) == 0) {
            out += float_line(std::bit_cast<double>(static_cast<std::uint64_t>(std::stoull(line.substr(4, 18), nullptr, 16))));
        } else if ((line.rfind("u64 ", 0) == 0 || line.rfind("big ", 0) == 0) &&
                   (!mruby::big_integers || line.find_first_of(".eE") != line.npos)) {
            out += float_line(std::strtod(line.c_str() + 4, nullptr));
        } else if (line.rfind("bin 0x", 0) == 0) {
            std::string raw;
            for (std::size_t i = 6; i + 1 < line.size(); i += 2)
                raw += static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16));
            out += "str " + text_line(raw) + "\n";
        } else {
            out += line + "\n";
        }
    }
    return out;
}

// What mruby's values cannot hold, or this host has otherwise.
const std::map<std::string, const char*> except = {
    {"json/containers/ok-keys-twice", "a Hash has a key once"},
    {"json/numbers/ok-minus-zero", "-0 is the Integer 0, as in Ruby"},
    {"msgpack/map/ok-16", "a Hash has a key once"},
    {"msgpack/map/ok-duplicate-keys", "a Hash has a key once"},
    {"msgpack/map/ok-keys-of-all-kinds", "a container is no key here"},
};
// Text that is not UTF-8 is a String of bytes, as the msgpack gem has it; an empty container is no level, as in Ruby.
bool takes(const std::string& id) { return id.rfind("msgpack/text/err-", 0) == 0 || id == "json/containers/err-too-deep"; }

void run_vectors(const std::string& format, const char* module, const char* function, const std::string& options) {
    const files::path folder = KUMIHIMO_VECTORS;
    std::vector<files::path> found;
    for (const auto& entry : files::recursive_directory_iterator(folder / format))
        if (entry.path().extension() == ".in") found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    REQUIRE(found.size() > 50);
    plain ruby;
    mrb_state* const mrb = ruby.state();
    const mrb_value given = mrb_load_string(mrb, options.c_str());
    mrb_gc_register(mrb, given);
    for (const files::path& in : found) {
        const int arena = mrb_gc_arena_save(mrb);
        const std::string id = files::path(in).replace_extension("").lexically_relative(folder).generic_string();
        const std::string name = in.stem().string();
        const mrb_value v = ruby.call(module, function, ruby.string(slurp(in)), given);
        const bool read = mrb->exc == nullptr;
        if (name.rfind("ok-", 0) == 0 && !except.count(id)) {
            CHECK_MESSAGE(read, id);
            std::string lines;
            if (read) trace(mrb, v, lines);
            CHECK_MESSAGE(lines == expected(in), id);
        } else if (name.rfind("err-", 0) == 0 && !takes(id)) {
            CHECK_MESSAGE(!read, id);
            std::istringstream error(slurp(files::path(in).replace_extension(".error")));
            std::string code, offset;
            error >> code >> offset;
            if (!read && !offset.empty()) {
                const mrb_value thrown = mrb_obj_value(mrb->exc);
                mrb->exc = nullptr;
                const mrb_value at = mrb_iv_get(mrb, thrown, mrb_intern_lit(mrb, "@offset"));
                CHECK_MESSAGE(ruby.shown(at) == offset, id);
            }
        }
        mrb->exc = nullptr;
        mrb_gc_arena_restore(mrb, arena);
    }
}

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// What the writer asks for is more than what the String keeps, which glibc's malloc answered with new pages for each document.
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

TEST_CASE("the vectors of JSON") { run_vectors("json", "JSON", "parse", "{max_nesting: 1024}"); }
TEST_CASE("the vectors of MessagePack") {
    run_vectors("msgpack", "MessagePack", "unpack", "{max_nesting: 1024, timestamp: true, allow_unknown_ext: true}");
}
