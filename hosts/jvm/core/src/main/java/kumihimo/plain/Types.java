package kumihimo.plain;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** Types with their variables replaced by what they stand for. */
final class Types {
    private Types() {}

    /** The class behind a type's arguments; of a variable its bound's. */
    static Class<?> raw(Type type) {
        if (type instanceof Class) return (Class<?>) type;
        if (type instanceof ParameterizedType) return (Class<?>) ((ParameterizedType) type).getRawType();
        if (type instanceof GenericArrayType) {
            return arrayOf(raw(((GenericArrayType) type).getGenericComponentType()));
        }
        if (type instanceof WildcardType) return raw(((WildcardType) type).getUpperBounds()[0]);
        return raw(((TypeVariable<?>) type).getBounds()[0]);
    }

    /**
     * The type without variables and wildcards: Class, ParameterizedType or GenericArrayType all through. A variable
     * that stands for nothing known is its bound's class.
     */
    static Type concrete(Type type, Map<TypeVariable<?>, Type> variables) {
        if (type instanceof WildcardType) return concrete(((WildcardType) type).getUpperBounds()[0], variables);
        if (type instanceof TypeVariable) {
            Type known = variables.get(type);
            return known != null ? known : raw(type);
        }
        if (type instanceof GenericArrayType) {
            Type element = concrete(((GenericArrayType) type).getGenericComponentType(), variables);
            return element instanceof Class ? arrayOf((Class<?>) element) : new ArrayOf(element);
        }
        if (!(type instanceof ParameterizedType)) return type;
        Type[] arguments = ((ParameterizedType) type).getActualTypeArguments().clone();
        for (int i = 0; i < arguments.length; i++) arguments[i] = concrete(arguments[i], variables);
        return new Applied(raw(type), arguments);
    }

    static Class<?> arrayOf(Class<?> element) {
        return java.lang.reflect.Array.newInstance(element, 0).getClass();
    }

    /** The arguments of a type, which is concrete. */
    static Type[] arguments(Type type) {
        return type instanceof ParameterizedType ? ((ParameterizedType) type).getActualTypeArguments() : new Type[0];
    }

    /** What the variables of a concrete type, and of all classes and interfaces that it extends, stand for. */
    static Map<TypeVariable<?>, Type> variables(Type type) {
        Map<TypeVariable<?>, Type> all = new HashMap<>();
        collect(type, all);
        return all;
    }

    private static void collect(Type type, Map<TypeVariable<?>, Type> all) {
        Class<?> raw = raw(type);
        TypeVariable<?>[] parameters = raw.getTypeParameters();
        Type[] arguments = arguments(type);
        for (int i = 0; i < parameters.length && i < arguments.length; i++) all.put(parameters[i], arguments[i]);
        if (raw.getGenericSuperclass() != null) collect(concrete(raw.getGenericSuperclass(), all), all);
        for (Type parent : raw.getGenericInterfaces()) collect(concrete(parent, all), all);
    }

    private static final class Applied implements ParameterizedType {
        private final Class<?> raw;
        private final Type[] arguments;
        private final int hash;

        Applied(Class<?> raw, Type[] arguments) {
            this.raw = raw;
            this.arguments = arguments;
            hash = raw.hashCode() * 31 + Arrays.hashCode(arguments);
        }

        @Override
        public Type[] getActualTypeArguments() {
            return arguments;
        }

        @Override
        public Type getRawType() {
            return raw;
        }

        @Override
        public Type getOwnerType() {
            return raw.getDeclaringClass();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Applied && hash == ((Applied) other).hash && raw == ((Applied) other).raw
                    && Arrays.equals(arguments, ((Applied) other).arguments);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public String toString() {
            StringBuilder out = new StringBuilder(raw.getName());
            for (int i = 0; i < arguments.length; i++) {
                out.append(i == 0 ? "<" : ", ").append(arguments[i].getTypeName());
            }
            return out.append('>').toString();
        }
    }

    private static final class ArrayOf implements GenericArrayType {
        private final Type element;

        ArrayOf(Type element) {
            this.element = element;
        }

        @Override
        public Type getGenericComponentType() {
            return element;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof ArrayOf && element.equals(((ArrayOf) other).element);
        }

        @Override
        public int hashCode() {
            return Objects.hashCode(element) + 7;
        }

        @Override
        public String toString() {
            return element.getTypeName() + "[]";
        }
    }
}
