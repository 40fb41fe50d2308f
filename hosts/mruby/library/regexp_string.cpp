// String's methods that search once, and split: with a Regexp here, with anything else mruby's own, which is called in
// the same frame and so reads the same arguments.
#include <algorithm>

#include "../src/blocks.hpp"
#include "../src/characters.hpp"
#include "../vm/stock_method.hpp"
#include "bytes.hpp"
#include "regexp.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// mruby's own, the same in every VM of the process.
enum own : std::size_t { own_aref, own_aset, own_index, own_rindex, own_split, own_start_with, own_include, own_count };
stock_method mrubys[own_count];

#ifdef MRB_UTF8_STRING
constexpr bool bytes_are_places = false;
#else
constexpr bool bytes_are_places = true;
#endif

mrb_value call_own(own which, mrb_state* mrb, mrb_value self) { return mrubys[which](mrb, self); }

mrb_value integer(mrb_state* mrb, std::size_t n) { return mrb_int_value(mrb, static_cast<mrb_int>(n)); }

mrb_int integer_argument(mrb_state* mrb, mrb_value v) { return mrb_integer(mrb_ensure_int_type(mrb, v)); }

// --- one match --------------------------------------------------------------------------------------------------------------

mrb_value string_find(mrb_state* mrb, mrb_value self) {
    mrb_value other;
    mrb_get_args(mrb, "o", &other);
    if (mrb_string_p(other)) raise(mrb, "TypeError", "type mismatch: String given");
    return mrb_funcall_argv(mrb, other, mrb_intern_lit(mrb, "=~"), 1, &self);
}

mrb_value as_regexp(mrb_state* mrb, mrb_value v) {
    return is_regexp(v) ? v : mrb_obj_new(mrb, mrb_class_get(mrb, "Regexp"), 1, &v);
}

template <bool ask>
mrb_value string_match(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    need(mrb, a.n, 1, 2);
    const mrb_value regexp = as_regexp(mrb, a.v[0]);
    const mrb_value args[] = {self, a.n == 2 ? a.v[1] : mrb_fixnum_value(0)};
    const mrb_value found =
        mrb_funcall_argv(mrb, regexp, ask ? mrb_intern_lit(mrb, "match?") : mrb_intern_lit(mrb, "match"), 2, args);
    return ask || mrb_nil_p(found) || mrb_nil_p(a.block) ? found : yield_last(mrb, a.block, found);
}

// The bounds of a group of the first match, in `begin` and `end`. False: none; a group beyond raises if it must be.
bool find_group(mrb_state* mrb, mrb_value self, mrb_value regexp, mrb_value group, bool must, std::size_t& begin,
                std::size_t& end) {
    const mrb_value string = frozen_copy(mrb, self);
    pattern& p = pattern_of(mrb, regexp);
    if (!match(mrb, regexp, p, subject_of(mrb, string), 0)) {
        forget_match(mrb);
        if (must) raise(mrb, "IndexError", "regexp not matched");
        return false;
    }
    const std::size_t* const offsets = pattern::offsets();
    const mrb_int i =
        mrb_nil_p(group)
            ? 0
            : group_number(mrb, p, mrb_float_p(group) ? mrb_fixnum_value(static_cast<mrb_int>(mrb_float(group))) : group,
                           offsets);
    begin = i < 0 ? pattern::unset : offsets[2 * i];
    end = i < 0 ? pattern::unset : offsets[2 * i + 1];
    remember_match(mrb, regexp, p, string);
    if (must && i < 0)
        raise(mrb, mrb_exc_new_str(mrb, mrb_class_get(mrb, "IndexError"), mrb_format(mrb, "index %v out of regexp", group)));
    if (must && begin == pattern::unset)
        raise(mrb,
              mrb_exc_new_str(mrb, mrb_class_get(mrb, "IndexError"), mrb_format(mrb, "regexp group %v not matched", group)));
    return begin != pattern::unset;
}

// Strings that mruby's own searches would compare for long, in libc: theirs is quadratic. Others it searches for well.
bool is_long(mrb_value v) noexcept { return bytes_are_places && mrb_string_p(v) && RSTRING_LEN(v) > 256; }

