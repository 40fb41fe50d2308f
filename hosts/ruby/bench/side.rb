# frozen_string_literal: true

module Bench
  # One side of a comparison: a process that holds the libraries, the value and the loop, and does what the parent asks.
  class Side
    def initialize(way, value, newer)
      theirs, @write = IO.pipe(binmode: true)
      @read, mine = IO.pipe(binmode: true)
      @pid = fork do
        [@write, @read].each(&:close)
        serve(way, value, newer, theirs, mine)
        exit!(0)
      end
      [theirs, mine].each(&:close)
    end

    # The library that it needs and that is not here, or nil.
    def missing
      ask(:versions) && nil
    rescue LoadError => e
      e.message
    end

    def output = ask(:output)
    def versions = ask(:versions)
    def calibrate(seconds) = ask([:calibrate, seconds])
    def sample = ask(:sample)
    # Pages that the system gave anew, per call, in all samples.
    def faults = ask(:faults)

    # Asked to end, since a process forked later holds these pipes open.
    def close
      Marshal.dump(:quit, @write)
      [@write, @read].each(&:close)
      Process.wait(@pid)
    rescue Errno::EPIPE
      Process.wait(@pid)
    end

    private

    def ask(question)
      Marshal.dump(question, @write)
      answer = Marshal.load(@read) # rubocop:disable Security/MarshalLoad
      raise LoadError, answer[1] if answer[0] == :missing
      raise answer[1] if answer[0] == :failed

      answer[1]
    rescue EOFError, Errno::EPIPE
      abort "a measuring process ended early"
    end

    # ---- in the child

    def serve(way, value, newer, input, output)
      begin
        prepare(way, value, newer)
      rescue LoadError => e
        failed = [:missing, e.message]
      rescue StandardError, ScriptError => e
        failed = [:failed, "#{e.class}: #{e.message} (#{e.backtrace.first})"]
      end
      loop do
        question, argument = *Marshal.load(input) # rubocop:disable Security/MarshalLoad
        return if question == :quit

        answer = failed || [:done, send(:"do_#{question}", *argument)]
        Marshal.dump(answer, output)
      end
    rescue EOFError, Errno::EPIPE
      nil # the parent has what it wanted
    end

    def prepare(way, value, newer)
      if newer
        require_relative "../test/differential/stock"
      end
      way.libraries.each { |library| require library }
      @way = way
      eval(way.setup) if way.setup # rubocop:disable Security/Eval
      @value = value.call
      # Only the call in the loop: a block or a lambda around it costs more than encoding a small document does.
      instance_eval("def one(v) = (#{way.call})\ndef many(v, n)\n i = 0\n while i < n\n #{way.call}\n i += 1\n end\nend", __FILE__, __LINE__) # rubocop:disable Style/DocumentDynamicEvalDefinition
    end

    def do_output
      result = one(@value)
      result.is_a?(String) ? result.b : Marshal.dump(result)
    end

    def do_versions
      return "kumihimo #{Kumihimo::VERSION}" if defined?(::Kumihimo)
      return "oj #{::Oj::VERSION}" if defined?(::Oj)
      return "msgpack #{::MessagePack::VERSION}" if defined?(::MessagePack)
      return ActiveSupport::VERSION::STRING if defined?(::ActiveSupport::VERSION) && @way.call.include?("ActiveSupport")

      ::JSON::VERSION
    end

    def cpu
      Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    end

    def timed(n)
      GC.start
      before = cpu
      many(@value, n)
      (cpu - before) / n
    end

    # Minor page faults of this process; 0 where the system does not tell.
    def page_faults
      File.read("/proc/self/stat")[/.*\) (.*)/, 1].split[7].to_i
    rescue SystemCallError
      0
    end

    # How many calls a sample has.
    def do_calibrate(seconds)
      @calls = 1
      @calls *= 4 while timed(@calls) * @calls < seconds / 4 && @calls < 10_000_000
      @calls = [(seconds / [timed(@calls), 1e-9].max).round, 1].max
    end

    # The collection before the calls is not theirs, in time or in pages.
    def do_sample
      GC.start
      before = page_faults
      timed(@calls)
    ensure
      @faults = @faults.to_i + page_faults - before
      @sampled = @sampled.to_i + @calls
    end

    def do_faults = @faults.to_f / @sampled
  end
end
