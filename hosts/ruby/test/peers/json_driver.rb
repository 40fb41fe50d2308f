# frozen_string_literal: true

# The json gem's own tests, against Kumihimo in JSON's place: the shim says which names are ours.
require_relative "record"
PeersRecord.test_unit
require_relative "../json_suite_shim"
abort "Kumihimo is not behind JSON" unless %i[generate parse].all? { |name| JSON.method(name).source_location&.first&.end_with?("json_suite_shim.rb") }

ARGV.each { |file| require File.expand_path(file) }
ARGV.clear
