# frozen_string_literal: true

# Oj's tests of its compat mode, which is the json gem's behaviour, with an Oj that hands on to Kumihimo. Oj's other modes have no
# counterpart here, and its test_rails.rb is about two of Oj's own options.
require_relative "record"
require "kumihimo"
require "time"  # Oj loads it
$LOADED_FEATURES << "oj.rb"

module Oj
  ParseError = Kumihimo::ParserError

  class << self
    attr_writer :default_options

    def default_options
      @default_options ||= {}
    end

    def dump(value, options = {})
      Kumihimo.generate(value, **default_options.merge(options).slice(:ascii_only, :indent, :max_nesting))
    end

    def to_json(value, options = {})
      Kumihimo.generate(value, **options.slice(:ascii_only, :indent, :max_nesting))
    end

    def load(source, options = {})
      options = default_options.merge(options)
      return Kumihimo.parse(source) if options[:mode] == :strict

      names = { symbol_keys: :symbolize_names, decimal_class: :decimal_class, create_additions: :create_additions, create_id: :create_id }
      chosen = names.filter_map { |theirs, ours| [ours, options[theirs]] if options.key?(theirs) }.to_h
      Kumihimo.load(source, nil, { allow_nan: true, create_additions: false, **chosen })
    end
    alias compat_load load
  end
end

PeersRecord.minitest
ARGV.each { |file| require File.expand_path(file) }
ARGV.clear
