/* Extraction as a C program sees it, compiled as C and with nothing but extract/abi.h; abi_test.cpp calls it. Each
 * step returns its line on failure, 0 on success. `folder` is an empty folder of the step's own.
 *
 * Over 900 lines: the steps are one program, and share what calls, checks and frees.
 */
#define _XOPEN_SOURCE 700
#include "extract/abi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPECT(condition)                  \
    do {                                   \
        if (!(condition)) return __LINE__; \
    } while (0)

int extracts_columns(const char* folder);
int extracts_text(const char* folder);
int goes_on_with_a_token(const char* folder);
int counts(const char* folder);
int reads_by_a_dialect(const char* folder);
int makes_rows_of_elements(const char* folder);
int gives_lists_and_structs(const char* folder);
int writes_documents(const char* folder);
int chooses_rows(const char* folder);
int refuses_descriptions(const char* folder);
int asks_for_zones(const char* folder);
int waits_for_pipes(const char* folder);
int starts_again_with_wider_types(const char* folder);
int streams(const char* folder);
int reports_what_ended_it(const char* folder);
int thins_series(const char* folder);
int makes_intervals(const char* folder);
int takes_names_that_are_no_text(const char* folder);
int stays_in_its_process(const char* folder);
int respects_struct_size(const char* folder);
int matches_paths(const char* folder);
int fetches_inputs(const char* folder);
int tells_the_last_failure(const char* folder);

static int write_file(const char* folder, const char* name, const char* content, char path[512]) {
    snprintf(path, 512, "%s/%s", folder, name);
    FILE* f = fopen(path, "wb");
    if (f == NULL) return 0;
    fputs(content, f);
    return fclose(f) == 0;
}

/* Opens {"inputs": [path], more}. */
static uint32_t open_one(const char* path, const char* more, kumihimo_extraction** x, kumihimo_error* why) {
    char description[2048];
    snprintf(description, sizeof description, "{\"inputs\":[\"%s\"]%s%s}", path, *more != 0 ? "," : "", more);
    return kumihimo_extract_open(description, strlen(description), x, why);
}

static uint32_t start_one(const char* path, const char* more, kumihimo_extraction** x, kumihimo_error* why) {
    const uint32_t e = open_one(path, more, x, why);
    return e != KUMIHIMO_OK ? e : kumihimo_extract_start(*x, KUMIHIMO_NO_HURRY, why);
}

static int holds(const kumihimo_text* t, const char* wanted) {
    size_t n = 0;
    const char* p = kumihimo_text_data(t, &n);
    return n == strlen(wanted) && memcmp(p, wanted, n) == 0;
}

static kumihimo_error error_of(void) {
    kumihimo_error e = {0};
    e.struct_size = sizeof e;
    return e;
}

int extracts_columns(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "a.ndjson", "{\"n\":1,\"s\":\"x\"}\n{\"n\":tru}\n{\"n\":2,\"s\":null}\n", path));
    kumihimo_error why = error_of();
    kumihimo_extraction* x = NULL;
    EXPECT(start_one(path, "\"fields\":[\"n\",{\"name\":\"t\",\"path\":\"$.s\",\"type\":\"string\"}],\"on_error\":\"skip\"", &x,
                     &why) == KUMIHIMO_OK);
    EXPECT(why.code == KUMIHIMO_OK && why.what[0] == 0);

    struct ArrowSchema schema;
    EXPECT(kumihimo_extract_schema(x, KUMIHIMO_NO_HURRY, &schema, &why) == KUMIHIMO_OK);
    EXPECT(strcmp(schema.format, "+s") == 0 && schema.n_children == 2);
    EXPECT(strcmp(schema.children[0]->format, "l") == 0 && strcmp(schema.children[0]->name, "n") == 0);
    EXPECT(strcmp(schema.children[1]->format, "u") == 0 && strcmp(schema.children[1]->name, "t") == 0);
    schema.release(&schema);

    kumihimo_strings* columns = NULL;
    EXPECT(kumihimo_extract_columns(x, 0, &columns, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_strings_count(columns) == 6);
    size_t n = 0;
    EXPECT(strcmp(kumihimo_strings_at(columns, 4, &n), "string") == 0 && n == 6);
    EXPECT(strcmp(kumihimo_strings_at(columns, 1, NULL), "int64") == 0);
    kumihimo_strings_free(columns);

    struct ArrowArray rows;
    int64_t seen = 0, sum = 0;
    uint32_t e;
    while ((e = kumihimo_extract_next(x, KUMIHIMO_NO_HURRY, &rows, &why)) == KUMIHIMO_OK) {
        const int64_t* values = rows.children[0]->buffers[1];
        for (int64_t i = 0; i < rows.length; ++i) sum += values[i];
        seen += rows.length;
        rows.release(&rows);
    }
    EXPECT(e == KUMIHIMO_EXTRACT_END && seen == 2 && sum == 3 && rows.release == NULL);
    EXPECT(kumihimo_extract_next(x, KUMIHIMO_NO_HURRY, &rows, &why) == KUMIHIMO_EXTRACT_END);

    kumihimo_records* bad = NULL;
    EXPECT(kumihimo_extract_bad_records(x, &bad) == KUMIHIMO_OK && kumihimo_records_count(bad) == 1);
    kumihimo_record r = {0};
    r.struct_size = sizeof r;
    kumihimo_records_at(bad, 0, &r);
    EXPECT(r.scope == KUMIHIMO_SCOPE_DOCUMENT && r.code == KUMIHIMO_SYNTAX && r.line == 2 && r.document == 16);
    EXPECT(strcmp(r.archive, path) == 0 && r.entry_size == 0 && strlen(r.message) == r.message_size && r.message_size != 0);
    kumihimo_text* line = kumihimo_text_new();
    EXPECT(line != NULL && kumihimo_record_text(&r, line) == KUMIHIMO_OK);
    const char* text = kumihimo_text_data(line, &n);
    EXPECT(n > r.archive_size + r.message_size && memcmp(text, path, strlen(path)) == 0 &&
           memcmp(text + n - r.message_size, r.message, r.message_size) == 0);
    kumihimo_records_free(bad);
    EXPECT(kumihimo_extract_bad_records(x, &bad) == KUMIHIMO_OK && kumihimo_records_count(bad) == 0);
    kumihimo_records_free(bad);

    kumihimo_strings* notes = NULL;
    EXPECT(kumihimo_extract_notes(x, &notes) == KUMIHIMO_OK && kumihimo_strings_count(notes) == 1);
    EXPECT(strstr(kumihimo_strings_at(notes, 0, NULL), "int64") != NULL);
    kumihimo_strings_free(notes);
    EXPECT(kumihimo_extract_contradiction(x, line) == KUMIHIMO_OK && holds(line, ""));
    kumihimo_text_free(line);

    /* Another form's calls are refused. */
    kumihimo_text* none = kumihimo_text_new();
    EXPECT(kumihimo_extract_next_text(x, 0, 0, none, &why) == KUMIHIMO_MISUSE && strstr(why.what, "no text") != NULL);
    uint64_t count = 0;
    EXPECT(kumihimo_extract_next_count(x, 0, &count, &why) == KUMIHIMO_MISUSE);
    kumihimo_text_free(none);
    kumihimo_extract_close(x);
    kumihimo_extract_close(NULL);
    return 0;
}

