package kumihimo.plain;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Names;

/**
 * How an object of some class is taken apart and made: its properties by name. Of a record its components; of another
 * class its public fields, and what it has a public getter or setter for ({@code getSize}, {@code isEmpty}, {@code
 * setSize}), in the order in which the class says them where the JVM tells it: fields first.
 *
 * <p>Records are known by reflection, since this library runs on JVMs that have none.
 */
final class Shape {
    private static final MethodType GETTER = MethodType.methodType(Object.class, Object.class);
    private static final MethodType SETTER = MethodType.methodType(void.class, Object.class, Object.class);
    private static final Method IS_RECORD = method(Class.class, "isRecord");
    private static final Method RECORD_COMPONENTS = method(Class.class, "getRecordComponents");

    private static final ClassValue<Shape> ALL = new ClassValue<Shape>() {
        @Override
        protected Shape computeValue(Class<?> of) {
            return new Shape(of);
        }
    };

    /** One property. */
    static final class Property {
        final String name;
        /** Of the value, as it is declared. */
        Type type;
        /** (Object) Object; or null. */
        MethodHandle getter;
        /** (Object, Object) void; or null: of a record always. */
        MethodHandle setter;

        Property(String name) {
            this.name = name;
        }
    }

    private final Class<?> of;
    private final boolean record;
    /** Those that can be read, and their names. */
    final Property[] readable;
    final Names readableNames;
    /** Those that can be set. */
    final Property[] settable;
    final Names settableNames;
    /** Of a record (Object[]) Object, of another class () Object; null where there is none. */
    private final MethodHandle constructor;

    static Shape of(Class<?> of) {
        return ALL.get(of);
    }

    private Shape(Class<?> of) {
        this.of = of;
        record = IS_RECORD != null && (boolean) call(IS_RECORD, of);
        List<Property> all = record ? components() : properties();
        List<Property> read = new ArrayList<>();
        List<Property> set = new ArrayList<>();
        for (Property p : all) {
            if (p.getter != null) read.add(p);
            if (record || p.setter != null) set.add(p);
        }
        readable = read.toArray(new Property[0]);
        settable = set.toArray(new Property[0]);
        readableNames = names(readable);
        settableNames = names(settable);
        constructor = record ? canonical() : noArguments();
    }

    private static Names names(Property[] properties) {
        String[] names = new String[properties.length];
        for (int i = 0; i < names.length; i++) names[i] = properties[i].name;
        return Names.of(names);
    }

    private static Method method(Class<?> of, String name) {
        try {
            return of.getMethod(name);
        } catch (NoSuchMethodException older) {
            return null;
        }
    }

    private static Object call(Method method, Object on) {
        try {
            return method.invoke(on);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new AssertionError(e);
        }
    }

    private List<Property> components() {
        List<Property> all = new ArrayList<>();
        for (Object component : (Object[]) call(RECORD_COMPONENTS, of)) {
            Class<?> c = component.getClass();
            Property p = new Property((String) call(method(c, "getName"), component));
            p.type = (Type) call(method(c, "getGenericType"), component);
            p.getter = getter((Method) call(method(c, "getAccessor"), component));
            all.add(p);
        }
        return all;
    }

