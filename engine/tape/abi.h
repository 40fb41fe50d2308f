/* The engine for everything that is not C++: plain C, opaque documents, tapes as the unit of exchange.
 *
 *     kumihimo_document* d = kumihimo_document_new();
 *     kumihimo_error why = {.struct_size = sizeof why};
 *     if (kumihimo_read(d, "json", NULL, data, size, NULL, &why) != KUMIHIMO_OK) complain(why.what, why.line, why.path);
 *     kumihimo_tape t = kumihimo_document_tape(d);
 *     size_t price = kumihimo_find(&t, 0, "price", 5);                  // an index of t.nodes, or KUMIHIMO_NONE
 *     ...
 *     kumihimo_document_free(d);
 *
 * The calls that every host has for any format are here, too: load and lazy are kumihimo_read() and the tape, dump is
 * kumihimo_write() and kumihimo_pack(), partial is kumihimo_read_partial(), or kumihimo_partial() of what was read,
 * and then there are kumihimo_convert() and, for each_document, kumihimo_stream. kumihimo_format() and
 * kumihimo_dialect() list what there is. Other than in the hosts none of them looks through a frame: kumihimo_unpack()
 * does. All of them go over a tape, which has what engine/tape/tape.hpp says: the type of an extension within -128 and
 * 127.
 *
 * A caller reads the nodes itself (their layout is in engine/tape/tape.hpp, and fixed for an ABI version), so that a
 * document crosses the boundary in one call, not in one call per value. The other way round a caller fills a tape in
 * its own memory and has it written. Functions that fail return a code and fill `error` (which may be NULL); none
 * throws, none prints. One document serves one thread at a time.
 *
 * Compatibility: kumihimo_abi_version() tells the library's. Within a version functions and struct fields are only
 * added, at the end; struct_size, set by the caller, says how much of a struct it knows.
 */
#ifndef KUMIHIMO_TAPE_ABI_H
#define KUMIHIMO_TAPE_ABI_H

#include <stddef.h>
#include <stdint.h>

#define KUMIHIMO_ABI_VERSION 1

/* Symbols are hidden by default. Who builds a shared library for others defines this as what exports them. */
#ifndef KUMIHIMO_API
#define KUMIHIMO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Codes, as in engine/core/errc.hpp. */
enum {
    KUMIHIMO_OK = 0,
    KUMIHIMO_SYNTAX,
    KUMIHIMO_TRUNCATED,
    KUMIHIMO_TRAILING,
    KUMIHIMO_ENCODING,
    KUMIHIMO_RANGE,
    KUMIHIMO_TYPE,
    KUMIHIMO_DUPLICATE,
    KUMIHIMO_DEPTH,
    KUMIHIMO_SIZE,
    KUMIHIMO_UNSUPPORTED,
    KUMIHIMO_MISUSE,
    KUMIHIMO_MEMORY,
    KUMIHIMO_HOST
};

/* Kinds of nodes: the lowest byte of a node's head. */
enum {
    KUMIHIMO_NULL = 0,
    KUMIHIMO_BOOLEAN,
    KUMIHIMO_I64,
    KUMIHIMO_U64,
    KUMIHIMO_F64,
    KUMIHIMO_BIG,
    KUMIHIMO_STR,
    KUMIHIMO_BIN,
    KUMIHIMO_TIME,
    KUMIHIMO_EXT,
    KUMIHIMO_ARRAY,
    KUMIHIMO_MAP,
    KUMIHIMO_END
};

/* Flags of nodes: the second byte of a node's head. */
enum { KUMIHIMO_IS_KEY = 1, KUMIHIMO_IN_ARENA = 2, KUMIHIMO_IS_ASCII = 4 };

#define KUMIHIMO_NONE ((size_t)-1)

typedef struct kumihimo_node {
    uint64_t head;
    uint64_t payload;
} kumihimo_node;

/* A document as nodes, and the two places that their bytes are in. */
typedef struct kumihimo_tape {
    const kumihimo_node* nodes;
    size_t node_count;
    const unsigned char* input;
    size_t input_size;
    const unsigned char* arena;
    size_t arena_size;
} kumihimo_tape;

typedef struct kumihimo_error {
    uint32_t struct_size; /* of this struct, set by the caller */
    uint32_t code;
    uint64_t offset; /* byte of the input, of a tape the node; UINT64_MAX: unknown */
    uint64_t line;   /* 1-based; 0: the format has no lines */
    uint64_t column; /* 1-based, in bytes */
    char path[256];  /* "$.asks[0][1]", cut to this size; ends with a zero byte */
    char what[256];  /* a sentence without position; ends with a zero byte */
} kumihimo_error;

