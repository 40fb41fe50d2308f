package kumihimo.json;

import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.ExpectsKeys;
import kumihimo.Limits;
import kumihimo.Located;
import kumihimo.Name;
import kumihimo.Names;
import kumihimo.Sink;

/**
 * Reads JSON by RFC 8259, and what a dialect grants besides. Text is UTF-8, checked as it is read; offsets, errors and
 * paths are those of {@code tests/vectors/README.md}.
 *
 * <p>Bytes ({@link #bin}) are read from base64 in either alphabet, moments ({@link #time}) from RFC 3339 text.
 */
public final class JsonReader extends JsonScalars {
    private final boolean trailingCommas;
    /** The documents are such as the next two take, which are made when they are needed. */
    private final boolean isPlain;
    private JsonSkip quickSkip;
    private JsonFeed quickFeed;

    /** Of the open containers the closing brackets, the innermost at {@code depth}; at 0 what no token is. */
    private byte[] closers = new byte[32];
    private int depth;
    /** A container was just opened. */
    private boolean fresh;
    /** Of the key that {@link #field} found last, its opening quote. */
    private int keyAt;
    /** Keys that are not passed on, or null. */
    private JsonDuplicates dropped;

    /** A reader of documents by this dialect; limits of depth and size hold for each. */
    public JsonReader(JsonReadDialect granted, Limits limits) {
        super(granted, limits);
        trailingCommas = granted.trailingCommas();
        isPlain = granted.isPlain();
    }

    /** A reader by RFC 8259 with the default limits. */
    public JsonReader() {
        this(JsonReadDialect.RFC8259, Limits.DEFAULT);
    }

    @Override
    public JsonReader reset(byte[] data, int from, int to) {
        begin(data, from, to);
        text.forget();
        beginDocument();
        depth = 0;
        fresh = false;
        keyIsNext = false;
        keyAt = -1;
        if (granted.duplicates() != JsonReadDialect.Duplicates.KEEP) findDuplicates();
        return this;
    }

    private void findDuplicates() {
        JsonDuplicates found = JsonDuplicates.find(data, at, end, granted);
        dropped = null;
        if (found.firstAgain < 0) return;
        if (granted.duplicates() == JsonReadDialect.Duplicates.LAST) dropped = found;
        else at = end; // the first value that is asked for is refused, and the diagnosis finds the key
    }

    // Containers.

    @Override
    public long array() {
        if (token() != '[' || keyIsNext) throw mismatch("an array");
        open((byte) ']');
        return Sink.UNKNOWN;
    }

    @Override
    public long map() {
        if (token() != '{' || keyIsNext) throw mismatch("a map");
        open((byte) '}');
        return Sink.UNKNOWN;
    }

    private void open(byte closer) {
        int d = depth + 1;
        if (d == closers.length || d > limits.depth()) deeper(closer);
        closers[d] = closer;
        depth = d;
        at++;
        fresh = true;
    }

    private void deeper(byte closer) {
        if (depth >= limits.depth() && !isFlat(closer)) throw broken();
        if (depth + 1 == closers.length) closers = Arrays.copyOf(closers, closers.length * 2);
    }

    /** Whether the container that opens here is one that the depth does not count. */
    private boolean isFlat(byte closer) {
        if (!granted.flatEmpty()) return false;
        int open = at++;
        boolean empty = token() == closer;
        at = open;
        return empty;
    }

    private void close() {
        if (depth == 0) throw new DataException(Code.MISUSE, "no container is open", at - begin);
        at++;
        depth--;
        fresh = false;
    }

    @Override
    public boolean hasNext() {
        int c = token();
        byte closer = closers[depth];
        if (fresh) {
            fresh = false;
            if (c == closer) {
                close();
                return false;
            }
            return closer != '}' || key(c);
        }
        if (c == ',') {
            at++;
            return closer == ']' && !trailingCommas || behindComma(closer);
        }
        if (c != closer) throw broken();
        close();
        return false;
    }

    private boolean behindComma(byte closer) {
        int c = token();
        if (trailingCommas && c == closer) {
            close();
            return false;
        }
        return closer != '}' || key(c);
    }

    /**
     * Whether a key follows: where it does not, or begins so, the document is broken; but some keys are passed over.
     */
    private boolean key(int c) {
        if (c != '"') throw broken();
        if (dropped != null && dropped.overrides(at)) return afterDropped();
        keyIsNext = true;
        return true;
    }

