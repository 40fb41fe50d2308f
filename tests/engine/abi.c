/* The C ABI as a C program sees it, compiled as C; abi_test.cpp calls it. Each step returns its line on failure, 0 on
 * success.
 */
#include "engine/tape/abi.h"

#include <stdio.h>
#include <string.h>

#define EXPECT(condition)                  \
    do {                                   \
        if (!(condition)) return __LINE__; \
    } while (0)

int abi_reads_and_looks(void);
int abi_writes_its_own_tape(void);
int abi_reports_errors(void);
int abi_respects_struct_size(void);
int abi_packs_and_unpacks(void);
int abi_converts(void);
int abi_follows_paths(void);
int abi_reads_parts(void);
int abi_finds_ends(void);

int abi_reads_and_looks(void) {
    const char json[] = "{\"asks\": [[1.5, 2], [3, \"x\"]], \"id\": 7, \"t\": \"caf\\u00e9\"}";
    kumihimo_error why = {0};
    why.struct_size = sizeof why;
    EXPECT(kumihimo_abi_version() == KUMIHIMO_ABI_VERSION);

    kumihimo_document* d = kumihimo_document_new();
    EXPECT(d != NULL);
    EXPECT(kumihimo_document_tape(d).node_count == 0);
    EXPECT(kumihimo_read(d, "json", NULL, json, sizeof json - 1, NULL, &why) == KUMIHIMO_OK);
    EXPECT(why.code == KUMIHIMO_OK);
    const kumihimo_tape t = kumihimo_document_tape(d);
    EXPECT(t.node_count == 17);
    EXPECT((t.nodes[0].head & 255) == KUMIHIMO_MAP);
    EXPECT(kumihimo_check(&t, NULL, &why) == KUMIHIMO_OK);

    const size_t asks = kumihimo_find(&t, 0, "asks", 4);
    EXPECT(asks != KUMIHIMO_NONE && t.nodes[asks].head >> 24 == 2);
    const size_t second = kumihimo_item(&t, asks, 1);
    EXPECT(kumihimo_item(&t, asks, 2) == KUMIHIMO_NONE);
    const size_t three = kumihimo_item(&t, second, 0);
    EXPECT((t.nodes[three].head & 255) == KUMIHIMO_I64 && t.nodes[three].payload == 3);
    EXPECT(kumihimo_find(&t, 0, "nope", 4) == KUMIHIMO_NONE);
    EXPECT(kumihimo_next(&t, kumihimo_next(&t, three)) == KUMIHIMO_NONE);
    EXPECT(kumihimo_find(&t, 99, "id", 2) == KUMIHIMO_NONE);

    size_t n = 0;
    const unsigned char* s = kumihimo_bytes(&t, kumihimo_find(&t, 0, "t", 1), &n);
    EXPECT(n == 5 && memcmp(s, "caf\xc3\xa9", 5) == 0);
    EXPECT(kumihimo_bytes(&t, 0, &n) == NULL && n == 0);

    void* out = NULL;
    EXPECT(kumihimo_write(&t, asks, "json", "pretty", NULL, &out, &n, &why) == KUMIHIMO_OK);
    EXPECT(n > 20 && memcmp(out, "[\n  [\n    1.5,", 14) == 0);
    kumihimo_free(out);
    EXPECT(kumihimo_write(&t, 0, "msgpack", NULL, NULL, &out, &n, &why) == KUMIHIMO_OK);

    /* What was written is read again, into the same document, with a copy of the input. */
    kumihimo_limits limits = {0};
    limits.struct_size = sizeof limits;
    limits.flags = KUMIHIMO_COPY_INPUT;
    EXPECT(kumihimo_read(d, "msgpack", "standard", out, n, &limits, &why) == KUMIHIMO_OK);
    memset(out, 0xc1, n);
    kumihimo_free(out);
    const kumihimo_tape t2 = kumihimo_document_tape(d);
    s = kumihimo_bytes(&t2, kumihimo_find(&t2, 0, "t", 1), &n);
    EXPECT(n == 5 && memcmp(s, "caf\xc3\xa9", 5) == 0);
    kumihimo_document_free(d);
    kumihimo_document_free(NULL);
    return 0;
}

