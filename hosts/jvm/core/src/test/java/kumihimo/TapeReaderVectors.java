package kumihimo;

import java.util.Arrays;
import java.util.SplittableRandom;
import kumihimo.tape.TapeReader;

/**
 * A reader of a tape against the reader of the document, over tests/vectors: whatever is asked for, both give the
 * same, or refuse it with the same code at the same byte.
 */
final class TapeReaderVectors {
    private static final Names NAMES = Names.of("a", "id", "b", "c", "name", "", "\u00e9", "k", "1");

    private final SplittableRandom random = new SplittableRandom(3);

    private TapeReaderVectors() {}

    static void run(Vectors vectors, VectorRunner.Areas areas) {
        TapeReaderVectors test = new TapeReaderVectors();
        for (Format format : Formats.all()) {
            if (!areas.want("asked/" + format.name())) continue;
            for (String in : vectors.files(format.name(), ".in")) {
                byte[] document = vectors.load(in);
                if (!Vectors.expectation(in).equals("ok") || document.length > 2000) continue;
                vectors.check(in + " asked of a tape", () -> {
                    for (int i = 0; i < 30; i++) test.document(format, in, document);
                });
            }
        }
    }

    private static void equal(String what, Object got, Object wanted) {
        Vectors.equal(String.valueOf(got), String.valueOf(wanted), what);
    }

    private void document(Format format, String name, byte[] document) {
        Reader direct = format.reader("", Limits.DEFAULT).reset(document);
        TapeReader taped = new TapeReader(format, "", Limits.DEFAULT).reset(document, 0, document.length);
        // Of the open containers whether they are maps, whose key is due.
        boolean[] maps = new boolean[2000];
        boolean key = false;
        int depth = 0;
        StringBuilder asked = new StringBuilder(name).append(':');
        for (;;) {
            boolean inKey = false;
            if (depth > 0 && !key) {
                if (maps[depth - 1] && random.nextBoolean()) {
                    int expected = random.nextInt(NAMES.size() + 1) - 1;
                    String a = outcome(direct, r -> field(r, expected));
                    String b = outcome(taped, r -> field(r, expected));
                    equal(asked + " field", b, a);
                    if (!a.equals(b) || a.startsWith("refused")) return;
                    if (a.startsWith("-1 ")) {
                        depth--;
                        if (depth == 0) break;
                        continue;
                    }
                } else {
                    boolean more = direct.hasNext();
                    equal(asked + " hasNext", taped.hasNext(), more);
                    if (!more) {
                        depth--;
                        if (depth == 0) break;
                        continue;
                    }
                    key = maps[depth - 1];
                    inKey = key;
                }
            } else {
                key = false;
            }
            Kind kind = direct.kind();
            equal(asked + " kind", taped.kind(), kind);
            if (random.nextInt(8) == 0) equal(asked + " position", taped.position(), direct.position());
            int what = random.nextInt(4) == 0 ? random.nextInt(13) : usual(kind);
            if (inKey && what >= 10) what = 12;
            // The layout study writes truth values as numbers, which its reader knows and a tape does not.
            if (what == 1 && kind != Kind.BOOL && name.startsWith("tagged/study/")) what = 7;
            asked.append(' ').append(what);
            int asks = what;
            String a = outcome(direct, r -> value(r, asks));
            String b = outcome(taped, r -> value(r, asks));
            equal(asked + " " + kind, b, a);
            if (!a.equals(b) || a.startsWith("refused")) return;
            if (what == 10 || what == 11) maps[depth++] = what == 11;
            else if (depth == 0) break;
        }
        direct.finish();
        taped.finish();
    }

    private int usual(Kind kind) {
        switch (kind) {
            case NIL: return 0;
            case BOOL: return 1;
            case I64: return 2 + random.nextInt(5);
            case U64: return 4 + random.nextInt(3);
            case F64: return 5 + random.nextInt(2);
            case BIG: return 6;
            case STR: return 7;
            case BIN: return 8;
            case TIME: return 9;
            case ARRAY: return 10;
            case MAP: return 11;
            default: return 12;
        }
    }

    /** What is asked of a reader. */
    private interface Ask {
        Object of(Reader reader);
    }

    private static String outcome(Reader reader, Ask ask) {
        try {
            return String.valueOf(ask.of(reader));
        } catch (DataException e) {
            return "refused " + e.code() + " " + e.offset();
        }
    }

    private static Object field(Reader reader, int expected) {
        int found = reader.field(NAMES, expected);
        return found + " " + (found == Names.END ? "" : reader.lastKey());
    }

    private static Object value(Reader reader, int what) {
        switch (what) {
            case 0: return reader.tryNil() ? "null" : skip(reader);
            case 1: return reader.bool();
            case 2: return reader.i32();
            case 3: return reader.i64();
            case 4: return reader.u64();
            case 5: return reader.f64();
            case 6: return reader.number();
            case 7: return reader.str();
            case 8: return Arrays.toString(reader.bin());
            case 9: return reader.time();
            case 10: return reader.array() == 0 ? "" : "";
            case 11: return reader.map() == 0 ? "" : "";
            default:
                if (reader.kind() != Kind.EXT) return skip(reader);
                return reader.ext() + Arrays.toString(reader.extData());
        }
    }

    private static String skip(Reader reader) {
        reader.skip();
        return "skipped";
    }
}
