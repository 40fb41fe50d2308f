// RapidJSON's Writer over a Document of its own. Its headers choose their instruction set at compile time
// (RAPIDJSON_SSE42), so rapid.cpp is compiled with the flags for it; what it offers is called through plain functions.
#pragma once
#include <string_view>

namespace bench {

struct rapid_document;  // a parsed document and a buffer that is used again

rapid_document* rapid_parse(std::string_view json);
void rapid_free(rapid_document*);
/// Writes the document and returns the bytes, which live until the next call.
std::string_view rapid_write(rapid_document&);
const char* rapid_version();

}  // namespace bench
