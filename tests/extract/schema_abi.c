/* Schemas as a C program sees them: the sibling of abi.c, whose rules it keeps. */
#include "extract/abi.h"

#include <stdio.h>
#include <string.h>

#define EXPECT(condition)                  \
    do {                                   \
        if (!(condition)) return __LINE__; \
    } while (0)

int finds_schemas(const char* folder);

static int write_file(const char* folder, const char* name, const char* content, char path[512]) {
    snprintf(path, 512, "%s/%s", folder, name);
    FILE* f = fopen(path, "wb");
    if (f == NULL) return 0;
    fputs(content, f);
    return fclose(f) == 0;
}

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

int finds_schemas(const char* folder) {
    char path[512];
    EXPECT(write_file(folder, "s.ndjson", "{\"n\":1,\"t\":[1,2]}\n{\"n\":tru}\n{\"n\":2.5}\n", path));
    kumihimo_error why = error_of();
    kumihimo_extraction* x = NULL;
    EXPECT(start_one(path, "\"form\":\"schema\",\"on_error\":\"skip\",\"fold\":5", &x, &why) == KUMIHIMO_OK);
    kumihimo_text* text = kumihimo_text_new();
    EXPECT(text != NULL);
    EXPECT(kumihimo_extract_paths(x, KUMIHIMO_PATHS, text, &why) == KUMIHIMO_MISUSE && why.what[0] != 0); /* too early */
    struct ArrowSchema schema;
    EXPECT(kumihimo_extract_schema(x, KUMIHIMO_NO_HURRY, &schema, &why) == KUMIHIMO_MISUSE);
    uint64_t n = 0, documents = 0;
    uint32_t e;
    while ((e = kumihimo_extract_next_count(x, KUMIHIMO_NO_HURRY, &n, &why)) == KUMIHIMO_OK) documents += n;
    EXPECT(e == KUMIHIMO_EXTRACT_END && documents == 2);
    EXPECT(kumihimo_extract_paths(x, KUMIHIMO_PATHS, text, &why) == KUMIHIMO_OK);
    EXPECT(holds(text,
                 "{\"kumihimo\":\"schema\",\"documents\":2,\"fold\":5,\n\"paths\":[\n"
                 "{\"path\":\"$\",\"documents\":2,\"values\":2,\"types\":{\"object\":2}},\n"
                 "{\"path\":\"$.n\",\"documents\":2,\"values\":2,\"of\":2,\"types\":{\"integer\":1,\"number\":1},"
                 "\"type\":\"float64\",\"examples\":[1,2.5]},\n"
                 "{\"path\":\"$.t\",\"documents\":1,\"values\":1,\"of\":2,\"types\":{\"array\":1}},\n"
                 "{\"path\":\"$.t[*]\",\"documents\":1,\"values\":2,\"types\":{\"integer\":2},\"type\":\"int64\","
                 "\"examples\":[1,2]}\n],\n\"fields\":[\n"
                 "{\"name\":\"n\",\"path\":\"$.n\",\"type\":\"float64\"},\n"
                 "{\"name\":\"t\",\"path\":\"$.t\",\"type\":\"json\"}\n]}\n"));
    EXPECT(kumihimo_extract_paths(x, KUMIHIMO_JSON_SCHEMA, text, &why) == KUMIHIMO_OK);
    size_t size = 0;
    EXPECT(strncmp(kumihimo_text_data(text, &size), "{\n  \"$schema\"", 13) == 0 && size > 100);
    EXPECT(kumihimo_extract_paths(x, 2, text, &why) == KUMIHIMO_MISUSE);
    EXPECT(kumihimo_extract_schema(x, KUMIHIMO_NO_HURRY, &schema, &why) == KUMIHIMO_OK);
    EXPECT(schema.n_children == 2 && strcmp(schema.children[0]->format, "g") == 0);
    schema.release(&schema);
    kumihimo_strings* columns = NULL;
    EXPECT(kumihimo_extract_columns(x, KUMIHIMO_NO_HURRY, &columns, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_strings_count(columns) == 6 && strcmp(kumihimo_strings_at(columns, 5, NULL), "$.t") == 0);
    kumihimo_strings_free(columns);
    kumihimo_text_free(text);
    kumihimo_extract_close(x);

    /* Types out of all documents: one row has been shown, and the second one's fraction is no surprise. */
    EXPECT(write_file(folder, "t.ndjson", "{\"n\":1}\n{\"n\":2.5,\"late\":true}\n", path));
    EXPECT(start_one(path, "\"sample\":1,\"infer\":\"all\"", &x, &why) == KUMIHIMO_OK);
    EXPECT(kumihimo_extract_schema(x, KUMIHIMO_NO_HURRY, &schema, &why) == KUMIHIMO_OK);
    EXPECT(schema.n_children == 2 && strcmp(schema.children[0]->format, "g") == 0 &&
           strcmp(schema.children[1]->format, "b") == 0);
    schema.release(&schema);
    kumihimo_extract_close(x);

    EXPECT(open_one(path, "\"form\":\"schema\",\"fields\":[\"n\"]", &x, &why) == KUMIHIMO_MISUSE);
    kumihimo_extract_close(x);
    EXPECT(open_one(path, "\"form\":\"schema\",\"on_error\":\"null\"", &x, &why) == KUMIHIMO_MISUSE);
    kumihimo_extract_close(x);
    EXPECT(open_one(path, "\"form\":\"schema\",\"fold\":0", &x, &why) == KUMIHIMO_MISUSE);
    kumihimo_extract_close(x);
    EXPECT(start_one(path, "\"form\":\"csv\"", &x, &why) == KUMIHIMO_OK);
    text = kumihimo_text_new();
    EXPECT(text != NULL && kumihimo_extract_paths(x, KUMIHIMO_PATHS, text, &why) == KUMIHIMO_MISUSE);
    kumihimo_text_free(text);
    kumihimo_extract_close(x);
    return 0;
}
