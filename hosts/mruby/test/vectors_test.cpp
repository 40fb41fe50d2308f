// The conformance vectors that every implementation runs; tests/vectors/README.md has the layout and the notation.
//
// tests/vectors/held/mruby says what mruby's values hold otherwise. What its calls have otherwise stands here, by
// name: what is in a list without need fails, and so does what is not there any more.
#include <doctest/doctest.h>

#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../src/message_pack_types.hpp"
#include "../vm/shelter.hpp"
#include "engine/core/trace.hpp"
#include "engine/formats.hpp"
#include "engine/frame/frame.hpp"
#include "vector_calls.hpp"

using namespace kumihimo;
using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;
using namespace std::string_literals;

namespace {

constexpr const char* no_number = "MessagePack has no such number";
constexpr const char* not_at_hand = "the frame behind a skippable one tells, which is not at hand in the first piece";

// By a check's name, or by what stands before the first dot of it, which stands for all dialects or ways to call.
const reasons& left_out() {
    static const reasons all = [] {
        reasons some = {
            {"model/key-str.tagged.safe", "a String that is a key is a name"},
            {"project/beyond-a-double.in_msgpack", no_number},
            {"project/beyond-a-double-wanted.in_msgpack", no_number},
            {"project/beyond-a-double-within.in_msgpack", no_number},
            {"frames/lz4/ok-skippable-first.by_1", not_at_hand},
            {"frames/lz4/ok-skippable-first.by_3", not_at_hand},
        };
        for (const char* name : {"tagged/ext/ok-type-first", "model/ext-type-128"})
            some.emplace(name, "an Extension of that type is read, but not written, and so has no trace");
        add_number_exceptions(some);
        if (floats_are_cut) {
            some.emplace("read/json/overflow-none", cut);
            for (const char* name : {"f64-17-digits", "f64-17-digits-large", "f64-float-32-would-do", "f64-just-below-three",
                                     "f64-largest", "f64-smallest", "f64-tenth-cut-to-62-bits", "f64-third"})
                some.emplace("model/"s + name, cut);
        }
        if (floats_are_cut && !big_integers)
            for (const char* name : {"big-below-int64", "big-integer", "u64-2-to-63"}) some.emplace("model/"s + name, cut);
        return some;
    }();
    return all;
}

// What fails needs a reason in the list, and every reason of the area must be needed; so must what is held otherwise.
std::set<std::string> areas;
void run(const std::string& area, const checks& done) {
    areas.insert(area);
    CHECK(!done.empty());
    std::set<std::string> needed;
    for (const auto& [name, check] : done) {
        const std::string wrong = check();
        if (wrong.empty()) continue;
        const std::string reason = left_out().contains(name) ? name : name.substr(0, name.find('.'));
        CHECK_MESSAGE(left_out().contains(reason), name << ": " << wrong);
        needed.insert(reason);
    }
    for (const auto& [name, because] : left_out())
        if (name.starts_with(area)) CHECK_MESSAGE(needed.contains(name), name << " is left out without need: " << because);
    for (const auto& [name, trace] : held())
        if (name.starts_with(area)) CHECK_MESSAGE(asked().contains(name), "there is no vector " << name);
}

// The value of a model; undef where mruby has none.
mrb_value value_of_trace(mrb_state* mrb, const std::string& lines) {
    key_cache* const keys = key_cache::here();
    const collector_off no_collection(mrb);
    const message_pack_types types = message_pack_types_of(mrb);
    context ctx;
    const build_options o;
    typed_builder to(mrb, ctx, o, *keys, types);
    trace_source from(lines, ctx);
    const mrb_value made = from.feed(to) == errc::ok ? to.take() : mrb_undef_value();
    to.release();
    return made;
}

std::string notation(auto& from, context& ctx) {
    buffer out;
    trace_sink to(out, ctx, {.counts = false});
    bytes text;
    if (from.feed(to) != errc::ok || to.finish(text) != errc::ok) return "";
    return {reinterpret_cast<const char*>(text.data()), text.size()};
}

// The trace of what a .found file says: values of the document as `call` reads each out of $value, in an Array.
std::string found_values(program& ruby, const std::string& document, const files::path& found, const std::string& call) {
    std::istringstream lines(slurp(found));
    std::string line, all = "array\n";
    const auto one = [&](const std::string& place) {
        if (place == "absent") return "null\n"s;
        std::size_t offset = 0, length = 0;
        std::istringstream(place) >> offset >> length;
        ruby.give("$value", document.substr(offset, length));
        return ruby.ask(call).trace;
    };
    while (std::getline(lines, line)) {
        if (!line.starts_with("each ")) {
            all += one(line);
            continue;
        }
        all += "array\n";
        for (int n = std::stoi(line.substr(5)); n > 0 && std::getline(lines, line); --n) all += one(line);
        all += "end\n";
    }
    return all + "end\n";
}

}  // namespace

