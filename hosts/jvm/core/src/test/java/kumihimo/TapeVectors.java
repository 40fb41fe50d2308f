package kumihimo;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kumihimo.path.Level;
import kumihimo.path.Partial;
import kumihimo.path.Picker;
import kumihimo.path.Projection;
import kumihimo.tape.Cursor;
import kumihimo.tape.Fields;
import kumihimo.tape.Tape;
import kumihimo.tape.TapeReader;

/**
 * The documents of tests/vectors on a tape: the same verbs, errors and values as without one, and every value where
 * the document has it. And what paths find in documents of every format, as tests/vectors/project has it of JSON's.
 */
final class TapeVectors {
    private TapeVectors() {}

    static void run(Vectors vectors, VectorRunner.Areas areas) {
        for (Format format : Formats.all()) {
            if (areas.want("tape/" + format.name())) documents(vectors, format);
            if (areas.want("partial/" + format.name())) partial(vectors, format);
        }
    }

    private static void documents(Vectors vectors, Format format) {
        for (String in : vectors.files(format.name(), ".in")) {
            byte[] document = vectors.load(in);
            String trace = Vectors.beside(in, ".trace");
            String error = Vectors.beside(in, ".error");
            if (vectors.exists(trace)) {
                vectors.check(in + " on a tape", () -> accepted(format, "", document, vectors.text(trace)));
            }
            if (vectors.exists(error)) {
                vectors.check(in + " on a tape", () -> refused(format, "", document, vectors.text(error)));
            }
        }
        for (String file : vectors.files("read/" + format.name(), "")) {
            if (file.endsWith(".in")) continue;
            String name = file.substring(0, file.lastIndexOf('.'));
            int dot = name.indexOf('.', name.lastIndexOf('/'));
            String dialect = name.substring(dot + 1);
            byte[] document = vectors.load(name.substring(0, dot) + ".in");
            vectors.check(file + " on a tape", () -> {
                if (file.endsWith(".trace")) accepted(format, dialect, document, vectors.text(file));
                else refused(format, dialect, document, vectors.text(file));
            });
        }
    }

    private static void accepted(Format format, String dialect, byte[] document, String lines) {
        byte[] around = new byte[document.length + 64];
        Arrays.fill(around, (byte) '7');
        System.arraycopy(document, 0, around, 32, document.length);
        Tape tape = Tape.of(format, dialect, Limits.DEFAULT, around, 32, 32 + document.length);
        Vectors.equal(trace(tape.root()), lines, "the trace off a tape");
        TapeReader reader = new TapeReader(format, dialect, Limits.DEFAULT);
        boolean text = !lines.contains("\\x");
        for (int i = 0; i < 2 && text; i++) { // the second time the memory of the first is used
            reader.reset(document);
            Trace trace = new Trace(false);
            Feed.value(reader, trace);
            reader.finish();
            Vectors.equal(trace.finish(), lines, "the trace off a tape, pulled");
        }
        if (document.length < 2000 && text) places(format, dialect, document, tape);
    }

    private static String trace(Cursor value) {
        Trace trace = new Trace(false);
        TapeReader reader = value.read();
        reader.feed(trace);
        reader.finish();
        return trace.finish();
    }

    /** Every value is where the document has it, and its fields are found. */
    private static void places(Format format, String dialect, byte[] document, Tape tape) {
        Deque<Cursor> todo = new ArrayDeque<>();
        todo.add(tape.root());
        while (!todo.isEmpty()) {
            Cursor value = todo.poll();
            int begin = value.begin();
            int end = value.end();
            boolean inside = begin >= 0 && end >= begin && end <= document.length;
            if (!inside) throw new Vectors.Difference("a place beyond the document");
            if (format.valuesAreDocuments()) {
                byte[] own = Arrays.copyOfRange(document, begin, end);
                Vectors.equal(DocumentVectors.feed(format, dialect, own), trace(value), "a value by its place");
            }
            for (Cursor one : value) todo.add(one);
            if (value.kind() == Kind.MAP) fields(value);
            if (value.kind() == Kind.ARRAY) {
                int i = 0;
                for (Cursor one : value) Vectors.equal(trace(value.get(i++)), trace(one), "an element by its number");
                if (value.get(i).exists()) throw new Vectors.Difference("an element too many");
            }
        }
    }

