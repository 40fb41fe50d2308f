# frozen_string_literal: true

module Differential
  # What is no StandardError, raised by values.
  class Unusual < Exception # rubocop:disable Lint/InheritException
  end

  # What one call came to: a String (bytes, encoding, frozen or not), an exception or a throw, and what the value noted while it
  # was asked (Differential.note). Holds plain data only, so that it can come back from a forked child.
  class Outcome
    attr_reader :kind, :text, :encoding, :is_frozen, :error, :ancestors, :notes

    # Calls the block. Notes are those written by the values it touches.
    def self.of
      Differential.notes.clear
      came_back = false
      result = catch(:differential) do
        given = Differential.inside { yield }
        came_back = true
        given
      end
      new(came_back ? :value : :thrown, result)
    rescue SystemStackError, StandardError, ScriptError, NoMemoryError, Unusual => e
      new(:error, e)
    end

    def initialize(kind, result)
      @kind = kind
      @notes = Differential.notes.map { |note| Outcome.stable(note) }
      if kind == :thrown
        @text = result.to_s
      elsif kind == :value
        @text = result.is_a?(String) ? result.b : "not a String: #{result.class}"
        @encoding = result.encoding.name if result.is_a?(String)
        @is_frozen = result.frozen?
      else
        @error = Outcome.stable(result.class.name || result.class.to_s)
        @ancestors = result.class.ancestors.grep(Class).map { |c| Outcome.stable(c.name || c.to_s) }
        @text = Outcome.message_of(result)
      end
    end

    def self.message_of(error)
      # Without the line of source that error_highlight adds, and without the number that json before 2.10 begins its texts with.
      text = (error.respond_to?(:original_message) ? error.original_message : error.message).b
      stable(error.is_a?(::JSON::JSONError) ? text.sub(/\A\d{3,4}: /, "") : text)
    rescue StandardError
      "(no message)"
    end

    # Addresses and object ids differ from object to object.
    def self.stable(text)
      text.to_s.b.gsub(/0x0[0-9a-f]{6,}/, "0x?")
    end

    # The same result for the caller. An exception of ours may be a subclass of stock's. Stock's text is not compared where it
    # tells how stock works inside (the depth at which the stack ended; the converter's view of a broken byte).
    def same?(ours)
      # Stock asks everything once before it asks anything again; one pass asks each value as often and in the same words, but
      # not in that order.
      return false unless kind == ours.kind && notes.sort == ours.notes.sort
      return text == ours.text if kind == :thrown
      return same_text?(ours) && encoding == ours.encoding && is_frozen == ours.is_frozen if kind == :value
      return false unless ours.ancestors.include?(error)

      !stable_message? || text == ours.text
    end

    def same_text?(ours)
      text == ours.text || Outcome.stable(text) == Outcome.stable(ours.text)
    end

    UNSTABLE = ["SystemStackError", "NoMemoryError", "Encoding::UndefinedConversionError", "Encoding::InvalidByteSequenceError"].freeze

    def stable_message?
      return false if UNSTABLE.include?(error)
      return false if error == "JSON::GeneratorError" && text.match?(/utf-8|partial character|from .* to UTF-8/i)

      true
    end

    def to_s
      return "thrown: #{text}" if kind == :thrown

      said = kind == :value ? "#{text.dup.force_encoding("UTF-8").inspect}#{" (#{encoding})" unless encoding == "UTF-8"}#{" frozen" if is_frozen}" : "#{error}: #{text.inspect[0, 300]}"
      notes.empty? ? said : "#{said}\n      asked: #{notes.join(" | ")}"
    end

    def ==(other)
      other.is_a?(Outcome) && same?(other)
    end
  end

  class << self
    def notes
      Thread.current[:differential_notes] ||= []
    end

    # Whether an encode is under way: for a reopened method that must leave the test itself alone.
    def inside?
      Thread.current[:differential_inside]
    end

    def inside
      Thread.current[:differential_inside] = true
      yield
    ensure
      Thread.current[:differential_inside] = false
    end

    # For values that want to tell how they were asked: which options, in what order, how often.
    def note(text)
      notes << text.to_s
    end
  end
end
