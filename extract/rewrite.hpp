// A document of any format written in another one, as `kumihimo convert` does it: order, double keys and numbers are
// kept, and what the format cannot say is refused or lowered, as its dialect says.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"

namespace kumihimo::inline v0::extract {

struct binary_format;

class rewriter {
public:
    virtual ~rewriter() = default;
    /// Appends the document, of `from` or JSON (nullptr), with a line break behind it where the format to write is
    /// text. After a failure, whose offset counts in the document, `out` is what it was. Any number of threads may ask
    /// at once.
    virtual errc write(bytes document, const binary_format* from, buffer& out, context& ctx) const = 0;
    /// The same for a document that is null.
    virtual errc write_null(buffer& out, context& ctx) const = 0;
    virtual std::string_view format() const noexcept = 0;
};

/// How the documents to rewrite are read: by a dialect of a format, both of which exist; empty: each by its format's
/// usual one.
struct read_by {
    std::string format, dialect;
};

/// Into this format, by this dialect or, where its name is empty, the one that loses nothing unsaid. Null when there
/// is none of that name; then `why` is the sentence.
std::shared_ptr<const rewriter> rewriter_to(std::string_view format, std::string_view dialect, std::string& why,
                                            read_by source = {});

}  // namespace kumihimo::inline v0::extract