/* Limits; NULL means the defaults, and so does 0 in a field. */
typedef struct kumihimo_limits {
    uint32_t struct_size;
    uint32_t flags;
    uint64_t depth; /* containers open at once; default 1024 */
    uint64_t size;  /* bytes of a document; default 2^40 */
    /* Of compressed frames, in kumihimo_unpack: */
    uint64_t ratio;  /* bytes out for one byte in, beyond the first 16 MB; default 1000 */
    uint64_t window; /* bytes of memory that a frame may ask for to look back; default 2^27 */
} kumihimo_limits;

/* kumihimo_limits.flags: the document keeps its own copy of the input; without it the input must outlive the
 * document. */
enum { KUMIHIMO_COPY_INPUT = 1 };

typedef struct kumihimo_document kumihimo_document;

KUMIHIMO_API uint32_t kumihimo_abi_version(void);

/* "syntax", "truncated", ...; "unknown" for a number that is no code. */
KUMIHIMO_API const char* kumihimo_code_name(uint32_t code);

/* NULL when memory is out. A document may be read into again and again and keeps its memory; free(NULL) does
 * nothing. */
KUMIHIMO_API kumihimo_document* kumihimo_document_new(void);
KUMIHIMO_API void kumihimo_document_free(kumihimo_document*);

/* The formats this library has, one after the other from 0: the name, NULL behind the last. */
KUMIHIMO_API const char* kumihimo_format(size_t i);
/* The names of a format's dialects of reading (KUMIHIMO_READ) or writing (KUMIHIMO_WRITE), from 0, the default first;
 * NULL behind the last and where no format has the name. */
enum { KUMIHIMO_READ = 0, KUMIHIMO_WRITE = 1 };
KUMIHIMO_API const char* kumihimo_dialect(const char* format, int direction, size_t i);
/* The name of the format that the first bytes of a document tell, or of the one with this media type, or whose ending
 * this path has; NULL where there is none. */
KUMIHIMO_API const char* kumihimo_format_of_bytes(const void* data, size_t size);
KUMIHIMO_API const char* kumihimo_format_of_media_type(const char* type);
KUMIHIMO_API const char* kumihimo_format_of_path(const char* path);
/* The media type to send a format's documents with; NULL where no format has the name. */
KUMIHIMO_API const char* kumihimo_media_type(const char* format);

/* Reads one document. format: a name of kumihimo_format(), such as what kumihimo_format_of_bytes() tells. dialect: a
 * name of kumihimo_dialect() for reading, NULL: the format's default. After a failure the document is empty. */
KUMIHIMO_API uint32_t kumihimo_read(kumihimo_document*, const char* format, const char* dialect, const void* data, size_t size,
                                    const kumihimo_limits*, kumihimo_error*);

/* What was read; no nodes when nothing was. Valid until the document is read into again or freed. */
KUMIHIMO_API kumihimo_tape kumihimo_document_tape(const kumihimo_document*);

/* Checks a tape that this library did not make. Every other function here trusts its tape. */
KUMIHIMO_API uint32_t kumihimo_check(const kumihimo_tape*, const kumihimo_limits*, kumihimo_error*);

/* Writes the value at a node, a document of its own, into malloc'ed memory: free it with kumihimo_free. format
 * and dialect: names as above, the dialect one for writing, or NULL: the format's default. */
KUMIHIMO_API uint32_t kumihimo_write(const kumihimo_tape*, size_t node, const char* format, const char* dialect,
                                     const kumihimo_limits*, void** data, size_t* size, kumihimo_error*);
KUMIHIMO_API void kumihimo_free(void* data);

/* Reads a document of one format and writes it in another: keys keep their order and may come twice, integers of any
 * size keep their digits, other numbers keep theirs where from_dialect is "exact_decimals". from NULL: told by the
 * first bytes, KUMIHIMO_UNSUPPORTED where they do not tell it. Dialects and the result as above. */
KUMIHIMO_API uint32_t kumihimo_convert(const char* from, const char* from_dialect, const char* to, const char* to_dialect,
                                       const void* data, size_t size, const kumihimo_limits*, void** converted,
                                       size_t* converted_size, kumihimo_error*);

/* The value of a text key (UTF-8) of the map at a node, of duplicates the last; the i-th value of the array at a node;
 * the value behind a value in its container, in a map keys and values in turn. KUMIHIMO_NONE: there is none. */
