// MatchData, and the globals that a match sets: $~ and, where a script names them, $1 and further, $& $` $' $+. They
// are the VM's, not a method's own as in Ruby.
#include <algorithm>
#include <functional>

#include "regexp.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// Bounds in bytes; a group that took no part has pattern::unset twice. A MatchData's data are their number, then they.
struct bounds {
    mrb_int groups = 0;
    const std::size_t* offsets = nullptr;
};
const mrb_data_type match_type = {"MatchData", mrb_free};

bounds bounds_of(mrb_state* mrb, mrb_value self) {
    const auto* const data = static_cast<const std::size_t*>(mrb_data_check_get_ptr(mrb, self, &match_type));
    if (data == nullptr) raise(mrb, "TypeError", "uninitialized MatchData");
    return {static_cast<mrb_int>(data[0]), data + 1};
}

// Both raise for one that is uninitialized, which has neither.
mrb_value string_of(mrb_state* mrb, mrb_value self) {
    bounds_of(mrb, self);
    return mrb_iv_get(mrb, self, mrb_intern_lit(mrb, "string"));
}
mrb_value regexp_of(mrb_state* mrb, mrb_value self) {
    bounds_of(mrb, self);
    return mrb_iv_get(mrb, self, mrb_intern_lit(mrb, "regexp"));
}

mrb_value group(mrb_state* mrb, const bounds& b, mrb_value string, mrb_int i) {
    if (i < 0 || i >= b.groups || b.offsets[2 * i] == pattern::unset) return mrb_nil_value();
    return part_of(mrb, string, b.offsets[2 * i], b.offsets[2 * i + 1]);
}

// A global whose name some script has spelled: others need no value.
bool spelled(mrb_state* mrb, std::string_view name, mrb_sym& symbol) {
    symbol = mrb_intern_check(mrb, name.data(), name.size());
    return symbol != 0;
}

constexpr mrb_int most_numbered = 99;

mrb_sym number_symbol(mrb_state* mrb, mrb_int i) {
    char name[4] = {'$'};
    std::size_t n = 1;
    if (i >= 10) name[n++] = static_cast<char>('0' + i / 10);
    name[n++] = static_cast<char>('0' + i % 10);
    return mrb_intern_check(mrb, name, n);
}

void set_globals(mrb_state* mrb, mrb_value match) {
    const mrb_sym last = mrb_intern_lit(mrb, "$~");
    const mrb_value before = mrb_gv_get(mrb, last);
    if (mrb_nil_p(match) && mrb_nil_p(before)) return;
    mrb_gv_set(mrb, last, match);
    mrb_int was = 0;
    if (mrb_type(before) == MRB_TT_DATA && DATA_TYPE(before) == &match_type) was = bounds_of(mrb, before).groups;
    const bounds b = mrb_nil_p(match) ? bounds() : bounds_of(mrb, match);
    const mrb_value string = b.groups == 0 ? match : string_of(mrb, match);
    const int ai = mrb_gc_arena_save(mrb);
    for (mrb_int i = 1; i < std::max(b.groups, was) && i <= most_numbered; ++i) {
        const mrb_sym name = number_symbol(mrb, i);
        if (name == 0) continue;
        mrb_gv_set(mrb, name, group(mrb, b, string, i));
        mrb_gc_arena_restore(mrb, ai);
    }
    mrb_sym name;
    const auto set = [&](std::string_view spelling, auto value) {
        if (!spelled(mrb, spelling, name)) return;
        mrb_gv_set(mrb, name, b.groups == 0 ? mrb_nil_value() : value());
        mrb_gc_arena_restore(mrb, ai);
    };
    set("$&", [&] { return group(mrb, b, string, 0); });
    set("$`", [&] { return part_of(mrb, string, 0, b.offsets[0]); });
    set("$'", [&] { return part_of(mrb, string, b.offsets[1], bytes_of(string).size()); });
    set("$+", [&] {
        mrb_int i = b.groups - 1;
        while (i > 0 && b.offsets[2 * i] == pattern::unset) --i;
        return i == 0 ? mrb_nil_value() : group(mrb, b, string, i);
    });
}

std::size_t* copied(mrb_state* mrb, const std::size_t* offsets, mrb_int groups) {
    auto* const b =
        static_cast<std::size_t*>(mrb_malloc(mrb, (1 + 2 * static_cast<std::size_t>(groups)) * sizeof(std::size_t)));
    b[0] = static_cast<std::size_t>(groups);
    std::copy(offsets, offsets + 2 * groups, b + 1);
    return b;
}

