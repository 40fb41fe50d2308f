package kumihimo;

/** The notation itself: every trace of tests/vectors/model is read and written again. */
final class TraceVectors {
    private TraceVectors() {}

    static void run(Vectors vectors, VectorRunner.Areas areas) {
        if (!areas.want("trace")) return;
        for (String file : vectors.files("model", ".trace")) {
            vectors.check(file, () -> {
                String lines = vectors.text(file);
                Trace trace = new Trace(true);
                TraceFeed.document(lines, trace);
                Vectors.equal(trace.finish(), lines, "the trace");
                trace.reset();
                TraceFeed.document(lines, new AsBytes(trace));
                Vectors.equal(trace.finish(), lines, "the trace, of bytes");
            });
        }
    }
}
