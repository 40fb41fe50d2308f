// The trace that the vectors are compared with: what the walk of Kumihimo.dump says of any value, and what it raises.
#include <doctest/doctest.h>

#include <string>

#include "vectors.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;
using namespace std::string_literals;

namespace {

// The text's last value, traced.
std::string traced(plain& ruby, const char* text) {
    mrb_state* const mrb = ruby.state();
    const int arena = mrb_gc_arena_save(mrb);
    const mrb_value v = mrb_load_string(mrb, text);
    const std::string said = mrb->exc == nullptr ? test::trace(ruby, v) : ruby.failure();
    mrb_gc_arena_restore(mrb, arena);
    return said;
}

}  // namespace

TEST_CASE("every verb") {
    plain ruby;
    ruby.collect_always();
    CHECK(traced(ruby, "[nil, true, false, 1, -1 << 62, 0.5, 0.1, -0.0, 0.0 / 0, \"é\\\"\\n\", \"\\xff\\x00\", :s]") ==
          "array\nnull\nboolean true\nboolean false\ni64 1\ni64 -4611686018427387904\nf64 0x3fe0000000000000 0.5\n"
          "f64 0x3fb999999999999a 0.1\nf64 0x8000000000000000 -0\nf64 0x7ff8000000000000 nan\n"
          "str \"\\u{e9}\\\"\\u{a}\"\nbin 0xff00\nstr \"s\"\nend\n");
    CHECK(traced(ruby, "{'a' => [], b: {}, 5 => nil, \"\\xff\" => 1, [1] => 2}") ==
          "map\nkey \"a\"\narray\nend\nkey \"b\"\nmap\nend\nkey\ni64 5\nnull\nkey\nbin 0xff\ni64 1\n"
          "key\narray\ni64 1\nend\ni64 2\nend\n");
    CHECK(traced(ruby, "[MessagePack::Extension.new(5, \"\\n\"), MessagePack::Timestamp.new(1, 2), Time.at(3).utc]") ==
          "array\next 5 0x0a\ntime utc 1 2 0\ntime utc 3 0 0\nend\n");
}

TEST_CASE("objects of a script's own: none is asked, and an error leaves nothing behind") {
    plain ruby;
    ruby.run(
        "class Hostile; def to_s() raise 'asked' end; def to_h() raise 'asked' end; def to_json(*) raise 'asked' end;"
        "def inspect() raise 'asked' end; def ==(o) raise 'asked' end end");
    for (int i = 0; i < 100; ++i)
        CHECK(traced(ruby, "['x' * 9000, [Hostile.new]]") ==
              "Kumihimo::GeneratorError: Hostile cannot be written: give dump a block that says what to write instead");
    CHECK(traced(ruby, "MessagePack::Extension.new(200, '')") == "RangeError: an extension's type is not from -128 to 127");
    CHECK(traced(ruby, "[1]") == "array\ni64 1\nend\n");
}

TEST_CASE("depth, and no memory") {
    plain ruby;
    std::string deep;
    for (int i = 0; i < 2000; ++i) deep += "array\n";
    deep += "i64 1\n";
    for (int i = 0; i < 2000; ++i) deep += "end\n";
    CHECK(traced(ruby, "v = 1; 2000.times { v = [v] }; v") == deep);
    CHECK(traced(ruby, "v = []; v << v; v") == "SystemStackError: stack level too deep");
    const mrb_value v = mrb_load_string(ruby.state(), "[[['x' * 100000, 1.5]] * 3] * 3");
    mrb_gc_register(ruby.state(), v);
    const std::string whole = test::trace(ruby, v);
    for (const long n : {0, 1, 2, 3, 4, 5, 6, 8, 10, 12}) {
        ruby.fail_after = n;
        RClass* const of_test = mrb_module_get(ruby.state(), "Trace");
        const mrb_value made =
            mrb_funcall_argv(ruby.state(), mrb_obj_value(of_test), mrb_intern_lit(ruby.state(), "of"), 1, &v);
        const bool raised = ruby.state()->exc != nullptr;
        ruby.state()->exc = nullptr;
        ruby.fail_after = -1;
        if (!raised) CHECK(ruby.shown(made) == whole);
    }
    CHECK(test::trace(ruby, v) == whole);
}
