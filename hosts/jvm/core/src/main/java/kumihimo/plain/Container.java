package kumihimo.plain;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.HashBudget;

/** How a collection or a map of some class is made of what a document has; immutable. */
final class Container {
    /** Elements of a class that may look through all it has to add one more: what that costs grows by the square. */
    static final int FEW = 1024;

    /** Which keys, or elements, are counted by their hashes ({@link KeyGuard}). */
    private enum Guarded { NONE, DECIMALS, UNSAFE, ALL }

    private final Class<?> of;
    private final Guarded guarded;
    private final boolean slow;
    private final Supplier<Object> first;
    private final UnaryOperator<Object> last;

    private Container(Class<?> of, Supplier<Object> first, UnaryOperator<Object> last) {
        this.of = of;
        this.first = first;
        this.last = last;
        guarded = guarded(of);
        slow = is(CopyOnWriteArraySet.class) || is(WeakHashMap.class)
                || is(Hashtable.class) && of != Hashtable.class && !is(Properties.class);
    }

    private static Container of(Class<?> of, Supplier<Object> maker) {
        return new Container(of, maker, made -> made);
    }

    private boolean is(Class<?> parent) {
        return parent.isAssignableFrom(of);
    }

    private static Guarded guarded(Class<?> of) {
        Class<?>[] ordered = {SortedMap.class, SortedSet.class, PriorityQueue.class, PriorityBlockingQueue.class};
        for (Class<?> one : ordered) {
            if (one.isAssignableFrom(of)) return Guarded.DECIMALS;
        }
        boolean hashed = Map.class.isAssignableFrom(of) || Set.class.isAssignableFrom(of);
        Class<?>[] others = {EnumMap.class, EnumSet.class, IdentityHashMap.class, CopyOnWriteArraySet.class};
        for (Class<?> other : others) hashed &= !other.isAssignableFrom(of);
        if (!hashed) return Guarded.NONE;
        Class<?>[] trees = {HashMap.class, HashSet.class, ConcurrentHashMap.class, Properties.class};
        for (Class<?> tree : trees) {
            if (tree.isAssignableFrom(of)) return Guarded.UNSAFE;
        }
        return Guarded.ALL;
    }

    /** @throws DataException {@link Code#UNSUPPORTED} for a class that no object can be made of */
    @SuppressWarnings({"unchecked", "rawtypes"}) // an EnumSet's class of elements is known only here
    static Container collection(Class<?> of, Class<?> element) {
        if (of == EnumSet.class && element.isEnum()) return of(of, () -> EnumSet.noneOf((Class) element));
        if (of.isAssignableFrom(ArrayList.class)) return of(ArrayList.class, ArrayList::new);
        if (of.isAssignableFrom(LinkedHashSet.class)) return of(LinkedHashSet.class, LinkedHashSet::new);
        if (of.isAssignableFrom(TreeSet.class)) return of(TreeSet.class, TreeSet::new);
        if (of.isAssignableFrom(ArrayDeque.class)) return of(ArrayDeque.class, ArrayDeque::new);
        Supplier<Object> maker = maker(of);
        if (!CopyOnWriteArrayList.class.isAssignableFrom(of)) return of(of, maker);
        return new Container(of, ArrayList::new, all -> {
            Collection<Object> made = elements(maker.get());
            made.addAll(elements(all)); // copies once, and not at each element
            return made;
        });
    }

    /** Errors as in {@link #collection}. */
    @SuppressWarnings({"unchecked", "rawtypes"}) // an EnumMap's class of keys is known only here
    static Container map(Class<?> of, Class<?> key) {
        if (of == EnumMap.class && key.isEnum()) return of(of, () -> new EnumMap((Class) key));
        if (of.isAssignableFrom(LinkedHashMap.class)) return of(LinkedHashMap.class, LinkedHashMap::new);
        if (of.isAssignableFrom(TreeMap.class)) return of(TreeMap.class, TreeMap::new);
        if (of == ConcurrentMap.class) return of(ConcurrentHashMap.class, ConcurrentHashMap::new);
        if (of == Hashtable.class) return new Container(of, LinkedHashMap::new, all -> table(pairs(all)));
        return of(of, maker(of));
    }

