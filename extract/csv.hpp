// Rows as CSV: RFC 4180 with LF line ends.
//
//      null is an empty field, the empty string is "", so that they differ (in a file of one column a null is thus an empty
//      line). A field is quoted when it holds the delimiter, a quote, CR or LF, or begins or ends with a space. float64: the
//      shortest text that reads back the same, always with a point or an exponent, so that a reader that guesses types guesses
//      a float column. decimal: the document's digits; decimal(p,s): s digits after the point. timestamp:
//      2016-12-24T16:53:10.602955Z, in a column with a zone its wall clock and offset
//      (+09:00), in a naive column neither; 0, 3, 6 or 9 digits of fraction, as few as say it. bool: true, false. json: its
//      text. list, struct: the JSON that ndjson.hpp would write.
#pragma once
#include "engine/core/buffer.hpp"
#include "extract/batch.hpp"

namespace kumihimo::inline v0::extract {

struct csv_options {
    char delimiter = ',';  // '\t' for TSV
};

/// Appends the header line. errc::memory is the only failure.
errc write_csv_header(const schema& of, buffer& out, const csv_options& options = {});
/// Appends one line a row.
errc write_csv(const batch& rows, buffer& out, const csv_options& options = {});

}  // namespace kumihimo::inline v0::extract
