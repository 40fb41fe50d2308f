// String's methods that search: with a Regexp here, with anything else mruby's own, which is called in the same frame and so
// reads the same arguments.
#include <algorithm>
#include <atomic>

#include "regexp.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// mruby's own, the same in every VM of the process.
enum own : std::size_t { own_aref, own_aset, own_index, own_rindex, own_split, own_start_with, own_count };
std::atomic<mrb_func_t> mrubys[own_count];

mrb_value call_own(own which, mrb_state* mrb, mrb_value self) {
    return mrubys[which].load(std::memory_order_relaxed)(mrb, self);
}

void need(mrb_state* mrb, mrb_int n, mrb_int least, mrb_int most) {
    if (n < least || n > most) mrb_argnum_error(mrb, n, static_cast<int>(least), static_cast<int>(most));
}

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
    return mrb_funcall_with_block(mrb, regexp, ask ? mrb_intern_lit(mrb, "match?") : mrb_intern_lit(mrb, "match"), 2, args,
                                  a.block);
}

// The bounds of a group of the first match, in `begin` and `end`. False: none; a group beyond raises if it must be.
bool find_group(mrb_state* mrb, mrb_value self, mrb_value regexp, mrb_value group, bool must, std::size_t& begin,
                std::size_t& end) {
    const mrb_value string = frozen_copy(mrb, self);
    pattern& p = pattern_of(mrb, regexp);
    if (!match(mrb, regexp, p, subject(bytes_of(string)), 0)) {
        forget_match(mrb);
        if (must) raise(mrb, "IndexError", "regexp not matched");
        return false;
    }
    const std::size_t* const at = pattern::at();
    const mrb_int i =
        mrb_nil_p(group)
            ? 0
            : group_number(mrb, p, mrb_float_p(group) ? mrb_fixnum_value(static_cast<mrb_int>(mrb_float(group))) : group, at);
    begin = i < 0 ? pattern::unset : at[2 * i];
    end = i < 0 ? pattern::unset : at[2 * i + 1];
    remember_match(mrb, regexp, p, string);
    if (must && i < 0)
        raise(mrb, mrb_exc_new_str(mrb, mrb_class_get(mrb, "IndexError"), mrb_format(mrb, "index %v out of regexp", group)));
    if (must && begin == pattern::unset)
        raise(mrb,
              mrb_exc_new_str(mrb, mrb_class_get(mrb, "IndexError"), mrb_format(mrb, "regexp group %v not matched", group)));
    return begin != pattern::unset;
}

mrb_value string_aref(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
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
    if (a.n == 0 || !is_regexp(a.v[0])) return mrb_funcall_argv(mrb, self, mrb_intern_lit(mrb, "__slice!"), a.n, a.v);
    need(mrb, a.n, 1, 2);
    if (mrb_frozen_p(mrb_basic_ptr(self))) mrb_frozen_error(mrb, mrb_basic_ptr(self));
    std::size_t begin, end;
    if (!find_group(mrb, self, a.v[0], a.n == 2 ? a.v[1] : mrb_nil_value(), false, begin, end)) return mrb_nil_value();
    const mrb_value part = part_of(mrb, self, begin, end);
    replace(mrb, self, begin, end, mrb_str_new_lit(mrb, ""));
    return part;
}

mrb_value string_index(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    if (a.n == 0 || !is_regexp(a.v[0])) return call_own(own_index, mrb, self);
    need(mrb, a.n, 1, 2);
    const mrb_int size = RSTRING_LEN(self);
    mrb_int from = a.n == 2 ? integer_argument(mrb, a.v[1]) : 0;
    if (from < 0) from += size;
    const mrb_value string = frozen_copy(mrb, self);
    pattern& p = pattern_of(mrb, a.v[0]);
    if (from < 0 || from > size || !match(mrb, a.v[0], p, subject(bytes_of(string)), static_cast<std::size_t>(from))) {
        return forget_match(mrb), mrb_nil_value();
    }
    const std::size_t at = pattern::at()[0];
    remember_match(mrb, a.v[0], p, string);
    return integer(mrb, at);
}

// The last place at or before `from` where the pattern matches.
bool find_backwards(mrb_state* mrb, mrb_value regexp, pattern& p, const subject& in, std::size_t from) {
    for (std::size_t at = from + 1; at-- > 0;) {
        if (in.as == subject::kind::utf8 && at < in.size && (static_cast<unsigned char>(in.data[at]) & 0xC0) == 0x80) continue;
        if (match(mrb, regexp, p, in, at, true)) return true;
    }
    return false;
}

