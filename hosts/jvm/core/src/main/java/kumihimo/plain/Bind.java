package kumihimo.plain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Kind;
import kumihimo.Names;
import kumihimo.Reader;

/**
 * How values of one Java type are read: a tree, made once for a type by {@link Binds}. Immutable, for many threads.
 */
abstract class Bind {
    /** What a read needs besides the reader. */
    static final class Context {
        final Builder builder;
        final boolean refuseUnknown;
        final boolean refuseMissing;

        Context(Builder builder, boolean refuseUnknown, boolean refuseMissing) {
            this.builder = builder;
            this.refuseUnknown = refuseUnknown;
            this.refuseMissing = refuseMissing;
        }
    }

    /** The next value, which may be null where the type has it. */
    abstract Object read(Reader from, Context with);

    /** The value of a property that a document does not have. */
    Object absent() {
        return null;
    }

    /** A type that has no null: a property of it with null is one that the document does not have. */
    boolean isPrimitive() {
        return false;
    }

    /** A type that has a value for what is not there: it is never missing. */
    boolean isOptional() {
        return false;
    }

    /** The value that a map's key says, which is text. */
    Object ofText(String text, int at) {
        throw new DataException(Code.TYPE, "a key that is text, where another type is wanted", at);
    }

    /** A value of one of the calls of {@link Reader}; null stands for null. */
    interface Scalar {
        Object read(Reader from, Context with);
    }

    /** A value that a text spells. */
    interface Text {
        /** @throws RuntimeException where the text is none */
        Object parse(String text);
    }

    /** What null is to a scalar's type. */
    private enum Nothing { NULL, ERROR, OPTIONAL }

    static Bind scalar(Scalar scalar) {
        return new ScalarBind(scalar, null, null, Nothing.NULL);
    }

    /** The same of a type that can be a key, which is text in most formats. */
    static Bind scalar(Scalar scalar, Text text) {
        return new ScalarBind(scalar, text, null, Nothing.NULL);
    }

    /** The same of a type that has no null. */
    static Bind primitive(Scalar scalar, Text text, Object absent) {
        return new ScalarBind(scalar, text, absent, Nothing.ERROR);
    }

    /** The same of a type that has a value for nothing. */
    static Bind optional(Scalar scalar, Object empty) {
        return new ScalarBind(scalar, null, empty, Nothing.OPTIONAL);
    }

    static Bind text(String what, Text text) {
        Scalar scalar = (from, with) -> {
            from.kind();
            int at = from.position();
            return parsed(what, text, from.str(), at);
        };
        return scalar(scalar, spelled -> parsed(what, text, spelled, -1));
    }

    private static Object parsed(String what, Text text, String spelled, int at) {
        try {
            return text.parse(spelled);
        } catch (DataException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new DataException(Code.TYPE, "expected " + what + ", found the text " + shown(spelled), at);
        }
    }

    /** The error at this byte, where it has no place yet. */
    static DataException placed(DataException e, int at) {
        return e.offset() < 0 ? e.atByte(at) : e;
    }

    /** What the user's own class threw; the cause has all that it says. */
    static DataException failed(Class<?> of, Throwable e) {
        String said = e.getMessage() == null ? "" : ": " + shown(e.getMessage());
        return new DataException(Code.HOST, of.getName() + " failed: " + e.getClass().getName() + said, e);
    }

    /** A part of the document that a message may show. */
    static String shown(String text) {
        return text.length() <= 40 ? text : text.substring(0, 37) + "...";
    }

    private static final class ScalarBind extends Bind {
        private final Scalar scalar;
        private final Text text;
        private final Object absent;
        private final Nothing nothing;

        ScalarBind(Scalar scalar, Text text, Object absent, Nothing nothing) {
            this.scalar = scalar;
            this.text = text;
            this.absent = absent;
            this.nothing = nothing;
        }

        @Override
        Object read(Reader from, Context with) {
            return nothing != Nothing.ERROR && from.tryNil() ? absent : scalar.read(from, with);
        }

        @Override
        boolean isPrimitive() {
            return nothing == Nothing.ERROR;
        }

        @Override
        boolean isOptional() {
            return nothing == Nothing.OPTIONAL;
        }

        @Override
        Object absent() {
            return absent;
        }

