package kumihimo.format;

import java.util.List;
import kumihimo.DataException;
import kumihimo.Format;
import kumihimo.Formats;

/** What the rows of the table of formats ({@link Formats}) share. */
public abstract class FormatRow implements Format {
    private final String name;
    private final boolean isText;
    private final List<String> mediaTypes;
    private final List<String> endings;

    protected FormatRow(String name, boolean isText, List<String> mediaTypes, List<String> endings) {
        this.name = name;
        this.isText = isText;
        this.mediaTypes = mediaTypes;
        this.endings = endings;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final boolean isText() {
        return isText;
    }

    @Override
    public final List<String> mediaTypes() {
        return mediaTypes;
    }

    @Override
    public final List<String> endings() {
        return endings;
    }

    /** As in most formats. */
    @Override
    public boolean valuesAreDocuments() {
        return true;
    }

    @Override
    public final DataException locate(byte[] data, int from, int to, DataException failure) {
        return failure.offset() < 0 ? failure : place(data, from, to, failure);
    }

    /** {@link #locate} of a failure that has an offset. */
    protected abstract DataException place(byte[] data, int from, int to, DataException failure);
}
