# frozen_string_literal: true

require "minitest/autorun"
require "open3"
require "rbconfig"

# What the examples print, line by line. Addresses and process ids are written ADDRESS and PID.
class ExamplesTest < Minitest::Test
  EXAMPLES = File.expand_path("../examples", __dir__)

  STUDY = <<'TEXT'
| value, .123 s past 2017-01-01 00:00 | JSON.generate | ActiveSupport, precision 3 | precision 0 | not standard |
|---|---|---|---|---|
| TimeWithZone (09:00 in Tokyo) | "2017-01-01 09:00:00 +0900" | "2017-01-01T09:00:00.123+09:00" | "2017-01-01T09:00:00+09:00" | "2017/01/01 09:00:00 +0900" |
| DateTime | "2017-01-01T00:00:00+00:00" | "2017-01-01T00:00:00.123+00:00" | "2017-01-01T00:00:00+00:00" | "2017/01/01 00:00:00 +0000" |
| Time, UTC | "2017-01-01 00:00:00 UTC" | "2017-01-01T00:00:00.123Z" | "2017-01-01T00:00:00Z" | "2017/01/01 00:00:00 +0000" |
| Time, local (Tokyo) | "2017-01-01 00:00:00 +0900" | "2017-01-01T00:00:00.123+09:00" | "2017-01-01T00:00:00+09:00" | "2017/01/01 00:00:00 +0900" |
| Date | "2017-01-01" | "2017-01-01" | "2017-01-01" | "2017/01/01" |

| value, .123 s past 2017-01-01 00:00 | JSON.generate | Kumihimo, precision 3 | precision 0 | not standard |
|---|---|---|---|---|
| TimeWithZone (09:00 in Tokyo) | "2017-01-01 09:00:00 +0900" | "2017-01-01T09:00:00.123+09:00" | "2017-01-01T09:00:00+09:00" | "2017/01/01 09:00:00 +0900" |
| DateTime | "2017-01-01T00:00:00+00:00" | "2017-01-01T00:00:00.123+00:00" | "2017-01-01T00:00:00+00:00" | "2017/01/01 00:00:00 +0000" |
| Time, UTC | "2017-01-01 00:00:00 UTC" | "2017-01-01T00:00:00.123Z" | "2017-01-01T00:00:00Z" | "2017/01/01 00:00:00 +0000" |
| Time, local (Tokyo) | "2017-01-01 00:00:00 +0900" | "2017-01-01T00:00:00.123+09:00" | "2017-01-01T00:00:00+09:00" | "2017/01/01 00:00:00 +0900" |
| Date | "2017-01-01" | "2017-01-01" | "2017-01-01" | "2017/01/01" |

| value | JSON.generate | ActiveSupport | Kumihimo |
|---|---|---|---|
| object with @a=1 | "#<StandardClass:0xADDRESS>" | {"a":1} | {"a":1} |
| {a:1,b:2}, only: :a | {"a":1,"b":2} | {"a":1} | {"a":1} |
| {a:1,b:2}, except: :a | {"a":1,"b":2} | {"b":2} | {"b":2} |
| object with to_hash | "#<WithHash:0xADDRESS>" | {"a":1} | {"a":1} |
| Struct | "#<struct Pair a=1, b=2>" | {"a":1,"b":2} | {"a":1,"b":2} |
| object whose as_json returns the String {:a=>1} | "#<WithText:0xADDRESS>" | "{:a=\u003e1}" | "{:a=\u003e1}" |
| Infinity | error | null | null |
| NaN | error | null | null |
| Enumerator | "#<Enumerator:0xADDRESS>" | [] | [] |
| Process::Status | "pid PID exit 0" | {"exitstatus":0,"pid":PID} | {"exitstatus":0,"pid":PID} |
| \u2028\u2029><& | "<U+2028><U+2029>><&" | "\u2028\u2029\u003e\u003c\u0026" | "\u2028\u2029\u003e\u003c\u0026" |

TEXT

  # The example's lines, run as a reader would, with this test's load path.
  def lines_of(name)
    said, errors, status = Open3.capture3(RbConfig.ruby, *$LOAD_PATH.flat_map { |at| ["-I", at] }, File.join(EXAMPLES, name))
    assert status.success?, errors
    said.force_encoding("UTF-8").gsub(/0x[0-9a-f]{16}/, "0xADDRESS").gsub(/pid \d+/, "pid PID").gsub(/"pid":\d+/, "\"pid\":PID").lines
  end

  def test_rails_json_study
    found = lines_of("rails_json_study.rb")
    STUDY.lines.zip(found).each_with_index { |(expected, line), i| assert_equal expected, line, "line #{i + 1}" }
    assert_equal STUDY.lines.size, found.size
  end

  # The columns of both encoders agree, whatever is expected above.
  def test_the_two_agree
    moments, again, values = lines_of("rails_json_study.rb").join.split("\n\n").map { |table| table.lines.drop(2).map { |line| line.chomp.split(" | ") } }
    assert_equal moments, again
    assert_equal 11, values.size
    values.each { |cells| assert_equal cells[2], cells[3].delete_suffix(" |"), cells[0] }
  end
end
