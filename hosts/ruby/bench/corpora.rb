# frozen_string_literal: true

require "tmpdir"

# What is encoded and parsed. Each side of a comparison makes its own, with the standard json, before anything is timed.
module Bench
  module Corpora
    FILES = { "films" => "films", "twitter" => "twitter", "citm" => "citm_catalog", "canada" => "canada" }.freeze
    SMALL = { "id" => 123_456, "name" => "Kumihimo", "price" => 107_910.5, "ok" => true }.freeze
    HTML = "<a href=\"/search?a=1&b=2\">Tom & Jerry</a>"

    module_function

    # Why a task cannot be measured, or nil.
    def missing(task)
      corpus = FILES.keys.find { |name| task.include?(".#{name}") }
      corpus = "films" if task.start_with?("ruby.msgpack")
      return unless corpus
      return "KUMIHIMO_DATA is not set" unless ENV["KUMIHIMO_DATA"]

      "#{path(corpus)} is missing" unless File.exist?(path(corpus))
    end

    def path(corpus)
      File.join(ENV["KUMIHIMO_DATA"], "#{FILES.fetch(corpus)}.json")
    end

    def text(corpus)
      require "json"
      corpus == "small" ? ::JSON.generate(SMALL) : File.read(path(corpus), encoding: "UTF-8")
    end

    def value(corpus)
      require "json"
      corpus == "small" ? SMALL : ::JSON.parse(text(corpus))
    end

    # The films, their dates made by the block.
    def films
      value("films").each do |film|
        date = film["initial_release_date"]
        film["initial_release_date"] = yield(*date.split("-").map { |n| Integer(n, 10) }) if date
      end
    end

    def packed
      require "msgpack"
      ::MessagePack.pack(value("films"))
    end

    COUNT = 200

    # Order-book frames of an exchange, about 4 KB each.
    def frames
      program = ENV["KUMIHIMO_FRAMES"]
      return made_here unless program

      Dir.mktmpdir do |folder|
        at = File.join(folder, "frames.ndjson")
        system(program, "--ndjson", at, "--count", COUNT.to_s, exception: true)
        File.readlines(at, chomp: true, encoding: "UTF-8")
      end
    end

    def made_here
      require "json"
      random = Random.new(20_161_225)
      price = 107_910.0
      Array.new(COUNT) do |i|
        price += [-5.0, 0.0, 5.0][random.rand(3)]
        side = ->(sign) { (1..20).map { |k| [price + sign * 5.0 * k, random.rand.round(4)] } }
        trades = (0..20).map do |k|
          { currenty_pair: "btc_jpy", trade_type: %w[ask bid][random.rand(2)], price: price, currency_pair: "btc_jpy", tid: 22_360_218 + i * 21 - k, amount: random.rand.round(4), date: 1_482_598_389 + i }
        end
        ::JSON.generate({ asks: side.call(1), last_price: { action: "ask", price: price }, target_users: ["a102ae95a9"], trades: trades, bids: side.call(-1), currency_pair: "btc_jpy",
                          timestamp: format("2016-12-25 %02d:%02d:%02d.602955", i / 3600 % 24, i / 60 % 60, i % 60) })
      end
    end

    # Whether two outputs are JSON of the same values: rivals write some floats and times in other digits.
    def same_meaning?(ours, theirs)
      require "json"
      about(::JSON.parse("[#{ours.dup.force_encoding("UTF-8")}]")) == about(::JSON.parse("[#{theirs.dup.force_encoding("UTF-8")}]"))
    rescue ::JSON::ParserError, ArgumentError
      about(Marshal.load(ours)) == about(Marshal.load(theirs)) # rubocop:disable Security/MarshalLoad
    rescue TypeError
      false
    end

    def about(value)
      case value
      when Float, Integer then value.to_f.then { |x| x.finite? ? format("%.14g", x) : x.to_s }
      when Array then value.map { |v| about(v) }
      when Hash then value.transform_values { |v| about(v) }
      else value
      end
    end
  end
end
