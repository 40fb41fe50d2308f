package kumihimo;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import kumihimo.frame.Frame;
import kumihimo.frame.Frames;
import kumihimo.hash.HashWriter;
import kumihimo.path.Partial;
import kumihimo.path.Projection;
import kumihimo.plain.Plain;
import kumihimo.plain.TypeOf;
import kumihimo.tape.Cursor;
import kumihimo.tape.Tape;

/**
 * Data into bytes and back, in any format of {@link #formats} and any frame of {@link #frames}:
 *
 * <pre>
 *   byte[] packed = Kumihimo.dump(Map.of("price", 107910.0), Options.of("msgpack").frame("gzip"));
 *   Object value = Kumihimo.load(packed);                            // the format and the frame are told by the bytes
 *   Person bob = Kumihimo.load(document, Person.class);
 * </pre>
 *
 * <p>Documents that are read may be in a frame; their first bytes tell, but {@link Options#unpacks} can forbid it.
 * Where no format is named, they tell that too.
 * Every error is a {@link DataException} with code, offset, path, and in text line and column; offsets count the
 * bytes of the document, out of its frame. A name of a format, dialect or frame that is none is an
 * IllegalArgumentException. All calls are for any thread.
 */
public final class Kumihimo {
    /** Bytes that every JVM lets an array have. */
    private static final int MOST_IN_ARRAY = Integer.MAX_VALUE - 8;

    private Kumihimo() {}

    // ----------------------------------------------------------------------------------------------------- writing

    /** A value as a document of a format; {@link kumihimo.plain.Walk} says what values there are. */
    public static byte[] dump(Object value, String format) {
        return dump(value, Defaults.of(format));
    }

    /**
     * A value as a document, by options whose format is named.
     *
     * @throws DataException {@link Code#UNSUPPORTED} for a value that the format cannot say or that is none,
     *     {@link Code#ENCODING} for half a surrogate pair, {@link Code#DEPTH}, {@link Code#SIZE}
     */
    public static byte[] dump(Object value, Options by) {
        try (Session session = Session.open()) {
            return packed(written(session, value, by).toByteArray(), by);
        }
    }

    /** A value as text, by a format that is text; without one as JSON. */
    public static String dumpText(Object value, Options by) {
        Options as = by.format() == null ? by.format("json") : by;
        if (!Formats.named(as.format()).isText()) throw new IllegalArgumentException(as.format() + " is not text");
        return new String(dump(value, as.frame(null)), StandardCharsets.UTF_8);
    }

    /** Writes a value to a stream, which is not closed. */
    public static void write(Object value, OutputStream to, Options by) throws IOException {
        try (Session session = Session.open()) {
            Writer writer = written(session, value, by);
            if (by.frame() == null) writer.writeTo(to);
            else to.write(packed(writer.toByteArray(), by));
        }
    }

    /**
     * Writes a value to a file whose name tells the format and the frame: {@code data.json}, {@code data.cbor.gz}.
     */
    public static void write(Object value, Path to) throws IOException {
        write(value, to, Options.DEFAULT);
    }

    /** Writes a value to a file; what the options do not name, the file's name tells. */
    public static void write(Object value, Path to, Options by) throws IOException {
        Options named = named(to, by);
        if (named.format() == null) throw new IllegalArgumentException("the name " + to + " tells no format");
        Files.write(to, dump(value, named));
    }

    private static Writer written(Session session, Object value, Options by) {
        if (by.format() == null) throw new IllegalArgumentException("the options name no format to write");
        Writer writer = session.writer(Formats.named(by.format()), by);
        session.plain(by).write(value, writer);
        return session.finish();
    }

    private static byte[] packed(byte[] document, Options by) {
        if (by.frame() == null) return document;
        return Frames.pack(Frames.named(by.frame()), document, 0, document.length, by.frameLevel());
    }

    // ----------------------------------------------------------------------------------------------------- reading

    /**
     * A document in maps and lists; {@link kumihimo.plain.Builder} says what becomes what. What a map becomes is a Map
     * that keeps the order; which class may change from one document to the next: ask for a LinkedHashMap by type.
     */
    public static Object load(byte[] document) {
        return load(document, Options.DEFAULT);
    }

    /** A document of a format. */
    public static Object load(byte[] document, String format) {
        return load(document, Defaults.of(format));
    }

