// The vectors of documents and models (tests/vectors/README.md) by Kumihimo's calls: every format's documents are loaded, every
// model is dumped in every dialect, and converted into it.
#include <doctest/doctest.h>

#include <map>
#include <sstream>
#include <string>

#include "../src/message_pack_types.hpp"
#include "../vm/shelter.hpp"
#include "engine/core/trace.hpp"
#include "engine/formats.hpp"
#include "vectors.hpp"

using namespace kumihimo;
using namespace kumihimo::mruby::test;
using namespace std::string_literals;

TEST_CASE("the vectors of every format are read") {
    const exceptions otherwise{{}, [](const std::string&) { return false; }};
    each_format([&](auto row) {
        const std::string name(decltype(row)::name);
        run_vectors(name, "Kumihimo", "load", "{format: '" + name + "', timestamp: true}", otherwise);
    });
}

namespace {

const std::map<std::string, const char*> other_values = {
    {"str-broken", "a String that is not UTF-8 is bytes"},
    {"str-surrogate", "a String that is not UTF-8 is bytes"},
    {"str-cut", "a String that is not UTF-8 is bytes"},
    {"key-broken", "a String that is not UTF-8 is bytes"},
    {"f64-float-32-would-do", "a Float goes out as the double of its decimal, which is another one"},
    {"f64-tenth-cut-to-62-bits", "a Float goes out as the double of its decimal, which is another one"},
    {"ext-type-128", "an extension's type is from -128 to 127"},
};

// The file's value, as far as mruby can hold it: undef where it cannot.
mrb_value value_of_trace(mrb_state* mrb, const std::string& lines) {
    mruby::key_cache* const keys = mruby::key_cache::here();
    const mruby::collector_off no_collection(mrb);
    const mruby::message_pack_types types = mruby::message_pack_types_of(mrb);
    context ctx;
    const mruby::build_options o;
    mruby::typed_builder to(mrb, ctx, o, *keys, types);
    trace_source from(lines, ctx);
    const mrb_value made = from.feed(to) == errc::ok ? to.take() : mrb_undef_value();
    to.release();
    if (mrb_undef_p(made)) return made;
    // As the file says it, less the counts and what of a double is for the eye.
    std::istringstream in(lines);
    std::string line, wanted, have;
    while (std::getline(in, line)) {
        if (line.rfind("f64 ", 0) == 0) line.resize(22);
        if (line.rfind("array", 0) == 0) line = "array";
        if (line.rfind("map", 0) == 0) line = "map";
        wanted += line + "\n";
    }
    trace(mrb, made, have);
    return have == wanted ? made : mrb_undef_value();
}

}  // namespace

TEST_CASE("the vectors of every format are written, from values and from other formats") {
    plain ruby;
    mrb_state* const mrb = ruby.state();
    const files::path folder = files::path(KUMIHIMO_VECTORS) / "model";
    int dumped = 0, converted = 0;
    for (const auto& entry : files::directory_iterator(folder)) {
        if (entry.path().extension() != ".trace") continue;
        const std::string name = entry.path().stem().string(), lines = slurp(entry.path());
        const auto beside = [&](std::string_view format, std::string_view dialect, const char* more) {
            return folder / (name + "." + std::string(format) + "." + std::string(dialect) + more);
        };
        const int arena = mrb_gc_arena_save(mrb);
        const mrb_value v = other_values.count(name) != 0 ? mrb_undef_value() : value_of_trace(mrb, lines);
        if (!mrb_undef_p(v)) mrb_gc_protect(mrb, v);
        each_format([&](auto row) {
            using rows = decltype(row);
            for (const auto& d : rows::write_dialects) {
                const bool bytes = files::exists(beside(rows::name, d.name, "")),
                           error = files::exists(beside(rows::name, d.name, ".error"));
                if (!bytes && !error) continue;
                const std::string expected = bytes ? slurp(beside(rows::name, d.name, "")) : "";
                const auto check = [&](const char* call, mrb_value argument, const std::string& options) {
                    const std::string id = call + (" "s + name) + " " + std::string(rows::name) + " " + std::string(d.name);
                    const mrb_value given = mrb_load_string(mrb, options.c_str());
                    const mrb_value made = ruby.call("Kumihimo", call, argument, given);
                    if (bytes) {
                        CHECK_MESSAGE(mrb->exc == nullptr, id);
                        CHECK_MESSAGE((mrb->exc != nullptr || ruby.shown(made) == expected), id);
                    } else {
                        CHECK_MESSAGE(mrb->exc != nullptr, id);
                    }
                    mrb->exc = nullptr;
                };
                if (!mrb_undef_p(v)) {
                    check("dump", v, "{format: " + in_quotes(rows::name) + ", dialect: " + in_quotes(d.name) + "}");
                    ++dumped;
                }
                // From every format whose document says all that the trace does.
                each_format([&](auto other) {
                    using others = decltype(other);
                    const files::path source = beside(others::name, others::write_dialects[0].name, "");
                    if (!files::exists(source)) return;
                    const std::string document = slurp(source);
                    const auto notation = [](auto& from, context& ctx) {
                        buffer out;
                        trace_sink to(out, ctx, {.counts = false});
                        kumihimo::bytes text;
                        return from.feed(to) == errc::ok && to.finish(text) == errc::ok
                                   ? std::string(reinterpret_cast<const char*>(text.data()), text.size())
                                   : std::string();
                    };
                    context of_file, of_document;
                    trace_source told(lines, of_file);
                    typename others::reader from({reinterpret_cast<const unsigned char*>(document.data()), document.size()},
                                                 of_document);
                    const std::string wanted = notation(told, of_file);
                    if (wanted.empty() || notation(from, of_document) != wanted) return;
                    check("convert", ruby.string(document),
                          "{from: " + in_quotes(others::name) + ", to: " + in_quotes(rows::name) +
                              ", target_dialect: " + in_quotes(d.name) + "}");
                    ++converted;
                });
            }
        });
        mrb_gc_arena_restore(mrb, arena);
    }
    CHECK(dumped > 100);
    CHECK(converted > 150);
}
