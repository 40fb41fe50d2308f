// The files of tests/vectors (its README has the layout and the notation), and the traces of mruby's values.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
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

#include "../src/any_format.hpp"
#include "../src/floats.hpp"
#include "../src/text.hpp"
#include "../vm/layout.hpp"
#include "engine/core/trace.hpp"
#include "plain.hpp"

namespace kumihimo::inline v0::mruby::test {

namespace files = std::filesystem;

inline std::string slurp(const files::path& p) {
    std::ifstream in(p, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// What the walk of Kumihimo.dump says of a value, or what it raises.
inline std::string trace(plain& ruby, mrb_value v) {
    mrb_state* const mrb = ruby.state();
    RClass* const of_test = mrb_define_module(mrb, "Trace");
    const auto call = [](mrb_state* m, mrb_value) {
        mrb_value of;
        mrb_get_args(m, "o", &of);
        return trace_of(m, of, 0);
    };
    mrb_define_module_function(mrb, of_test, "of", call, MRB_ARGS_REQ(1));
    return ruby.shown(ruby.call("Trace", "of", v));
}

inline std::string name_of(const files::path& file) {
    return files::path(file).replace_extension("").lexically_relative(KUMIHIMO_VECTORS).generic_string();
}

/// What mruby's values hold otherwise than a trace says, by its name; empty where there is no such value.
inline const std::map<std::string, std::string>& held() {
    static const auto all = [] {
        std::map<std::string, std::string> found;
        std::istringstream in(slurp(files::path(KUMIHIMO_VECTORS) / "held" / (big_integers ? "mruby" : "mruby-int64")));
        std::string* trace = nullptr;
        for (std::string line; std::getline(in, line);) {
            if (line.starts_with("= "))
                trace = &found[line.substr(2)];
            else if (trace != nullptr)
                *trace += line + "\n";
        }
        return found;
    }();
    return all;
}
/// The names of those that were asked for.
inline std::set<std::string>& asked() {
    static std::set<std::string> names;
    return names;
}
/// What the trace of the file's value is here.
inline std::string expected(const files::path& in) {
    const files::path trace = files::path(in).replace_extension(".trace");
    asked().insert(name_of(trace));
    const auto at = held().find(name_of(trace));
    return at == held().end() ? slurp(trace) : at->second;
}

using reasons = std::map<std::string, const char*>;                                // by name: why a vector is left out
using checks = std::vector<std::pair<std::string, std::function<std::string()>>>;  // by name: what is wrong, or nothing

/// What a call has otherwise than the vectors.
struct exceptions {
    reasons values;                        // what it makes another value of
    bool (*takes)(const std::string& id);  // what it reads though the vectors refuse it
};

inline constexpr const char* cut = "a Float is what is left of the double";
inline constexpr const char* beyond = "an Integer has 64 bits with sign";

/// The documents whose numbers this mruby does not hold, whoever reads them.
inline void add_number_exceptions(reasons& all) {
    if (mruby::floats_are_cut)
        for (const char* name : {"cbor/big/ok-decimal-bignum", "json/numbers/ok-above-tie", "json/numbers/ok-least",
                                 "json/numbers/ok-most", "json/numbers/ok-rounds-to-most"})
            all.emplace(name, cut);
    if (mruby::floats_are_cut && !mruby::big_integers)
        for (const char* name :
             {"cbor/integers/ok-2-to-63", "cbor/integers/ok-minus-2-to-63-less-1", "json/numbers/ok-integer-below",
              "json/numbers/ok-u64-least", "msgpack/integers/ok-uint-64-2-to-63", "tagged/integers/ok-uint64-first",
              "tagged/study/ok-decimal-beyond-int64"})
            all.emplace(name, beyond);
}

/// The documents of a format by a call that is named after another library's.
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
        const std::string id = name_of(in);
        const std::string name = in.stem().string();
        const mrb_value v = ruby.call(module, function, ruby.string(slurp(in)), given);
        const bool read = mrb->exc == nullptr;
        if (name.rfind("ok-", 0) == 0) {
            const std::string lines = read ? trace(ruby, v) : "";
            const bool as_said = lines == expected(in);
            CHECK_MESSAGE(as_said != otherwise.values.contains(id), id << ":\n" << lines);
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
