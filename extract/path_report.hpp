// What is said of a path summary: the columns that extraction makes of such documents, and two texts.
//
// Its own, JSON with a path a line. "fields" is what a description takes (description.hpp), so it is the way back:
//
//      {"kumihimo":"schema","documents":2,"fold":1000,
//      "paths":[
//      {"path":"$","documents":2,"values":2,"types":{"object":2}},
//      {"path":"$.a","documents":2,"values":2,"of":2,"types":{"integer":1,"null":1},"type":"int64","examples":[1]},
//      {"path":"$.b[*].c", ...
//      ],
//      "fields":[
//      {"name":"a","path":"$.a","type":"int64"},
//      ...
//      ]}
//
// and JSON Schema (2020-12), with what it has no word for in `x-kumihimo-type`: so has each column of arrays or
// objects.
#pragma once
#include <memory>
#include <string>

#include "engine/core/buffer.hpp"
#include "engine/core/errc.hpp"
#include "extract/path_summary.hpp"
#include "extract/schema.hpp"

namespace kumihimo::inline v0::extract {

enum class schema_text : std::uint8_t { paths, json_schema };

/// `nested`: columns may be lists and structs. errc::memory is the only failure.
errc write_schema(const path_summary& of, schema_text as, bool nested, buffer& out);
/// The columns that `inference` finds in all of the documents. An object with a member `*` is one column of JSON, and
/// so is a document that has no member. On failure `why` says why they are no columns.
errc columns_of(const path_summary& of, bool nested, std::shared_ptr<const schema>& out, std::string& why);

}  // namespace kumihimo::inline v0::extract
