package kumihimo.plain;

import java.lang.reflect.Type;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Options;
import kumihimo.Reader;
import kumihimo.Sink;

/** Java values out of a reader and into a sink, by the same options again and again. For one thread. */
public final class Plain {
    private final Options options;
    final Builder builder;
    private final Walk walk;
    private final Bind.Context context;

    public Plain(Options options) {
        this.options = options;
        builder = new Builder(options.limits());
        walk = new Walk(options.limits().depth(), options.omitNulls(), options.otherwise());
        context = new Bind.Context(builder, options.refuseUnknown(), options.refuseMissing());
    }

    /** Those that were given to the constructor. */
    public Options options() {
        return options;
    }

    /** The next value of a reader, in maps and lists; {@link Builder} says what becomes what. */
    public Object read(Reader from) {
        builder.countIn(from.hashBudget());
        try {
            from.feed(builder);
            return builder.take();
        } finally {
            builder.reset();
        }
    }

    /**
     * The next value of a reader as one of this type: a scalar's class, an array, a collection, a map, a record, a
     * class with properties, and what these hold by their arguments.
     *
     * @throws DataException {@link Code#TYPE} where the document has something else, {@link Code#RANGE} where a
     *     number does not fit, {@link Code#UNSUPPORTED} for a type that cannot be read into, {@link Code#HOST} where
     *     a constructor fails
     */
    public Object read(Reader from, Type type) {
        if (type == Object.class) return read(from);
        builder.countIn(from.hashBudget());
        try {
            return Binds.of(type).read(from, context);
        } catch (StackOverflowError e) {
            // Types that hold themselves recurse as deep as the document does, and its limit may be above the stack's.
            throw new DataException(Code.DEPTH, "containers are nested deeper than the stack allows", from.consumed());
        } finally {
            builder.reset();
        }
    }

    /** The verbs of a value; {@link Walk} says what becomes what. */
    public void write(Object value, Sink to) {
        walk.run(value, to);
    }
}
