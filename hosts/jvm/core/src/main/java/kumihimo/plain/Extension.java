package kumihimo.plain;

import java.util.Arrays;

/** A value of a format's own type: MessagePack's extensions, and what CBOR has no other value for. Immutable. */
public final class Extension implements Comparable<Extension> {
    private final int type;
    private final byte[] data;

    /** @param data is copied */
    public Extension(int type, byte[] data) {
        this(type, data, 0, data.length);
    }

    Extension(int type, byte[] data, int from, int to) {
        this.type = type;
        this.data = Arrays.copyOfRange(data, from, to);
    }

    public int type() {
        return type;
    }

    /** How many bytes there are. */
    int size() {
        return data.length;
    }

    /** A copy of the bytes. */
    public byte[] data() {
        return data.clone();
    }

    void writeTo(kumihimo.Sink to) {
        to.ext(type, data, 0, data.length);
    }

    @Override
    public int compareTo(Extension other) {
        return type != other.type ? Integer.compare(type, other.type) : Arrays.compare(data, other.data);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Extension && compareTo((Extension) other) == 0;
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(data) * 31 + type;
    }

    @Override
    public String toString() {
        return "Extension(" + type + ", " + data.length + " bytes)";
    }
}
