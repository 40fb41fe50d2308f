// Rows to anything that speaks the Arrow C data interface (pyarrow, polars, duckdb, pandas), without copying: a batch's memory
// moves into the ArrowArray, whose release callback frees it.
//
//      int64 "l"  float64 "g"  bool "b"  decimal(p,s) "d:p,s"  timestamp "tsu:Zone" or "tsn:Zone" ("tsu:" when naive)
//      string, decimal, json "u"; json columns carry the metadata ARROW:extension:name = arrow.json
//
// The structs are Arrow's public ABI, under its own include guards, so that another copy in the same program does no harm.
// https://arrow.apache.org/docs/format/CDataInterface.html
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "extract/batch.hpp"

extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema** children;
    struct ArrowSchema* dictionary;
    void (*release)(struct ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void** buffers;
    struct ArrowArray** children;
    struct ArrowArray* dictionary;
    void (*release)(struct ArrowArray*);
    void* private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
    int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
    const char* (*get_last_error)(struct ArrowArrayStream*);
    void (*release)(struct ArrowArrayStream*);
    void* private_data;
};
#endif

}  // extern "C"

namespace kumihimo::inline v0::extract {

/// A struct schema, one nullable child a column. errc::memory is the only failure; `out` is then released (null callback).
errc to_arrow(const schema& of, ArrowSchema* out);
/// A struct array of the same shape. Takes the batch's memory; the batch is empty afterwards and may be filled again.
errc to_arrow(batch& rows, ArrowArray* out);

/// Gives the next batch in order; none at the end. An error ends the stream with `why` as its message.
using next_batch = std::function<errc(std::unique_ptr<batch>& out, std::string& why)>;
/// A stream of record batches. `next` is called on the consumer's thread and destroyed by release.
errc to_arrow(std::shared_ptr<const schema> of, next_batch next, ArrowArrayStream* out);

}  // namespace kumihimo::inline v0::extract