int goes_on_with_a_token(const char* folder) {
    char first[512], second[512], description[4096];
    EXPECT(write_file(folder, "a.ndjson", "{\"a\":1}\n{\"a\":2}\n", first));
    EXPECT(write_file(folder, "b.ndjson", "{\"a\":3}\n", second));
    kumihimo_extraction* x = NULL;
    kumihimo_error why = error_of();
    kumihimo_text *chunk = kumihimo_text_new(), *token = kumihimo_text_new();
    EXPECT(start_one(first, "\"form\":\"csv\",\"fields\":[\"a:int64\"]", &x, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, chunk, &why) == KUMIHIMO_OK && holds(chunk, "1\n2\n"));
    EXPECT(kumihimo_extract_resume_token(x, token) == KUMIHIMO_OK);
    kumihimo_extract_close(x);
    size_t n = 0;
    const char* const words = kumihimo_text_data(token, &n);
    EXPECT(n > 0);
    /* The inputs are one more now, which is the caller's to know. */
    snprintf(description, sizeof description,
             "{\"inputs\":[\"%s\",\"%s\"],\"form\":\"csv\",\"fields\":[\"a:int64\"],\"resume_token\":\"%.*s\"}", first, second,
             (int)n, words);
    EXPECT(kumihimo_extract_open(description, strlen(description), &x, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_extract_start(x, KUMIHIMO_NO_HURRY, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, chunk, &why) == KUMIHIMO_OK && holds(chunk, "3\n"));
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, chunk, &why) == KUMIHIMO_EXTRACT_END);
    kumihimo_progress p = {.struct_size = sizeof p};
    EXPECT(kumihimo_extract_progress(x, &p) == KUMIHIMO_OK);
    EXPECT(p.rows == 3 && p.inputs == 2 && p.bytes == p.total);
    kumihimo_extract_close(x);
    /* None of a pipe, and no other text is one. */
    EXPECT(start_one("/dev/null", "\"form\":\"csv\",\"fields\":[\"a:int64\"]", &x, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_extract_resume_token(x, token) == KUMIHIMO_OK && holds(token, ""));
    kumihimo_extract_close(x);
    EXPECT(open_one(first, "\"resume_token\":\"x\"", &x, &why) == KUMIHIMO_MISUSE);
    kumihimo_extract_close(x);
    kumihimo_text_free(chunk);
    kumihimo_text_free(token);
    return 0;
}

int extracts_text(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "a.ndjson", "{\"a\":1.50}\n{\"a\":\"q\"}\n{\"a\":[}\n", path));
    const char* const options[] = {"\"form\":\"csv\",\"delimiter\":\";\",\"on_error\":\"quarantine\",\"jobs\":1",
                                   "\"form\":\"ndjson\",\"on_error\":\"quarantine\",\"jobs\":2"};
    const char* const wanted[] = {"1.50\nq\n", "{\"a\":1.50}\n{\"a\":\"q\"}\n"};
    for (int i = 0; i < 2; ++i) {
        kumihimo_extraction* x = NULL;
        kumihimo_error why = error_of();
        EXPECT(start_one(path, options[i], &x, &why) == KUMIHIMO_OK);
        kumihimo_text* chunk = kumihimo_text_new();
        EXPECT(kumihimo_extract_header(x, chunk, &why) == KUMIHIMO_OK && holds(chunk, "a\n"));
        EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, KUMIHIMO_PAUSE, chunk, &why) == KUMIHIMO_OK);
        EXPECT(holds(chunk, wanted[i]));
        EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, chunk, &why) == KUMIHIMO_EXTRACT_END);
        EXPECT(kumihimo_extract_quarantine(x, chunk) == KUMIHIMO_OK);
        size_t n = 0;
        const char* aside = kumihimo_text_data(chunk, &n);
        EXPECT(n > 2 && aside[0] == '{' && aside[n - 1] == '\n');
        EXPECT(kumihimo_extract_quarantine(x, chunk) == KUMIHIMO_OK && holds(chunk, ""));
        struct ArrowArray rows;
        EXPECT(kumihimo_extract_next(x, 0, &rows, &why) == KUMIHIMO_MISUSE && rows.release == NULL);
        struct ArrowArrayStream stream;
        EXPECT(kumihimo_extract_stream(x, NULL, NULL, &stream, &why) == KUMIHIMO_MISUSE && stream.release == NULL);
        kumihimo_text_free(chunk);
        kumihimo_extract_close(x);
    }
    return 0;
}

int counts(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "a.json", "[{\"a\":1},{\"a\":2},{\"a\":3}]", path));
    kumihimo_extraction* x = NULL;
    kumihimo_error why = error_of();
    EXPECT(open_one(folder, "\"form\":\"none\"", &x, &why) == KUMIHIMO_OK);
    uint64_t rows = 7, all = 0;
    EXPECT(kumihimo_extract_next_count(x, 0, &rows, &why) == KUMIHIMO_MISUSE && strstr(why.what, "not started") != NULL);
    EXPECT(kumihimo_extract_start(x, KUMIHIMO_NO_HURRY, &why) == KUMIHIMO_OK);
    while (kumihimo_extract_next_count(x, KUMIHIMO_NO_HURRY, &rows, &why) == KUMIHIMO_OK) all += rows;
    EXPECT(all == 3);
    kumihimo_progress p = {0};
    p.struct_size = sizeof p;
    EXPECT(kumihimo_extract_progress(x, &p) == KUMIHIMO_OK);
    EXPECT(p.documents == 3 && p.rows == 3 && p.bad == 0 && p.complete_total == 1 && p.bytes == p.total && p.bytes == 25);
    kumihimo_strings* inputs = NULL;
    EXPECT(kumihimo_extract_inputs(x, &inputs) == KUMIHIMO_OK && kumihimo_strings_count(inputs) == 1);
    EXPECT(strcmp(kumihimo_strings_at(inputs, 0, NULL), path) == 0);
    kumihimo_strings_free(inputs);
    kumihimo_extract_close(x);
    return 0;
}

int reads_by_a_dialect(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "a.json", "{\"a\":1.50, // one\n\"b\":[2,],}", path));
    kumihimo_extraction* x = NULL;
    kumihimo_error why = error_of();
    EXPECT(start_one(path, "\"form\":\"csv\",\"fields\":[\"a\",\"b\"],\"format\":\"json\",\"dialect\":\"relaxed\"", &x, &why) ==
           KUMIHIMO_OK);
    kumihimo_text* rows = kumihimo_text_new();
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, rows, &why) == KUMIHIMO_OK && holds(rows, "1.50,[2]\n"));
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, rows, &why) == KUMIHIMO_EXTRACT_END);
    kumihimo_text_free(rows);
    kumihimo_extract_close(x);
    return 0;
}

int makes_rows_of_elements(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "a.json", "{\"id\":7,\"t\":[{\"n\":1},{\"n\":2}]}\n{\"id\":8,\"t\":[]}\n", path));
    kumihimo_extraction* x = NULL;
    kumihimo_error why = error_of();
    const char* const asked = "\"form\":\"csv\",\"rows\":\"t[*]\",\"fields\":[{\"path\":\".n\"},\"$.id\"]";
    char outer[256];
    snprintf(outer, sizeof outer, "%s,\"rows_outer\":true", asked);
    kumihimo_text* rows = kumihimo_text_new();
    EXPECT(start_one(path, asked, &x, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, rows, &why) == KUMIHIMO_OK && holds(rows, "1,7\n2,7\n"));
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, rows, &why) == KUMIHIMO_EXTRACT_END);
    kumihimo_extract_close(x);
    EXPECT(start_one(path, outer, &x, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, rows, &why) == KUMIHIMO_OK && holds(rows, "1,7\n2,7\n,8\n"));
    kumihimo_extract_close(x);
    const char* const calculated =
        "\"form\":\"csv\",\"rows\":\"t[*]\",\"where\":\".n > 1 and $.id == 7\","
        "\"fields\":[{\"name\":\"sum\",\"expression\":\".n + $.id\"},\"$.t[-1].n\"]";
    EXPECT(start_one(path, calculated, &x, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, rows, &why) == KUMIHIMO_OK && holds(rows, "9,2\n"));
    kumihimo_extract_close(x);
    kumihimo_text_free(rows);
    return 0;
}