TEST_CASE("documents") {
    program ruby;
    each_format([&](auto row) {
        using rows = decltype(row);
        const std::string area = std::string(rows::name) + "/";
        const std::string load = "Kumihimo.load($in, " + keywords(rows::name, rows::read_dialects[0].name) + ")";
        checks done;
        for (const files::path& file : found_in(area, ".in")) {
            done.emplace_back(name_of(file), [&ruby, file, load] {
                ruby.give("$in", slurp(file));
                const answer got = ruby.ask(load);
                if (is_ok(file)) return same(got, expected(file));
                if (begins(file, "err-")) return refused(got, beside(file, ".error"));
                return got.kind.empty() || got.kind.starts_with("Kumihimo::") ? "" : got.message;
            });
            if (!files::exists(beside(file, ".place"))) continue;
            for (const auto& [way, call] :
                 {std::pair{".place", load}, {".place_of_JSON", "JSON.parse($in, max_nesting: 1024)"s}})
                done.emplace_back(name_of(file) + way, [&ruby, file, call = call] {
                    ruby.give("$in", slurp(file));
                    ruby.give("$place", slurp(beside(file, ".place")));
                    const std::string wrong =
                        is_true(ruby.ask("begin; " + call + "; rescue JSON::ParserError, Kumihimo::ParserError => e; " +
                                         "$error = e; \"#{e.line} #{e.column}\\n\" == $place; end"));
                    return wrong.empty() ? refused(as_kumihimo(ruby.ask("raise $error")), beside(file, ".error")) : wrong;
                });
        }
        run(area, done);
    });
}

TEST_CASE("read dialects") {
    program ruby;
    each_format([&](auto row) {
        using rows = decltype(row);
        const std::string folder = "read/" + std::string(rows::name);
        checks done;
        for (const auto& dialect : rows::read_dialects) {
            const std::string options = keywords(rows::name, dialect.name);
            for (const char* ending : {".trace", ".error"}) {
                for (const files::path& file : found_in(folder, "")) {
                    const std::string name = file.filename().string();
                    if (!name.ends_with("." + std::string(dialect.name) + ending)) continue;
                    done.emplace_back(name_of(file), [&ruby, file, name, options] {
                        ruby.give("$in", slurp(file.parent_path() / (name.substr(0, name.find('.')) + ".in")));
                        const answer got = ruby.ask("Kumihimo.load($in, " + options + ")");
                        return file.extension() == ".error" ? refused(got, file) : same(got, expected(file));
                    });
                }
            }
        }
        run(folder + "/", done);
    });
}