mrb_value string_include(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    if (a.n != 1 || !is_long(a.v[0])) return call_own(own_include, mrb, self);
    return mrb_bool_value(find_bytes(bytes_of(self), bytes_of(a.v[0]), 0) != std::string_view::npos);
}

mrb_value string_aref(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    if (a.n == 1 && is_long(a.v[0])) {
        const bool there = find_bytes(bytes_of(self), bytes_of(a.v[0]), 0) != std::string_view::npos;
        return there ? mrb_str_dup(mrb, a.v[0]) : mrb_nil_value();
    }
    if (a.n == 0 || !is_regexp(a.v[0])) return call_own(own_aref, mrb, self);
    need(mrb, a.n, 1, 2);
    std::size_t begin, end;
    if (!find_group(mrb, self, a.v[0], a.n == 2 ? a.v[1] : mrb_nil_value(), false, begin, end)) return mrb_nil_value();
    return part_of(mrb, self, begin, end);
}

// self[begin...end] = text
void replace(mrb_state* mrb, mrb_value self, std::size_t begin, std::size_t end, mrb_value text) {
    const std::string_view old = bytes_of(self), middle = bytes_of(text);
    growing_string out(mrb, old.size() - (end - begin) + middle.size());
    out.put(old.substr(0, begin));
    out.put(middle);
    out.put(old.substr(end));
    const mrb_value whole = out.take();
    mrb_funcall_argv(mrb, self, mrb_intern_lit(mrb, "replace"), 1, &whole);
}

mrb_value string_aset(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    if (a.n == 2 && is_long(a.v[0])) {
        const mrb_value text = mrb_ensure_string_type(mrb, a.v[1]);
        const std::size_t at = find_bytes(bytes_of(self), bytes_of(a.v[0]), 0);
        if (at == std::string_view::npos) raise(mrb, "IndexError", "string not matched");
        replace(mrb, self, at, at + bytes_of(a.v[0]).size(), text);
        return text;
    }
    if (a.n < 2 || !is_regexp(a.v[0])) return call_own(own_aset, mrb, self);
    need(mrb, a.n, 2, 3);
    const mrb_value text = mrb_ensure_string_type(mrb, a.v[a.n - 1]);
    std::size_t begin, end;
    find_group(mrb, self, a.v[0], a.n == 3 ? a.v[1] : mrb_nil_value(), true, begin, end);
    replace(mrb, self, begin, end, text);
    return text;
}

mrb_value string_slice_out(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    if (a.n == 1 && is_long(a.v[0])) {
        if (mrb_frozen_p(mrb_basic_ptr(self))) mrb_frozen_error(mrb, mrb_basic_ptr(self));
        const std::size_t at = find_bytes(bytes_of(self), bytes_of(a.v[0]), 0);
        if (at == std::string_view::npos) return mrb_nil_value();
        const mrb_value part = mrb_str_dup(mrb, a.v[0]);
        replace(mrb, self, at, at + bytes_of(part).size(), mrb_str_new_lit(mrb, ""));
        return part;
    }
    if (a.n == 0 || !is_regexp(a.v[0])) return mrb_funcall_argv(mrb, self, mrb_intern_lit(mrb, "__slice!"), a.n, a.v);
    need(mrb, a.n, 1, 2);
    if (mrb_frozen_p(mrb_basic_ptr(self))) mrb_frozen_error(mrb, mrb_basic_ptr(self));
    std::size_t begin, end;
    if (!find_group(mrb, self, a.v[0], a.n == 2 ? a.v[1] : mrb_nil_value(), false, begin, end)) return mrb_nil_value();
    const mrb_value part = part_of(mrb, self, begin, end);
    replace(mrb, self, begin, end, mrb_str_new_lit(mrb, ""));
    return part;
}

mrb_value place_of(mrb_state* mrb, std::size_t at) { return at == std::string_view::npos ? mrb_nil_value() : integer(mrb, at); }