int gives_lists_and_structs(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "a.json", "{\"t\":[{\"p\":1},{\"p\":2.5}],\"b\":{\"x\":\"y\"}}\n{\"t\":[]}\n", path));
    const char* const cases[][2] = {
        {"\"fields\":[\"t:list[struct[p:float64]]\",{\"path\":\"b\",\"type\":\"struct[x:string]\"}]",
         "list[struct[p:float64]]"},
        {"\"nested_types\":true", "list[struct[p:float64]]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        kumihimo_extraction* x = NULL;
        kumihimo_error why = error_of();
        struct ArrowSchema schema;
        struct ArrowArray rows;
        kumihimo_strings* columns = NULL;
        EXPECT(start_one(path, cases[i][0], &x, &why) == KUMIHIMO_OK);
        EXPECT(kumihimo_extract_schema(x, KUMIHIMO_NO_HURRY, &schema, &why) == KUMIHIMO_OK);
        EXPECT(kumihimo_extract_columns(x, KUMIHIMO_NO_HURRY, &columns, &why) == KUMIHIMO_OK);
        EXPECT(strcmp(kumihimo_strings_at(columns, 1, NULL), cases[i][1]) == 0);
        kumihimo_strings_free(columns);
        EXPECT(schema.n_children == 2 && strcmp(schema.children[0]->format, "+l") == 0);
        EXPECT(strcmp(schema.children[0]->children[0]->format, "+s") == 0);
        EXPECT(strcmp(schema.children[0]->children[0]->children[0]->name, "p") == 0);
        EXPECT(kumihimo_extract_next(x, KUMIHIMO_NO_HURRY, &rows, &why) == KUMIHIMO_OK);
        kumihimo_extract_close(x);
        EXPECT(rows.length == 2 && rows.children[1]->null_count == 1);
        const struct ArrowArray* const prices = rows.children[0]->children[0]->children[0];
        EXPECT(prices->length == 2 && ((const double*)prices->buffers[1])[1] == 2.5);
        rows.release(&rows);
        schema.release(&schema);
    }
    return 0;
}

int writes_documents(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "a.json", "[{\"a\":1.50},{\"a\":[ 2 ]}]", path));
    kumihimo_extraction* x = NULL;
    kumihimo_error why = error_of();
    EXPECT(start_one(path, "\"form\":\"documents\",\"to\":\"json\"", &x, &why) == KUMIHIMO_OK);
    kumihimo_text* t = kumihimo_text_new();
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, t, &why) == KUMIHIMO_OK);
    EXPECT(holds(t, "{\"a\":1.50}\n{\"a\":[2]}\n"));
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, t, &why) == KUMIHIMO_EXTRACT_END);
    kumihimo_text_free(t);
    kumihimo_extract_close(x);
    const char* const wrong[][2] = {
        {"\"form\":\"documents\"", "to, the format to write, is missing"},
        {"\"form\":\"documents\",\"to\":\"xml\"", "to is no format that is known: 'xml'"},
        {"\"form\":\"documents\",\"to\":\"json\",\"frame\":\"rar\"", "frame is one of 'none', 'gzip'"},
        {"\"form\":\"documents\",\"to\":\"json\",\"frame_level\":1", "frame_level is the level of a frame"},
        {"\"form\":\"documents\",\"to\":\"json\",\"frame\":\"lz4\",\"frame_level\":13", "the levels of lz4 are 1 to 12"},
        {"\"form\":\"documents\",\"to\":\"json\",\"block_size\":1", "block_size is at least 4096 and at most 268435456 bytes"},
        {"\"form\":\"documents\",\"to\":\"json\",\"source\":true", "documents have no columns"},
        {"\"form\":\"documents\",\"to\":\"json\",\"rows\":\"a[*]\"", "documents have no columns"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        EXPECT(open_one(path, wrong[i][0], &x, &why) == KUMIHIMO_MISUSE && strstr(why.what, wrong[i][1]) != NULL);
        kumihimo_extract_close(x);
    }
    return 0;
}

int chooses_rows(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "a.ndjson", "{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"y\"}\n{\"a\":3,\"b\":\"x\"}\n{\"a\":4}\n",
                      path));
    const char* const cases[][2] = {
        {"\"where\":\"a > 1 and b is not null\"", "2\n3\n"},
        {"\"where\":\"a * 2 - 1 > 3\"", "3\n4\n"},
        {"\"distinct\":[\"b\"]", "1\n2\n4\n"},
        {"\"limit_per_archive\":2,\"where\":\"a != 1\"", "2\n3\n"},
        {"\"sample_rows\":0,\"seed\":1", ""},
        {"\"sample_rows\":1.0", "1\n2\n3\n4\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char more[512];
        snprintf(more, sizeof more, "\"form\":\"csv\",\"fields\":[\"a\",\"b\"],%s", cases[i][0]);
        kumihimo_extraction* x = NULL;
        kumihimo_error why = error_of();
        EXPECT(start_one(path, more, &x, &why) == KUMIHIMO_OK);
        kumihimo_text* const t = kumihimo_text_new();
        char all[256] = "";
        while (kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, t, &why) == KUMIHIMO_OK) {
            size_t n = 0;
            const char* line = kumihimo_text_data(t, &n);
            for (const char* const end = line + n; line < end; line = strchr(line, '\n') + 1)
                strncat(all, line, strcspn(line, ",")), strcat(all, "\n");
        }
        EXPECT(strcmp(all, cases[i][1]) == 0);
        kumihimo_text_free(t);
        kumihimo_extract_close(x);
    }
    return 0;
}

