package kumihimo;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import kumihimo.frame.Frames;

/**
 * Answers for documents what this library makes of them, so that another implementation can be asked the same: {@code
 * hosts/jvm/core/src/test/differential.py} does so with the engine.
 *
 * <pre>
 *   in    format dialect format dialect length\n  document        from, and into
 *   in    frame - unpacked - length\n  packed bytes
 *   out   ok length\n  document      or      code offset path\n
 * </pre>
 *
 * <p>Asked with {@code --table} it prints the formats and their dialects, as the engine's program does.
 *
 * <p>Where the writer refuses what the reader has not yet found broken, the reader's own answer follows behind {@code
 * " | "}. Each document is also pushed into nothing, pulled and passed over, and all three must say the same; else
 * the answer begins with {@code differs}.
 */
public final class Differential {
    /** What answers for one document; parts are those of the line before it. */
    public interface Answering {
        void answer(byte[] document, String[] parts, OutputStream out) throws IOException;
    }

    private Differential() {}

    public static void main(String[] arguments) throws IOException {
        if (List.of(arguments).equals(List.of("--table"))) table();
        else serve(Differential::answer);
    }

    private static void table() {
        for (Format format : Formats.all()) {
            System.out.println("format " + format.name() + " " + String.join(",", format.readDialects()) + " "
                    + String.join(",", format.writeDialects()) + " " + String.join(",", format.mediaTypes()) + " "
                    + String.join(",", format.endings()));
        }
    }

    /** Answers what is asked on the program's input; frames are the core's, whoever answers for documents. */
    public static void serve(Answering by) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        OutputStream out = new BufferedOutputStream(System.out);
        for (String line; (line = line(in)) != null; ) {
            String[] parts = line.split(" ");
            byte[] document = new byte[Integer.parseInt(parts[4])];
            in.readFully(document);
            if (parts[2].equals("unpacked")) unpack(document, parts[0], out);
            else by.answer(document, parts, out);
            if (in.available() == 0) out.flush();
        }
        out.flush();
    }

    private static String line(DataInputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (;;) {
            int c = in.read();
            if (c == '\n') return line.toString();
            if (c < 0 && line.length() > 0) throw new EOFException();
            if (c < 0) return null;
            line.append((char) c);
        }
    }

    /** The answer of the core. */
    public static void answer(byte[] document, String[] parts, OutputStream out) throws IOException {
        Format from = Formats.named(parts[0]);
        Writer writer = Formats.named(parts[2]).writer(parts[3], Limits.DEFAULT);
        String read;
        String said;
        try {
            read = verdict(from, parts[1], document, "push");
            said = others(from, parts[1], document, read);
            if (said == null) {
                Reader reader = from.reader(parts[1], Limits.DEFAULT).reset(document);
                reader.feed(writer);
                reader.finish();
                writer.finish();
                if (!read.equals("ok")) throw new IllegalStateException("taken, but " + read);
                out.write(("ok " + writer.size() + "\n").getBytes(StandardCharsets.US_ASCII));
                writer.writeTo(out);
                return;
            }
        } catch (DataException e) {
            read = verdict(from, parts[1], document, "push");
            said = said(from.locate(document, 0, document.length, e));
            if (!read.equals("ok") && !read.equals(said)) said += " | " + read;
        } catch (RuntimeException | Error e) {
            said = "differs " + e;
        }
        out.write((said + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static void unpack(byte[] packed, String frame, OutputStream out) throws IOException {
        try {
            byte[] text = Frames.unpack(Frames.named(frame), packed, Limits.DEFAULT);
            out.write(("ok " + text.length + "\n").getBytes(StandardCharsets.US_ASCII));
            out.write(text);
        } catch (DataException e) {
            out.write((said(e) + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (RuntimeException | Error e) {
            out.write(("differs " + e + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Code, offset and path. */
    public static String said(DataException e) {
        return e.code().text() + " " + e.offset() + " " + (e.path() == null ? "-" : e.path());
    }

    /** What the reader says in one of its ways. */
    private static String verdict(Format format, String dialect, byte[] document, String way) {
        Reader reader = format.reader(dialect, Limits.DEFAULT).reset(document);
        try {
            if (way.equals("skip")) reader.skip();
            else if (way.equals("pull")) Feed.value(reader, new Trace(false));
            else reader.feed(new Trace(false));
            reader.finish();
            return "ok";
        } catch (DataException e) {
            return said(format.locate(document, 0, document.length, e));
        }
    }

    /** What passing over and pulling say, where that is not the same; else null. */
    private static String others(Format format, String dialect, byte[] document, String pushed) {
        for (String way : new String[] {"skip", "pull"}) {
            String got = verdict(format, dialect, document, way);
            // Bytes that are no text have no String.
            if (way.equals("pull") && got.startsWith("encoding")) continue;
            if (!got.equals(pushed)) return "differs " + way + " " + got + ", push " + pushed;
        }
        return null;
    }
}