    /** Of a size that nobody knows beforehand: hashes chosen for one place of a table come to many in this one. */
    private static Object table(Map<Object, Object> all) {
        long size = all.size() * 2L + 11;
        long places = ThreadLocalRandom.current().nextLong(size, size * 2) | 1;
        Map<Object, Object> table = new Hashtable<>((int) Math.min(places, 1 << 30));
        table.putAll(all);
        return table;
    }

    private static Supplier<Object> maker(Class<?> of) {
        boolean open = Modifier.isPublic(of.getModifiers()) && !Modifier.isAbstract(of.getModifiers());
        try {
            if (!open) throw unsupported(of);
            Constructor<?> constructor = of.getConstructor();
            return () -> {
                try {
                    return constructor.newInstance();
                } catch (InvocationTargetException e) {
                    throw Bind.failed(of, e.getCause());
                } catch (ReflectiveOperationException e) {
                    throw Bind.failed(of, e);
                }
            };
        } catch (NoSuchMethodException e) {
            throw unsupported(of);
        }
    }

    private static DataException unsupported(Class<?> of) {
        return new DataException(Code.UNSUPPORTED, "there is no way to read into " + of.getName());
    }

    @SuppressWarnings("unchecked") // only what its type says goes in
    static Collection<Object> elements(Object made) {
        return (Collection<Object>) made;
    }

    @SuppressWarnings("unchecked") // only what its type says goes in
    static Map<Object, Object> pairs(Object made) {
        return (Map<Object, Object>) made;
    }

    /** An empty collection or map, which values are put into. */
    Object begin() {
        return first.get();
    }

    /** The object, made of the one that was begun, which is full. */
    Object end(Object full) {
        return last.apply(full);
    }

    /** Elements are asked what {@link #look} and {@link #grown} say. */
    boolean isWatched() {
        return slow || guarded != Guarded.NONE;
    }

    /**
     * An element, or the key of a pair, is about to be added.
     *
     * @param guard of those before; null for none
     * @param budget of the document
     * @return the guard from now on
     * @throws DataException {@link Code#SIZE} for too many with equal hashes
     */
    KeyGuard look(KeyGuard guard, Object key, HashBudget budget) {
        if (!isCounted(key)) return guard;
        if (guard == null) {
            String what = isMap() ? "keys of a map" : "elements of a set";
            guard = new KeyGuard(budget, what, guarded == Guarded.DECIMALS);
        }
        guard.look(key);
        return guard;
    }

    /**
     * It is new there.
     *
     * @throws DataException {@link Code#SIZE} for one too many in a class that is slow
     */
    void grown(KeyGuard guard, Object key, int size) {
        if (slow && size > FEW) {
            throw new DataException(Code.SIZE, of.getSimpleName() + " is slow, and takes no more than " + FEW);
        }
        if (isCounted(key)) guard.added();
    }

    private boolean isMap() {
        return Map.class.isAssignableFrom(of);
    }

    private boolean isCounted(Object key) {
        switch (guarded) {
            case ALL:
                return true;
            case UNSAFE:
                return !KeyGuard.isSafe(key);
            case DECIMALS:
                return key instanceof BigDecimal;
            default:
                return false;
        }
    }

    /** What the class itself threw when it was given a value. */
    DataException refused(RuntimeException e, String what, int at) {
        if (e instanceof DataException) return Bind.placed((DataException) e, at);
        if (e instanceof NullPointerException || e instanceof ClassCastException) {
            return new DataException(Code.TYPE, of.getSimpleName() + " does not take such " + what, at);
        }
        return Bind.failed(of, e).atByte(at);
    }
}
