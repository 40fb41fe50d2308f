package kumihimo.plain;

import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
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

    private void readObject(ObjectInputStream in) throws InvalidObjectException {
        throw new InvalidObjectException("such a map is never written");
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
        if (own != null) {
            own.forEach(action);
            return;
        }
        int count = values.length;
        for (int i = 0; i < count; i++) {
            action.accept(keys.get(i), values[i]);
            if (own != null) throw new ConcurrentModificationException();
        }
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

    /** A pair that was given away: the map's own, as long as its key is there. */
    private final class Pair implements Map.Entry<Object, Object>, Serializable {
        private static final long serialVersionUID = 1;

        // Not written, as above.
        private final transient int index;
        private final transient Object key;
        /** The last that was seen. */
        private transient Object value;

        Pair(int index) {
            this.index = index;
            key = keys.get(index);
            value = values[index];
        }

        @Override
        public Object getKey() {
            return key;
        }

        @Override
        public Object getValue() {
            return value = own == null ? values[index] : own.getOrDefault(key, value);
        }

        @Override
        public Object setValue(Object value) {
            Object before = getValue();
            this.value = value;
            if (own == null) values[index] = value;
            else if (own.containsKey(key)) own.put(key, value);
            return before;
        }

        @Override
        public boolean equals(Object other) {
            if (!(other instanceof Map.Entry)) return false;
            Map.Entry<?, ?> pair = (Map.Entry<?, ?>) other;
            return key.equals(pair.getKey()) && Objects.equals(getValue(), pair.getValue());
        }

        @Override
        public int hashCode() {
            return key.hashCode() ^ Objects.hashCode(getValue());
        }

        @Override
        public String toString() {
            return key + "=" + getValue();
        }

        private Object writeReplace() {
            return new SimpleEntry<>(key, getValue());
        }

        private void readObject(ObjectInputStream in) throws InvalidObjectException {
            throw new InvalidObjectException("such a pair is never written");
        }
    }

    private final class Pairs implements Iterator<Map.Entry<Object, Object>> {
        private final int count = values.length;
        private int next;
        /** The rest, when this iterator has removed a pair. */
        private Iterator<Map.Entry<Object, Object>> rest;
        private boolean removable;

        @Override
        public boolean hasNext() {
            return rest != null ? rest.hasNext() : next < count;
        }

        @Override
        public Map.Entry<Object, Object> next() {
            if (rest != null) return rest.next();
            if (own != null) throw new ConcurrentModificationException();
            if (next == count) throw new NoSuchElementException();
            removable = true;
            return new Pair(next++);
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