mrb_value make(mrb_state* mrb, mrb_value regexp, mrb_value string, const std::size_t* offsets, mrb_int groups) {
    RClass* const c = mrb_class_get(mrb, "MatchData");
    RData* const data = mrb_data_object_alloc(mrb, c, nullptr, &match_type);
    const mrb_value self = mrb_obj_value(data);
    data->data = copied(mrb, offsets, groups);
    mrb_iv_set(mrb, self, mrb_intern_lit(mrb, "string"), string);
    mrb_iv_set(mrb, self, mrb_intern_lit(mrb, "regexp"), regexp);
    set_globals(mrb, self);
    return self;
}

// --- methods ----------------------------------------------------------------------------------------------------------------

// From the end only groups are counted, never the whole match. -1: none.
mrb_int counted(mrb_int i, mrb_int groups) noexcept {
    if (i >= 0) return i < groups ? i : -1;
    return i + groups > 0 ? i + groups : -1;
}

// The group of a name, by the regular expression that was matched; -1: none.
mrb_int named(mrb_state* mrb, mrb_value self, mrb_value name) {
    const bounds b = bounds_of(mrb, self);
    if (mrb_integer_p(name)) {
        return counted(mrb_integer(name), b.groups);
    }
    const mrb_value regexp = regexp_of(mrb, self);
    if (!is_regexp(regexp))
        raise(mrb, mrb_exc_new_str(mrb, mrb_class_get(mrb, "IndexError"),
                                   mrb_format(mrb, "undefined group name reference: %v", name)));
    return group_number(mrb, pattern_of(mrb, regexp), name, b.offsets);
}

mrb_value to_array(mrb_state* mrb, mrb_value self, mrb_int from) {
    const bounds b = bounds_of(mrb, self);
    const mrb_value string = string_of(mrb, self), list = mrb_ary_new_capa(mrb, b.groups - from);
    const int ai = mrb_gc_arena_save(mrb);
    for (mrb_int i = from; i < b.groups; ++i) {
        mrb_ary_push(mrb, list, group(mrb, b, string, i));
        mrb_gc_arena_restore(mrb, ai);
    }
    return list;
}

mrb_value match_to_a(mrb_state* mrb, mrb_value self) { return to_array(mrb, self, 0); }
mrb_value match_captures(mrb_state* mrb, mrb_value self) { return to_array(mrb, self, 1); }

mrb_value match_index(mrb_state* mrb, mrb_value self) {
    const mrb_value* v;
    mrb_int n;
    mrb_get_args(mrb, "*", &v, &n);
    if (n == 1 && (mrb_integer_p(v[0]) || mrb_string_p(v[0]) || mrb_symbol_p(v[0]))) {
        return group(mrb, bounds_of(mrb, self), string_of(mrb, self), named(mrb, self, v[0]));
    }
    return mrb_funcall_argv(mrb, to_array(mrb, self, 0), mrb_intern_lit(mrb, "[]"), n, v);
}

// The group of an argument, which must be one.
mrb_int group_argument(mrb_state* mrb, mrb_value self) {
    mrb_value v;
    mrb_get_args(mrb, "o", &v);
    if (!mrb_integer_p(v) && !mrb_string_p(v) && !mrb_symbol_p(v))
        raise(mrb, "TypeError", "a group is an Integer, a String or a Symbol");
    const mrb_int i = mrb_integer_p(v) && mrb_integer(v) < 0 ? -1 : named(mrb, self, v);
    if (i < 0)
        raise(mrb, mrb_exc_new_str(mrb, mrb_class_get(mrb, "IndexError"), mrb_format(mrb, "index %v out of matches", v)));
    return i;
}

mrb_value bound(mrb_state* mrb, const bounds& b, mrb_int i, int which) {
    return b.offsets[2 * i] == pattern::unset ? mrb_nil_value()
                                              : mrb_int_value(mrb, static_cast<mrb_int>(b.offsets[2 * i + which]));
}

mrb_value match_begin(mrb_state* mrb, mrb_value self) {
    const mrb_int i = group_argument(mrb, self);
    return bound(mrb, bounds_of(mrb, self), i, 0);
}
mrb_value match_end(mrb_state* mrb, mrb_value self) {
    const mrb_int i = group_argument(mrb, self);
    return bound(mrb, bounds_of(mrb, self), i, 1);
}
mrb_value match_offset(mrb_state* mrb, mrb_value self) {
    const mrb_int i = group_argument(mrb, self);
    const bounds b = bounds_of(mrb, self);
    const mrb_value two[] = {bound(mrb, b, i, 0), bound(mrb, b, i, 1)};
    return mrb_ary_new_from_values(mrb, 2, two);
}

