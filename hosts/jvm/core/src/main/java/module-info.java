/**
 * Data into bytes and back, in any of the usual formats. The formats themselves, what they share ({@code
 * kumihimo.format}) and the text of numbers and times are no part of what this module promises.
 */
@SuppressWarnings("module") // the two that are named here are other jars, of which there may be none
module kumihimo {
    requires static jdk.unsupported; // what shows the bytes of a String, where it is there

    exports kumihimo;
    exports kumihimo.frame;
    exports kumihimo.hash;
    exports kumihimo.path;
    exports kumihimo.plain;
    exports kumihimo.tape;
    exports kumihimo.scalar to
            kumihimo.codec,
            kumihimo.sjson;
}
