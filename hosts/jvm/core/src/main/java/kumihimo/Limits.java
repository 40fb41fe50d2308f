package kumihimo;

/**
 * What a reader or writer refuses to go beyond; immutable. The defaults are those of {@code engine/core/limits.hpp}.
 */
public final class Limits {
    /**
     * 1024 containers open at once, a document of 2^31-1 bytes, digits of 2048 bytes for an integer that is converted.
     */
    public static final Limits DEFAULT = new Limits(1024, Integer.MAX_VALUE, 1000, 16 << 20);

    /** Bytes of an integer that is converted between binary and decimal digits, which costs time by the square. */
    public static final int NUMBER_BYTES = 2048;

    private final int depth;
    private final long size;
    private final int ratio;
    private final int ratioFloor;

    private Limits(int depth, long size, int ratio, int ratioFloor) {
        this.depth = depth;
        this.size = size;
        this.ratio = ratio;
        this.ratioFloor = ratioFloor;
    }

    /** Containers open at once. */
    public int depth() {
        return depth;
    }

    /** Bytes of one document, read or written. */
    public long size() {
        return size;
    }

    /** Bytes out of a frame for one byte in, beyond the first {@link #ratioFloor}. */
    public int ratio() {
        return ratio;
    }

    /** Bytes out of a frame up to which any ratio will do. */
    public int ratioFloor() {
        return ratioFloor;
    }

    public Limits withDepth(int depth) {
        return new Limits(depth, size, ratio, ratioFloor);
    }

    public Limits withSize(long size) {
        return new Limits(depth, size, ratio, ratioFloor);
    }

    public Limits withRatio(int ratio, int ratioFloor) {
        return new Limits(depth, size, ratio, ratioFloor);
    }
}