int refuses_descriptions(const char* folder) {
    (void)folder;
    const char* const cases[][2] = {
        {"", "the description is not valid: "},
        {"{\"inputs\":[\"a\"]", "the description is not valid: "},
        {"{\"inputs\":[\"a\"],\"inputs\":[\"a\"]}", "the description is not valid: "},
        {"[]", "the description is a JSON object"},
        {"{}", "the description names no inputs"},
        {"{\"inputs\":null}", "the description names no inputs"},
        {"{\"inputs\":\"a\"}", "inputs is a list of texts"},
        {"{\"inputs\":[1]}", "inputs is a list of texts"},
        {"{\"inputs\":[{\"hex\":\"0\"}]}", "inputs is a list of texts"},
        {"{\"inputs\":[{\"hex\":\"0g\"}]}", "inputs is a list of texts"},
        {"{\"inputs\":[{\"hex\":\"00\",\"x\":1}]}", "inputs is a list of texts"},
        {"{\"inputs\":[\"a\"],\"input\":1}", "the description has no member \"input\""},
        {"{\"inputs\":[\"a\"],\"sample\":0}", "sample is at least 1"},
        {"{\"inputs\":[\"a\"],\"jobs\":-1}", "jobs is a whole number, not below 0, in the description"},
        {"{\"inputs\":[\"a\"],\"jobs\":4294967296}", "jobs is a whole number"},
        {"{\"inputs\":[\"a\"],\"limit\":1.5}", "limit is a whole number"},
        {"{\"inputs\":[\"a\"],\"source\":1}", "source is true or false in the description"},
        {"{\"inputs\":[\"a\"],\"level\":\"lax\"}", "level is one of 'strict', 'structural', 'trusted', not 'lax'"},
        {"{\"inputs\":[\"a\"],\"layout\":\"x\"}", "layout is one of 'auto', "},
        {"{\"inputs\":[\"a\"],\"on_error\":\"x\"}", "on_error is one of 'stop', "},
        {"{\"inputs\":[\"a\"],\"form\":\"arrow\"}",
         "form is one of 'columns', 'csv', 'ndjson', 'none', 'documents', 'schema', not 'arrow'"},
        {"{\"inputs\":[\"a\"],\"form\":3}", "form is text in the description"},
        {"{\"inputs\":[\"a\"],\"dialect\":\"relaxed\"}", "dialect is a dialect of one format: name that, too"},
        {"{\"inputs\":[\"a\"],\"format\":\"cbor\",\"dialect\":\"relaxed\"}", "dialect of 'cbor' is one of 'standard_read', "},
        {"{\"inputs\":[\"a\"],\"format\":\"json\",\"dialect\":1}", "dialect is text in the description"},
        {"{\"inputs\":[\"a\"],\"where\":5}", "where is text in the description"},
        {"{\"inputs\":[\"a\"],\"where\":\"\"}", "where at column 1: a condition is missing"},
        {"{\"inputs\":[\"a\"],\"where\":\"p >\"}", "where at column 4: a path or a value is expected here\n  p >\n     ^"},
        {"{\"inputs\":[\"a\"],\"where\":\".p > 5\"}", "where has a path that begins with a point"},
        {"{\"inputs\":[\"a\"],\"distinct\":\"p\"}", "distinct is a list of texts in the description"},
        {"{\"inputs\":[\"a\"],\"distinct\":[1]}", "distinct is a list of texts in the description"},
        {"{\"inputs\":[\"a\"],\"form\":\"documents\",\"to\":\"json\",\"distinct\":[\"p\"]}",
         "documents have no columns: fields, rows, every, distinct, source and chart are of rows"},
        {"{\"inputs\":[\"a\"],\"form\":\"schema\",\"distinct\":[\"p\"]}",
         "a schema is of whole documents: fields, rows, every, dist"},
        {"{\"inputs\":[\"a\"],\"form\":\"schema\",\"every\":\"5min\",\"fields\":[\"t:timestamp\",\"p:last\"]}",
         "a schema is of whole documents: fields, rows, every, dist"},
        {"{\"inputs\":[\"a\"],\"sample_rows\":1.5}", "sample_rows is a share from 0 to 1 in the description"},
        {"{\"inputs\":[\"a\"],\"sample_rows\":\"1%\"}", "sample_rows is a share from 0 to 1 in the description"},
        {"{\"inputs\":[\"a\"],\"limit_per_archive\":-1}", "limit_per_archive is a whole number"},
        {"{\"inputs\":[\"a\"],\"delimiter\":\"ab\"}", "delimiter is one character"},
        {"{\"inputs\":[\"a\"],\"rows\":1}", "rows is text in the description"},
        {"{\"inputs\":[\"a\"],\"rows\":\"a\"}", "rows \"a\": it does not end in [*]"},
        {"{\"inputs\":[\"a\"],\"rows\":\"a[*]\",\"rows_outer\":1}", "rows_outer is true or false in the description"},
        {"{\"inputs\":[\"a\"],\"rows_outer\":true}", "rows_outer is of rows"},
        {"{\"inputs\":[\"a\"],\"nested_types\":\"x\"}", "nested_types is true or false in the description"},
        {"{\"inputs\":[\"a\"],\"fields\":[\"a:list[]\"]}", "field \"a:list[]\": the type \"list[]\" is empty"},
        {"{\"inputs\":[\"a\"],\"fields\":{}}", "fields is a list in the description"},
        {"{\"inputs\":[\"a\"],\"fields\":[3]}", "a field is a text, or an object"},
        {"{\"inputs\":[\"a\"],\"fields\":[{\"name\":\"a\"}]}", "a field is a text, or an object"},
        {"{\"inputs\":[\"a\"],\"fields\":[{\"path\":\"a\",\"kind\":\"int64\"}]}", "a field is a text, or an object"},
        {"{\"inputs\":[\"a\"],\"fields\":[{\"path\":\"$[\"}]}", "the path \"$[\": "},
        {"{\"inputs\":[\"a\"],\"fields\":[{\"expression\":\"a + b\"}]}", "a field is a text, or an object"},
        {"{\"inputs\":[\"a\"],\"fields\":[{\"name\":\"c\",\"path\":\"a\",\"expression\":\"a + b\"}]}", "a field is a text, or"},
        {"{\"inputs\":[\"a\"],\"fields\":[{\"name\":\"c\",\"expression\":\"a +\"}]}",
         "field at column 4: a path or a value is expected here\n  a +\n     ^"},
        {"{\"inputs\":[\"a\"],\"rows\":\"t[*]\",\"where\":\"..p > 5\"}", "where: ..p begins with 2 dots"},
        {"{\"inputs\":[\"a\"],\"fields\":[{\"path\":\"a\",\"type\":\"integer\"}]}", "column \"a\": unknown type \"integer\""},
        {"{\"inputs\":[\"a\"],\"fields\":[{\"name\":\"b\",\"path\":\"$[\"}]}", "column \"b\": the path \"$[\": "},
        {"{\"inputs\":[\"a\"],\"seed\":1}", "seed is of sample_rows"},
        {"{\"inputs\":[\"a\"],\"distinct_size\":1}", "distinct_size is of distinct"},
        {"{\"inputs\":[\"a\"],\"fields\":[\"a:integer\"]}", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        kumihimo_extraction* x = NULL;
        kumihimo_error why = error_of();
        EXPECT(kumihimo_extract_open(cases[i][0], strlen(cases[i][0]), &x, &why) == KUMIHIMO_MISUSE);
        if (strncmp(why.what, cases[i][1], strlen(cases[i][1])) != 0 || why.what[0] == 0) {
            fprintf(stderr, "%s: %s\n", cases[i][0], why.what);
            return __LINE__;
        }
        kumihimo_text* whole = kumihimo_text_new();
        EXPECT(kumihimo_extract_message(x, whole) == KUMIHIMO_OK && holds(whole, why.what));
        EXPECT(kumihimo_extract_start(x, 0, &why) == KUMIHIMO_MISUSE && holds(whole, why.what));
        EXPECT(kumihimo_extract_cancel(x) == KUMIHIMO_MISUSE);
        kumihimo_text_free(whole);
        kumihimo_extract_close(x);
    }
    /* A sentence that kumihimo_error cuts. */
    char name[601], description[700];
    memset(name, 'x', 600), name[600] = 0;
    snprintf(description, sizeof description, "{\"inputs\":[\"a\"],\"%s\":1}", name);
    kumihimo_extraction* x = NULL;
    kumihimo_error why = error_of();
    EXPECT(kumihimo_extract_open(description, strlen(description), &x, &why) == KUMIHIMO_MISUSE && strlen(why.what) == 255);
    kumihimo_text* whole = kumihimo_text_new();
    size_t n = 0;
    EXPECT(kumihimo_extract_message(x, whole) == KUMIHIMO_OK);
    kumihimo_text_data(whole, &n);
    EXPECT(n > 600);
    kumihimo_text_free(whole);
    kumihimo_extract_close(x);
    return 0;
}

int asks_for_zones(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "a.json", "{\"t\":\"2020-06-01T00:00:00\"}", path));
    const char* const fields =
        "\"fields\":[\"t:timestamp[Far/Away]\",\"u=t:timestamp[Far/Away]\",\"v=t:timestamp[+09:00]\"],\"form\":\"csv\"";
    kumihimo_extraction* x = NULL;
    kumihimo_error why = error_of();
    EXPECT(open_one(path, fields, &x, &why) == KUMIHIMO_OK);
    kumihimo_strings* zones = NULL;
    EXPECT(kumihimo_extract_zones(x, &zones) == KUMIHIMO_OK && kumihimo_strings_count(zones) == 1);
    EXPECT(strcmp(kumihimo_strings_at(zones, 0, NULL), "Far/Away") == 0);
    kumihimo_strings_free(zones);
    const int64_t seconds[] = {0};
    const int32_t offsets[] = {7200};
    EXPECT(kumihimo_extract_put_zone(x, "Far/Away", 3600, seconds, offsets, 1, "nonsense", &why) == KUMIHIMO_MISUSE);
    EXPECT(kumihimo_extract_put_zone(x, "Far/Away", 3600, seconds, offsets, 1, "", &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_extract_zones(x, &zones) == KUMIHIMO_OK && kumihimo_strings_count(zones) == 0);
    kumihimo_strings_free(zones);
    EXPECT(kumihimo_extract_start(x, KUMIHIMO_NO_HURRY, &why) == KUMIHIMO_OK);
    kumihimo_text* chunk = kumihimo_text_new();
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, chunk, &why) == KUMIHIMO_OK);
    EXPECT(holds(chunk, "2020-06-01T00:00:00+02:00,2020-06-01T00:00:00+02:00,2020-06-01T00:00:00+09:00\n"));
    kumihimo_text_free(chunk);
    kumihimo_extract_close(x);

    EXPECT(open_one(path, fields, &x, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_extract_start(x, KUMIHIMO_NO_HURRY, &why) == KUMIHIMO_MISUSE && strstr(why.what, "Far/Away") != NULL);
    EXPECT(kumihimo_extract_start(x, KUMIHIMO_NO_HURRY, &why) == KUMIHIMO_MISUSE && strstr(why.what, "Far/Away") != NULL);
    kumihimo_extract_close(x);
    return 0;
}