    /** A document by options. */
    public static Object load(byte[] document, Options by) {
        return load(document, (Type) Object.class, by);
    }

    /** A text that is JSON. */
    public static Object load(String json) {
        return load(json, Options.DEFAULT);
    }

    /** A text that is JSON as an object of this class. */
    public static <T> T load(String json, Class<T> type) {
        return load(Utf8.bytes(json), type, Defaults.of("json"));
    }

    /** A text as a document; where the options name no format it is JSON. */
    public static Object load(String document, Options by) {
        Options as = by.format() == null ? by.format("json") : by;
        return load(Utf8.bytes(document), as);
    }

    /** A document as an object of this class: a record, a class with properties, an array, a scalar's class. */
    public static <T> T load(byte[] document, Class<T> type) {
        return load(document, type, Options.DEFAULT);
    }

    /** The same by options. */
    public static <T> T load(byte[] document, Class<T> type, Options by) {
        return cast(load(document, (Type) type, by));
    }

    /** A document as an object of a type with arguments: {@code new TypeOf<List<Person>>() {}}. */
    public static <T> T load(byte[] document, TypeOf<T> type) {
        return load(document, type, Options.DEFAULT);
    }

    /** The same by options. */
    public static <T> T load(byte[] document, TypeOf<T> type, Options by) {
        return cast(load(document, type.type(), by));
    }

    /**
     * A document as an object of any type.
     *
     * @throws DataException for a document that is broken, or is not of this type: {@link Code#TYPE}, {@link
     *     Code#RANGE}; of the program itself {@link Code#UNSUPPORTED} and {@link Code#HOST}
     */
    public static Object load(byte[] document, Type type, Options by) {
        byte[] plain = unpacked(document, by);
        Format format = format(plain, by);
        try (Session session = Session.open()) {
            Reader reader = session.reader(format, by, plain);
            Object value = session.plain(by).read(reader, type);
            reader.finish();
            return value;
        } catch (DataException e) {
            throw located(format, plain, 0, plain.length, e);
        }
    }

    /** The document of a stream, which is read to its end and not closed. */
    public static Object read(InputStream from, Options by) throws IOException {
        return load(all(from, by), by.unpacks(false));
    }

    /** The document of a stream as an object of this class. */
    public static <T> T read(InputStream from, Class<T> type, Options by) throws IOException {
        return load(all(from, by), type, by.unpacks(false));
    }

    private static byte[] all(InputStream from, Options by) throws IOException {
        try (InputStream plain = plain(from, by)) {
            int most = (int) Math.min(by.limits().size(), MOST_IN_ARRAY);
            byte[] document = plain.readNBytes(most);
            if (document.length < most || plain.read() < 0) return document;
            throw new DataException(Code.SIZE, "the document is larger than " + most + " bytes");
        }
    }

    /** The stream out of its frame; closing it gives back what unpacks, and leaves the stream below open. */
    private static InputStream plain(InputStream from, Options by) throws IOException {
        InputStream open = new FilterInputStream(from) {
            @Override
            public void close() {}
        };
        return by.unpacks() ? Frames.plain(open, by.limits(), !mayLookFramed(by)) : open;
    }

    /** The document in a file, whose name tells the format, or the first bytes. */
    public static Object read(Path from) throws IOException {
        return read(from, Options.DEFAULT);
    }

    /** The same by options. */
    public static Object read(Path from, Options by) throws IOException {
        try (InputStream in = Files.newInputStream(from)) {
            return read(in, named(from, by));
        }
    }

    /** The document in a file as an object of this class. */
    public static <T> T read(Path from, Class<T> type, Options by) throws IOException {
        try (InputStream in = Files.newInputStream(from)) {
            return read(in, type, named(from, by));
        }
    }

    /**
     * The next value of a reader in maps and lists: of a place in a {@link #lazy} document, {@code cursor.read()}.
     */
    public static Object value(Reader from) {
        try (Session session = Session.open()) {
            return session.plain(Options.DEFAULT).read(from);
        }
    }

    /** The next value of a reader as an object of this class. */
    public static <T> T value(Reader from, Class<T> type) {
        try (Session session = Session.open()) {
            return cast(session.plain(Options.DEFAULT).read(from, type));
        }
    }

