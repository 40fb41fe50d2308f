package kumihimo.tape;

import kumihimo.Reader;

/** Where in a document the nodes of its tape end: found by reading it again, for a value's own bytes. */
final class Positions {
    private Positions() {}

    /** The offset behind the node's last byte. */
    static int end(Reader from, Tape tape, int node) {
        go(from, tape, node);
        from.skip();
        return from.consumed();
    }

    /** Reads up to a node; what it is not in is passed over. */
    private static void go(Reader from, Tape tape, int node) {
        int at = 0;
        while (at != node) {
            boolean key = tape.has(at, Tape.KEY);
            if (tape.isContainer(at) && node < tape.behind(at)) {
                if (tape.is(at, Tape.ARRAY)) from.array();
                else from.map();
                at++;
                key = false;
            } else {
                from.skip();
                at = tape.behind(at);
            }
            if (!key && !tape.is(at, Tape.END)) from.hasNext();
        }
    }
}
