// Runs tests/vectors/paths and tests/vectors/project: the grammar of paths, and what a set of paths finds in a
// document, by every level, every kernel, and off a tape of every format.
#include <doctest/doctest.h>

#include <map>
#include <sstream>

#include "engine/formats.hpp"
#include "engine/json/project.hpp"
#include "engine/tape/partial.hpp"
#include "engine/tape/pick.hpp"
#include "tests/engine/vectors.hpp"

using namespace vectors;
using helpers::as_bytes;

namespace {

std::string lines_of(const json::path& p) {
    std::string out;
    for (const json::step& one : p) {
        switch (one.type) {
            case json::step::kind::key: {
                // A name in the notation of traces: a str is one line of it.
                context ctx;
                buffer text;
                trace_sink to(text, ctx);
                bytes line;
                REQUIRE(to.str(std::string_view(one.key)) == errc::ok);
                REQUIRE(to.finish(line) == errc::ok);
                out += "key" + helpers::as_string(line).substr(3);
                break;
            }
            case json::step::kind::index: out += "index " + std::to_string(one.index) + "\n"; break;
            case json::step::kind::either: out += "either " + std::to_string(one.index) + "\n"; break;
            case json::step::kind::each: out += "each\n"; break;
            default: FAIL("a step that no projection compiles");
        }
    }
    return out;
}

std::vector<std::string> paths_in(const fs::path& file) {
    std::istringstream in(load(file));
    std::vector<std::string> paths;
    for (std::string line; std::getline(in, line);) paths.push_back(line);
    return paths;
}

errc compile(const std::vector<std::string>& paths, json::projection& out, context& ctx) {
    const std::vector<std::string_view> views(paths.begin(), paths.end());
    return json::projection::compile(views, out, ctx);
}

const std::map<std::string, json::level> levels{
    {"strict", json::level::strict}, {"structural", json::level::structural}, {"trusted", json::level::trusted}};

/// What a projector found, as a .found file says it.
std::string found(const json::projector& p, const json::projection& what, const std::string& document) {
    std::string out;
    for (std::size_t i = 0; i < what.size(); ++i) {
        const auto slices = p.values(i);
        if (what.wild(i)) out += "each " + std::to_string(slices.size()) + "\n";
        for (const json::slice& s : slices) {
            REQUIRE(s.offset + s.length <= document.size());
            out += s.length == 0 ? "absent\n" : std::to_string(s.offset) + " " + std::to_string(s.length) + "\n";
        }
    }
    return out;
}

/// What the same paths find on a tape of the document in a format, as traces; "absent" where there is nothing.
template <class Row>
std::string picked(const std::string& document, const std::vector<std::string>& paths) {
    context ctx;
    typename Row::reader from(as_bytes(document), ctx);
    tape::recorder record(ctx, as_bytes(document));
    tape::view view;
    REQUIRE(from.feed(record) == errc::ok);
    REQUIRE(record.finish(view) == errc::ok);
    std::string out;
    for (const std::string& path : paths) {
        json::path steps;
        REQUIRE(json::parse(path, steps, ctx) == errc::ok);
        tape::picker pick;
        stack<tape::cursor> places;
        REQUIRE(pick.run(tape::cursor(view), steps, places, ctx) == errc::ok);
        const bool wild = std::any_of(steps.begin(), steps.end(), [](auto& s) { return s.type == json::step::kind::each; });
        if (wild) out += "each " + std::to_string(places.size()) + "\n";
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (!places[i]) {
                out += "absent\n";
                continue;
            }
            auto value = places[i].play();
            out += helpers::trace(value, ctx, no_counts);
        }
    }
    return out;
}

/// What they find in it by the calls for any format, by the format's projector where it has one: as a .found file says
/// it, and the values as traces; or the error.
struct answer {
    std::string found, values, error;
};
template <class Row>
answer found_by(json::level level, const typename Row::reader::dialect& granted, const std::string& document,
                const std::vector<std::string>& paths) {
    context ctx;
    json::projection what;
    REQUIRE(compile(paths, what, ctx) == errc::ok);
    tape::partial<Row> by(what, level, granted, true);
    // A copy of its own size, so that a sanitizer sees a read behind the end.
    const std::vector<char> exact(document.begin(), document.end());
    const bytes input = as_bytes({exact.data(), exact.size()});
    if (const errc code = by.run(input, ctx); code != errc::ok) return {"", "", said(code, ctx.failure)};
    answer out;
    for (std::size_t i = 0; i < what.size(); ++i) {
        if (what.wild(i)) {
            out.found += "each " + std::to_string(by.count(i)) + "\n";
            out.values += "each " + std::to_string(by.count(i)) + "\n";
        }
        for (std::size_t k = 0; k < by.count(i); ++k) {
            if (by.absent(i, k)) {
                out.found += "absent\n";
                out.values += "absent\n";
                continue;
            }
            const bytes raw = by.raw(i, k);
            out.found += std::to_string(raw.data() - input.data()) + " " + std::to_string(raw.size()) + "\n";
            buffer text;
            trace_sink to(text, ctx, no_counts);
            bytes lines;
            if (const errc e = by.give(i, k, to, ctx); e != errc::ok) return {"", "", said(e, ctx.failure)};
            REQUIRE(to.finish(lines) == errc::ok);
            out.values += helpers::as_string(lines);
        }
    }
    return out;
}

/// The same out of a .found file and the document it speaks of.
std::string values_of(const std::string& found, const std::string& document) {
    std::istringstream in(found);
    std::string out;
    for (std::string line; std::getline(in, line);) {
        std::size_t offset = 0, length = 0;
        if (std::sscanf(line.c_str(), "%zu %zu", &offset, &length) == 2)
            out += helpers::read<json::reader>(document.substr(offset, length), no_counts);
        else
            out += line + "\n";
    }
    return out;
}

}  // namespace

