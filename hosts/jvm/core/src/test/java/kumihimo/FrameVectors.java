package kumihimo;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import kumihimo.frame.Frame;
import kumihimo.frame.Frames;

/**
 * tests/vectors/frames: what compressed bytes unpack to, as a whole and in pieces; and that what is packed comes
 * back.
 */
final class FrameVectors {
    private FrameVectors() {}

    static void run(Vectors vectors, VectorRunner.Areas areas) {
        for (Frame frame : Frames.all()) {
            if (!areas.want("frames/" + frame.name())) continue;
            if (!frame.isAvailable()) {
                System.out.println("frames/" + frame.name() + " is left out: its library is not on the class path");
                missing(vectors, frame);
                continue;
            }
            for (String in : vectors.files("frames/" + frame.name(), ".in")) {
                vectors.check(in, () -> frame(vectors, frame, in));
            }
        }
    }

    private static void frame(Vectors vectors, Frame frame, String in) throws IOException {
        byte[] packed = vectors.load(in);
        boolean good = Vectors.expectation(in).equals("ok");
        for (int piece : new int[] {0, 1, 5, 4096}) {
            byte[] text;
            try {
                text = piece == 0 ? Frames.unpack(frame, packed, Limits.DEFAULT) : streamed(frame, packed, piece);
            } catch (DataException e) {
                if (good) throw e;
                Vectors.agree(Vectors.said(e), vectors.text(Vectors.beside(in, ".error")));
                continue;
            }
            if (!good) throw new Vectors.Difference("it is taken, but must be refused");
            Vectors.equal(text, vectors.load(Vectors.beside(in, ".out")), "the text in pieces of " + piece);
        }
        if (!good) return;
        if (Frames.of(packed) != frame) throw new Vectors.Difference("its first bytes tell " + Frames.of(packed));
        byte[] text = vectors.load(Vectors.beside(in, ".out"));
        InputStream plain = Frames.plain(new StreamVectors.Pieces(packed, 3), Limits.DEFAULT);
        Vectors.equal(plain.readAllBytes(), text, "the text of a stream that may be in a frame");
        for (int level = Math.max(frame.lowestLevel(), -1); level <= frame.highestLevel(); level++) {
            byte[] again = Frames.pack(frame, text, 0, text.length, level);
            Vectors.equal(Frames.unpack(frame, again, Limits.DEFAULT), text, "what was packed by level " + level);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (OutputStream to = Frames.pack(frame, out, Frame.USUAL)) {
            for (int i = 0; i < text.length; i++) {
                to.write(text[i]);
                if (i % 100 == 50) to.flush();
            }
        }
        Vectors.equal(Frames.unpack(frame, out.toByteArray(), Limits.DEFAULT), text, "what was packed as a stream");
    }

    private static byte[] streamed(Frame frame, byte[] packed, int piece) throws IOException {
        InputStream in = Frames.unpack(frame, new StreamVectors.Pieces(packed, piece), Limits.DEFAULT);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] some = new byte[piece];
        for (int n; (n = in.read(some)) >= 0; ) out.write(some, 0, n);
        return out.toByteArray();
    }

    /** A frame whose library is missing says what to add. */
    private static void missing(Vectors vectors, Frame frame) {
        vectors.check("frames/" + frame.name() + " without its library", () -> {
            byte[] packed = vectors.load(vectors.files("frames/" + frame.name(), "ok-text.in").get(0));
            try {
                Frames.unpack(frame, new ByteArrayInputStream(packed), Limits.DEFAULT).read();
            } catch (DataException e) {
                if (e.code() == Code.UNSUPPORTED && e.reason().contains("class path")) return;
                throw e;
            }
            throw new Vectors.Difference("it is unpacked by nothing");
        });
    }
}
