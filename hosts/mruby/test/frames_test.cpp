// Compression around documents of any format, over every row of the table of frames: in a plain mruby program, and
// what is left of it behind the runs of a VM.
#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "../vm/held.hpp"
#include "engine/formats.hpp"
#include "engine/frame/frame.hpp"
#include "plain.hpp"
#include "scripts.hpp"

using namespace kumihimo;
using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;
using namespace std::string_literals;

namespace {

constexpr const char* helpers = R"(
    FRAMES = Kumihimo.frames
    HERE = FRAMES.select { |frame| frame[:available] }.map { |frame| frame[:name] }
    FORMATS = Kumihimo.formats.map { |format| format[:name] }
    VALUE = { 'id' => 7, 'tags' => ['a', nil, { 'deep' => [[], {}] }], 'text' => 'café 😀' * 50, 'x' => -1.5 }
    class Dripping
      def initialize(text, size) @text, @size, @at = text, size, 0 end
      def read(n = nil)
        part = @text.byteslice(@at, n.nil? ? @text.bytesize : n < @size ? n : @size)
        @at += part.bytesize unless part.nil?
        part
      end
    end
    def refused(error = Kumihimo::ParserError)
      yield
      "nothing was raised"
    rescue error => e
      e
    end
    def each_frame_and_format
      HERE.each { |frame| FORMATS.each { |format| yield frame, format } }
    end
)";

// A program with the helpers in it; what runs in it says true.
struct program : plain {
    program() { REQUIRE(run(helpers) == ":each_frame_and_format"); }
    void check(const char* code) {
        INFO(code);
        CHECK(run(code) == "true");
    }
};

std::size_t held() {
    const host_section at_work;
    return held_objects::here().size();
}

}  // namespace

TEST_CASE("the table of frames") {
    program ruby;
    if (ruby.run("HERE.size == FRAMES.size") != "true") std::puts("not proven: frames without their libraries");
    ruby.check("FRAMES.all? { |f| f.keys == [:name, :ending, :media_type, :levels, :usual_level, :available] }");
    ruby.check("FRAMES.all? { |f| f[:levels].include?(f[:usual_level]) } && FRAMES.size >= 2");
}

TEST_CASE("there and back") {
    program ruby;
    ruby.check(R"(
        noise = ''
        300_000.times { |i| noise << (i * i * 40503 >> 7 & 255).chr }
        HERE.all? do |frame|
          levels = FRAMES.find { |one| one[:name] == frame }[:levels]
          ['', 'a', 'text' * 400_000, noise].all? do |data|
            [nil, levels.first < -5 ? -5 : levels.first, levels.last > 9 ? 9 : levels.last].all? do |level|
              packed = Kumihimo.pack(data, frame, level)
              [nil, frame, frame.to_sym].all? { |name| Kumihimo.unpack(packed, name) == data } && Kumihimo.unpack(packed + packed) == data + data
            end
          end
        end)");
}

TEST_CASE("documents of every format in every frame") {
    program ruby;
    ruby.check(R"(
        ok = true
        each_frame_and_format do |frame, format|
          plain = Kumihimo.dump(VALUE, format: format)
          packed = Kumihimo.dump(VALUE, format: format, frame: frame)
          ok &&= Kumihimo.unpack(packed, frame) == plain
          ok &&= Kumihimo.unpack(Kumihimo.dump(VALUE, format: format, frame: frame, frame_level: 1)) == plain
          ok &&= Kumihimo.load(packed, format: format) == VALUE
          ok &&= Kumihimo.load(Dripping.new(packed, 1 << 20), format: format) == VALUE
          ok &&= Kumihimo.partial(packed, 'id', 'x', format: format) == [7, -1.5]
          ok &&= Kumihimo.convert(packed, from: format, to: format) == plain
          ok &&= Kumihimo.convert(plain, from: format, to: format, frame: frame) == packed
        end
        ok && Kumihimo.load(Kumihimo.pack('[1]', HERE[0])) == [1] && Kumihimo.convert(Kumihimo.pack('[1]', HERE[0]), to: 'json') == '[1]')");
}

