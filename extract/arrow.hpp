// Rows to anything that speaks the Arrow C data interface (pyarrow, polars, duckdb, pandas), without copying: a
// batch's memory moves into the ArrowArray, whose release callback frees it.
//
//      int64 "l"  float64 "g"  bool "b"  decimal(p,s) "d:p,s"  timestamp "tsu:Zone" or "tsn:Zone" ("tsu:" when naive)
//      string, decimal, json "u"; json columns carry the metadata ARROW:extension:name = arrow.json
//      list "+l" with its element, item; struct "+s" with a child a member, each nullable, in itself as a column is
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "extract/arrow_c.h"
#include "extract/batch.hpp"

namespace kumihimo::inline v0::extract {

/// A struct schema, one nullable child a column. errc::memory is the only failure; `out` is then released (null
/// callback).
errc to_arrow(const schema& of, ArrowSchema* out);
/// A struct array of the same shape. Takes the batch's memory; the batch is empty afterwards and may be filled again.
errc to_arrow(batch& rows, ArrowArray* out);

/// Gives the next batch in order; none at the end. An error ends the stream with `why` as its message.
using next_batch = std::function<errc(std::unique_ptr<batch>& out, std::string& why)>;
/// A stream of record batches. `next` is called on the consumer's thread and destroyed by release.
errc to_arrow(std::shared_ptr<const schema> of, next_batch next, ArrowArrayStream* out);

}  // namespace kumihimo::inline v0::extract
