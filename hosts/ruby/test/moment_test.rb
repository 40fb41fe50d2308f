# frozen_string_literal: true

require_relative "test_helper"
require "date"
require "time"

# The text of a moment against the one that Ruby and ActiveSupport give, in this process. nil means "ask Ruby", so a test that
# compares also counts, or nil everywhere would pass it.
class MomentTest < Minitest::Test
  MOMENT = Kumihimo.const_get(:Moment)
  ROUNDS = 4000

  def setup
    @random = Random.new(20_170_101)
    @zone = ENV["TZ"]
    ENV["TZ"] = "Europe/Berlin"
  end

  def teardown
    ENV["TZ"] = @zone
  end

  def test_times_in_utc
    compare(native: 0.99) { random_time.utc }
  end

  def test_times_with_fixed_offsets
    compare(native: 0.99) { random_time.localtime(@random.rand(-86_399..86_399)) }
    offsets = [0, 32_400, -12_600, 59, -59, 60, -60, 86_399, -86_399]
    compare(native: 0.99) { random_time.localtime(offsets.sample(random: @random)) }
  end

  def test_times_in_the_zone_of_the_process
    %w[UTC Asia/Tokyo America/New_York Africa/Monrovia Pacific/Apia Asia/Kathmandu].each do |zone|
      ENV["TZ"] = zone
      compare(native: 0.99, rounds: 500) { random_time.localtime }
    end
  end

  def test_utc_is_not_the_same_as_an_offset_of_zero
    ENV["TZ"] = "UTC"
    assert_equal "1970-01-01T00:00:00Z", MOMENT.xmlschema(Time.at(0).utc, 0)
    assert_equal "1970-01-01T00:00:00+00:00", MOMENT.xmlschema(Time.at(0), 0)
    assert_equal "1970-01-01T00:00:00+00:00", MOMENT.xmlschema(Time.new(1970, 1, 1, 0, 0, 0, "+00:00"), 0)
    assert_equal "1970-01-01T00:00:00+00:00", MOMENT.xmlschema(DateTime.new(1970), 0)
  end

  def test_the_years_that_have_four_digits
    years = [-1, 0, 1, 999, 1000, 9999, 10_000]
    moments = years.flat_map { |y| [Time.utc(y), Time.utc(y, 12, 31, 23, 59, 59), DateTime.new(y, 1, 1), Date.new(y, 12, 31)] }
    moments += years.flat_map { |y| [Time.new(y, 1, 1, 0, 0, 0, "+14:00"), Time.new(y, 12, 31, 23, 59, 59, "-12:00")] }
    moments.each { |m| agree(m, 3) }
    assert_equal "0000-01-01T00:00:00Z", MOMENT.xmlschema(Time.utc(0), 0)
    assert_equal "9999-12-31T23:59:59Z", MOMENT.xmlschema(Time.utc(9999, 12, 31, 23, 59, 59), 0)
    [Time.utc(-1), Time.utc(10_000), Date.new(10_000), DateTime.new(10_000)].each { |m| assert_nil MOMENT.xmlschema(m, 0) }
  end

  def test_what_no_machine_word_counts
    before = $!
    [Time.at(2**70), Time.at(-2**70), Time.at(2**63).utc, Date.jd(2**70), DateTime.jd(2**70), Date.jd(-2**40),
     Date::Infinity.new].each { |m| assert_nil MOMENT.xmlschema(m, 3) }
    assert_same before, $!
  end

  def test_every_precision
    moments = [Time.at(5, 123_456_789, :nsec), Time.at(-5, 999_999_999, :nsec), Time.at(Rational(1, 3)), Time.at(-0.1),
               Time.at(0, Rational(9_999_999_999, 10), :nsec), DateTime.new(2001, 2, 3, 4, 5, Rational(19, 3)),
               DateTime.new(2001, 2, 3, 4, 5, Rational(6_123_456_789, 10**9), "+05:45")]
    moments.product((-1..12).to_a) { |m, precision| agree(m, precision) }
    assert_equal "1970-01-01T00:00:05.123456789Z", MOMENT.xmlschema(moments.first.utc, 9)
    [-1, 10, 300].each { |precision| assert_nil MOMENT.xmlschema(moments.first, precision) }
  end

  def test_offsets_that_are_not_whole_seconds
    time = Time.at(0).localtime(Rational(1, 3))
    assert_nil MOMENT.xmlschema(time, 0)
  end

  def test_a_clock_that_counts_leap_seconds
    ENV["TZ"] = "right/UTC"
    leap = Time.at(78_796_800).utc
    skip "not proven: this machine has no zones that count leap seconds" unless leap.sec == 60
    assert_nil MOMENT.xmlschema(leap, 0)
    assert_nil MOMENT.xmlschema(Time.now, 0)
    ENV["TZ"] = "UTC"
    assert_equal "1972-07-01T00:00:00Z", MOMENT.xmlschema(Time.at(78_796_800).utc, 0)
  end

  def test_dates
    compare(native: 0.7) { Date.jd(@random.rand(1_721_058..5_373_484)) }
    compare(native: 0.99) { Date.jd(@random.rand(2_299_161..5_373_484)) }
  end

  def test_calendars
    [Date::ITALY, Date::ENGLAND, Date::JULIAN, Date::GREGORIAN, 2_300_000].each do |start|
      compare(rounds: 500) { Date.jd(@random.rand(2_200_000..2_500_000), start) }
      compare(rounds: 500) { random_datetime.new_start(start) }
    end
    assert_equal "1500-01-01", MOMENT.xmlschema(Date.new(1500, 1, 1, Date::GREGORIAN), 0)
    assert_nil MOMENT.xmlschema(Date.new(1500, 1, 1), 0)
    assert_nil MOMENT.xmlschema(Date.new(2001, 2, 3, Date::JULIAN), 0)
  end

  def test_datetimes
    compare(native: 0.7) { random_datetime }
    compare(native: 0.99) do
      DateTime.new(@random.rand(1583..9998), 2, 28, 23, 59, 59, Rational(@random.rand(-86_399..86_399), 86_400))
    end
  end

  # The day of the reform is a day of the local calendar.
  def test_datetimes_around_the_reform
    (-3..3).to_a.product([-86_399, -3600, 0, 3600, 86_399]) do |hours, offset|
      agree(DateTime.jd(2_299_161 + Rational(hours, 24)).new_offset(Rational(offset, 86_400)), 3)
    end
  end

  def test_stress
    moments = [Time.at(Rational(1, 3)), DateTime.new(2001, 2, 3, 4, 5, 6.5), Date.new(2001, 2, 3), Time.at(2**70)]
    GC.stress = true
    moments.each { |m| agree(m, 3) }
  ensure
    GC.stress = false
  end

  begin
    require "active_support"
    require "active_support/time"
  rescue LoadError
    def test_times_with_zone
      skip "not proven: ActiveSupport is not installed"
    end
  else
    ZONES = ["UTC", "Asia/Tokyo", "America/New_York", "Asia/Kathmandu", "Africa/Monrovia", "Pacific/Apia", "Europe/London",
             "Etc/UCT", "Etc/GMT", "GMT", "Hawaii"].map { |name| ActiveSupport::TimeZone[name] }

    def test_times_with_zone
      ZONES.each do |zone|
        compare(native: 0.99, rounds: 300) { zone.at(random_time) }
        compare(native: 0.99, rounds: 300) { zone.at(random_time).tap { |t| [t.time, t.period, t.utc].sample(random: @random) } }
        compare(native: 0.99, rounds: 100) { zone.local(@random.rand(1900..2100), @random.rand(1..12), 28, @random.rand(24)) }
        compare(native: 0.99, rounds: 50) { Marshal.load(Marshal.dump(zone.at(random_time))) }
        compare(native: 0.99, rounds: 50) { zone.at(random_time).freeze }
      end
    end

    def test_many_zones_in_one_encode_keep_apart
      ZONES.product([0, 1_500_000_000, 1_510_000_000]) { |zone, at| agree(zone.at(at), 0) }
    end

    def test_zone_without_a_name_for_utc
      assert_equal "2017-01-01T00:00:00Z", MOMENT.xmlschema(ActiveSupport::TimeZone["UTC"].local(2017), 0)
      assert_equal "2017-01-01T00:00:00+00:00", MOMENT.xmlschema(ActiveSupport::TimeZone["Etc/GMT"].local(2017), 0)
      assert_equal "2017-01-01T00:00:00+00:00", MOMENT.xmlschema(ActiveSupport::TimeZone["Europe/London"].local(2017), 0)
    end

    # Made by hand: a wall clock that is not the moment's, a zone that is none of ActiveSupport's, a period of one's own.
    def test_unusual_times_with_zone
      zone = ActiveSupport::TimeZone["Asia/Tokyo"]
      utc = ActiveSupport::TimeZone["UTC"]
      moments = [
        ActiveSupport::TimeWithZone.new(Time.utc(2017), zone, Time.utc(2018)),
        ActiveSupport::TimeWithZone.new(Time.utc(2017), zone, Time.new(2018, 1, 1, 0, 0, 0, "+05:00")),
        ActiveSupport::TimeWithZone.new(nil, zone, Time.new(2018, 1, 1, 0, 0, 0, "+05:00")),
        ActiveSupport::TimeWithZone.new(Time.utc(2017), zone, Time.utc(2017), utc.period_for_utc(Time.utc(2017))),
        ActiveSupport::TimeWithZone.new(Time.utc(2017), utc, Time.utc(2018)),
        ActiveSupport::TimeWithZone.new(DateTime.new(2017), zone),
        ActiveSupport::TimeWithZone.new(nil, zone, DateTime.new(2017)),
        zone.at(0).tap { |t| t.instance_variable_set(:@period, t.period.dup.tap { |p| def p.observed_utc_offset = 60 }) },
        zone.at(2**70), zone.at(-2**40), zone.at(Rational(1, 3))
      ]
      moments.each { |m| [0, 3, 9, 12].each { |precision| agree(m, precision) } }
    end

    def test_times_with_zone_under_stress
      moments = [ZONES[1].at(0), ZONES[2].local(2017, 1, 1), ZONES[0].at(1.5)]
      GC.stress = true
      moments.each { |m| agree(m, 3) }
    ensure
      GC.stress = false
    end
  end

  private

  def random_time
    seconds = @random.rand(3).zero? ? @random.rand(-62_167_219_200 + 86_400..253_402_300_799 - 86_400) : @random.rand(2**31)
    Time.at(seconds, [0, @random.rand(10**9), @random.rand(1000) * 1_000_000].sample(random: @random), :nsec)
  end

  def random_datetime
    day = DateTime.jd(@random.rand(1_721_060..5_373_480)) + Rational(@random.rand(86_400 * 10**9), 86_400 * 10**9)
    day.new_offset(Rational(@random.rand(-14..14), 24))
  end

  def compare(native: 0, rounds: ROUNDS)
    known = 0
    rounds.times do
      moment = yield
      known += 1 if agree(moment, @random.rand(10))
    end
    assert_operator known, :>=, native * rounds
  end

  # Ours before stock's: stock's memoises within the object what ours must find for itself.
  def agree(moment, precision)
    ours = MOMENT.xmlschema(moment, precision)
    other = MOMENT.nonstandard(moment)
    assert_equal standard(moment, precision), ours, -> { "#{moment.inspect}, precision #{precision}" } if ours
    assert_equal nonstandard(moment), other, -> { moment.inspect } if other
    ours
  end

  def standard(moment, precision)
    moment.instance_of?(Date) ? moment.strftime("%Y-%m-%d") : moment.xmlschema(precision)
  end

  def nonstandard(moment)
    if moment.instance_of?(Date)
      moment.strftime("%Y/%m/%d")
    elsif moment.respond_to?(:formatted_offset) && !moment.instance_of?(DateTime)
      "#{(moment.instance_of?(Time) ? moment : moment.time).strftime("%Y/%m/%d %H:%M:%S")} #{moment.formatted_offset(false)}"
    else
      moment.strftime("%Y/%m/%d %H:%M:%S %z")
    end
  end
end
