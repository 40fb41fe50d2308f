// Projection: a few values out of a document, without reading the rest.
//
//      projection wanted;                                          // compiled once, shared by threads
//      projection::compile(paths, wanted, ctx);                    // "last_price.price", "/timestamp", "trades[*].price"
//      projector p(wanted);                                        // one per thread
//      p.run(document, ctx);                                       // per document
//      slice s = p.value(0);                                       // bytes [s.offset, s.offset + s.length) of the document
//
// What a level promises about a document that run() accepts:
//
//   strict      The whole document is valid, as if it had been read: RFC 8259, UTF-8, depth, and what `granted` says of numbers
//               beyond the largest double and of keys that come twice.
//   structural  All of it is valid UTF-8; every string is closed, its escapes are well-formed and it has no control characters;
//               brackets balance in number and stay within the depth limit; one root value and nothing behind it. The
//               root's members that a path leads into are valid in full. Not looked at: the grammar between other
//               values, other scalars, whether a bracket is closed by its own kind.
//   trusted     The caller vouches for the document. Wanted members are still checked; the search comes from both
//               ends and stops when all are found.
//               On a broken document the result is unspecified, but stays inside it.
//
// A repeated key: the last one counts, as for a decoder that fills a map (trusted: any one of them). Escaped keys
// ("\u0061" for
// a) are recognised at every level. A document that is valid gives the same slices at every level and on every kernel.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/dialect.hpp"
#include "engine/json/plan.hpp"

namespace kumihimo::inline v0::json {

enum class level : std::uint8_t { strict, structural, trusted };

/// A compiled set of paths. Immutable once compiled; copies share it.
class projection {
public:
    /// Notations: json/path.hpp. Fails with errc::syntax (offset within the path; the path itself in
    /// ctx.failure.path), or errc::size when the paths combine [*] and numbers in ways that need more than 65,536
    /// states. Of the paths whose numbers are in `openings` only where their values begin is asked: a slice may then
    /// end anywhere behind its first byte, if no other path leads there or further.
    static errc compile(std::span<const std::string_view> paths, projection& out, context& ctx,
                        std::span<const std::uint32_t> openings = {});

    std::size_t size() const { return plan_ ? plan_->wild.size() : 0; }
    /// Whether path i has a [*]: ask values(i), not value(i).
    bool wild(std::size_t i) const { return plan_->wild[i]; }
    const json::plan& plan() const { return *plan_; }
    /// Path i, step by step: for values that are looked for where no plan leads (tape/pick.hpp).
    const json::path& steps(std::size_t i) const { return (*paths_)[i]; }

private:
    std::shared_ptr<const json::plan> plan_;
    std::shared_ptr<const std::vector<json::path>> paths_;
};

/// Runs a projection over documents, one at a time; owns the scratch. Not for two threads at once.
class projector {
public:
    /// Of `granted` two answers count, both in the strict level only: overflows (with decimal_digits), and duplicates
    /// where it says error.
    explicit projector(const projection& what, json::level level = level::strict, const read_dialect& granted = rfc8259)
        : what_(what), level_(level), granted_(granted) {}

    /// Bytes that a document may make it hold; run() fails with errc::memory beyond. Without it only the machine's
    /// memory counts.
    void limit_memory(std::size_t bytes) noexcept { harvest_.memory_limit = bytes; }
    /// Bytes that it holds, for the next document too.
    std::size_t memory() const noexcept { return harvest_.memory(); }

    /// After a run in the strict level: whether some number of the document, wanted or not, is long (more than 63
    /// bytes) or has three digits in its exponent; surely so where one is beyond the largest double.
    bool may_overflow() const noexcept { return harvest_.may_overflow; }

    /// Looks at one document. Its bytes are not kept, nothing outside them is read. After a failure the slices mean
    /// nothing.
    errc run(bytes document, context& ctx);

    /// The exact bytes of path i's value without white space around it (a string includes its quotes); length 0 when
    /// absent. For a path with [*]: the first of values(i).
    slice value(std::size_t i) const {
        const auto s = harvest_.slices(i);
        return s.empty() ? slice{} : s[0];
    }

    /// The number of a path that met a value which it does not lead into (5 or an array where a member is wanted; null
    /// is absence), or `nowhere`. Of several one.
    std::uint32_t blocked() const noexcept { return harvest_.blocked(); }

    /// One slice per element of the arrays that the path's last [*] walks, in document order; length 0 for an element
    /// that lacks the rest of the path. So the lists of `trades[*].price` and `trades[*].amount` line up. Without [*]:
    /// one slice.
    std::span<const slice> values(std::size_t i) const { return harvest_.slices(i); }

private:
    projection what_;
    level level_;
    read_dialect granted_;
    harvest harvest_;
};

}  // namespace kumihimo::inline v0::json
