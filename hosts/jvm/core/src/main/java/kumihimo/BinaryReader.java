package kumihimo;

import java.util.Objects;

/**
 * What the readers of binary formats share: the bytes, the limit of size, the key that was found last, and how a failure is
 * told. Offsets are made here: subclasses speak of places in {@link #data}.
 */
public abstract class BinaryReader extends Reader {
    protected final Limits limits;

    protected byte[] data = {};
    /** Where the document begins. */
    protected int begin;
    /** The next byte that is to be read. */
    protected int at;
    /** Where the input ends, or the limit of size ends the document before. */
    protected int last;
    /** Where the input ends. */
    protected int end;

    /** The key that {@link #field} found last, where it is text; its end is -1 where it is none. */
    protected int keyFrom;
    protected int keyTo;
    /** The same as text, once it is known. */
    protected String keyText;

    protected BinaryReader(Limits limits) {
        this.limits = limits;
    }

    @Override
    public final Reader reset(byte[] data, int from, int to) {
        Objects.checkFromToIndex(from, to, data.length);
        this.data = data;
        begin = at = from;
        end = to;
        last = to - from > limits.size() ? from + (int) limits.size() : to;
        keyFrom = keyTo = 0;
        keyText = null;
        restart();
        return this;
    }

    /** Forgets what was read before; {@link #at} and its neighbours are set. Reads nothing. */
    protected abstract void restart();

    @Override
    public int position() {
        return at - begin;
    }

    @Override
    public final int consumed() {
        return at - begin;
    }

    @Override
    public void finish() {
        if (at != end) throw stop(Code.TRAILING, at, "there are bytes after the document");
    }

    @Override
    public final String lastKey() {
        if (keyText == null) keyText = text(keyFrom, keyTo);
        return keyText;
    }

    /** The text of these bytes, checked. */
    protected final String text(int from, int to) {
        boolean ascii = Utf8.isAscii(data, from, to);
        if (!ascii) checkText(from, to);
        return Utf8.string(data, from, to, ascii);
    }

    /** @throws DataException {@link Code#ENCODING}, at the first byte that is no UTF-8 */
    protected final void checkText(int from, int to) {
        int good = Utf8.validPrefix(data, from, to);
        if (good != to) throw stop(Code.ENCODING, good, "a string is not valid UTF-8");
    }

    /** The name that is these bytes of a key; remembers them for {@link #lastKey}, and checks those that are no name. */
    protected final int find(Names names, int from, int to) {
        keyFrom = from;
        keyTo = to;
        keyText = null;
        int found = names.find(data, from, to);
        if (found < 0 && !Utf8.isAscii(data, from, to)) checkText(from, to);
        return found;
    }

    /** The failure at a byte of the input. */
    protected final DataException stop(Code code, int at, String what) {
        return new DataException(code, what, at - begin);
    }

    /** The document ends in the piece that begins here. */
    protected final DataException cut(int at) {
        if (last != end) return stop(Code.SIZE, at, "the document is larger than the limit");
        return stop(Code.TRUNCATED, at, at == end ? "the input ends where a value is due" : "the input ends inside a value");
    }

    protected final DataException tooDeep(int at) {
        return stop(Code.DEPTH, at, "containers are nested deeper than the limit");
    }

    /** The container that begins here says that more values are in it than bytes are left. */
    protected final DataException tooMany(int at) {
        return last != end ? cut(at) : stop(Code.TRUNCATED, at, "a container announces more values than there are bytes left");
    }

    /** The value that comes next is none of what was asked for. */
    protected final DataException wrong(String wanted) {
        Kind found = kind();
        return new DataException(Code.TYPE, "expected " + wanted + ", found " + found.text(), position());
    }
}
