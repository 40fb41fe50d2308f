/* Extraction for everything that is not C++: rows out of many documents, as Arrow C data, CSV, NDJSON or counts.
 *
 *     const char* asked = "{\"inputs\": [\"day.zip\"], \"fields\": [\"price:float64\"]}";     extract/description.hpp has all
 *     kumihimo_extraction* x;
 *     kumihimo_error why = {.struct_size = sizeof why};
 *     struct ArrowSchema schema;
 *     struct ArrowArray rows;
 *     uint32_t e = kumihimo_extract_open(asked, strlen(asked), &x, &why);
 *     if (e == KUMIHIMO_OK) e = kumihimo_extract_start(x, KUMIHIMO_NO_HURRY, &why);
 *     if (e == KUMIHIMO_OK) e = kumihimo_extract_schema(x, KUMIHIMO_NO_HURRY, &schema, &why);
 *     while (e == KUMIHIMO_OK && (e = kumihimo_extract_next(x, KUMIHIMO_NO_HURRY, &rows, &why)) == KUMIHIMO_OK) use(&rows);
 *     if (e != KUMIHIMO_EXTRACT_END) complain(why.what);
 *     kumihimo_extract_close(x);
 *
 * Every call returns KUMIHIMO_OK, a code of engine/tape/abi.h with `error` filled in (which may be NULL), or one of
 * the three below. Calls with a `patience` come back with KUMIHIMO_EXTRACT_WAITING after about so many milliseconds
 * (steps of 50), so that the host can look for signals; the same call then goes on with the work. KUMIHIMO_NO_HURRY
 * waits as long as it takes.
 *
 * Threads: what takes a `patience`, and again() and series(), drive the extraction, one thread at a time; the others
 * wait for it, so a host's lock must not be held in them. All other calls are short and open to any thread at any
 * time. None throws, none prints. kumihimo_extract_close() is the last call.
 *
 * What is handed out as an object (text, strings, records, series) belongs to the caller, who frees it. Texts are
 * UTF-8, but for names of files, and sentences that have them: these may hold any bytes. A zero byte follows each.
 * Structs with a struct_size are filled as far as the caller knows them; compatibility is as engine/tape/abi.h says.
 */
#ifndef KUMIHIMO_EXTRACT_ABI_H
#define KUMIHIMO_EXTRACT_ABI_H

#include "engine/tape/abi.h"
#include "extract/arrow_c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a call may return beside the codes. */
enum {
    KUMIHIMO_EXTRACT_WAITING = 256, /* patience is over: call again */
    KUMIHIMO_EXTRACT_END,           /* there is no more */
    KUMIHIMO_EXTRACT_ELSEWHERE      /* in a child of fork(): the extraction was begun in its parent, and works only there */
};

#define KUMIHIMO_NO_HURRY (-1)

typedef struct kumihimo_extraction kumihimo_extraction;

/* ---- texts and lists ---- */

typedef struct kumihimo_text kumihimo_text;
typedef struct kumihimo_strings kumihimo_strings;

/* An empty text to be filled, again and again; NULL when memory is out. free(NULL) does nothing, here and below. */
KUMIHIMO_API kumihimo_text* kumihimo_text_new(void);
KUMIHIMO_API void kumihimo_text_free(kumihimo_text*);
/* Its bytes, until it is filled again or freed. No zero byte follows these. */
KUMIHIMO_API const char* kumihimo_text_data(const kumihimo_text*, size_t* size);

KUMIHIMO_API size_t kumihimo_strings_count(const kumihimo_strings*);
KUMIHIMO_API const char* kumihimo_strings_at(const kumihimo_strings*, size_t i, size_t* size);
KUMIHIMO_API void kumihimo_strings_free(kumihimo_strings*);

/* ---- bad records ---- */

enum { KUMIHIMO_SCOPE_DOCUMENT = 0, KUMIHIMO_SCOPE_ENTRY, KUMIHIMO_SCOPE_INPUT };

