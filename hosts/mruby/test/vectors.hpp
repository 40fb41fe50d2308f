// The vectors that every host runs (tests/vectors/README.md), and mruby's values in their notation.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../src/floats.hpp"
#include "../vm/layout.hpp"
#include "engine/scalar/utf8.hpp"
#include "plain.hpp"

namespace kumihimo::inline v0::mruby::test {

namespace files = std::filesystem;

inline std::string slurp(const files::path& p) {
    std::ifstream in(p, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string text_line(std::string_view s) {
    std::string out = "\"";
    const char* p = s.data();
    const char* const e = p + s.size();
    while (p != e) {
        char hex[16];
        const scalar::decoded d = scalar::decode_utf8(p, e);
        if (d.length == 0) {
            std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned char>(*p++));
            out += hex;
            continue;
        }
        p += d.length;
        if (d.scalar == '"' || d.scalar == '\\') out += '\\';
        if (d.scalar >= 0x20 && d.scalar <= 0x7e) {
            out += static_cast<char>(d.scalar);
        } else {
            std::snprintf(hex, sizeof hex, "\\u{%x}", static_cast<unsigned>(d.scalar));
            out += hex;
        }
    }
    return out + '"';
}
// A Float is what is left of the double.
inline std::string float_line(double x) {
    char line[40];
    const auto bits = x != x ? 0x7ff8000000000000
                             : std::bit_cast<std::uint64_t>(x) & (floats_are_cut ? ~std::uint64_t{3} : ~std::uint64_t{0});
    std::snprintf(line, sizeof line, "f64 0x%016llx\n", static_cast<unsigned long long>(bits));
    return line;
}

inline void trace(mrb_state* mrb, mrb_value v, std::string& out) {
    const auto part = [&](const char* name) { return mrb_iv_get(mrb, v, mrb_intern_cstr(mrb, name)); };
    const auto bytes = [](mrb_value s) { return std::string_view(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s))); };
    if (mrb_nil_p(v)) {
        out += "null\n";
    } else if (mrb_true_p(v) || mrb_false_p(v)) {
        out += mrb_true_p(v) ? "boolean true\n" : "boolean false\n";
    } else if (mrb_integer_p(v)) {
        out += "i64 " + std::to_string(mrb_integer(v)) + "\n";
    } else if (is_big(v)) {
        const std::string digits(bytes(mrb_inspect(mrb, v)));
        const bool fits = digits[0] != '-' && (digits.size() < 20 || (digits.size() == 20 && digits <= "18446744073709551615"));
        out += (fits ? "u64 " : "big ") + digits + "\n";
    } else if (mrb_float_p(v)) {
        out += float_line(mrb_float(v));
    } else if (mrb_string_p(v)) {
        out += "str " + text_line(bytes(v)) + "\n";
    } else if (mrb_array_p(v)) {
        out += "array\n";
        for (mrb_int i = 0; i < RARRAY_LEN(v); ++i) trace(mrb, RARRAY_PTR(v)[i], out);
        out += "end\n";
    } else if (mrb_hash_p(v)) {
        out += "map\n";
        const mrb_value keys = mrb_hash_keys(mrb, v);
        for (mrb_int i = 0; i < RARRAY_LEN(keys); ++i) {
            const mrb_value k = RARRAY_PTR(keys)[i];
            out += mrb_string_p(k) ? "key " + text_line(bytes(k)) + "\n" : "key\n";
            if (!mrb_string_p(k)) trace(mrb, k, out);
            trace(mrb, mrb_hash_get(mrb, v, k), out);
        }
        out += "end\n";
    } else if (mrb_obj_classname(mrb, v) == std::string("MessagePack::Timestamp")) {
        out +=
            "time utc " + std::to_string(mrb_integer(part("@sec"))) + " " + std::to_string(mrb_integer(part("@nsec"))) + " 0\n";
    } else {
        out += "ext " + std::to_string(mrb_integer(part("@type"))) + " 0x";
        char hex[4];
        for (const char c : bytes(part("@payload"))) {
            std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned char>(c));
            out += hex;
        }
        out += "\n";
    }
}