        @Override
        Object ofText(String spelled, int at) {
            if (text == null) return super.ofText(spelled, at);
            try {
                return text.parse(spelled);
            } catch (DataException e) {
                throw placed(e, at);
            } catch (RuntimeException e) {
                throw new DataException(Code.TYPE, "the key " + shown(spelled) + " is not of the wanted type", at);
            }
        }
    }

    /** A constant by its name. */
    static final class EnumBind extends Bind {
        private final Class<?> of;
        private final Names names;
        private final Object[] constants;

        EnumBind(Class<?> of) {
            this.of = of;
            constants = of.getEnumConstants();
            String[] texts = new String[constants.length];
            for (int i = 0; i < texts.length; i++) texts[i] = ((Enum<?>) constants[i]).name();
            names = Names.of(texts);
        }

        @Override
        Object read(Reader from, Context with) {
            if (from.tryNil()) return null;
            from.kind();
            int at = from.position();
            return ofText(from.str(), at);
        }

        @Override
        Object ofText(String text, int at) {
            byte[] utf8 = kumihimo.Utf8.looseBytes(text);
            int i = names.find(utf8, 0, utf8.length);
            if (i >= 0) return constants[i];
            throw new DataException(Code.TYPE, of.getSimpleName() + " has no constant " + shown(text), at);
        }
    }

    /** What a document has, in maps and lists. */
    static final class AnyBind extends Bind {
        @Override
        Object read(Reader from, Context with) {
            from.feed(with.builder);
            return with.builder.take();
        }

        @Override
        Object ofText(String text, int at) {
            return text;
        }
    }

    /** A record, or an object whose properties are set one by one. */
    static final class ShapeBind extends Bind {
        private final Shape shape;
        private final Supplier<Bind[]> making;
        /** Of each property; made when they are first needed. */
        private volatile Bind[] made;

        ShapeBind(Shape shape, Supplier<Bind[]> making) {
            this.shape = shape;
            this.making = making;
        }

        private Bind[] properties() {
            Bind[] properties = made;
            if (properties == null) made = properties = making.get();
            return properties;
        }

        @Override
        Object read(Reader from, Context with) {
            if (from.tryNil()) return null;
            Bind[] properties = properties();
            int n = properties.length;
            Object[] values = new Object[n];
            boolean[] seen = new boolean[n];
            Names names = shape.settableNames;
            from.kind();
            int at = from.position();
            from.map();
            for (int i = 0; (i = from.field(names, i)) != Names.END; ) {
                if (i == Names.OTHER) {
                    other(from, with);
                    i = 0;
                    continue;
                }
                boolean nothing = properties[i].isPrimitive() && from.tryNil();
                if (!nothing) values[i] = properties[i].read(from, with);
                seen[i++] = !nothing;
            }
            for (int i = 0; i < n; i++) {
                if (!seen[i]) values[i] = missing(i, properties[i], with, at);
            }
            try {
                return shape.isRecord() ? shape.make(values) : made(values, seen);
            } catch (DataException e) {
                throw placed(e, at);
            }
        }

        private Object made(Object[] values, boolean[] seen) {
            Object made = shape.make();
            for (int i = 0; i < values.length; i++) {
                if (seen[i]) shape.set(i, made, values[i]);
            }
            return made;
        }

        private void other(Reader from, Context with) {
            if (with.refuseUnknown) {
                from.kind();
                throw new DataException(Code.TYPE, shape.type().getSimpleName() + " has no " + shown(from.lastKey()),
                        from.position());
            }
            from.skip();
        }

        private Object missing(int i, Bind of, Context with, int at) {
            if (with.refuseMissing && !of.isOptional()) {
                String what = shape.type().getSimpleName() + " needs " + shape.settable[i].name;
                throw new DataException(Code.TYPE, what + ", which is missing", at);
            }
            return of.absent();
        }
    }

    /** An array of any type but that of bytes, gathered in pieces: no count is believed. */
    static final class ArrayBind extends Bind {
        private final Class<?> element;
        private final Bind of;

        ArrayBind(Class<?> element, Bind of) {
            this.element = element;
            this.of = of;
        }