/* What was wrong, and where: one document, one entry of an archive, one input. */
typedef struct kumihimo_record {
    uint32_t struct_size; /* of this struct, set by the caller */
    uint32_t scope;
    uint32_t code;       /* the kind of mistake: KUMIHIMO_SYNTAX, ... */
    uint32_t reserved;   /* 0 */
    const char* archive; /* the input as it was named */
    const char* entry;   /* the member inside of it, or "" */
    const char* path;    /* the place in the document, "$.asks[0]", or "" */
    const char* message; /* one sentence without the place */
    size_t archive_size; /* bytes of the four texts */
    size_t entry_size;
    size_t path_size;
    size_t message_size;
    uint64_t document; /* byte at which the bad document begins, in the decompressed entry; UINT64_MAX: unknown */
    uint64_t offset;   /* byte of the fault itself; UINT64_MAX: unknown */
    uint64_t line;     /* 1-based; 0: there are no lines */
    uint64_t column;   /* 1-based, in bytes */
} kumihimo_record;

typedef struct kumihimo_records kumihimo_records;

KUMIHIMO_API size_t kumihimo_records_count(const kumihimo_records*);
/* The texts live as long as the records. */
KUMIHIMO_API void kumihimo_records_at(const kumihimo_records*, size_t i, kumihimo_record*);
KUMIHIMO_API void kumihimo_records_free(kumihimo_records*);
/* The record as one line, as the command prints it. KUMIHIMO_OK or KUMIHIMO_MEMORY. */
KUMIHIMO_API uint32_t kumihimo_record_text(const kumihimo_record*, kumihimo_text* out);

/* ---- opening ---- */

/* Reads the description and checks it; no input is looked at yet. There is a handle even after a failure, for
 * kumihimo_extract_message(); NULL only when memory is out. KUMIHIMO_MISUSE: what was asked for cannot be. */
KUMIHIMO_API uint32_t kumihimo_extract_open(const char* description, size_t size, kumihimo_extraction** out, kumihimo_error*);
/* Ends the work and frees the handle; Arrow data and streams that were handed out live on. Streams keep the work
 * going. */
KUMIHIMO_API void kumihimo_extract_close(kumihimo_extraction*);

/* The zones whose rules the host is to look up in its database ("Asia/Tokyo"); fixed offsets are not among them. */
KUMIHIMO_API uint32_t kumihimo_extract_zones(kumihimo_extraction*, kumihimo_strings** out);
/* The rules of one: the offset before the first transition in seconds east of UTC, `count` transitions in order
 * (second since 1970, offset from there on), and the POSIX rule for all later times ("" for none). Only before
 * start(). */
KUMIHIMO_API uint32_t kumihimo_extract_put_zone(kumihimo_extraction*, const char* name, int32_t first_offset,
                                                const int64_t* seconds, const int32_t* offsets, size_t count, const char* rule,
                                                kumihimo_error*);

/* Inputs that the host brings ("fetched"), as they are wanted: any thread of the host asks for the next one, opens it,
 * and gives the descriptor of a file that is all there. It is to begin before start(), which may wait for the first of
 * them. The list may outlive the extraction, and is then at its end. */
typedef struct kumihimo_fetches kumihimo_fetches;
/* KUMIHIMO_EXTRACT_END: there are none. */
KUMIHIMO_API uint32_t kumihimo_extract_fetches(kumihimo_extraction*, kumihimo_fetches** out);
KUMIHIMO_API void kumihimo_fetches_free(kumihimo_fetches*);
/* The input to bring next, as it was named. KUMIHIMO_EXTRACT_WAITING: none for now, ask again. KUMIHIMO_EXTRACT_END:
 * none any more. */
KUMIHIMO_API uint32_t kumihimo_fetches_next(kumihimo_fetches*, kumihimo_text* input);
/* Whether nobody wants what is being fetched any more. */
KUMIHIMO_API int kumihimo_fetches_over(kumihimo_fetches*);
/* A file open for reading, which is closed when it is no longer wanted, also where this fails. */
KUMIHIMO_API uint32_t kumihimo_fetches_give(kumihimo_fetches*, const char* input, size_t input_size, int file);
/* Why there is none, a sentence without the input's name: a bad record. */
KUMIHIMO_API uint32_t kumihimo_fetches_refuse(kumihimo_fetches*, const char* input, size_t input_size, const char* why,
                                              size_t why_size);

/* Opens the inputs, looks at the sample, decides the columns, starts the work. */
KUMIHIMO_API uint32_t kumihimo_extract_start(kumihimo_extraction*, int32_t patience, kumihimo_error*);

/* ---- rows ---- */

/* "form": "columns". The schema, which stays: rows are read ahead until guessed types have held for a good while. A
 * list has one child, item, and a struct one for each member, here and in the rows. */
