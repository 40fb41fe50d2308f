package kumihimo.frame;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Limits;

/**
 * Zstandard (RFC 8878) by zstd-jni, found when it is needed, so that this library needs nothing. What is packed here
 * carries a check sum.
 */
final class Zstd extends Frame {
    /**
     * Making a context, with its buffers outside of the heap, costs fifty times what a small document does. So a few
     * are kept, of those that have worked with no more than this, and by no level above the usual one: 1.4 megabytes
     * each for packing, as long as the program runs. Higher levels take many times that.
     */
    private static final int SMALL = 1 << 18;

    private static final int KEPT = 4;
    private static final int LEVEL = 3;
    private static final byte[] MAGIC = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd};
    private static final String MISSING = "zstd needs com.github.luben:zstd-jni (1.5 or newer) on the class path";

    Zstd() {
        super("zstd", ".zst", "application/zstd", "zstd", -131072, LEVEL, 22);
    }

    @Override
    public boolean isAvailable() {
        return Library.FOUND != null;
    }

    @Override
    Match begins(byte[] head, int from, int to) {
        Match is = matches(head, from, to, MAGIC);
        return is == Match.NO ? skippable(head, from, to) : is;
    }

    /** The length in the header of the first frame (RFC 8878, 3.1.1.1.4). */
    @Override
    long announced(byte[] file, int from, int to) {
        if (matches(file, from, to, MAGIC) != Match.YES || to - from < 18) return 0;
        int descriptor = file[from + 4] & 0xff;
        boolean single = (descriptor & 0x20) != 0;
        int dictionary = descriptor & 3;
        int at = from + 5 + (single ? 0 : 1) + (dictionary == 3 ? 4 : dictionary);
        switch (descriptor >> 6) {
            case 0:
                return single ? file[at] & 0xff : 0;
            case 1:
                return (file[at] & 0xff | (file[at + 1] & 0xff) << 8) + 256;
            case 2:
                return little(file, at);
            default:
                return Math.max(little(file, at) | little(file, at + 4) << 32, 0);
        }
    }

    @Override
    Expander expander(Limits limits) {
        Decompress kept = Decompress.KEPT.poll();
        return kept != null ? kept : new Decompress(library());
    }

    @Override
    Compressor compressor(int level) {
        Compress kept = Compress.KEPT.poll();
        return (kept != null ? kept : new Compress(library())).begin(level);
    }

    private static Library library() {
        if (Library.FOUND == null) throw new DataException(Code.UNSUPPORTED, MISSING);
        return Library.FOUND;
    }

    /** The calls of zstd-jni. */
    private static final class Library {
        /** null: it is not on the class path, or cannot load its native part. */
        static final Library FOUND = find();

        final MethodHandle newDecompressor;
        final MethodHandle decompress;
        final MethodHandle resetDecompressor;
        final MethodHandle closeDecompressor;
        final MethodHandle newCompressor;
        final MethodHandle setLevel;
        final MethodHandle setChecksum;
        final MethodHandle setPledged;
        final MethodHandle compress;
        final MethodHandle resetCompressor;
        final MethodHandle closeCompressor;
        final MethodHandle errorCode;
        final Class<?> error;
        final Object goOn;
        final Object flush;
        final Object end;

        private Library() throws ReflectiveOperationException {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            Class<?> in = Class.forName("com.github.luben.zstd.ZstdDecompressCtx");
            Class<?> out = Class.forName("com.github.luben.zstd.ZstdCompressCtx");
            Class<?> directive = Class.forName("com.github.luben.zstd.EndDirective");
            error = Class.forName("com.github.luben.zstd.ZstdException");
            Class<?> buffer = ByteBuffer.class;
            newDecompressor = lookup.findConstructor(in, MethodType.methodType(void.class))
                    .asType(MethodType.methodType(Object.class));
            decompress = generic(lookup.findVirtual(in, "decompressDirectByteBufferStream",
                    MethodType.methodType(boolean.class, buffer, buffer)));
            resetDecompressor = generic(lookup.findVirtual(in, "reset", MethodType.methodType(void.class)));
            closeDecompressor = generic(lookup.findVirtual(in, "close", MethodType.methodType(void.class)));
            newCompressor = lookup.findConstructor(out, MethodType.methodType(void.class))
                    .asType(MethodType.methodType(Object.class));
            setLevel = generic(lookup.findVirtual(out, "setLevel", MethodType.methodType(out, int.class)));
            setChecksum = generic(lookup.findVirtual(out, "setChecksum", MethodType.methodType(out, boolean.class)));
            setPledged = generic(lookup.findVirtual(out, "setPledgedSrcSize",
                    MethodType.methodType(void.class, long.class)));
            compress = generic(lookup.findVirtual(out, "compressDirectByteBufferStream",
                    MethodType.methodType(boolean.class, buffer, buffer, directive)));
            resetCompressor = generic(lookup.findVirtual(out, "reset", MethodType.methodType(void.class)));
            closeCompressor = generic(lookup.findVirtual(out, "close", MethodType.methodType(void.class)));
            errorCode = generic(lookup.findVirtual(error, "getErrorCode", MethodType.methodType(long.class)));
            Object[] directives = directive.getEnumConstants(); // CONTINUE, FLUSH, END
            goOn = directives[0];
            flush = directives[1];
            end = directives[2];
        }

        private static MethodHandle generic(MethodHandle of) {
            MethodType type = of.type();
            for (int i = 0; i < type.parameterCount(); i++) {
                if (!type.parameterType(i).isPrimitive()) type = type.changeParameterType(i, Object.class);
            }
            if (!type.returnType().isPrimitive()) type = type.changeReturnType(Object.class);
            return of.asType(type);
        }

        private static Library find() {
            try {
                Library found = new Library();
                Object trial = (Object) found.newDecompressor.invokeExact();
                found.closeDecompressor.invokeExact(trial);
                return found;
            } catch (Throwable missing) {
                return null;
            }
        }

        /** A failure as this library tells it; zstd_errors.h keeps its numbers from release to release. */
        RuntimeException explain(Throwable e) {
            if (!error.isInstance(e)) {
                if (e instanceof Error) throw (Error) e;
                return new DataException(Code.SYNTAX, "the zstd data is damaged");
            }
            long number;
            try {
                number = (long) errorCode.invokeExact((Object) e);
            } catch (Throwable never) {
                throw new AssertionError(never);
            }
            switch ((int) number) {
                case 14:
                    return new DataException(Code.UNSUPPORTED,
                            "the zstd frame uses something that zstd-jni does not know");
                case 16:
                    return new DataException(Code.SIZE,
                            "the zstd frame needs more memory than 128 MB, as one made with --long does");
                case 22:
                    return new DataException(Code.SYNTAX, "the text does not match its checksum (XXH64)");
                case 30:
                case 32:
                    return new DataException(Code.UNSUPPORTED, "the zstd frame needs a dictionary, and there is none");
                case 64:
                    return new DataException(Code.MEMORY, "no memory for zstd");
                default:
                    return new DataException(Code.SYNTAX, "the zstd data is damaged");
            }
        }
    }

    private static final class Decompress extends Expander {
        static final ArrayBlockingQueue<Decompress> KEPT = new ArrayBlockingQueue<>(Zstd.KEPT);

        private final Library library;
        private final Object context;
        private final ByteBuffer source = ByteBuffer.allocateDirect(1 << 16);
        private final ByteBuffer text = ByteBuffer.allocateDirect(1 << 17);
        // The frame's header, as far as it is there, and the length of its text: libzstd does not compare the length
        // with the header's in a stream whose last block is empty.
        private final byte[] header = new byte[18];
        private int held;
        private long length;
        /** No member is open, and none has needed much memory. */
        private boolean isIdle = true;
        private boolean isSmall = true;

        Decompress(Library library) {
            this.library = library;
            try {
                context = (Object) library.newDecompressor.invokeExact();
            } catch (Throwable e) {
                throw new DataException(Code.MEMORY, "no memory for zstd");
            }
        }

        @Override
        void expand(byte[] in, int from, int to, byte[] out, int at, int room) {
            taken = 0;
            given = 0;
            ended = false;
            isIdle = false;
            do {
                int offered = Math.min(to - from - taken, source.capacity());
                int wanted = Math.min(room - given, text.capacity());
                source.clear();
                source.put(in, from + taken, offered).flip();
                text.clear().limit(wanted);
                try {
                    ended = (boolean) library.decompress.invokeExact(context, (Object) text, (Object) source);
                } catch (Throwable e) {
                    throw library.explain(e);
                }
                text.flip();
                int got = text.remaining();
                text.get(out, at + given, got);
                int more = Math.min(header.length - held, source.position());
                System.arraycopy(in, from + taken, header, held, more);
                held += more;
                taken += source.position();
                given += got;
                length += got;
                if (source.position() == 0 && got == 0) break;
            } while (!ended && (taken < to - from || given < room));
            if (ended) end();
        }

        private void end() {
            Frame zstd = Frames.named("zstd");
            boolean known = header[4] >>> 5 != 0 && skippable(header, 0, held) == Match.NO;
            long said = known ? zstd.announced(header, 0, header.length) : length;
            boolean wrong = said != length;
            isSmall &= skippable(header, 0, held) == Match.YES || window(said) <= SMALL;
            isIdle = true;
            held = 0;
            length = 0;
            if (wrong) throw new DataException(Code.SYNTAX, "the text is not as long as the zstd frame says");
        }

        /** The memory that the member's header asks for (RFC 8878, 3.1.1.1.2); of one segment all of its text. */
        private long window(long said) {
            return (header[4] & 0x20) != 0 ? said : 2L << 10 + (header[5] >> 3 & 31);
        }

        @Override
        void close() {
            try {
                if (isIdle && isSmall) {
                    library.resetDecompressor.invokeExact(context);
                    if (KEPT.offer(this)) return;
                }
                library.closeDecompressor.invokeExact(context);
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }
    }

    static final class Compress extends Compressor {
        static final ArrayBlockingQueue<Compress> KEPT = new ArrayBlockingQueue<>(Zstd.KEPT);

        private final Library library;
        private final Object context;
        private final ByteBuffer source = ByteBuffer.allocateDirect(1 << 17);
        private final ByteBuffer packed = ByteBuffer.allocateDirect(1 << 16);
        private final byte[] copy = new byte[1 << 16];
        /** The member is closed, and has needed little memory, since it was known beforehand to be small. */
        private boolean isIdle;
        private boolean isSmall;
        private boolean isLow;

        Compress(Library library) {
            this.library = library;
            try {
                context = (Object) library.newCompressor.invokeExact();
            } catch (Throwable e) {
                throw library.explain(e);
            }
        }

        Compress begin(int level) {
            isIdle = false;
            isSmall = false;
            isLow = level <= LEVEL;
            try {
                Object same = (Object) library.setLevel.invokeExact(context, level);
                same = (Object) library.setChecksum.invokeExact(context, true);
            } catch (Throwable e) {
                throw library.explain(e);
            }
            return this;
        }

        @Override
        void announce(long size) {
            isSmall = isLow && size <= SMALL;
            try {
                library.setPledged.invokeExact(context, size);
            } catch (Throwable e) {
                throw library.explain(e);
            }
        }

        @Override
        void compress(byte[] in, int from, int to, OutputStream out) throws IOException {
            if (isIdle) isSmall = false; // another member, of which nothing is known
            isIdle = false;
            while (from < to) {
                int n = Math.min(to - from, source.capacity());
                source.clear();
                source.put(in, from, n).flip();
                from += n;
                while (source.hasRemaining()) run(library.goOn, out);
            }
        }

        @Override
        void flush(OutputStream out) throws IOException {
            all(library.flush, out);
        }

        @Override
        void finish(OutputStream out) throws IOException {
            all(library.end, out);
            isIdle = true;
        }

        private void all(Object directive, OutputStream out) throws IOException {
            source.clear().limit(0);
            while (!run(directive, out)) continue;
        }

        private boolean run(Object directive, OutputStream out) throws IOException {
            packed.clear();
            boolean done;
            try {
                done = (boolean) library.compress.invokeExact(context, (Object) packed, (Object) source, directive);
            } catch (Throwable e) {
                throw library.explain(e);
            }
            int n = packed.flip().remaining();
            packed.get(copy, 0, n);
            out.write(copy, 0, n);
            return done;
        }

        @Override
        void close() {
            try {
                if (isIdle && isSmall) {
                    library.resetCompressor.invokeExact(context);
                    if (KEPT.offer(this)) return;
                }
                library.closeCompressor.invokeExact(context);
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }
    }
}
