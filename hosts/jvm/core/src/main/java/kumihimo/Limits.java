package kumihimo;

import java.util.Objects;

/**
 * What a reader or writer refuses to go beyond; immutable. The defaults are those of {@code engine/core/limits.hpp}.
 */
public final class Limits {
    /**
     * Bytes of an integer that a format converts between binary and decimal digits, which costs time by the square.
     */
    public static final int NUMBER_BYTES = 2048;
    /** Decimal digits of the largest integer of {@link #NUMBER_BYTES}. */
    public static final int NUMBER_BYTES_DIGITS = 4933;

    /** Digits of the largest integer of 64 bits: fewer cannot be a limit. */
    private static final int LEAST_DIGITS = 20;

    /**
     * 1024 containers open at once, a document of 2^31-1 bytes; out of a frame 1000 bytes for one beyond the first 16
     * MB; numbers of 100,000 digits, with exponents up to 6176, which is that of a decimal of 128 bits (IEEE 754).
     */
    public static final Limits DEFAULT = new Limits(1024, Integer.MAX_VALUE, 1000, 16 << 20, 100_000, 6176);

    private final int depth;
    private final long size;
    private final int ratio;
    private final int ratioFloor;
    private final int numberDigits;
    private final int numberExponent;

    private Limits(int depth, long size, int ratio, int ratioFloor, int numberDigits, int numberExponent) {
        if (depth < 0) throw new IllegalArgumentException("a limit of depth is not below 0");
        if (size < 0) throw new IllegalArgumentException("a limit of size is not below 0");
        if (ratio < 1) throw new IllegalArgumentException("a limit of ratio is not below 1");
        if (ratioFloor < 0) throw new IllegalArgumentException("the floor of a ratio is not below 0");
        if (numberDigits < LEAST_DIGITS) throw new IllegalArgumentException("20 digits at least: those of 64 bits");
        if (numberExponent < 0) throw new IllegalArgumentException("a limit of exponents is not below 0");
        this.depth = depth;
        this.size = size;
        this.ratio = ratio;
        this.ratioFloor = ratioFloor;
        this.numberDigits = numberDigits;
        this.numberExponent = numberExponent;
    }

    /** Containers open at once. */
    public int depth() {
        return depth;
    }

    /** Bytes of one document, read or written; an array of Java has at most 2^31-1. */
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

    /** Decimal digits of a number that becomes a BigInteger or a BigDecimal, which costs time by the square. */
    public int numberDigits() {
        return numberDigits;
    }

    /**
     * The exponent of a number that becomes a BigDecimal, up or down: arithmetic with it takes as many digits as it
     * says.
     */
    public int numberExponent() {
        return numberExponent;
    }

    /** @throws IllegalArgumentException below 0 */
    public Limits withDepth(int depth) {
        return new Limits(depth, size, ratio, ratioFloor, numberDigits, numberExponent);
    }

    /** @throws IllegalArgumentException below 0 */
    public Limits withSize(long size) {
        return new Limits(depth, size, ratio, ratioFloor, numberDigits, numberExponent);
    }

    /** @throws IllegalArgumentException for a ratio below 1, or a floor below 0 */
    public Limits withRatio(int ratio, int ratioFloor) {
        return new Limits(depth, size, ratio, ratioFloor, numberDigits, numberExponent);
    }

    /** @throws IllegalArgumentException below 20, the digits of 64 bits */
    public Limits withNumberDigits(int numberDigits) {
        return new Limits(depth, size, ratio, ratioFloor, numberDigits, numberExponent);
    }

    /** @throws IllegalArgumentException below 0 */
    public Limits withNumberExponent(int numberExponent) {
        return new Limits(depth, size, ratio, ratioFloor, numberDigits, numberExponent);
    }

    @Override
    public boolean equals(Object other) {
        if (this == other) return true;
        if (!(other instanceof Limits)) return false;
        Limits o = (Limits) other;
        return depth == o.depth && size == o.size && ratio == o.ratio && ratioFloor == o.ratioFloor
                && numberDigits == o.numberDigits && numberExponent == o.numberExponent;
    }

    @Override
    public int hashCode() {
        return Objects.hash(depth, size, ratio, ratioFloor, numberDigits, numberExponent);
    }
}