int waits_for_pipes(const char* folder) {
    (void)folder;
    int ends[2];
    EXPECT(pipe(ends) == 0);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    kumihimo_extraction* x = NULL;
    kumihimo_error why = error_of();
    EXPECT(open_one(path, "\"form\":\"csv\",\"sample\":1,\"jobs\":2", &x, &why) == KUMIHIMO_OK);
    for (int i = 0; i < 3; ++i) EXPECT(kumihimo_extract_start(x, i, &why) == KUMIHIMO_EXTRACT_WAITING);
    EXPECT(write(ends[1], "{\"n\":1}\n{\"n\":2}\n", 16) == 16);
    EXPECT(kumihimo_extract_start(x, KUMIHIMO_NO_HURRY, &why) == KUMIHIMO_OK);
    kumihimo_text* chunk = kumihimo_text_new();
    close(ends[1]);
    /* With one more column, for what later documents may have. */
    char all[64];
    size_t n = 0, had = 0;
    uint32_t e;
    while ((e = kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, chunk, &why)) == KUMIHIMO_OK) {
        const char* text = kumihimo_text_data(chunk, &n);
        EXPECT(had + n < sizeof all);
        memcpy(all + had, text, n);
        had += n;
    }
    EXPECT(e == KUMIHIMO_EXTRACT_END && had == 6 && memcmp(all, "1,\n2,\n", 6) == 0);
    kumihimo_extract_close(x);
    close(ends[0]);

    /* Cancelled and closed while nothing comes: text ends, columns fail, and a sample is given up. */
    for (int i = 0; i < 3; ++i) {
        EXPECT(pipe(ends) == 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
        const char* const forms[] = {"\"form\":\"csv\",\"fields\":[\"n:int64\"]", "\"fields\":[\"n:int64\"]",
                                     "\"form\":\"csv\""};
        EXPECT(open_one(path, forms[i], &x, &why) == KUMIHIMO_OK);
        struct ArrowArray rows;
        if (i == 2) {
            EXPECT(kumihimo_extract_start(x, 1, &why) == KUMIHIMO_EXTRACT_WAITING);
        } else {
            EXPECT(kumihimo_extract_start(x, KUMIHIMO_NO_HURRY, &why) == KUMIHIMO_OK);
        }
        if (i == 0) EXPECT(kumihimo_extract_next_text(x, 1, 0, chunk, &why) == KUMIHIMO_EXTRACT_WAITING);
        if (i == 1) EXPECT(kumihimo_extract_next(x, 1, &rows, &why) == KUMIHIMO_EXTRACT_WAITING);
        EXPECT(kumihimo_extract_cancel(x) == KUMIHIMO_OK);
        if (i == 0) EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, chunk, &why) == KUMIHIMO_EXTRACT_END);
        if (i == 1) EXPECT(kumihimo_extract_next(x, KUMIHIMO_NO_HURRY, &rows, &why) == KUMIHIMO_HOST);
        if (i == 2) EXPECT(kumihimo_extract_start(x, KUMIHIMO_NO_HURRY, &why) == KUMIHIMO_HOST);
        if (i != 0) EXPECT(strcmp(why.what, "the extraction was cancelled") == 0);
        kumihimo_extract_close(x);
        close(ends[0]);
        close(ends[1]);
    }
    kumihimo_text_free(chunk);
    return 0;
}

