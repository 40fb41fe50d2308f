package kumihimo.plain;

import java.util.ArrayList;
import java.util.Arrays;
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
        final int numberDigits;
        final boolean refuseUnknown;
        final boolean refuseMissing;

        Context(Builder builder, int numberDigits, boolean refuseUnknown, boolean refuseMissing) {
            this.builder = builder;
            this.numberDigits = numberDigits;
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

    static Bind scalar(Scalar scalar) {
        return new ScalarBind(scalar, null, null, false);
    }

    /** The same of a type that can be a key, which is text in most formats. */
    static Bind scalar(Scalar scalar, Text text) {
        return new ScalarBind(scalar, text, null, false);
    }

    /** The same of a type that has no null, but something that stands for nothing. */
    static Bind primitive(Scalar scalar, Text text, Object absent) {
        return new ScalarBind(scalar, text, absent, true);
    }

    static Bind text(String what, Text text) {
        Scalar scalar = (from, with) -> {
            from.kind();
            int at = from.position();
            return parsed(what, text, from.str(), at);
        };
        return new ScalarBind(scalar, spelled -> parsed(what, text, spelled, -1), null, false);
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

    /** A part of the document that a message may show. */
    static String shown(String text) {
        return text.length() <= 40 ? text : text.substring(0, 37) + "...";
    }

    private static final class ScalarBind extends Bind {
        private final Scalar scalar;
        private final Text text;
        private final Object absent;
        private final boolean primitive;

        ScalarBind(Scalar scalar, Text text, Object absent, boolean primitive) {
            this.scalar = scalar;
            this.text = text;
            this.absent = absent;
            this.primitive = primitive;
        }

        @Override
        Object read(Reader from, Context with) {
            return !primitive && from.tryNil() ? null : scalar.read(from, with);
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
                throw e.offset() < 0 ? e.atByte(at) : e;
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
                values[i] = properties[i].read(from, with);
                seen[i++] = true;
            }
            for (int i = 0; i < n; i++) {
                if (!seen[i]) values[i] = missing(i, properties[i].absent(), with, at);
            }
            if (shape.isRecord()) return shape.make(values);
            Object made = shape.make();
            for (int i = 0; i < n; i++) {
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

        private Object missing(int i, Object absent, Context with, int at) {
            if (with.refuseMissing && absent == null) {
                String what = shape.type().getSimpleName() + " needs " + shape.settable[i].name;
                throw new DataException(Code.TYPE, what + ", which is missing", at);
            }
            return absent;
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

    /** Makes an empty collection or map. */
    interface Maker {
        Object make();
    }

    /** A collection of any class. */
    static final class CollectionBind extends Bind {
        private final Maker maker;
        private final Bind of;

        CollectionBind(Maker maker, Bind of) {
            this.maker = maker;
            this.of = of;
        }

        @Override
        Object read(Reader from, Context with) {
            if (from.tryNil()) return null;
            from.kind();
            int at = from.position();
            from.array();
            @SuppressWarnings("unchecked") // it is empty, and only what its type says goes in
            java.util.Collection<Object> all = (java.util.Collection<Object>) maker.make();
            boolean hashed = all instanceof java.util.Set && !(all instanceof java.util.SortedSet);
            KeyGuard guard = hashed ? new KeyGuard() : null;
            while (from.hasNext()) {
                Object value = of.read(from, with);
                try {
                    if (all.add(value) && guard != null && !KeyGuard.isSafe(value)) guard.add(value);
                } catch (NullPointerException | ClassCastException e) {
                    String what = all.getClass().getSimpleName() + " does not take such a value";
                    throw new DataException(Code.TYPE, what, at);
                }
            }
            return all;
        }
    }

    /** A map of any class. */
    static final class MapBind extends Bind {
        private final Maker maker;
        private final Bind key;
        private final Bind value;

        MapBind(Maker maker, Bind key, Bind value) {
            this.maker = maker;
            this.key = key;
            this.value = value;
        }

        @Override
        Object read(Reader from, Context with) {
            if (from.tryNil()) return null;
            from.map();
            @SuppressWarnings("unchecked") // it is empty, and only what its type says goes in
            Map<Object, Object> all = (Map<Object, Object>) maker.make();
            KeyGuard guard = all instanceof java.util.SortedMap ? null : new KeyGuard();
            while (from.hasNext()) {
                boolean text = from.kind() == Kind.STR;
                int at = from.position();
                Object k = text ? key.ofText(from.key(), at) : key.read(from, with);
                Object v = value.read(from, with);
                try {
                    int before = all.size();
                    all.put(k, v);
                    if (guard != null && all.size() != before && !KeyGuard.isSafe(k)) guard.add(k);
                } catch (NullPointerException | ClassCastException e) {
                    String what = all.getClass().getSimpleName() + " does not take such a pair";
                    throw new DataException(Code.TYPE, what, at);
                }
            }
            return all;
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
    }
}