    /** The constructor that takes all components. */
    private MethodHandle canonical() {
        Class<?>[] types = new Class<?>[settable.length];
        Object[] components = (Object[]) call(RECORD_COMPONENTS, of);
        for (int i = 0; i < types.length; i++) {
            types[i] = (Class<?>) call(method(components[i].getClass(), "getType"), components[i]);
        }
        try {
            Constructor<?> c = of.getDeclaredConstructor(types);
            MethodHandle made = MethodHandles.lookup().unreflectConstructor(open(c));
            return made.asSpreader(Object[].class, types.length)
                    .asType(MethodType.methodType(Object.class, Object[].class));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private MethodHandle noArguments() {
        if (Modifier.isAbstract(of.getModifiers())) return null;
        try {
            Constructor<?> c = of.getDeclaredConstructor();
            if (Modifier.isPrivate(c.getModifiers())) return null;
            return MethodHandles.lookup().unreflectConstructor(open(c)).asType(MethodType.methodType(Object.class));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    private List<Property> properties() {
        Map<String, Property> all = new LinkedHashMap<>();
        for (Field f : of.getFields()) {
            if (Modifier.isStatic(f.getModifiers()) || Modifier.isTransient(f.getModifiers())) continue;
            Property p = all.computeIfAbsent(f.getName(), Property::new);
            p.type = f.getGenericType();
            try {
                open(f);
                p.getter = MethodHandles.lookup().unreflectGetter(f).asType(GETTER);
                if (Modifier.isFinal(f.getModifiers())) continue;
                p.setter = MethodHandles.lookup().unreflectSetter(f).asType(SETTER);
            } catch (IllegalAccessException e) {
                throw new AssertionError(e);
            }
        }
        for (Method m : of.getMethods()) accessor(m, all);
        return new ArrayList<>(all.values());
    }

    private void accessor(Method m, Map<String, Property> all) {
        if (Modifier.isStatic(m.getModifiers()) || m.isBridge() || m.getDeclaringClass() == Object.class) return;
        String name = m.getName();
        Class<?> result = m.getReturnType();
        boolean get = m.getParameterCount() == 0 && result != void.class && isPrefixed(name, "get");
        boolean is = m.getParameterCount() == 0 && result == boolean.class && isPrefixed(name, "is");
        boolean set = m.getParameterCount() == 1 && isPrefixed(name, "set");
        if (!get && !is && !set) return;
        Property p = all.computeIfAbsent(decapitalized(name.substring(is ? 2 : 3)), Property::new);
        if (set) {
            if (p.setter != null) return;
            p.setter = setter(m);
            if (p.type == null) p.type = m.getGenericParameterTypes()[0];
        } else if (p.getter == null) {
            p.getter = getter(m);
            if (p.type == null) p.type = m.getGenericReturnType();
        }
    }

    private static boolean isPrefixed(String name, String prefix) {
        return name.length() > prefix.length() && name.startsWith(prefix)
                && !Character.isLowerCase(name.charAt(prefix.length()));
    }

    /** As the JDK's beans have it: URL stays, Size becomes size. */
    private static String decapitalized(String name) {
        boolean acronym = name.length() > 1 && Character.isUpperCase(name.charAt(1));
        if (acronym && Character.isUpperCase(name.charAt(0))) return name;
        return name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
    }

    private MethodHandle getter(Method m) {
        try {
            return MethodHandles.lookup().unreflect(open(m)).asType(GETTER);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private MethodHandle setter(Method m) {
        try {
            return MethodHandles.lookup().unreflect(open(m)).asType(SETTER);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private <T extends java.lang.reflect.AccessibleObject> T open(T member) {
        try {
            member.setAccessible(true);
            return member;
        } catch (RuntimeException e) { // InaccessibleObjectException, SecurityException
            throw new DataException(Code.UNSUPPORTED, of.getName() + " is not open to this library", e);
        }
    }

    boolean isRecord() {
        return record;
    }

    Class<?> type() {
        return of;
    }

    /** Objects can be made of it. */
    boolean hasConstructor() {
        return constructor != null;
    }

    /** A record of these values, in the order of its components. */
    Object make(Object[] values) {
        try {
            return (Object) constructor.invokeExact(values);
        } catch (Throwable e) {
            throw passedOn(e);
        }
    }

    /** An object all of whose properties are still to be set. */
    Object make() {
        try {
            return (Object) constructor.invokeExact();
        } catch (Throwable e) {
            throw passedOn(e);
        }
    }

    Object get(int i, Object from) {
        try {
            return (Object) readable[i].getter.invokeExact(from);
        } catch (Throwable e) {
            throw passedOn(e);
        }
    }

    void set(int i, Object on, Object value) {
        try {
            settable[i].setter.invokeExact(on, value);
        } catch (Throwable e) {
            throw passedOn(e);
        }
    }

    /** What the user's own code threw. */
    private DataException passedOn(Throwable e) {
        if (e instanceof DataException) return (DataException) e;
        if (e instanceof Error && !(e instanceof AssertionError)) throw (Error) e;
        return Bind.failed(of, e);
    }
}
