package kumihimo;

import kumihimo.frame.Frame;
import kumihimo.frame.Frames;

/** tests/vectors/detect: formats and frames told by first bytes, media types and names. */
final class DetectVectors {
    private DetectVectors() {}

    static void run(Vectors vectors, VectorRunner.Areas areas) {
        if (!areas.want("detect")) return;
        for (String in : vectors.files("detect/format", ".in")) {
            vectors.check(in, () -> {
                String told = name(Formats.of(vectors.load(in)));
                Vectors.equal(told, Vectors.expectation(in), "the format");
            });
        }
        for (String in : vectors.files("detect/frame", ".in")) {
            vectors.check(in, () -> {
                Vectors.equal(name(Frames.of(vectors.load(in))), Vectors.expectation(in), "the frame");
            });
        }
        for (String line : vectors.lines("detect/media-types")) {
            vectors.check("detect/media-types " + line, () -> {
                int tab = line.indexOf('\t');
                Format told = Formats.ofMediaType(line.substring(tab + 1));
                Vectors.equal(name(told), line.substring(0, tab), "the format");
            });
        }
        for (String line : vectors.lines("detect/names")) {
            vectors.check("detect/names " + line, () -> {
                String[] parts = line.split("\t", -1);
                Vectors.equal(name(Formats.ofName(parts[2])), parts[0], "the format");
                Vectors.equal(name(Frames.ofName(parts[2])), parts[1], "the frame");
            });
        }
    }

    private static String name(Frame frame) {
        return frame == null ? "none" : frame.name();
    }

    private static String name(Format format) {
        return format == null ? "none" : format.name();
    }
}