int abi_writes_its_own_tape(void) {
    /* {"a": [true, -1]} */
    static const unsigned char arena[] = "a";
    const kumihimo_node nodes[] = {
        {(uint64_t)1 << 24 | KUMIHIMO_MAP, 6},
        {(uint64_t)1 << 24 | (KUMIHIMO_IS_KEY | KUMIHIMO_IN_ARENA) << 8 | KUMIHIMO_STR, 0},
        {(uint64_t)2 << 24 | KUMIHIMO_ARRAY, 5},
        {KUMIHIMO_BOOLEAN, 1},
        {KUMIHIMO_I64, (uint64_t)-1},
        {KUMIHIMO_END, 2},
        {KUMIHIMO_END, 0},
    };
    kumihimo_tape t = {nodes, 7, NULL, 0, arena, 1};
    void* out = NULL;
    size_t n = 0;
    EXPECT(kumihimo_check(&t, NULL, NULL) == KUMIHIMO_OK);
    EXPECT(kumihimo_write(&t, 0, "json", NULL, NULL, &out, &n, NULL) == KUMIHIMO_OK);
    EXPECT(n == 15 && memcmp(out, "{\"a\":[true,-1]}", 15) == 0);
    kumihimo_free(out);
    EXPECT(kumihimo_write(&t, 5, "json", NULL, NULL, &out, &n, NULL) == KUMIHIMO_MISUSE);
    EXPECT(out == NULL && n == 0);

    kumihimo_error why = {0};
    why.struct_size = sizeof why;
    t.arena_size = 0;
    EXPECT(kumihimo_check(&t, NULL, &why) == KUMIHIMO_SYNTAX);
    EXPECT(why.offset == 1);
    t.arena_size = 1;
    t.node_count = 6;
    EXPECT(kumihimo_check(&t, NULL, &why) == KUMIHIMO_SYNTAX);
    return 0;
}

int abi_reports_errors(void) {
    kumihimo_error why = {0};
    why.struct_size = sizeof why;
    kumihimo_document* d = kumihimo_document_new();
    EXPECT(kumihimo_read(d, "json", NULL, "{\"a\":\n[1,}", 10, NULL, &why) == KUMIHIMO_SYNTAX);
    EXPECT(why.code == KUMIHIMO_SYNTAX && why.offset == 9 && why.line == 2 && why.column == 4);
    EXPECT(strncmp(why.path, "$.a", 3) == 0 && why.what[0] != 0);
    EXPECT(kumihimo_document_tape(d).node_count == 0);
    EXPECT(kumihimo_read(d, "json", NULL, "[1", 2, NULL, NULL) == KUMIHIMO_TRUNCATED);
    EXPECT(kumihimo_read(d, "yaml", NULL, "[1]", 3, NULL, &why) == KUMIHIMO_UNSUPPORTED);
    EXPECT(kumihimo_read(d, NULL, NULL, "[1]", 3, NULL, &why) == KUMIHIMO_UNSUPPORTED);
    EXPECT(kumihimo_read(d, "json", "no such dialect", "[1]", 3, NULL, &why) == KUMIHIMO_UNSUPPORTED);
    EXPECT(why.offset == UINT64_MAX);
    EXPECT(kumihimo_read(d, "json", "relaxed", "[1,]", 4, NULL, &why) == KUMIHIMO_OK);
    kumihimo_limits limits = {0};
    limits.struct_size = sizeof limits;
    limits.depth = 2;
    EXPECT(kumihimo_read(d, "msgpack", NULL, "\x91\x91\x90", 3, &limits, &why) == KUMIHIMO_DEPTH);
    EXPECT(why.offset == 2);
    EXPECT(strcmp(kumihimo_code_name(KUMIHIMO_TRUNCATED), "truncated") == 0);
    EXPECT(strcmp(kumihimo_code_name(KUMIHIMO_HOST), "host") == 0);
    EXPECT(strcmp(kumihimo_code_name(999), "unknown") == 0);
    kumihimo_document_free(d);
    return 0;
}