    /**
     * Calls visit for each document of a stream: they stand one behind the other, in JSON with white space between
     * them or none. The stream may be in a frame, and is not closed. The first error ends it.
     *
     * @param by names the format; without one the first bytes tell
     */
    public static void eachDocument(InputStream from, Options by, Consumer<Object> visit) throws IOException {
        eachDocument(from, Object.class, by, visit);
    }

    /** The same of documents of one class. */
    public static <T> void eachDocument(InputStream from, Class<T> type, Options by, Consumer<? super T> visit)
            throws IOException {
        try (InputStream plain = plain(from, by)) {
            Peeked peeked = new Peeked(plain);
            Format format = by.format() == null ? peeked.format() : Formats.named(by.format());
            if (format != null) eachDocument(peeked, format, type, by, visit);
        }
    }

    private static <T> void eachDocument(InputStream from, Format format, Class<T> type, Options by,
            Consumer<? super T> visit) throws IOException {
        Documents documents = new Documents(from, format, by.limits());
        Reader reader = format.reader(by.readDialect(), by.limits()); // its own: visit may read documents, too
        Plain plain = new Plain(by);
        while (documents.next()) {
            T value;
            try {
                reader.reset(documents.data(), documents.from(), documents.to());
                value = cast(plain.read(reader, type));
                reader.finish();
            } catch (DataException e) {
                throw located(format, documents.data(), documents.from(), documents.to(), e);
            }
            visit.accept(value);
        }
    }

    /** The error with the place in words that a user can follow. */
    private static DataException located(Format format, byte[] data, int from, int to, DataException e) {
        return e.offset() < 0 || e.path() != null ? e : format.locate(data, from, to, e);
    }

    @SuppressWarnings("unchecked") // it was made by this type
    private static <T> T cast(Object value) {
        return (T) value;
    }

    // ------------------------------------------------------------------------------------------ parts of documents

    /** A document that is read and checked, but of which nothing is made until it is asked for. */
    public static Cursor lazy(byte[] document) {
        return lazy(document, Options.DEFAULT);
    }

    /** The same by options. The document must not change while its places are used. */
    public static Cursor lazy(byte[] document, Options by) {
        byte[] plain = unpacked(document, by);
        Format format = format(plain, by);
        try {
            return Tape.of(format, by.readDialect(), by.limits(), plain, 0, plain.length).root();
        } catch (DataException e) {
            throw located(format, plain, 0, plain.length, e);
        }
    }

    /**
     * The values that a projection's paths lead to: of each path its value, null where it is absent, or of a path
     * with [*] a list of them. How much of the rest of the document is checked, the options' level says. Keep the
     * projection, and use it again.
     */
    public static Object[] partial(byte[] document, Projection what, Options by) {
        byte[] plain = unpacked(document, by);
        Format format = format(plain, by);
        try (Session session = Session.open()) {
            Partial partial = session.partial(format, by, what, plain);
            Object[] found = new Object[what.size()];
            for (int i = 0; i < found.length; i++) {
                if (!what.wild(i)) {
                    found[i] = part(session, partial, i, 0, by);
                    continue;
                }
                List<Object> all = new ArrayList<>(partial.count(i));
                for (int k = 0; k < partial.count(i); k++) all.add(part(session, partial, i, k, by));
                found[i] = all;
            }
            return found;
        } catch (DataException e) {
            throw located(format, plain, 0, plain.length, e);
        }
    }

    private static Object part(Session session, Partial partial, int i, int element, Options by) {
        Reader value = partial.value(i, element);
        if (value == null) return null;
        try {
            return session.plain(by).read(value);
        } catch (DataException e) {
            throw e.offset() < 0 ? e : e.atByte(e.offset() + partial.offset(i, element));
        }
    }

    // ---------------------------------------------------------------------------------------- from format to format

    /**
     * A document of a format as one of another, without making values; the order of keys and keys that come twice are
     * kept.
     */
    public static byte[] convert(byte[] document, String from, String to) {
        return convert(document, Defaults.of(from), Defaults.of(to));
    }