TEST_CASE("streams of documents in frames") {
    program ruby;
    ruby.check(R"(
        def all(source, format)
          found = []
          Kumihimo.each_document(source, format: format) { |value| found << value }
          found
        end
        values = (0...300).map { |i| { 'n' => i, 'text' => 'x' * (i % 40) } }
        ok = true
        each_frame_and_format do |frame, format|
          plain = values.map { |value| Kumihimo.dump(value, format: format) }
          packed = [plain[0, 150].join, plain[150, 150].join].map { |part| Kumihimo.pack(part, frame) }.join
          ok &&= all(packed, format) == values
          [1, 2, 3, 7, 1000, 1 << 20].each { |size| ok &&= all(Dripping.new(packed, size), format) == values }
          first = nil
          Kumihimo.each_document(packed, format: format) { |value| first = value; break }
          ok &&= first == values[0]
          seen = []
          error = refused { Kumihimo.each_document(Dripping.new(packed.byteslice(0, packed.bytesize - 2), 50), format: format) { |value| seen << value } }
          ok &&= error.is_a?(Kumihimo::ParserError) && seen.size >= 150 && seen == values[0, seen.size]
          ok &&= all(Dripping.new(Kumihimo.dump(0, format: format), 1), format) == [0]   # fewer bytes than tell a frame
          ok &&= all('', format) == []
        end
        ok)");
    ruby.check(R"(
        text = '[' + ('[' + '1,' * 99 + '1],') * 10_000 + '1]'   # in rows: an Array of mruby 3.3 has at most 131,072 elements
        HERE.all? do |frame|
          sizes = []
          Kumihimo.each_document(Kumihimo.pack(text, frame)) { |list| sizes << list.size }
          sizes == [10_001]
        end)");
}

TEST_CASE("what is damaged or too large") {
    program ruby;
    ruby.check(R"(
        HERE.all? do |frame|
          packed = Kumihimo.pack('{"a":1}' * 100, frame)
          [packed.byteslice(0, packed.bytesize - 1), packed + 'something else'].all? do |broken|
            [-> { Kumihimo.unpack(broken) }, -> { Kumihimo.load(broken, format: 'json') }, -> { Kumihimo.convert(broken, from: 'json', to: 'json') },
             -> { Kumihimo.partial(broken, 'a', format: 'json') }].all? do |call|
              error = refused(&call)
              error.is_a?(Kumihimo::ParserError) && error.offset <= broken.bytesize
            end
          end && refused { Kumihimo.unpack(packed, size: 699) }.is_a?(Kumihimo::ParserError) && Kumihimo.unpack(packed, size: 700).bytesize == 700 &&
            (HERE.size == 1 || refused { Kumihimo.unpack(packed, (HERE - [frame])[0]) }.is_a?(Kumihimo::ParserError))
        end)");
    if (frame::available(frame::zstd)) {
        ruby.check("refused { Kumihimo.unpack(Kumihimo.pack(\"\\0\" * (64 << 20), 'zstd')) }.message.include?('bomb')");
    }
    ruby.check("refused { Kumihimo.unpack('[1]') }.message.include?('begin as no frame does')");
    ruby.check(
        "refused(TypeError) { Kumihimo.unpack(5) }.is_a?(TypeError) && refused(TypeError) { Kumihimo.pack(nil, HERE[0]) "
        "}.is_a?(TypeError)");
}

TEST_CASE("names and levels that are none") {
    program ruby;
    ruby.check(R"(
        ['zip', '', 5, 'GZIP'].all? do |name|
          [-> { Kumihimo.pack('', name) }, -> { Kumihimo.unpack('', name) }, -> { Kumihimo.dump(1, format: 'json', frame: name) },
           -> { Kumihimo.convert('1', from: 'json', to: 'json', frame: name) }].all? do |call|
            text = refused(ArgumentError, &call).message
            text.start_with?('frame is one of "gzip", ') && text.end_with?(', not ' + name.inspect)
          end
        end)");
    ruby.check(R"(
        FRAMES.all? do |frame|
          [frame[:levels].last + 1, frame[:levels].first - 1, 1 << 60].all? do |level|
            refused(ArgumentError) { Kumihimo.dump(1, format: 'json', frame: frame[:name], frame_level: level) }.message
              .start_with?('the levels of ' + frame[:name] + ' are ')
          end && refused(TypeError) { Kumihimo.pack('', frame[:name], 'high') }.is_a?(TypeError)
        end)");
    ruby.check("refused(ArgumentError) { Kumihimo.dump(1, format: 'json', frame_level: 3) }.message.include?('none is named')");
    ruby.check("refused(ArgumentError) { Kumihimo.dump(1, frame: 'gzip') }.message.include?('missing keyword: :format')");
    ruby.check("refused(ArgumentError) { Kumihimo.unpack('', most: 3) }.message.include?('unknown keyword')");
    ruby.check("refused(ArgumentError) { Kumihimo.unpack('', 'gzip', size: -1) }.message.include?('not negative')");
}

