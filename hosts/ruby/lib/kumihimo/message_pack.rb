# frozen_string_literal: true

module Kumihimo
  # MessagePack, with the bytes and the values of the msgpack gem.
  #
  #   Kumihimo::MessagePack.pack({ "id" => 7 })      # => "\x81\xA2id\a"
  #   Kumihimo::MessagePack.unpack("\x81\xA2id\a")   # => {"id" => 7}
  #
  # pack(object, io = nil, max_nesting: 1024, invalid: :keep) { |other| ... } (also dump):: a String in BINARY, or nil when it
  # went to an IO. Text becomes str, a String in BINARY bin, a Symbol str, a Time a timestamp, an Extension an extension. Any
  # other object goes to the block, which says what to pack instead; without a block its own to_msgpack is called, without
  # arguments, for its bytes. Integers beyond 64 bits raise RangeError.
  #
  # unpack(source, symbolize_keys: false, freeze: false, allow_unknown_ext: false, timestamp: false, ext: nil, invalid: :keep,
  # max_nesting: 1024) { |type, payload| ... } (also load):: the one value in a String or in what is left of an IO. The block
  # (or ext:) makes an object of each extension; timestamps become Times in UTC, or Timestamps with timestamp: true.
  #
  # each(source, **options) { |value| ... }:: the values that stand one behind the other in a String or an IO.
  #
  # invalid: says what becomes of a UTF-8 String whose bytes are not UTF-8, and of such a str: it stays one (:keep), goes over to
  # bin (:bin), or raises (:refuse). Errors are ParserError, NestingError (offset, path) and GeneratorError (invalid_object).
  module MessagePack
    # A value of an application's own type: an Integer from -128 to 127 and a String. MessagePack keeps the negative types for
    # itself.
    class Extension
      def inspect
        "#<#{self.class} type=#{type} payload=#{payload.inspect}>"
      end
    end

    # A moment: seconds since 1970-01-01T00:00:00Z, and nanoseconds that are added to them.
    class Timestamp
      def self.from_time(time)
        new(time.to_i, time.nsec)
      end

      def to_time
        Time.at(sec, nsec, :nsec).utc
      end

      def inspect
        "#<#{self.class} sec=#{sec} nsec=#{nsec}>"
      end
    end
  end
end
