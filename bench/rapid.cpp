// The whole translation unit is compiled for SSE4.2; nothing of it is shared with the rest but the four functions of
// rapid.hpp.
#if defined(__x86_64__)
#if !defined(__clang__)
#pragma GCC target("sse4.2")
#endif
#include <nmmintrin.h>
#define RAPIDJSON_SSE42
#endif
#define RAPIDJSON_NAMESPACE rapidjson_sse42
#define RAPIDJSON_NAMESPACE_BEGIN namespace rapidjson_sse42 {
#define RAPIDJSON_NAMESPACE_END }
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "bench/rapid.hpp"

namespace bench {

struct rapid_document {
    rapidjson_sse42::Document document;
    rapidjson_sse42::StringBuffer out;
};

rapid_document* rapid_parse(std::string_view json) {
    auto* d = new rapid_document;
    d->document.Parse<rapidjson_sse42::kParseFullPrecisionFlag>(json.data(), json.size());
    if (d->document.HasParseError()) {
        delete d;
        return nullptr;
    }
    return d;
}

void rapid_free(rapid_document* d) { delete d; }

std::string_view rapid_write(rapid_document& d) {
    d.out.Clear();
    rapidjson_sse42::Writer<rapidjson_sse42::StringBuffer> writer(d.out);
    if (!d.document.Accept(writer)) return {};
    return {d.out.GetString(), d.out.GetSize()};
}

const char* rapid_version() { return RAPIDJSON_VERSION_STRING; }

}  // namespace bench
