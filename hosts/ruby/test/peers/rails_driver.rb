# frozen_string_literal: true

# ActiveSupport's own tests with Kumihimo as encoder and decoder. Its test helper wants Bundler, which there is none of here.
require_relative "record"
$LOADED_FEATURES << "bundler/setup.rb"

require "active_support"
require "active_support/json"
require "kumihimo/rails"
PeersRecord.minitest
abort "Kumihimo is not the encoder" unless Kumihimo::Rails.installed?
abort "Kumihimo is not the decoder" unless Kumihimo::Rails.install_decoder && Kumihimo::Rails.decoder_installed?

ARGV.each { |file| require file }
ARGV.clear
Minitest.after_run do
  PeersRecord.add("Kumihimo#stayed_the_encoder", "error", 0, "the suite changed ActiveSupport.json_encoder") unless Kumihimo::Rails.installed?
end
