// The vectors that every host runs (tests/vectors/README.md), and mruby's values in their notation.
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

/// The trace of what mruby makes of a document: a String is text where it is UTF-8 and bytes where it is not, and an Integer
/// that is too large for it a Float.
class held_by_mruby : public trace_sink {
public:
    using trace_sink::trace_sink;

    errc u64(std::uint64_t n) { return big_integers ? trace_sink::u64(n) : f64(static_cast<double>(n)); }
    errc big(text digits) {
        const std::string s(static_cast<const char*>(digits.data), digits.size);
        return big_integers && s.find_first_of(".eE") == s.npos ? trace_sink::big(digits)
                                                                : f64(std::strtod(s.c_str(), nullptr));
    }
    errc str(text t) { return string(static_cast<const char*>(t.data), t.size); }
    errc bin(bytes b) { return string(reinterpret_cast<const char*>(b.data()), b.size()); }
    errc key(next_value v) { return trace_sink::key(v); }
    errc key(text t) {
        if (is_utf8(static_cast<const char*>(t.data), t.size)) return trace_sink::key(t);
        const errc e = trace_sink::key(next_value{});
        return e == errc::ok ? str(t) : e;
    }

private:
    errc string(const char* p, std::size_t n) {
        if (is_utf8(p, n)) return trace_sink::str(text(p, n, encoding::utf8));
        return trace_sink::bin({reinterpret_cast<const unsigned char*>(p), n});
    }
};

/// Feeds a held_by_mruby.
template <class Feed>
std::string held(Feed feed) {
    buffer out;
    context ctx;
    ctx.limits.depth = static_cast<std::size_t>(-1);
    held_by_mruby to(out, ctx, {.counts = false});
    const errc e = feed(to, ctx);
    return e == errc::ok ? std::string(to.view()) : std::string(name(e));
}
inline std::string held_trace(const std::string& lines) {
    return held([&](held_by_mruby& to, context& ctx) { return trace_source(lines, ctx).feed(to); });
}
inline std::string held_text(const std::string& s) {
    return held([&](held_by_mruby& to, context&) { return to.str(text(s.data(), s.size(), encoding::utf8)); });
}
/// What the file says; `before` and `behind` are lines around it.
inline std::string expected(const files::path& in, const char* before = "", const char* behind = "") {
    return held_trace(before + slurp(files::path(in).replace_extension(".trace")) + behind);
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
            const std::string lines = read ? trace(ruby, v) : "";
            const bool as_said = read && lines == expected(in);
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