int starts_again_with_wider_types(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "a.ndjson", "{\"n\":1}\n{\"n\":2}\n{\"n\":2.5}\n", path));
    kumihimo_error why = error_of();
    kumihimo_extraction *x = NULL, *wider = NULL;
    struct ArrowSchema schema;
    struct ArrowArray rows;
    kumihimo_text* text = kumihimo_text_new();
    /* Nothing was handed out when the guess fails, so nobody notices. */
    EXPECT(start_one(path, "\"fields\":[\"n\"],\"sample\":1", &x, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_extract_next(x, KUMIHIMO_NO_HURRY, &rows, &why) == KUMIHIMO_OK && rows.length == 3);
    EXPECT(((const double*)rows.children[0]->buffers[1])[2] == 2.5);
    rows.release(&rows);
    EXPECT(kumihimo_extract_again(x, &wider, &why) == KUMIHIMO_EXTRACT_END && wider == NULL);
    kumihimo_extract_close(x);
    /* The same, but the caller does not want columns to change. */
    EXPECT(start_one(path, "\"fields\":[\"n\"],\"sample\":1,\"widen\":false", &x, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_extract_schema(x, KUMIHIMO_NO_HURRY, &schema, &why) == KUMIHIMO_OK);
    EXPECT(strcmp(schema.children[0]->format, "l") == 0);
    schema.release(&schema);
    uint32_t e;
    while ((e = kumihimo_extract_next(x, KUMIHIMO_NO_HURRY, &rows, &why)) == KUMIHIMO_OK) rows.release(&rows);
    EXPECT(e == KUMIHIMO_UNSUPPORTED && strstr(why.what, "but rows with the guessed type were handed out") != NULL);
    size_t n = 0;
    EXPECT(kumihimo_extract_contradiction(x, text) == KUMIHIMO_OK);
    kumihimo_text_data(text, &n);
    EXPECT(n != 0);
    EXPECT(kumihimo_extract_again(x, &wider, &why) == KUMIHIMO_OK);
    kumihimo_extract_close(x);
    EXPECT(kumihimo_extract_schema(wider, KUMIHIMO_NO_HURRY, &schema, &why) == KUMIHIMO_OK);
    EXPECT(strcmp(schema.children[0]->format, "g") == 0);
    schema.release(&schema);
    EXPECT(kumihimo_extract_next(wider, KUMIHIMO_NO_HURRY, &rows, &why) == KUMIHIMO_OK && rows.length == 3);
    rows.release(&rows);
    EXPECT(kumihimo_extract_next(wider, KUMIHIMO_NO_HURRY, &rows, &why) == KUMIHIMO_EXTRACT_END);
    kumihimo_extract_close(wider);
    kumihimo_text_free(text);
    return 0;
}

static int no_more(void* user) {
    ++*(int*)user;
    return 0;
}

int streams(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "a.ndjson", "{\"n\":1}\n{\"n\":2}\n", path));
    kumihimo_error why = error_of();
    kumihimo_extraction* x = NULL;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray rows;
    EXPECT(start_one(path, "", &x, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_extract_stream(x, NULL, NULL, &stream, &why) == KUMIHIMO_OK);
    kumihimo_extract_close(x); /* the stream keeps it */
    EXPECT(stream.get_schema(&stream, &schema) == 0 && schema.n_children == 1);
    schema.release(&schema);
    EXPECT(stream.get_next(&stream, &rows) == 0 && rows.length == 2);
    rows.release(&rows);
    EXPECT(stream.get_next(&stream, &rows) == 0 && rows.release == NULL);
    stream.release(&stream);
    EXPECT(stream.release == NULL);

    int ends[2], asked = 0;
    EXPECT(pipe(ends) == 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    EXPECT(start_one(path, "\"fields\":[\"n:int64\"]", &x, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_extract_stream(x, no_more, &asked, &stream, &why) == KUMIHIMO_OK);
    EXPECT(stream.get_next(&stream, &rows) == EINTR && asked == 1);
    EXPECT(strcmp(stream.get_last_error(&stream), "interrupted") == 0);
    stream.release(&stream);
    kumihimo_extract_close(x);
    close(ends[0]);
    close(ends[1]);
    return 0;
}

int reports_what_ended_it(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "a.ndjson", "{\"n\":1}\n{\"n\":tru}\n", path));
    kumihimo_error why = error_of();
    kumihimo_extraction* x = NULL;
    kumihimo_records* bad = NULL;
    kumihimo_record r = {0};
    r.struct_size = sizeof r;
    EXPECT(start_one(path, "\"form\":\"none\"", &x, &why) == KUMIHIMO_OK);
    uint64_t rows = 0;
    uint32_t e;
    while ((e = kumihimo_extract_next_count(x, KUMIHIMO_NO_HURRY, &rows, &why)) == KUMIHIMO_OK) continue;
    EXPECT(e == KUMIHIMO_SYNTAX && why.code == KUMIHIMO_SYNTAX && why.line == 2 && why.offset != UINT64_MAX);
    EXPECT(strcmp(why.path, "$.n") == 0);
    uint32_t (*const asks[])(kumihimo_extraction*, kumihimo_records**) = {kumihimo_extract_failure,
                                                                          kumihimo_extract_error_record};
    for (int i = 0; i < 2; ++i) {
        EXPECT(asks[i](x, &bad) == KUMIHIMO_OK && kumihimo_records_count(bad) == 1);
        kumihimo_records_at(bad, 0, &r);
        EXPECT(r.code == KUMIHIMO_SYNTAX && r.line == 2 && r.column == why.column);
        kumihimo_records_free(bad);
    }
    kumihimo_extract_close(x);

    /* Nothing to find columns in is the inputs' fault, too. */
    EXPECT(write_file(folder, "empty", "", path));
    EXPECT(start_one(path, "", &x, &why) == KUMIHIMO_TRUNCATED);
    EXPECT(strstr(why.what, "there is no document to find columns in") != NULL);
    EXPECT(kumihimo_extract_error_record(x, &bad) == KUMIHIMO_OK && kumihimo_records_count(bad) == 1);
    kumihimo_records_free(bad);
    kumihimo_extract_close(x);
    snprintf(path, sizeof path, "%s/missing", folder);
    EXPECT(start_one(path, "", &x, &why) != KUMIHIMO_OK && strstr(why.what, "missing") != NULL);
    kumihimo_extract_close(x);
    return 0;
}

int thins_series(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "a.ndjson",
                      "{\"t\":\"1970-01-01T00:00:01Z\",\"y\":5}\n{\"t\":\"1970-01-01T00:00:02Z\",\"y\":7}\n", path));
    kumihimo_error why = error_of();
    kumihimo_extraction* x = NULL;
    EXPECT(start_one(path, "\"form\":\"csv\",\"chart\":100", &x, &why) == KUMIHIMO_OK);
    kumihimo_text* chunk = kumihimo_text_new();
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, chunk, &why) == KUMIHIMO_OK);
    EXPECT(holds(chunk, "1970-01-01T00:00:01Z,5\n1970-01-01T00:00:02Z,7\n"));
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, chunk, &why) == KUMIHIMO_EXTRACT_END);
    kumihimo_text_free(chunk);
    kumihimo_series* s = NULL;
    EXPECT(kumihimo_extract_series(x, &s) == KUMIHIMO_OK);
    kumihimo_extract_close(x);
    kumihimo_axis axis = {0};
    axis.struct_size = sizeof axis;
    kumihimo_series_axis(s, &axis);
    EXPECT(axis.is_time == 1 && strcmp(axis.name, "t") == 0 && axis.name_size == 1 && axis.lines == 1 && axis.outside == 0);
    kumihimo_line line = {0};
    line.struct_size = sizeof line;
    kumihimo_series_line(s, 0, &line);
    EXPECT(strcmp(line.name, "y") == 0 && line.count == 2);
    EXPECT(line.xs[0] == 1000000 && line.xs[1] == 2000000 && line.ys[0] == 5 && line.ys[1] == 7);
    kumihimo_series_free(s);
    return 0;
}