int abi_lists_formats(void) {
    size_t n = 0, i;
    int json = 0, msgpack = 0;
    for (; kumihimo_format(n) != NULL; ++n) {
        const char* const name = kumihimo_format(n);
        kumihimo_document* const d = kumihimo_document_new();
        kumihimo_tape t;
        void* out = NULL;
        size_t size = 0;
        json += strcmp(name, "json") == 0;
        msgpack += strcmp(name, "msgpack") == 0;
        EXPECT(kumihimo_media_type(name) != NULL);
        EXPECT(strcmp(kumihimo_format_of_media_type(kumihimo_media_type(name)), name) == 0);
        /* Every dialect of the format is taken by its name: {"a": [true]} there and back. */
        EXPECT(kumihimo_read(d, "json", NULL, "{\"a\":[true]}", 12, NULL, NULL) == KUMIHIMO_OK);
        t = kumihimo_document_tape(d);
        for (i = 0; kumihimo_dialect(name, KUMIHIMO_WRITE, i) != NULL; ++i) {
            kumihimo_document* const back = kumihimo_document_new();
            EXPECT(kumihimo_write(&t, 0, name, kumihimo_dialect(name, KUMIHIMO_WRITE, i), NULL, &out, &size, NULL) ==
                   KUMIHIMO_OK);
            EXPECT(kumihimo_read(back, name, NULL, out, size, NULL, NULL) == KUMIHIMO_OK);
            EXPECT(kumihimo_document_tape(back).node_count == t.node_count);
            kumihimo_free(out);
            kumihimo_document_free(back);
        }
        EXPECT(i > 0);
        for (i = 0; kumihimo_dialect(name, KUMIHIMO_READ, i) != NULL; ++i) {
        }
        EXPECT(i > 0);
        kumihimo_document_free(d);
    }
    EXPECT(n >= 2 && json == 1 && msgpack == 1);
    EXPECT(kumihimo_dialect("yaml", KUMIHIMO_READ, 0) == NULL && kumihimo_dialect(NULL, KUMIHIMO_WRITE, 0) == NULL);
    EXPECT(kumihimo_media_type("yaml") == NULL && kumihimo_media_type(NULL) == NULL);
    EXPECT(strcmp(kumihimo_format_of_bytes(" {}", 3), "json") == 0);
    EXPECT(strcmp(kumihimo_format_of_bytes("\x80", 1), "msgpack") == 0);
    EXPECT(kumihimo_format_of_bytes("", 0) == NULL);
    EXPECT(strcmp(kumihimo_format_of_media_type("Application/JSON; charset=utf-8"), "json") == 0);
    EXPECT(kumihimo_format_of_media_type("text/html") == NULL && kumihimo_format_of_media_type(NULL) == NULL);
    EXPECT(strcmp(kumihimo_format_of_path("a/b.MsgPack"), "msgpack") == 0);
    EXPECT(kumihimo_format_of_path("b.txt") == NULL && kumihimo_format_of_path(NULL) == NULL);
    return 0;
}

int abi_respects_struct_size(void) {
    /* A caller that knows less of the struct gets no byte more than it asked for. */
    kumihimo_error why;
    memset(&why, 0x55, sizeof why);
    why.struct_size = offsetof(kumihimo_error, line);
    kumihimo_document* d = kumihimo_document_new();
    EXPECT(kumihimo_read(d, "json", NULL, "[", 1, NULL, &why) == KUMIHIMO_TRUNCATED);
    EXPECT(why.code == KUMIHIMO_TRUNCATED && why.offset == 1);
    EXPECT(why.line == UINT64_C(0x5555555555555555) && why.path[0] == 0x55);
    kumihimo_document_free(d);
    return 0;
}

