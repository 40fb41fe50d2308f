package kumihimo.msgpack;

import java.util.ArrayList;
import java.util.List;
import kumihimo.Boundary;
import kumihimo.DataException;
import kumihimo.Format;
import kumihimo.Limits;
import kumihimo.Reader;
import kumihimo.Writer;

/** MessagePack's row of the table of formats. */
public final class Msgpack implements Format {
    private static final List<String> MEDIA_TYPES =
            List.of("application/vnd.msgpack", "application/msgpack", "application/x-msgpack");
    private static final List<String> ENDINGS = List.of(".msgpack", ".mpk");

    @Override
    public String name() {
        return "msgpack";
    }

    @Override
    public boolean isText() {
        return false;
    }

    @Override
    public List<String> mediaTypes() {
        return MEDIA_TYPES;
    }

    @Override
    public List<String> endings() {
        return ENDINGS;
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
    public boolean valuesAreDocuments() {
        return true;
    }

    @Override
    public Boundary boundary(Limits limits) {
        return new MsgpackBoundary();
    }

    @Override
    public DataException locate(byte[] data, int from, int to, DataException failure) {
        if (failure.offset() < 0) return failure;
        return failure.at(-1, -1, MsgpackLocate.path(data, from, to, failure.offset()));
    }
}
