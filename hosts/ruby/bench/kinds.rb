# frozen_string_literal: true

# What Rails applications render, kind by kind: 200 values of one kind make a document. Rows ruby.rails.kinds.NAME of bench.rb, both
# sides on one ActiveSupport. A kind whose library is missing, or of another version than ActiveSupport, is said and left out.
module Bench
  module Kinds
    COUNT = 200
    AT = 1_500_000_000

    class StringAnswer
      def as_json(*) = "s"
    end

    class HashAnswer
      def as_json(*) = { "id" => 1, "name" => "name" }
    end

    class HashWithOptions
      def as_json(options = nil) = { "id" => 1, "name" => "name" }.merge(options ? { "more" => 1 } : {})
    end

    class RichAnswer
      def as_json(*) = { id: 1, at: Time.at(AT).utc, price: BigDecimal("19.99") }
    end

    # As people write it: the options handed on.
    class Record
      def initialize(id) = @id = id
      def as_json(options = nil) = { id: @id, name: "name #{@id}", at: Time.at(AT + @id).utc, price: BigDecimal("19.99") }.as_json(options)
    end

    class Plain
      def initialize(id) = (@id, @name = id, "name #{id}")
    end

    class Hashed
      def to_hash = { "a" => 1, "b" => "two" }
    end

    class Bag
      include Enumerable
      def each(&block) = [1, 2, "three"].each(&block)
    end

    class OwnString < String; end
    class OwnHash < Hash; end
    class OwnArray < Array; end
    Point = ::Struct.new(:x, :y)
    Named = ::Struct.new(:x, :y, keyword_init: true)

    EACH = {
      string_answer: -> (_) { StringAnswer.new },
      hash_answer: -> (_) { HashAnswer.new },
      hash_answer_options: -> (_) { HashWithOptions.new },
      rich_answer: -> (_) { RichAnswer.new },
      record: -> (i) { Record.new(i) },
      hash_with_answer: -> (i) { { "id" => i, "name" => "name", "tags" => %w[a b], "answer" => StringAnswer.new } },
      decimal: -> (i) { BigDecimal("#{i}.99") },
      hash_with_decimal: -> (i) { { id: i, price: BigDecimal("#{i}.99") } },
      hash_with_time_and_decimal: -> (i) { { id: i, at: Time.at(AT + i).utc, price: BigDecimal("#{i}.99") } },
      duration: -> (i) { i.seconds },
      uri: -> (i) { URI("http://example.com/films?page=#{i}") },
      ipaddr: -> (i) { IPAddr.new("10.0.0.#{i}") },
      set: -> (i) { Set[i, :two] },
      range: -> (i) { i..(i + 5) },
      range_of_times: -> (i) { Time.at(AT).utc..Time.at(AT + i).utc },
      regexp: -> (i) { /films #{i}/ },
      pathname: -> (i) { Pathname("/films/#{i}") },
      exception: -> (i) { StandardError.new("error #{i}") },
      safe_buffer: -> (i) { "<b>#{i}</b>".html_safe },
      open_struct: -> (i) { OpenStruct.new(id: i) },
      struct: -> (i) { Point.new(i, "y") },
      keyword_struct: -> (i) { Named.new(x: i, y: "y") },
      object: -> (i) { Plain.new(i) },
      to_hash: -> (_) { Hashed.new },
      enumerable: -> (_) { Bag.new },
      enumerator: -> (i) { [i, 2].each },
      time: -> (i) { Time.at(AT + i).utc },
      local_time: -> (i) { Time.at(AT + i) },
      time_with_zone: -> (i) { Time.at(AT + i).in_time_zone("Tokyo") },
      date: -> (i) { Date.new(2017, 1, 1) + i },
      datetime: -> (i) { DateTime.new(2017, 1, 1) + i },
      symbol: -> (i) { :"symbol#{i}" },
      integer: -> (i) { i },
      big_integer: -> (i) { 2**80 + i },
      float: -> (i) { i + 0.25 },
      not_a_number: -> (_) { Float::NAN },
      rational: -> (i) { Rational(i, 7) },
      nil_and_true: -> (i) { i.odd? ? nil : true },
      string: -> (i) { "film #{i}" },
      string_subclass: -> (i) { OwnString.new("film #{i}") },
      hash: -> (i) { { "id" => i, "name" => "name" } },
      hash_of_symbols: -> (i) { { id: i, name: "name" } },
      hash_of_integers: -> (i) { { i => 1, (i + 1) => 2 } },
      hash_of_both: -> (i) { { id: i, "name" => "name" } },
      hash_subclass: -> (i) { OwnHash.new.merge!("id" => i) },
      indifferent_hash: -> (i) { ActiveSupport::HashWithIndifferentAccess.new(id: i, name: "name") },
      array: -> (i) { [i, "two", nil] },
      array_subclass: -> (i) { OwnArray.new([i, 2]) },
    }.freeze

    # Kinds of other libraries: what makes a document of them.
    OTHERS = %i[active_model active_record active_record_relation active_model_serializers jbuilder].freeze

    module_function

    def all = EACH.keys + OTHERS

    def make(name)
      %w[bigdecimal ipaddr ostruct pathname set uri].each { |library| require library }
      return send(name) if OTHERS.include?(name)

      Array.new(COUNT) { |i| EACH.fetch(name).call(i) }
    end

    # A part of Rails, of the very ActiveSupport that is measured.
    def part(library, constant)
      require "#{library}/gem_version"
      version = Object.const_get(constant).gem_version
      raise LoadError, "#{library} is #{version}" if version != ActiveSupport.gem_version

      require library
    end

    def active_model
      part("active_model", "ActiveModel")
      person = Class.new do
        include ActiveModel::Serializers::JSON
        attr_accessor :id, :name, :at

        def initialize(id) = (@id, @name, @at = id, "name #{id}", Time.at(AT + id).utc)
        def attributes = { "id" => nil, "name" => nil, "at" => nil }
      end
      Array.new(COUNT) { |i| person.new(i) }
    end

    def active_record
      part("active_record", "ActiveRecord")
      ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: ":memory:")
      ActiveRecord::Schema.verbose = false
      ActiveRecord::Schema.define do
        create_table(:films) do |t|
          t.string :name
          t.decimal :price, precision: 10, scale: 2
          t.boolean :shown
          t.timestamps
        end
      end
      const_set(:Film, Class.new(ActiveRecord::Base) { self.table_name = "films" })
      at = Time.at(AT).utc
      COUNT.times { |i| Kinds::Film.create!(name: "film #{i}", price: BigDecimal("#{i}.99"), shown: i.odd?, created_at: at, updated_at: at) }
      Kinds::Film.all.to_a
    end

    def active_record_relation
      active_record
      Kinds::Film.all.load
    end

    def active_model_serializers
      part("active_model", "ActiveModel")
      require "active_model_serializers"
      model = Class.new(ActiveModelSerializers::Model) do
        def self.name = "Film"
        attributes :id, :name, :at
      end
      serializer = Class.new(ActiveModel::Serializer) { attributes :id, :name, :at }
      Array.new(COUNT) { |i| serializer.new(model.new(id: i, name: "name #{i}", at: Time.at(AT + i).utc)) }
    end

    def jbuilder
      require "jbuilder"
      require "jbuilder/jbuilder" unless defined?(::Jbuilder)
      json = ::Jbuilder.new
      json.films(Array.new(COUNT) { |i| { id: i, name: "film #{i}", at: Time.at(AT + i).utc, price: BigDecimal("#{i}.99") } }) do |film|
        json.extract! film, :id, :name, :at, :price
      end
      json.attributes!
    end
  end
end
