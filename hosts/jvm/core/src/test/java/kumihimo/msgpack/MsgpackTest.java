package kumihimo.msgpack;

import java.util.Arrays;
import java.util.function.Consumer;
import kumihimo.Checks;
import kumihimo.Code;
import kumihimo.Limits;
import kumihimo.Moment;
import kumihimo.Names;
import kumihimo.Reader;

/** MessagePack beyond the vectors: {@code java -cp CLASSES kumihimo.msgpack.MsgpackTest}. */
public final class MsgpackTest {
    private final Checks checks = new Checks();

    public static void main(String[] arguments) {
        MsgpackTest test = new MsgpackTest();
        test.integers();
        test.brokenText();
        test.keysOfBrokenText();
        test.moments();
        test.numbersInText();
        test.hostile();
        test.checks.report();
    }

    private static byte[] bytes(int... all) {
        byte[] bytes = new byte[all.length];
        for (int i = 0; i < all.length; i++) bytes[i] = (byte) all[i];
        return bytes;
    }

    private static byte[] written(MsgpackDialect as, Consumer<MsgpackWriter> body) {
        MsgpackWriter w = new MsgpackWriter(as, Limits.DEFAULT);
        body.accept(w);
        w.finish();
        return w.toByteArray();
    }

    private static byte[] standard(Consumer<MsgpackWriter> body) {
        return written(MsgpackDialect.STANDARD, body);
    }

    private static Reader reader(MsgpackReadDialect granted) {
        return new MsgpackReader(granted, Limits.DEFAULT);
    }

    private void is(byte[] got, int... wanted) {
        checks.yes(Arrays.toString(got), Arrays.equals(got, bytes(wanted)));
    }

    /** Every width, written as a long, an int and without sign, and read as all of them. */
    private void integers() {
        Reader reader = reader(MsgpackReadDialect.STANDARD);
        for (int shift = 0; shift < 64; shift++) {
            for (int off = -2; off <= 2; off++) {
                for (long n : new long[] {(1L << shift) + off, -(1L << shift) + off}) {
                    byte[] document = standard(w -> w.i64(n));
                    int size = n >= -32 && n < 128 ? 1 : n >= -128 && n < 256 ? 2 : n >= -32768 && n < 65536 ? 3
                            : n >= Integer.MIN_VALUE && n < 1L << 32 ? 5 : 9;
                    checks.equal("bytes of " + n, document.length, size);
                    checks.equal("" + n, reader.reset(document).i64(), n);
                    checks.equal("a double " + n, reader.reset(document).f64(), (double) n);
                    if (n == (int) n) {
                        checks.equal("an int " + n, reader.reset(document).i32(), (int) n);
                        checks.yes("an int " + n, Arrays.equals(standard(w -> w.i32((int) n)), document));
                    }
                    if (n >= 0) {
                        checks.equal("unsigned " + n, reader.reset(document).u64(), n);
                        checks.yes("unsigned " + n, Arrays.equals(standard(w -> w.u64(n)), document));
                    }
                }
            }
        }
        // Wider than need be.
        checks.equal("0 in 64 bits", reader.reset(bytes(0xd3, 0, 0, 0, 0, 0, 0, 0, 0)).i64(), 0L);
        checks.equal("-1 in 16 bits", reader.reset(bytes(0xd1, 0xff, 0xff)).i32(), -1);
        checks.equal("a float", reader.reset(bytes(0xca, 0x3f, 0x80, 0, 0)).f64(), 1.0);
    }

    private void brokenText() {
        String half = "a\ud800";
        checks.refused("half a pair", Code.ENCODING, () -> standard(w -> w.str(half)));
        is(written(MsgpackDialect.LENIENT, w -> w.str(half)), 0xc4, 4, 'a', 0xed, 0xa0, 0x80);
        is(written(MsgpackDialect.RUBY, w -> w.str(half)), 0xa4, 'a', 0xed, 0xa0, 0x80);
        byte[] broken = bytes('a', 0xff);
        checks.refused("no UTF-8", Code.ENCODING, () -> standard(w -> w.str(broken, 0, 2, false)));
        is(written(MsgpackDialect.LENIENT, w -> w.str(broken, 0, 2, false)), 0xc4, 2, 'a', 0xff);
        is(written(MsgpackDialect.RUBY, w -> w.str(broken, 0, 2, false)), 0xa2, 'a', 0xff);

        byte[] document = bytes(0xa2, 'a', 0xff);
        Reader raw = reader(MsgpackReadDialect.RAW);
        is(raw.reset(document).bin(), 'a', 0xff);
        checks.equal("text by raw", raw.reset(bytes(0xa2, 'a', 'b')).str(), "ab");
        for (MsgpackReadDialect each : MsgpackReadDialect.values()) {
            checks.equal("where it breaks",
                    checks.refused("as text", Code.ENCODING, () -> reader(each).reset(document).str()).offset(), 2L);
        }
    }

