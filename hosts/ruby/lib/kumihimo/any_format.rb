# frozen_string_literal: true

# Any format of the engine's table, by its name. No format is named here: what there is, Kumihimo.formats says.
module Kumihimo
  # What dump and load become with the options format: and dialect:.
  module AnyFormat
    class << self
      def asked?(options)
        options.is_a?(Hash) && %i[format dialect frame frame_level].any? { |name| options.key?(name) }
      end

      # The document, or the IO after it was written there.
      def dump(object, io, limit, format: nil, dialect: nil, max_nesting: 1024, frame: nil, frame_level: nil, &instead)
        raise ArgumentError, "dump with a dialect or a frame needs the format: one of #{names}" if format.nil?

        document = framed(frame, frame_level) do
          Kumihimo.__send__(:write_any, object, format, dialect, limit || max_nesting, &instead)
        end
        return document unless io

        io.write(document)
        io
      end

      def load(source, proc, format: nil, dialect: nil, symbolize_names: false, freeze: false, decimal_class: nil,
               max_nesting: 1024, &ext)
        options = AnyFormat.options(symbolize_names, freeze, decimal_class, max_nesting)
        options[:on_load] = proc.to_proc if proc
        Kumihimo.__send__(:read_any, source, format, dialect, options, &ext)
      end

      # What the block makes, in that frame; nil: as it is.
      def framed(frame, level)
        Kumihimo.__send__(:check_frame, frame, level)
        document = yield
        frame.nil? ? document : Kumihimo.pack(document, frame, level)
      end

      def options(symbolize_names, freeze, decimal_class, max_nesting)
        { symbolize_names: symbolize_names, freeze: freeze, decimal_class: decimal_class, max_nesting: max_nesting }
      end

      def needs_format(dialect)
        raise ArgumentError, "a dialect needs its format: one of #{names}" if dialect
      end

      private

      def names
        Kumihimo.formats.map { |format| format[:name].inspect }.join(", ")
      end
    end
  end
  private_constant :AnyFormat

  # One document from a format into another, as a String; no objects are made of it, and of a long one other threads run
  # meanwhile.
  #
  #   Kumihimo.convert("\x81\xA2id\a", "msgpack", "json")   # => '{"id":7}'
  #
  # source, target:: names of formats; a source of nil is what the document's first bytes tell
  # source_dialect, target_dialect:: what is granted, and how it is written: by name, the formats' first if not said
  # max_nesting:: containers in one another, at most; 0 and false are no limit
  # frame, frame_level:: compresses the result: a name of Kumihimo.frames, and one of its levels
  #
  # The order of keys is kept, and keys that come twice are. What the source breaks and what the target cannot say are a
  # ParserError or a NestingError, with the place in the document.
  def self.convert(document, source, target, source_dialect: nil, target_dialect: nil, max_nesting: 1024,
                   frame: nil, frame_level: nil)
    AnyFormat.framed(frame, frame_level) do
      convert_any(document, source, target, source_dialect, target_dialect, max_nesting)
    end
  end

  # What is in the frames of a String, one behind the other, in BINARY; the first bytes tell the frame where it is not named.
  # Its size is a limit in bytes (1 TB when not given), and more than 1000 times the packed size is refused as a bomb. What is
  # damaged, cut off or too large is a ParserError.
  def self.unpack(data, frame = nil, size: nil)
    unpack_frames(data, frame, size)
  end
end
