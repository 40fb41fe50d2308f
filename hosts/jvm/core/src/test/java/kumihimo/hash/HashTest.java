package kumihimo.hash;

import java.util.Arrays;
import java.util.SplittableRandom;
import kumihimo.Hex;

/** Hashes: {@code java -cp CLASSES kumihimo.hash.HashTest}. */
public final class HashTest {
    private int checked;
    private int failed;

    public static void main(String[] arguments) {
        HashTest test = new HashTest();
        test.sip();
        test.pieces(new SplittableRandom(1));
        test.known();
        test.pairs();
        System.out.println(test.checked + " hashes, " + test.failed + " failures");
        if (test.failed != 0) System.exit(1);
    }

    /** Of the authors' table: the key 00 01 .. 0f, inputs 00 01 .. of each length. */
    private void sip() {
        byte[] key = counting(16);
        String[] wanted = {"a3817f04ba25a8e66df67214c7550293", "da87c1d86b99af44347659119b22fc45"};
        for (int n = 0; n < wanted.length; n++) {
            SipHash128 hash = new SipHash128(key);
            hash.update(counting(n), 0, n);
            equal(Hex.hex(hash.digest()), wanted[n]);
        }
    }

    /** However the bytes come. */
    private void pieces(SplittableRandom random) {
        byte[] data = counting(200);
        SipHash128 whole = new SipHash128(counting(16));
        SipHash128 parts = new SipHash128(counting(16));
        for (int i = 0; i < 1000; i++) {
            int n = random.nextInt(data.length + 1);
            whole.update(data, 0, n);
            for (int at = 0; at < n; ) {
                int to = Math.min(n, at + random.nextInt(20));
                parts.update(data, at, to);
                at = to;
            }
            equal(Hex.hex(parts.digest()), Hex.hex(whole.digest()));
        }
    }

    /** What is hashed is written down here once: caches live longer than releases. */
    private void known() {
        HashWriter hash = HashWriter.hash256();
        byte[] text = {12, 14, 1, 0, 0, 0, 'a', 3, 1, 0, 0, 0, 0, 0, 0, 0, 13};
        Sha256 sha = new Sha256();
        sha.update(text, 0, text.length);
        hash.map(1);
        hash.key("a");
        hash.i64(1);
        hash.end();
        hash.finish();
        equal(Hex.hex(hash.toByteArray()), Hex.hex(sha.digest()));
    }

    /** The order of pairs counts, or not, at every level. */
    private void pairs() {
        for (HashWriter hash : new HashWriter[] {HashWriter.hash128(), HashWriter.hash256().unordered()}) {
            boolean same = Arrays.equals(nested(hash, true), nested(hash, false));
            checked++;
            if (same != (hash.toByteArray().length == 32)) fail("the order of pairs");
        }
    }

    private byte[] nested(HashWriter hash, boolean turned) {
        hash.reset();
        hash.array(1);
        hash.map(2);
        for (int i = 0; i < 2; i++) {
            boolean first = i == 0 != turned;
            hash.key(first ? "a" : "b");
            hash.map(2);
            hash.key(first ? "x" : "y");
            hash.array(0);
            hash.end();
            hash.key(first ? "y" : "x");
            hash.array(0);
            hash.end();
            hash.end();
        }
        hash.end();
        hash.end();
        hash.finish();
        return hash.toByteArray();
    }

    private void equal(String got, String wanted) {
        checked++;
        if (!got.equals(wanted)) fail(got + " instead of " + wanted);
    }

    private void fail(String what) {
        failed++;
        System.out.println(what);
    }

    private static byte[] counting(int n) {
        byte[] bytes = new byte[n];
        for (int i = 0; i < n; i++) bytes[i] = (byte) i;
        return bytes;
    }
}