    private void keysOfBrokenText() {
        byte[] document = bytes(0x81, 0xa2, 'a', 0xff, 0x05);
        Names names = Names.of("a");
        Reader raw = reader(MsgpackReadDialect.RAW).reset(document);
        raw.map();
        checks.equal("by raw", raw.field(names, 0), Names.OTHER);
        checks.equal("bytes", raw.lastKey(), "Yf8=");
        checks.equal("its value", raw.i32(), 5);
        Reader ruby = reader(MsgpackReadDialect.RUBY_READ).reset(document);
        ruby.map();
        checks.equal("by ruby_read", ruby.field(names, 0), Names.OTHER);
        checks.refused("no String", Code.ENCODING, ruby::lastKey);
        checks.equal("its value", ruby.i32(), 5);
        Reader standard = reader(MsgpackReadDialect.STANDARD).reset(document);
        standard.map();
        checks.refused("by standard", Code.ENCODING, () -> standard.field(names, 0));
    }

    /** What no timestamp holds goes out as text, and comes back as it was. */
    private void moments() {
        Reader reader = reader(MsgpackReadDialect.STANDARD);
        for (Moment.Clock clock : Moment.Clock.values()) {
            boolean zoned = clock == Moment.Clock.OFFSET || clock == Moment.Clock.LOCAL;
            Moment moment = new Moment(86400 * 17000L, 0, zoned ? 3600 : 0, clock);
            Moment back = reader.reset(written(MsgpackDialect.TIME_TEXT, w -> w.time(moment))).time();
            checks.equal("seconds by " + clock, back.seconds(), moment.seconds());
            checks.equal("offset by " + clock, back.offset(), moment.offset());
            if (clock == Moment.Clock.UTC) continue;
            checks.refused("exactly by " + clock, Code.UNSUPPORTED,
                    () -> written(MsgpackDialect.EXACT, w -> w.time(moment)));
        }
        checks.refused("text that is no moment", Code.TYPE, () -> reader.reset(bytes(0xa1, 'x')).time());
        checks.refused("a moment that is none", Code.RANGE, () -> reader
                .reset(bytes(0xd7, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)).time());
        checks.equal("ext -1 of another length", reader.reset(bytes(0xd5, 0xff, 0, 0)).ext(), -1);
    }

    private void numbersInText() {
        Reader reader = reader(MsgpackReadDialect.STANDARD);
        checks.equal("digits", reader.reset(written(MsgpackDialect.BIG_TEXT, w -> w.big("1e400"))).number(), "1e400");
        checks.refused("no digits", Code.TYPE, () -> reader.reset(bytes(0xa2, '0', '1')).number());
        checks.refused("digits", Code.UNSUPPORTED, () -> standard(w -> w.big("1e400")));
        checks.refused("NaN has none", Code.RANGE, () -> reader.reset(standard(w -> w.f64(Double.NaN))).number());
        checks.refused("a type beyond a byte", Code.RANGE, () -> standard(w -> w.ext(128, bytes(), 0, 0)));
        checks.refused("a count beyond 32 bits", Code.SIZE, () -> standard(w -> w.array(1L << 32)));
    }

    /** Lengths that lie are refused before anything is made for them. */
    private void hostile() {
        Reader reader = reader(MsgpackReadDialect.STANDARD);
        for (int c : new int[] {0xc6, 0xc9, 0xdb, 0xdd, 0xdf}) {
            byte[] document = bytes(0x91, c, 0xff, 0xff, 0xff, 0xff, 1);
            checks.equal("where", checks.refused("a lie", Code.TRUNCATED, () -> {
                reader.reset(document).skip();
                return null;
            }).offset(), 1L);
        }
        byte[] deep = new byte[1 << 20];
        Arrays.fill(deep, (byte) 0x91);
        checks.equal("where", checks.refused("deep", Code.DEPTH, () -> {
            reader.reset(deep).skip();
            return null;
        }).offset(), 1024L);
        byte[] wide = new byte[1 << 20];
        Arrays.fill(wide, (byte) 0xdf);
        checks.refused("wide", Code.TRUNCATED, () -> {
            reader.reset(wide).skip();
            return null;
        });
    }
}