    private static void fields(Cursor map) {
        Map<String, Cursor> last = new HashMap<>();
        for (Cursor value : map) {
            String key;
            try {
                key = value.key();
            } catch (DataException e) {
                if (e.code() != Code.TYPE) throw e;
                continue; // a key that is a container
            }
            if (map.get(key).exists()) last.put(key, value);
        }
        Fields fields = new Fields().open(map);
        for (int round = 0; round < 2; round++) {
            for (Map.Entry<String, Cursor> one : last.entrySet()) {
                int node = fields.find(one.getKey());
                if (node == Fields.ABSENT) throw new Vectors.Difference("no field " + one.getKey());
                Vectors.equal(trace(fields.at(node)), trace(one.getValue()), "a field");
                Vectors.equal(trace(map.get(one.getKey())), trace(one.getValue()), "a member");
                if (fields.find(one.getKey() + "?") != Fields.ABSENT && !last.containsKey(one.getKey() + "?")) {
                    throw new Vectors.Difference("a field that is not there");
                }
            }
        }
    }

    private static void refused(Format format, String dialect, byte[] document, String expected) {
        try {
            Tape.of(format, dialect, Limits.DEFAULT, document, 0, document.length);
        } catch (DataException e) {
            Vectors.agree(Vectors.said(DocumentVectors.placed(format, dialect, document, e)), expected);
            return;
        }
        throw new Vectors.Difference("it is taken, but must be refused");
    }

    private static void partial(Vectors vectors, Format format) {
        Format json = Formats.named("json");
        for (String in : vectors.files("project", ".strict.found")) {
            String stem = in.substring(0, in.length() - ".strict.found".length());
            byte[] document = vectors.load(stem + ".in");
            vectors.check(stem + " in " + format.name(), () -> {
                String expected = expected(document, vectors.lines(in));
                byte[] there = document;
                if (format != json) {
                    Writer writer = format.writer("", Limits.DEFAULT);
                    try {
                        json.reader("", Limits.DEFAULT).reset(document).feed(writer);
                        writer.finish();
                    } catch (DataException e) {
                        if (e.code() == Code.UNSUPPORTED) return; // a number that the format has no form for
                        throw e;
                    }
                    there = writer.toByteArray();
                }
                Projection what = Projection.of(vectors.lines(stem + ".paths").toArray(new String[0]));
                boolean twice = stem.contains("/twice");
                for (Level level : Level.values()) {
                    if (twice && level == Level.TRUSTED) continue;
                    for (String dialect : format == json ? new String[] {"", "relaxed"} : new String[] {""}) {
                        Partial partial = new Partial(format, dialect, Limits.DEFAULT, level, what);
                        partial.run(there, 0, there.length);
                        Vectors.equal(found(partial), expected, "what is found at " + level);
                    }
                }
                Cursor root = Tape.of(format, "", Limits.DEFAULT, there, 0, there.length).root();
                StringBuilder picked = new StringBuilder();
                for (int i = 0; i < what.size(); i++) {
                    List<Cursor> places = Picker.pick(root, what.path(i));
                    if (what.wild(i)) picked.append("each ").append(places.size()).append('\n');
                    for (Cursor place : places) picked.append(place.exists() ? trace(place) : "absent\n");
                }
                Vectors.equal(picked.toString(), expected, "what is picked off a tape");
            });
        }
    }

    private static String found(Partial partial) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < partial.projection().size(); i++) {
            if (partial.projection().wild(i)) out.append("each ").append(partial.count(i)).append('\n');
            for (int k = 0; k < partial.count(i); k++) {
                Reader value = partial.value(i, k);
                if (value == null) {
                    out.append("absent\n");
                    continue;
                }
                Trace trace = new Trace(false);
                value.feed(trace);
                value.finish();
                out.append(trace.finish());
            }
        }
        return out.toString();
    }

    /** What a .found file says, with the values in the place of their places. */
    private static String expected(byte[] document, List<String> lines) {
        StringBuilder out = new StringBuilder();
        for (String line : lines) {
            String[] words = line.split(" ");
            if (words.length != 2 || words[0].equals("each")) {
                out.append(line).append('\n');
                continue;
            }
            int from = Integer.parseInt(words[0]);
            byte[] value = Arrays.copyOfRange(document, from, from + Integer.parseInt(words[1]));
            out.append(DocumentVectors.feed(Formats.named("json"), "", value));
        }
        return out.toString();
    }
}
