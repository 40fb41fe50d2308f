# frozen_string_literal: true

module Differential
  module Probes
    # Bytes, and the encoding they claim to be in.
    STRINGS = {
      "empty" => ["", "UTF-8"],
      "ascii" => ["hello", "UTF-8"],
      "html" => ["<a href=\"x\">&amp;</a>", "UTF-8"],
      "html alone" => ["<", "UTF-8"],
      "html at both ends" => [">middle&", "UTF-8"],
      "js separators" => ["a\u2028b\u2029c", "UTF-8"],
      "js separators and html" => ["\u2028\u2029><&", "UTF-8"],
      "js separator alone" => ["\u2028", "UTF-8"],
      "neighbours of the separators" => ["\u2027\u202a\u2020\u20a8\u2128", "UTF-8"],
      "controls" => [(0..31).map(&:chr).join, "UTF-8"],
      "nul" => ["a\0b", "UTF-8"],
      "delete" => ["\x7f", "UTF-8"],
      "quotes and backslashes" => ["\"\\\\\"\"", "UTF-8"],
      "slash" => ["</script>", "UTF-8"],
      "already escaped" => ["\\u003c \\u2028 \\n", "UTF-8"],
      "two bytes" => ["äöü߀", "UTF-8"],
      "three bytes" => ["組紐の歴史", "UTF-8"],
      "four bytes" => ["🧶𝔘𐀀", "UTF-8"],
      "last code point" => ["\u{10ffff}", "UTF-8"],
      "noncharacters" => ["\uffff\ufffe\ufdd0", "UTF-8"],
      "byte order mark" => ["\ufeffa", "UTF-8"],
      "combining" => ["e\u0301 👩‍👩‍👧", "UTF-8"],
      "every latin1 character" => [(0xa0..0xff).map { |c| [c].pack("U") }.join, "UTF-8"],
      "lone continuation" => ["a\x80b", "UTF-8"],
      "cut in two bytes" => ["a\xc3", "UTF-8"],
      "cut in three bytes" => ["a\xe3\x81", "UTF-8"],
      "cut in four bytes" => ["a\xf0\x9f\x98", "UTF-8"],
      "cut before ascii" => ["\xe3\x81a", "UTF-8"],
      "overlong slash" => ["\xc0\xaf", "UTF-8"],
      "overlong nul" => ["\xc0\x80", "UTF-8"],
      "high surrogate" => ["\xed\xa0\x80", "UTF-8"],
      "surrogate pair in bytes" => ["\xed\xa0\x80\xed\xb0\x80", "UTF-8"],
      "beyond the last code point" => ["\xf4\x90\x80\x80", "UTF-8"],
      "byte ff" => ["\xff", "UTF-8"],
      "html before a broken byte" => ["<\xff>", "UTF-8"],
      "separator cut short" => ["\xe2\x80", "UTF-8"],
      "us-ascii" => ["plain <b>", "US-ASCII"],
      "us-ascii with a high byte" => ["a\xe9", "US-ASCII"],
      "us-ascii with bytes of utf-8" => ["\xc3\xa9", "US-ASCII"],
      "binary ascii" => ["plain & simple", "BINARY"],
      "binary with bytes of utf-8" => ["\xe7\xb5\x84\xe7\xb4\x90", "BINARY"],
      "binary with a separator" => ["\xe2\x80\xa8<", "BINARY"],
      "binary broken" => ["\xe9\x00\xff", "BINARY"],
      "latin1" => ["caf\xe9 <b>", "ISO-8859-1"],
      "latin1 ascii" => ["cafe <b>", "ISO-8859-1"],
      "latin1 controls" => ["\x80\x9f", "ISO-8859-1"],
      "windows-1252" => ["\x80uro \x93x\x94", "Windows-1252"],
      "windows-1252 undefined" => ["\x81", "Windows-1252"],
      "koi8-r" => ["\xf0\xd2\xc9", "KOI8-R"],
      "shift_jis" => ["\x91\x67\x95\x52 <b>", "Shift_JIS"],
      "shift_jis broken" => ["\x91", "Shift_JIS"],
      "shift_jis with a backslash inside a character" => ["\x95\x5c", "Shift_JIS"],
      "windows-31j" => ["\x87\x40", "Windows-31J"],
      "euc-jp" => ["\xc1\xc8\xc9\xb3", "EUC-JP"],
      "euc-jp broken" => ["\xc1", "EUC-JP"],
      "gb18030" => ["\x81\x30\x81\x30\xd6\xd0", "GB18030"],
      "big5" => ["\xa4\xa4", "Big5"],
      "euc-kr" => ["\xc7\xd1", "EUC-KR"],
      "utf-16le" => ["<组\u2028🧶".encode("UTF-16LE"), "UTF-16LE"],
      "utf-16be" => ["<组\u2028🧶".encode("UTF-16BE"), "UTF-16BE"],
      "utf-16le empty" => ["", "UTF-16LE"],
      "utf-16le lone surrogate" => ["\x00\xd8", "UTF-16LE"],
      "utf-16le odd length" => ["a\0b", "UTF-16LE"],
      "utf-32le" => ["a組".encode("UTF-32LE"), "UTF-32LE"],
      "utf-32be" => ["a組".encode("UTF-32BE"), "UTF-32BE"],
      "utf-16 with its mark" => ["\xff\xfea\0", "UTF-16"],
      "utf-16 without a mark" => ["a\0", "UTF-16"],
      "utf-7" => ["a", "UTF-7"],
      "iso-2022-jp" => ["\e$BAH\e(B", "ISO-2022-JP"],
      "iso-2022-jp ascii" => ["abc", "ISO-2022-JP"],
      "emacs-mule" => ["a", "Emacs-Mule"],
      "utf8-mac" => ["e\u0301", "UTF8-MAC"],
      "cesu-8" => ["\xed\xa0\x81\xed\xb0\x80", "CESU-8"],
      "cesu-8 ascii" => ["a<", "CESU-8"],
      "ebcdic" => ["\xc1\xc2", "IBM037"],
    }.freeze

    def self.string(name)
      bytes, encoding = STRINGS.fetch(name)
      bytes.b.force_encoding(encoding)
    end

    # json 2.21 reads memory that is not its own for a Symbol outside UTF-8 and ASCII, when ActiveSupport 8.1 drives it.
    def self.symbol_of?(name)
      string = string(name)
      return false unless string.valid_encoding?

      symbol = string.to_sym
      Stock.family != :coder || [Encoding::UTF_8, Encoding::US_ASCII].include?(symbol.encoding)
    rescue EncodingError
      false
    end

    STRINGS.each_key do |name|
      add("string, #{name}") { Probes.string(name) }
      add("string in a hash and an array, #{name}") { { "a" => [Probes.string(name)] } }
      add("string as key, #{name}") { { Probes.string(name) => 1 } }
      add("symbol, #{name}") { Probes.string(name).to_sym } if symbol_of?(name)
      add("symbol as key, #{name}") { { Probes.string(name).to_sym => 1 } } if symbol_of?(name)
    end

    # One special byte at every place around the sizes where vector code changes its step.
    SPECIALS = ["<", "\"", "\n", "\u2028", "é", "\x1f", "&"].freeze
    add("special characters at every place") do
      (0..70).flat_map { |at| SPECIALS.map { |c| ("x" * at) + c + ("y" * (70 - at)) } }
    end
    add("strings of every length to 140") { (0..140).map { |n| "z" * n } }
    add("html of every length to 140") { (0..140).map { |n| "<" * n } }
    add("separators of every length to 70") { (0..70).map { |n| "\u2028" * n } }
    add("three bytes of every length to 70") { (0..70).map { |n| "紐" * n } }
    add("broken byte far inside") { "a" * 1000 + "\xff" + "a" * 1000 }
    add("long string") { "lorem ipsum <b>&</b> \u2028 組紐 " * 5000 }
    add("slice of a string") { ("x" * 100 + "<é" * 50)[90, 40] }
    add("string literal, frozen") { "frozen <é>" }
    add("string with instance variables") { "x".dup.tap { |s| s.instance_variable_set(:@a, 1) } }
    add("string that was broken and mended") { "\xff".dup.tap { |s| s.valid_encoding? && s }.tap { |s| s.replace("fine") } }
    add("string whose code range is known") { "é<".dup.tap(&:valid_encoding?) }
    add("string buffer appended to") { String.new(capacity: 100) << "é" << "<" }
    add("string buffer of binary appended to") { String.new << "abc" }
    add("safe buffer") { ActiveSupport::SafeBuffer.new("<b>&</b>") }
    add("symbol empty") { :"" }
    add("symbol of an operator") { %i[+ <=> []= ! <] }
    add("symbol in containers") { { a: :b, "c" => [:d, :"<é>"] } }
    add("string inquirer") { ActiveSupport::StringInquirer.new("production") }
  end
end
