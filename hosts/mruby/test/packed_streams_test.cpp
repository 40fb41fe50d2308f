// Streams that may be in a frame: what is not kept back, what scripts do from within read(), and what a run keeps for
// them.
#include <doctest/doctest.h>

#include "../vm/held.hpp"
#include "plain.hpp"

using namespace kumihimo;
using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

namespace {

constexpr const char* helpers = R"(
    # Has these pieces, and is not to be asked for another one: that would wait.
    class Live
      def initialize(*pieces) @pieces = pieces end
      def read(n = nil)
        raise 'it waits' if @pieces.empty?
        @pieces.shift
      end
    end
    # Goes on with the loop that reads it.
    class Nested
      def initialize(*pieces) @pieces = pieces end
      def read(n = nil)
        return @pieces.shift if @inside
        @inside = true
        ObjectSpace.each_object { |o| begin; 3.times { o.more? }; rescue; end if o.respond_to?(:more?) && !o.is_a?(Class) }
        @inside = false
        @pieces.shift
      end
    end
    def seen(source, **options)
      found = []
      Kumihimo.each_document(source, options) { |value| found << value }
      found
    rescue RuntimeError => e
      found << e.message
    end
    HERE = Kumihimo.frames.select { |frame| frame[:available] }.map { |frame| frame[:name] }
)";

struct program : plain {
    program() { run(helpers); }
};

struct one_kind final : held_objects::held {};
struct other_kind final : held_objects::held {};

}  // namespace

TEST_CASE("a document is given as soon as it is there") {
    program ruby;
    CHECK(ruby.run("seen(Live.new(\"1\\n\"), format: 'json')") == R"([1, "it waits"])");
    CHECK(ruby.run("seen(Live.new(\"\\xc0\"), format: 'msgpack')") == R"([nil, "it waits"])");
    CHECK(ruby.run("seen(Live.new(\"[1] \"))") == R"([[1], "it waits"])");
    CHECK(ruby.run("HERE.all? { |frame| seen(Live.new(Kumihimo.pack('[1] [2] ', frame)), format: 'json') == [[1], [2], 'it "
                   "waits'] }") == "true");
    CHECK(ruby.run("HERE.all? { |frame| seen(Live.new(Kumihimo.pack('[1] ', frame))) == [[1], 'it waits'] }") == "true");
}

TEST_CASE("options are refused before anything is read") {
    program ruby;
    CHECK(ruby.run("Kumihimo.each_document(Live.new, format: 'none') {}").find("unknown format") != std::string::npos);
    CHECK(ruby.run("Kumihimo.each_document(Live.new, most: 3) {}").find("unknown keyword") != std::string::npos);
}

TEST_CASE("a script goes on with the loop from within read()") {
    program ruby;
    for (const char* const cut : {"packed.bytesize", "packed.bytesize - 3"}) {
        CAPTURE(cut);
        const std::string code = std::string(R"(
            HERE.all? do |frame|
              packed = Kumihimo.pack('[1] ' * 5000, frame)
              packed = packed.byteslice(0, )") +
                                 cut + R"()
              [1, 7, 100].each do |size|
                pieces = []
                at = 0
                while at < packed.bytesize
                  pieces << packed.byteslice(at, size)
                  at += size
                end
                begin
                  seen(Nested.new(*pieces), format: 'json')
                rescue Kumihimo::ParserError
                end
              end
              true
            end)";
        CHECK(ruby.run(code) == "true");
    }
    CHECK(ruby.run("seen('[1] [2]')") == "[[1], [2]]");
}

TEST_CASE("what a run keeps is found by its number and its kind") {
    const host_section at_work;
    held_objects& here = held_objects::here();
    const std::uint64_t first = held_objects::next_number();
    const std::uint64_t one = here.keep<one_kind>(), other = here.keep<other_kind>();
    CHECK(here.find<one_kind>(one) != nullptr);
    CHECK(here.find<other_kind>(one) == nullptr);
    CHECK(here.find<one_kind>(other) == nullptr);
    CHECK(here.find<held_objects::held>(other) != nullptr);
    CHECK(here.kept<one_kind>() == 1);
    CHECK(here.kept() == 2);
    here.drop(one);
    CHECK(here.find<one_kind>(one) == nullptr);
    CHECK(here.kept<one_kind>() == 0);
    here.drop(other);
    CHECK(here.size() == 0);
    CHECK(first <= one);
}
