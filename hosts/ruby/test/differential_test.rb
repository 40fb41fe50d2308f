# frozen_string_literal: true

# Stock ActiveSupport against Kumihimo in one process: the same bytes, or the same exception, for hand-picked and generated values,
# under every option and global. On the installed versions, or those of KUMIHIMO_RAILS and KUMIHIMO_JSON (differential/stock.rb).
#
#      KUMIHIMO_SEED=17 KUMIHIMO_COUNT=10000 ruby -Ilib test/differential_test.rb      other and more generated values
require_relative "differential/stock"
require "minitest/autorun"
require_relative "differential/sides"
require_relative "differential/probe"
require_relative "differential/values"

class DifferentialTest < Minitest::Test
  SEED = Integer(ENV.fetch("KUMIHIMO_SEED", "20261120"))
  COUNT = Integer(ENV.fetch("KUMIHIMO_COUNT", "600"))

  PROBES = Differential::Probes::ALL.reject(&:passes)
  # Enough for what only repeats the comparison by another way in.
  FEW_OPTIONS = Differential::OPTIONS.first(4)

  def setup
    @zone = ENV["TZ"]
    ENV["TZ"] = "Asia/Tokyo"
    @verbose, $VERBOSE = $VERBOSE, nil
  end

  def teardown
    ENV["TZ"] = @zone
    $VERBOSE = @verbose
  end

  # Differences of one probe or kind, as text; the first few are shown.
  def report(name, differences)
    return if differences.empty?

    shown = differences.first(3).map { |where, stock, ours| "  #{where}\n    stock: #{stock}\n    ours:  #{ours}" }
    "#{name}: #{differences.size} differ\n#{shown.join("\n")}"
  end

  def assert_none(reports)
    reports = reports.compact
    list = reports.first(Integer(ENV.fetch("KUMIHIMO_SHOWN", "20")))
    assert reports.empty?, -> { "#{Differential::Stock.versions}: #{reports.size} values differ\n#{list.join("\n")}" }
  end

  def compare(make, options, settings)
    stock = settings.apply { Differential.stock(make.call, options.call) }
    ours = settings.apply { Differential.ours(make.call, options.call) }
    [stock, ours] unless stock.same?(ours)
  end

  def differences_of(probe)
    found = []
    # What has no end takes its time, and is the same under every option.
    endless = Differential::USUAL.apply { Differential.stock(probe.make.call, nil) }.error == "SystemStackError"
    settings, options = endless ? [[Differential::USUAL], FEW_OPTIONS] : [probe.settings, Differential::OPTIONS]
    settings.each do |settings|
      options.each do |said, options|
        stock, ours = compare(probe.make, options, settings)
        found << ["#{said}, #{settings}", stock.to_s, ours.to_s] if stock
      end
    end
    report(probe.name, found)
  end

  PROBES.reject(&:reopen).group_by(&:group).each do |group, probes|
    define_method(:"test_#{group}") { assert_none(probes.map { |probe| differences_of(probe) }) }
  end

  PROBES.select(&:reopen).each_slice(100).with_index do |probes, i|
    define_method(:"test_reopened_classes_#{i}") do
      reports = probes.map do |probe|
        how, answer = Differential.forked do
          probe.reopen.call
          differences_of(probe)
        end
        how == :done ? answer : "#{probe.name}: #{answer}"
      end
      assert_none(reports)
    end
  end

  # Through ActiveSupport's own entry, as an application calls it, with the encoder in the supported seam.
  def test_through_the_seam
    reports = PROBES.reject(&:reopen).map do |probe|
      found = FEW_OPTIONS.filter_map do |said, options|
        stock = Differential.through_seam(Differential::Stock.encoder, probe.make.call, options.call)
        ours = Differential.through_seam(Differential::OURS, probe.make.call, options.call)
        [said, stock.to_s, ours.to_s] unless stock.same?(ours)
      end
      report(probe.name, found)
    end
    assert_none(reports)
  end

  # to_json of the values themselves, which asks the encoder in the seam.
  def test_to_json
    seam = lambda do |encoder, probe, options|
      old, ActiveSupport.json_encoder = ActiveSupport.json_encoder, encoder
      Differential::USUAL.apply { Differential::Outcome.of { probe.make.call.to_json(options.call) } }
    ensure
      ActiveSupport.json_encoder = old
    end
    reports = PROBES.reject(&:reopen).map do |probe|
      found = FEW_OPTIONS.filter_map do |said, options|
        stock = seam.call(Differential::Stock.encoder, probe, options)
        ours = seam.call(Differential::OURS, probe, options)
        [said, stock.to_s, ours.to_s] unless stock.same?(ours)
      end
      report(probe.name, found)
    end
    assert_none(reports)
  end

  # The options a caller gave are the caller's.
  def test_options_stay_as_they_were
    Differential::OPTIONS.each do |said, make|
      options = make.call
      before = options.inspect
      Differential.ours({ "a" => [{ "a" => 1 }], b: Time.at(0) }, options)
      assert_equal before, options.inspect, said
    end
  end

  NOT_OPTIONS = [5, :only, "only", [], [[:only, "a"]], true, false, Object.new].freeze

  def test_what_is_no_options
    reports = NOT_OPTIONS.map do |given|
      found = [{ "a" => 1, b: 2 }, [1], "<", Time.at(0).utc].filter_map do |value|
        stock, ours = compare(-> { value }, -> { given }, Differential::USUAL)
        [value.inspect, stock.to_s, ours.to_s] if stock
      end
      report("options #{given.inspect}", found)
    end
    assert_none(reports)
  end

  PRECISIONS = [1, 2, 4, 5, 7, 8, 10, 15, 20, -1, nil, 3.7, "3"].freeze

  def test_unusual_precisions
    times = PROBES.select { |probe| probe.kind == :times && !probe.reopen }
    reports = times.map do |probe|
      found = PRECISIONS.filter_map do |precision|
        settings = Differential::Settings.new(true, true, precision, Differential::JS.first)
        stock, ours = compare(probe.make, -> {}, settings)
        [settings.to_s, stock.to_s, ours.to_s] if stock
      end
      report(probe.name, found)
    end
    assert_none(reports)
  end

  ZONES = ["UTC", "Asia/Tokyo", "America/St_Johns", "Africa/Monrovia", "Europe/Dublin", "Australia/Lord_Howe", "<-0330>3:30", "XXX-0:00:30", ""].freeze

  def test_times_in_every_zone
    reports = ZONES.flat_map do |zone|
      ENV["TZ"] = zone
      PROBES.select { |probe| probe.kind == :times && !probe.reopen }.map do |probe|
        found = [true, false].filter_map do |standard|
          settings = Differential::Settings.new(true, standard, 3, Differential::JS.first)
          stock, ours = compare(probe.make, -> {}, settings)
          [settings.to_s, stock.to_s, ours.to_s] if stock
        end
        report("#{probe.name} in #{zone}", found)
      end
    end
    assert_none(reports)
  end

  # What is set to something that is neither true nor false.
  def test_globals_of_other_kinds
    values = [nil, 0, "no"].product([nil, 0, "no"]).map { |html, standard| Differential::Settings.new(html, standard, 3, Differential::JS.first) }
    reports = values.map do |settings|
      stock, ours = compare(-> { ["<\u2028", Time.at(0).utc, { "&" => Date.new(2017) }] }, -> {}, settings)
      report(settings.to_s, [["", stock.to_s, ours.to_s]]) if stock
    end
    assert_none(reports)
  end

  Differential::Values::KINDS.each do |kind|
    define_method(:"test_generated_#{kind}") do
      settings = Differential::TIME_SETTINGS
      options = Differential::OPTIONS.to_a
      random = Random.new(SEED)
      reports = Array.new(COUNT) do |i|
        seed = (SEED + i) * 100 + Differential::Values::KINDS.index(kind)
        # Half as most programs encode, half under any option and global.
        said, how = random.rand(2).zero? ? options.first : options[random.rand(options.size)]
        under = random.rand(2).zero? ? Differential::USUAL : settings[random.rand(settings.size)]
        stock, ours = compare(-> { Differential::Values.make(kind, seed) }, how, under)
        "#{kind}, seed #{seed}, #{said}, #{under}\n    stock: #{stock.to_s[0, 700]}\n    ours:  #{ours.to_s[0, 700]}" if stock
      end
      assert_none(reports)
    end
  end
end
