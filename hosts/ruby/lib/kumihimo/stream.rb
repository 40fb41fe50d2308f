# frozen_string_literal: true

module Kumihimo
  private_constant :DocumentStream, :PlainStream

  STREAM_PIECE = 256 * 1024
  private_constant :STREAM_PIECE

  # Yields each JSON document of a stream: NDJSON, or documents one behind the other with or without white space between them.
  #
  #   Zlib::GzipReader.open("events.ndjson.gz") do |io|
  #     Kumihimo.each_document(io, symbolize_names: true) { |event| count(event) }
  #   end
  #
  # +source+ is a String, or anything with readpartial or read (IO, StringIO, Zlib::GzipReader); its bytes are taken for UTF-8.
  # It is read in pieces of 256 KB, so memory is bounded by a piece's documents and by the largest one: +max_document+ bytes,
  # 256 MB when not given. Blank lines are passed over; comments are refused. Options are those of Kumihimo.parse.
  #
  # With format: the documents are of that format, as dialect: grants them, and the options are those of load with a format,
  # with ext: for what makes an object of an extension's type and payload. A stream in a frame (Kumihimo.frames) is unpacked on
  # the way; its first bytes tell, and offsets count in what comes out.
  #
  # A broken document raises ParserError after all documents before it were yielded; offset and line count from the start of
  # the stream. Without a block: an Enumerator.
  def self.each_document(source, options = nil, max_document: 256 << 20, **more)
    return enum_for(:each_document, source, options, max_document: max_document, **more) unless block_given?

    documents = document_stream(options ? options.to_hash.merge(more) : more, max_document)
    pieces = options_format?(options, more) ? method(:each_plain_piece) : method(:each_piece)
    pieces.call(source, documents.text?) do |piece|
      documents.push(piece).each { |document| yield document }
      documents.check
    end
    documents.finish.each { |document| yield document }
    documents.check
  end

  def self.document_stream(options, max_document)
    AnyFormat.needs_format(options[:dialect]) if options[:format].nil?
    return DocumentStream.new(options, max_document) if options[:format].nil?

    format, dialect, ext, *rest = stream_options(**options)
    DocumentStream.new(AnyFormat.options(*rest), max_document, format, dialect, ext)
  end

  def self.stream_options(format: nil, dialect: nil, ext: nil, symbolize_names: false, freeze: false, decimal_class: nil,
                          max_nesting: 1024)
    [format, dialect, ext&.to_proc, symbolize_names, freeze, decimal_class, max_nesting]
  end

  def self.options_format?(options, more)
    !(options.to_h[:format] || more[:format]).nil?
  end

  # The pieces of a stream without its frame, which the first four bytes tell.
  def self.each_plain_piece(source, is_text, &block)
    plain = PlainStream.new
    each_piece(source, is_text) do |piece|
      plain.push(piece)
      each_text(plain, &block)
    end
    each_text(plain.end, &block)
  end

  def self.each_text(plain)
    while (text = plain.next)
      yield text
    end
  end

  def self.each_piece(source, is_text)
    if source.respond_to?(:readpartial)
      buffer = String.new(capacity: STREAM_PIECE)
      while (piece = read_piece(source, buffer))
        yield piece
      end
    elsif source.respond_to?(:read)
      buffer = String.new(capacity: STREAM_PIECE)
      while (piece = source.read(STREAM_PIECE, buffer))
        yield piece  # which is the buffer, as a rule
      end
    else
      text = String.try_convert(source) or raise TypeError, "a String or an IO is needed, not #{source.class}"
      text = text.encode(Encoding::UTF_8) if is_text && ![Encoding::UTF_8, Encoding::BINARY].include?(text.encoding)
      (0...text.bytesize).step(STREAM_PIECE) { |at| yield text.byteslice(at, STREAM_PIECE) }
    end
  end

  # Nil at the end. Here, so that an EOFError of the block's own is not taken for it.
  def self.read_piece(source, buffer)
    source.readpartial(STREAM_PIECE, buffer)
  rescue EOFError
    nil
  end
  private_class_method :document_stream, :stream_options, :options_format?, :each_plain_piece, :each_text, :each_piece, :read_piece
end