mrb_value string_rindex(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    if (a.n == 0 || !is_regexp(a.v[0])) return call_own(own_rindex, mrb, self);
    need(mrb, a.n, 1, 2);
    const mrb_int size = RSTRING_LEN(self);
    mrb_int from = a.n == 2 ? integer_argument(mrb, a.v[1]) : size;
    if (from < 0) from += size;
    if (from < 0) return forget_match(mrb), mrb_nil_value();
    from = std::min(from, size);
    const mrb_value string = frozen_copy(mrb, self);
    pattern& p = pattern_of(mrb, a.v[0]);
    if (!find_backwards(mrb, a.v[0], p, subject(bytes_of(string)), static_cast<std::size_t>(from))) {
        return forget_match(mrb), mrb_nil_value();
    }
    const std::size_t at = pattern::at()[0];
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
            if (!match(mrb, a.v[i], p, subject(bytes_of(string)), 0, true)) continue;
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
    const std::string_view text = bytes_of(string);
    std::size_t begin = std::string_view::npos, end = 0;
    if (is_regexp(by)) {
        pattern& p = pattern_of(mrb, by);
        const subject in(text);
        if (last ? find_backwards(mrb, by, p, in, text.size()) : match(mrb, by, p, in, 0)) {
            begin = pattern::at()[0];
            end = pattern::at()[1];
            remember_match(mrb, by, p, string);
        } else {
            forget_match(mrb);
        }
    } else {
        const std::string_view separator = bytes_of(mrb_ensure_string_type(mrb, by));
        begin = last ? text.rfind(separator) : text.find(separator);
        end = begin + separator.size();
    }
    if (begin != std::string_view::npos) return three(mrb, string, begin, end);
    return last ? three(mrb, string, 0, 0) : three(mrb, string, text.size(), text.size());
}

// --- every match ------------------------------------------------------------------------------------------------------------

// Searches for a Regexp or a string, from match to match. Holds no pattern, as a block may run between two.
struct search {
    mrb_value by, string;
    subject in;
    bool regexp;
    std::size_t from = 0, begin = 0, end = 0;

    search(mrb_state* mrb, mrb_value by_, mrb_value self)
        : by(by_), string(frozen_copy(mrb, self)), in(bytes_of(string)), regexp(is_regexp(by_)) {
        if (!regexp) by = mrb_ensure_string_type(mrb, by);
    }

    bool next(mrb_state* mrb) {
        if (from > in.size) return false;
        if (regexp) {
            if (!match(mrb, by, pattern_of(mrb, by), in, from)) return false;
            begin = pattern::at()[0];
            end = pattern::at()[1];
        } else {
            begin = in.view().find(bytes_of(by), from);
            if (begin == std::string_view::npos) return false;
            end = begin + bytes_of(by).size();
        }
        // \K may give an end before where the search began; it goes on behind in any case.
        from = std::max(end, from);
        if (begin == end) from += in.character(from);
        return true;
    }

    void remember(mrb_state* mrb) const {
        if (regexp) {
            remember_match(mrb, by, pattern_of(mrb, by), string);
        } else {
            remember_match(mrb, string, begin, end);
        }
    }
};

// The groups of the match at hand.
mrb_value scanned(mrb_state* mrb, const search& s) {
    const unsigned groups = s.regexp ? pattern_of(mrb, s.by).groups() : 1;
    if (groups == 1) return part_of(mrb, s.string, s.begin, s.end);
    const mrb_value list = mrb_ary_new_capa(mrb, groups - 1);
    for (unsigned i = 1; i < groups; ++i) {
        const std::size_t* const at = pattern::at() + 2 * i;
        mrb_ary_push(mrb, list, at[0] == pattern::unset ? mrb_nil_value() : part_of(mrb, s.string, at[0], at[1]));
    }
    return list;
}

mrb_value string_scan(mrb_state* mrb, mrb_value self) {
    mrb_value by, block;
    mrb_get_args(mrb, "o&", &by, &block);
    search s(mrb, by, self);
    const mrb_value list = mrb_nil_p(block) ? mrb_ary_new(mrb) : self;
    const int ai = mrb_gc_arena_save(mrb);
    // Without a block only the last match can be asked for afterwards.
    mrb_value last_begin = mrb_nil_value();
    std::size_t last_from = 0;
    while (s.next(mrb)) {
        if (mrb_nil_p(block)) {
            mrb_ary_push(mrb, list, scanned(mrb, s));
            last_begin = mrb_true_value();
            last_from = s.begin;
        } else {
            const mrb_value item = scanned(mrb, s);
            s.remember(mrb);
            mrb_yield(mrb, block, item);
        }
        mrb_gc_arena_restore(mrb, ai);
    }
    if (!mrb_nil_p(last_begin)) {
        if (s.regexp && match(mrb, by, pattern_of(mrb, by), s.in, last_from, true)) {
            remember_match(mrb, by, pattern_of(mrb, by), s.string);
        } else {
            remember_match(mrb, s.string, s.begin == std::string_view::npos ? last_from : s.begin,
                           last_from + bytes_of(s.regexp ? s.string : s.by).size());
        }
    } else if (mrb_nil_p(block)) {
        forget_match(mrb);
    }
    return list;
}

