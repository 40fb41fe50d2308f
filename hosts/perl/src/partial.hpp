// A few values of a document, without the rest.
//
//      JSON, by no dialect        its projector finds their bytes (engine/json/project.hpp)
//      every other document       is recorded whole, and they are picked from the tape (engine/tape/pick.hpp)
#pragma once
#include <memory>
#include <vector>

#include "engine/json/path.hpp"
#include "engine/json/project.hpp"

#include "any_row.hpp"
#include "native.hpp"

namespace kumihimo::inline v0::perl {

struct partial {
    const format_row* format = nullptr;
    json::projection wanted;
    json::level level = json::level::strict;
    std::unique_ptr<json::projector> search;  // no Perl code runs while it is in use
    std::vector<json::path> paths;            // without a projector
    const void* dialect = nullptr;            // of the row
    value_options options;
    bool raw = false;      // values as their own text
    bool named = false;    // results are hashes, their keys in {names}
    bool missing = false;  // {missing} stands for what a document has not

    partial* copied() const noexcept;
};

/// The values out of one document. `self` is the hash of the object. Does not croak.
outcome read_partial(pTHX_ partial& p, HV* self, const char* text, std::size_t n, const stream_place& place = {});

}  // namespace kumihimo::inline v0::perl
