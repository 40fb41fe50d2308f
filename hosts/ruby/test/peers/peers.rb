# frozen_string_literal: true

# Runs other projects' own test suites against Kumihimo and compares what fails with expected_failures.yml.
#
#      RUBYLIB=lib ruby peers.rb SOURCES [SUITE...]        SOURCES has a folder per source package: rails, json, oj
#
# A test that fails and is not in the list, one in the list that passes, and a listed test that does not exist are all faults: the list
# is what users read to know the differences, so it must be true.
require "json"
require "open3"
require "tempfile"
require "yaml"

module Peers
  HERE = __dir__

  # A suite is run by one process of its own: a driver file here, which installs Kumihimo and records, then the suite's files.
  Suite = Struct.new(:name, :folder, :driver, :library, :files, :environment, keyword_init: true) do
    def command(sources)
      folder = File.join(sources, self.folder)
      paths = [HERE, *library].flat_map { |path| ["-I", File.expand_path(path, folder)] }
      found = files.flat_map { |pattern| Dir.glob(pattern, base: folder).sort }
      raise "#{name}: no file of #{files.inspect} in #{folder}" if found.empty?

      [RbConfig.ruby, "-W0", *paths, File.join(HERE, driver), *found.map { |file| File.join(folder, file) }]
    end
  end

  SUITES = [
    Suite.new(name: "rails encoding", folder: "rails/activesupport", driver: "rails_driver.rb", library: %w[test],
              files: %w[test/json/encoding_test.rb], environment: { "PARALLEL_WORKERS" => "1" }),
    Suite.new(name: "rails decoding", folder: "rails/activesupport", driver: "rails_driver.rb", library: %w[test],
              files: %w[test/json/decoding_test.rb], environment: { "PARALLEL_WORKERS" => "1" }),
    Suite.new(name: "json", folder: "json", driver: "json_driver.rb", library: %w[tool/lib test/json],
              files: %w[test/json/*_test.rb], environment: {}),
    Suite.new(name: "oj, its copy of json's", folder: "oj/test/json_gem", driver: "json_driver.rb", library: %w[..],
              files: %w[*_test.rb], environment: { "REAL_JSON_GEM" => "1" }),
    Suite.new(name: "oj compat", folder: "oj/test", driver: "oj_driver.rb", library: %w[.],
              files: %w[test_compat.rb], environment: {}),
  ].freeze

  # What a suite's process recorded: a line of JSON per test, [test, outcome, assertions, message].
  Result = Struct.new(:runs, :assertions, :outcomes, :output, :status, keyword_init: true) do
    def failing
      outcomes.select { |_, (outcome, _)| %w[failure error].include?(outcome) }
    end

    def count(outcome)
      outcomes.count { |_, (kind, _)| kind == outcome }
    end
  end

  module_function

  def run(suite, sources)
    Tempfile.create("peers") do |record|
      environment = { "KUMIHIMO_PEERS_RECORD" => record.path, **suite.environment }
      output, status = Open3.capture2e(environment, *suite.command(sources), chdir: File.join(sources, suite.folder))
      # A test may be recorded twice, the second time for its teardown: the worse outcome counts.
      outcomes = {}
      assertions = 0
      record.each_line.map { |line| JSON.parse(line) }.each do |test, outcome, count, message|
        assertions += count
        outcomes[test] = [outcome, message] unless outcomes.key?(test) && outcome == "pass"
      end
      Result.new(runs: outcomes.size, assertions: assertions, outcomes: outcomes, output: output, status: status)
    end
  end

  # The faults, as texts; none when exactly the expected tests fail.
  def faults(suite, result, expected)
    return ["no test ran:\n#{result.output.lines.last(20).join}"] if result.runs.zero?

    unknown = result.failing.reject { |test, _| expected.key?(test) }.map { |test, (kind, message)| "#{kind} of #{test}: #{message}" }
    passing = expected.keys.select { |test| result.outcomes[test]&.first == "pass" }.map { |test| "#{test} passes, but is listed as failing" }
    absent = expected.keys.reject { |test| result.outcomes.key?(test) }.map { |test| "#{test} is listed as failing, but there is no such test" }
    broken_off = result.output.match?(/^[A-Za-z]*(Error|Exception).* \(\w+\)$/) && result.count("pass").zero? ? [result.output.lines.last(20).join] : []
    unknown + passing + absent + broken_off
  end

  def main(sources, names)
    expected = YAML.safe_load(File.read(File.join(HERE, "expected_failures.yml"))) || {}
    wrong = 0
    SUITES.each do |suite|
      next unless names.empty? || names.include?(suite.name)

      listed = expected.fetch(suite.name, nil) || {}
      result = run(suite, sources)
      found = faults(suite, result, listed)
      printf("%-24s %4d runs %5d assertions %3d failures %3d errors %3d skips; %d expected, %d not\n", suite.name, result.runs, result.assertions,
             result.count("failure"), result.count("error"), result.count("skip"), listed.size, found.size)
      found.each { |text| puts "    #{text.gsub("\n", "\n    ")}" }
      wrong += found.size
    end
    exit(1) if wrong.positive?
  end
end

Peers.main(ARGV.fetch(0), ARGV.drop(1)) if $PROGRAM_NAME == __FILE__