// A replacement's text: \1 \0 \& \` \' \+ \k<name> \\ stand for parts of the match.
void put_template(mrb_state* mrb, growing_string& out, std::string_view text, const search& s) {
    if (text.find('\\') == std::string_view::npos) return out.put(text);
    const std::size_t whole[] = {s.begin, s.end};
    const unsigned groups = s.regexp ? pattern_of(mrb, s.by).groups() : 1;
    const std::size_t* const at = s.regexp ? pattern::at() : whole;
    const auto put = [&](unsigned group) {
        if (group < groups && at[2 * group] != pattern::unset)
            out.put(s.in.view().substr(at[2 * group], at[2 * group + 1] - at[2 * group]));
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c != '\\' || i + 1 == text.size()) {
            out.put(c);
            continue;
        }
        const char next = text[++i];
        if (next >= '0' && next <= '9') {
            // Groups have numbers here only where none has a name.
            std::string_view name;
            unsigned group;
            if (next == '0' || !s.regexp || !pattern_of(mrb, s.by).name(0, name, group)) put(static_cast<unsigned>(next - '0'));
        } else if (next == '&') {
            put(0);
        } else if (next == '`') {
            out.put(s.in.view().substr(0, s.begin));
        } else if (next == '\'') {
            out.put(s.in.view().substr(s.end));
        } else if (next == '\\') {
            out.put('\\');
        } else if (next == '+') {
            unsigned last = groups - 1;
            while (last > 0 && at[2 * last] == pattern::unset) --last;
            if (last > 0) put(last);
        } else if (const std::size_t close = text.find('>', i);
                   next == 'k' && i + 1 < text.size() && text[i + 1] == '<' && close != std::string_view::npos) {
            const std::string_view name = text.substr(i + 2, close - i - 2);
            unsigned group = 0;
            const bool number =
                !name.empty() && std::all_of(name.begin(), name.end(), [](char d) { return d >= '0' && d <= '9'; });
            for (const char d : number ? name.substr(0, 5) : std::string_view())
                group = group * 10 + static_cast<unsigned>(d - '0');
            if (!number && s.regexp) group = pattern_of(mrb, s.by).group_of(name, at);
            if (!number && group == 0)
                raise(mrb, mrb_exc_new_str(mrb, mrb_class_get(mrb, "IndexError"),
                                           mrb_format(mrb, "undefined group name reference: %l", name.data(), name.size())));
            put(group);
            i = close;
        } else {
            out.put(c);
            out.put(next);
        }
    }
}

// sub and gsub. Nil: nothing was found.
mrb_value substituted(mrb_state* mrb, mrb_value self, const arguments& a, bool all) {
    search s(mrb, a.v[0], self);
    const mrb_value with = a.n == 2 ? a.v[1] : mrb_nil_value();
    const bool hash = mrb_hash_p(with);
    const mrb_value text = a.n == 2 && !hash ? mrb_ensure_string_type(mrb, with) : mrb_nil_value();
    if (!s.next(mrb)) {
        forget_match(mrb);
        return mrb_nil_value();
    }
    growing_string out(mrb, s.in.size + 16);
    const int ai = mrb_gc_arena_save(mrb);
    std::size_t copied = 0;
    std::size_t last = 0;
    do {
        out.put(s.in.view().substr(copied, s.begin - copied));
        copied = s.end;
        last = s.begin;
        if (a.n == 2 && !hash) {
            put_template(mrb, out, bytes_of(text), s);
        } else {
            const mrb_value found = part_of(mrb, s.string, s.begin, s.end);
            if (!hash) s.remember(mrb);
            const mrb_value result = hash ? mrb_hash_get(mrb, with, found) : mrb_yield(mrb, a.block, found);
            out.put(bytes_of(text_of(mrb, result)));
            mrb_gc_arena_restore(mrb, ai);
        }
    } while (all && s.next(mrb));
    out.put(s.in.view().substr(copied));
    // $~ is the last match. The search for a further one has taken its bounds away.
    if (s.regexp) {
        pattern& p = pattern_of(mrb, s.by);
        if (match(mrb, s.by, p, s.in, last, true)) remember_match(mrb, s.by, p, s.string);
    } else {
        remember_match(mrb, s.string, last, last + bytes_of(s.by).size());
    }
    return out.take();
}