TEST_CASE("models are written, from values and from other formats") {
    plain ruby;
    mrb_state* const mrb = ruby.state();
    checks dumped, converted;
    for (const files::path& model : found_in("model", ".trace")) {
        const std::string lines = slurp(model), name = model.stem().string();
        const auto beside_as = [&](std::string_view format, std::string_view dialect, const char* more) {
            return model.parent_path() / (name + "." + std::string(format) + "." + std::string(dialect) + more);
        };
        const int arena = mrb_gc_arena_save(mrb);
        const mrb_value v = value_of_trace(mrb, lines);
        if (!mrb_undef_p(v)) mrb_gc_protect(mrb, v);
        const bool otherwise = held().contains(name_of(model));
        if (otherwise) {
            answer got;
            if (mrb_undef_p(v))
                got.kind = "no value";
            else
                got.trace = trace(ruby, v);
            dumped.emplace_back(name_of(model), [got, wanted = expected(model)] { return same(got, wanted); });
        }
        each_format([&](auto row) {
            using rows = decltype(row);
            for (const auto& d : rows::write_dialects) {
                const bool bytes = files::exists(beside_as(rows::name, d.name, "")),
                           error = files::exists(beside_as(rows::name, d.name, ".error"));
                if (!bytes && !error) continue;
                const std::string wanted = bytes ? slurp(beside_as(rows::name, d.name, "")) : "";
                const std::string id = name + "." + std::string(rows::name) + "." + std::string(d.name);
                const auto check = [&](const char* call, mrb_value argument, const std::string& options) {
                    const mrb_value given = mrb_load_string(mrb, options.c_str());
                    const mrb_value made = ruby.call("Kumihimo", call, argument, given);
                    const std::string kind = mrb->exc == nullptr ? "" : mrb_obj_classname(mrb, mrb_obj_value(mrb->exc));
                    std::string wrong;
                    if (bytes && !kind.empty())
                        wrong = ruby.failure();
                    else if (bytes && ruby.shown(made) != wanted)
                        wrong = "is " + ruby.shown(made);
                    else if (error && kind != (call == "dump"s ? "Kumihimo::GeneratorError" : "Kumihimo::ParserError"))
                        wrong = kind.empty() ? "is written" : ruby.failure();
                    mrb->exc = nullptr;
                    return [wrong] { return wrong; };
                };
                if (!otherwise && mrb_undef_p(v))
                    dumped.emplace_back("model/" + id, [] { return "mruby has no such value"; });
                else if (!otherwise)
                    dumped.emplace_back(
                        "model/" + id,
                        check("dump", v, "{format: " + in_quotes(rows::name) + ", dialect: " + in_quotes(d.name) + "}"));
                // From every format whose document says all that the trace does.
                each_format([&](auto other) {
                    using others = decltype(other);
                    const files::path source = beside_as(others::name, others::write_dialects[0].name, "");
                    if (!files::exists(source)) return;
                    const std::string document = slurp(source);
                    context of_file, of_document;
                    trace_source told(lines, of_file);
                    typename others::reader from({reinterpret_cast<const unsigned char*>(document.data()), document.size()},
                                                 of_document);
                    const std::string all = notation(told, of_file);
                    if (all.empty() || notation(from, of_document) != all) return;
                    converted.emplace_back("convert/" + id + ".from_" + std::string(others::name),
                                           check("convert", ruby.string(document),
                                                 "{from: " + in_quotes(others::name) + ", to: " + in_quotes(rows::name) +
                                                     ", target_dialect: " + in_quotes(d.name) + "}"));
                });
            }
        });
        mrb_gc_arena_restore(mrb, arena);
    }
    run("model/", dumped);
    run("convert/", converted);
}

TEST_CASE("paths are taken or refused") {
    program ruby;
    checks done;
    for (const files::path& file : found_in("paths", ".path"))
        for (const auto& [name, call] :
             {std::pair{".Kumihimo", "Kumihimo.partial('null', $in, format: 'json')"}, {".JSON", "JSON.partial('null', $in)"}})
            done.emplace_back(name_of(file) + name, [&ruby, file, call = call] {
                ruby.give("$in", slurp(file));
                const answer got = ruby.ask(call);
                if (is_ok(file)) return got.message;
                if (got.kind != "ArgumentError") return "raises no ArgumentError: " + got.message;
                std::string code, offset;
                std::istringstream(slurp(beside(file, ".error"))) >> code >> offset;
                const std::string said = got.message + " ";
                const std::size_t at = said.find("byte " + offset);
                const bool told =
                    at != said.npos && std::isdigit(static_cast<unsigned char>(said[at + 5 + offset.size()])) == 0;
                return told ? "" : got.message + " in place of byte " + offset;
            });
    run("paths/", done);
}

