package kumihimo;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;

/** Counts what was checked by a test that is a plain program. */
public final class Checks {
    /** Code that may throw anything. */
    public interface Body {
        Object run() throws Exception;
    }

    private int checked;
    private int failed;

    /** The values are equal; arrays by what is in them. */
    public void equal(String what, Object got, Object wanted) {
        checked++;
        if (same(got, wanted)) return;
        fail(what + ": " + shown(got) + ", not " + shown(wanted));
    }

    public void yes(String what, boolean good) {
        equal(what, good, true);
    }

    /** The body throws this code: which error it was. */
    public DataException refused(String what, Code code, Body body) {
        checked++;
        try {
            fail(what + ": it gave " + shown(body.run()) + ", but must be refused");
        } catch (DataException e) {
            if (e.code() == code) return e;
            fail(what + ": " + e.code() + " " + e.getMessage() + ", not " + code);
        } catch (Throwable e) {
            fail(what + ": " + e + ", not " + code);
        }
        return new DataException(code, "");
    }

    /** The body throws this class of exception. */
    public void thrown(String what, Class<? extends Throwable> type, Body body) {
        checked++;
        try {
            fail(what + ": it gave " + shown(body.run()) + ", but must be refused");
        } catch (Throwable e) {
            if (!type.isInstance(e)) fail(what + ": " + e + ", not " + type.getSimpleName());
        }
    }

    /** The body runs through. */
    public void runs(String what, Body body) {
        checked++;
        try {
            body.run();
        } catch (Throwable e) {
            fail(what + ": " + e);
            if (!(e instanceof DataException)) e.printStackTrace(System.out);
        }
    }

    private void fail(String what) {
        if (failed++ < 50) System.out.println("FAILED " + what);
    }

    /** Prints the counts, and ends the program with 1 where something has failed. */
    public void report() {
        System.out.println(checked - failed + " passed, " + failed + " failed");
        if (failed > 0) System.exit(1);
    }

    private static boolean same(Object a, Object b) {
        if (a instanceof Map && b instanceof Map && ((Map<?, ?>) a).size() == ((Map<?, ?>) b).size()) {
            Map<?, ?> other = (Map<?, ?>) b;
            for (Map.Entry<?, ?> e : ((Map<?, ?>) a).entrySet()) {
                if (!other.containsKey(e.getKey()) || !same(e.getValue(), other.get(e.getKey()))) return false;
            }
            return true;
        }
        return Objects.deepEquals(a, b);
    }

    private static String shown(Object value) {
        String text = value instanceof Object[] ? Arrays.deepToString((Object[]) value)
                : value instanceof byte[] ? Arrays.toString((byte[]) value) : String.valueOf(value);
        return text.length() <= 200 ? text : text.substring(0, 200) + "...";
    }
}
