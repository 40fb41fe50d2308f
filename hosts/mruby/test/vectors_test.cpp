// The vectors of documents and models (tests/vectors/README.md) by Kumihimo's calls: every format's documents are loaded,
// every model is dumped in every dialect, and converted into it.
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

namespace {

constexpr const char* twice = "a Hash has a key once";
constexpr const char* no_key = "a key is text, bytes, a number, nil, true or false";
constexpr const char* decimal = "a number in decimal digits is a Float";
constexpr const char* no_text = "a String that is not UTF-8 is bytes";
constexpr const char* text = "a String that is UTF-8 is text";
constexpr const char* in_utc = "a MessagePack::Timestamp is a moment in UTC";
constexpr const char* type = "an extension's type is from -128 to 127";

reasons load_exceptions() {
    reasons all = {
        {"cbor/map/ok-duplicate-keys", twice},
        {"cbor/map/ok-keys-of-all-kinds", no_key},
        {"cbor/time/ok-date-text", in_utc},
        {"cbor/time/ok-days", in_utc},
        {"cbor/time/ok-text-offset", in_utc},
        {"json/containers/ok-keys-twice", twice},
        {"msgpack/map/ok-16", twice},
        {"msgpack/map/ok-duplicate-keys", twice},
        {"msgpack/map/ok-keys-of-all-kinds", no_key},
        {"tagged/map/ok-keys-of-all-kinds", no_key},
        {"tagged/map/ok-order-and-duplicates", twice},
        {"tagged/ext/ok-type-first", type},
        {"tagged/names/ok-empty", twice},
        {"tagged/names/ok-far-form-of-none", twice},
        {"tagged/names/ok-last", twice},
        {"tagged/names/ok-utf-8", twice},
        {"tagged/study/ok-field-twice", twice},
        {"tagged/time/ok-date", in_utc},
        {"tagged/time/ok-local", in_utc},
        {"tagged/time/ok-naive", in_utc},
        {"tagged/time/ok-offset", in_utc},
    };
    add_number_exceptions(all);
    return all;
}
// By name, or by what stands before its first dot, which stands for all formats and dialects.
reasons dump_exceptions() {
    reasons all = {
        {"key-twice-in-two-ways", twice},
        {"map-15", twice},
        {"map-16", twice},
        {"map-16-counted", twice},
        {"map-order-and-duplicates", twice},
        {"key-array", no_key},
        {"key-ext", no_key},
        {"key-map", no_key},
        {"key-time", no_key},
        {"map-to-sort", no_key},
        {"big-capital-exponent", decimal},
        {"big-decimal", decimal},
        {"big-exponent", decimal},
        {"big-negative-decimal", decimal},
        {"big-zeros-kept", decimal},
        {"key-big", decimal},
        {"key-broken", no_text},
        {"str-broken", no_text},
        {"str-cut", no_text},
        {"str-surrogate", no_text},
        {"bin-255", text},
        {"bin-256", text},
        {"bin-empty", text},
        {"time-date", in_utc},
        {"time-date-before-1970", in_utc},
        {"time-local", in_utc},
        {"time-naive", in_utc},
        {"time-offset", in_utc},
        {"time-offset-beyond", in_utc},
        {"time-offset-seconds", in_utc},
        {"time-offset-zero", in_utc},
        {"ext-type-128", type},
        {"key-str.tagged.safe", "a String that is a key is a name"},
    };
    if (mruby::big_integers)
        all.emplace("big-minus-zero", "an Integer has no minus zero");
    else
        for (const char* name : {"big-below-int64", "big-integer", "big-least-bignum", "big-least-integer", "big-negative",
                                 "key-u64", "u64-2-to-63", "u64-last"})
            all.emplace(name, beyond);
    if (mruby::floats_are_cut)
        for (const char* name : {"f64-17-digits", "f64-17-digits-large", "f64-float-32-would-do", "f64-just-below-three",
                                 "f64-largest", "f64-smallest", "f64-tenth-cut-to-62-bits", "f64-third"})
            all.emplace(name, cut);
    return all;
}

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
    return made;
}

}  // namespace

TEST_CASE("the vectors of every format are read") {
    const exceptions otherwise{load_exceptions(), [](const std::string&) { return false; }};
    each_format([&](auto row) {
        const std::string name(decltype(row)::name);
        run_vectors(name, "Kumihimo", "load", "{format: '" + name + "', timestamp: true}", otherwise);
    });
}

TEST_CASE("the vectors of every format are written, from values and from other formats") {
    plain ruby;
    mrb_state* const mrb = ruby.state();
    const files::path folder = files::path(KUMIHIMO_VECTORS) / "model";
    checks dumped, converted;
    for (const auto& entry : files::directory_iterator(folder)) {
        if (entry.path().extension() != ".trace") continue;
        const std::string name = entry.path().stem().string(), lines = slurp(entry.path());
        const auto beside = [&](std::string_view format, std::string_view dialect, const char* more) {
            return folder / (name + "." + std::string(format) + "." + std::string(dialect) + more);
        };
        const int arena = mrb_gc_arena_save(mrb);
        const mrb_value v = value_of_trace(mrb, lines);
        if (!mrb_undef_p(v)) mrb_gc_protect(mrb, v);
        each_format([&](auto row) {
            using rows = decltype(row);
            for (const auto& d : rows::write_dialects) {
                const bool bytes = files::exists(beside(rows::name, d.name, "")),
                           error = files::exists(beside(rows::name, d.name, ".error"));
                if (!bytes && !error) continue;
                const std::string expected = bytes ? slurp(beside(rows::name, d.name, "")) : "";
                const std::string id = name + "." + std::string(rows::name) + "." + std::string(d.name);
                const auto check = [&](const char* call, mrb_value argument, const std::string& options) {
                    const mrb_value given = mrb_load_string(mrb, options.c_str());
                    const mrb_value made = ruby.call("Kumihimo", call, argument, given);
                    const std::string kind = mrb->exc == nullptr ? "" : mrb_obj_classname(mrb, mrb_obj_value(mrb->exc));
                    std::string wrong;
                    if (bytes && !kind.empty())
                        wrong = ruby.failure();
                    else if (bytes && ruby.shown(made) != expected)
                        wrong = "is " + ruby.shown(made);
                    else if (error && kind != (call == "dump"s ? "Kumihimo::GeneratorError" : "Kumihimo::ParserError"))
                        wrong = kind.empty() ? "is written" : ruby.failure();
                    mrb->exc = nullptr;
                    return std::pair(id, [wrong] { return wrong; });
                };
                if (mrb_undef_p(v))
                    dumped.emplace_back(id, [] { return "mruby has no such value"; });
                else
                    dumped.push_back(
                        check("dump", v, "{format: " + in_quotes(rows::name) + ", dialect: " + in_quotes(d.name) + "}"));
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
                    converted.push_back(check("convert", ruby.string(document),
                                              "{from: " + in_quotes(others::name) + ", to: " + in_quotes(rows::name) +
                                                  ", target_dialect: " + in_quotes(d.name) + "}"));
                });
            }
        });
        mrb_gc_arena_restore(mrb, arena);
    }
    left_out(dumped, dump_exceptions());
    left_out(converted, {});
}
