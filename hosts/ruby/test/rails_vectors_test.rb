# frozen_string_literal: true

# The 8.1 profile, forced on whatever ActiveSupport is installed, against the committed answers of stock 8.1 (vectors/make.rb).
require_relative "differential/stock"
require "minitest/autorun"
require_relative "differential/sides"
require_relative "differential/probe"
require_relative "vectors/vectors"

class RailsVectorsTest < Minitest::Test
  PROFILE = {
    family: :coder, floats: :json_2_15, max_nesting: 100, escape_options: :escape, js_separators: true, active_support: "8.1.3.1", json: "2.21.1",
  }.freeze
  DOCUMENT = Differential::Vectors.load
  # The file's answers are of one Ruby. Another one has other words for a method that is missing, and what these values are in it
  # is compared with the stock encoder of the day (differential_test.rb).
  OTHER_RUBY = RUBY_VERSION[/\A\d+\.\d+/] != DOCUMENT["versions"][/Ruby (\d+\.\d+)/, 1]
  OF_ITS_RUBY = OTHER_RUBY ? ["NameError", "object with variables in another order", "Data"] : []

  # In a child: the globals of 8.1 that an older ActiveSupport lacks are added there.
  def in_8_1
    how, answer = Differential.forked do
      ENV["TZ"] = "Asia/Tokyo"
      $VERBOSE = nil
      encoding = ActiveSupport::JSON::Encoding
      unless encoding.respond_to?(:escape_js_separators_in_json)
        encoding.singleton_class.attr_accessor(:escape_js_separators_in_json)
        encoding.escape_js_separators_in_json = true
      end
      yield Kumihimo::Rails::Encoder.define(PROFILE), encoding
    end
    assert_equal :done, how, answer
    answer
  end

  def settings(text)
    html, standard, precision, js = text.scan(/=(\w+)/).flatten
    Differential::Settings.new(html == "true", standard == "true", Integer(precision), js == "true")
  end

  def same?(expected, outcome)
    case expected
    when String then outcome.kind == :value && outcome.encoding == "UTF-8" && !outcome.is_frozen && Differential::Vectors.answer(outcome) == expected
    when Hash then outcome.kind == :thrown && outcome.text == expected["thrown"]
    else
      outcome.kind == :error && outcome.ancestors.include?(expected[0].b) && (expected[1].nil? || same_words?(expected, outcome.text.dup.force_encoding("UTF-8").scrub))
    end
  end

  # Of a NameError in another Ruby: up to the receiver, which each describes in its own way.
  def same_words?(expected, text)
    return text == expected[1] unless OTHER_RUBY && expected[0].end_with?("NameError", "NoMethodError")

    [text, expected[1]].map { |words| words.tr("`", "'")[/\A.*?'.*?'/] || words }.uniq.size == 1
  end

  def differences(probe, encoder, encoding)
    usual, others = DOCUMENT["answers"].fetch(probe.name)
    numbers = DOCUMENT["combinations"].each_index.select { |i| probe.kind == :times || DOCUMENT["combinations"][i][1].include?("precision=3") }
    Differential::Vectors.expand(usual, others, numbers).filter_map do |i, expected|
      said, under = DOCUMENT["combinations"][i]
      how = settings(under)
      encoding.escape_js_separators_in_json = how.js_separators
      outcome = how.apply { Differential.ours(probe.make.call, Differential::OPTIONS.fetch(said).call, encoder) }
      "  #{said}, #{under}\n    stock 8.1: #{expected.inspect}\n    ours:      #{outcome}" unless same?(expected, outcome)
    end
  end

  def check(probes)
    reports = in_8_1 do |encoder, encoding|
      probes.filter_map do |probe|
        found = differences(probe, encoder, encoding)
        "#{probe.name}: #{found.size} differ\n#{found.first(2).join("\n")}" unless found.empty?
      end
    end
    assert reports.empty?, -> { "#{reports.size} values differ\n#{reports.first(Integer(ENV.fetch("KUMIHIMO_SHOWN", "20"))).join("\n")}" }
  end

  KEPT = Differential::Probes::ALL.select { |probe| DOCUMENT["answers"].key?(probe.name) && !OF_ITS_RUBY.include?(probe.name) }

  KEPT.reject(&:reopen).group_by(&:group).each do |group, probes|
    define_method(:"test_#{group}") { check(probes) }
  end

  def test_reopened_classes
    reports = KEPT.select(&:reopen).filter_map do |probe|
      found = in_8_1 { |encoder, encoding| probe.reopen.call && differences(probe, encoder, encoding) }
      "#{probe.name}: #{found.size} differ\n#{found.first(2).join("\n")}" unless found.empty?
    end
    assert reports.empty?, -> { "#{reports.size} values differ\n#{reports.first(Integer(ENV.fetch("KUMIHIMO_SHOWN", "20"))).join("\n")}" }
  end

  # Every probe is in the file, with an answer or the reason why not; a probe that only newer versions have is no loss, and 8.1
  # has none with Symbols of other encodings, because stock crashes on them.
  def test_nothing_is_forgotten
    there = DOCUMENT["answers"].keys + DOCUMENT["left_out"].keys + OF_ITS_RUBY
    assert_empty Differential::Probes::ALL.map(&:name).grep_v(/\Asymbol( as key)?, /) - there, "run test/vectors/make.rb"
    assert_operator DOCUMENT["answers"].size, :>, 1500
  end
end
