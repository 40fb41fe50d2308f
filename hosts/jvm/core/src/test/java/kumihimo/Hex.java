package kumihimo;

/** Bytes as tests spell them. */
public final class Hex {
    private Hex() {}

    public static byte[] bytes(String hex) {
        byte[] data = new byte[hex.length() / 2];
        for (int i = 0; i < data.length; i++) data[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        return data;
    }

    public static String hex(byte[] data) {
        StringBuilder out = new StringBuilder();
        for (byte b : data) out.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
        return out.toString();
    }
}