mrb_value string_index(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    if (a.n == 0 || (!is_regexp(a.v[0]) && !is_long(a.v[0]))) return call_own(own_index, mrb, self);
    need(mrb, a.n, 1, 2);
    mrb_int from = a.n == 2 ? integer_argument(mrb, a.v[1]) : 0;
    const mrb_int size = RSTRING_LEN(self);
    if (from < 0) from += size;
    if (!is_regexp(a.v[0])) {
        if (from < 0 || from > size) return mrb_nil_value();
        return place_of(mrb, find_bytes(bytes_of(self), bytes_of(a.v[0]), static_cast<std::size_t>(from)));
    }
    const mrb_value string = frozen_copy(mrb, self);
    pattern& p = pattern_of(mrb, a.v[0]);
    if (from > size) return mrb_nil_value();  // $~ stays, as in Ruby
    if (from < 0 || !match(mrb, a.v[0], p, subject_of(mrb, string), static_cast<std::size_t>(from))) {
        return forget_match(mrb), mrb_nil_value();
    }
    const std::size_t at = pattern::offsets()[0];
    remember_match(mrb, a.v[0], p, string);
    return integer(mrb, at);
}

// The last place at or before `from` where the pattern matches.
bool find_backwards(mrb_state* mrb, mrb_value regexp, pattern& p, const subject& in, std::size_t from) {
    for (std::size_t at = from + 1; at-- > 0;) {
        if (in.type == subject::kind::utf8 && at < in.size && is_continuation(in.data[at])) continue;
        if (match(mrb, regexp, p, in, at, true)) return true;
    }
    return false;
}

mrb_value string_rindex(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    if (a.n == 0 || (!is_regexp(a.v[0]) && !is_long(a.v[0]))) return call_own(own_rindex, mrb, self);
    need(mrb, a.n, 1, 2);
    const mrb_int given = a.n == 2 ? integer_argument(mrb, a.v[1]) : RSTRING_LEN(self);
    const mrb_int size = RSTRING_LEN(self);
    const mrb_int from = std::min(given < 0 ? given + size : given, size);
    if (!is_regexp(a.v[0])) {
        if (from < 0) return mrb_nil_value();
        return place_of(mrb, find_bytes_last(bytes_of(self), bytes_of(a.v[0]), static_cast<std::size_t>(from)));
    }
    if (from < 0) return forget_match(mrb), mrb_nil_value();
    const mrb_value string = frozen_copy(mrb, self);
    pattern& p = pattern_of(mrb, a.v[0]);
    if (!find_backwards(mrb, a.v[0], p, subject_of(mrb, string), static_cast<std::size_t>(from))) {
        return forget_match(mrb), mrb_nil_value();
    }
    const std::size_t at = pattern::offsets()[0];
    remember_match(mrb, a.v[0], p, string);
    return integer(mrb, at);
}

mrb_value string_start_with(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    if (std::none_of(a.v, a.v + a.n, is_regexp)) return call_own(own_start_with, mrb, self);
    const mrb_value string = frozen_copy(mrb, self);
    for (mrb_int i = 0; i < a.n; ++i) {
        if (is_regexp(a.v[i])) {
            pattern& p = pattern_of(mrb, a.v[i]);
            if (!match(mrb, a.v[i], p, subject_of(mrb, string), 0, true)) {
                forget_match(mrb);
                continue;
            }
            remember_match(mrb, a.v[i], p, string);
            return mrb_true_value();
        }
        if (bytes_of(string).starts_with(bytes_of(mrb_ensure_string_type(mrb, a.v[i])))) return mrb_true_value();
    }
    return mrb_false_value();
}

mrb_value three(mrb_state* mrb, mrb_value string, std::size_t begin, std::size_t end) {
    const mrb_value parts[] = {part_of(mrb, string, 0, begin), part_of(mrb, string, begin, end),
                               part_of(mrb, string, end, bytes_of(string).size())};
    return mrb_ary_new_from_values(mrb, 3, parts);
}

