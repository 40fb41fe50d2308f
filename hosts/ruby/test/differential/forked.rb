# frozen_string_literal: true

module Differential
  class << self
    # Runs the block in a child, so that what it does to classes ends with it; gives back what it returned.
    def forked
      reader, writer = IO.pipe(binmode: true)
      pid = fork do
        reader.close
        answer = begin
          [:done, yield]
        rescue Exception => e # rubocop:disable Lint/RescueException
          [:failed, "#{e.class}: #{e.message}\n#{e.backtrace.first(5).join("\n")}"]
        end
        writer.write(Marshal.dump(answer))
        writer.close
        exit!(0)
      end
      writer.close
      bytes = reader.read
      _, status = Process.wait2(pid)
      return [:failed, "the child died: #{status.inspect}"] if bytes.empty?

      Marshal.load(bytes) # rubocop:disable Security/MarshalLoad
    ensure
      reader&.close
    end
  end
end
