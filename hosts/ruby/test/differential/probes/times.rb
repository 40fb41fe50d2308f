# frozen_string_literal: true

module Differential
  module Probes
    TIMES = {
      "epoch utc" => -> { Time.at(0).utc },
      "epoch local" => -> { Time.at(0) },
      "epoch at +09:00" => -> { Time.at(0, in: "+09:00") },
      "at +00:00, not utc" => -> { Time.at(0, in: "+00:00") },
      "at -00:00" => -> { Time.at(0, in: "-00:00") },
      "at Z" => -> { Time.at(0, in: "Z") },
      "at -03:30" => -> { Time.new(2017, 1, 1, 9, 0, 0, "-03:30") },
      "at +23:59" => -> { Time.new(2017, 1, 1, 9, 0, 0, "+23:59") },
      "at -23:59" => -> { Time.new(2017, 1, 1, 9, 0, 0, "-23:59") },
      "offset with seconds" => -> { Time.at(0).localtime(3600 + 61) },
      "negative offset with seconds" => -> { Time.at(0).localtime(-(3600 + 61)) },
      "offset of some seconds" => -> { Time.at(0).localtime(-30) },
      "milliseconds" => -> { Time.utc(2017, 1, 1, 0, 0, Rational(123, 1000)) },
      "nanoseconds" => -> { Time.at(1_483_228_800, 123_456_789, :nsec).utc },
      "almost the next second" => -> { Time.at(1_483_228_799, 999_999_999, :nsec).utc },
      "beyond nanoseconds" => -> { Time.at(Rational(10**12 + 1, 3 * 10**3)).utc },
      "of a float" => -> { Time.at(1_483_228_800.1).utc },
      "before the epoch with a fraction" => -> { Time.at(-1, 500_000_000, :nsec).utc },
      "year 1" => -> { Time.utc(1, 1, 1) },
      "year 0" => -> { Time.utc(0, 1, 1) },
      "year -1" => -> { Time.utc(-1, 12, 31, 23, 59, 59) },
      "year -12345" => -> { Time.utc(-12_345, 1, 1) },
      "year 99" => -> { Time.utc(99, 2, 3) + 0 },
      "year 999" => -> { Time.utc(999, 2, 3) },
      "year 9999" => -> { Time.utc(9999, 12, 31, 23, 59, Rational(59_999_999_999, 1_000_000_000)) },
      "year 10000" => -> { Time.utc(10_000, 1, 1) },
      "year 12345 local" => -> { Time.local(12_345, 6, 7) },
      "year 1000000" => -> { Time.utc(1_000_000, 6, 7) },
      "beyond 64 bits of seconds" => -> { Time.at(2**70).utc },
      "leap day" => -> { Time.utc(2000, 2, 29, 23, 59, 59) },
      "1900, no leap year" => -> { Time.utc(1900, 3, 1) - 1 },
      "leap second asked" => -> { Time.utc(2016, 12, 31, 23, 59, 60) },
      "summer time local" => -> { Time.local(2020, 7, 1, 12) },
      "old local time" => -> { Time.local(1890, 1, 1) },
      "zone object" => -> { Time.at(0, in: TZInfo::Timezone.get("America/New_York")) },
      "named zone" => -> { Time.new(2017, 1, 1, 0, 0, 0, "UTC") },
      "military zone" => -> { Time.new(2017, 1, 1, 0, 0, 0, "A") },
      "twz Tokyo" => -> { Time.utc(2017, 1, 1, 0, 0, Rational(123, 1000)).in_time_zone("Tokyo") },
      "twz UTC" => -> { Time.utc(2017, 1, 1, 0, 0, Rational(123, 1000)).in_time_zone("UTC") },
      "twz Etc/UTC" => -> { Time.utc(2017, 1, 1).in_time_zone("Etc/UTC") },
      "twz London in winter" => -> { Time.utc(2017, 1, 1).in_time_zone("London") },
      "twz London in summer" => -> { Time.utc(2017, 7, 1).in_time_zone("London") },
      "twz Newfoundland" => -> { Time.utc(2017, 1, 1, 1, 2, 3).in_time_zone("Newfoundland") },
      "twz Kathmandu" => -> { Time.utc(2017, 1, 1, 1, 2, 3).in_time_zone("Kathmandu") },
      "twz before zones" => -> { Time.utc(1850, 1, 1).in_time_zone("Amsterdam") },
      "twz year -1" => -> { Time.utc(-1, 5, 5).in_time_zone("Tokyo") },
      "twz year 12345" => -> { Time.utc(12_345, 5, 5).in_time_zone("Tokyo") },
      "twz nanoseconds" => -> { Time.at(0, 123_456_789, :nsec).in_time_zone("Tokyo") },
      "twz at the change of clocks" => -> { ActiveSupport::TimeZone["America/New_York"].local(2017, 11, 5, 1, 30) },
      "twz of a DateTime" => -> { DateTime.new(2017, 1, 1, 0, 0, Rational(1, 3)).in_time_zone("Tokyo") },
      "twz fixed offset" => -> { Time.utc(2017, 1, 1).in_time_zone(ActiveSupport::TimeZone[-7]) },
      "twz of a number of hours" => -> { Time.utc(2017, 1, 1).in_time_zone(5.5.hours) },
      "twz of a local time" => -> { ActiveSupport::TimeWithZone.new(nil, ActiveSupport::TimeZone["Tokyo"], Time.utc(2017, 1, 1, 9)) },
      "date" => -> { Date.new(2017, 1, 1) },
      "date of year -1" => -> { Date.new(-1, 1, 1) },
      "date of year 0" => -> { Date.new(0, 1, 1) },
      "date of year 12345" => -> { Date.new(12_345, 6, 7) },
      "date of year 123" => -> { Date.new(123, 6, 7) },
      "date before the reform" => -> { Date.new(1582, 10, 4) },
      "date of England" => -> { Date.new(1752, 9, 2, Date::ENGLAND) },
      "date julian" => -> { Date.new(1900, 1, 1, Date::JULIAN) },
      "date proleptic" => -> { Date.new(1000, 1, 1, Date::GREGORIAN) },
      "date with a fraction of a day" => -> { Date.new(2017, 1, 1) + Rational(1, 2) },
      "date of year 10000000" => -> { Date.new(10_000_000, 1, 1) },
      "date infinite" => -> { Date::Infinity.new },
      "datetime" => -> { DateTime.new(2017, 1, 1, 0, 0, Rational(123, 1000)) },
      "datetime at +09:00" => -> { DateTime.new(2017, 1, 1, 9, 0, 0, "+09:00") },
      "datetime at -03:30" => -> { DateTime.new(2017, 1, 1, 9, 0, 0, "-03:30") },
      "datetime offset with seconds" => -> { DateTime.new(2017, 1, 1, 9, 0, 0, Rational(3661, 86_400)) },
      "datetime of thirds" => -> { DateTime.new(2017, 1, 1, 9, 0, Rational(1, 3)) },
      "datetime nanoseconds" => -> { DateTime.new(2017, 1, 1, 9, 0, Rational(123_456_789, 1_000_000_000)) },
      "datetime year -1" => -> { DateTime.new(-1, 1, 1, 1, 1, 1) },
      "datetime year 12345" => -> { DateTime.new(12_345, 1, 1) },
      "datetime before the reform" => -> { DateTime.new(1500, 1, 1) },
      "datetime julian" => -> { DateTime.new(1900, 1, 1, 0, 0, 0, 0, Date::JULIAN) },
      "duration" => -> { 3.days },
      "duration of parts" => -> { 1.year + 2.months + 3.5.seconds },
      "duration of a fraction" => -> { 1.5.seconds },
    }.freeze
    TIMES.each { |name, make| add("time, #{name}", kind: :times, &make) }
    add("times inside", kind: :times) { { at: Time.utc(2017, 1, 1, 0, 0, Rational(1, 7)), "all" => [Date.new(2017), DateTime.new(2017), Time.at(0).in_time_zone("Tokyo")] } }
    add("time frozen", kind: :times) { Time.utc(2017).freeze }
    add("time zone") { ActiveSupport::TimeZone["UTC"].name }
    add("one moment in many shapes", kind: :times) { t = Time.utc(2020, 2, 29, 23, 59, 59.999); (-12..12).map { |h| t.getlocal(h * 3600 + h) } }

    %w[Time Date DateTime].each do |name|
      with "#{name} subclass", -> { const_set(:Own, Class.new(Object.const_get(name))) } do
        name == "Time" ? self::Own.at(0).utc : self::Own.new(2017, 1, 2)
      end
      with "#{name} subclass with as_json", -> { const_set(:Own, Class.new(Object.const_get(name)) { def as_json(*) = "mine" }) } do
        [name == "Time" ? self::Own.at(0).utc : self::Own.new(2017, 1, 2)]
      end
      with "#{name} subclass with strftime", -> { const_set(:Own, Class.new(Object.const_get(name)) { def strftime(f = "") = "mine #{f}" }) } do
        [name == "Time" ? self::Own.at(0).utc : self::Own.new(2017, 1, 2)]
      end
      with "#{name} subclass with xmlschema", -> { const_set(:Own, Class.new(Object.const_get(name)) { def xmlschema(n = 0) = "mine #{n}" }) } do
        [name == "Time" ? self::Own.at(0).utc : self::Own.new(2017, 1, 2)]
      end
      with "#{name} subclass with to_s and iso8601", -> { const_set(:Own, Class.new(Object.const_get(name)) { def to_s = "mine"; def iso8601(*) = "mine" }) } do
        [name == "Time" ? self::Own.at(0).utc : self::Own.new(2017, 1, 2)]
      end
    end
    add("time with singleton xmlschema") { Time.utc(2017).tap { |t| t.define_singleton_method(:xmlschema) { |n = 0| "single #{n}" } } }
    add("time with singleton as_json") { [Time.utc(2017).tap { |t| t.define_singleton_method(:as_json) { |_ = nil| "<single>" } }] }
    add("time with singleton formatted_offset") { Time.utc(2017).tap { |t| t.define_singleton_method(:formatted_offset) { |*| "single" } } }
    add("time with singleton utc?") { Time.utc(2017).tap { |t| t.define_singleton_method(:utc?) { false } } }
    add("time with singleton utc_offset") { Time.at(0, in: "+09:00").tap { |t| t.define_singleton_method(:utc_offset) { 60 } } }
    add("time with singleton year") { Time.at(0, in: "+09:00").tap { |t| t.define_singleton_method(:year) { 1 } } }
    add("time extended") { [Time.utc(2017).extend(Module.new { def as_json(*) = "extended" })] }
    add("time as key, deeper") { { "a" => { Time.at(0).utc => [Time.at(0).utc] } } }
  end
end