int makes_intervals(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "a.ndjson",
                      "{\"at\":\"2016-12-25T01:02:03Z\",\"p\":5}\n{\"at\":\"2016-12-25T01:02:04Z\",\"p\":7.5}\n"
                      "{\"at\":\"2016-12-25T01:07:00Z\",\"p\":6}\n{\"at\":\"2016-12-25T00:00:00Z\",\"p\":1}\n",
                      path));
    kumihimo_error why = error_of();
    kumihimo_extraction* x = NULL;
    /* Types that are found, and the time; the guess int64 is corrected before anything is handed out. */
    EXPECT(start_one(path,
                     "\"every\":\"5min\",\"sample\":1,\"chart\":100,\"form\":\"csv\",\"fields\":[\"p:ohlc\","
                     "{\"name\":\"n\",\"path\":\"p\",\"aggregate\":\"count\"}]",
                     &x, &why) == KUMIHIMO_OK);
    kumihimo_text* chunk = kumihimo_text_new();
    EXPECT(kumihimo_extract_header(x, chunk, &why) == KUMIHIMO_OK && holds(chunk, "at,open,high,low,close,n\n"));
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, chunk, &why) == KUMIHIMO_OK);
    EXPECT(holds(chunk,
                 "2016-12-25T00:00:00Z,1.0,1.0,1.0,1.0,1\n2016-12-25T01:00:00Z,5.0,7.5,5.0,7.5,2\n"
                 "2016-12-25T01:05:00Z,6.0,6.0,6.0,6.0,1\n"));
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, chunk, &why) == KUMIHIMO_EXTRACT_END);
    kumihimo_progress p = {0};
    p.struct_size = sizeof p;
    EXPECT(kumihimo_extract_progress(x, &p) == KUMIHIMO_OK && p.rows == 3 && p.documents == 4);
    kumihimo_series* s = NULL;
    EXPECT(kumihimo_extract_series(x, &s) == KUMIHIMO_OK);
    kumihimo_extract_close(x);
    kumihimo_axis axis = {0};
    axis.struct_size = sizeof axis;
    kumihimo_series_axis(s, &axis);
    EXPECT(axis.is_time == 1 && axis.lines == 5 && axis.interval == 300000000 && strcmp(axis.name, "at") == 0);
    kumihimo_line line = {0};
    line.struct_size = sizeof line;
    for (uint64_t i = 0; i < 5; ++i) {
        kumihimo_series_line(s, i, &line);
        EXPECT(line.role == (i < 4 ? KUMIHIMO_LINE_OPEN + i : KUMIHIMO_LINE_BARS) && line.count == 3);
        EXPECT(strcmp(line.of, "p") == 0 && line.of_size == 1);
    }
    kumihimo_series_free(s);

    /* A row that is late is a bad record, with its place. */
    EXPECT(start_one(path, "\"every\":\"5min\",\"open_intervals\":1,\"fields\":[\"p:float64:last\"]", &x, &why) == KUMIHIMO_OK);
    struct ArrowArray rows;
    uint32_t e;
    while ((e = kumihimo_extract_next(x, KUMIHIMO_NO_HURRY, &rows, &why)) == KUMIHIMO_OK) rows.release(&rows);
    EXPECT(e == KUMIHIMO_RANGE && why.offset == 110 && strstr(why.what, "is closed, for 1 later ones are open") != NULL);
    kumihimo_records* bad = NULL;
    EXPECT(kumihimo_extract_failure(x, &bad) == KUMIHIMO_OK && kumihimo_records_count(bad) == 1);
    kumihimo_records_free(bad);
    kumihimo_extract_close(x);

    static const char* const wrong[][2] = {
        {"\"every\":5", "every is text in the description"},
        {"\"every\":\"5m\"", "every \"5m\": m is no unit"},
        {"\"every\":\"5min\"", "every needs fields with what is made of them"},
        {"\"zone\":\"UTC\"", "zone is of intervals: say how long they are (every)"},
        {"\"fields\":[\"p:ohlc\"]", "ohlc is of intervals: say how long they are (every)"},
        {"\"every\":\"5min\",\"fields\":[\"p:avg\"]", "of intervals there are ohlc, open"},
        {"\"every\":\"5min\",\"fields\":[\"at\",\"p\"]", "field \"p\" does not say what is made of its values"},
        {"\"every\":\"5min\",\"fields\":[\"s := p + 1\",\"p:last\"]", "field \"s\" is calculated and does not say"},
        {"\"every\":\"5min\",\"fields\":[{\"name\":\"s\",\"expression\":\"p + 1\"},\"p:last\"]",
         "field \"s\" is calculated and does not say"},
        {"\"every\":\"5min\",\"fields\":[{\"path\":\"p\",\"aggregate\":\"avg\"}]", "aggregate is one of ohlc, open"},
        {"\"every\":\"5min\",\"gaps\":\"fill\",\"fields\":[\"p:last\"]", "gaps is one of 'skip', 'empty', 'carry', not 'fill'"},
        {"\"every\":\"5min\",\"open_intervals\":0,\"fields\":[\"p:last\"]", "open_intervals is at least 1"},
        {"\"every\":\"5min\",\"source\":true,\"fields\":[\"p:last\"]", "every makes a row of many documents, and source"},
        {"\"every\":\"5min\",\"time\":\"at:int64\",\"fields\":[\"p:last\"]",
         "time \"at\" is of type int64: intervals run along a timestamp"},
        {"\"every\":\"5min\",\"zone\":\"UTC\",\"time\":\"at:timestamp[naive]\",\"fields\":[\"p:last\"]",
         "zone \"UTC\" is of no use to times that are kept without a zone"},
        {"\"every\":\"5min\",\"rows\":\"a[*]\",\"fields\":[\".p:last\"]", "time is missing: where elements are rows"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        EXPECT(open_one(path, wrong[i][0], &x, &why) == KUMIHIMO_MISUSE);
        EXPECT(kumihimo_extract_message(x, chunk) == KUMIHIMO_OK);
        size_t n = 0;
        const char* text = kumihimo_text_data(chunk, &n);
        char said[512] = "";
        memcpy(said, text, n < sizeof said - 1 ? n : sizeof said - 1);
        if (strstr(said, wrong[i][1]) == NULL) {
            fprintf(stderr, "%s: %s\n", wrong[i][0], said);
            return __LINE__;
        }
        kumihimo_extract_close(x);
    }
    kumihimo_text_free(chunk);

    /* While a type is only guessed, rows are held back up to a bound, also those that stand in a gap. */
    EXPECT(write_file(folder, "gap.ndjson",
                      "{\"at\":\"2016-12-25T00:00:00Z\",\"p\":5}\n{\"at\":\"2016-12-29T15:06:39Z\",\"p\":7}\n", path));
    EXPECT(start_one(path,
                     "\"every\":\"1s\",\"gaps\":\"empty\",\"jobs\":1,\"fields\":[\"p:ohlc\",\"b=p:ohlc\",\"c=p:ohlc\","
                     "\"d=p:ohlc\",\"e=p:ohlc\",\"f=p:ohlc\"]",
                     &x, &why) == KUMIHIMO_OK);
    struct ArrowSchema schema;
    EXPECT(kumihimo_extract_schema(x, KUMIHIMO_NO_HURRY, &schema, &why) == KUMIHIMO_OK);
    schema.release(&schema);
    EXPECT(kumihimo_extract_progress(x, &p) == KUMIHIMO_OK && p.rows > 0 && p.rows < 400000);
    int64_t given = 0;
    while ((e = kumihimo_extract_next(x, KUMIHIMO_NO_HURRY, &rows, &why)) == KUMIHIMO_OK) {
        given += rows.length;
        rows.release(&rows);
    }
    EXPECT(e == KUMIHIMO_EXTRACT_END && given == 400000);
    kumihimo_extract_close(x);
    return 0;
}

int takes_names_that_are_no_text(const char* folder) {
    char path[512], name[600], hex[1200];
    snprintf(name, sizeof name, "\xff.json");
    EXPECT(write_file(folder, name, "{\"a\":1}", path));
    for (size_t i = 0; i <= strlen(path); ++i)
        snprintf(hex + 2 * i, 3, "%02x", i == strlen(path) ? 0u : (unsigned)(unsigned char)path[i]);
    hex[2 * strlen(path)] = 0;
    char description[1400];
    snprintf(description, sizeof description, "{\"inputs\":[{\"hex\":\"%s\"}],\"form\":\"ndjson\"}", hex);
    kumihimo_error why = error_of();
    kumihimo_extraction* x = NULL;
    EXPECT(kumihimo_extract_open(description, strlen(description), &x, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_extract_start(x, KUMIHIMO_NO_HURRY, &why) == KUMIHIMO_OK);
    kumihimo_text* chunk = kumihimo_text_new();
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, chunk, &why) == KUMIHIMO_OK && holds(chunk, "{\"a\":1}\n"));
    kumihimo_text_free(chunk);
    kumihimo_extract_close(x);
    return 0;
}

int stays_in_its_process(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "a.ndjson", "{\"n\":1}\n", path));
    kumihimo_error why = error_of();
    kumihimo_extraction* x = NULL;
    EXPECT(start_one(path, "\"form\":\"csv\",\"jobs\":2", &x, &why) == KUMIHIMO_OK);
    const pid_t child = fork();
    if (child == 0) {
        kumihimo_progress p = {0};
        kumihimo_text* chunk = kumihimo_text_new();
        const int refused = kumihimo_extract_progress(x, &p) == KUMIHIMO_EXTRACT_ELSEWHERE &&
                            kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, chunk, &why) == KUMIHIMO_EXTRACT_ELSEWHERE &&
                            strstr(why.what, "another process") != NULL &&
                            kumihimo_extract_cancel(x) == KUMIHIMO_EXTRACT_ELSEWHERE &&
                            kumihimo_extract_message(x, chunk) == KUMIHIMO_EXTRACT_ELSEWHERE && holds(chunk, why.what);
        kumihimo_extract_close(x); /* waits for no thread: there is none here */
        _exit(refused ? 0 : 1);
    }
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    kumihimo_text* chunk = kumihimo_text_new();
    EXPECT(kumihimo_extract_next_text(x, KUMIHIMO_NO_HURRY, 0, chunk, &why) == KUMIHIMO_OK);
    kumihimo_text_free(chunk);
    kumihimo_extract_close(x);
    return 0;
}

