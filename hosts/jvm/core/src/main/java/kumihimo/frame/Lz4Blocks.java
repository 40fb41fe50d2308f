package kumihimo.frame;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * LZ4's blocks: sequences of literals and a match, each behind a token.
 *
 * <pre>
 *   token    literals, high 4 bits; bytes of the match less 4, low 4 bits; 15 goes on in bytes of up to 255
 *   literals
 *   offset   2 bytes, little-endian: how far back the match begins
 * </pre>
 *
 * <p>The last sequence is literals alone. A packer's match ends 5 bytes before the end or more, and begins 12 before
 * it or more.
 */
final class Lz4Blocks {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int LEAST = 4;
    private static final int LAST_LITERALS = 5;
    private static final int LAST_MATCH = 12;
    private static final int WINDOW = 65535;

    /** How many earlier places are tried at each place; 0: the last one with the same hash, and not at each place. */
    private final int tries;
    private int bits;
    private int[] table = new int[0]; // of a hash: the last place with it, from the block's first byte, plus 1
    private int[] chain; // of a place, modulo the window: the place before it with the same hash, plus 1

    private byte[] out;
    private int at;

    /** @param level 1 and 2 are fast, 3 to 12 try more and more */
    Lz4Blocks(int level) {
        tries = level < 3 ? 0 : 1 << level - 1;
        if (tries > 0) chain = new int[WINDOW + 1];
    }

    /** The most bytes that so many take. */
    static int bound(int size) {
        return size + size / 255 + 16;
    }

    /**
     * Unpacks a block behind the text of those before it, to which it may refer.
     *
     * @param at where the text begins, and up to which there is text of other blocks
     * @param limit behind which there are 8 bytes more in the array
     * @return where the text ends, or -1 where the block is damaged
     */
    static int decode(byte[] in, int from, int to, byte[] text, int at, int limit) {
        int s = from;
        int d = at;
        while (s < to) {
            int token = in[s++] & 0xff;
            int literals = token >>> 4;
            if (literals == 15) {
                for (int b = 255; b == 255; literals += b) {
                    if (s == to) return -1;
                    b = in[s++] & 0xff;
                }
            }
            if (literals > to - s || literals > limit - d) return -1;
            if (literals <= 8 && s + 8 <= in.length) LONG.set(text, d, (long) LONG.get(in, s));
            else System.arraycopy(in, s, text, d, literals);
            s += literals;
            d += literals;
            if (s == to) return d;
            if (to - s < 2) return -1;
            int offset = in[s] & 0xff | (in[s + 1] & 0xff) << 8;
            s += 2;
            int length = (token & 15) + LEAST;
            if (length == 15 + LEAST) {
                for (int b = 255; b == 255; length += b) {
                    if (s == to) return -1;
                    b = in[s++] & 0xff;
                }
            }
            if (offset == 0 || offset > d || length > limit - d) return -1;
            copy(text, d, offset, length);
            d += length;
        }
        return -1; // it ends behind a match
    }

    /** A match, which may run into its own text. */
    private static void copy(byte[] text, int d, int offset, int length) {
        int end = d + length;
        if (offset >= 8) {
            for (; d < end; d += 8) LONG.set(text, d, (long) LONG.get(text, d - offset));
        } else if (offset == 1) {
            Arrays.fill(text, d, end, text[d - 1]);
        } else {
            for (; d < end; d++) text[d] = text[d - offset];
        }
    }

    /**
     * Packs a block that refers to no other.
     *
     * @param to an array with {@link #bound} bytes behind at
     * @return where the packed bytes end
     */
    int encode(byte[] in, int from, int end, byte[] to, int at) {
        out = to;
        this.at = at;
        int last = end - LAST_MATCH;
        int literals = from;
        if (last > from) {
            prepare(end - from);
            literals = tries == 0 ? fast(in, from, end, last) : search(in, from, end, last);
        }
        sequence(in, literals, end, 0, 0);
        out = null;
        return this.at;
    }

    /** A table of the block's size, since clearing a large one would cost more than packing a small block. */
    private void prepare(int size) {
        bits = Math.max(8, Math.min(tries == 0 ? 14 : 16, 32 - Integer.numberOfLeadingZeros(size)));
        if (table.length < 1 << bits) table = new int[1 << bits];
        else Arrays.fill(table, 0, 1 << bits, 0);
    }