// What the file says, as mruby can hold it: in 3.1 no integer beyond 64 bits with sign, no double's last two bits, no bytes
// beside text.
inline std::string expected(const files::path& in) {
    std::istringstream lines(slurp(files::path(in).replace_extension(".trace")));
    std::string out, line;
    while (std::getline(lines, line)) {
        if (line.rfind("f64 ", 0) == 0) {
            out += float_line(std::bit_cast<double>(static_cast<std::uint64_t>(std::stoull(line.substr(4, 18), nullptr, 16))));
        } else if ((line.rfind("u64 ", 0) == 0 || line.rfind("big ", 0) == 0) &&
                   (!big_integers || line.find_first_of(".eE") != line.npos)) {
            out += float_line(std::strtod(line.c_str() + 4, nullptr));
        } else if (line.rfind("bin 0x", 0) == 0) {
            std::string raw;
            for (std::size_t i = 6; i + 1 < line.size(); i += 2)
                raw += static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16));
            out += "str " + text_line(raw) + "\n";
        } else {
            out += line + "\n";
        }
    }
    return out;
}

using reasons = std::map<std::string, const char*>;                                // by name: why a vector is left out
using checks = std::vector<std::pair<std::string, std::function<std::string()>>>;  // by name: what is wrong, or nothing

/// What fails needs a reason, by its name or by what stands before the first dot of it, and every reason must be needed.
inline void left_out(const checks& done, const reasons& why) {
    CHECK(!done.empty());
    std::set<std::string> needed;
    for (const auto& [name, check] : done) {
        const std::string wrong = check();
        if (wrong.empty()) continue;
        const std::string reason = why.contains(name) ? name : name.substr(0, name.find('.'));
        CHECK_MESSAGE(why.contains(reason), name << ": " << wrong);
        needed.insert(reason);
    }
    for (const auto& [name, because] : why)
        CHECK_MESSAGE(needed.contains(name), name << " is left out without need: " << because);
}

/// What a call has otherwise than the vectors.
struct exceptions {
    reasons values;                        // what mruby's values cannot hold
    bool (*takes)(const std::string& id);  // what it reads though the vectors refuse it
};

inline void run_vectors(const std::string& format, const char* module, const char* function, const std::string& options,
                        const exceptions& otherwise) {
    const files::path folder = KUMIHIMO_VECTORS;
    std::vector<files::path> found;
    for (const auto& entry : files::recursive_directory_iterator(folder / format))
        if (entry.path().extension() == ".in") found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    REQUIRE(found.size() > 50);
    plain ruby;
    mrb_state* const mrb = ruby.state();
    const mrb_value given = mrb_load_string(mrb, options.c_str());
    mrb_gc_register(mrb, given);
    for (const files::path& in : found) {
        const int arena = mrb_gc_arena_save(mrb);
        const std::string id = files::path(in).replace_extension("").lexically_relative(folder).generic_string();
        const std::string name = in.stem().string();
        const mrb_value v = ruby.call(module, function, ruby.string(slurp(in)), given);
        const bool read = mrb->exc == nullptr;
        if (name.rfind("ok-", 0) == 0) {
            std::string lines;
            if (read) trace(mrb, v, lines);
            const bool as_said = read && lines == expected(in);
            CHECK_MESSAGE(as_said != otherwise.values.contains(id), id);
        } else if (name.rfind("err-", 0) == 0 && !otherwise.takes(id)) {
            CHECK_MESSAGE(!read, id);
            std::istringstream error(slurp(files::path(in).replace_extension(".error")));
            std::string code, offset;
            error >> code >> offset;
            if (!read && !offset.empty()) {
                const mrb_value thrown = mrb_obj_value(mrb->exc);
                mrb->exc = nullptr;
                const mrb_value at = mrb_iv_get(mrb, thrown, mrb_intern_lit(mrb, "@offset"));
                CHECK_MESSAGE(ruby.shown(at) == offset, id);
            }
        }
        mrb->exc = nullptr;
        mrb_gc_arena_restore(mrb, arena);
    }
}

}  // namespace kumihimo::inline v0::mruby::test
