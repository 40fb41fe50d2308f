package kumihimo.tape;

import kumihimo.Sink;

/** The verbs of a value on a tape; no recursion. */
final class TapeFeed {
    private TapeFeed() {}

    static void value(Tape tape, int first, Sink to) {
        int last = tape.behind(first);
        for (int node = first; node < last; node++) {
            if (node != first && tape.has(node, Tape.KEY)) {
                if (tape.is(node, Tape.STR)) {
                    text(tape, node, to, true);
                    continue;
                }
                to.keyIsNext();
            }
            one(tape, node, to);
        }
    }

    /** A scalar, or the beginning or the end of a container. */
    private static void one(Tape tape, int node, Sink to) {
        if (tape.is(node, Tape.END)) {
            to.end();
            return;
        }
        int from = tape.ref(node);
        switch (tape.kind(node)) {
            case NIL:
                to.nil();
                return;
            case BOOL:
                to.bool(from != 0);
                return;
            case I64:
                to.i64(tape.payload(node));
                return;
            case U64:
                to.u64(tape.payload(node));
                return;
            case F64:
                to.f64(tape.f64(node));
                return;
            case BIG:
                to.big(tape.bytesOf(node), from, from + tape.length(node));
                return;
            case STR:
                text(tape, node, to, false);
                return;
            case BIN:
                to.bin(tape.bytesOf(node), from, from + tape.length(node));
                return;
            case TIME:
                to.time(tape.time(node));
                return;
            case EXT:
                to.ext(tape.extType(node), tape.bytesOf(node), from, from + tape.length(node));
                return;
            case ARRAY:
                to.array(tape.length(node));
                return;
            default:
                to.map(tape.length(node));
        }
    }

    private static void text(Tape tape, int node, Sink to, boolean key) {
        if (tape.has(node, Tape.AS_WRITTEN | Tape.HALVES)) {
            String text = tape.str(node);
            if (key) to.key(text);
            else to.str(text);
            return;
        }
        int from = tape.ref(node);
        int until = from + tape.length(node);
        if (key) to.key(tape.bytesOf(node), from, until, tape.has(node, Tape.ASCII));
        else to.str(tape.bytesOf(node), from, until, tape.has(node, Tape.ASCII));
    }
}
