package kumihimo;

import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;

/** A stream that gives so many bytes at a time, and of three reads one that takes too long and one without a byte. */
public final class SlowStream extends InputStream {
    private final byte[] data;
    private final int end;
    private final int piece;
    private int at;
    private int calls;

    public SlowStream(byte[] data, int end, int piece) {
        this.data = data;
        this.end = end;
        this.piece = piece;
    }

    @Override
    public int read() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        calls++;
        if (calls % 3 == 1) throw new SocketTimeoutException();
        if (calls % 3 == 2) return 0;
        int n = Math.min(Math.min(length, piece), end - at);
        if (n == 0) return -1;
        System.arraycopy(data, at, to, offset, n);
        at += n;
        return n;
    }
}
