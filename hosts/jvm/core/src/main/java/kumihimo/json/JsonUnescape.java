package kumihimo.json;

import kumihimo.Utf8;

/**
 * Strings whose ends and escapes are not those of RFC 8259 alone, by what a dialect grants; and taking escapes out,
 * byte by byte, for every dialect. As {@code engine/json/string.hpp}. The reader knows a quicker way for the usual
 * strings.
 */
final class JsonUnescape {
    /**
     * In what {@link #bytes} returns: half a surrogate pair came, and {@link JsonReadDialect.Surrogates#KEEP} was
     * asked for.
     */
    static final long HALF = 1L << 34;

    /** What becomes of a backslash before a character that JSON gives no meaning. */
    enum Unknown {
        REFUSE,
        /** The backslash is dropped, unless a control character follows. */
        DROP,
        /** The backslash is dropped, unless a zero byte follows. */
        DROP_ANY;

        static Unknown of(JsonReadDialect granted) {
            if (!granted.unknownEscapes()) return REFUSE;
            return granted.controlCharacters() ? DROP_ANY : DROP;
        }

        boolean drops(int c) {
            return this == DROP_ANY && c != 0 || this == DROP && (c & 0xff) >= 0x20;
        }
    }

    private JsonUnescape() {}

    /**
     * The closing quote of the string whose opening quote is before {@code at}, with the flags of {@link
     * JsonScan#string}; {@link JsonScan#BROKEN} where there is none. Escapes are not judged, but by {@link #bytes}.
     */
    static long string(byte[] data, int at, int end, JsonReadDialect granted) {
        int open = at;
        long found = 0;
        for (; at < end; at++) {
            int c = data[at];
            if (c == '"') {
                boolean ascii = (found & JsonScan.WIDE) == 0;
                boolean valid = ascii || granted.anyBytes() || Utf8.validPrefix(data, open, at) == at;
                return valid ? at | found : JsonScan.BROKEN;
            }
            if (c == '\\') {
                found |= JsonScan.ESCAPED;
                if (++at == end) break;
                if (data[at] < 0) found |= JsonScan.WIDE;
            } else if (c < 0) {
                found |= JsonScan.WIDE;
            } else if (c < 0x20 && !granted.controlCharacters()) {
                break;
            }
        }
        return JsonScan.BROKEN;
    }

    /**
     * Takes the escapes out of [at, close), writing to {@code to} from its start, which has close - at bytes.
     *
     * @return how many bytes were written, with {@link JsonScan#WIDE} where an escape said something above 0x7F, and
     *     {@link #HALF}: they are not to be used then; or {@link JsonScan#BROKEN} for a refused escape
     */
    static long bytes(byte[] data, int at, int close, byte[] to, JsonReadDialect.Surrogates halves, Unknown unknown) {
        int n = 0;
        long found = 0;
        while (at < close) {
            int c = data[at];
            if (c != '\\') {
                to[n++] = (byte) c;
                at++;
                continue;
            }
            if (close - at < 2) return JsonScan.BROKEN;
            c = data[at + 1];
            if (c != 'u') {
                int meant = JsonScan.escape(c);
                if (meant == 0 && !unknown.drops(c)) return JsonScan.BROKEN;
                to[n++] = (byte) (meant == 0 ? c : meant);
                at += 2;
                continue;
            }
            int unit = close - at < 6 ? -1 : JsonScan.fourHex(data, at + 2);
            if (unit < 0) return JsonScan.BROKEN;
            at += 6;
            int point = unit;
            if ((unit & 0xf800) == 0xd800) {
                boolean first = unit < 0xdc00;
                boolean escape = first && close - at >= 6 && data[at] == '\\' && data[at + 1] == 'u';
                int second = escape ? JsonScan.fourHex(data, at + 2) : -1;
                if (second >= 0xdc00 && second <= 0xdfff) {
                    point = pair(unit, second);
                    at += 6;
                } else {
                    switch (halves) {
                        case REFUSE:
                            return JsonScan.BROKEN;
                        case KEEP:
                            found |= HALF;
                            point = 0xfffd;
                            break;
                        case REPLACE:
                            point = 0xfffd;
                            break;
                        case LOW:
                            if (first) return JsonScan.BROKEN;
                            break;
                        case GREEDY:
                            if (!first) break;
                            if (close - at < 6 || escape && second < 0) return JsonScan.BROKEN;
                            if (escape) {
                                point = pair(unit, second);
                                at += 6;
                                break;
                            }
                            if (data[at] == '\\' && JsonScan.escape(data[at + 1]) == 0
                                    && !unknown.drops(data[at + 1])) {
                                return JsonScan.BROKEN;
                            }
                            point = '?';
                            at++;
                    }
                }
            }
            if (point >= 0x80) found |= JsonScan.WIDE;
            n = put(to, n, point);
        }
        return n | found;
    }

    private static int pair(int first, int second) {
        return 0x10000 + ((first & 0x3ff) << 10) + (second & 0x3ff);
    }

    /** UTF-8, which half a surrogate pair has none of: its three bytes all the same. */
    private static int put(byte[] to, int n, int point) {
        if (point < 0x80) {
            to[n++] = (byte) point;
        } else if (point < 0x800) {
            to[n++] = (byte) (0xc0 | point >> 6);
            to[n++] = (byte) (0x80 | point & 0x3f);
        } else if (point < 0x10000) {
            to[n++] = (byte) (0xe0 | point >> 12);
            to[n++] = (byte) (0x80 | point >> 6 & 0x3f);
            to[n++] = (byte) (0x80 | point & 0x3f);
        } else {
            to[n++] = (byte) (0xf0 | point >> 18);
            to[n++] = (byte) (0x80 | point >> 12 & 0x3f);
            to[n++] = (byte) (0x80 | point >> 6 & 0x3f);
            to[n++] = (byte) (0x80 | point & 0x3f);
        }
        return n;
    }

    /**
     * The text of [at, close) with half pairs kept: it is UTF-8 whose escapes {@link #bytes} has taken, unknown ones
     * refused.
     */
    static String utf16(byte[] data, int at, int close) {
        StringBuilder out = new StringBuilder(close - at);
        int from = at;
        while (at < close) {
            if (data[at] != '\\') {
                at++;
                continue;
            }
            out.append(Utf8.string(data, from, at, false));
            if (data[at + 1] == 'u') {
                out.append((char) JsonScan.fourHex(data, at + 2));
                at += 6;
            } else {
                int meant = JsonScan.escape(data[at + 1]);
                if (meant != 0) out.append((char) meant);
                from = meant != 0 ? at + 2 : at + 1;
                at += 2;
                continue;
            }
            from = at;
        }
        return out.append(Utf8.string(data, from, close, false)).toString();
    }
}
