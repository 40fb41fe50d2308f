package kumihimo.json;

import kumihimo.Boundary;

/**
 * Where documents end in a run of JSON: {@code {...}{...}}, or one a line, or one pretty-printed document after the
 * other; as {@code engine/json/boundary.hpp}. Only strings, escapes and the number of open brackets are looked at;
 * whether a document is valid is the reader's question.
 *
 * <p>A string ends behind its closing quote, a container behind its last bracket. Anything else ends before the next
 * white space, bracket or quote; at the stream's end the caller knows that it has ended.
 */
public final class JsonBoundary implements Boundary {
    private enum Place { BEFORE, CONTAINER, STRING, SCALAR }

    private Place place = Place.BEFORE;
    private boolean complete;
    private int passed;
    private long depth;
    /** In a container: inside a string. */
    private boolean inString;
    /** In a string: the next byte is escaped. */
    private boolean escaped;

    @Override
    public int next(byte[] data, int from, int to) {
        if (complete) {
            complete = false;
            place = Place.BEFORE;
        }
        passed = 0;
        int at = from;
        if (place == Place.BEFORE) {
            at = JsonEnds.space(data, from, to);
            passed = at - from;
            if (at == to) return passed;
            at = begin(data[at], at);
        }
        switch (place) {
            case CONTAINER:
                at = container(data, at, to);
                break;
            case STRING:
                at = string(data, at, to);
                complete = !inString;
                break;
            default:
                at = scalar(data, at, to);
        }
        return at - from;
    }

    private int begin(int first, int at) {
        depth = 0;
        escaped = false;
        inString = first == '"';
        if (first == '{' || first == '[') {
            place = Place.CONTAINER;
            return at;
        }
        place = inString ? Place.STRING : Place.SCALAR;
        return at + 1;
    }

    private int scalar(byte[] data, int at, int to) {
        for (; at < to; at++) {
            int c = data[at];
            if (JsonEnds.isSpace(data[at]) || c == '"' || (c | 0x20) == '{' || (c | 0x20) == '}') {
                complete = true;
                return at;
            }
        }
        return to;
    }

    /** Behind the closing quote of the string that is open, or behind the bytes. */
    private int string(byte[] data, int at, int to) {
        while (at < to) {
            if (!escaped && at <= to - 8) {
                long stops = JsonWords.quoteOrBackslash(JsonWords.at(data, at));
                at += Long.numberOfTrailingZeros(stops) >>> 3;
                if (stops == 0) continue;
            }
            int c = data[at++];
            if (escaped) {
                escaped = false;
            } else if (c == '\\') {
                escaped = true;
            } else if (c == '"') {
                inString = false;
                return at;
            }
        }
        return to;
    }

    private int container(byte[] data, int at, int to) {
        for (;;) {
            if (inString) {
                at = string(data, at, to);
                if (inString) return to;
            }
            while (at < to) {
                int c = data[at++];
                if (c == '"') {
                    inString = true;
                    break;
                }
                int folded = c | 0x20;
                if (folded == '{') {
                    depth++;
                } else if (folded == '}' && --depth == 0) {
                    complete = true;
                    return at;
                }
            }
            if (!inString) return to;
        }
    }

    @Override
    public boolean complete() {
        return complete;
    }

    @Override
    public boolean started() {
        return place != Place.BEFORE && !complete;
    }

    @Override
    public int passed() {
        return passed;
    }
}
