# frozen_string_literal: true

require_relative "test_helper"
require "stringio"
require "tempfile"

# parse!, load, load_file and their like do what the installed json does.
class LoadTest < Minitest::Test
  include AgainstStock

  SOURCES = ["null", "", " ", nil, "[1,2]", '{"a":[1,{"b":null}],"c":NaN}', "[Infinity]", "[" * 150 + "]" * 150, "[1,", "x"].freeze

  def same(name, *arguments)
    assert_equal outcome { JSON.public_send(name, *arguments) }, outcome { Kumihimo.public_send(name, *arguments) }, "#{name} #{arguments}"
  end

  def test_parse!
    SOURCES.each do |source|
      same(:parse!, source)
      same(:parse!, source, { max_nesting: 2 })
      same(:parse!, source, { allow_nan: false, symbolize_names: true })
    end
  end

  def test_load
    SOURCES.each do |source|
      same(:load, source)
      same(:load, source, nil, { symbolize_names: true, create_additions: false })
      same(:load, source, nil, { allow_blank: false })
      same(:load, source, nil, { max_nesting: 10 })
    end
    # Before 2.19 an empty Array was taken for a blank document, and a number for a fault of the caller's of another kind.
    [1, [], {}, :a].each { |source| assert_raises(TypeError) { Kumihimo.load(source) } }
    [1, [], {}, :a].each { |source| same(:load, source) } if stock_at_least?(2, 19)
  end

  def test_load_takes_what_reads
    text = '{"a":[1]}'
    convertible = Object.new
    convertible.define_singleton_method(:to_str) { text }
    holder = Object.new
    holder.define_singleton_method(:to_io) { StringIO.new(text) }
    reader = Object.new
    reader.define_singleton_method(:read) { text }
    [StringIO.new(text), convertible, holder, reader].each { |source| assert_equal({ "a" => [1] }, Kumihimo.load(source)) }
    assert_nil Kumihimo.load(StringIO.new(""))
  end

  def test_load_tells_the_proc_as_stock_does
    text = '{"a":[1,"x",{"b":null}],"c":{}}'
    stock = []
    ours = []
    results = [JSON.load(text, ->(value) { stock << value && value == 1 ? :one : value }),
               Kumihimo.load(text, ->(value) { ours << value && value == 1 ? :one : value })]
    assert_equal stock, ours
    assert_equal(*results)
    assert_includes ours, "a"
    stock.clear
    ours.clear
    JSON.load(text, ->(value) { stock << value && value }, { symbolize_names: true, create_additions: false })
    Kumihimo.load(text, ->(value) { ours << value && value }, { symbolize_names: true, create_additions: false })
    assert_equal stock, ours
  end

  class Made
    def self.json_create(object) = object["v"]
  end

  def test_load_makes_objects_and_parse_does_not
    text = '{"json_class":"LoadTest::Made","v":7}'
    assert_equal 7, Kumihimo.unsafe_load(text)
    assert_equal JSON.load(text, nil, { create_additions: true }), Kumihimo.load(text, nil, { create_additions: true })
    assert_equal({ "json_class" => "LoadTest::Made", "v" => 7 }, Kumihimo.parse(text))
    assert_equal({ "json_class" => "LoadTest::Made", "v" => 7 }, Kumihimo.load(text, nil, { create_additions: false }))
    assert_equal silent { JSON.load(text) }, silent { Kumihimo.load(text) }
  end

  def test_load_follows_the_defaults_of_json
    skip "not proven: json #{JSON::VERSION} warns about its defaults" if stock_at_least?(2, 11)
    before = JSON.load_default_options
    JSON.load_default_options = before.merge(symbolize_names: true, create_additions: false)
    assert_equal({ a: 1 }, Kumihimo.load('{"a":1}'))
  ensure
    JSON.load_default_options = before if before
  end

  def test_files
    Tempfile.create("kumihimo") do |file|
      file.write('{"é":[NaN]}')
      file.close
      same(:load_file, file.path)
      same(:load_file!, file.path)
      same(:load_file, file.path, { allow_nan: true, symbolize_names: true })
      same(:load_file!, file.path, { allow_nan: false })
    end
    assert_raises(Errno::ENOENT) { Kumihimo.load_file("/no/such/file") }
  end

  private

  def silent
    verbose = $VERBOSE
    $VERBOSE = nil
    yield
  ensure
    $VERBOSE = verbose
  end
end
