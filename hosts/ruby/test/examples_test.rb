# frozen_string_literal: true

require "minitest/autorun"
require "open3"
require "rbconfig"

# What the examples print, line by line. Addresses and process ids are written ADDRESS and PID.
class ExamplesTest < Minitest::Test
  EXAMPLES = File.expand_path("../examples", __dir__)

  STUDY = <<'TEXT'
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