    private int hash(int word) {
        return word * 0x9e3779b1 >>> 32 - bits;
    }

    private int fast(byte[] in, int from, int end, int last) {
        int literals = from;
        int p = from;
        int misses = 1 << 6;
        while (p < last) {
            int word = (int) INT.get(in, p);
            int h = hash(word);
            int candidate = table[h] - 1 + from;
            table[h] = p - from + 1;
            if (candidate < from || p - candidate > WINDOW || (int) INT.get(in, candidate) != word) {
                p += misses++ >> 6;
                continue;
            }
            misses = 1 << 6;
            while (p > literals && candidate > from && in[p - 1] == in[candidate - 1]) {
                p--;
                candidate--;
            }
            int length = length(in, p, candidate, end - LAST_LITERALS);
            sequence(in, literals, p, p - candidate, length);
            p += length;
            literals = p;
            if (p < last) table[hash((int) INT.get(in, p - 2))] = p - 2 - from + 1;
        }
        return literals;
    }

    /** The longest match at each place, unless that at the next place is longer. */
    private int search(byte[] in, int from, int end, int last) {
        int literals = from;
        int p = from;
        int known = from; // places before it are in the table
        long here = 0;
        while (p < last) {
            if (here == 0) {
                here = longest(in, from, p, end, LEAST - 1);
                known = p + 1;
            }
            if (here == 0) {
                p++;
                continue;
            }
            if (p + 1 < last) {
                long next = longest(in, from, p + 1, end, (int) (here >>> 32));
                known = p + 2;
                if (next != 0) {
                    p++;
                    here = next;
                    continue;
                }
            }
            int length = (int) (here >>> 32);
            sequence(in, literals, p, (int) here, length);
            p += length;
            literals = p;
            for (; known < Math.min(p, last); known++) enter(in, from, known);
            here = 0;
        }
        return literals;
    }

    private void enter(byte[] in, int from, int p) {
        int h = hash((int) INT.get(in, p));
        chain[p - from & WINDOW] = table[h];
        table[h] = p - from + 1;
    }

    /** The longest match at a place that is longer than so many bytes: length and offset, or 0. Enters the place. */
    private long longest(byte[] in, int from, int p, int end, int least) {
        int word = (int) INT.get(in, p);
        int candidate = table[hash(word)] - 1 + from;
        enter(in, from, p);
        long best = 0;
        for (int left = tries; left > 0 && candidate >= from && p - candidate <= WINDOW; left--) {
            if ((int) INT.get(in, candidate) == word && in[candidate + least] == in[p + least]) {
                int length = length(in, p, candidate, end - LAST_LITERALS);
                if (length > least) {
                    least = length;
                    best = (long) length << 32 | p - candidate;
                    if (p + least >= end - LAST_LITERALS) break;
                }
            }
            int before = chain[candidate - from & WINDOW] - 1 + from;
            if (before >= candidate) break; // the place was overwritten: it is out of the window
            candidate = before;
        }
        return best;
    }

    private static int length(byte[] in, int p, int candidate, int end) {
        int start = p;
        while (p + 8 <= end) {
            long differing = (long) LONG.get(in, p) ^ (long) LONG.get(in, candidate);
            if (differing != 0) return p - start + (Long.numberOfTrailingZeros(differing) >> 3);
            p += 8;
            candidate += 8;
        }
        while (p < end && in[p] == in[candidate]) {
            p++;
            candidate++;
        }
        return p - start;
    }

    /** Literals and a match; the match is left out where its length is 0. */
    private void sequence(byte[] in, int from, int to, int offset, int length) {
        int literals = to - from;
        int more = length == 0 ? 0 : length - LEAST;
        out[at++] = (byte) (Math.min(literals, 15) << 4 | Math.min(more, 15));
        if (literals >= 15) rest(literals - 15);
        System.arraycopy(in, from, out, at, literals);
        at += literals;
        if (length == 0) return;
        out[at++] = (byte) offset;
        out[at++] = (byte) (offset >> 8);
        if (more >= 15) rest(more - 15);
    }

    private void rest(int n) {
        for (; n >= 255; n -= 255) out[at++] = (byte) 255;
        out[at++] = (byte) n;
    }
}