template <bool last>
mrb_value string_partition(mrb_state* mrb, mrb_value self) {
    mrb_value by;
    mrb_get_args(mrb, "o", &by);
    const mrb_value string = frozen_copy(mrb, self);
    const subject in = is_regexp(by) ? subject_of(mrb, string) : subject();
    const std::string_view text = bytes_of(string);
    std::size_t begin = std::string_view::npos, end = 0;
    if (is_regexp(by)) {
        pattern& p = pattern_of(mrb, by);
        if (last ? find_backwards(mrb, by, p, in, text.size()) : match(mrb, by, p, in, 0)) {
            begin = pattern::offsets()[0];
            end = pattern::offsets()[1];
            remember_match(mrb, by, p, string);
        } else {
            forget_match(mrb);
        }
    } else {
        const std::string_view separator = bytes_of(mrb_ensure_string_type(mrb, by));
        begin = last ? find_bytes_last(text, separator, text.size()) : find_bytes(text, separator, 0);
        end = begin + separator.size();
    }
    if (begin != std::string_view::npos) return three(mrb, string, begin, end);
    return last ? three(mrb, string, 0, 0) : three(mrb, string, text.size(), text.size());
}

void drop_empty_end(mrb_state* mrb, mrb_value list) {
    for (mrb_int n = RARRAY_LEN(list); n > 0; --n) {
        const mrb_value last = RARRAY_PTR(list)[n - 1];
        if (RSTRING_LEN(last) != 0) break;
        mrb_ary_pop(mrb, list);
    }
}

mrb_value split_by_regexp(mrb_state* mrb, mrb_value self, const arguments& a) {
    const mrb_int limit = a.n == 2 ? integer_argument(mrb, a.v[1]) : 0;
    const mrb_value string = frozen_copy(mrb, self), by = a.v[0], list = mrb_ary_new(mrb);
    const subject in = subject_of(mrb, string);
    if (limit == 1) {
        if (in.size != 0) mrb_ary_push(mrb, list, mrb_str_dup(mrb, self));
        return list;
    }
    // As in Ruby: $~ is of the last search, which found nothing unless the limit ended it. // divides without any.
    const bool searches = !is_empty_regexp(mrb, by);
    if (in.size == 0) {
        if (searches) forget_match(mrb);
        return list;
    }
    const int ai = mrb_gc_arena_save(mrb);
    std::size_t begin = 0, from = 0;
    mrb_int parts = 1;
    bool empty_before = false, limited = false;
    pattern& p = pattern_of(mrb, by);
    while (from <= in.size && match(mrb, by, p, in, from)) {
        const std::size_t* const offsets = pattern::offsets();
        if (offsets[0] == from && offsets[0] == offsets[1]) {
            // An empty match divides behind the next character.
            if (!empty_before) {
                from += in.character(from);
                empty_before = true;
                continue;
            }
            mrb_ary_push(mrb, list, part_of(mrb, string, begin, begin + in.character(begin)));
            begin = from;
        } else {
            mrb_ary_push(mrb, list, part_of(mrb, string, begin, offsets[0]));
            begin = from = offsets[1];
        }
        empty_before = false;
        for (unsigned i = 1; i < p.groups(); ++i) {
            if (offsets[2 * i] != pattern::unset)
                mrb_ary_push(mrb, list, part_of(mrb, string, offsets[2 * i], offsets[2 * i + 1]));
        }
        mrb_gc_arena_restore(mrb, ai);
        limited = limit > 0 && ++parts >= limit;
        if (limited) break;
    }
    if (begin < in.size || limit != 0) mrb_ary_push(mrb, list, part_of(mrb, string, begin, in.size));
    if (limit == 0) drop_empty_end(mrb, list);
    if (searches && limited)
        remember_match(mrb, by, p, string);
    else if (searches)
        forget_match(mrb);
    return list;
}

