package kumihimo.cbor;

import kumihimo.Code;

/** What is wrong, and at which byte of the array. For whoever may go on in spite of it: no exception is made. */
final class CborFault {
    /** null: nothing. */
    Code code;
    int at;
    String what;

    void clear() {
        code = null;
    }

    /** @return false, for the caller to return */
    boolean set(Code code, int at, String what) {
        this.code = code;
        this.at = at;
        this.what = what;
        return false;
    }
}