TEST_CASE("projection") {
    program ruby;
    checks done;
    for (const files::path& file : found_in("project", ".in")) {
        const std::string document = slurp(file), paths = slurp(beside(file, ".paths"));
        // A level without a file may do as it likes, and must stay whole.
        const auto check = [&](const std::string& level, const std::string& name, const std::string& call,
                               const std::string& read) {
            done.emplace_back(name_of(file) + level + name, [=, &ruby] {
                ruby.give("$in", document);
                ruby.give_paths(paths);
                const answer got = as_kumihimo(ruby.ask(call));
                const files::path found = beside(file, level + ".found"), error = beside(file, level + ".error");
                if (files::exists(error)) return refused(got, error);
                return files::exists(found) ? same(got, found_values(ruby, document, found, read)) : "";
            });
        };
        for (const char* level : {"strict", "structural", "trusted"})
            check("."s + level, ".JSON", "JSON.partial($in, $paths, max_nesting: 1024, level: :"s + level + ")",
                  "JSON.parse($value, max_nesting: 1024)");
        const auto by_dialect = [&](const std::string& level, std::string_view dialect) {
            const std::string options = keywords("json", dialect);
            check(level, ".Kumihimo", "Kumihimo.partial($in, $paths, " + options + ")",
                  "Kumihimo.load($value, " + options + ")");
        };
        by_dialect(".strict", "rfc8259");
        for (const auto& dialect : kumihimo::json::format::read_dialects)
            by_dialect(".strict." + std::string(dialect.name), dialect.name);
        // The same paths in the document's other formats.
        const files::path found = beside(file, ".strict.found");
        if (!files::exists(found)) continue;
        each_format([&](auto row) {
            const std::string format(decltype(row)::name);
            done.emplace_back(name_of(file) + ".in_" + format, [=, &ruby] {
                ruby.give("$in", document);
                ruby.give_paths(paths);
                const answer got = ruby.ask("Kumihimo.partial(Kumihimo.convert($in, from: 'json', to: '" + format +
                                            "'), $paths, format: '" + format + "', max_nesting: 1024)");
                return same(got,
                            found_values(ruby, document, found, "Kumihimo.load($value, format: 'json', max_nesting: 1024)"));
            });
        });
    }
    run("project/", done);
}

TEST_CASE("levels") {
    program ruby;
    each_format([&](auto row) {
        if (decltype(row)::is_text) return;
        const std::string format(decltype(row)::name), options = "format: '" + format + "', timestamp: true";
        checks done;
        for (const files::path& file : found_in("levels/" + format, ".in")) {
            const std::string document = slurp(file), paths = slurp(beside(file, ".paths"));
            for (const std::string level : {"strict", "structural", "trusted"}) {
                const files::path found = beside(file, "." + level + ".found"), error = beside(file, "." + level + ".error");
                if (!files::exists(found) && !files::exists(error)) continue;
                done.emplace_back(name_of(file) + "." + level, [=, &ruby] {
                    ruby.give("$in", document);
                    ruby.give_paths(paths);
                    const answer got = ruby.ask("Kumihimo.partial($in, $paths, level: :" + level + ", " + options + ")");
                    if (files::exists(error)) return refused(got, error);
                    return same(got, found_values(ruby, document, found, "Kumihimo.load($value, " + options + ")"));
                });
            }
        }
        run("levels/" + format + "/", done);
    });
}

TEST_CASE("frames") {
    program ruby;
    for (const frame::codec* codec : frame::all()) {
        if (!frame::available(*codec)) {
            std::printf("not proven: frames without their libraries\n");
            continue;
        }
        checks done;
        const std::string area = "frames/" + std::string(codec->name) + "/", name = in_quotes(codec->name);
        for (const files::path& file : found_in(area, ".in")) {
            const std::string packed = slurp(file), text = is_ok(file) ? slurp(beside(file, ".out")) : "";
            done.emplace_back(name_of(file), [=, &ruby] {
                ruby.give("$in", packed);
                if (!is_ok(file)) return refused(ruby.ask("Kumihimo.unpack($in, " + name + ")"), beside(file, ".error"));
                ruby.give("$out", text);
                return is_true(ruby.ask("Kumihimo.unpack($in, " + name + ") == $out && Kumihimo.unpack($in) == $out && " +
                                        "Kumihimo.unpack(Kumihimo.pack($out, " + name + "), " + name + ") == $out"));
            });
            if (!text.starts_with("{")) continue;
            for (const auto& [how, source] : sources)
                done.emplace_back(name_of(file) + how, [=, &ruby, source = source] {
                    ruby.give("$in", text);
                    const std::string documents = ruby.ask("documents($in, 'json')").trace;
                    ruby.give("$in", packed);
                    return same(ruby.ask("documents("s + source + ", 'json')"), documents);
                });
        }
        run(area, done);
    }
}

