package kumihimo.tape;

import kumihimo.Code;
import kumihimo.DataException;
import kumihimo.Utf8;
import kumihimo.scalar.Base64;
import kumihimo.scalar.TimeText;

/** Keys that are no text, as the text that JSON would write for them. */
final class KeyText {
    private KeyText() {}

    static String of(Tape tape, int node) {
        switch (tape.kind(node)) {
            case NIL:
                return "null";
            case BOOL:
                return Boolean.toString(tape.payload(node) != 0);
            case F64: {
                double value = tape.f64(node);
                if (Double.isNaN(value) || Double.isInfinite(value)) return Double.toString(value);
                return new TapeReader().reset(tape, node).number();
            }
            case I64:
            case U64:
            case BIG:
                return new TapeReader().reset(tape, node).number();
            case STR:
                return tape.str(node);
            case BIN:
            case EXT: {
                byte[] data = tape.bin(node);
                byte[] text = new byte[(int) Base64.STANDARD.size(data.length)];
                return Utf8.string(text, 0, Base64.STANDARD.encode(data, 0, data.length, text, 0), true);
            }
            case TIME:
                return TimeText.text(tape.time(node));
            default:
                throw new DataException(Code.TYPE, "a key that is a container has no text", tape.position(node));
        }
    }
}
