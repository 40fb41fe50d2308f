package kumihimo.cbor;

import kumihimo.Moment;
import kumihimo.Sink;

/** Takes everything and keeps nothing. */
final class Nobody implements Sink {
    @Override
    public void nil() {}

    @Override
    public void bool(boolean value) {}

    @Override
    public void i64(long value) {}

    @Override
    public void u64(long bits) {}

    @Override
    public void f64(double value) {}

    @Override
    public void big(String digits) {}

    @Override
    public void str(String text) {}

    @Override
    public void str(byte[] data, int from, int to, boolean ascii) {}

    @Override
    public void bin(byte[] data, int from, int to) {}

    @Override
    public void time(Moment moment) {}

    @Override
    public void ext(int type, byte[] data, int from, int to) {}

    @Override
    public void array(long count) {}

    @Override
    public void map(long count) {}

    @Override
    public void key(String text) {}

    @Override
    public void key(byte[] data, int from, int to, boolean ascii) {}

    @Override
    public void keyIsNext() {}

    @Override
    public void end() {}
}
