package kumihimo.plain;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;

/**
 * A type with its arguments, which a Class does not have:
 *
 * <pre>
 *   List&lt;Person&gt; people = Kumihimo.load(document, new TypeOf&lt;List&lt;Person&gt;&gt;() {});
 * </pre>
 *
 * @param <T> the type
 */
public abstract class TypeOf<T> {
    private final Type type;

    /** Made by a subclass without a name, which says the argument. */
    protected TypeOf() {
        Type parent = getClass().getGenericSuperclass();
        if (!(parent instanceof ParameterizedType)) throw new IllegalArgumentException("TypeOf needs an argument");
        type = ((ParameterizedType) parent).getActualTypeArguments()[0];
    }

    /** The type. */
    public final Type type() {
        return type;
    }
}
