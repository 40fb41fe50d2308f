package kumihimo.cbor;

import java.util.Arrays;
import kumihimo.format.HeaderWalk;

/**
 * Where documents end in a run of CBOR items (RFC 8742, CBOR sequences); as {@code engine/cbor/boundary.hpp}.
 *
 * <p>A definite container's header adds its values to those that are still to come. One of indefinite length puts that
 * number aside until its break, and so do strings of indefinite length, whose chunks count as values. Whether the
 * document is valid is the reader's question.
 *
 * <pre>
 *   82 9f 01 ff a0      to come 1 -> 2 -> (2-1 aside) break -> 1 -> 0
 * </pre>
 */
final class CborBoundary extends HeaderWalk {
    /** No input counts it down. */
    private static final long ENDLESS = Long.MAX_VALUE;

    private final CborHeader header = new CborHeader();
    /** Values. */
    private long toCome = 1;
    /** What was to come behind each open container or string of indefinite length. */
    private long[] aside = new long[8];
    private int open;

    CborBoundary() {
        super(CborHeader.LONGEST);
    }

    @Override
    protected void restart() {
        toCome = 1;
        open = 0;
    }

    /** A byte that begins no item is one, and so is a break out of place, so that the reader says what is wrong. */
    @Override
    protected int step(byte[] data, int from, int to) {
        header.read(data, from, to);
        if (header.kind == CborHeader.Kind.CUT) return 0;
        take();
        done = toCome == 0;
        return header.size;
    }

    private void take() {
        if (header.kind == CborHeader.Kind.STOP && open != 0) {
            toCome = aside[--open];
            return;
        }
        toCome--;
        if (header.indefinite) {
            if (open == aside.length) aside = Arrays.copyOf(aside, open * 2);
            aside[open++] = toCome;
            toCome = ENDLESS;
        } else if (header.isString()) {
            // A length with its highest bit set is one that never ends, too.
            payload = header.argument & Long.MAX_VALUE | header.argument >> 63 & Long.MAX_VALUE;
        } else if (header.kind == CborHeader.Kind.TAG) {
            toCome++;
        } else if (header.isContainer()) {
            // Hostile counts would wrap: what never ends stays so.
            int times = header.kind == CborHeader.Kind.MAP ? 2 : 1;
            long room = (ENDLESS - toCome) / times;
            toCome = Long.compareUnsigned(header.argument, room) > 0 ? ENDLESS : toCome + header.argument * times;
        }
    }
}
