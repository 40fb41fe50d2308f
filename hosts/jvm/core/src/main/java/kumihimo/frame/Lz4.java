package kumihimo.frame;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;

/**
 * LZ4's frame format, 1.6: header, blocks, check sum. What is packed here carries a check sum. Not the format that
 * {@code lz4 -l} writes, which has none and no end.
 */
final class Lz4 extends Frame {
    private static final byte[] MAGIC = {0x04, 0x22, 0x4d, 0x18};

    // The header's first byte behind the magic number.
    private static final int VERSION = 0x40;
    private static final int INDEPENDENT = 0x20;
    private static final int BLOCK_CHECK = 0x10;
    private static final int LENGTH = 0x08;
    private static final int CHECK = 0x04;
    private static final int DICTIONARY = 0x01;

    /** How far back a match may reach. */
    private static final int WINDOW = 1 << 16;
    private static final int STORED = 0x80000000;

    Lz4() {
        super("lz4", ".lz4", "application/x-lz4", null, 1, 1, 12);
    }

    @Override
    public boolean isAvailable() {
        return true;
    }

    @Override
    Match begins(byte[] head, int from, int to) {
        Match is = matches(head, from, to, MAGIC);
        return is == Match.NO ? skippable(head, from, to) : is;
    }

    @Override
    long announced(byte[] file, int from, int to) {
        if (to - from < 15 || matches(file, from, to, MAGIC) != Match.YES) return 0;
        if ((file[from + 4] & LENGTH) == 0) return 0;
        return Math.max(little(file, from + 6) | little(file, from + 10) << 32, 0);
    }

    @Override
    Expander expander(Limits limits) {
        return new Decode();
    }

    @Override
    Compressor compressor(int level) {
        return new Encode(level);
    }

    /** The most bytes of text in a block, by the number in the header. */
    private static int blockSize(int number) {
        return 1 << 8 + 2 * number;
    }

    private static final class Decode extends Expander {
        // Which part of the frame is gathered; each has a length that is known when it begins.
        private static final int MAGIC_NUMBER = 0;
        private static final int FLAGS = 1;
        private static final int HEADER = 2;
        private static final int SKIPPED_LENGTH = 3;
        private static final int SKIPPED = 4;
        private static final int BLOCK_LENGTH = 5;
        private static final int BLOCK = 6;
        private static final int LAST_CHECK = 7;

        private int state;
        private int wanted = 4; // bytes of the part at hand
        private byte[] part = new byte[32];
        private int held;
        private long skip;

        /** The first bytes of the header, as many as every header has; the flags are the first of them. */
        private final byte[] least = new byte[3];

        private int flags;
        private int most; // bytes of text in a block
        private long length; // of the text, as the header says, or -1
        private long produced;
        private boolean stored; // the block at hand is no packed one
        private final XxHash32 check = new XxHash32();

        /** The text of the last blocks, as far back as the next may reach, and of that what was not yet given. */
        private byte[] text = new byte[0];
        private int first;
        private int last;

        @Override
        void expand(byte[] in, int from, int to, byte[] out, int at, int room) {
            taken = 0;
            given = 0;
            ended = false;
            for (;;) {
                int n = Math.min(last - first, room - given);
                System.arraycopy(text, first, out, at + given, n);
                first += n;
                given += n;
                if (first < last || ended || taken == to - from) return;
                if (state == SKIPPED) {
                    int passed = (int) Math.min(skip, to - from - taken);
                    taken += passed;
                    skip -= passed;
                    if (skip == 0) done();
                } else {
                    gather(in, from + taken, to);
                }
            }
        }

        /** Takes bytes of the part at hand, and acts on it when it is whole. */
        private void gather(byte[] in, int from, int to) {
            if (held == 0 && to - from >= wanted) {
                taken += wanted;
                part(in, from);
                return;
            }
            int n = Math.min(wanted - held, to - from);
            // A block is as long as it says only when its bytes are there.
            if (held + n > part.length) {
                part = Arrays.copyOf(part, Math.min(wanted, Math.max(held + n, part.length * 2)));
            }
            System.arraycopy(in, from, part, held, n);
            held += n;
            taken += n;
            if (held == wanted) {
                held = 0;
                part(part, 0);
            }
        }

        private void want(int state, int bytes) {
            this.state = state;
            wanted = bytes;
        }

        private void part(byte[] data, int at) {
            switch (state) {
                case MAGIC_NUMBER:
                    if (data[at] == MAGIC[0]) want(FLAGS, least.length);
                    else want(SKIPPED_LENGTH, 4);
                    return;
                case FLAGS:
                    System.arraycopy(data, at, least, 0, least.length);
                    flags = least[0] & 0xff;
                    if ((flags & 0xc2) != VERSION) throw damaged("the lz4 frame is of a version that does not exist");
                    want(HEADER, ((flags & LENGTH) != 0 ? 8 : 0) + ((flags & DICTIONARY) != 0 ? 4 : 0));
                    if (wanted == 0) header(data, at);
                    return;
                case HEADER:
                    header(data, at);
                    return;
                case SKIPPED_LENGTH:
                    skip = little(data, at);
                    if (skip == 0) done();
                    else state = SKIPPED;
                    return;
                case BLOCK_LENGTH:
                    blockLength((int) little(data, at));
                    return;
                case BLOCK:
                    block(data, at);
                    return;
                default:
                    if (check.value() != (int) little(data, at)) {
                        throw damaged("the text does not match its checksum (XXH32)");
                    }
                    done();
            }
        }

