// The vectors beside documents and models (tests/vectors/README.md): read dialects, places, paths, projection, frames,
// streams, detection. What mruby's values cannot hold is left out by name, with the reason; a name that is left out
// without need fails.
#include <doctest/doctest.h>

#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "engine/formats.hpp"
#include "engine/frame/frame.hpp"
#include "vectors.hpp"

using namespace kumihimo;
using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;
using namespace std::string_literals;

namespace {

constexpr const char* twice = "a Hash has a key once";
constexpr const char* one_key = "a String is one key, whether it was said as text or as bytes";
constexpr const char* cut = "a Float is what is left of the double";
constexpr const char* no_number = "MessagePack has no such number";
constexpr const char* not_at_hand = "the frame behind a skippable one tells, which is not at hand in the first piece";

// By name, or by what stands before its first dot, which stands for all dialects or ways to call.
reasons dialect_exceptions() {
    reasons all = {
        {"read/json/key-twice", twice},
        {"read/json/key-twice-empty", twice},
        {"read/json/key-twice-escaped", twice},
        {"read/json/key-twice-nested", twice},
        {"read/cbor/key-twice", twice},
        {"read/cbor/key-twice-in-chunks", twice},
        {"read/cbor/key-twice-in-order", twice},
        {"read/cbor/key-twice-in-two-widths", twice},
        {"read/cbor/key-text-and-bytes", one_key},
    };
    if (floats_are_cut) all.emplace("read/json/overflow-none", cut);
    return all;
}
const reasons projection_except = {
    {"project/beyond-a-double.in_msgpack", no_number},
    {"project/beyond-a-double-wanted.in_msgpack", no_number},
};
const reasons frames_except = {
    {"frames/lz4/ok-skippable-first.by_1", not_at_hand},
    {"frames/lz4/ok-skippable-first.by_3", not_at_hand},
};
const reasons streams_except = {
    {"streams/msgpack/ok-containers", "a container is no key here"},
};

// How a stream comes, in names and in Ruby.
constexpr std::pair<const char*, const char*> sources[] = {
    {".whole", "$in"}, {".by_1", "Pieces.new($in, 1)"}, {".by_3", "Pieces.new($in, 3)"}};

// What a call gave: the value's trace, or its error as the vectors write it, without the code.
struct answer {
    std::string trace, error, kind, message;
};

// A program whose calls take a vector's bytes from $in, and give what they made or raised.
struct program : plain {
    program() {
        run(R"(
            class Pieces
              def initialize(whole, size) @whole, @size, @at = whole, size, 0 end
              def read(_ = nil)
                piece = @whole.byteslice(@at, @size)
                @at += piece.bytesize unless piece.nil?
                piece
              end
            end
            def documents(source, format)
              found = []
              Kumihimo.each_document(source, format: format, timestamp: true) { |value| found << value }
              found
            rescue Kumihimo::ParserError => error
              $error = error
              found
            end)");
    }
    void give(const char* global, std::string_view bytes) {
        mrb_gv_set(state(), mrb_intern_cstr(state(), global), string(bytes));
    }
    // A path a line.
    void give_paths(const std::string& lines) {
        give("$lines", lines);
        run("$paths = []; from = 0; while (to = $lines.index(\"\\n\", from)); $paths << $lines[from...to]; from = to + 1; end");
    }
    answer ask(const std::string& code) {
        mrb_state* const mrb = state();
        const int arena = mrb_gc_arena_save(mrb);
        answer out;
        const mrb_value v = mrb_load_string(mrb, code.c_str());
        if (mrb->exc == nullptr) {
            out.trace = test::trace(*this, v);
        } else {
            const mrb_value error = mrb_obj_value(mrb->exc);
            out.error = place_of(error);
            out.kind = mrb_obj_classname(mrb, error);
            out.message = failure();
        }
        mrb_gc_arena_restore(mrb, arena);
        return out;
    }
    std::string place_of(mrb_value error) {
        mrb_state* const mrb = state();
        mrb->exc = nullptr;
        const mrb_value path = mrb_iv_get(mrb, error, mrb_intern_lit(mrb, "@path"));
        const std::string offset = shown(mrb_iv_get(mrb, error, mrb_intern_lit(mrb, "@offset")));
        mrb->exc = mrb_obj_ptr(error);
        return offset + (mrb_nil_p(path) ? "" : " " + shown_path(path));
    }

private:
    static std::string shown_path(mrb_value s) { return {RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s))}; }
};

// JSON's errors are Kumihimo's by another name.
answer as_kumihimo(answer got) {
    if (got.kind.starts_with("JSON::")) got.kind.replace(0, 4, "Kumihimo");
    return got;
}

std::vector<files::path> found_in(const std::string& folder, const std::string& ending) {
    std::vector<files::path> found;
    for (const auto& entry : files::directory_iterator(files::path(KUMIHIMO_VECTORS) / folder))
        if (entry.path().filename().string().ends_with(ending)) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    REQUIRE(!found.empty());
    return found;
}
files::path beside(files::path file, const std::string& ending) { return file.replace_extension(ending); }
bool is_ok(const files::path& file) { return file.filename().string().starts_with("ok-"); }
std::string name_of(const files::path& file) {
    return files::path(file).replace_extension("").lexically_relative(KUMIHIMO_VECTORS).generic_string();
}
std::string keywords(std::string_view format, std::string_view dialect) {
    return "format: '" + std::string(format) + "', dialect: '" + std::string(dialect) + "', timestamp: true, max_nesting: 1024";
}

