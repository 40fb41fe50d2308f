package kumihimo.scalar;

/** Days since 1970-01-01 and their dates in the Gregorian calendar, which holds for all years here. */
final class Civil {
    /** 0000-01-01. */
    static final int FIRST_DAY = (int) day(0, 1, 1);
    /** 9999-12-31. */
    static final int LAST_DAY = (int) day(9999, 12, 31);

    private Civil() {}

    /** The day of a date. Counts from 1 March, so that the leap day comes last. */
    static long day(int year, int month, int day) {
        long y = month <= 2 ? year - 1 : year;
        long era = Math.floorDiv(y, 400L); // 146097 days each
        long yearOfEra = y - era * 400;
        long dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
        return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468;
    }

    /**
     * The date of a day as {@code year << 16 | month << 8 | day}, from FIRST_DAY to LAST_DAY. A year has 365.25 days
     * here and a month 30.6, both as fractions with a power of two below, so that quotient and remainder are the two
     * halves of one product (Neri, Schneider: Euclidean affine functions).
     */
    static int date(int day) {
        int fromMarch = 4 * (day + 719468 + 146097) + 3; // of the year -400, so that all is positive
        int century = fromMarch / 146097;
        int ofCentury = fromMarch % 146097 | 3;
        long years = 2939745L * ofCentury;
        int dayOfYear = (int) ((years & 0xffffffffL) / 2939745 / 4);
        int months = 2141 * dayOfYear + 197913;
        boolean nextYear = dayOfYear >= 306; // January and February
        int year = century * 100 + (int) (years >>> 32) - 400 + (nextYear ? 1 : 0);
        int month = (months >> 16) - (nextYear ? 12 : 0);
        return year << 16 | month << 8 | (months & 0xffff) / 2141 + 1;
    }

    static boolean isLeap(int year) {
        return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    }

    static int daysIn(int year, int month) {
        return month == 2 ? isLeap(year) ? 29 : 28 : 30 + ((month + (month >> 3)) & 1);
    }
}