TEST_CASE("the grammar of paths") {
    for (const fs::path& file : files("paths", ".path")) {
        CAPTURE(file);
        const std::string text = load(file);
        context ctx;
        json::path steps;
        const errc code = json::parse(text, steps, ctx);
        if (expectation(file) == "ok") {
            CHECK(code == errc::ok);
            CHECK(lines_of(steps) == load(beside(file, ".steps")));
            // As errors spell it, it is the same path; a step of digits is spelled as a key.
            json::path again;
            for (json::step& one : steps) {
                if (one.type == json::step::kind::either) one = {json::step::kind::key, one.key, 0};
            }
            CHECK(json::parse(json::print(steps), again, ctx) == errc::ok);
            CHECK(lines_of(again) == lines_of(steps));
            continue;
        }
        REQUIRE(expectation(file) == "err");
        CHECK(said(code, ctx.failure) == load(beside(file, ".error")));
        // In a set of paths the failure says which.
        context of_set;
        json::projection set;
        CHECK(compile({"a", text}, set, of_set) == code);
        CHECK(of_set.failure.offset == ctx.failure.offset);
        CHECK(of_set.failure.path == text);
    }
}

TEST_CASE("what paths find, by every level on every kernel") {
    std::size_t compared = 0;
    on_every_kernel([&] {
        for (const fs::path& in : files("project", ".in")) {
            CAPTURE(in);
            const std::string document = load(in);
            context ctx;
            json::projection what;
            REQUIRE(compile(paths_in(beside(in, ".paths")), what, ctx) == errc::ok);
            for (const auto& [level, how] : levels) {
                CAPTURE(level);
                const auto run = [&](const json::read_dialect& granted, const std::string& ending) {
                    CAPTURE(ending);
                    const fs::path expected = beside(in, ending + ".found"), refused = beside(in, ending + ".error");
                    // A copy of its own size, so that a sanitizer sees a read behind the end.
                    const std::vector<char> exact(document.begin(), document.end());
                    json::projector p(what, how, granted);
                    context done;
                    const errc code = p.run(as_bytes({exact.data(), exact.size()}), done);
                    CHECK(code == done.failure.code);
                    if (fs::exists(expected)) {
                        CHECK(said(code, done.failure) == "ok\n");
                        CHECK(found(p, what, document) == load(expected));
                    } else if (fs::exists(refused)) {
                        CHECK(said(code, done.failure) == load(refused));
                    } else if (code == errc::ok) {
                        found(p, what, document);
                        return;
                    }
                    ++compared;
                };
                run(json::rfc8259, "." + level);
                for (const auto& granted : json::format::read_dialects) {
                    const std::string ending = "." + level + "." + std::string(granted.name);
                    if (fs::exists(beside(in, ending + ".found")) || fs::exists(beside(in, ending + ".error")))
                        run(*granted.dialect, ending);
                }
            }
        }
    });
    CHECK(compared > 300);
}

TEST_CASE("what paths find off a tape of every format") {
    for (const fs::path& in : files("project", ".in")) {
        if (!fs::exists(beside(in, ".strict.found"))) continue;
        CAPTURE(in);
        const std::string document = load(in), lines = helpers::read<json::reader>(document, no_counts);
        const std::string expected = values_of(load(beside(in, ".strict.found")), document);
        each_format([&](auto row) {
            using rows = decltype(row);
            using writer = typename rows::template writer<buffer>;
            CAPTURE(rows::name);
            const std::string there =
                rows::is_text ? document : helpers::write<writer>(lines, *rows::write_dialects[0].dialect);
            // A number that the format has no form for.
            if (there.starts_with("error ")) return;
            CHECK(picked<rows>(there, paths_in(beside(in, ".paths"))) == expected);
            // And by the calls that look for a projector first, where the level says what is found.
            for (const auto& [name, level] : levels) {
                if (!fs::exists(beside(in, "." + name + ".found"))) continue;
                CAPTURE(name);
                for (const auto& granted : rows::read_dialects) {
                    CAPTURE(granted.name);
                    const answer by = found_by<rows>(level, *granted.dialect, there, paths_in(beside(in, ".paths")));
                    // A dialect may refuse the document, as its strict does, or have other values.
                    const fs::path refused = beside(in, ".strict." + std::string(granted.name) + ".error");
                    if (rows::is_text && by.error != "" && fs::exists(refused)) CHECK(by.error == load(refused));
                    if (granted.dialect != rows::read_dialects[0].dialect) continue;
                    CHECK(by.error == "");
                    CHECK(by.values == expected);
                }
            }
        });
    }
}

TEST_CASE("what paths find in binary documents, by every level") {
    std::size_t compared = 0;
    each_format([&](auto row) {
        using rows = decltype(row);
        if (rows::is_text) return;
        for (const fs::path& in : files("levels/" + std::string(rows::name), ".in")) {
            CAPTURE(in);
            const std::vector<std::string> paths = paths_in(beside(in, ".paths"));
            for (const auto& [name, level] : levels) {
                CAPTURE(name);
                const fs::path expected = beside(in, "." + name + ".found"), refused = beside(in, "." + name + ".error");
                const answer got = found_by<rows>(level, *rows::read_dialects[0].dialect, load(in), paths);
                if (fs::exists(expected)) {
                    CHECK(got.error == "");
                    CHECK(got.found == load(expected));
                } else if (fs::exists(refused)) {
                    CHECK(agrees(got.error, load(refused)));
                } else {
                    continue;
                }
                ++compared;
            }
        }
    });
    CHECK(compared > 80);
}