KUMIHIMO_API uint32_t kumihimo_extract_schema(kumihimo_extraction*, int32_t patience, struct ArrowSchema* out, kumihimo_error*);
/* The columns as texts, three a column: name, type ("list[struct[price:float64]]"), path or expression. Of columns as
 * schema(), of text and counts as they are now. */
KUMIHIMO_API uint32_t kumihimo_extract_columns(kumihimo_extraction*, int32_t patience, kumihimo_strings** out, kumihimo_error*);
/* The next rows, a struct array. It may be empty: then bad records want to be taken. KUMIHIMO_UNSUPPORTED: a guessed
 * type did not hold for rows that come now, see again(). */
KUMIHIMO_API uint32_t kumihimo_extract_next(kumihimo_extraction*, int32_t patience, struct ArrowArray* out, kumihimo_error*);
/* The same rows as a stream. It keeps the extraction, even when that is closed. `go_on`, which may be NULL, is called
 * on the consumer's thread whenever it has waited for some 50 ms; when it returns 0 the extraction is cancelled. */
KUMIHIMO_API uint32_t kumihimo_extract_stream(kumihimo_extraction*, int (*go_on)(void* user), void* user,
                                              struct ArrowArrayStream* out, kumihimo_error*);

/* "form": "csv", "ndjson". The next whole lines. With KUMIHIMO_PAUSE they may be none: then bad records want to be
 * taken. "form": "documents". The next bytes of the file of blocks, likewise. */
enum { KUMIHIMO_PAUSE = 1 };
KUMIHIMO_API uint32_t kumihimo_extract_next_text(kumihimo_extraction*, int32_t patience, uint32_t flags, kumihimo_text* out,
                                                 kumihimo_error*);
/* The CSV header line. */
KUMIHIMO_API uint32_t kumihimo_extract_header(kumihimo_extraction*, kumihimo_text* out, kumihimo_error*);

/* "form": "none", "schema". Rows, or documents, that came in since the last call, which may be none. */
KUMIHIMO_API uint32_t kumihimo_extract_next_count(kumihimo_extraction*, int32_t patience, uint64_t* rows, kumihimo_error*);

/* "form": "schema", after next_count() came to its end. What stands at each path of all documents: as JSON of its own
 * (extract/path_report.hpp), whose "fields" are those of a description, or as JSON Schema. schema() and columns() tell
 * the columns of all documents then. */
enum { KUMIHIMO_PATHS = 0, KUMIHIMO_JSON_SCHEMA = 1 };
KUMIHIMO_API uint32_t kumihimo_extract_paths(kumihimo_extraction*, uint32_t as, kumihimo_text* out, kumihimo_error*);

/* After a guessed type did not hold: a new extraction with a wider one, started already. KUMIHIMO_EXTRACT_END: there
 * was none, or a pipe is gone. Text with "rewritable" ends there without an error, and contradiction() tells. */
KUMIHIMO_API uint32_t kumihimo_extract_again(kumihimo_extraction*, kumihimo_extraction** out, kumihimo_error*);
/* The sentence about the guessed type that did not hold; empty: all did. */
KUMIHIMO_API uint32_t kumihimo_extract_contradiction(kumihimo_extraction*, kumihimo_text* out);

/* ---- going on later ---- */

/* What stands for all that was handed out so far, as a text that needs no escapes: another extraction whose
 * description has it as "resume_token", with the same inputs, fields and options, gives what comes behind, byte for
 * byte. To be kept together with what was handed out, bad records and their quarantine included. Empty where nothing
 * can go on: ask again after more rows. With "pause_every" there is one after so many bytes of inputs, about. None
 * ever comes of pipes, fetched inputs, distinct rows, intervals, charts and documents; then a description with one is
 * refused. Whether the inputs are unchanged is for the host to see. */
KUMIHIMO_API uint32_t kumihimo_extract_resume_token(kumihimo_extraction*, kumihimo_text* out);

/* ---- what is told ---- */

typedef struct kumihimo_progress {
    uint32_t struct_size;    /* of this struct, set by the caller */
    uint32_t complete_total; /* 0: there are pipes or fetched inputs, so total is not all */
    uint64_t bytes, total;   /* of the inputs as they lie on disk */
    uint64_t documents, rows, bad;
    uint64_t threads; /* that work; 0: the caller's own does */
    uint64_t inputs;  /* of which all is read and handed out: the first ones of kumihimo_extract_inputs() */
} kumihimo_progress;