template <bool all, bool in_place>
mrb_value string_sub(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    need(mrb, a.n, 1, 2);
    if (in_place && mrb_frozen_p(mrb_basic_ptr(self))) mrb_frozen_error(mrb, mrb_basic_ptr(self));
    if (a.n == 1 && mrb_nil_p(a.block)) {
        if (!all) mrb_argnum_error(mrb, 1, 2, 2);
        const mrb_value args[] = {mrb_symbol_value(in_place ? mrb_intern_lit(mrb, "gsub!") : mrb_intern_lit(mrb, "gsub")),
                                  a.v[0]};
        return mrb_funcall_argv(mrb, self, mrb_intern_lit(mrb, "to_enum"), 2, args);
    }
    const mrb_value result = substituted(mrb, self, a, all);
    if (!in_place) return mrb_nil_p(result) ? mrb_str_dup(mrb, self) : result;
    if (mrb_nil_p(result)) return result;
    mrb_funcall_argv(mrb, self, mrb_intern_lit(mrb, "replace"), 1, &result);
    return self;
}

mrb_value string_split(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    if (a.n == 0 || !is_regexp(a.v[0])) return call_own(own_split, mrb, self);
    need(mrb, a.n, 1, 2);
    const mrb_int limit = a.n == 2 ? integer_argument(mrb, a.v[1]) : 0;
    const mrb_value string = frozen_copy(mrb, self), by = a.v[0], list = mrb_ary_new(mrb);
    const subject in(bytes_of(string));
    if (in.size == 0) return list;
    if (limit == 1) {
        mrb_ary_push(mrb, list, mrb_str_dup(mrb, self));
        return list;
    }
    const int ai = mrb_gc_arena_save(mrb);
    std::size_t begin = 0, from = 0;
    mrb_int parts = 1;
    bool empty_before = false;
    pattern& p = pattern_of(mrb, by);
    while (from <= in.size && match(mrb, by, p, in, from)) {
        const std::size_t* const at = pattern::at();
        if (at[0] == from && at[0] == at[1]) {
            // An empty match divides behind the next character.
            if (!empty_before) {
                from += in.character(from);
                empty_before = true;
                continue;
            }
            mrb_ary_push(mrb, list, part_of(mrb, string, begin, begin + in.character(begin)));
            begin = from;
        } else {
            mrb_ary_push(mrb, list, part_of(mrb, string, begin, at[0]));
            begin = from = at[1];
        }
        empty_before = false;
        for (unsigned i = 1; i < p.groups(); ++i) {
            if (at[2 * i] != pattern::unset) mrb_ary_push(mrb, list, part_of(mrb, string, at[2 * i], at[2 * i + 1]));
        }
        mrb_gc_arena_restore(mrb, ai);
        if (limit > 0 && ++parts >= limit) break;
    }
    if (begin < in.size || limit != 0) mrb_ary_push(mrb, list, part_of(mrb, string, begin, in.size));
    if (limit == 0) {
        for (mrb_int n = RARRAY_LEN(list); n > 0; --n) {
            const mrb_value last = RARRAY_PTR(list)[n - 1];
            if (RSTRING_LEN(last) != 0) break;
            mrb_ary_pop(mrb, list);
        }
    }
    return list;
}

}  // namespace

void define_string_searches(mrb_state* mrb) {
    RClass* const c = mrb->string_class;
    const auto replace_own = [&](const char* name, own which, mrb_func_t f, mrb_aspec args) {
        RClass* from = c;
        const mrb_method_t m = mrb_method_search_vm(mrb, &from, mrb_intern_cstr(mrb, name));
        if (MRB_METHOD_UNDEF_P(m) || !MRB_METHOD_CFUNC_P(m)) return;
        mrubys[which].store(MRB_METHOD_CFUNC(m), std::memory_order_relaxed);
        mrb_define_method(mrb, c, name, f, args);
    };
    replace_own("[]", own_aref, string_aref, MRB_ARGS_ANY());
    replace_own("slice", own_aref, string_aref, MRB_ARGS_ANY());
    replace_own("[]=", own_aset, string_aset, MRB_ARGS_ANY());
    replace_own("index", own_index, string_index, MRB_ARGS_ARG(1, 1));
    replace_own("rindex", own_rindex, string_rindex, MRB_ARGS_ARG(1, 1));
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
    on("scan", string_scan, MRB_ARGS_REQ(1) | MRB_ARGS_BLOCK());
    on("sub", string_sub<false, false>, MRB_ARGS_ARG(1, 1) | MRB_ARGS_BLOCK());
    on("sub!", string_sub<false, true>, MRB_ARGS_ARG(1, 1) | MRB_ARGS_BLOCK());
    on("gsub", string_sub<true, false>, MRB_ARGS_ARG(1, 1) | MRB_ARGS_BLOCK());
    on("gsub!", string_sub<true, true>, MRB_ARGS_ARG(1, 1) | MRB_ARGS_BLOCK());
}

}  // namespace kumihimo::inline v0::mruby
