// Runs tests/vectors (its README says what is in there): every reader against the traces, every writer against the
// bytes, and the plain host between them.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "engine/formats.hpp"
#include "engine/json/check.hpp"
#include "hosts/plain/build.hpp"
#include "hosts/plain/walk.hpp"
#include "tests/engine/vectors.hpp"
#include "tests/engine/vectors_fields.hpp"

using namespace vectors;
using namespace helpers;

namespace {

/// The document through a host and out again.
template <class Reader>
std::string through_plain(std::string_view document) {
    context ctx;
    Reader from(as_bytes(document), ctx);
    plain::builder built(ctx);
    if (from.feed(built) != errc::ok) return std::string("error ") + ctx.failure.what;
    const plain::value value = built.take();
    plain::walker walk(value, ctx);
    return trace(walk, ctx, no_counts);
}

/// "line column" of a document that must fail.
template <class Reader>
std::string place_of(std::string_view document) {
    context ctx;
    Reader from(as_bytes(document), ctx);
    null_sink nothing;
    CHECK(from.feed(nothing) != errc::ok);
    return std::to_string(ctx.failure.line) + " " + std::to_string(ctx.failure.column) + "\n";
}

template <class Reader>
void run(const char* format) {
    for (const fs::path& in : files(format, ".in")) {
        CAPTURE(in);
        const std::string document = load(in);
        const std::string expect = expectation(in);
        if (expect == "ok") {
            const std::string lines = load(beside(in, ".trace"));
            CHECK(read<Reader>(document, no_counts) == lines);
            CHECK(through_plain<Reader>(document) == lines);
        } else if (expect == "err") {
            const std::string said = failure_of<Reader>(document), expected = load(beside(in, ".error"));
            CHECK_MESSAGE(agrees(said, expected), said << expected);
            if (fs::exists(beside(in, ".place"))) CHECK(place_of<Reader>(document) == load(beside(in, ".place")));
        } else {
            REQUIRE(expect == "any");
            context ctx;
            Reader from(as_bytes(document), ctx);
            null_sink nothing;
            const errc code = from.feed(nothing);
            CHECK(code == ctx.failure.code);
        }
    }
}

/// The same JSON without white space between its tokens, or with much of it.
std::string lay_out(std::string_view document, bool wide) {
    std::string out;
    bool inside = false, escaped = false;
    std::size_t level = 0;
    const auto line = [&] {
        if (wide) out += "\r\n" + std::string(level, '\t');
    };
    for (const char c : document) {
        if (inside) {
            out += c;
            inside = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        switch (c) {
            case ' ':
            case '\t':
            case '\r':
            case '\n': break;
            case '{':
            case '[':
                out += c;
                ++level;
                line();
                break;
            case '}':
            case ']':
                --level;
                line();
                out += c;
                break;
            case ',':
                out += c;
                line();
                break;
            case ':': out += wide ? " : " : ":"; break;
            default: out += c; inside = c == '"';
        }
    }
    return out;
}

/// The bytes that a format's dialect gives for a trace.
std::string written(std::string_view trace, std::string_view format, std::string_view dialect) {
    std::string out = "there is no such format or dialect";
    const auto fields = dialect.starts_with('+') ? write_fields(std::string(dialect)) : std::nullopt;
    const auto one = [&](auto row) {
        using rows = decltype(row);
        const auto* as = dialect_of(rows::write_dialects, dialect);
        if constexpr (rows::is_text) {
            if (fields) as = &*fields;
        }
        if (rows::name == format && as != nullptr) out = write<typename rows::template writer<buffer>>(trace, *as);
    };
    each_format(one);
    return out;
}

}  // namespace

TEST_CASE("json documents, by every kernel") {
    on_every_kernel([] { run<json::reader>("json"); });
}

TEST_CASE("json documents minified and pretty-printed keep their trace, by every kernel") {
    const std::string best(simd::active().name);
    for (const fs::path& in : files("json", ".in")) {
        if (!in.filename().string().starts_with("ok-")) continue;
        CAPTURE(in);
        const std::string document = load(in), lines = load(beside(in, ".trace"));
        for (const bool wide : {false, true}) {
            const std::string laid_out = lay_out(document, wide);
            CAPTURE(laid_out);
            for (const auto* k : simd::available()) {
                CAPTURE(std::string(k->name));
                REQUIRE(simd::use(k->name));
                CHECK(read<json::reader>(laid_out, no_counts) == lines);
                context ctx;
                CHECK(json::check(as_bytes(laid_out), ctx) == errc::ok);
            }
        }
    }
    simd::use(best);
}

TEST_CASE("json documents cut at every byte are refused as cut, unless what is left is whole") {
    const std::string best(simd::active().name);
    for (const fs::path& in : files("json", ".in")) {
        if (!in.filename().string().starts_with("ok-")) continue;
        CAPTURE(in);
        const std::string document = load(in);
        const std::size_t last = document.find_last_not_of(" \t\r\n");
        const bool number = document[last] >= '0' && document[last] <= '9';  // as the document: its beginning may be one too
        for (const auto* k : simd::available()) {
            CAPTURE(std::string(k->name));
            REQUIRE(simd::use(k->name));
            for (std::size_t n = 0; n < document.size(); ++n) {
                // A copy of exactly n bytes, so that a sanitizer sees a read behind the end.
                const std::vector<char> cut(document.begin(), document.begin() + static_cast<std::ptrdiff_t>(n));
                const std::string said = failure_of<json::reader>({cut.data(), n});
                context ctx;
                REQUIRE((json::check(as_bytes({cut.data(), n}), ctx) == errc::ok) == said.starts_with("ok"));
                const bool whole = n > last || (number && n != 0 && document[n - 1] >= '0' && document[n - 1] <= '9');
                // Half a character, as bytes or as the first escape of two, is one that is not valid.
                const bool half = (static_cast<unsigned char>(document[n]) & 0xC0) == 0x80 ||
                                  std::string_view(cut.data(), n).find("\\ud") != std::string_view::npos;
                CAPTURE(n);
                CAPTURE(said);
                if (whole)
                    REQUIRE(said.starts_with("ok"));
                else
                    REQUIRE((said.starts_with("truncated ") || (half && said.starts_with("encoding "))));
            }
        }
    }
    simd::use(best);
}

// JSON has cases of its own, by kernel.
template <class Visit>
void each_binary_format(Visit visit) {
    each_format([&](auto row) {
        CAPTURE(decltype(row)::name);
        if constexpr (!decltype(row)::is_text) visit(row);
    });
}

TEST_CASE("documents of every binary format") {
    each_binary_format([](auto row) { run<typename decltype(row)::reader>(decltype(row)::name.data()); });
}

TEST_CASE("documents of binary formats cut at every byte are refused, and never as anything but cut") {
    each_binary_format([](auto row) {
        using reader = typename decltype(row)::reader;
        for (const fs::path& in : files(decltype(row)::name.data(), ".in")) {
            if (!in.filename().string().starts_with("ok-")) continue;
            CAPTURE(in);
            const std::string document = load(in);
            for (std::size_t n = 0; n < document.size(); ++n) {
                // A copy of exactly n bytes, so that a sanitizer sees a read behind the end.
                const std::vector<char> cut(document.begin(), document.begin() + static_cast<std::ptrdiff_t>(n));
                REQUIRE(failure_of<reader>({cut.data(), n}).starts_with("truncated "));
            }
        }
    });
}

TEST_CASE("documents of binary formats written again keep their trace") {
    each_binary_format([](auto row) {
        using rows = decltype(row);
        using writer = typename rows::template writer<buffer>;
        for (const fs::path& trace : files(rows::name.data(), ".trace")) {
            CAPTURE(trace);
            const std::string lines = load(trace);  // without counts: where a format has them, every container is settled late
            CHECK(read<typename rows::reader>(write<writer>(lines, *rows::write_dialects[0].dialect), no_counts) == lines);
            // The other dialects may lower or refuse; what they write is a document of the format.
            for (const auto& as : rows::write_dialects) {
                CAPTURE(as.name);
                const std::string document = write<writer>(lines, *as.dialect);
                if (!document.starts_with("error "))
                    CHECK(!read<typename rows::reader>(document, no_counts).starts_with("error "));
            }
        }
    });
}

TEST_CASE("json documents written again keep their trace") {
    for (const fs::path& trace : files("json", ".trace")) {
        CAPTURE(trace);
        const std::string lines = load(trace);
        for (const json::dialect* as : {&json::compact, &json::pretty, &json::ascii_only})
            CHECK(read<json::reader>(write<json::writer>(lines, *as), no_counts) == lines);
    }
}

TEST_CASE("every write dialect has models") {
    std::vector<std::string> names;
    for (const fs::path& f : files("model", "")) names.push_back(f.filename().string());
    each_format([&](auto row) {
        for (const auto& d : decltype(row)::write_dialects) {
            const std::string dialect = "." + std::string(decltype(row)::name) + "." + std::string(d.name);
            CAPTURE(dialect);
            CHECK(std::count_if(names.begin(), names.end(), [&](auto& n) { return n.find(dialect) != n.npos; }) > 8);
        }
    });
}

TEST_CASE("models are converted from every format into every dialect of every other") {
    std::size_t outputs = 0;
    for (const fs::path& model : files("model", ".trace")) {
        CAPTURE(model);
        context of_trace;
        const std::string lines = load(model);
        trace_source said_by(lines, of_trace);
        const std::string plainly = trace(said_by, of_trace, no_counts);
        each_format([&](auto source) {
            using sources = decltype(source);
            const auto beside_as = [&](std::string_view format, std::string_view dialect, const char* more = "") {
                return beside(model, "." + std::string(format) + "." + std::string(dialect) + more);
            };
            const fs::path from = beside_as(sources::name, sources::write_dialects[0].name);
            if (!fs::exists(from)) return;
            const std::string document = load(from);
            if (read<typename sources::reader>(document, no_counts) != plainly) return;
            CAPTURE(sources::name);
            each_format([&](auto target) {
                using targets = decltype(target);
                for (const auto& d : targets::write_dialects) {
                    const fs::path expected = beside_as(targets::name, d.name);
                    const fs::path refused = beside_as(targets::name, d.name, ".error");
                    if (!fs::exists(expected) && !fs::exists(refused)) continue;
                    CAPTURE(expected);
                    context ctx;
                    buffer out;
                    typename sources::reader reading(as_bytes(document), ctx);
                    typename targets::template writer<buffer> writing(out, ctx, *d.dialect);
                    bytes made;
                    const errc code = pipe(reading, writing, made);
                    if (fs::exists(expected)) {
                        CHECK(code == errc::ok);
                        if (code == errc::ok) CHECK(hex(as_string(made)) == hex(load(expected)));
                    } else {
                        CHECK(std::string(name(code)) + "\n" == load(refused));
                    }
                    ++outputs;
                }
            });
        });
    }
    CHECK(outputs > 1000);
}

TEST_CASE("the data model in every dialect") {
    std::size_t outputs = 0;
    for (const auto& f : fs::directory_iterator(fs::path(KUMIHIMO_VECTORS) / "model")) {
        // name.format.dialect holds bytes, name.format.dialect.error a code
        const std::string file = f.path().filename().string();
        const bool error = file.ends_with(".error");
        if (file.ends_with(".trace")) continue;
        CAPTURE(file);
        const std::size_t dot = file.find('.'), next = file.find('.', dot + 1);
        const std::string dialect = file.substr(next + 1, file.find('.', next + 1) - next - 1);
        const std::string trace = load(f.path().parent_path() / (file.substr(0, dot) + ".trace"));
        const std::string got = written(trace, file.substr(dot + 1, next - dot - 1), dialect);
        const std::string expected = load(f.path());
        if (error) {
            CHECK(got.starts_with("error " + expected.substr(0, expected.size() - 1) + ":"));
        } else {
            CHECK(hex(got) == hex(expected));
        }
        ++outputs;
    }
    CHECK(outputs > 100);
}
