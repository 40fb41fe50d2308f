# frozen_string_literal: true

# What ActiveSupport's JSON does that JSON.generate does not, for real objects: each table is computed twice, by stock ActiveSupport
# and by Kumihimo.
#
#      ruby -Ilib examples/rails_json_study.rb
require "active_support"
require "active_support/json"
require "active_support/time"

STOCK = ActiveSupport.json_encoder
require "kumihimo/rails" # puts Kumihimo's encoder in its place
OURS = Kumihimo::Rails.encoder

class StandardClass
  def initialize
    @a = 1
  end
end

class WithHash
  def to_hash
    { a: 1 }
  end
end

class WithText
  def as_json(_options = nil)
    "{:a=>1}"
  end
end

Pair = Struct.new(:a, :b)

def globals(precision, standard)
  at = ActiveSupport::JSON::Encoding
  old = [at.time_precision, at.use_standard_json_time_format]
  at.time_precision, at.use_standard_json_time_format = precision, standard
  yield
ensure
  at.time_precision, at.use_standard_json_time_format = old
end

def encode(encoder, value, options = nil)
  encoder.new(options).encode(value)
end

def table(title, heads, rows)
  puts "| #{title} | #{heads.join(" | ")} |", "|#{"---|" * (heads.size + 1)}"
  rows.each { |name, cells| puts "| #{name} | #{cells.join(" | ")} |" }
  puts
end

ENV["TZ"] = "Asia/Tokyo"
moment = Time.utc(2017, 1, 1, 0, 0, Rational(123, 1000))
MOMENTS = {
  "TimeWithZone (09:00 in Tokyo)" => moment.in_time_zone("Tokyo"),
  "DateTime" => DateTime.new(2017, 1, 1, 0, 0, Rational(123, 1000)),
  "Time, UTC" => moment,
  "Time, local (Tokyo)" => Time.local(2017, 1, 1, 0, 0, Rational(123, 1000)),
  "Date" => Date.new(2017, 1, 1),
}.freeze

{ "ActiveSupport" => STOCK, "Kumihimo" => OURS }.each do |name, encoder|
  rows = MOMENTS.map do |what, value|
    cells = [[3, true], [0, true], [3, false]].map { |how| globals(*how) { encode(encoder, value) } }
    [what, [JSON.generate(value), *cells]]
  end
  table("value, .123 s past 2017-01-01 00:00", ["JSON.generate", "#{name}, precision 3", "precision 0", "not standard"], rows)
end

def said
  yield
rescue JSON::GeneratorError
  "error"
end

Process.wait(fork { exit!(0) })
status = $?

ab = { a: 1, b: 2 }
VALUES = [
  ["object with @a=1", StandardClass.new],
  ["{a:1,b:2}, only: :a", ab, { only: :a }],
  ["{a:1,b:2}, except: :a", ab, { except: :a }],
  ["object with to_hash", WithHash.new],
  ["Struct", Pair.new(1, 2)],
  ["object whose as_json returns the String {:a=>1}", WithText.new],
  ["Infinity", Float::INFINITY],
  ["NaN", Float::NAN],
  ["Enumerator", [].each],
  ["Process::Status", status],
  ["\\u2028\\u2029><&", "\u2028\u2029><&"],
].freeze

rows = VALUES.map do |what, value, options|
  # Separators of lines are shown by their number.
  cells = [said { JSON.generate(value) }, encode(STOCK, value, options), encode(OURS, value, options)]
  [what, cells.map { |text| text.gsub(/[\u2028\u2029]/) { |c| "<U+#{c.ord.to_s(16).upcase}>" } }]
end
table("value", %w[JSON.generate ActiveSupport Kumihimo], rows)