// What is wrong with an answer that must be this error: its kind, and offset and path as far as they are said.
std::string refused(const answer& got, const std::string& said) {
    const std::size_t behind_code = std::min(said.find(' '), said.size());
    const std::string code = said.substr(0, behind_code);
    const std::string place = behind_code == said.size() ? "" : said.substr(behind_code + 1);
    if (got.kind.empty()) return "is read as\n" + got.trace + "in place of " + said;
    if (got.kind != (code == "depth" ? "Kumihimo::NestingError" : "Kumihimo::ParserError")) return got.message;
    if (!got.error.starts_with(place)) return "raises at " + got.error + " in place of " + place;
    return "";
}
std::string refused(const answer& got, const files::path& file) {
    const std::string said = slurp(file);
    return refused(got, said.substr(0, said.find_last_not_of('\n') + 1));
}
std::string same(const answer& got, const std::string& trace) {
    if (!got.kind.empty()) return got.message;
    return got.trace == trace ? "" : "is\n" + got.trace + "in place of\n" + trace;
}

reasons beginning_with(const reasons& all, const std::string& prefix) {
    reasons some;
    for (const auto& [name, why] : all)
        if (name.starts_with(prefix)) some.emplace(name, why);
    return some;
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

template <class F>
void each_frame(F&& run) {
    for (const frame::codec* codec : frame::all()) {
        if (frame::available(*codec))
            run(std::string(codec->name));
        else
            std::printf("not proven: frames without their libraries\n");
    }
}

}  // namespace

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
        left_out(done, beginning_with(dialect_exceptions(), folder + "/"));
    });
}

TEST_CASE("places") {
    program ruby;
    checks done;
    for (const files::path& file : found_in("json/places", ".in"))
        for (const auto& [name, call] : {std::pair{".Kumihimo", "Kumihimo.load($in, format: 'json', max_nesting: 1024)"},
                                         {".JSON", "JSON.parse($in, max_nesting: 1024)"}})
            done.emplace_back(name_of(file) + name, [&ruby, file, call = call] {
                ruby.give("$in", slurp(file));
                const answer got = ruby.ask("begin; "s + call + "; rescue JSON::ParserError, Kumihimo::ParserError => e; " +
                                            "$error = e; \"#{e.line} #{e.column}\\n\"; end");
                const std::string wrong = same(got, held_text(slurp(beside(file, ".place"))));
                return wrong.empty() ? refused(as_kumihimo(ruby.ask("raise $error")), beside(file, ".error")) : wrong;
            });
    left_out(done, {});
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
    left_out(done, {});
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
    left_out(done, projection_except);
}

TEST_CASE("frames") {
    program ruby;
    each_frame([&](const std::string& frame) {
        checks done;
        const std::string name = in_quotes(frame);
        for (const files::path& file : found_in("frames/" + frame, ".in")) {
            const std::string packed = slurp(file), text = is_ok(file) ? slurp(beside(file, ".out")) : "";
            done.emplace_back(name_of(file), [=, &ruby] {
                ruby.give("$in", packed);
                const answer got = ruby.ask("Kumihimo.unpack($in, " + name + ")");
                if (!is_ok(file)) return refused(got, beside(file, ".error"));
                const std::string wanted = held_text(text);
                ruby.give("$out", text);
                return same(got, wanted) + same(ruby.ask("Kumihimo.unpack($in)"), wanted) +
                       same(ruby.ask("Kumihimo.unpack(Kumihimo.pack($out, " + name + "), " + name + ")"), wanted);
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
        left_out(done, beginning_with(frames_except, "frames/" + frame + "/"));
    });
}

TEST_CASE("streams") {
    program ruby;
    checks done;
    each_format([&](auto row) {
        const std::string format(decltype(row)::name);
        for (const files::path& file : found_in("streams/" + format, ".in"))
            for (const auto& [how, source] : sources)
                done.emplace_back(name_of(file) + how, [&ruby, file, format, source = source] {
                    ruby.give("$in", slurp(file));
                    const std::string wrong = same(ruby.ask("$error = nil; documents("s + source + ", '" + format + "')"),
                                                   expected(file, "array\n", "end\n"));
                    if (!wrong.empty()) return wrong;
                    const answer end = ruby.ask("raise $error unless $error.nil?");
                    if (is_ok(file)) return end.message;
                    // The error's offset is that in the stream.
                    std::string code, path;
                    std::size_t offset = 0;
                    std::istringstream(slurp(beside(file, ".error"))) >> code >> offset >> path;
                    offset += std::stoul(slurp(beside(file, ".start")));
                    return refused(end, code + " " + std::to_string(offset) + " " + path);
                });
    });
    left_out(done, streams_except);
}

TEST_CASE("the format and the frame that are told by bytes") {
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
    left_out(done, {});
}
