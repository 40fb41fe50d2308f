# frozen_string_literal: true

require "active_support"
require "active_support/time"
require "minitest/autorun"
require "kumihimo"

# ActiveSupport's own moments in any format.
class RailsAnyFormatTest < Minitest::Test
  AT = Time.utc(2020, 1, 2, 3, 4, 5.25r)

  def test_a_moment_of_a_zone
    tokyo = AT.in_time_zone("Tokyo")
    assert_equal '["2020-01-02T12:04:05.25+09:00","2020-01-02T03:04:05.25Z"]', Kumihimo.dump([tokyo, AT.in_time_zone("UTC")], format: "json")
    assert_equal '{"2020-01-02T12:04:05.25+09:00":1}', Kumihimo.dump({ tokyo => 1 }, format: "json")
    Kumihimo.formats.reject { |format| format[:text] }.each do |format|
      assert_equal [AT, AT], Kumihimo.load(Kumihimo.dump([tokyo, AT.in_time_zone("UTC")], format: format[:name]), format: format[:name])
    end
    far = ActiveSupport::TimeWithZone.new(Time.at(2**70).utc, ActiveSupport::TimeZone["UTC"])
    assert_same far, assert_raises(Kumihimo::GeneratorError) { Kumihimo.dump(far, format: "json") }.invalid_object
  end

  def test_a_duration_is_the_blocks
    assert_raises(Kumihimo::GeneratorError) { Kumihimo.dump(3.days, format: "json") }
    assert_equal "259200", Kumihimo.dump(3.days, format: "json", &:to_i)
  end
end
