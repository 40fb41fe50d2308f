// Kernel against kernel: all that this machine can run must give the same verdicts and the same results, and the
// portable UTF-8 check is the judge of theirs. The first byte says how the document is cut into chunks for `boundary`.
#include <algorithm>
#include <vector>

#include "engine/json/boundary.hpp"
#include "engine/json/check.hpp"
#include "engine/json/element_shape.hpp"
#include "engine/json/kernels.hpp"
#include "engine/json/project.hpp"
#include "engine/json/reader.hpp"
#include "engine/json/scan.hpp"
#include "engine/scalar/utf8.hpp"
#include "engine/simd/dispatch.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;

namespace {

/// Everything a kernel says about a document, as text.
std::string verdicts(bytes document, std::size_t chunk) {
    const char* const data = reinterpret_cast<const char*>(document.data());
    const std::size_t size = document.size();
    const json::kernels& k = json::active_kernels();
    std::string said;
    const auto add = [&said](const char* what, std::uint64_t n) { (said += what) += std::to_string(n) + "\n"; };

    const bool utf8 = simd::active().utf8(data, size);
    add("utf8 ", utf8);
    fuzz::expect(utf8 == (scalar::utf8_valid_prefix(data, size) == size), "a kernel and the portable UTF-8 check disagree");
    bool may_overflow = false;
    add("check ", k.check(data, size, 1024, may_overflow));
    add("check of depth 3 ", k.check(data, size, 3, may_overflow));
    context strict;
    add("check of doubles ", static_cast<std::uint64_t>(json::check(document, strict, json::doubles)));
    null_sink nobody;
    context again;
    json::reader doubles(document, again, json::doubles);
    fuzz::expect(doubles.feed(nobody) == strict.failure.code, "a check and the reader disagree about doubles");

    std::string lines;
    add("reader ", fuzz::trace<json::reader>(document, lines));
    said += lines;

    // Documents of a stream, chunk by chunk; every chunk in memory of its own size.
    json::boundary state;
    for (std::size_t at = 0; at < size;) {
        const std::vector<char> piece(data + at, data + std::min(size, at + chunk));
        const std::size_t n = state.next(piece.data(), piece.size());
        fuzz::expect(n <= piece.size(), "boundary went behind its chunk");
        at += n;
        if (state.complete) {
            add("document ends at ", at);
            state = {};
        } else {
            fuzz::expect(n == piece.size(), "boundary stopped without a document's end");
        }
    }
    add("finish ", state.finish());

    // Elements of any kind, of an array without white space around it.
    if (size > 2 && data[0] == '[' && data[1] != ']' && !json::is_space(data[1]) && k.check(data, size, 1024, may_overflow)) {
        const json::element_shape::stretch one{0, 0, 0, 0, 0, 0, 1, true};
        const std::uint32_t path = 0;
        const json::element_shape shape{&one, 1, nullptr, nullptr, &path};
        std::vector<json::element_value> values(json::element_run::most);
        std::vector<std::uint32_t> begins(json::element_run::most);
        std::vector<char> roomy(data, data + size);
        roomy.resize(size + 64);
        json::element_run run{roomy.data(),
                              0,
                              roomy.data() + 1,
                              roomy.data() + roomy.size(),
                              values.data(),
                              begins.data(),
                              0,
                              json::element_run::most,
                              true};
        k.elements(shape, run);
        add("elements ", run.count);
        add("more ", run.more);
        for (std::size_t i = 0; i < run.count; ++i) {
            add("  at ", begins[i]);
            add("  length ", values[i].length);
        }
    }

    static const json::projection wanted = [] {
        json::projection p;
        context ctx;
        const std::string_view paths[] = {"a", "b.c", "a[1]", "a[*].b", "[0]", "[*]", "/a/0", "id", "/b~1c"};
        fuzz::expect(json::projection::compile(paths, p, ctx) == errc::ok, "the paths do not compile");
        return p;
    }();
    const bool valid = k.check(data, size, 1024, may_overflow);
    for (const json::level how : {json::level::strict, json::level::structural, json::level::trusted}) {
        if (how == json::level::trusted && !valid) continue;
        context ctx;
        json::projector p(wanted, how);
        const errc code = p.run(document, ctx);
        add("project ", static_cast<std::uint64_t>(code));
        if (code != errc::ok) {
            add("offset ", ctx.failure.offset);
            continue;
        }
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            for (const json::slice& s : p.values(i)) {
                if (s.length == 0 && !wanted.wild(i)) continue;
                add("slice of ", i);
                add("  at ", s.offset);
                add("  length ", s.length);
            }
        }
    }
    return said;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::vector<std::uint8_t> exact(data + 1, data + size);
    const bytes document{exact.data(), exact.size()};
    const std::size_t chunk = data[0] == 0 ? size : data[0];
    const std::string best(simd::active().name);
    std::string first;
    for (const simd::kernels* k : simd::available()) {
        fuzz::expect(simd::use(k->name), "an available kernel cannot be used");
        const std::string said = verdicts(document, chunk);
        if (first.empty()) first = said;
        fuzz::expect_equal(first, said, k->name);
    }
    simd::use(best);
    return 0;
}
