package kumihimo;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Text between UTF-8 and String, refusing what is neither. */
public final class Utf8 {
    private Utf8() {}

    /**
     * The text of these bytes.
     *
     * @param ascii all are known to be below 0x80
     * @throws DataException {@link Code#ENCODING}
     */
    @SuppressWarnings("deprecation") // the constructor that copies bytes as Latin-1 without looking at them
    public static String string(byte[] data, int from, int to, boolean ascii) {
        if (ascii) return new String(data, 0, from, to - from);
        try {
            return StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(data, from, to - from)).toString();
        } catch (CharacterCodingException e) {
            throw new DataException(Code.ENCODING, "text that is not UTF-8");
        }
    }

    /**
     * The UTF-8 of a text.
     *
     * @throws DataException {@link Code#ENCODING} for half a surrogate pair
     */
    public static byte[] bytes(String text) {
        try {
            ByteBuffer out = StandardCharsets.UTF_8.newEncoder().onMalformedInput(CodingErrorAction.REPORT).encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[out.remaining()];
            out.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new DataException(Code.ENCODING, "half a surrogate pair is no character");
        }
    }
}