        @Override
        Object read(Reader from, Context with) {
            if (from.tryNil()) return null;
            from.array();
            if (element == int.class) return ints(from);
            if (element == long.class) return longs(from);
            if (element == double.class) return doubles(from);
            List<Object> values = new ArrayList<>();
            while (from.hasNext()) values.add(of.read(from, with));
            Object array = java.lang.reflect.Array.newInstance(element, values.size());
            for (int i = 0; i < values.size(); i++) java.lang.reflect.Array.set(array, i, values.get(i));
            return array;
        }

        private static int[] ints(Reader from) {
            int[] values = new int[16];
            int n = 0;
            for (; from.hasNext(); values[n++] = from.i32()) {
                if (n == values.length) values = Arrays.copyOf(values, grown(n));
            }
            return Arrays.copyOf(values, n);
        }

        private static long[] longs(Reader from) {
            long[] values = new long[16];
            int n = 0;
            for (; from.hasNext(); values[n++] = from.i64()) {
                if (n == values.length) values = Arrays.copyOf(values, grown(n));
            }
            return Arrays.copyOf(values, n);
        }

        private static double[] doubles(Reader from) {
            double[] values = new double[16];
            int n = 0;
            for (; from.hasNext(); values[n++] = from.f64()) {
                if (n == values.length) values = Arrays.copyOf(values, grown(n));
            }
            return Arrays.copyOf(values, n);
        }

        private static int grown(int n) {
            return (int) Math.min(n * 2L, Integer.MAX_VALUE - 8);
        }
    }

    /** A collection of any class. */
    static final class CollectionBind extends Bind {
        private final Container container;
        private final Bind of;

        CollectionBind(Container container, Bind of) {
            this.container = container;
            this.of = of;
        }

        @Override
        Object read(Reader from, Context with) {
            if (from.tryNil()) return null;
            from.kind();
            int at = from.position();
            from.array();
            Collection<Object> all = Container.elements(begin(container, at));
            KeyGuard guard = null;
            while (from.hasNext()) {
                Object value = of.read(from, with);
                try {
                    if (!container.isWatched()) {
                        all.add(value);
                        continue;
                    }
                    guard = container.look(guard, value, from.hashBudget());
                    if (all.add(value)) container.grown(guard, value, all.size());
                } catch (RuntimeException e) {
                    throw container.refused(e, "a value", at);
                }
            }
            return end(container, all, "values", at);
        }
    }

    private static Object begin(Container container, int at) {
        try {
            return container.begin();
        } catch (DataException e) {
            throw placed(e, at);
        }
    }

    private static Object end(Container container, Object full, String what, int at) {
        try {
            return container.end(full);
        } catch (RuntimeException e) {
            throw container.refused(e, what, at);
        }
    }

    /** A map of any class. */
    static final class MapBind extends Bind {
        private final Container container;
        private final Bind key;
        private final Bind value;

        MapBind(Container container, Bind key, Bind value) {
            this.container = container;
            this.key = key;
            this.value = value;
        }

        @Override
        Object read(Reader from, Context with) {
            if (from.tryNil()) return null;
            from.kind();
            int begin = from.position();
            from.map();
            Map<Object, Object> all = Container.pairs(begin(container, begin));
            KeyGuard guard = null;
            while (from.hasNext()) {
                boolean text = from.kind() == Kind.STR;
                int at = from.position();
                Object k = text ? key.ofText(from.key(), at) : key.read(from, with);
                Object v = value.read(from, with);
                try {
                    if (!container.isWatched()) {
                        all.put(k, v);
                        continue;
                    }
                    guard = container.look(guard, k, from.hashBudget());
                    int before = all.size();
                    all.put(k, v);
                    if (all.size() != before) container.grown(guard, k, before + 1);
                } catch (RuntimeException e) {
                    throw container.refused(e, "a pair", at);
                }
            }
            return end(container, all, "pairs", begin);
        }
    }

    /** An Optional; null and absence are an empty one. */
    static final class OptionalBind extends Bind {
        private final Bind of;

        OptionalBind(Bind of) {
            this.of = of;
        }

        @Override
        Object read(Reader from, Context with) {
            return java.util.Optional.ofNullable(of.read(from, with));
        }

        @Override
        Object absent() {
            return java.util.Optional.empty();
        }

        @Override
        boolean isOptional() {
            return true;
        }
    }
}
