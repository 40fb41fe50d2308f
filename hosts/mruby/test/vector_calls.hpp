// What the runner of the vectors asks a program, and how it judges an answer.
#pragma once
#include "vectors.hpp"

namespace kumihimo::inline v0::mruby::test {

/// How a stream comes, in names and in Ruby.
inline constexpr std::pair<const char*, const char*> sources[] = {
    {".whole", "$in"}, {".by_1", "Pieces.new($in, 1)"}, {".by_3", "Pieces.new($in, 3)"}};

/// What a call gave: the value's trace, or its error as the vectors write it, without the code.
struct answer {
    std::string trace, error, kind, message;
};

/// A program whose calls take a vector's bytes from $in, and give what they made or raised.
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
            mrb_gc_protect(mrb, error);  // place_of() takes it from the VM meanwhile
            out.error = place_of(error);
            out.kind = mrb_obj_classname(mrb, error);
            out.message = failure();
        }
        mrb_gc_arena_restore(mrb, arena);
        return out;
    }

private:
    std::string place_of(mrb_value error) {
        mrb_state* const mrb = state();
        mrb->exc = nullptr;
        const mrb_value path = mrb_iv_get(mrb, error, mrb_intern_lit(mrb, "@path"));
        const std::string offset = shown(mrb_iv_get(mrb, error, mrb_intern_lit(mrb, "@offset")));
        mrb->exc = mrb_obj_ptr(error);
        return offset + (mrb_nil_p(path) ? "" : " " + shown_path(path));
    }
    static std::string shown_path(mrb_value s) { return {RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s))}; }
};

/// JSON's errors are Kumihimo's by another name.
inline answer as_kumihimo(answer got) {
    if (got.kind.starts_with("JSON::")) got.kind.replace(0, 4, "Kumihimo");
    return got;
}

inline std::vector<files::path> found_in(const std::string& folder, const std::string& ending) {
    std::vector<files::path> found;
    for (const auto& entry : files::recursive_directory_iterator(files::path(KUMIHIMO_VECTORS) / folder))
        if (entry.is_regular_file() && entry.path().filename().string().ends_with(ending)) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    REQUIRE(!found.empty());
    return found;
}
inline files::path beside(files::path file, const std::string& ending) { return file.replace_extension(ending); }
inline bool begins(const files::path& file, const char* with) { return file.filename().string().starts_with(with); }
inline bool is_ok(const files::path& file) { return begins(file, "ok-"); }
inline std::string keywords(std::string_view format, std::string_view dialect) {
    return "format: " + in_quotes(format) + ", dialect: " + in_quotes(dialect) + ", timestamp: true, max_nesting: 1024";
}

/// What is wrong with an answer that must be this error: its kind, and offset and path as far as they are said.
inline std::string refused(const answer& got, const std::string& said) {
    const std::size_t behind_code = std::min(said.find(' '), said.size());
    const std::string code = said.substr(0, behind_code);
    const std::string place = behind_code == said.size() ? "" : said.substr(behind_code + 1);
    const bool whole = place.find(' ') != place.npos;  // to the path, which nothing follows
    if (got.kind.empty()) return "is read as\n" + got.trace + "in place of " + said;
    if (got.kind != (code == "depth" ? "Kumihimo::NestingError" : "Kumihimo::ParserError")) return got.message;
    if (whole || place.empty() ? !got.error.starts_with(place) || (whole && got.error != place)
                               : got.error.substr(0, got.error.find(' ')) != place)
        return "raises at " + got.error + " in place of " + place;
    return "";
}
inline std::string refused(const answer& got, const files::path& file) {
    const std::string said = slurp(file);
    return refused(got, said.substr(0, said.find_last_not_of('\n') + 1));
}
/// The value has this trace; an empty one: there is no such value, and the call raises.
inline std::string same(const answer& got, const std::string& trace) {
    if (trace.empty()) return got.kind.empty() ? "is read as\n" + got.trace : "";
    if (!got.kind.empty()) return got.message;
    return got.trace == trace ? "" : "is\n" + got.trace + "in place of\n" + trace;
}
inline std::string is_true(const answer& got) { return same(got, "boolean true\n"); }

}  // namespace kumihimo::inline v0::mruby::test