int respects_struct_size(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "a.ndjson", "{\"n\":1}\n", path));
    kumihimo_extraction* x = NULL;
    EXPECT(start_one(path, "\"form\":\"none\"", &x, NULL) == KUMIHIMO_OK);
    kumihimo_progress p;
    memset(&p, 0x55, sizeof p);
    p.struct_size = 16; /* up to `bytes` */
    EXPECT(kumihimo_extract_progress(x, &p) == KUMIHIMO_OK);
    EXPECT(p.struct_size == 16 && p.complete_total == 1 && p.bytes != 0x5555555555555555u && p.total == 0x5555555555555555u);
    kumihimo_extract_close(x);
    return 0;
}

static int picks(const char* pattern, const char* path) {
    return kumihimo_extract_matches(pattern, strlen(pattern), path, strlen(path));
}

int matches_paths(const char* folder) {
    (void)folder;
    EXPECT(picks("*.json", "a/b.json") == 1 && picks("*.json", "a/b.json.gz") == 0);
    EXPECT(picks("a/*.json", "a/b.json") == 1 && picks("a/*.json", "a/b/c.json") == 0 && picks("a/**", "a/b/c.json") == 1);
    EXPECT(picks("\xff*", "\xff\xe9") == 1 && picks("", "a") == 0);
    EXPECT(kumihimo_extract_matches("a\0b", 3, "a", 1) == 0);
    const char* const archives[] = {"a/b.zip", "b.JAR", "b.tgz", "b.tar.gz", "b.zip.zst"};
    for (size_t i = 0; i < sizeof archives / sizeof *archives; ++i)
        EXPECT(kumihimo_extract_names_archive(archives[i], strlen(archives[i])) == 1);
    EXPECT(kumihimo_extract_names_archive("a.zip/b.json.gz", 15) == 0);
    return 0;
}

/* What a host does between two calls: "x:NAME" is the file NAME in the folder. */
static int fetch_all(kumihimo_fetches* f, const char* folder) {
    kumihimo_text* input = kumihimo_text_new();
    int fetched = 0;
    while (kumihimo_fetches_next(f, input) == KUMIHIMO_OK) {
        size_t n = 0;
        const char* name = kumihimo_text_data(input, &n);
        char path[512];
        snprintf(path, sizeof path, "%s/%.*s", folder, (int)n - 2, name + 2);
        const int file = open(path, O_RDONLY);
        if (file >= 0)
            kumihimo_fetches_give(f, name, n, file);
        else
            kumihimo_fetches_refuse(f, name, n, "nobody knows it", strlen("nobody knows it"));
        ++fetched;
    }
    kumihimo_text_free(input);
    return fetched;
}

int fetches_inputs(const char* folder) {
    char path[512], description[1024];
    EXPECT(write_file(folder, "a", "{\"n\":1}\n", path) && write_file(folder, "c", "{\"n\":3}", path));
    for (int round = 0; round < 2; ++round) {
        snprintf(description, sizeof description,
                 "{\"inputs\":[\"x:a\",\"x:b\",\"%s\",\"x:a\"],\"fetched\":[\"x:a\",\"x:b\"],\"shown\":[\"x:b\",\"B\"],"
                 "\"on_error\":\"skip\",\"form\":\"csv\",\"jobs\":1,\"fields\":[\"%s\"]}",
                 path, round == 0 ? "n" : "n:int64");
        kumihimo_extraction* x = NULL;
        kumihimo_fetches* f = NULL;
        EXPECT(kumihimo_extract_open(description, strlen(description), &x, NULL) == KUMIHIMO_OK);
        EXPECT(kumihimo_extract_fetches(x, &f) == KUMIHIMO_OK && !kumihimo_fetches_over(f));
        uint32_t e;
        while ((e = kumihimo_extract_start(x, 10, NULL)) == KUMIHIMO_EXTRACT_WAITING) fetch_all(f, folder);
        EXPECT(e == KUMIHIMO_OK);
        kumihimo_text* rows = kumihimo_text_new();
        char text[64] = "";
        while ((e = kumihimo_extract_next_text(x, 10, 0, rows, NULL)) != KUMIHIMO_EXTRACT_END) {
            fetch_all(f, folder);
            if (e == KUMIHIMO_EXTRACT_WAITING) continue;
            EXPECT(e == KUMIHIMO_OK);
            size_t n = 0;
            const char* more = kumihimo_text_data(rows, &n);
            strncat(text, more, n);
        }
        EXPECT(strcmp(text, "1\n3\n1\n") == 0);
        kumihimo_records* bad = NULL;
        EXPECT(kumihimo_extract_bad_records(x, &bad) == KUMIHIMO_OK && kumihimo_records_count(bad) == 1);
        kumihimo_record one = {.struct_size = sizeof one};
        kumihimo_records_at(bad, 0, &one);
        EXPECT(strcmp(one.archive, "B") == 0 && strcmp(one.message, "nobody knows it") == 0 &&
               one.scope == KUMIHIMO_SCOPE_INPUT);
        kumihimo_records_free(bad);
        kumihimo_extract_close(x);
        /* The list outlives it, and closes what nobody wants. */
        EXPECT(kumihimo_fetches_over(f) && kumihimo_fetches_next(f, rows) == KUMIHIMO_EXTRACT_END);
        const int file = open(path, O_RDONLY);
        EXPECT(kumihimo_fetches_give(f, "x:a", 3, file) == KUMIHIMO_EXTRACT_END && fcntl(file, F_GETFD) == -1);
        EXPECT(kumihimo_fetches_refuse(f, "x:a", 3, "", 0) == KUMIHIMO_EXTRACT_END);
        kumihimo_fetches_free(f);
        kumihimo_text_free(rows);
    }
    kumihimo_extraction* x = NULL;
    kumihimo_fetches* f = NULL;
    EXPECT(open_one(path, "\"fetched\":[\"x:a\"]", &x, NULL) == KUMIHIMO_MISUSE);
    kumihimo_extract_close(x);
    EXPECT(open_one(path, "", &x, NULL) == KUMIHIMO_OK);
    EXPECT(kumihimo_extract_fetches(x, &f) == KUMIHIMO_EXTRACT_END && f == NULL);
    kumihimo_extract_close(x);
    return 0;
}

int tells_the_last_failure(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "a.ndjson", "{\"n\":1}\n", path));
    kumihimo_error why = error_of();
    kumihimo_extraction* x = NULL;
    kumihimo_text* said = kumihimo_text_new();
    /* A chart that is wider than memory: the standard library refuses it, in words of its own. */
    EXPECT(start_one(path, "\"fields\":[\"n:int64\"],\"chart\":2305843009213693952", &x, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_extract_paths(x, KUMIHIMO_PATHS, said, &why) == KUMIHIMO_MISUSE);
    EXPECT(kumihimo_extract_message(x, said) == KUMIHIMO_OK && holds(said, why.what));
    struct ArrowArray rows;
    EXPECT(kumihimo_extract_next(x, KUMIHIMO_NO_HURRY, &rows, &why) == KUMIHIMO_HOST && why.what[0] != 0);
    EXPECT(kumihimo_extract_message(x, said) == KUMIHIMO_OK && holds(said, why.what));
    kumihimo_text_free(said);
    kumihimo_extract_close(x);
    return 0;
}