    /** Passes over a key that comes again later with its value, and over more of them; whether another key follows. */
    private boolean afterDropped() {
        JsonDuplicates watched = dropped;
        for (;;) {
            dropped = null; // in a value that is dropped every key is
            keyIsNext = true;
            skip();
            skip();
            dropped = watched;
            int c = token();
            if (c == ',') {
                at++;
                c = token();
                if (c == '"') {
                    if (watched.overrides(at)) continue;
                    keyIsNext = true;
                    return true;
                }
                if (!trailingCommas) throw broken();
            }
            if (c != '}') throw broken();
            close();
            return false;
        }
    }

    @Override
    public int field(Names names, int expected) {
        int c = token();
        if (closers[depth] != '}') throw noMap();
        if (fresh) {
            fresh = false;
        } else if (c == ',') {
            at++;
            c = token();
            if (c == '}' && !trailingCommas) throw broken();
        } else if (c != '}') {
            throw broken();
        }
        if (c != '"' || dropped != null) return otherField(names, c);
        int p = at;
        keyAt = p;
        if (expected >= 0 && expected < names.size()) {
            Name name = names.get(expected);
            if (name.isPlain()) {
                int close = name.match(data, p + 1, end - 1);
                if (close >= 0 && data[close] == '"') {
                    at = close + 1;
                    colon();
                    return expected;
                }
            }
        }
        return find(names);
    }

    private DataException noMap() {
        return new DataException(Code.MISUSE, "no map is open", at - begin);
    }

    /** No key, or one to look at first. */
    private int otherField(Names names, int c) {
        if (c == '}') {
            close();
            return Names.END;
        }
        if (c != '"') throw broken();
        if (!key(c)) return Names.END;
        keyAt = at;
        return find(names);
    }

    /** The index of the key at hand, by all of its bytes. */
    private int find(Names names) {
        int from = at + 1;
        long scanned = scanString(from);
        int close = (int) scanned;
        at = close + 1;
        colon();
        if ((scanned & JsonScan.ESCAPED) == 0) return names.find(data, from, close);
        long n = text.unescape(data, from, close);
        return (n & JsonUnescape.HALF) != 0 ? Names.OTHER : names.find(text.unescaped(), 0, (int) n);
    }

    @Override
    public String lastKey() {
        if (keyAt < 0) throw new IllegalStateException("no key has been read");
        int back = at;
        boolean key = keyIsNext;
        at = keyAt;
        keyIsNext = false;
        String found = str();
        at = back;
        keyIsNext = key;
        return found;
    }

    // Passing over.

    @Override
    public void skip() {
        int c = token();
        if (keyIsNext) {
            if (c != '"') throw broken();
            at = (int) scanString(at + 1) + 1;
            colon();
        } else if (isPlain) {
            skipQuickly();
        } else {
            skipSlowly();
        }
    }

    private void skipQuickly() {
        if (quickSkip == null) quickSkip = new JsonSkip();
        int after = quickSkip.value(data, at, end, limits.depth() - depth);
        if (after == JsonEnds.NONE) throw broken();
        if (quickSkip.mayOverflow()) {
            quickSkip.clearOverflow();
            // Only this dialect looks at how large a number is.
            if (granted.overflows() == JsonReadDialect.Overflows.REFUSE && !granted.decimalDigits()) {
                skipSlowly();
                return;
            }
        }
        at = after;
    }

    private void skipSlowly() {
        int outer = depth;
        JsonDuplicates watched = dropped;
        dropped = null;
        for (;;) {
            skipOne();
            do {
                if (depth == outer) {
                    dropped = watched;
                    return;
                }
            } while (!hasNext());
            if (keyIsNext) skip();
        }
    }

    /** Passes a scalar over, or the bracket that opens a container. */
    private void skipOne() {
        int c = token();
        switch (c) {
            case '[':
                array();
                return;
            case '{':
                map();
                return;
            case '"':
                at = (int) scanString(at + 1) + 1;
                return;
            case 't':
            case 'f':
                bool();
                return;
            case 'n':
                nil();
                return;
            default:
                if (isInfinity(c) || isNonFinite(c)) nonFinite(c);
                else if (c == '-' || JsonScan.isDigit(c)) at = readNumber().end;
                else throw broken();
        }
    }

