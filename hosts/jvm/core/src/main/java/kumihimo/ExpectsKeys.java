package kumihimo;

/**
 * A sink that can say which key of a map it expects. A reader may look for it first, which is less work than to find
 * out what the key is; where the key is another one, nothing is lost.
 */
public interface ExpectsKeys {
    /** The key that probably comes next, or null; where it does, {@link Sink#key(Name)} gets this object. */
    Name expectedKey();
}
