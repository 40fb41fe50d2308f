// A projection by headers, held to the reader: the document without what no path leads to, as JSON, and JSON's
// projector over that.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "engine/core/format.hpp"
#include "engine/json/project.hpp"
#include "engine/json/project_headers.hpp"
#include "engine/json/prune.hpp"
#include "engine/json/reader.hpp"
#include "engine/json/writer.hpp"
#include "fuzz/support.hpp"

namespace fuzz {

// Keeps values as they are counted in JSON's text, all of them read.
class reading_pruner : public json::pruning_writer {
public:
    using pruning_writer::pruning_writer;
    bool declines() const = delete;
};
static_assert(!declining_sink<reading_pruner>);

template <header_projecting_format F>
std::string as_json(typename F::projector& from, json::slice s, context& ctx) {
    buffer out;
    json::basic_writer<buffer> to(out, ctx, json::lenient);
    bytes b;
    to.begin();
    if (from.give(s, to, ctx) != errc::ok || to.finish(b) != errc::ok) return {};
    return as_string(b);
}

/// `before`: what the projector has seen before.
template <header_projecting_format F>
void judge_projector(bytes document, const json::projection& wanted, bytes before = {}) {
    context read_ctx;
    null_sink nobody;
    typename F::reader reader(document, read_ctx);
    const errc verdict = reader.feed(nobody);

    // What is expected of a good document; empty where JSON cannot say it.
    std::string pruned;
    bool unique = false;
    json::projector expected(wanted);
    if (verdict == errc::ok) {
        context ctx;
        buffer out;
        reading_pruner to(out, ctx, wanted.plan(), json::lenient);
        typename F::reader from(document, ctx);
        bytes b;
        to.begin();
        if (from.feed(to) == errc::ok && to.finish(b) == errc::ok) {
            pruned = as_string(b);
            context json_ctx;
            if (expected.run(as_bytes(pruned), json_ctx) != errc::ok) pruned.clear();
            json::reader again(as_bytes(pruned), json_ctx, json::unique_keys);
            unique = again.feed(nobody) == errc::ok;
        }
    }
    // A document and another one behind it.
    std::vector<unsigned char> two(document.begin(), document.end());
    two.insert(two.end(), document.begin(), document.end());

    for (const json::level how : {json::level::strict, json::level::structural, json::level::trusted}) {
        for (const json::given what : {json::given::document, json::given::stream}) {
            typename F::projector p(wanted, how);
            context ctx, first_ctx;
            // Not its first document: the forms of other ones, and its own, are known.
            if (!before.empty()) p.run(before, json::given::document, first_ctx);
            first_ctx.clear();
            p.run(document, what, first_ctx);
            const bytes input = what == json::given::document || verdict != errc::ok ? document : bytes(two);
            const errc code = p.run(input, what, ctx);
            expect_told(code, ctx, input.size());
            expect(p.size() <= input.size(), "a document is longer than the input");
            if (verdict == errc::ok) {
                expect(code == errc::ok, "a level refuses a valid document");
                expect(p.size() == document.size(), "a document ends elsewhere");
            } else if (how == json::level::strict && what == json::given::document) {
                expect(code == verdict, "strict and the reader disagree");
                expect(ctx.failure.offset == read_ctx.failure.offset && ctx.failure.path == read_ctx.failure.path,
                       "strict and the reader report different places");
            }
            if (code != errc::ok) continue;
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                const std::span<const json::slice> slices = p.values(i);
                for (const json::slice& s : slices)
                    expect(s.offset <= input.size() && s.length <= input.size() - s.offset, "a slice outside the input");
                if (verdict != errc::ok || pruned.empty() || (!unique && how == json::level::trusted)) {
                    for (const json::slice& s : slices) {
                        context value_ctx;
                        if (s.length != 0) as_json<F>(p, s, value_ctx);
                    }
                    continue;
                }
                const std::span<const json::slice> others = expected.values(i);
                expect(slices.size() == others.size(), "another number of values");
                for (std::size_t k = 0; k < slices.size(); ++k) {
                    const std::string_view other = std::string_view(pruned).substr(others[k].offset, others[k].length);
                    context value_ctx;
                    const std::string text = slices[k].length == 0 ? "" : as_json<F>(p, slices[k], value_ctx);
                    // An element that nobody wants holds its place as null.
                    if (slices[k].length == 0 && other == "null") continue;
                    expect_equal(text, other, "another value");
                }
            }
        }
    }
}

}  // namespace fuzz
