package kumihimo;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import kumihimo.frame.Frame;
import kumihimo.path.Level;
import kumihimo.plain.Plain;

/**
 * How the calls of {@link Kumihimo} read and write; immutable, each method gives another one:
 *
 * <pre>
 *   static final Options PRETTY = Options.of("json").writeDialect("pretty").frame("gzip");
 * </pre>
 *
 * <p>Options are equal where they say the same. What belongs to the last few is kept for each thread, so that they may
 * be written anew at each call; those with a function ({@link #otherwise}) are better kept.
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
    private boolean refuseUnknown;
    private boolean refuseMissing;
    private boolean omitNulls;
    private boolean unpacks = true;
    private Function<Object, Object> otherwise;
    /** What holds the function above, between two calls: so it lives as long as the options do. */
    private final AtomicReference<Plain> spare = new AtomicReference<>();

    private Options() {}

    private Options(Options from) {
        format = from.format;
        readDialect = from.readDialect;
        writeDialect = from.writeDialect;
        frame = from.frame;
        frameLevel = from.frameLevel;
        limits = from.limits;
        level = from.level;
        refuseUnknown = from.refuseUnknown;
        refuseMissing = from.refuseMissing;
        omitNulls = from.omitNulls;
        unpacks = from.unpacks;
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

    /**
     * Whether a document that is read may be in a frame; it may by default. Bytes of a binary document can look like
     * a frame's beginning: who reads what others choose, and never in a frame, says no.
     */
    public Options unpacks(boolean unpacks) {
        Options o = new Options(this);
        o.unpacks = unpacks;
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

    /** The same limits, but for {@link Limits#numberDigits}. */
    public Options numberDigits(int most) {
        return limits(limits.withNumberDigits(most));
    }

    /** A member that a record or bean does not have is an error, {@link Code#TYPE}; else it is passed over. */
    public Options refuseUnknown(boolean refuse) {
        Options o = new Options(this);
        o.refuseUnknown = refuse;
        return o;
    }

    /**
     * A property that a document does not have is an error, unless it is an Optional; else it is null, 0, false or an
     * empty Optional. Null for a property that has none, an int, is the same as no such property.
     */
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

    public boolean unpacks() {
        return unpacks;
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
        return limits.numberDigits();
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

    /** Whether readers by these are the same as by the others. */
    boolean readsAs(Options o) {
        return readDialect.equals(o.readDialect) && limits.equals(o.limits);
    }

    /** The same of writers. */
    boolean writesAs(Options o) {
        return writeDialect.equals(o.writeDialect) && limits.equals(o.limits);
    }

    /** The same of what looks for parts of documents. */
    boolean looksAs(Options o) {
        return level == o.level && readsAs(o);
    }

    /** The same of what makes values and walks over them. */
    boolean bindsAs(Options o) {
        return refuseUnknown == o.refuseUnknown && refuseMissing == o.refuseMissing && omitNulls == o.omitNulls
                && Objects.equals(otherwise, o.otherwise) && limits.equals(o.limits);
    }

    /** What {@link #give} has put here, or null; it is then the caller's alone. */
    Plain take() {
        return spare.getAndSet(null);
    }

    /** What was made by these options may be used again. */
    void give(Plain used) {
        spare.set(used);
    }

    @Override
    public boolean equals(Object other) {
        if (this == other) return true;
        if (!(other instanceof Options)) return false;
        Options o = (Options) other;
        return Objects.equals(format, o.format) && Objects.equals(frame, o.frame) && frameLevel == o.frameLevel
                && unpacks == o.unpacks && looksAs(o) && writesAs(o) && bindsAs(o);
    }

    @Override
    public int hashCode() {
        return Objects.hash(format, frame, frameLevel, unpacks, readDialect, writeDialect, limits, level,
                refuseUnknown, refuseMissing, omitNulls, otherwise);
    }
}
