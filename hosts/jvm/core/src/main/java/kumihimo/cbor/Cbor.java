package kumihimo.cbor;

import java.util.ArrayList;
import java.util.List;
import kumihimo.Boundary;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.Reader;
import kumihimo.Writer;
import kumihimo.format.FormatRow;

/** CBOR's row of the table of formats. */
public final class Cbor extends FormatRow {
    private static final List<String> MEDIA_TYPES = List.of("application/cbor", "application/cbor-seq");
    private static final List<String> ENDINGS = List.of(".cbor");

    public Cbor() {
        super("cbor", false, MEDIA_TYPES, ENDINGS);
    }

    /** Tag 55799 is CBOR's mark. Without it nearly any byte may begin an item. */
    @Override
    public Likeness resembles(byte[] data, int from, int to) {
        if (from == to) return Likeness.NONE;
        boolean marked = to - from >= 3 && data[from] == (byte) 0xd9 && data[from + 1] == (byte) 0xd9
                && data[from + 2] == (byte) 0xf7;
        if (marked) return Likeness.CERTAIN;
        CborHeader.Kind is = new CborHeader().read(data, from, to).kind;
        boolean none = is == CborHeader.Kind.RESERVED || is == CborHeader.Kind.STOP;
        return none ? Likeness.NONE : Likeness.POSSIBLE;
    }

    @Override
    public List<String> readDialects() {
        return new ArrayList<>(CborReadDialect.named().keySet());
    }

    @Override
    public List<String> writeDialects() {
        return new ArrayList<>(CborDialect.named().keySet());
    }

    @Override
    public Reader reader(String dialect, Limits limits) {
        return new CborReader(CborReadDialect.parse(dialect), limits);
    }

    @Override
    public Writer writer(String dialect, Limits limits) {
        return new CborWriter(CborDialect.parse(dialect), limits);
    }

    @Override
    public Boundary boundary(Limits limits) {
        return new CborBoundary();
    }

    @Override
    protected DataException place(byte[] data, int from, int to, DataException failure) {
        return failure.at(-1, -1, CborLocate.path(data, from, to, failure.offset()));
    }
}