KUMIHIMO_API uint32_t kumihimo_extract_progress(kumihimo_extraction*, kumihimo_progress* out);
/* What was guessed or changed, one sentence each. */
KUMIHIMO_API uint32_t kumihimo_extract_notes(kumihimo_extraction*, kumihimo_strings** out);
/* The files, after folders were replaced by what is in them. */
KUMIHIMO_API uint32_t kumihimo_extract_inputs(kumihimo_extraction*, kumihimo_strings** out);
/* The bad records since the last call, in input order. */
KUMIHIMO_API uint32_t kumihimo_extract_bad_records(kumihimo_extraction*, kumihimo_records** out);
/* "on_error": "quarantine". NDJSON, one line a bad record since the last call. */
KUMIHIMO_API uint32_t kumihimo_extract_quarantine(kumihimo_extraction*, kumihimo_text* out);
/* What ended the run: one record, or none. */
KUMIHIMO_API uint32_t kumihimo_extract_failure(kumihimo_extraction*, kumihimo_records** out);

/* Of the last call that failed: its whole sentence (kumihimo_error cuts it), and the record when an input is at fault
 * and not what was asked for (one, or none). In another process KUMIHIMO_EXTRACT_ELSEWHERE, and its sentence. */
KUMIHIMO_API uint32_t kumihimo_extract_message(kumihimo_extraction*, kumihimo_text* out);
KUMIHIMO_API uint32_t kumihimo_extract_error_record(kumihimo_extraction*, kumihimo_records** out);

/* "chart": WIDTH. The numeric columns, thinned to what a chart so wide can show. */
typedef struct kumihimo_series kumihimo_series;
/* Of intervals ("every") what a line is: an aggregate, one of the four of a candle, a sum or count. Candles come as
 * four lines in this order. */
enum {
    KUMIHIMO_LINE_VALUES = 0,
    KUMIHIMO_LINE_OPEN,
    KUMIHIMO_LINE_HIGH,
    KUMIHIMO_LINE_LOW,
    KUMIHIMO_LINE_CLOSE,
    KUMIHIMO_LINE_BARS
};
typedef struct kumihimo_line {
    uint32_t struct_size; /* of this struct, set by the caller */
    uint32_t role;
    const char* name; /* of the column */
    size_t name_size;
    const int64_t* xs; /* microseconds since 1970, or numbers of rows */
    const double* ys;
    size_t count;
    const char* of; /* the path that an interval's aggregate is of; "" else */
    size_t of_size;
} kumihimo_line;
typedef struct kumihimo_axis {
    uint32_t struct_size; /* of this struct, set by the caller */
    uint32_t is_time;     /* x is a time, not a row's number */
    const char* name;     /* of the column, or "row" */
    size_t name_size;
    const char* zone; /* "" for none */
    size_t zone_size;
    uint64_t lines;   /* how many */
    uint64_t outside; /* rows left out, at times that no calendar has */
    int64_t interval; /* microseconds that one x stands for, about, where rows are intervals; else 0 */
} kumihimo_axis;

KUMIHIMO_API uint32_t kumihimo_extract_series(kumihimo_extraction*, kumihimo_series** out);
KUMIHIMO_API void kumihimo_series_axis(const kumihimo_series*, kumihimo_axis* out);
KUMIHIMO_API void kumihimo_series_line(const kumihimo_series*, size_t i, kumihimo_line* out);
KUMIHIMO_API void kumihimo_series_free(kumihimo_series*);

/* Ends the work soon: text and counts end, columns fail with KUMIHIMO_HOST. */
KUMIHIMO_API uint32_t kumihimo_extract_cancel(kumihimo_extraction*);

/* Whether a pattern of "match" picks this path: of an entry, or below a folder that is an input. Bytes, of any
 * encoding. */
KUMIHIMO_API int kumihimo_extract_matches(const char* pattern, size_t pattern_size, const char* path, size_t path_size);
/* Whether a path has an ending of archives: an entry that has is looked into under any "match" where "nested" opens
 * archives in archives. */
KUMIHIMO_API int kumihimo_extract_names_archive(const char* path, size_t size);

/* Whether libarchive is there, for encrypted entries of Zips and those in PPMd. */
KUMIHIMO_API int kumihimo_extract_has_libarchive(void);

#ifdef __cplusplus
}
#endif

#endif
