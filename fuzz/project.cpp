// Projection against a full decode. The first line holds paths, ';' between them; the rest is a document. Strict must
// say what check says, and every level must find what a lookup in the decoded document finds, last duplicate first.
#include <vector>

#include "engine/json/check.hpp"
#include "engine/json/path.hpp"
#include "engine/json/project.hpp"
#include "engine/json/reader.hpp"
#include "fuzz/support.hpp"
#include "hosts/plain/build.hpp"
#include "hosts/plain/walk.hpp"

using namespace kumihimo;

namespace {

using found = std::vector<const plain::value*>;  // nullptr: an element without it

const plain::value* down(const plain::value& v, const json::step& s) {
    using kind = json::step::kind;
    if (s.type == kind::key || s.type == kind::either) {
        if (const plain::value* item = v.find(s.key)) return item;
    }
    const plain::array* const a = v.as<plain::array>();
    if (a != nullptr && (s.type == kind::index || s.type == kind::either))
        return s.index < a->size() ? &(*a)[s.index] : nullptr;
    return nullptr;
}

/// The slots of a path: `slots` steps from i on still make slots (the last [*] is at slots - 1).
void look(const plain::value& v, const json::path& p, std::size_t i, std::size_t slots, found& out) {
    const plain::value* at = &v;
    for (; at != nullptr && i < slots; ++i) {
        if (p[i].type == json::step::kind::each) {
            if (const plain::array* a = at->as<plain::array>()) {
                for (const plain::value& x : *a) look(x, p, i + 1, slots, out);
            }
            return;
        }
        at = down(*at, p[i]);
    }
    if (at == nullptr && i < slots) return;  // the way to the last [*] does not exist: no slots
    for (; at != nullptr && i < p.size(); ++i) at = down(*at, p[i]);
    out.push_back(at);
}

std::string trace_of(const plain::value& v) {
    context ctx;
    buffer out;
    plain::walker from(v, ctx);
    trace_sink to(out, ctx, {.counts = false});
    fuzz::expect(from.feed(to) == errc::ok, "a value cannot be walked");
    return std::string(to.view());
}

bool has_duplicates(bytes document) {
    context ctx;
    json::reader from(document, ctx, json::unique_keys);
    null_sink nothing;
    return from.feed(nothing) == errc::duplicate;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t stop = input.find('\n');
    if (stop == input.npos) return 0;
    // The document in memory of its own size, so that a read behind its end is seen.
    const std::vector<std::uint8_t> exact(data + stop + 1, data + size);
    const bytes document{exact.data(), exact.size()};
    std::vector<std::string_view> paths;
    for (std::string_view rest = input.substr(0, stop); paths.size() < 8;) {
        const std::size_t semicolon = rest.find(';');
        paths.push_back(rest.substr(0, semicolon));
        if (semicolon == rest.npos) break;
        rest.remove_prefix(semicolon + 1);
    }
    context ctx;
    json::projection wanted;
    if (json::projection::compile(paths, wanted, ctx) != errc::ok) return 0;

    context check_ctx;
    const bool valid = json::check(document, check_ctx) == errc::ok;
    const bool duplicates = valid && has_duplicates(document);
    plain::value decoded;
    if (valid) {
        context read_ctx;
        json::reader from(document, read_ctx);
        plain::builder to(read_ctx);
        fuzz::expect(from.feed(to) == errc::ok, "the reader refuses what check takes");
        decoded = to.take();
    }

    for (const json::level how : {json::level::strict, json::level::structural, json::level::trusted}) {
        context run_ctx;
        json::projector p(wanted, how);
        const errc code = p.run(document, run_ctx);
        fuzz::expect_told(code, run_ctx, document.size());
        if (how == json::level::strict) {
            fuzz::expect((code == errc::ok) == valid, "strict and check disagree");
            if (!valid) {
                fuzz::expect(
                    run_ctx.failure.code == check_ctx.failure.code && run_ctx.failure.offset == check_ctx.failure.offset,
                    "strict and check report different errors");
            }
        }
        if (valid) fuzz::expect(code == errc::ok, "a level refuses a valid document");
        if (code != errc::ok) continue;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const std::span<const json::slice> slices = p.values(i);
            for (const json::slice& s : slices) {
                fuzz::expect(s.offset <= document.size() && s.length <= document.size() - s.offset,
                             "a slice outside the document");
            }
            if (!valid || (how == json::level::trusted && duplicates)) continue;
            json::path steps;
            fuzz::expect(json::parse(paths[i], steps, ctx) == errc::ok, "a compiled path does not parse");
            std::size_t slots = steps.size();
            while (slots > 0 && steps[slots - 1].type != json::step::kind::each) --slots;
            found expected;
            look(decoded, steps, 0, slots, expected);
            // Without [*] there is one slot, and an absent value is the same as no slot.
            const bool wild = slots != 0;
            if (wild) fuzz::expect(slices.size() == expected.size(), "another number of values");
            for (std::size_t k = 0; k < expected.size(); ++k) {
                const json::slice s = k < slices.size() ? slices[k] : json::slice{};
                fuzz::expect((s.length != 0) == (expected[k] != nullptr), "a value is there for one and absent for the other");
                if (s.length == 0) continue;
                std::string lines;
                const bytes value = document.subspan(static_cast<std::size_t>(s.offset), static_cast<std::size_t>(s.length));
                fuzz::expect(fuzz::trace<json::reader>(value, lines), "a slice is not a value");
                fuzz::expect_equal(lines, trace_of(*expected[k]), "a slice is another value");
                const auto space = [](unsigned char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
                fuzz::expect(!space(value.front()) && !space(value.back()), "a slice has white space around it");
            }
        }
    }
    return 0;
}
