# frozen_string_literal: true

require "kumihimo/rails/place"

module Kumihimo
  module Rails
    # Where stock's output and ours first differ. The texts are about forty bytes of each around the place; a side that
    # raised has an error class (and a message) instead.
    class Difference
      # The JSON path of the first difference: $.films[3].name. nil when a side raised or only the encodings differ.
      attr_reader :path
      # How many bytes are equal before it.
      attr_reader :offset
      attr_reader :stock, :kumihimo, :stock_error, :kumihimo_error
      # Of both results, where the bytes are equal and these are not.
      attr_reader :encodings

      def initialize(path: nil, offset: nil, stock: nil, kumihimo: nil, stock_error: nil, kumihimo_error: nil,
                     encodings: nil, repeatable: true)
        @path = path.freeze
        @offset = offset
        @stock = stock.freeze
        @kumihimo = kumihimo.freeze
        @stock_error = stock_error
        @kumihimo_error = kumihimo_error
        @encodings = encodings.freeze
        @repeatable = repeatable
        freeze
      end

      # Whether stock gave the same output twice. Where it did not (a clock, an object's address, an IO that has been
      # read), the difference says nothing about the encoder.
      def repeatable?
        @repeatable
      end

      # The same without what the value holds: no excerpts.
      def without_data
        Difference.new(path: path, offset: offset, stock_error: stock_error, kumihimo_error: kumihimo_error,
                       encodings: encodings, repeatable: repeatable?)
      end

      def to_s
        [title, line("stock", stock, stock_error), line("kumihimo", kumihimo, kumihimo_error), remark].compact.join("\n")
      end

      def inspect
        "#<#{self.class} #{to_s.tr("\n", ";")}>"
      end

      private

      def title
        if path
          "outputs differ at #{path}, byte #{offset}"
        elsif encodings
          "equal bytes, but stock's String is #{encodings[0]} and Kumihimo's #{encodings[1]}"
        elsif stock_error && kumihimo_error
          "both raise, but not the same"
        else
          "one raises, the other does not"
        end
      end

      def line(name, text, error)
        text = "raises #{error.name || error}" if error
        format("  %-9s %s", "#{name}:", text) if text
      end

      def remark
        "  (stock itself gives another output each time: the value is not repeatable)" unless repeatable?
      end
    end

    # Encodes a value with two encoders and compares what they do.
    module Diff
      # What an encoder may raise about the value. Interrupt, SystemExit and the like are not about it.
      ERRORS = [StandardError, ScriptError, SystemStackError].freeze
      AROUND = 20
      private_constant :AROUND

      module_function

      # Both arguments answer to encode(value).
      def call(stock, kumihimo, value)
        expected = outcome(stock, value)
        actual = outcome(kumihimo, value)
        return unless compare(expected, actual)

        compare(expected, actual, repeatable: !compare(expected, outcome(stock, value)))
      end

      # What encode gives: a String, or the exception it raises.
      def outcome(encoder, value)
        encoder.encode(value)
      rescue *ERRORS => error
        error
      end

      # nil when equal. Errors are equal when whoever rescues stock's class rescues ours.
      def compare(stock, kumihimo, repeatable: true)
        if stock.is_a?(Exception) || kumihimo.is_a?(Exception)
          return if stock.is_a?(Exception) && kumihimo.is_a?(stock.class)

          return Difference.new(**errors(stock, kumihimo), repeatable: repeatable)
        end
        return texts(stock, kumihimo, repeatable) unless same_bytes?(stock, kumihimo)
        return if stock.encoding == kumihimo.encoding

        Difference.new(encodings: [stock.encoding, kumihimo.encoding], repeatable: repeatable)
      end

      def errors(stock, kumihimo)
        {stock: stock, kumihimo: kumihimo}.each_with_object({}) do |(side, outcome), fields|
          if outcome.is_a?(Exception)
            fields[:"#{side}_error"] = outcome.class
          else
            fields[side] = excerpt(outcome, 0)
          end
        end
      end
      private_class_method :errors

      def texts(stock, kumihimo, repeatable)
        offset = first_difference(stock, kumihimo)
        # The side that is deeper there says more: [1] against [12] differs in [0], not in the array.
        steps = [stock, kumihimo].map { |text| Place.steps(text, offset) }.max_by(&:size)
        Difference.new(path: Place.path(steps), offset: offset, stock: excerpt(stock, offset),
                       kumihimo: excerpt(kumihimo, offset), repeatable: repeatable)
      end
      private_class_method :texts

      def same_bytes?(left, right)
        left.bytesize == right.bytesize && left.b == right.b
      end
      private_class_method :same_bytes?

      def first_difference(left, right)
        left = left.b
        right = right.b
        # By halves: comparing prefixes is memcmp, comparing bytes in Ruby takes seconds on a few megabytes.
        low = 0
        high = [left.bytesize, right.bytesize].min
        while low < high
          middle = (low + high + 1) / 2
          if left.byteslice(low, middle - low) == right.byteslice(low, middle - low)
            low = middle
          else
            high = middle - 1
          end
        end
        low
      end
      private_class_method :first_difference

      def excerpt(text, offset)
        from = [offset - AROUND, 0].max
        cut = text.byteslice(from, AROUND * 2).force_encoding(Encoding::UTF_8).scrub("")
        "#{"..." if from.positive?}#{cut}#{"..." if from + AROUND * 2 < text.bytesize}"
      end
      private_class_method :excerpt
    end
  end
end