TEST_CASE("streams") {
    program ruby;
    each_format([&](auto row) {
        const std::string format(decltype(row)::name), area = "streams/" + format + "/";
        checks done;
        for (const files::path& file : found_in(area, ".in"))
            for (const auto& [how, source] : sources)
                done.emplace_back(name_of(file) + how, [&ruby, file, format, source = source] {
                    ruby.give("$in", slurp(file));
                    const answer got = ruby.ask("$error = nil; documents("s + source + ", '" + format + "')");
                    const answer end = ruby.ask("raise $error unless $error.nil?");
                    const std::string wanted = expected(file);
                    // A document that is no value here.
                    if (wanted.empty() && !slurp(beside(file, ".trace")).empty()) return same(end, "");
                    const std::string wrong = same(got, "array\n" + wanted + "end\n");
                    if (!wrong.empty() || is_ok(file)) return wrong + end.message;
                    // The error's offset is that in the stream.
                    std::string code, path;
                    std::size_t offset = 0;
                    std::istringstream(slurp(beside(file, ".error"))) >> code >> offset >> path;
                    offset += std::stoul(slurp(beside(file, ".start")));
                    return refused(end, code + " " + std::to_string(offset) + " " + path);
                });
        run(area, done);
    });
}

TEST_CASE("the format and the frame that are told by bytes, names and media types") {
    program ruby;
    checks done;
    for (const files::path& file : found_in("detect/format", ".in"))
        done.emplace_back(name_of(file), [&ruby, file] {
            const std::string name = file.filename().string(), format = name.substr(0, name.find('-'));
            ruby.give("$in", slurp(file));
            const answer told = ruby.ask("Kumihimo.load($in, timestamp: true)");
            if (format == "none") return told.kind.empty() ? "is read" : ""s;
            const answer named = ruby.ask("Kumihimo.load($in, format: '" + format + "', timestamp: true)");
            return told.trace == named.trace && told.message == named.message ? "" : told.trace + told.message;
        });
    for (const files::path& file : found_in("detect/frame", ".in"))
        done.emplace_back(name_of(file), [&ruby, file] {
            const std::string name = file.filename().string(), frame = name.substr(0, name.find('-'));
            ruby.give("$in", slurp(file));
            const answer told = ruby.ask("Kumihimo.unpack($in)");
            const bool none = told.message.find("begin as no frame does") != std::string::npos;
            if (frame == "none") return none ? "" : told.trace + told.message;
            const answer named = ruby.ask("Kumihimo.unpack($in, '" + frame + "')");
            return !none && told.trace == named.trace && told.message == named.message ? "" : told.trace + told.message;
        });
    // Scripts have no call for these; a server with scripts in it asks the engine (hosts/apache/module/ruby_data.cpp).
    const auto line = [&](const std::string& file, auto told) {
        std::istringstream in(slurp(files::path(KUMIHIMO_VECTORS) / "detect" / file));
        for (std::string one; std::getline(in, one);) {
            const std::size_t tab = one.rfind('\t');
            done.emplace_back("detect/" + file + " " + one.substr(tab + 1), [=] {
                const std::string names = told(one.substr(tab + 1));
                return names == one.substr(0, tab) ? "" : "is " + names;
            });
        }
    };
    const auto or_none = [](std::string_view name) { return std::string(name.empty() ? "none" : name); };
    line("media-types", [=](const std::string& type) { return or_none(format_of_media_type(type)); });
    line("names", [=](const std::string& name) {
        const frame::codec* const frame = frame::by_ending(name);
        return or_none(format_of_path(name)) + "\t" + or_none(frame == nullptr ? "" : frame->name);
    });
    run("detect/", done);
}

TEST_CASE("every name in the lists is of an area that was run") {
    std::vector<std::string> names;
    for (const auto& [name, why] : left_out()) names.push_back(name);
    for (const auto& [name, trace] : held()) names.push_back(name);
    for (const std::string& name : names)
        CHECK_MESSAGE(std::ranges::any_of(areas, [&](auto& area) { return name.starts_with(area); }),
                      "there is no vector " << name);
}
