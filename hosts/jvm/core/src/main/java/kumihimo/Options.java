package kumihimo;

import java.util.Objects;
import java.util.function.Function;
import kumihimo.frame.Frame;
import kumihimo.path.Level;

/**
 * How the calls of {@link Kumihimo} read and write; immutable, each method gives another one:
 *
 * <pre>
 *   static final Options PRETTY = Options.of("json").writeDialect("pretty").frame("gzip");
 * </pre>
 *
 * <p>Keep the ones that are used often: what belongs to them is made once for each thread.
 */
public final class Options {
    /** The format is told by a document's first bytes; the default dialects, no frame, the default limits. */
    public static final Options DEFAULT = new Options();

    private String format;
    private String readDialect = "";
    private String writeDialect = "";
    private String frame;
    private int frameLevel = Frame.USUAL;
    private Limits limits = Limits.DEFAULT;
    private Level level = Level.STRICT;
    private int numberDigits = 100_000;
    private boolean refuseUnknown;
    private boolean refuseMissing;
    private boolean omitNulls;
    private Function<Object, Object> otherwise;

    private Options() {}

    private Options(Options from) {
        format = from.format;
        readDialect = from.readDialect;
        writeDialect = from.writeDialect;
        frame = from.frame;
        frameLevel = from.frameLevel;
        limits = from.limits;
        level = from.level;
        numberDigits = from.numberDigits;
        refuseUnknown = from.refuseUnknown;
        refuseMissing = from.refuseMissing;
        omitNulls = from.omitNulls;
        otherwise = from.otherwise;
    }

    /** The default options of a format, {@code "json"}; {@link Formats#names} has all. */
    public static Options of(String format) {
        return DEFAULT.format(format);
    }

    /** @throws IllegalArgumentException for a format that is none */
    public Options format(String format) {
        Formats.named(format);
        Options o = new Options(this);
        o.format = format;
        return o;
    }

    /** What reading grants, by a name of the format's ({@link Format#readDialects}). */
    public Options readDialect(String dialect) {
        Options o = new Options(this);
        o.readDialect = Objects.requireNonNull(dialect);
        return o;
    }

    /** How writing spells, by a name of the format's ({@link Format#writeDialects}). */
    public Options writeDialect(String dialect) {
        Options o = new Options(this);
        o.writeDialect = Objects.requireNonNull(dialect);
        return o;
    }

    /**
     * What is written is packed: {@code gzip}, {@code zstd}, {@code lz4}, or null. When reading, the first bytes
     * tell.
     */
    public Options frame(String frame) {
        if (frame != null) kumihimo.frame.Frames.named(frame);
        Options o = new Options(this);
        o.frame = frame;
        return o;
    }

    /** How well a frame packs, one of its levels, or {@link Frame#USUAL}. */
    public Options frameLevel(int level) {
        Options o = new Options(this);
        o.frameLevel = level;
        return o;
    }

    public Options limits(Limits limits) {
        Options o = new Options(this);
        o.limits = Objects.requireNonNull(limits);
        return o;
    }

    /** How much of a document is checked by {@link Kumihimo#partial}. */
    public Options level(Level level) {
        Options o = new Options(this);
        o.level = Objects.requireNonNull(level);
        return o;
    }

    /** The most digits of a number that becomes a BigInteger or a BigDecimal; 100,000 by default. */
    public Options numberDigits(int most) {
        if (most < 20) throw new IllegalArgumentException("20 digits at least: those of 64 bits");
        Options o = new Options(this);
        o.numberDigits = most;
        return o;
    }

    /** A member that a record or bean does not have is an error, {@link Code#TYPE}; else it is passed over. */
    public Options refuseUnknown(boolean refuse) {
        Options o = new Options(this);
        o.refuseUnknown = refuse;
        return o;
    }

    /** A property that a document does not have is an error; else it is null, 0, false or an empty Optional. */
    public Options refuseMissing(boolean refuse) {
        Options o = new Options(this);
        o.refuseMissing = refuse;
        return o;
    }

    /** Properties of records and beans that are null, or an empty Optional, are not written. */
    public Options omitNulls(boolean omit) {
        Options o = new Options(this);
        o.omitNulls = omit;
        return o;
    }

    /**
     * Makes what is written of an object for which there is no other way but its properties; what it returns as it is
     * has none.
     */
    public Options otherwise(Function<Object, Object> otherwise) {
        Options o = new Options(this);
        o.otherwise = otherwise;
        return o;
    }

    /** The format's name, or null where the document tells. */
    public String format() {
        return format;
    }

    public String readDialect() {
        return readDialect;
    }

    public String writeDialect() {
        return writeDialect;
    }

    /** The frame's name, or null. */
    public String frame() {
        return frame;
    }

    public int frameLevel() {
        return frameLevel;
    }

    public Limits limits() {
        return limits;
    }

    public Level level() {
        return level;
    }

    public int numberDigits() {
        return numberDigits;
    }

    public boolean refuseUnknown() {
        return refuseUnknown;
    }

    public boolean refuseMissing() {
        return refuseMissing;
    }

    public boolean omitNulls() {
        return omitNulls;
    }

    public Function<Object, Object> otherwise() {
        return otherwise;
    }
}
