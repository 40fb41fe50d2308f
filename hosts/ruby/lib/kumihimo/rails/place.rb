# frozen_string_literal: true

require "strscan"

module Kumihimo
  module Rails
    # Where in a JSON text a byte is, as a path: $.films[3].name. The text may be wrong from that byte on.
    module Place
      TOKEN = /"(?>[^"\\]+|\\.)*+"?|[{}\[\],:]|[^"{}\[\],:]+/mn.freeze
      # A key that needs no brackets; the engine spells the paths of its errors by the same rule.
      BARE = /\A"([A-Za-z_$\x80-\xff-][0-9A-Za-z_$\x80-\xff-]*)"\z/n.freeze
      private_constant :TOKEN, :BARE

      module_function

      # The steps to the value that the byte at offset belongs to: Integers and keys (with their quotes, as they stand in
      # the text). For a byte of a key or of punctuation it is the container.
      def steps(json, offset)
        scanner = StringScanner.new(json.b)
        # A step for each open container; nil in an object that waits for a key.
        open = []
        while (token = scanner.scan(TOKEN))
          return (value?(token, open) ? open : open[0...-1]).compact if scanner.pos > offset

          case token
          when "{" then open.push(nil)
          when "[" then open.push(0)
          when "}", "]" then open.pop
          when "," then open[-1] = open.last.is_a?(Integer) ? open.last + 1 : nil unless open.empty?
          when ":" then nil
          else open[-1] = token if !open.empty? && open.last.nil?
          end
        end
        open[0...-1].compact
      end

      # Whether a token begins or is a value: no punctuation, and no key.
      def value?(token, open)
        !"}],:".include?(token) && !(open.last.nil? && !open.empty?)
      end
      private_class_method :value?

      def path(steps)
        steps.each_with_object(+"$") do |step, text|
          if step.is_a?(Integer)
            text << "[#{step}]"
          else
            text << (BARE =~ step ? ".#{$1}" : "[#{step}]").force_encoding(Encoding::UTF_8)
          end
        end.scrub("?")
      end
    end
  end
end
