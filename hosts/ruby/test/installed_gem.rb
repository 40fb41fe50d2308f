# frozen_string_literal: true

# What a gem must do that was installed with nothing of the repository around it: `ruby installed_gem.rb FOLDER`, the folder it was installed to.
# Not a *_test.rb: it runs where minitest is not in reach.
require "kumihimo"

folder = File.realpath(ARGV.fetch(0))
ours = $LOADED_FEATURES.grep(%r{/kumihimo})
abort "loaded from elsewhere: #{ours}" unless ours.any? && ours.all? { |path| File.realpath(path).start_with?("#{folder}/") }
abort "the engine is not in the gem" if Dir.glob("#{folder}/gems/kumihimo-*/ext/kumihimo/engine/core/sink.hpp").empty?
abort "something is a link" unless Dir.glob("#{folder}/gems/kumihimo-*/**/*").none? { |path| File.symlink?(path) }

gem = Dir.glob("#{folder}/gems/kumihimo-*").first
files = Dir.glob("#{folder}/**/*").select { |path| File.file?(path) && !path.include?("/cache/") }
size = files.sum { |path| File.size(path) }
puts "#{size} bytes are installed, most of them in #{files.max_by { |path| File.size(path) }}"
sections = IO.popen(["readelf", "--section-headers", "--wide", ours.grep(/\.so\z/).fetch(0)], &:read).scan(/\] (\.\S+)/).flatten
abort "what the library holds could not be read" unless sections.include?(".text")
abort "the library has symbols for debuggers: #{sections.join(" ")}" if sections.any? { |name| name.start_with?(".debug") || name == ".symtab" }
built = Dir.glob("#{gem}/ext/**/*.{o,d,so,a}") + Dir.glob("#{gem}/ext/**/engine_*")
abort "left behind by the build: #{built.join(" ")}" if built.any?

Dir.glob("#{gem}/*.md") do |path|
  File.read(path).scan(/\]\(([^)#]+)(?:#[^)]*)?\)/).flatten.each do |target|
    abort "#{path}: #{target} leads out of the gem" unless target.start_with?("https://") || File.exist?(File.expand_path(target, gem))
  end
end
specification = Gem::Specification.load(Dir.glob("#{folder}/specifications/*.gemspec").first)
home = ENV.fetch("KUMIHIMO_HOMEPAGE")
abort "no homepage" unless specification.homepage == home
uris = %w[homepage source_code documentation changelog bug_tracker].map { |name| specification.metadata["#{name}_uri"] }
abort "the gem does not say where its parts are: #{uris}" unless uris.all? { |uri| uri.to_s.start_with?(home) }
abort "no signatures" if Dir.glob("#{gem}/sig/**/*.rbs").empty?

data = { "name" => "組紐", "list" => [1, -2.5, 1e100, true, nil], "big" => 2**80 }
text = Kumihimo.generate(data)
abort "generate: #{text}" unless text == JSON.generate(data)
abort "parse" unless Kumihimo.parse(text) == data
begin
  Kumihimo.parse("[1,\n x]")
  abort "a wrong document was read"
rescue Kumihimo::ParserError => e
  abort "place: #{e.line}, #{e.column}" unless [e.line, e.column] == [2, 2]
end
small = { "a" => [1, "b", nil, 2.5] }
abort "MessagePack" unless Kumihimo::MessagePack.unpack(Kumihimo::MessagePack.pack(small)) == small
puts "the installed gem works: #{folder}/gems/kumihimo-#{Kumihimo::VERSION}"
