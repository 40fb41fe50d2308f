package kumihimo.json;

import java.util.Locale;

/** The fields of a dialect, while one is made: they are changed by their names. */
abstract class DialectFields {
    private final String whose;

    /** @param whose begins what is said of a field or value that is none */
    DialectFields(String whose) {
        this.whose = whose;
    }

    /** {@code time=epoch+comments}: a field without a value is granted. */
    final void change(String changes) {
        for (String change : changes.split("\\+", -1)) {
            int equals = change.indexOf('=');
            if (equals < 0) grant(change);
            else set(change.substring(0, equals), change.substring(equals + 1));
        }
    }

    /** @throws IllegalArgumentException for a field that is none, or needs a value */
    abstract void grant(String field);

    /** @throws IllegalArgumentException for a field or value that is none */
    abstract void set(String field, String value);

    /** The constant whose name this is in lower case. */
    final <E extends Enum<E>> E constant(Class<E> type, String field, String value) {
        for (E e : type.getEnumConstants()) {
            if (e.name().toLowerCase(Locale.ROOT).equals(value)) return e;
        }
        throw noValue(field, value);
    }

    final IllegalArgumentException noField(String field) {
        return new IllegalArgumentException(whose + " have no field " + field);
    }

    final IllegalArgumentException noFieldToGrant(String field) {
        return new IllegalArgumentException(whose + " have no field to grant: " + field);
    }

    final IllegalArgumentException noValue(String field, String value) {
        return new IllegalArgumentException(whose + " have no value " + value + " of " + field);
    }
}
