package kumihimo.frame;

import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;

/** gzip (RFC 1952): the JDK's deflate, and headers and check sums of our own. */
final class Gzip extends Frame {
    static final byte[] MAGIC = {0x1f, (byte) 0x8b, 8};

    Gzip() {
        super("gzip", ".gz", "application/gzip", "gzip", 1, 6, 9);
    }

    @Override
    public boolean isAvailable() {
        return true;
    }

    @Override
    Match begins(byte[] head, int from, int to) {
        return matches(head, from, to, MAGIC);
    }

    /** Modulo 2^32, and of the last member only. */
    @Override
    long announced(byte[] file, int from, int to) {
        return to - from < 18 ? 0 : little(file, to - 4);
    }

    @Override
    boolean isPadded() {
        return true;
    }

    @Override
    String member() {
        return "member";
    }

    @Override
    Expander expander(Limits limits) {
        return new Inflate();
    }

    @Override
    Compressor compressor(int level) {
        return new Deflate(level);
    }

    private static final class Inflate extends Expander {
        // Where in a member the next byte stands.
        private static final int FIXED = 0;
        private static final int EXTRA_LENGTH = 1;
        private static final int EXTRA = 2;
        private static final int NAME = 3;
        private static final int COMMENT = 4;
        private static final int HEADER_CHECK = 5;
        private static final int BODY = 6;
        private static final int TRAILER = 7;

        private static final int HAS_HEADER_CHECK = 2;
        private static final int HAS_EXTRA = 4;
        private static final int HAS_NAME = 8;
        private static final int HAS_COMMENT = 16;
        private static final int UNKNOWN = 0xe0;

        private final Inflater inflater = new Inflater(true);
        private final CRC32 check = new CRC32();
        private int state;
        private int flags;
        private int seen; // bytes of this part of the header or trailer
        private long value; // of its bytes, little-endian
        private long length;

        @Override
        void expand(byte[] in, int from, int to, byte[] out, int at, int room) {
            taken = 0;
            given = 0;
            ended = false;
            int p = from;
            while (state < BODY && p < to) {
                header(in[p++]);
                taken++;
            }
            if (state == BODY) body(in, p, to, out, at, room);
            p = from + taken;
            while (state == TRAILER && p < to && !ended) {
                taken++;
                trailer(in[p++]);
            }
        }

        private void header(byte b) {
            if (state != HEADER_CHECK) check.update(b & 0xff);
            value |= (b & 0xffL) << 8 * Math.min(seen, 7);
            seen++;
            switch (state) {
                case FIXED:
                    if (seen == 1) flags = 0;
                    if (seen == 4) flags = b & 0xff;
                    if ((flags & UNKNOWN) != 0) throw damaged("the gzip header has flags that do not exist");
                    if (seen == 10) next(FIXED);
                    return;
                case EXTRA_LENGTH:
                    if (seen == 2) {
                        length = value;
                        next(length == 0 ? EXTRA : EXTRA_LENGTH);
                    }
                    return;
                case EXTRA:
                    if (seen == length) next(EXTRA);
                    return;
                case NAME:
                case COMMENT:
                    if (b == 0) next(state);
                    return;
                default:
                    if (seen < 2) return;
                    if (value != (check.getValue() & 0xffff)) {
                        throw damaged("the gzip header does not match its checksum");
                    }
                    next(HEADER_CHECK);
            }
        }

        /** Goes on to the part of the member that stands behind this one. */
        private void next(int done) {
            seen = 0;
            value = 0;
            if (done < EXTRA_LENGTH && (flags & HAS_EXTRA) != 0) {
                state = EXTRA_LENGTH;
            } else if (done == EXTRA_LENGTH) {
                state = EXTRA;
            } else if (done < NAME && (flags & HAS_NAME) != 0) {
                state = NAME;
            } else if (done < COMMENT && (flags & HAS_COMMENT) != 0) {
                state = COMMENT;
            } else if (done < HEADER_CHECK && (flags & HAS_HEADER_CHECK) != 0) {
                state = HEADER_CHECK;
            } else {
                state = BODY;
                check.reset();
                inflater.reset();
            }
        }

        private void body(byte[] in, int from, int to, byte[] out, int at, int room) {
            inflater.setInput(in, from, to - from);
            try {
                given = inflater.inflate(out, at, room);
            } catch (DataFormatException e) {
                throw damaged("the gzip data is damaged");
            } finally {
                taken += to - from - inflater.getRemaining();
            }
            check.update(out, at, given);
            if (inflater.finished()) {
                state = TRAILER;
                seen = 0;
                value = 0;
            } else if (inflater.needsDictionary()) {
                throw damaged("the gzip data is damaged");
            }
        }

        private void trailer(byte b) {
            value |= (b & 0xffL) << 8 * (seen & 3);
            seen++;
            if (seen == 4) {
                if (value != check.getValue()) throw damaged("the text does not match its checksum (CRC-32)");
                value = 0;
            } else if (seen == 8) {
                if (value != (inflater.getBytesWritten() & 0xffffffffL)) {
                    throw damaged("the text is not as long as the gzip member says");
                }
                ended = true;
                state = FIXED;
                seen = 0;
                value = 0;
                check.reset();
            }
        }

        private static DataException damaged(String what) {
            return new DataException(Code.SYNTAX, what);
        }

        @Override
        void close() {
            inflater.end();
        }
    }
}
