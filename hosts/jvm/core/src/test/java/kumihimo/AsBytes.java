package kumihimo;

import java.nio.charset.StandardCharsets;

/** Passes verbs on, with all text as UTF-8 in the middle of an array, as readers have it. */
final class AsBytes implements Sink {
    private final Sink to;

    AsBytes(Sink to) {
        this.to = to;
    }

    private static byte[] padded(byte[] utf8) {
        byte[] padded = new byte[utf8.length + 4];
        System.arraycopy(utf8, 0, padded, 2, utf8.length);
        padded[0] = padded[1] = padded[padded.length - 1] = (byte) 0xe9;
        padded[padded.length - 2] = '"';
        return padded;
    }

    private static boolean ascii(byte[] data, int from, int to) {
        for (int i = from; i < to; i++) {
            if (data[i] < 0) return false;
        }
        return true;
    }

    @Override
    public void str(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        to.str(padded(utf8), 2, 2 + utf8.length, ascii(utf8, 0, utf8.length));
    }

    @Override
    public void str(byte[] data, int from, int to, boolean ascii) {
        this.to.str(data, from, to, ascii);
    }

    @Override
    public void key(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        to.key(padded(utf8), 2, 2 + utf8.length, ascii(utf8, 0, utf8.length));
    }

    @Override
    public void key(byte[] data, int from, int to, boolean ascii) {
        this.to.key(data, from, to, ascii);
    }

    @Override
    public void nil() {
        to.nil();
    }

    @Override
    public void bool(boolean value) {
        to.bool(value);
    }

    @Override
    public void i64(long value) {
        to.i64(value);
    }

    @Override
    public void u64(long bits) {
        to.u64(bits);
    }

    @Override
    public void f64(double value) {
        to.f64(value);
    }

    @Override
    public void big(String digits) {
        to.big(digits);
    }

    @Override
    public void bin(byte[] data, int from, int to) {
        this.to.bin(data, from, to);
    }

    @Override
    public void time(Moment moment) {
        to.time(moment);
    }

    @Override
    public void ext(int type, byte[] data, int from, int to) {
        this.to.ext(type, data, from, to);
    }

    @Override
    public void array(long count) {
        to.array(count);
    }

    @Override
    public void map(long count) {
        to.map(count);
    }

    @Override
    public void keyIsNext() {
        to.keyIsNext();
    }

    @Override
    public void end() {
        to.end();
    }
}