// By a string that is_long, as the other.
mrb_value split_by_string(mrb_state* mrb, mrb_value self, const arguments& a) {
    const mrb_int limit = a.n == 2 ? integer_argument(mrb, a.v[1]) : 0;
    const mrb_value string = frozen_copy(mrb, self), list = mrb_ary_new(mrb);
    const std::string_view text = bytes_of(string), by = bytes_of(a.v[0]);
    if (text.empty()) return list;
    const int ai = mrb_gc_arena_save(mrb);
    std::size_t begin = 0;
    for (mrb_int parts = 1; limit <= 0 || parts < limit; ++parts) {
        const std::size_t at = find_bytes(text, by, begin);
        if (at == std::string_view::npos) break;
        mrb_ary_push(mrb, list, part_of(mrb, string, begin, at));
        begin = at + by.size();
        mrb_gc_arena_restore(mrb, ai);
    }
    if (begin < text.size() || limit != 0) mrb_ary_push(mrb, list, part_of(mrb, string, begin, text.size()));
    if (limit == 0) drop_empty_end(mrb, list);
    return list;
}

mrb_value string_split(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    mrb_value list;
    if (a.n == 0 || !(is_regexp(a.v[0]) || is_long(a.v[0]))) {
        list = call_own(own_split, mrb, self);
    } else {
        need(mrb, a.n, 1, 2);
        list = is_regexp(a.v[0]) ? split_by_regexp(mrb, self, a) : split_by_string(mrb, self, a);
    }
    return mrb_nil_p(a.block) ? list : yield_all(mrb, list, self, a.block);
}

// A Symbol's, which search its text as it is.
template <mrb_value (*of_string)(mrb_state*, mrb_value)>
mrb_value of_symbol(mrb_state* mrb, mrb_value self) {
    return of_string(mrb, mrb_sym_str(mrb, mrb_symbol(self)));
}

}  // namespace

void define_string_searches(mrb_state* mrb) {
    RClass* const c = mrb->string_class;
    const auto replace_own = [&](const char* name, own which, mrb_func_t f, mrb_aspec args) {
        mrubys[which].put_before(mrb, c, name, f, args);
    };
    replace_own("[]", own_aref, string_aref, MRB_ARGS_ANY());
    replace_own("slice", own_aref, string_aref, MRB_ARGS_ANY());
    replace_own("[]=", own_aset, string_aset, MRB_ARGS_ANY());
    replace_own("index", own_index, string_index, MRB_ARGS_ARG(1, 1));
    replace_own("rindex", own_rindex, string_rindex, MRB_ARGS_ARG(1, 1));
    replace_own("include?", own_include, string_include, MRB_ARGS_REQ(1));
    replace_own("split", own_split, string_split, MRB_ARGS_OPT(2));
    replace_own("start_with?", own_start_with, string_start_with, MRB_ARGS_REST());
    mrb_alias_method(mrb, c, mrb_intern_lit(mrb, "__slice!"), mrb_intern_lit(mrb, "slice!"));
    const auto on = [&](const char* name, mrb_func_t f, mrb_aspec args) { mrb_define_method(mrb, c, name, f, args); };
    on("slice!", string_slice_out, MRB_ARGS_ARG(1, 1));
    on("=~", string_find, MRB_ARGS_REQ(1));
    on("match", string_match<false>, MRB_ARGS_ARG(1, 1) | MRB_ARGS_BLOCK());
    on("match?", string_match<true>, MRB_ARGS_ARG(1, 1));
    on("partition", string_partition<false>, MRB_ARGS_REQ(1));
    on("rpartition", string_partition<true>, MRB_ARGS_REQ(1));
    const auto on_symbol = [&](const char* name, mrb_func_t f, mrb_aspec args) {
        mrb_define_method(mrb, mrb->symbol_class, name, f, args);
    };
    on_symbol("=~", of_symbol<string_find>, MRB_ARGS_REQ(1));
    on_symbol("match", of_symbol<string_match<false>>, MRB_ARGS_ARG(1, 1) | MRB_ARGS_BLOCK());
    on_symbol("match?", of_symbol<string_match<true>>, MRB_ARGS_ARG(1, 1));
    on_symbol("[]", of_symbol<string_aref>, MRB_ARGS_ANY());
    define_every_match(mrb);
}

}  // namespace kumihimo::inline v0::mruby