    @Override
    public Mark mark() {
        return new Place(this);
    }

    @Override
    public void rewind(Mark mark) {
        check(mark);
        Place place = (Place) mark;
        at = place.at;
        depth = place.depth;
        fresh = place.fresh;
        keyIsNext = place.keyIsNext;
    }

    /** Where a reader stood; its outer containers are still open. */
    private static final class Place extends Mark {
        final int at;
        final int depth;
        final boolean fresh;
        final boolean keyIsNext;

        Place(JsonReader from) {
            super(from);
            at = from.at;
            depth = from.depth;
            fresh = from.fresh;
            keyIsNext = from.keyIsNext;
        }
    }

    @Override
    public void finish() {
        token();
        if (at != end) throw broken();
        if (depth != 0) throw new DataException(Code.MISUSE, "the document has not been read to its end", at - begin);
    }

    // Pushing.

    @Override
    public void feed(Sink to) {
        ExpectsKeys expecting = to instanceof ExpectsKeys ? (ExpectsKeys) to : null;
        Located located = Located.of(to);
        if (isPlain && expecting == null && located == null && dropped == null && !keyIsNext) {
            if (quickFeed == null) quickFeed = new JsonFeed(this);
            token();
            quickFeed.value(data, at, end, limits.depth() - depth, to);
            return;
        }
        int outer = depth;
        for (;;) {
            token();
            int place = at;
            try {
                if (located != null) located.place(place - begin);
                value(to);
                for (;;) {
                    if (depth == outer) return;
                    boolean more = hasNext();
                    place = more ? at : at - 1; // the closing bracket
                    if (located != null) located.place(place - begin);
                    if (more) break;
                    to.end();
                }
                if (keyIsNext && (expecting == null || !feedExpected(to, expecting.expectedKey()))) feedText(to, true);
            } catch (DataException e) { // of the sink, which does not know where it is
                throw e.offset() >= 0 || e.code() == Code.HOST ? e : e.atByte(place - begin);
            }
        }
    }

    /** Feeds a scalar, or that a container begins. */
    private void value(Sink to) {
        int c = token();
        switch (c) {
            case '"':
                feedText(to, false);
                return;
            case '{':
                map();
                to.map(Sink.UNKNOWN);
                return;
            case '[':
                array();
                to.array(Sink.UNKNOWN);
                return;
            case 't':
            case 'f':
                to.bool(bool());
                return;
            case 'n':
                nil();
                to.nil();
                return;
            default:
                if (isInfinity(c) || isNonFinite(c)) to.f64(nonFinite(c));
                else if (c == '-' || JsonScan.isDigit(c)) feedNumber(to, c);
                else throw broken();
        }
    }

    /** Feeds the key that comes next if it is this one. */
    private boolean feedExpected(Sink to, Name name) {
        if (name == null || !name.isPlain()) return false;
        int close = name.match(data, at + 1, end - 1);
        if (close < 0 || data[close] != '"') return false;
        at = close + 1;
        colon();
        to.key(name);
        return true;
    }

    /** Feeds the string at hand; behind a key its colon is passed, too: of two faults a key that is refused is the first. */
    void feedText(Sink to, boolean key) {
        int from = at + 1;
        long scanned = scanString(from);
        int close = (int) scanned;
        at = close + 1;
        feedText(to, key, scanned, from, close);
        if (key || keyIsNext) colon();
    }

    private void feedText(Sink to, boolean key, long scanned, int from, int close) {
        boolean ascii = (scanned & JsonScan.WIDE) == 0;
        if ((scanned & JsonScan.ESCAPED) == 0) {
            if (key) to.key(data, from, close, ascii);
            else to.str(data, from, close, ascii);
            return;
        }
        long n = text.unescape(data, from, close);
        if ((n & JsonUnescape.HALF) != 0) {
            String halves = JsonUnescape.utf16(data, from, close);
            if (key) to.key(halves);
            else to.str(halves);
            return;
        }
        ascii &= (n & JsonScan.WIDE) == 0;
        if (key) to.key(text.unescaped(), 0, (int) n, ascii);
        else to.str(text.unescaped(), 0, (int) n, ascii);
    }
}
