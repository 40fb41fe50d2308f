package kumihimo.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Name;
import kumihimo.Utf8;
import kumihimo.format.LittleEndian;
import kumihimo.scalar.Base64;
import kumihimo.scalar.FloatLayout;
import kumihimo.scalar.FloatWrite;
import kumihimo.scalar.Inside;
import kumihimo.scalar.IntWrite;
import kumihimo.scalar.TimeText;

/**
 * Verbs become JSON, spelled as a {@link JsonDialect} says.
 *
 * <p>Every value ends with a comma, and a closing bracket is written over the last one:
 *
 * <pre>
 *   [1,2,        end()  -&gt;  [1,2],
 *   {            end()  -&gt;  {},             an empty container has no comma to write over
 * </pre>
 *
 * <p>so a value needs not know whether it is the first. {@link #finish} takes the last comma off. A layout with white
 * space asks before each value instead, out of the fast paths: for it other states are due, so that one comparison
 * says both.
 *
 * <p>Whatever the verbs, the bytes are one valid JSON document (but for the dialects that write NaN as a word): verbs
 * in a wrong order are {@link Code#MISUSE}, and text is checked.
 */
public final class JsonWriter extends JsonStrings {
    // What may come next. In an array a value is due after a value, in a map a key, and nothing after the document.
    private static final int VALUE = 0;
    private static final int KEY = 1;
    /** A value that is to be a key. */
    private static final int NAME = 2;
    private static final int NOTHING = 3;
    private static final int SPACED_VALUE = 4;
    private static final int SPACED_KEY = 5;

    private final FloatLayout floats;
    private final boolean compact;
    private final int valueDue;
    private final int keyDue;
    private final int depthLimit;

    private int due;
    /** What is due behind a value of the innermost container. */
    private int after;
    /** The same of the containers around it. */
    private byte[] levels = new byte[16];
    private int depth;
    /** The innermost container holds something; kept for layouts with white space only. */
    private boolean filled;
    private boolean finished;
    /** A moment's text on its way. */
    private byte[] line;

    /** A writer that spells as the dialect says, and refuses to go beyond the limits. */
    public JsonWriter(JsonDialect dialect, Limits limits) {
        super(dialect, limits);
        floats = dialect.floats();
        compact = dialect.layout().compact;
        valueDue = compact ? VALUE : SPACED_VALUE;
        keyDue = compact ? KEY : SPACED_KEY;
        depthLimit = limits.depth();
        reset();
    }

    @Override
    public JsonWriter reset() {
        forget();
        due = valueDue;
        after = NOTHING;
        depth = 0;
        filled = finished = false;
        return this;
    }

    @Override
    public void finish() {
        if (due != NOTHING) throw misuse("the document is not whole: a value or an end is missing");
        if (!finished && compact) size--;
        finished = true;
        checkSize();
    }

    // --------------------------------------------------------------------------------------------------------- scalars

    @Override
    public void nil() {
        if (due != VALUE) quote();
        LittleEndian.put32(roomUpTo(MORE), size, NULL);
        followed(size + 4);
    }

    @Override
    public void bool(boolean value) {
        if (due != VALUE) quote();
        byte[] to = roomUpTo(MORE);
        if (value) LittleEndian.put32(to, size, TRUE);
        else LittleEndian.put64(to, size, FALSE);
        followed(size + (value ? 4 : 5));
    }

    @Override
    public void i32(int value) {
        if (due != VALUE) quote();
        followed(IntWrite.i32(roomUpTo(IntWrite.ROOM + MORE), size, value));
    }

    @Override
    public void i64(long value) {
        if (due != VALUE) quote();
        followed(IntWrite.i64(roomUpTo(IntWrite.ROOM + MORE), size, value));
    }

    @Override
    public void u64(long bits) {
        if (due != VALUE) quote();
        followed(IntWrite.u64(roomUpTo(IntWrite.ROOM + MORE), size, bits));
    }

    @Override
    public void f64(double value) {
        if (!(Math.abs(value) <= Double.MAX_VALUE)) {
            notFinite(value);
            return;
        }
        if (due != VALUE) quote();
        followed(FloatWrite.f64(roomUpTo(FloatWrite.ROOM + MORE), size, value, floats));
    }

    @Override
    public void f32(float value) {
        if (!(Math.abs(value) <= Float.MAX_VALUE)) {
            notFinite(value);
            return;
        }
        if (due != VALUE) quote();
        followed(FloatWrite.f32(roomUpTo(FloatWrite.ROOM + MORE), size, value, floats));
    }

    private void notFinite(double value) {
        String name = value != value ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
        switch (as.nonFinite()) {
            case NULL:
                nil();
                return;
            case LITERAL:
                quote();
                append(name.getBytes(StandardCharsets.US_ASCII));
                followed(size);
                return;
            case TEXT:
                str(name);
                return;
            default:
                throw unsupported("NaN or an infinity: JSON has none, and this dialect does not replace them");
        }
    }

