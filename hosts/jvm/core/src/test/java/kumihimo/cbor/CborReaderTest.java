package kumihimo.cbor;

import java.util.function.Consumer;
import kumihimo.DataException;
import kumihimo.Kind;
import kumihimo.Limits;
import kumihimo.Names;
import kumihimo.Reader;

/** What a codec asks of CBOR's reader: {@code java -cp CLASSES kumihimo.cbor.CborReaderTest}. */
public final class CborReaderTest extends CborCases {
    public static void main(String[] arguments) {
        CborReaderTest test = new CborReaderTest();
        test.pulled();
        test.report();
    }

    /** What a codec asks for. */
    private void pulled() {
        Names names = Names.of("id", "name", "a name of more than sixteen bytes");
        // {"name": "x", 5: [1], "other": null, "id": 1.5, (_ "na", "me"): tag 2 bignum}
        byte[] data = bytes("a6646e616d65617805810165" + hex("other") + "f6626964f93e007f626e61626d65ff"
                + "c249010000000000000000" + "7821" + hex("a name of more than sixteen bytes") + "d9d9f7f4");
        CborReader reader = new CborReader(CborReadDialect.STANDARD, Limits.DEFAULT);
        for (int expected = -1; expected < 4; expected++) {
            reader.reset(data);
            equal(reader.map(), 6L, "pairs");
            equal(reader.field(names, expected), 1, "the field name");
            equal(reader.str(), "x", "its text");
            Reader.Mark mark = reader.mark();
            equal(reader.field(names, expected), Names.OTHER, "a key that is no text");
            equal(reader.lastKey(), "5", "its text");
            reader.skip();
            equal(reader.field(names, expected), Names.OTHER, "another name");
            equal(reader.lastKey(), "other", "its text");
            equal(reader.tryNil(), true, "null");
            reader.rewind(mark);
            equal(reader.field(names, expected), Names.OTHER, "a key that is no text, again");
            equal(reader.array(), 1L, "elements");
            equal(reader.hasNext(), true, "an element");
            equal(reader.i32(), 1, "an element");
            equal(reader.hasNext(), false, "an element");
            equal(reader.field(names, expected), Names.OTHER, "another name");
            reader.skip();
            equal(reader.field(names, expected), 0, "the field id");
            equal(reader.f64(), 1.5, "a half");
            equal(reader.field(names, expected), 1, "a name in chunks");
            equal(reader.lastKey(), "name", "its text");
            equal(reader.kind(), Kind.BIG, "a bignum");
            equal(reader.number(), "18446744073709551616", "a bignum");
            equal(reader.field(names, expected), 2, "a long name");
            equal(reader.bool(), false, "a value behind a tag that says nothing");
            equal(reader.field(names, expected), Names.END, "the end");
            reader.finish();
        }
        wrong("6161", "type", CborReader::i64);
        wrong("1b8000000000000000", "range", CborReader::i64);
        wrong("1a80000000", "range", CborReader::i32);
        wrong("3bffffffffffffffff", "range", CborReader::i64);
        wrong("c249010000000000000000", "range", CborReader::i64);
        wrong("20", "range", CborReader::u64);
        wrong("1c", "syntax", CborReader::i64);
        wrong("19", "truncated", CborReader::i64);
        wrong("f9", "truncated", CborReader::f64);
        wrong("01", "type", CborReader::str);
        wrong("80", "type", CborReader::map);
        wrong("f97e00", "range", CborReader::number);
        wrong("c48219019001", "range", CborReader::f64);
        wrong("c482f90000", "syntax 2", CborReader::f64);
        wrong("c4822105", "type", CborReader::i64);
        raw("61ff", "ff");
        raw("7f61ff61feff", "fffe");
    }

    private void wrong(String document, String code, Consumer<CborReader> ask) {
        CborReader reader = new CborReader(CborReadDialect.STANDARD, Limits.DEFAULT);
        reader.reset(bytes(document));
        try {
            ask.accept(reader);
            equal("taken", code, document);
        } catch (DataException e) {
            String place = code.indexOf(' ') < 0 ? code + " 0" : code;
            equal(e.code().text() + " " + e.offset(), place, document);
        }
    }

    /** Text that is not UTF-8 is bytes by the dialect {@code raw_read}, and no text. */
    private void raw(String document, String bytes) {
        CborReader reader = new CborReader(CborReadDialect.RAW, Limits.DEFAULT);
        reader.reset(bytes(document));
        equal(reader.kind(), Kind.BIN, document);
        equal(hex(reader.bin()), bytes, document);
        reader.reset(bytes(document));
        try {
            reader.str();
            equal("taken", "refused", document);
        } catch (DataException e) {
            equal(e.code().text() + " " + e.offset(), "type 0", document);
        }
    }
}
