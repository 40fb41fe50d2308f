// What partial results, lazy documents and streams have in common: octets in, one document out, errors that name the
// place.
#pragma once
#include "engine/core/context.hpp"
#include "engine/json/dialect.hpp"

#include "build.hpp"

namespace kumihimo::inline v0::perl {

/// Where a document begins in its stream.
struct stream_place {
    std::size_t offset = 0;   // bytes before it
    std::size_t lines = 0;    // line breaks before it
    std::size_t columns = 0;  // bytes between the last of them and it
};

/// Either a value or a sentence, the caller's to count. With the value comes what settled() (build_any.hpp) makes
/// numbers of.
struct outcome {
    SV* made = nullptr;
    SV* error = nullptr;
    AV* bigs = nullptr;
};

/// The octets that a scalar holds, whatever its flag; a mortal copy where that takes one. Croaks where it holds
/// characters.
SV* octets(pTHX_ SV* sv, const char* format = "JSON");

/// The failure as one sentence: what, at which line, column and byte, and under which path.
SV* sentence_of(pTHX_ const context& ctx, const stream_place& place = {});

/// A document, as JSON::XS would have its values. Does not croak.
outcome read_document(pTHX_ const char* p, std::size_t n, const json_options& o, const stream_place& place = {});

/// max_depth and keep_order out of an options hash.
void read_value_options(pTHX_ HV* hv, json_options& o);

/// What becomes of -0 and of everything that RFC 8259 has.
inline constexpr json::read_dialect strict_read{.integer_zero = true};

}  // namespace kumihimo::inline v0::perl