int abi_packs_and_unpacks(void) {
    static const char* const names[] = {"gzip", "zstd", "lz4"};
    static char text[100000];
    memset(text, 'x', sizeof text);
    kumihimo_error why = {0};
    why.struct_size = sizeof why;
    kumihimo_limits limits = {0};
    limits.struct_size = sizeof limits;
    void *packed = NULL, *back = NULL;
    size_t n = 0, m = 0;
    for (int i = 0; i < 3; ++i) {
        EXPECT(kumihimo_pack(names[i], KUMIHIMO_USUAL_LEVEL, text, sizeof text, NULL, &packed, &n, &why) == KUMIHIMO_OK);
        EXPECT(n < 1000 && strcmp(kumihimo_frame_of(packed, n), names[i]) == 0);
        EXPECT(kumihimo_unpack(i % 2 ? names[i] : NULL, packed, n, &limits, &back, &m, &why) == KUMIHIMO_OK);
        EXPECT(m == sizeof text && memcmp(back, text, m) == 0);
        kumihimo_free(back);
        EXPECT(kumihimo_unpack(names[(i + 1) % 3], packed, n, NULL, &back, &m, &why) == KUMIHIMO_SYNTAX);
        EXPECT(back == NULL && m == 0 && why.offset == 0);
        EXPECT(kumihimo_unpack(NULL, packed, n - 1, NULL, &back, &m, &why) == KUMIHIMO_TRUNCATED);
        EXPECT(why.offset == n - 1 && why.what[0] != 0);
        limits.size = sizeof text - 1;
        EXPECT(kumihimo_unpack(NULL, packed, n, &limits, &back, &m, NULL) == KUMIHIMO_SIZE);
        EXPECT(kumihimo_pack(names[i], 1, text, sizeof text, &limits, &back, &m, NULL) == KUMIHIMO_SIZE);
        limits.size = 0;
        kumihimo_free(packed);
        EXPECT(kumihimo_pack(names[i], 1000, text, 1, NULL, &packed, &n, &why) == KUMIHIMO_RANGE);
        EXPECT(kumihimo_pack(names[i], 1, NULL, 0, NULL, &packed, &n, &why) == KUMIHIMO_OK);
        EXPECT(kumihimo_unpack(NULL, packed, n, NULL, &back, &m, &why) == KUMIHIMO_OK && m == 0 && back != NULL);
        kumihimo_free(back);
        kumihimo_free(packed);
    }
    /* 20 MB of one letter, and limits of the frame's own; a caller that does not know them gets the defaults. */
    static char flat[20 << 20];
    EXPECT(kumihimo_pack("zstd", 1, flat, sizeof flat, NULL, &packed, &n, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_unpack("zstd", packed, n, NULL, &back, &m, &why) == KUMIHIMO_SIZE);
    limits.ratio = 1000000;
    EXPECT(kumihimo_unpack("zstd", packed, n, &limits, &back, &m, &why) == KUMIHIMO_OK && m == sizeof flat);
    kumihimo_free(back);
    limits.window = 1024;
    EXPECT(kumihimo_unpack("zstd", packed, n, &limits, &back, &m, &why) == KUMIHIMO_SIZE);
    limits.window = 0;
    limits.struct_size = offsetof(kumihimo_limits, ratio);
    EXPECT(kumihimo_unpack("zstd", packed, n, &limits, &back, &m, &why) == KUMIHIMO_SIZE);
    kumihimo_free(packed);

    EXPECT(kumihimo_frame_of("{}", 2) == NULL && kumihimo_frame_of(NULL, 0) == NULL);
    EXPECT(kumihimo_pack("brotli", KUMIHIMO_USUAL_LEVEL, text, 1, NULL, &packed, &n, &why) == KUMIHIMO_UNSUPPORTED);
    EXPECT(packed == NULL && n == 0 && strstr(why.what, "zstd") != NULL);
    EXPECT(kumihimo_pack(NULL, 1, text, 1, NULL, &packed, &n, NULL) == KUMIHIMO_UNSUPPORTED);
    EXPECT(kumihimo_unpack("brotli", text, 1, NULL, &back, &m, &why) == KUMIHIMO_UNSUPPORTED);
    EXPECT(kumihimo_unpack(NULL, text, 9, NULL, &back, &m, &why) == KUMIHIMO_SYNTAX);
    return 0;
}

int abi_converts(void) {
    kumihimo_error why = {0};
    why.struct_size = sizeof why;
    const char json[] = "{\"a\": [1, 2.50, 18446744073709551616], \"a\": null}";
    void *out = NULL, *back = NULL;
    size_t n = 0, m = 0;
    /* Every format there and back: order, a key that comes twice, large integers. */
    for (size_t i = 0; kumihimo_format(i) != NULL; ++i) {
        const char* const name = kumihimo_format(i);
        const char* const dialect = strcmp(name, "msgpack") == 0 ? "big_text" : NULL;
        EXPECT(kumihimo_convert(NULL, NULL, name, dialect, json, sizeof json - 1, NULL, &out, &n, &why) == KUMIHIMO_OK);
        EXPECT(kumihimo_convert(name, NULL, "json", NULL, out, n, NULL, &back, &m, &why) == KUMIHIMO_OK);
        const char* const wanted = dialect == NULL ? "{\"a\":[1,2.5,18446744073709551616],\"a\":null}"
                                                   : "{\"a\":[1,2.5,\"18446744073709551616\"],\"a\":null}";
        EXPECT(m == strlen(wanted) && memcmp(back, wanted, m) == 0);
        kumihimo_free(out);
        kumihimo_free(back);
    }
    const char digits[] = "[2.50,0.12345678901234567890,1E2]";
    EXPECT(kumihimo_convert("json", "exact_decimals", "json", NULL, digits, sizeof digits - 1, NULL, &out, &n, &why) ==
           KUMIHIMO_OK);
    EXPECT(n == sizeof digits - 1 && memcmp(out, digits, n) == 0);
    kumihimo_free(out);
    EXPECT(kumihimo_convert("json", NULL, "msgpack", NULL, "[1e400]", 7, NULL, &out, &n, &why) != KUMIHIMO_OK);
    EXPECT(out == NULL && n == 0 && why.what[0] != 0);
    EXPECT(kumihimo_convert("json", NULL, "msgpack", NULL, "[1,", 3, NULL, &out, &n, &why) == KUMIHIMO_TRUNCATED);
    EXPECT(why.offset == 3 && why.line == 1);
    EXPECT(kumihimo_convert(NULL, NULL, "json", NULL, "", 0, NULL, &out, &n, &why) == KUMIHIMO_UNSUPPORTED);
    EXPECT(kumihimo_convert("json", NULL, "yaml", NULL, "1", 1, NULL, &out, &n, &why) == KUMIHIMO_UNSUPPORTED);
    EXPECT(kumihimo_convert("json", "yaml", "json", NULL, "1", 1, NULL, &out, &n, NULL) == KUMIHIMO_UNSUPPORTED);
    kumihimo_limits limits = {0};
    limits.struct_size = sizeof limits;
    limits.flags = KUMIHIMO_COPY_INPUT;
    limits.depth = 2;
    EXPECT(kumihimo_convert("json", NULL, "json", "pretty", "[[ ]]", 5, &limits, &out, &n, &why) == KUMIHIMO_OK);
    kumihimo_free(out);
    EXPECT(kumihimo_convert("json", NULL, "json", NULL, "[[[]]]", 6, &limits, &out, &n, &why) == KUMIHIMO_DEPTH);
    return 0;
}

int abi_follows_paths(void) {
    kumihimo_error why = {0};
    why.struct_size = sizeof why;
    kumihimo_document* d = kumihimo_document_new();
    const char json[] = "{\"trades\": [{\"price\": 1}, {}, {\"price\": 3}], \"a/b\": [7, 8], \"none\": null}";
    EXPECT(kumihimo_read(d, "json", NULL, json, sizeof json - 1, NULL, &why) == KUMIHIMO_OK);
    const kumihimo_tape t = kumihimo_document_tape(d);
    size_t found[4] = {9, 9, 9, 9}, n = 0;
    EXPECT(kumihimo_partial(&t, 0, "trades[*].price", 15, found, 4, &n, &why) == KUMIHIMO_OK && n == 3);
    EXPECT(t.nodes[found[0]].payload == 1 && found[1] == KUMIHIMO_NONE && t.nodes[found[2]].payload == 3 && found[3] == 9);
    EXPECT(kumihimo_partial(&t, 0, "trades[*].price", 15, found, 0, &n, &why) == KUMIHIMO_OK && n == 3);
    EXPECT(kumihimo_partial(&t, 0, "/a~1b/1", 7, found, 1, &n, &why) == KUMIHIMO_OK && n == 1);
    EXPECT(t.nodes[found[0]].payload == 8);
    EXPECT(kumihimo_partial(&t, 0, "none.x", 6, found, 1, &n, &why) == KUMIHIMO_OK && n == 1 && found[0] == KUMIHIMO_NONE);
    EXPECT(kumihimo_partial(&t, kumihimo_find(&t, 0, "a/b", 3), "[0]", 3, found, 1, &n, &why) == KUMIHIMO_OK);
    EXPECT(t.nodes[found[0]].payload == 7);
    EXPECT(kumihimo_partial(&t, 0, "", 0, found, 1, &n, &why) == KUMIHIMO_OK && n == 1 && found[0] == 0);
    EXPECT(kumihimo_partial(&t, 0, "a[", 2, found, 1, &n, &why) == KUMIHIMO_SYNTAX && n == 0 && why.offset == 2);
    EXPECT(kumihimo_partial(&t, 99, "a", 1, found, 1, &n, &why) == KUMIHIMO_MISUSE);
    kumihimo_document_free(d);
    return 0;
}

/* The same values by the same paths, of every format, by every level. */
int abi_reads_parts(void) {
    kumihimo_error why = {0};
    why.struct_size = sizeof why;
    kumihimo_document* d = kumihimo_document_new();
    const char json[] =
        "{\"skipped\": [[1, \"x\"], {\"y\": 2.5}], \"t\": [{\"p\": 1}, {}, {\"p\": 3}], \"a/b\": [7, 8], \"n\": null}";
    const char* const paths[] = {"t[*].p", "/a~1b/1", "none.x", "n"};
    for (size_t f = 0; kumihimo_format(f) != NULL; ++f) {
        const char* const format = kumihimo_format(f);
        void* there = NULL;
        size_t size = 0;
        EXPECT(kumihimo_convert("json", NULL, format, NULL, json, sizeof json - 1, NULL, &there, &size, &why) == KUMIHIMO_OK);
        for (int level = KUMIHIMO_STRICT; level <= KUMIHIMO_TRUSTED; ++level) {
            size_t found[4] = {9, 9, 9, 9}, count = 0;
            EXPECT(kumihimo_read_partial(d, format, NULL, level, paths, 4, there, size, found, NULL, &why) == KUMIHIMO_OK);
            const kumihimo_tape t = kumihimo_document_tape(d);
            EXPECT(kumihimo_check(&t, NULL, &why) == KUMIHIMO_OK);
            EXPECT(t.nodes[kumihimo_item(&t, found[0], 0)].payload == 1 &&
                   t.nodes[kumihimo_item(&t, found[0], 2)].payload == 3);
            EXPECT((t.nodes[kumihimo_item(&t, found[0], 1)].head & 0xff) == KUMIHIMO_NULL);
            EXPECT(kumihimo_item(&t, found[0], 3) == KUMIHIMO_NONE && found[1] == kumihimo_item(&t, 0, 1));
            EXPECT(t.nodes[found[1]].payload == 8 && found[2] == KUMIHIMO_NONE);
            EXPECT((t.nodes[found[3]].head & 0xff) == KUMIHIMO_NULL && found[3] == kumihimo_item(&t, 0, 3));
            EXPECT(kumihimo_partial(&t, 0, "[0][*]", 6, found, 0, &count, &why) == KUMIHIMO_OK && count == 3);
        }
        size_t found[1] = {9};
        EXPECT(kumihimo_read_partial(d, format, NULL, KUMIHIMO_STRICT, paths, 1, there, size - 1, found, NULL, &why) !=
               KUMIHIMO_OK);
        EXPECT(kumihimo_document_tape(d).node_count == 0);
        kumihimo_free(there);
    }
    size_t found[1] = {9};
    const char* const wrong[] = {"a["};
    EXPECT(kumihimo_read_partial(d, "json", NULL, 0, wrong, 1, "1", 1, found, NULL, &why) == KUMIHIMO_SYNTAX &&
           why.offset == 2);
    EXPECT(kumihimo_read_partial(d, "yaml", NULL, 0, paths, 1, "1", 1, found, NULL, &why) == KUMIHIMO_UNSUPPORTED);
    EXPECT(kumihimo_read_partial(d, "json", "yaml", 0, paths, 1, "1", 1, found, NULL, &why) == KUMIHIMO_UNSUPPORTED);
    EXPECT(kumihimo_read_partial(d, "json", NULL, 3, paths, 1, "1", 1, found, NULL, &why) == KUMIHIMO_MISUSE);
    EXPECT(kumihimo_read_partial(d, "json", "relaxed", 0, paths + 2, 1, "[1,]", 4, found, NULL, &why) == KUMIHIMO_OK);
    EXPECT(found[0] == KUMIHIMO_NONE);
    /* Arrays of the tape count for no depth. */
    kumihimo_limits limits = {0};
    limits.struct_size = sizeof limits;
    limits.depth = 2;
    const char* const whole[] = {"[*]", ""};
    size_t both[2] = {9, 9};
    EXPECT(kumihimo_read_partial(d, "json", NULL, 0, whole, 2, "[[1]]", 5, both, &limits, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_read_partial(d, "json", NULL, 0, whole, 2, "[[[]]]", 6, both, &limits, &why) == KUMIHIMO_DEPTH);
    kumihimo_document_free(d);
    return 0;
}

/* The numbers 1 to 300, one document each: what is gathered is read, whatever the pieces. */
int abi_finds_ends(void) {
    EXPECT(kumihimo_stream_new("yaml") == NULL && kumihimo_stream_new(NULL) == NULL);
    kumihimo_stream_free(NULL);
    for (size_t f = 0; kumihimo_format(f) != NULL; ++f) {
        static unsigned char all[100000], document[100000];
        size_t size = 0;
        for (int i = 1; i <= 300; ++i) {
            char one[32];
            void* out = NULL;
            size_t n = 0;
            const int length = snprintf(one, sizeof one, " [%d, {\"]\": \"[\"}]", i);
            EXPECT(kumihimo_convert("json", NULL, kumihimo_format(f), NULL, one, (size_t)length, NULL, &out, &n, NULL) ==
                   KUMIHIMO_OK);
            memcpy(all + size, out, n);
            size += n;
            kumihimo_free(out);
        }
        for (size_t piece = 1; piece <= 1000; piece *= 10) {
            kumihimo_stream* const s = kumihimo_stream_new(kumihimo_format(f));
            kumihimo_document* const d = kumihimo_document_new();
            EXPECT(s != NULL && kumihimo_stream_started(s) == 0);
            size_t gathered = 0;
            int count = 0;
            for (size_t at = 0; at < size;) {
                int whole = 0;
                const size_t left = size - at < piece ? size - at : piece;
                const size_t n = kumihimo_stream_next(s, all + at, left, &whole);
                memcpy(document + gathered, all + at, n);
                gathered += n;
                at += n;
                EXPECT(whole || (n == left && kumihimo_stream_started(s)));
                if (!whole) continue;
                EXPECT(kumihimo_read(d, kumihimo_format(f), NULL, document, gathered, NULL, NULL) == KUMIHIMO_OK);
                const kumihimo_tape t = kumihimo_document_tape(d);
                EXPECT(t.nodes[kumihimo_item(&t, 0, 0)].payload == (uint64_t)++count);
                gathered = 0;
                EXPECT(kumihimo_stream_started(s) == 0);
            }
            EXPECT(count == 300 && gathered == 0);
            kumihimo_stream_free(s);
            kumihimo_document_free(d);
        }
    }
    kumihimo_stream* const s = kumihimo_stream_new("json");
    int whole = 1;
    EXPECT(kumihimo_stream_next(s, " \n12", 4, &whole) == 4 && !whole && kumihimo_stream_started(s) != 0);
    kumihimo_stream_free(s);
    return 0;
}