mrb_value match_pre(mrb_state* mrb, mrb_value self) {
    return part_of(mrb, string_of(mrb, self), 0, bounds_of(mrb, self).offsets[0]);
}
mrb_value match_post(mrb_state* mrb, mrb_value self) {
    const mrb_value string = string_of(mrb, self);
    return part_of(mrb, string, bounds_of(mrb, self).offsets[1], bytes_of(string).size());
}
mrb_value match_to_s(mrb_state* mrb, mrb_value self) { return group(mrb, bounds_of(mrb, self), string_of(mrb, self), 0); }
mrb_value match_size(mrb_state* mrb, mrb_value self) { return mrb_int_value(mrb, bounds_of(mrb, self).groups); }
mrb_value match_string(mrb_state* mrb, mrb_value self) { return string_of(mrb, self); }
mrb_value match_regexp(mrb_state* mrb, mrb_value self) { return regexp_of(mrb, self); }

mrb_value match_names(mrb_state* mrb, mrb_value self) {
    const mrb_value regexp = regexp_of(mrb, self);
    return is_regexp(regexp) ? names_of(mrb, regexp) : mrb_ary_new(mrb);
}

mrb_value match_named_captures(mrb_state* mrb, mrb_value self) {
    const mrb_value names = match_names(mrb, self), result = mrb_hash_new(mrb);
    const mrb_value string = string_of(mrb, self);
    for (mrb_int i = 0; i < RARRAY_LEN(names); ++i) {
        const mrb_value name = mrb_ary_entry(names, i);
        const mrb_int which = named(mrb, self, name);
        mrb_hash_set(mrb, result, name, group(mrb, bounds_of(mrb, self), string, which));
    }
    return result;
}

mrb_value match_values_at(mrb_state* mrb, mrb_value self) {
    const mrb_value* v;
    mrb_int n;
    mrb_get_args(mrb, "*", &v, &n);
    const mrb_value list = mrb_ary_new_capa(mrb, n), string = string_of(mrb, self);
    const bounds b = bounds_of(mrb, self);
    for (mrb_int k = 0; k < n; ++k) {
        mrb_int begin, count;
        if (mrb_type(v[k]) != MRB_TT_RANGE) {
            mrb_ary_push(mrb, list, group(mrb, b, string, named(mrb, self, v[k])));
            continue;
        }
        // What lies behind the groups is nil, as far as the range goes.
        if (mrb_range_beg_len(mrb, v[k], &begin, &count, b.groups, FALSE) != MRB_RANGE_OK)
            raise(mrb, mrb_exc_new_str(mrb, mrb_class_get(mrb, "RangeError"), mrb_format(mrb, "%v out of range", v[k])));
        for (mrb_int i = begin; i < begin + count; ++i) mrb_ary_push(mrb, list, group(mrb, b, string, i));
    }
    return list;
}

// Empty: the group has none.
std::string_view name_of(const pattern& p, unsigned group) noexcept {
    std::string_view name;
    unsigned owner = 0;
    for (unsigned i = 0; p.name(i, name, owner); ++i) {
        if (owner == group) return name;
    }
    return {};
}

mrb_value match_inspect(mrb_state* mrb, mrb_value self) {
    const bounds b = bounds_of(mrb, self);
    const mrb_value string = string_of(mrb, self), regexp = regexp_of(mrb, self);
    growing_string out(mrb, 64);
    out.put("#<MatchData ");
    for (mrb_int i = 0; i < b.groups; ++i) {
        const int ai = mrb_gc_arena_save(mrb);
        if (i != 0) {
            const std::string_view name =
                is_regexp(regexp) ? name_of(pattern_of(mrb, regexp), static_cast<unsigned>(i)) : std::string_view();
            out.put(' ');
            out.put(name.empty() ? bytes_of(mrb_integer_to_str(mrb, mrb_fixnum_value(i), 10)) : name);
            out.put(':');
        }
        out.put(bytes_of(mrb_inspect(mrb, group(mrb, b, string, i))));
        mrb_gc_arena_restore(mrb, ai);
    }
    out.put('>');
    return out.take();
}

mrb_value match_equal(mrb_state* mrb, mrb_value self) {
    mrb_value other;
    mrb_get_args(mrb, "o", &other);
    if (mrb_type(other) != MRB_TT_DATA || DATA_TYPE(other) != &match_type) return mrb_false_value();
    const bounds a = bounds_of(mrb, self), b = bounds_of(mrb, other);
    if (a.groups != b.groups || !std::equal(a.offsets, a.offsets + 2 * a.groups, b.offsets)) return mrb_false_value();
    if (!mrb_equal(mrb, string_of(mrb, self), string_of(mrb, other))) return mrb_false_value();
    return mrb_bool_value(mrb_equal(mrb, regexp_of(mrb, self), regexp_of(mrb, other)));
}

