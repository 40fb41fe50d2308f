# frozen_string_literal: true

# The json gem's own tests, against Kumihimo in JSON's place: the shim says which names are ours.
require_relative "record"
PeersRecord.ruby_core
require_relative "../json_suite_shim"

ARGV.each { |file| require File.expand_path(file) }
ARGV.clear
