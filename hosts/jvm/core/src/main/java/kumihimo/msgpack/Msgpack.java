package kumihimo.msgpack;

import java.util.ArrayList;
import java.util.List;
import kumihimo.Boundary;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.Reader;
import kumihimo.Writer;
import kumihimo.format.FormatRow;

/** MessagePack's row of the table of formats. */
public final class Msgpack extends FormatRow {
    private static final List<String> MEDIA_TYPES =
            List.of("application/vnd.msgpack", "application/msgpack", "application/x-msgpack");
    private static final List<String> ENDINGS = List.of(".msgpack", ".mpk");

    public Msgpack() {
        super("msgpack", false, MEDIA_TYPES, ENDINGS);
    }

    /**
     * No mark: any byte but c1 begins a value. What begins as JSON does is a small integer here, and JSON's row comes
     * first.
     */
    @Override
    public Likeness resembles(byte[] data, int from, int to) {
        return from == to || (data[from] & 0xff) == 0xc1 ? Likeness.NONE : Likeness.POSSIBLE;
    }

    @Override
    public List<String> readDialects() {
        return new ArrayList<>(MsgpackReadDialect.named().keySet());
    }

    @Override
    public List<String> writeDialects() {
        return new ArrayList<>(MsgpackDialect.named().keySet());
    }

    @Override
    public Reader reader(String dialect, Limits limits) {
        return new MsgpackReader(MsgpackReadDialect.parse(dialect), limits);
    }

    @Override
    public Writer writer(String dialect, Limits limits) {
        return new MsgpackWriter(MsgpackDialect.parse(dialect), limits);
    }

    @Override
    public Boundary boundary(Limits limits) {
        return new MsgpackBoundary();
    }

    @Override
    protected DataException place(byte[] data, int from, int to, DataException failure) {
        return failure.at(-1, -1, MsgpackLocate.path(data, from, to, failure.offset()));
    }
}