mrb_value match_hash(mrb_state* mrb, mrb_value self) {
    const bounds b = bounds_of(mrb, self);
    const auto bytes = [](const void* p, std::size_t n) {
        return std::hash<std::string_view>{}({static_cast<const char*>(p), n});
    };
    const std::string_view string = bytes_of(string_of(mrb, self));
    const std::size_t h =
        bytes(string.data(), string.size()) * 31 ^ bytes(b.offsets, 2 * static_cast<std::size_t>(b.groups) * sizeof *b.offsets);
    return mrb_int_value(mrb, static_cast<mrb_int>(h >> 3));
}

mrb_value match_initialize_copy(mrb_state* mrb, mrb_value self) {
    mrb_value from;
    mrb_get_args(mrb, "o", &from);
    if (mrb_obj_equal(mrb, self, from)) return self;
    if (!mrb_obj_is_kind_of(mrb, from, mrb_obj_class(mrb, self))) {
        raise(mrb, mrb_exc_new_str(mrb, mrb_class_get(mrb, "TypeError"),
                                   mrb_format(mrb, "wrong argument type %t (expected MatchData)", from)));
    }
    // Natives hold bounds while they call a script's code.
    if (DATA_PTR(self) != nullptr) raise(mrb, "TypeError", "already initialized MatchData");
    const bounds b = bounds_of(mrb, from);
    mrb_iv_set(mrb, self, mrb_intern_lit(mrb, "string"), string_of(mrb, from));
    mrb_iv_set(mrb, self, mrb_intern_lit(mrb, "regexp"), regexp_of(mrb, from));
    DATA_PTR(self) = copied(mrb, b.offsets, b.groups);
    DATA_TYPE(self) = &match_type;
    return self;
}

}  // namespace

mrb_value remember_match(mrb_state* mrb, mrb_value regexp, pattern& p, mrb_value string) {
    return make(mrb, regexp, string, pattern::offsets(), p.groups());
}

mrb_value remember_match(mrb_state* mrb, mrb_value string, std::size_t begin, std::size_t end) {
    const std::size_t offsets[] = {begin, end};
    return make(mrb, part_of(mrb, string, begin, end), string, offsets, 1);
}

void forget_match(mrb_state* mrb) { set_globals(mrb, mrb_nil_value()); }

mrb_int group_number(mrb_state* mrb, pattern& p, mrb_value name, const std::size_t* bounds) {
    if (mrb_integer_p(name)) {
        return counted(mrb_integer(name), static_cast<mrb_int>(p.groups()));
    }
    const std::string_view spelling =
        mrb_symbol_p(name) ? bytes_of(mrb, mrb_symbol(name)) : bytes_of(mrb_ensure_string_type(mrb, name));
    const unsigned group = p.group_of(spelling, bounds);
    if (group == 0) {
        raise(mrb, mrb_exc_new_str(mrb, mrb_class_get(mrb, "IndexError"),
                                   mrb_format(mrb, "undefined group name reference: %v", name)));
    }
    return group;
}

void define_match_data(mrb_state* mrb, RClass*) {
    RClass* const c = mrb_define_class(mrb, "MatchData", mrb->object_class);
    MRB_SET_INSTANCE_TT(c, MRB_TT_DATA);
    mrb_undef_class_method(mrb, c, "new");
    const auto on = [&](const char* name, mrb_func_t f, mrb_aspec args) { mrb_define_method(mrb, c, name, f, args); };
    on("[]", match_index, MRB_ARGS_ARG(1, 1));
    on("begin", match_begin, MRB_ARGS_REQ(1));
    on("end", match_end, MRB_ARGS_REQ(1));
    on("offset", match_offset, MRB_ARGS_REQ(1));
    on("byteoffset", match_offset, MRB_ARGS_REQ(1));
    on("pre_match", match_pre, MRB_ARGS_NONE());
    on("post_match", match_post, MRB_ARGS_NONE());
    on("captures", match_captures, MRB_ARGS_NONE());
    on("named_captures", match_named_captures, MRB_ARGS_NONE());
    on("names", match_names, MRB_ARGS_NONE());
    on("to_a", match_to_a, MRB_ARGS_NONE());
    on("to_s", match_to_s, MRB_ARGS_NONE());
    on("values_at", match_values_at, MRB_ARGS_ANY());
    on("string", match_string, MRB_ARGS_NONE());
    on("regexp", match_regexp, MRB_ARGS_NONE());
    on("size", match_size, MRB_ARGS_NONE());
    on("length", match_size, MRB_ARGS_NONE());
    on("inspect", match_inspect, MRB_ARGS_NONE());
    on("==", match_equal, MRB_ARGS_REQ(1));
    on("eql?", match_equal, MRB_ARGS_REQ(1));
    on("hash", match_hash, MRB_ARGS_NONE());
    on("initialize_copy", match_initialize_copy, MRB_ARGS_REQ(1));
}

}  // namespace kumihimo::inline v0::mruby