        /** The rest of the header stands here. */
        private void header(byte[] data, int at) {
            byte[] all = Arrays.copyOf(least, least.length + wanted);
            System.arraycopy(data, at, all, least.length, wanted);
            int number = all[1] >> 4;
            if ((all[1] & 0x8f) != 0 || number < 4) throw damaged("the lz4 header is damaged");
            int sum = all.length - 1;
            if ((byte) (XxHash32.of(all, 0, sum) >> 8) != all[sum]) {
                throw damaged("the lz4 header does not match its checksum");
            }
            most = blockSize(number);
            length = (flags & LENGTH) != 0 ? little(all, 2) | little(all, 6) << 32 : -1;
            if ((flags & LENGTH) != 0 && length < 0) throw damaged("the lz4 header is damaged");
            produced = 0;
            check.reset();
            first = last = 0;
            want(BLOCK_LENGTH, 4);
        }

        private void blockLength(int said) {
            if (said == 0) {
                if (length >= 0 && length != produced) throw damaged("the text is not as long as the lz4 frame says");
                if ((flags & CHECK) != 0) want(LAST_CHECK, 4);
                else done();
                return;
            }
            stored = (said & STORED) != 0;
            int n = said & ~STORED;
            if (n > most) throw damaged("the lz4 data is damaged");
            want(BLOCK, n + ((flags & BLOCK_CHECK) != 0 ? 4 : 0));
            if (wanted == 0) want(BLOCK_LENGTH, 4);
        }

        private void block(byte[] data, int at) {
            int n = wanted - ((flags & BLOCK_CHECK) != 0 ? 4 : 0);
            if ((flags & BLOCK_CHECK) != 0 && XxHash32.of(data, at, at + n) != (int) little(data, at + n)) {
                throw damaged("the text does not match its checksum (XXH32)");
            }
            int kept = (flags & INDEPENDENT) != 0 ? 0 : Math.min(last, WINDOW);
            int may = stored ? n : (int) Math.min(most, n * 255L); // no packed byte gives more than 255
            byte[] next = text.length >= kept + may + 8 ? text : new byte[kept + may + 8];
            System.arraycopy(text, last - kept, next, 0, kept);
            text = next;
            first = kept;
            if (stored) {
                System.arraycopy(data, at, text, kept, n);
                last = kept + n;
            } else {
                last = Lz4Blocks.decode(data, at, at + n, text, kept, kept + may);
                if (last < 0) throw damaged("the lz4 data is damaged");
            }
            produced += last - first;
            if ((flags & CHECK) != 0) check.update(text, first, last);
            want(BLOCK_LENGTH, 4);
        }

        private void done() {
            ended = true;
            want(MAGIC_NUMBER, 4);
        }

        private DataException damaged(String what) {
            return new DataException(Code.SYNTAX, what);
        }

        @Override
        void close() {}
    }

    private static final class Encode extends Compressor {
        private final Lz4Blocks blocks;
        private final XxHash32 check = new XxHash32();
        private byte[] held = new byte[0];
        private int filled;
        private int number = 6; // 1 MB
        private long announced = -1;
        private byte[] packed = new byte[0];
        private boolean open;

        Encode(int level) {
            blocks = new Lz4Blocks(level);
        }

        @Override
        int bound(int size) {
            return (int) Math.min(size / 2L + 64, Integer.MAX_VALUE - 8);
        }

        @Override
        void announce(long size) {
            announced = size;
            number = size <= blockSize(4) ? 4 : size <= blockSize(5) ? 5 : 6;
        }

        @Override
        void compress(byte[] in, int from, int to, OutputStream out) throws IOException {
            begin(out);
            check.update(in, from, to);
            int size = blockSize(number);
            if (filled > 0) {
                int n = Math.min(size - filled, to - from);
                hold(in, from, n);
                from += n;
                if (filled == size) flush(out);
            }
            for (; to - from >= size; from += size) block(in, from, from + size, out);
            hold(in, from, to - from);
        }

        private void hold(byte[] in, int from, int n) {
            if (n == 0) return;
            if (filled + n > held.length) {
                held = Arrays.copyOf(held, Math.min(blockSize(number), Math.max(filled + n, held.length * 2)));
            }
            System.arraycopy(in, from, held, filled, n);
            filled += n;
        }

        @Override
        void flush(OutputStream out) throws IOException {
            begin(out);
            block(held, 0, filled, out);
            filled = 0;
        }

        @Override
        void finish(OutputStream out) throws IOException {
            flush(out);
            byte[] end = new byte[8];
            little(end, 4, check.value());
            out.write(end);
            open = false;
            announced = -1;
        }

        private void begin(OutputStream out) throws IOException {
            if (open) return;
            open = true;
            check.reset();
            byte[] header = new byte[19];
            System.arraycopy(MAGIC, 0, header, 0, 4);
            header[4] = (byte) (VERSION | INDEPENDENT | CHECK | (announced >= 0 ? LENGTH : 0));
            header[5] = (byte) (number << 4);
            int n = 6;
            if (announced >= 0) {
                little(header, 6, (int) announced);
                little(header, 10, (int) (announced >>> 32));
                n = 14;
            }
            header[n] = (byte) (XxHash32.of(header, 4, n) >> 8);
            out.write(header, 0, n + 1);
        }

        private void block(byte[] in, int from, int to, OutputStream out) throws IOException {
            if (from == to) return;
            int bound = 4 + Lz4Blocks.bound(to - from);
            if (packed.length < bound) packed = new byte[bound];
            int n = blocks.encode(in, from, to, packed, 4) - 4;
            if (n < to - from) {
                little(packed, 0, n);
                out.write(packed, 0, 4 + n);
            } else {
                little(packed, 0, to - from | STORED);
                out.write(packed, 0, 4);
                out.write(in, from, to - from);
            }
        }

        private static void little(byte[] to, int at, int value) {
            for (int i = 0; i < 4; i++) to[at + i] = (byte) (value >> 8 * i);
        }

        @Override
        void close() {}
    }
}
