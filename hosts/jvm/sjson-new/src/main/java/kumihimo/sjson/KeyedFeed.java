package kumihimo.sjson;

import java.util.Arrays;
import kumihimo.Kind;
import kumihimo.Moment;
import kumihimo.Sink;

/** The verbs of a value on a tape, with all that is in it; no recursion. */
final class KeyedFeed {
    private KeyedFeed() {}

    static void value(KeyedTape tape, int first, Sink to) {
        int[] ends = new int[16];
        int inside = 0;
        int node = first;
        do {
            if (inside > 0 && tape.isKeyed(node)) to.key(tape.keys().text(tape.key(node)));
            boolean map = tape.is(node, Kind.MAP);
            if (map || tape.is(node, Kind.ARRAY)) {
                if (map) to.map(tape.length(node));
                else to.array(tape.length(node));
                if (inside == ends.length) ends = Arrays.copyOf(ends, inside * 2);
                ends[inside++] = tape.next(node);
            } else {
                scalar(tape, node, to);
            }
            node++;
            for (; inside > 0 && node == ends[inside - 1]; inside--) to.end();
        } while (inside > 0);
    }

    private static void scalar(KeyedTape tape, int node, Sink to) {
        switch (tape.kind(node)) {
            case NIL:
                to.nil();
                return;
            case BOOL:
                to.bool(tape.bits(node) != 0);
                return;
            case I64:
                to.i64(tape.bits(node));
                return;
            case U64:
                to.u64(tape.bits(node));
                return;
            case F64:
                to.f64(tape.f64(node));
                return;
            case BIG:
                to.big(tape.text(node));
                return;
            case STR:
                to.str(tape.text(node));
                return;
            case BIN: {
                byte[] data = (byte[]) tape.object(node);
                to.bin(data, 0, data.length);
                return;
            }
            case TIME:
                to.time((Moment) tape.object(node));
                return;
            default: {
                KeyedTape.Extension ext = (KeyedTape.Extension) tape.object(node);
                to.ext(ext.type, ext.data, 0, ext.data.length);
            }
        }
    }
}
