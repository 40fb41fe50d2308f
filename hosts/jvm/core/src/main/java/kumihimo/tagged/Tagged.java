package kumihimo.tagged;

import java.util.ArrayList;
import java.util.List;
import kumihimo.Boundary;
import kumihimo.DataException;
import kumihimo.Limits;
import kumihimo.Reader;
import kumihimo.Writer;
import kumihimo.format.FormatRow;

/** Tagged's row of the table of formats. */
public final class Tagged extends FormatRow {
    private static final List<String> MEDIA_TYPES = List.of("application/x-tagged");
    private static final List<String> ENDINGS = List.of(".tagged");

    public Tagged() {
        super("tagged", false, MEDIA_TYPES, ENDINGS);
    }

    /** The layout safe has a mark. A document of the layout study begins with one of its types, as many others do. */
    @Override
    public Likeness resembles(byte[] data, int from, int to) {
        if (TaggedHeader.isMark(data, from, to)) return Likeness.CERTAIN;
        if (to - from < 5) return Likeness.NONE;
        int type = data[from] & 0xff;
        return type > StudyHeader.DIGITS || type == StudyHeader.TABLE ? Likeness.NONE : Likeness.POSSIBLE;
    }

    @Override
    public List<String> readDialects() {
        return new ArrayList<>(TaggedReadDialect.named().keySet());
    }

    @Override
    public List<String> writeDialects() {
        return new ArrayList<>(TaggedDialect.named().keySet());
    }

    @Override
    public Reader reader(String dialect, Limits limits) {
        return new TaggedReader(TaggedReadDialect.parse(dialect), limits);
    }

    @Override
    public Writer writer(String dialect, Limits limits) {
        return TaggedDialect.parse(dialect) == TaggedDialect.SAFE ? new TaggedWriter(limits) : new StudyWriter(limits);
    }

    /** Names have numbers, which the document has given them before the value. */
    @Override
    public boolean valuesAreDocuments() {
        return false;
    }

    @Override
    public Boundary boundary(Limits limits) {
        return new TaggedBoundary();
    }

    @Override
    protected DataException place(byte[] data, int from, int to, DataException failure) {
        boolean safe = from < to && data[from] == TaggedHeader.mark(0);
        String path = safe ? TaggedLocate.path(data, from, to, failure.offset())
                : StudyLocate.path(data, from, to, failure.offset());
        return failure.at(-1, -1, path);
    }
}