    @Override
    public void big(String digits) {
        int n = digits.length();
        byte[] ascii = new byte[n];
        if (Utf8.putAscii(digits, ascii, 0) != n) throw noNumber();
        big(ascii, 0, n);
    }

    @Override
    public void big(byte[] data, int from, int to) {
        if (from == to || JsonScan.number(data, from, to) != to) throw noNumber();
        if (as.big() == JsonDialect.BigNumber.TEXT && due != NAME) {
            str(data, from, to, true);
            return;
        }
        copied(data, from, to);
    }

    private void copied(byte[] data, int from, int to) {
        checkLength(to - from);
        if (due != VALUE) quote();
        System.arraycopy(data, from, roomUpTo(bound(to - from)), size, to - from);
        followed(size + (to - from));
    }

    /** A value that is JSON already, as it is; the caller answers for it. Beyond the verbs: only this format has it. */
    public void raw(byte[] data, int from, int to) {
        if (due == NAME) throw unsupported("a fragment of JSON as a key: keys are text");
        copied(data, from, to);
    }

    @Override
    public void bin(byte[] data, int from, int to) {
        if (as.binary() == JsonDialect.Binary.REFUSE) {
            throw unsupported("bytes that are not text: JSON has none, and this dialect does not encode them");
        }
        Base64 base64 = as.binary() == JsonDialect.Binary.BASE64 ? Base64.STANDARD : Base64.URL;
        // Of base64's characters only the slash has another spelling in some dialects.
        boolean slashes = base64 == Base64.STANDARD && escapes.action['/'] != JsonEscapes.COPY;
        long characters = base64.size(to - from);
        checkLength(characters);
        if (due != VALUE) before();
        byte[] out = roomUpTo(bound(slashes ? characters * 2 : characters));
        int at = size;
        out[at++] = '"';
        int end = base64.encode(data, from, to, out, at);
        if (slashes) end = JsonEscaper.escapeSlashes(out, at, end);
        out[end] = '"';
        followed(end + 1);
    }

    @Override
    public void time(Moment moment) {
        if (as.time() == JsonDialect.Time.REFUSE) {
            throw unsupported("a moment: JSON has none, and this dialect does not write them");
        }
        if (line == null) line = new byte[TimeText.ROOM];
        if (as.time() == JsonDialect.Time.EPOCH) {
            copied(line, 0, TimeText.writeEpoch(line, 0, moment));
            return;
        }
        int end = TimeText.write(line, 0, moment, as.timeLayout());
        if (end < 0) throw new DataException(Code.RANGE, "a moment outside the years 0000 to 9999");
        str(line, 0, end, true);
    }

    @Override
    public void ext(int type, byte[] data, int from, int to) {
        if (due == NAME) throw unsupported("an extension as a key: JSON's keys are text");
        switch (as.extension()) {
            case DATA:
                bin(data, from, to);
                return;
            case OBJECT:
                map(2);
                key("type");
                i32(type);
                key("data");
                bin(data, from, to);
                end();
                return;
            default:
                throw unsupported("an extension: JSON has none, and this dialect does not lower them");
        }
    }

    // ------------------------------------------------------------------------------------------------------ containers

    @Override
    public void array(long count) {
        open('[', valueDue);
    }

    @Override
    public void map(long count) {
        open('{', keyDue);
    }

    @Override
    public void emptyArray() {
        if (due != VALUE || depth >= depthLimit || size >= pieceEnd) {
            super.emptyArray();
            return;
        }
        LittleEndian.put32(roomUpTo(MORE), size, EMPTY_COMMA);
        size += 3;
        due = after;
    }

    private void open(int bracket, int first) {
        if (size >= pieceEnd) pass(1); // a closing bracket may take the last comma's place
        if (due != VALUE) beforeContainer();
        if (depth >= depthLimit) throw new DataException(Code.DEPTH, "nested deeper than the depth limit");
        if (depth == levels.length) levels = Arrays.copyOf(levels, depth * 2);
        levels[depth++] = (byte) after;
        roomUpTo(MORE)[size++] = (byte) bracket;
        due = after = first;
        filled = false;
    }

    private void beforeContainer() {
        if (due == NAME) throw unsupported("a container as a key: JSON's keys are text");
        before();
    }

    @Override
    public void end() {
        if (depth == 0) throw misuse("an end without its start");
        if (due != after) throw misuse("an object ends between a key and its value");
        int closer = after == keyDue ? '}' : ']';
        if (!compact) whiteEnd();
        after = levels[--depth];
        byte[] to = roomUpTo(MORE);
        int at = size;
        if (compact) {
            if (to[at - 1] == ',') at--; // over the last comma, and with one of its own
            to[at + 1] = ',';
            size = at + 2;
        } else {
            size = at + 1;
        }
        to[at] = (byte) closer;
        due = after;
        if (at > sizeLimit) checkSize();
    }

