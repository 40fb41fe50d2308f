# frozen_string_literal: true

# Kumihimo against ActiveSupport, json, Oj and msgpack, in Ruby.
#
#      ruby -Ilib bench/bench.rb [--quick] [NAME...]      only tasks whose name begins with one of the names
#
# Each side of a comparison runs in a process of its own, since some rivals patch the process they are in (Oj.optimize_rails). Both
# first give their output, which is compared; then the parent asks them in turn for one sample: GC.start, then so many calls that a
# sample lasts long enough, by the CPU time of the process, the collections that the calls cause included. The ratio is of the medians.
#
# Where calls need pages that the process did not have, their number per call is said, ours first: a large result's memory may cost more
# than writing it.
#
#      ratio<TAB>ruby.rails.films<TAB>kumihimo/oj<TAB>value<TAB>samples        above 1: Kumihimo is faster
#
# Every process begins with as many object slots as a Rails application has (HEAP). In Ruby's smallest heap each document makes the
# collector sweep everything, which costs as much as parsing and hides the difference; RUBY_GC_HEAP_INIT_SLOTS=10000 shows that.
#
# KUMIHIMO_DATA    the folder with films.json, twitter.json, citm_catalog.json, canada.json
# KUMIHIMO_FRAMES  the program that makes exchange frames (bench/make_frames.cpp); without it frames of the same shape are made here
# KUMIHIMO_FLOOR   where floor/ was built; without it no floors are shown
# KUMIHIMO_RAILS, KUMIHIMO_JSON  checkouts (test/differential/stock.rb), compared as well, both sides on their versions
HEAP = "400000"
unless ENV["RUBY_GC_HEAP_INIT_SLOTS"]
  ENV["RUBY_GC_HEAP_INIT_SLOTS"] = HEAP
  exec RbConfig.ruby, __FILE__, *ARGV
end

require_relative "corpora"
require_relative "kinds"
require_relative "side"

