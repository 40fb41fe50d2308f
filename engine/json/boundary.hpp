// Where documents end in a run of concatenated JSON: {...}{...} or {...}\n{...} or one pretty-printed document after
// the other.
//
// Only strings, escapes and the number of open brackets are looked at; whether the document is valid is the reader's
// question. Resumable: the state carries over from one chunk of a stream to the next, wherever the cut falls.
//
//      boundary state;
//      std::size_t n = state.next(chunk, size);       n bytes of the chunk belong to the current document, white space before
//      if (state.complete) { ...document...; state = {}; chunk += n; }       it included
//
// A scalar ends before the next white space, bracket or quote, a string after its closing quote. A scalar at the end
// of the input is complete when the caller says that there is no more: finish().
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/json/kernels.hpp"

namespace kumihimo::inline v0::json {

struct boundary {
    enum class kind : std::uint8_t { none, container, string, scalar };

    /// Continues in the next chunk. Returns how many of its bytes belong to the current document: all of them unless
    /// `complete`. Every call makes progress: a complete document has at least one byte that is not white space,
    /// counted over its chunks.
    std::size_t next(const char* data, std::size_t size) {
        complete = false;
        return active_kernels().boundary(*this, data, size);
    }

    /// At the end of the input: whether what was seen is a whole document (a scalar needs nothing behind it) or only
    /// white space.
    bool finish() const { return document == kind::none || document == kind::scalar; }
    /// Whether anything but white space was seen since the state was made.
    bool started() const { return document != kind::none; }

    kind document = kind::none;  // none: it has not begun
    bool complete = false;
    std::uint64_t depth = 0;      // open brackets
    std::uint64_t in_string = 0;  // 0 or ~0: the chunk ended inside a string
    std::uint64_t escaped = 0;    // 1: the next byte is escaped
};

}  // namespace kumihimo::inline v0::json
