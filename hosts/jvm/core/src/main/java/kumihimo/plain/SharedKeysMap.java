package kumihimo.plain;

import java.io.Serializable;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * A map in the order of its document that shares its keys with the maps that have the same ones, and has an array of
 * values for itself. It is used as a LinkedHashMap is: its values can be changed in place, and when a key is added or
 * removed it becomes one inside.
 */
final class SharedKeysMap extends AbstractMap<Object, Object> implements Serializable {
    private static final long serialVersionUID = 1;

    // Not written: another map is, in the place of this one.
    private transient SharedKeys keys;
    private transient Object[] values;
    /** All pairs, when the keys are no longer those; or null. */
    private transient LinkedHashMap<Object, Object> own;

    /** Takes the array: a value for each key. */
    SharedKeysMap(SharedKeys keys, Object[] values) {
        this.keys = keys;
        this.values = values;
    }

    /** The keys, as long as they are shared; else null. */
    SharedKeys keys() {
        return keys;
    }

    /** By the keys; not to be changed. */
    Object[] valuesByKey() {
        return values;
    }

    private LinkedHashMap<Object, Object> own() {
        if (own == null) {
            own = copy();
            keys = null;
            values = null;
        }
        return own;
    }

    private LinkedHashMap<Object, Object> copy() {
        if (own != null) return new LinkedHashMap<>(own);
        LinkedHashMap<Object, Object> copy = new LinkedHashMap<>((values.length * 4 + 2) / 3 + 1);
        for (int i = 0; i < values.length; i++) copy.put(keys.get(i), values[i]);
        return copy;
    }

    private Object writeReplace() {
        return copy();
    }

    @Override
    public int size() {
        return own == null ? values.length : own.size();
    }

    @Override
    public boolean containsKey(Object key) {
        return own == null ? keys.find(key) >= 0 : own.containsKey(key);
    }

    @Override
    public Object get(Object key) {
        return getOrDefault(key, null);
    }

    @Override
    public Object getOrDefault(Object key, Object without) {
        if (own != null) return own.getOrDefault(key, without);
        int i = keys.find(key);
        return i < 0 ? without : values[i];
    }

    @Override
    public Object put(Object key, Object value) {
        int i = own == null ? keys.find(key) : -1;
        if (i < 0) return own().put(key, value);
        Object before = values[i];
        values[i] = value;
        return before;
    }

    @Override
    public Object remove(Object key) {
        return containsKey(key) ? own().remove(key) : null;
    }

    @Override
    public void clear() {
        own().clear();
    }

    @Override
    public void forEach(BiConsumer<? super Object, ? super Object> action) {
        Objects.requireNonNull(action);
        for (Map.Entry<Object, Object> pair : entrySet()) action.accept(pair.getKey(), pair.getValue());
    }

    @Override
    public Set<Map.Entry<Object, Object>> entrySet() {
        return own == null ? new PairSet() : own.entrySet();
    }

    @Override
    public Set<Object> keySet() {
        return own == null ? super.keySet() : own.keySet();
    }

    @Override
    public Collection<Object> values() {
        return own == null ? super.values() : own.values();
    }

    private final class PairSet extends AbstractSet<Map.Entry<Object, Object>> {
        @Override
        public int size() {
            return SharedKeysMap.this.size();
        }

        @Override
        public void clear() {
            SharedKeysMap.this.clear();
        }

        @Override
        public Iterator<Map.Entry<Object, Object>> iterator() {
            return own == null ? new Pairs() : own.entrySet().iterator();
        }
    }

    /** A pair that was given away: it keeps its value, and tells the map of another one. */
    private final class Pair extends SimpleEntry<Object, Object> {
        private static final long serialVersionUID = 1;

        Pair(Object key, Object value) {
            super(key, value);
        }

        @Override
        public Object setValue(Object value) {
            put(getKey(), value);
            return super.setValue(value);
        }
    }

    private final class Pairs implements Iterator<Map.Entry<Object, Object>> {
        private int next;
        /** The rest, when this iterator has removed a pair. */
        private Iterator<Map.Entry<Object, Object>> rest;
        private boolean removable;

        @Override
        public boolean hasNext() {
            return rest != null ? rest.hasNext() : values != null ? next < values.length : next < size();
        }

        @Override
        public Map.Entry<Object, Object> next() {
            if (rest != null) return rest.next();
            if (own != null) throw new ConcurrentModificationException();
            if (next == values.length) throw new NoSuchElementException();
            removable = true;
            int i = next++;
            return new Pair(keys.get(i), values[i]);
        }

        @Override
        public void remove() {
            if (rest == null) {
                if (!removable) throw new IllegalStateException();
                if (own != null) throw new ConcurrentModificationException();
                rest = own().entrySet().iterator();
                for (int i = 0; i < next; i++) rest.next();
            }
            rest.remove();
        }
    }
}