TEST_CASE("a library that is missing is said by name, and no other call minds") {
    program ruby;
    ruby.check(
        R"((FRAMES.map { |f| f[:name] } - HERE).all? { |frame| refused { Kumihimo.pack('', frame) }.message.include?('install') } &&
                  Kumihimo.load('[1]') == [1])");
}

TEST_CASE("the source may change, and the collector may run, at any step") {
    program ruby;
    ruby.collect_always();
    ruby.check(R"(
        packed = HERE.map { |frame| Kumihimo.pack('[1] [2] [3]', frame) }
        packed.all? do |text|
          found = []
          Kumihimo.each_document(text, format: 'json') { |value| text.replace('x' * 50) if found.empty?; found << value }
          found == [[1], [2], [3]]
        end)");
    ruby.check(R"(
        class Changing < Dripping
          def read(n = nil)
            @last.replace('') unless @last.nil?
            @last = super
          end
        end
        HERE.all? do |frame|
          found = []
          Kumihimo.each_document(Changing.new(Kumihimo.pack('[1] [2] [3]', frame), 5)) { |value| found << value }
          found == [[1], [2], [3]]
        end)");
    ruby.check("Kumihimo.load(Kumihimo.dump(VALUE, format: FORMATS[1], frame: HERE[0]), format: FORMATS[1]) == VALUE");
}

TEST_CASE("loops that were left hold nothing in the end") {
    {
        program ruby;
        ruby.check(R"(
            packed = Kumihimo.pack('[1] ' * 1000, HERE[0])
            left = 0
            1000.times { Kumihimo.each_document(Dripping.new(packed, 9)) { left += 1; break } }
            1000.times { begin; Kumihimo.each_document(packed) { left += 1; raise 'out' }; rescue RuntimeError; end }
            left == 2000)");
        CHECK(held() <= held_objects::here().kept());
    }
    CHECK(held() == 0);
    program ruby;
    ruby.check(R"(
        packed = Kumihimo.pack('[1] ' * 1000, HERE[0])
        def deep(packed, n)
          return 0 if n == 0
          inner = 0
          Kumihimo.each_document(packed) { inner = 1 + deep(packed, n - 1); break }
          inner
        end
        deep(packed, 8) == 8 && refused(RuntimeError) { deep(packed, 9) }.message.include?('more than 8 streams'))");
}

TEST_CASE("a run leaves nothing behind, however it ends") {
    auto v = usual_vm();
    const run_limits limits{std::size_t{16} << 20, 10'000 * ms}, soon{std::size_t{16} << 20, 200 * ms};
    const std::string stream =
        "packed = Kumihimo.pack('[1] ' * 100, Kumihimo.frames[0][:name]); Kumihimo.each_document(packed) { ";
    for (const auto& [end, how] : {std::pair{"break }", outcome::kind::returned},
                                   {"raise 'out' }", outcome::kind::raised},
                                   {"loop {} }", outcome::kind::expired},
                                   {"$s = 'x' * 10_000_000 + 'x' * 10_000_000 }", outcome::kind::exhausted}}) {
        INFO(end);
        const result r = run(*v, stream + end, how == outcome::kind::expired ? soon : limits);
        CHECK(r.end.type == how);
        CHECK(held() == 0);
    }
    CHECK(run(*v, "p Kumihimo.load(Kumihimo.pack('[1]', 'gzip'))", limits).out == "[1]\n");
}

TEST_CASE("what a script packs and unpacks is bounded by its limits") {
    auto v = usual_vm();
    const run_limits limits{std::size_t{16} << 20, 10'000 * ms};
    CHECK(run(*v, "Kumihimo.unpack(Kumihimo.pack('x' * 9_000_000, 'gzip') * 3)", limits).end.type != outcome::kind::returned);
    CHECK(held() == 0);
    const result late = run(*v, "text = '0123456789abcdef' * 500_000; loop { Kumihimo.pack(text, 'gzip', 9) }",
                            {std::size_t{64} << 20, 100 * ms});
    CHECK(late.end.type == outcome::kind::expired);
    CHECK(held() == 0);
}