    // ------------------------------------------------------------------------------------------------------------ text

    @Override
    public void str(String text) {
        if (due != VALUE) before();
        followed(quoted(text));
    }

    @Override
    public void str(byte[] data, int from, int to, boolean ascii) {
        if (due != VALUE) before();
        followed(quoted(data, from, to, ascii));
    }

    @Override
    public void key(String text) {
        if (due != KEY) beforeKey();
        named(quoted(text));
    }

    @Override
    public void key(byte[] data, int from, int to, boolean ascii) {
        if (due != KEY) beforeKey();
        named(quoted(data, from, to, ascii));
    }

    @Override
    public void key(Name name) {
        if (!simple(name)) {
            keySlowly(name);
            return;
        }
        size = name.putQuoted(roomUpTo(name.quotedRoom()), size);
        due = VALUE;
    }

    private void keySlowly(Name name) {
        if (due != KEY) {
            key(name.text());
            return;
        }
        byte[] spelled = name.spelled(escapes.ordinal());
        if (spelled == null) {
            int from = size;
            key(name.text());
            name.spell(escapes.ordinal(), Arrays.copyOfRange(buffer, from, size));
            return;
        }
        System.arraycopy(spelled, 0, roomUpTo(spelled.length), size, spelled.length);
        size += spelled.length;
        due = VALUE;
    }

    // A key and its value in one step: in an open object nothing changes what is due.

    @Override
    public void field(Name name, String text) {
        int n = text.length();
        if (!simple(name) || n > PIECE || escapes.more) {
            super.field(name, text);
            return;
        }
        byte[] to = roomUpTo(name.quotedRoom() + n + MORE);
        int at = name.putQuoted(to, size);
        to[at] = '"';
        byte[] inside = Inside.of(text);
        int union = JsonEscaper.union(text, inside, n);
        int copied = JsonEscaper.copy(text, inside, n, union, to, at + 1);
        if (copied == n) {
            to[at + n + 1] = '"';
            to[at + n + 2] = ',';
            size = at + n + 3;
            return;
        }
        size = at;
        due = VALUE;
        followed(quotedSlowly(text, copied, union, at + 1 + copied));
    }

    @Override
    public void field(Name name, boolean value) {
        if (!simple(name)) {
            super.field(name, value);
            return;
        }
        byte[] to = roomUpTo(name.quotedRoom() + MORE);
        int at = name.putQuoted(to, size);
        LittleEndian.put64(to, at, value ? TRUE_COMMA : FALSE_COMMA);
        size = at + (value ? 5 : 6);
    }

    @Override
    public void field(Name name, long value) {
        if (!simple(name)) {
            super.field(name, value);
            return;
        }
        byte[] to = roomUpTo(name.quotedRoom() + IntWrite.ROOM + MORE);
        int at = IntWrite.i64(to, name.putQuoted(to, size), value);
        to[at] = ',';
        size = at + 1;
    }

    private boolean simple(Name name) {
        return due == KEY && name.isPlain();
    }

    @Override
    public void keyIsNext() {
        if (due != keyDue) throw noKey();
        if (as.keys() == JsonDialect.OtherKeys.REFUSE) {
            throw unsupported("a key that is not text: this dialect takes text keys only");
        }
        due = NAME;
    }

    // ----------------------------------------------------------------------------------- between values, and order

    /** Behind a value: its comma, and what comes next. */
    private void followed(int end) {
        if (due != VALUE) {
            followedSlowly(end);
            return;
        }
        buffer[end] = ',';
        size = end + 1;
        due = after;
    }

    /** A value that was a key gets its colon instead. */
    private void followedSlowly(int end) {
        if (due == NAME) {
            // A string has its quotes; all else was given the first.
            if (buffer[end - 1] != '"') buffer[end++] = '"';
            named(end);
            return;
        }
        size = end;
        if (compact) buffer[size++] = ',';
        due = after;
    }

    private void named(int end) {
        due = valueDue;
        size = end;
        if (compact) buffer[size++] = ':';
        else append(as.layout().key);
    }

    /** {@link #before}, and the first quote of a key that is no string. */
    private void quote() {
        before();
        if (due == NAME) roomUpTo(MORE)[size++] = '"';
    }

    /** Before a value that is not simply due: refuses it, or writes the white space of the layout. */
    private void before() {
        switch (due) {
            case KEY:
            case SPACED_KEY:
                throw misuse("a value in an object before its key");
            case NOTHING:
                throw misuse("a value after the end of the document");
            default:
                if (!compact) white(due == NAME || after != keyDue);
        }
    }

    private void beforeKey() {
        if (due != SPACED_KEY) throw noKey();
        white(true);
    }

    private void white(boolean item) {
        if (item && depth > 0) {
            if (filled) append(as.layout().item);
            newline(depth);
        }
        filled = true;
    }

    private void whiteEnd() {
        if (filled && as.layout().newline.length != 0) newline(depth - 1);
        filled = true;
    }
}
