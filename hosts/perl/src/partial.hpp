// A few values of a document, without the rest: what finds them is the format's (engine/tape/partial.hpp).
#pragma once
#include <memory>

#include "engine/json/project.hpp"

#include "any_row.hpp"
#include "native.hpp"

namespace kumihimo::inline v0::perl {

struct partial {
    const format_row* format = nullptr;
    json::projection wanted;
    json::level level = json::level::strict;
    const void* dialect = nullptr;           // of the row
    std::unique_ptr<partial_search> search;  // no Perl code runs while it is in use
    value_options options;
    const char* document = "document";  // what croaks call one
    bool raw = false;                   // values as their own text
    bool named = false;                 // results are hashes, their keys in {names}
    bool missing = false;               // {missing} stands for what a document has not

    partial* copied() const noexcept;
};

/// The values out of one document. `self` is the hash of the object. Does not croak.
outcome read_partial(pTHX_ partial& p, HV* self, const char* text, std::size_t n, const stream_place& place = {});

}  // namespace kumihimo::inline v0::perl
