// What the fuzz targets share beside the engine's: one mruby program for all inputs, and plain second implementations.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "../../../fuzz/support.hpp"
#include "../test/plain.hpp"

namespace fuzz {

/// A part that a reader gives lies in what it was given.
inline void expect_within(std::string_view part, std::string_view whole) {
    if (part.empty()) return;
    expect(part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size(), "a part from elsewhere");
}

/// At most `most` fields, with `between` between them; the last has the rest.
inline std::vector<std::string_view> split(std::string_view s, char between, std::size_t most) {
    std::vector<std::string_view> fields;
    while (fields.size() + 1 < most && s.find(between) != s.npos) {
        fields.push_back(s.substr(0, s.find(between)));
        s.remove_prefix(s.find(between) + 1);
    }
    fields.push_back(s);
    return fields;
}

/// What is written with %, byte by byte.
inline std::string plain_decode(std::string_view s, bool plus_is_space) {
    const auto digit = [](char c) {
        return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    };
    std::string out;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const bool two = s[i] == '%' && i + 2 < s.size() && digit(s[i + 1]) >= 0 && digit(s[i + 2]) >= 0;
        out += two ? static_cast<char>(digit(s[i + 1]) * 16 + digit(s[i + 2])) : plus_is_space && s[i] == '+' ? ' ' : s[i];
        if (two) i += 2;
    }
    return out;
}

/// mruby with the library, for one input: what the input made is garbage behind it.
class ruby {
public:
    explicit ruby(bool collect) : arena_(mrb_gc_arena_save(all().state())), usual_(state()->gc.interval_ratio) {
        if (collect) all().collect_always();
    }
    ~ruby() {
        mrb_gc_arena_restore(state(), arena_);
        state()->gc.interval_ratio = usual_;
    }
    ruby(const ruby&) = delete;
    ruby& operator=(const ruby&) = delete;

    mrb_state* state() { return all().state(); }
    mrb_value string(std::string_view s) { return mrb_str_new(state(), s.data(), static_cast<mrb_int>(s.size())); }
    /// Of::name(argument, more). False when it raised, which may only be one of `errors`, up to a space between them.
    bool call(mrb_value& out, std::string_view errors, const char* class_name, const char* name, mrb_value argument,
              mrb_value more = mrb_undef_value()) {
        const mrb_value arguments[] = {argument, more};
        return call(out, errors, class_name, name, arguments, mrb_undef_p(more) ? 1 : 2);
    }
    bool call(mrb_value& out, std::string_view errors, const char* class_name, const char* name, const mrb_value* arguments,
              mrb_int n) {
        const mrb_value receiver =
            mrb_const_get(state(), mrb_obj_value(state()->object_class), mrb_intern_cstr(state(), class_name));
        out = mrb_funcall_argv(state(), receiver, mrb_intern_cstr(state(), name), n, arguments);
        if (state()->exc == nullptr) return true;
        said_ = all().failure();
        if ((" " + std::string(errors) + " ").find(" " + said_.substr(0, said_.find(": ")) + " ") == std::string::npos)
            stop(said_.c_str(), name, errors);
        return false;
    }
    /// The same where it must go well.
    mrb_value must(const char* class_name, const char* name, mrb_value argument, mrb_value more = mrb_undef_value()) {
        mrb_value out;
        call(out, "", class_name, name, argument, more);
        return out;
    }
    /// "Class: message" of the last call that raised.
    const std::string& said() const noexcept { return said_; }
    /// Equality of what documents and forms hold. mruby's own, in 3.1, takes two Integers beyond 62 bits for different
    /// whatever they are.
    bool same(mrb_value a, mrb_value b) {
        if (mrb_type(a) != mrb_type(b)) return false;
        if (mrb_integer_p(a)) return mrb_integer(a) == mrb_integer(b);
        if (mrb_hash_p(a)) {
            return same(mrb_hash_keys(state(), a), mrb_hash_keys(state(), b)) &&
                   same(mrb_hash_values(state(), a), mrb_hash_values(state(), b));
        }
        if (!mrb_array_p(a)) return mrb_equal(state(), a, b);
        bool all_same = RARRAY_LEN(a) == RARRAY_LEN(b);
        for (mrb_int i = 0; i < RARRAY_LEN(a) && all_same; ++i) all_same = same(RARRAY_PTR(a)[i], RARRAY_PTR(b)[i]);
        return all_same;
    }
    /// A method without arguments, which must go well.
    mrb_value ask(mrb_value object, const char* name) {
        const mrb_value out = mrb_funcall_argv(state(), object, mrb_intern_cstr(state(), name), 0, nullptr);
        if (state()->exc != nullptr) stop(all().failure().c_str(), name);
        return out;
    }
    void set(mrb_value hash, const char* name, mrb_value v) {
        mrb_hash_set(state(), hash, mrb_symbol_value(mrb_intern_cstr(state(), name)), v);
    }
    mrb_value get(mrb_value hash, const char* name) {
        return mrb_hash_get(state(), hash, mrb_symbol_value(mrb_intern_cstr(state(), name)));
    }

private:
    static mruby::test::plain& all() {
        static mruby::test::plain one;
        return one;
    }
    int arena_, usual_;
    std::string said_;
};

inline std::string_view text_of(mrb_value v) {
    expect(mrb_string_p(v), "no String");
    return {RSTRING_PTR(v), static_cast<std::size_t>(RSTRING_LEN(v))};
}

}  // namespace fuzz
