package kumihimo;

/** The walk from a reader to a sink that serves every format; no recursion. */
final class Feed {
    private Feed() {}

    /** Two bits for each open container; the reader limits how many there are. */
    private static final int MAP = 1;
    /** The value that is read now is a key of the map. */
    private static final int KEY = 2;

    static void value(Reader from, Sink to) {
        Located located = Located.of(to);
        byte[] levels = new byte[32];
        int depth = 0;
        for (;;) {
            boolean opened = false;
            Kind kind = from.kind();
            if (located != null) located.place(from.position());
            switch (kind) {
                case ARRAY:
                case MAP:
                    if (depth == levels.length) levels = java.util.Arrays.copyOf(levels, depth * 2);
                    levels[depth++] = open(from, to);
                    opened = true;
                    break;
                default:
                    scalar(from, to);
            }
            for (;;) {
                if (!opened) {
                    if (depth == 0) return;
                    if ((levels[depth - 1] & KEY) != 0) {
                        levels[depth - 1] &= ~KEY;
                        break;
                    }
                }
                if (from.hasNext()) {
                    if (levels[depth - 1] == MAP) {
                        if (from.kind() == Kind.STR) {
                            if (located != null) located.place(from.position());
                            to.key(from.key());
                        } else {
                            to.keyIsNext();
                            levels[depth - 1] |= KEY;
                        }
                    }
                    break;
                }
                if (located != null) located.place(from.consumed());
                to.end();
                depth--;
                opened = false;
            }
        }
    }

    private static byte open(Reader from, Sink to) {
        if (from.kind() == Kind.ARRAY) {
            to.array(from.array());
            return 0;
        }
        to.map(from.map());
        return MAP;
    }

    private static void scalar(Reader from, Sink to) {
        switch (from.kind()) {
            case NIL:
                from.nil();
                to.nil();
                return;
            case BOOL:
                to.bool(from.bool());
                return;
            case I64:
                to.i64(from.i64());
                return;
            case U64:
                to.u64(from.u64());
                return;
            case F64:
                to.f64(from.f64());
                return;
            case BIG:
                to.big(from.number());
                return;
            case STR:
                to.str(from.str());
                return;
            case BIN: {
                byte[] data = from.bin();
                to.bin(data, 0, data.length);
                return;
            }
            case TIME:
                to.time(from.time());
                return;
            case EXT: {
                int type = from.ext();
                byte[] data = from.extData();
                to.ext(type, data, 0, data.length);
                return;
            }
            default:
                throw new AssertionError(from.kind());
        }
    }
}
