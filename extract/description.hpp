// What is to be extracted, as one JSON object: for hosts that come through the C ABI.
//
//      {"inputs": ["day.zip", {"hex": "ff2e7a6970"}],         names of files; in hex when they are not UTF-8
//       "fields": ["price=last.price:float64",                as on the command line, or
//                  {"name": "at", "path": "$.t", "type": "timestamp"},           taken apart; name and type may be left out
//                  {"name": "spread", "expression": "ask - bid"}],               calculated (formula.hpp); type may be left out
//       "rows": "trades[*]"       the elements of these arrays are the rows (row_plan.hpp); null: the documents are
//       "rows_outer": false       what has no element becomes a row, too
//       "nested_types": false     types and columns that are guessed may be lists and structs
//       "form": "columns"         csv, ndjson, none; documents: no rows, but a file of blocks (block.hpp); schema: no rows,
//                                 but what stands at each path (path_summary.hpp); keys of objects with more than "fold"
//                                 (1000) count as one
//       "infer": "sample"         all: types and columns that are not given are found in all documents, which are read
//                                 before any row is made
//       "match": ["*.json"]       patterns for entries and files, like inputs
//       "level": "strict"         structural, trusted
//       "format": ""              of all documents, by its name in the table of formats or an ending of its files, without the
//                                 dot (ndjson); empty: by endings and marks
//       "dialect": ""             by which its documents are read, of the format that "format" names; empty: the usual one
//       "layout": "auto"          document, lines, array, concatenated
//       "every": null             intervals of time are handed out, "5min", and not rows: fields then say what is made of their
//                                 values, "price:ohlc", "amount:float64:sum" (resampling.hpp), or {"aggregate": "ohlc", ...}
//       "time": null              a field: the time that intervals run along; else a field without an aggregate, else
//                                 looked for
//       "zone": null              whose days they are
//       "gaps": "skip"            empty, carry: what stands for intervals without a row
//       "open_intervals": 1000000 that wait for late rows
//       "where": null             a condition (condition.hpp): only documents, or rows, for which it holds
//       "distinct": ["a"]         only rows that are the first with their values in these columns, of which what was
//                                 seen takes "distinct_size" bytes at most
//       "sample_rows": 0.01       a share of the rows, from 0 to 1, chosen by "seed" (0), which is of nothing else, and by
//                                 where each comes from
//       "limit_per_archive": null rows of each input, of those in the sample and before they are made distinct
//       "on_error": "stop"        skip, null, quarantine
//       "jobs": 0, "source": false, "limit": null, "delimiter": ",", "sample": 1000, "depth": null, "document_size": null,
//       "nested": 0               archives in an archive that are opened, so many in one another
//       "password": ["..."]       of encrypted entries, like inputs
//       "joined": false           the inputs are the parts of one file
//       "fetched": []             those of the inputs that the host brings when they are wanted (fetch_list.hpp), like inputs
//       "shown": []               pairs of an input and the name that stands for it in reports and columns, like inputs
//       "resume_token": null      go on where another extraction stood (kumihimo_extract_resume_token)
//       "pause_every": 0          bytes of inputs after which a call with KUMIHIMO_PAUSE comes back, and columns come as an
//                                 empty batch, so that a token can be kept though no row has come
//                                 (then what no token can go on with is refused at the start)
//       "ratio": null, "widen": true, "chart": 0, "rewritable": false,           as in request and options
//       "to": "msgpack", "to_dialect": "", "frame": "none", "frame_level": null, "block_size": 1048576}    of documents only:
//                                 their format, which must be named, its dialect, the frame, as in block_options
//
// Every member but "inputs" may be left out or null: that is its default. A member of another name is refused.
#pragma once
#include <string>

#include "engine/core/errc.hpp"
#include "engine/core/sink.hpp"
#include "extract/session.hpp"

namespace kumihimo::inline v0::extract {

/// On errc::misuse `why` says what is wrong and where. Throws std::bad_alloc.
errc read_description(bytes json, request& out, std::string& why);

}  // namespace kumihimo::inline v0::extract
