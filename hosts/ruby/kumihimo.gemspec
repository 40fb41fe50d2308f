# frozen_string_literal: true

require_relative "lib/kumihimo/version"

Gem::Specification.new do |spec|
  spec.name = "kumihimo"
  spec.version = Kumihimo::VERSION
  spec.authors = ["Kumihimo's authors"]
  spec.summary = "JSON, MessagePack and more at the speed of the hardware; ActiveSupport's JSON byte for byte"
  spec.description = "Writes and reads JSON, MessagePack and further formats with one C++ engine, whole documents, streams, or the few values you name. " \
                     "For Rails an encoder for ActiveSupport.json_encoder with the bytes of the installed ActiveSupport, and no class changed."
  spec.license = "Apache-2.0"
  spec.metadata = { "rubygems_mfa_required" => "true" }
  # The repository's address, for whoever publishes; without it RubyGems warns of a missing homepage, and the gem names none.
  if (repository = ENV["KUMIHIMO_HOMEPAGE"]&.delete_suffix("/"))
    spec.homepage = repository
    spec.metadata.merge!(
      "homepage_uri" => repository,
      "source_code_uri" => "#{repository}/tree/main/hosts/ruby",
      "documentation_uri" => "#{repository}/blob/main/hosts/ruby/README.md",
      "changelog_uri" => "#{repository}/blob/main/hosts/ruby/CHANGELOG.md",
      "bug_tracker_uri" => "#{repository}/issues"
    )
  end
  spec.required_ruby_version = ">= 3.0"

  # ext/kumihimo/engine is a link to the repository's engine/; what RubyGems packs is the files behind it, so a gem builds with
  # nothing around it.
  spec.files = Dir.glob(["lib/**/*.rb", "sig/**/*.rbs", "ext/kumihimo/*.{rb,cpp,hpp}", "ext/kumihimo/engine/**/*.{cpp,hpp,h}",
                         "CHANGELOG.md", "LICENSE", "README.md"], base: __dir__)
  spec.extensions = ["ext/kumihimo/extconf.rb"]
end
