package kumihimo.hash;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256, by the JDK. */
final class Sha256 implements Digest {
    private final MessageDigest digest;

    Sha256() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public void reset() {
        digest.reset();
    }

    @Override
    public void update(byte[] data, int from, int to) {
        digest.update(data, from, to - from);
    }

    @Override
    public byte[] digest() {
        return digest.digest();
    }
}
