package kumihimo.tagged;

import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.format.BinaryReader;
import kumihimo.format.LittleEndian;

/** A document of the layout {@code study} as a whole: where its values end, and the names behind them. */
abstract class StudyDocument extends BinaryReader {
    private final TaggedReadDialect granted;
    final StudyHeader header = new StudyHeader();
    private final Varint varint = new Varint();
    final StudyNames names = new StudyNames();

    /** The names have been read. */
    boolean begun;
    /** The document is a map. */
    boolean isMap;
    /** Where the names begin, or the document's value ends. */
    int bodyEnd;
    /** Where the document ends. */
    int documentEnd;
    /** The input ends where the names might begin. */
    boolean cutShort;

    StudyDocument(TaggedReadDialect granted, Limits limits) {
        super(limits);
        this.granted = granted;
    }

    /** Goes over the outermost fields, or the one value, to the names, and reads those. */
    final void begin() {
        begun = true;
        mustBeStudy();
        int p = at;
        readHeader(p, last, false);
        isMap = header.tag >>> 8 != 0;
        names.clear();
        cutShort = false;
        if (isMap) {
            while (header.tag != StudyHeader.TABLE) {
                if ((header.tag & 0xf0) != 0) throw stop(Code.SYNTAX, p, "no field of the layout study begins so");
                p += header.size + (int) header.payload;
                readHeader(p, last, false);
            }
            bodyEnd = p;
        } else {
            if (header.tag >= 0x10 || header.type() == StudyHeader.TABLE || header.type() == StudyHeader.MESSAGE) {
                throw stop(Code.SYNTAX, p, "no value of the layout study begins so");
            }
            int inside = p + header.size;
            bodyEnd = documentEnd = inside + (int) header.payload;
            if (header.type() != StudyHeader.ARRAY || !hasFields(inside, bodyEnd)) return;
            p = documentEnd;
            cutShort = last - p < 4;
            if (cutShort || LittleEndian.i32(data, p) != StudyHeader.TABLE) return;
            readHeader(p, last, false);
        }
        documentEnd = p + header.size + (int) header.payload;
        readNames(p + header.size);
    }

    /** @throws DataException where the document is of the other layout, or begins it wrongly, or is not to be read */
    private void mustBeStudy() {
        if (at == last) throw cut(at);
        if (data[at] == TaggedHeader.mark(0)) {
            if (granted == TaggedReadDialect.STUDY_READ) {
                throw stop(Code.SYNTAX, at, "the document is of the layout safe");
            }
            for (int i = 0; i < 3; i++) {
                if (at + i == last) throw cut(at);
                if (data[at + i] != TaggedHeader.mark(i)) throw noMark();
            }
            throw cut(at + 3);
        }
        if (granted == TaggedReadDialect.SAFE_READ) throw noMark();
    }

    private DataException noMark() {
        return stop(Code.SYNTAX, at, "a document begins with the bytes c1 fe 54");
    }

    /** A header and what it announces, before {@code limit}. */
    final void readHeader(int p, int limit, boolean inside) {
        header.read(data, p, limit);
        if (header.kind == StudyHeader.Kind.RESERVED) {
            throw stop(Code.SYNTAX, p, "no value of the layout study begins so");
        }
        if (header.kind == StudyHeader.Kind.CUT || header.payload > limit - p - header.size) {
            throw inside ? stop(Code.SYNTAX, p, "a value is longer than what it stands in") : cut(p);
        }
    }

    /** Whether a map with a field is within an array's elements, so that names must follow. */
    private boolean hasFields(int p, int limit) {
        StudyHeader h = new StudyHeader();
        while (p != limit) {
            h.read(data, p, limit);
            if (h.kind != StudyHeader.Kind.VALUE || h.payload > limit - p - h.size) return false;
            if (h.type() == StudyHeader.MESSAGE && h.payload != 0) return true;
            p += h.size + (h.type() == StudyHeader.ARRAY ? 0 : (int) h.payload);
        }
        return false;
    }

    private void readNames(int p) {
        int limit = documentEnd;
        while (p != limit) {
            boolean whole = limit - p >= 4 && varint.load(data, p + 4, limit);
            if (!whole || varint.length() > limit - varint.end) {
                throw stop(Code.SYNTAX, p, "a name is longer than the table of names");
            }
            int to = varint.end + (int) varint.length();
            checkText(varint.end, to);
            names.add(LittleEndian.i32(data, p), varint.end, to);
            p = to;
        }
        int twice = names.sort();
        if (twice >= 0) throw stop(Code.SYNTAX, twice, "two names have the same tag");
    }
}