KUMIHIMO_API size_t kumihimo_find(const kumihimo_tape*, size_t node, const char* key, size_t key_size);
KUMIHIMO_API size_t kumihimo_item(const kumihimo_tape*, size_t node, uint64_t i);
KUMIHIMO_API size_t kumihimo_next(const kumihimo_tape*, size_t node);

/* The nodes that a path leads to from the value at a node: "last_price.price", "/asks/0", "trades[*].price"
 * (engine/json/path.hpp). A path with [*] has one for each element of the arrays that its last [*] walks, every other
 * path has one; KUMIHIMO_NONE is what is not there. The first `room` of them go to `found`, how many there are to
 * `count`. A path that
 * is none is KUMIHIMO_SYNTAX, and the offset counts in it. */
KUMIHIMO_API uint32_t kumihimo_partial(const kumihimo_tape*, size_t node, const char* path, size_t path_size, size_t* found,
                                       size_t room, size_t* count, kumihimo_error*);

/* The same for documents of which nothing else is wanted: reads what the paths lead to, onto a tape with an array of
 * one value for each path, in their order; for a path with [*] that is an array of its elements. What is not there is
 * null. `found` gets the node of each path's value, KUMIHIMO_NONE for one that is not there. `level` is what is
 * promised at least of the rest of the document (docs/formats.md); all else is as in kumihimo_read(), and a path that
 * is none as in kumihimo_partial(). */
enum { KUMIHIMO_STRICT = 0, KUMIHIMO_STRUCTURAL, KUMIHIMO_TRUSTED };
KUMIHIMO_API uint32_t kumihimo_read_partial(kumihimo_document*, const char* format, const char* dialect, int level,
                                            const char* const* paths, size_t path_count, const void* data, size_t size,
                                            size_t* found, const kumihimo_limits*, kumihimo_error*);

/* Where the documents end that stand one behind the other in a stream, as its bytes arrive.
 *
 *     kumihimo_stream* s = kumihimo_stream_new("msgpack");
 *     size_t n = kumihimo_stream_next(s, chunk, size, &whole);
 *
 * n bytes of the chunk belong to the document at hand: all of them, and more are to come, unless it is whole. Then
 * what was gathered is a document for kumihimo_read(), and the next call begins another one behind it. Of a format of
 * text, white space before a document belongs to it. At the end of the stream what is left is a document if
 * kumihimo_stream_started() is not 0.
 * NULL: no format has the name, or memory is out. */
typedef struct kumihimo_stream kumihimo_stream;
KUMIHIMO_API kumihimo_stream* kumihimo_stream_new(const char* format);
KUMIHIMO_API void kumihimo_stream_free(kumihimo_stream*);
KUMIHIMO_API size_t kumihimo_stream_next(kumihimo_stream*, const void* chunk, size_t size, int* whole);
KUMIHIMO_API int kumihimo_stream_started(const kumihimo_stream*);

/* Compression around a document of any format. frame: "gzip", "zstd", "lz4"; level: KUMIHIMO_USUAL_LEVEL, or one of
 * the frame's (1 to 9, to 22, to 12; zstd also has negative ones). The result is malloc'ed: free it with
 * kumihimo_free. A library that is not installed is KUMIHIMO_UNSUPPORTED, and `what` says what to install; a level
 * that there is not is KUMIHIMO_RANGE. */
#define KUMIHIMO_USUAL_LEVEL INT32_MIN
KUMIHIMO_API uint32_t kumihimo_pack(const char* frame, int32_t level, const void* data, size_t size, const kumihimo_limits*,
                                    void** packed, size_t* packed_size, kumihimo_error*);

/* The other way round, all members of it. frame NULL: told by the first bytes. Offsets of errors count in the packed
 * bytes. */
KUMIHIMO_API uint32_t kumihimo_unpack(const char* frame, const void* data, size_t size, const kumihimo_limits*, void** unpacked,
                                      size_t* unpacked_size, kumihimo_error*);

/* The frame that the bytes begin with; NULL: none. The first four bytes are enough for all that is not rare. */
KUMIHIMO_API const char* kumihimo_frame_of(const void* data, size_t size);

/* The bytes of a str, big, bin or ext node. */
KUMIHIMO_API const unsigned char* kumihimo_bytes(const kumihimo_tape*, size_t node, size_t* size);

#ifdef __cplusplus
}
#endif

#endif