module Bench
  # A comparison: what Kumihimo runs and what the rival runs, each a setup and a call, as source, so that the loop around the call has
  # nothing in it but the call. `value` makes the argument.
  # optional: libraries that the value needs may be missing.
  Task = Struct.new(:name, :value, :ours, :rivals, :optional, keyword_init: true)
  # libraries: what is required; setup: run once; call: with `v`; text: the output as something that can be compared.
  Way = Struct.new(:libraries, :setup, :call, keyword_init: true)

  RAILS = %w[active_support/all].freeze  # with what it puts in front of Float#to_s, as in an application
  KUMIHIMO_RAILS_WAY = Way.new(libraries: RAILS + ["kumihimo/rails"], call: "ActiveSupport::JSON.encode(v)")
  STOCK_RAILS = Way.new(libraries: RAILS, call: "ActiveSupport::JSON.encode(v)")
  OJ_RAILS = Way.new(libraries: RAILS + ["oj"], setup: "Oj.optimize_rails", call: "ActiveSupport::JSON.encode(v)")
  GENERATE = Way.new(libraries: ["kumihimo"], call: "Kumihimo.generate(v)")
  JSON_GENERATE = Way.new(libraries: ["json"], call: "JSON.generate(v)")
  OJ_COMPAT = Way.new(libraries: ["oj"], setup: "Oj.default_options = { mode: :compat }", call: "Oj.dump(v)")
  PARSE = Way.new(libraries: ["kumihimo"], call: "Kumihimo.parse(v)")
  JSON_PARSE = Way.new(libraries: ["json"], call: "JSON.parse(v)")
  OJ_PARSERS = {
    "Oj.load" => Way.new(libraries: ["oj"], setup: "Oj.default_options = { mode: :strict, cache_keys: true, cache_str: 0, bigdecimal_load: :float }", call: "Oj.load(v)"),
    "Oj.strict_load" => Way.new(libraries: ["oj"], setup: "Oj.default_options = { cache_keys: true, bigdecimal_load: :float }", call: "Oj.strict_load(v)"),
    "Oj::Parser usual" => Way.new(libraries: ["oj"], setup: "$parser = Oj::Parser.new(:usual); $parser.cache_keys = true; $parser.decimal = :float", call: "$parser.parse(v)"),
    "Oj::Parser usual, strings cached" => Way.new(libraries: ["oj"], setup: "$parser = Oj::Parser.new(:usual); $parser.cache_keys = true; $parser.cache_strings = 35; $parser.decimal = :float", call: "$parser.parse(v)"),
  }.freeze

  def self.rails(name, &value)
    Task.new(name: "ruby.rails.#{name}", value: value, ours: KUMIHIMO_RAILS_WAY, rivals: { "activesupport" => STOCK_RAILS, "oj" => OJ_RAILS })
  end

  TASKS = [
    rails("films") { Corpora.value("films") },
    rails("films_time") { Corpora.films { |y, m, d| Time.local(y, m, d) } },
    rails("films_twz_tokyo") { Corpora.films { |y, m, d| Time.utc(y, m, d).in_time_zone("Tokyo") } },
    rails("films_twz_utc") { Corpora.films { |y, m, d| Time.utc(y, m, d).in_time_zone("UTC") } },
    rails("twitter") { Corpora.value("twitter") },
    rails("citm") { Corpora.value("citm") },
    rails("small") { Corpora::SMALL },
    rails("html") { Corpora::HTML },
    *Kinds.all.map { |kind| Task.new(name: "ruby.rails.kinds.#{kind}", value: -> { Kinds.make(kind) }, ours: KUMIHIMO_RAILS_WAY, rivals: { "activesupport" => STOCK_RAILS }, optional: true) },
    *%w[films twitter citm canada small].map do |corpus|
      Task.new(name: "ruby.generate.#{corpus}", value: -> { Corpora.value(corpus) }, ours: GENERATE, rivals: { "json" => JSON_GENERATE, "oj" => OJ_COMPAT })
    end,
    *%w[films twitter citm canada small].map do |corpus|
      Task.new(name: "ruby.parse.#{corpus}", value: -> { Corpora.text(corpus) }, ours: PARSE, rivals: { "json" => JSON_PARSE, "oj" => OJ_PARSERS })
    end,
    Task.new(name: "ruby.generate.large", value: -> { [Corpora.value("citm")] * 7 }, ours: GENERATE, rivals: { "json" => JSON_GENERATE, "oj" => OJ_COMPAT }),
    Task.new(name: "ruby.msgpack.large", value: -> { [Corpora.value("citm")] * 7 }, ours: Way.new(libraries: ["kumihimo"], call: "Kumihimo::MessagePack.pack(v)"),
             rivals: { "msgpack" => Way.new(libraries: ["msgpack"], call: "MessagePack.pack(v)") }),
    Task.new(name: "ruby.msgpack.pack", value: -> { Corpora.value("films") }, ours: Way.new(libraries: ["kumihimo"], call: "Kumihimo::MessagePack.pack(v)"),
             rivals: { "msgpack" => Way.new(libraries: ["msgpack"], call: "MessagePack.pack(v)") }),
    Task.new(name: "ruby.msgpack.unpack", value: -> { Corpora.packed }, ours: Way.new(libraries: ["kumihimo"], call: "Kumihimo::MessagePack.unpack(v)"),
             rivals: { "msgpack" => Way.new(libraries: ["msgpack"], call: "MessagePack.unpack(v)") }),
    Task.new(name: "ruby.partial.two_fields", value: -> { Corpora.frames },
             ours: Way.new(libraries: ["kumihimo"], setup: "$partial = Kumihimo.partial([\"last_price.price\", \"timestamp\"])", call: "v.map { |text| $partial.call(text) }"),
             rivals: { "json" => Way.new(libraries: ["json"], call: "v.map { |text| d = JSON.parse(text); [d[\"last_price\"][\"price\"], d[\"timestamp\"]] }") }),
  ].freeze

  # The same tasks with both sides on newer versions, for information.
  NEWER = [
    *%w[films films_time films_twz_tokyo films_twz_utc twitter citm small html].map { |name| ["ruby.rails.#{name}", "activesupport", STOCK_RAILS] },
    *Kinds.all.map { |kind| ["ruby.rails.kinds.#{kind}", "activesupport", STOCK_RAILS] },
    *%w[films twitter citm canada small].map { |name| ["ruby.generate.#{name}", "json", JSON_GENERATE] },
    *%w[films twitter citm canada small].map { |name| ["ruby.parse.#{name}", "json", JSON_PARSE] },
  ].freeze

  class Runner
    def initialize(quick:, names:)
      @samples, @seconds = quick ? [5, 0.02] : [21, 0.15]
      @names = names
      @ratios = []
    end

    def wanted?(task)
      return false unless @names.empty? || @names.any? { |name| task.name.start_with?(name) }

      missing = Corpora.missing(task.name)
      puts "not measured: #{task.name} (#{missing})" if missing
      !missing
    end

    def run
      puts "Ruby #{RUBY_VERSION}#{" with YJIT" if defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled?}, CPU time, median of #{@samples} samples, heaps of #{ENV["RUBY_GC_HEAP_INIT_SLOTS"]} slots"
      TASKS.select { |task| wanted?(task) }.each do |task|
        task.rivals.each { |rival, way| compare(task, rival, way) }
      end
      floors
      newer if ENV["KUMIHIMO_RAILS"] && ENV["KUMIHIMO_JSON"]
      puts @ratios
    end

    # What is left above these is headroom; no ratios, since nobody can choose a floor.
    def floors
      return unless ENV["KUMIHIMO_FLOOR"]

      puts "\nfloors (floor/floor.c): the walk alone, and making the objects alone"
      %w[films twitter citm canada].each do |corpus|
        task = Task.new(name: "ruby.floor.#{corpus}", value: -> { Corpora.value(corpus) })
        next unless wanted?(task)

        times = %w[walk objects].map do |floor|
          side = Side.new(Way.new(libraries: [File.join(ENV["KUMIHIMO_FLOOR"], "floor")], call: "Floor.#{floor}(v)"), task.value, false)
          side.calibrate(@seconds)
          Array.new(@samples) { side.sample }.sort[@samples / 2].tap { side.close }
        end
        puts format("%-28s walk %10.2f us   objects %10.2f us", task.name, *times.map { |t| t * 1e6 })
      end
    end

    def newer
      puts "\nboth sides on the versions of KUMIHIMO_RAILS and KUMIHIMO_JSON:"
      NEWER.each do |name, rival, way|
        task = TASKS.find { |t| t.name == name }
        compare(task, rival, way, newer: true) if wanted?(task)
      end
    end

    # Of several ways of a rival the fastest one counts.
    def compare(task, rival, way, newer: false)
      ways = way.is_a?(Hash) ? way : { nil => way }
      found = ways.filter_map { |said, one| sample(task, one, newer)&.push(said) }
      return if found.empty?

      ours, theirs, versions, note, faults, said = found.min_by { |_, b| b }
      name = newer ? "#{rival}_#{versions[1]}" : rival
      pages = format(", faults %.1f and %.1f", *faults) if faults.max >= 0.05
      puts format("%-28s %-14s %10.2f us %12.2f us %7.2f  %s%s%s%s", task.name, name, ours * 1e6, theirs * 1e6, theirs / ours, versions[1], (", #{said}" if said), pages, note)
      $stdout.flush
      @ratios << "ratio\t#{task.name}\tkumihimo/#{name}\t#{format("%.3f", theirs / ours)}\t#{@samples}"
    end

    # [our seconds per call, theirs, versions, what to say of the outputs, page faults per call of both]
    def sample(task, way, newer)
      sides = [task.ours, way].map { |w| Side.new(w, task.value, newer) }
      if task.optional && (reason = sides.filter_map(&:missing).first)
        puts "not measured: #{task.name} (#{reason[0, 120]})"
        return
      end
      outputs = sides.map(&:output)
      note = difference(task.name, *outputs)
      sides.each { |side| side.calibrate(@seconds) }
      times = Array.new(@samples) { sides.map(&:sample) }.transpose
      [*times.map { |list| list.sort[list.size / 2] }, sides.map(&:versions), note, sides.map(&:faults)]
    ensure
      sides&.each(&:close)
    end

    # nil when both gave the same; said when they mean the same and are not the same bytes; nothing is timed when they differ.
    def difference(name, ours, theirs)
      return if ours == theirs
      return ", the outputs differ in their bytes and mean the same" if Corpora.same_meaning?(ours, theirs)

      abort "#{name}: the outputs differ, nothing is timed\n  ours:   #{ours[0, 300]}\n  theirs: #{theirs[0, 300]}"
    end
  end
end

names, flags = ARGV.partition { |word| !word.start_with?("--") }
abort "usage: bench.rb [--quick] [NAME...]" unless (flags - ["--quick"]).empty?
ENV["TZ"] = "Asia/Tokyo"
Bench::Runner.new(quick: flags.include?("--quick"), names: names).run
