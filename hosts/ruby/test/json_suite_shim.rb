# frozen_string_literal: true

# Puts Kumihimo behind JSON's own names, in this process only, so that the json gem's test suite runs against it
# (test/peers/json_driver.rb). Never part of the gem: `require "kumihimo"` changes nothing of JSON.
require "kumihimo"

# The suite asks for the very class of an error, where Kumihimo raises one below it: message and readers are carried over.
module KumihimoAsJSON
  STOCK = {
    Kumihimo::NestingError => JSON::NestingError,
    Kumihimo::ParserError => JSON::ParserError,
    Kumihimo::GeneratorError => JSON::GeneratorError,
  }.freeze

  def self.call
    yield
  rescue *STOCK.keys => e
    plain = STOCK.fetch(e.class).new(e.message)
    e.instance_variables.each { |name| plain.instance_variable_set(name, e.instance_variable_get(name)) }
    raise plain, cause: nil
  end

  # What json's Parser answers to.
  class Parser
    def self.parse(source, options = nil) = KumihimoAsJSON.call { Kumihimo.parse(source, options) }

    attr_reader :source

    def initialize(source, options = nil, **more)
      @options = (options ? options.to_hash : {}).merge(more)
      source = String.try_convert(source) or raise TypeError, "no implicit conversion of #{source.class} into String"
      source = source.encoding == Encoding::BINARY ? source.dup.force_encoding(Encoding::UTF_8) : source.encode(Encoding::UTF_8)
      @source = source.dup
      return unless @options[:symbolize_names] && @options[:create_additions]

      raise ArgumentError, "options :symbolize_names and :create_additions cannot be  used in conjunction"
    end

    def parse = KumihimoAsJSON.call { Kumihimo.parse(@source, @options) }
  end

  # json's Coder, where it has one.
  class Coder < Kumihimo::Coder
    %i[dump generate load parse load_file].each do |name|
      define_method(name) { |*arguments| KumihimoAsJSON.call { super(*arguments) } }
    end
  end

  METHODS = %i[parse parse! load unsafe_load load_file load_file! generate pretty_generate dump].freeze
end

silence = $VERBOSE
$VERBOSE = nil
JSON::Parser = KumihimoAsJSON::Parser
JSON::Coder = KumihimoAsJSON::Coder if JSON.const_defined?(:Coder, false)
KumihimoAsJSON::METHODS.each do |name|
  next unless JSON.respond_to?(name) && Kumihimo.respond_to?(name)

  JSON.define_singleton_method(name) do |*arguments, **options, &block|
    # Options in braces or without: one Hash behind the arguments, or nothing.
    arguments << options unless options.empty?
    KumihimoAsJSON.call { Kumihimo.public_send(name, *arguments, &block) }
  end
end
$VERBOSE = silence