    /**
     * The same by options: dialect and limits of reading from the first, of writing, and the frame, from the second.
     *
     * @throws DataException for what the one format refuses to read, or the other cannot say
     */
    public static byte[] convert(byte[] document, Options from, Options to) {
        if (to.format() == null) throw new IllegalArgumentException("the options name no format to write");
        byte[] plain = unpacked(document, from);
        Format format = format(plain, from);
        try (Session session = Session.open()) {
            Writer writer = session.writer(Formats.named(to.format()), to);
            Reader reader = session.reader(format, from, plain);
            reader.feed(writer);
            reader.finish();
            return packed(session.finish().toByteArray(), to);
        } catch (DataException e) {
            throw located(format, plain, 0, plain.length, e);
        }
    }

    // ------------------------------------------------------------------------------------------------------- hashes

    /**
     * The hash of a value in 256 bits, SHA-256 of its verbs: 32 bytes that nobody can find a second value for. It
     * does not depend on a format, nor on the order in which a map gives its pairs or a {@link java.util.Set} its
     * elements. A set and a list are different values. Numbers count as they are written: the scale of a BigDecimal
     * has a say (1.0 and 1.00 have different hashes), and so has whether it is a whole number or a fraction (1 and
     * 1.0).
     *
     * @throws DataException for a value that is none, as {@link #dump(Object, Options)}
     */
    public static byte[] hash(Object value) {
        return hash(value, HashWriter.hash256().unordered());
    }

    /** The same in 128 bits: 16 bytes that do not meet by chance, but may by the wish of who makes the values. */
    public static byte[] hash128(Object value) {
        return hash(value, HashWriter.hash128().unordered());
    }

    /** The same by a writer of one's own: with a key, or one for which the order of maps and sets counts. */
    public static byte[] hash(Object value, HashWriter by) {
        try (Session session = Session.open()) {
            by.reset();
            session.plain(Options.DEFAULT).write(value, by);
            by.finish();
            return by.toByteArray();
        }
    }

    // --------------------------------------------------------------------------------------------- formats, frames

    /** The names of all formats; {@link Formats} says more. */
    public static List<String> formats() {
        return Formats.names();
    }

    /** The names of all frames; {@link Frames} says more. */
    public static List<String> frames() {
        List<String> names = new ArrayList<>();
        for (Frame frame : Frames.all()) names.add(frame.name());
        return names;
    }

    /** Packs bytes of any kind into a frame. */
    public static byte[] pack(byte[] text, String frame) {
        return Frames.pack(Frames.named(frame), text);
    }

    /** Unpacks bytes out of the frame that they tell; bytes that are in none are given back. */
    public static byte[] unpack(byte[] packed) {
        return unpacked(packed, Options.DEFAULT);
    }

    private static byte[] unpacked(byte[] document, Options by) {
        if (!by.unpacks()) return document;
        int n = document.length;
        Frame frame = mayLookFramed(by) ? Frames.behindSkipped(document, 0, n) : Frames.of(document, 0, n);
        return frame == null ? document : Frames.unpack(frame, document, by.limits());
    }

    /** Text never begins as a frame that is to be skipped does, but bytes do. */
    private static boolean mayLookFramed(Options by) {
        return by.format() != null && !Formats.named(by.format()).isText();
    }

    private static Format format(byte[] document, Options by) {
        if (by.format() != null) return Formats.named(by.format());
        Format told = Formats.of(document);
        if (told != null) return told;
        if (document.length == 0) throw new DataException(Code.TRUNCATED, "the document is empty", 0);
        throw new DataException(Code.SYNTAX, "the first bytes are of no known format", 0);
    }

    private static Options named(Path file, Options by) {
        String name = file.getFileName().toString();
        Frame frame = Frames.ofName(name);
        if (frame != null) name = name.substring(0, name.length() - frame.ending().length());
        Format format = Formats.ofName(name);
        if (by.format() == null && format != null) by = Defaults.of(format.name(), by);
        return by.frame() == null && frame != null ? by.frame(frame.name()) : by;
    }

    /** The default options of each format, made once. */
    private static final class Defaults {
        private static final java.util.Map<String, Options> ALL = new java.util.HashMap<>();

        static {
            for (String name : Formats.names()) ALL.put(name, Options.of(name));
        }

        static Options of(String format) {
            Options known = ALL.get(format);
            return known != null ? known : Options.of(format);
        }

        static Options of(String format, Options by) {
            return by == Options.DEFAULT ? of(format) : by.format(format);
        }
    }
}
