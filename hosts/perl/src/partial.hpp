// A few values of a document, without the rest (engine/json/project.hpp).
#pragma once
#include <memory>

#include "engine/json/project.hpp"

#include "document.hpp"
#include "native.hpp"

namespace kumihimo::inline v0::perl {

struct partial {
    json::projection wanted;
    json::level level = json::level::strict;
    std::unique_ptr<json::projector> search;  // no Perl code runs while it is in use
    json_options options;
    bool raw = false;      // values as their own text
    bool named = false;    // results are hashes, their keys in {names}
    bool missing = false;  // {missing} stands for what a document has not

    partial* copied() const noexcept;
};

/// The values out of one document. `self` is the hash of the object. Does not croak.
outcome read_partial(pTHX_ partial& p, HV* self, const char* text, std::size_t n, const stream_place& at = {});

}  // namespace kumihimo::inline v0::perl
