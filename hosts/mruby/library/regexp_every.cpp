// scan, sub and gsub: from match to match, with a Regexp or a string.
#include <algorithm>

#include "../src/blocks.hpp"
#include "../src/characters.hpp"
#include "bytes.hpp"
#include "regexp.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// Searches for a Regexp or a string, from match to match. Holds no pattern, as a block may run between two.
struct search {
    mrb_value by, string;
    subject in;
    bool regexp;
    std::size_t from = 0, begin = 0, end = 0;

    search(mrb_state* mrb, mrb_value by_, mrb_value self)
        : by(by_), string(frozen_copy(mrb, self)), in(subject_of(mrb, string)), regexp(is_regexp(by_)) {
        if (!regexp) by = mrb_ensure_string_type(mrb, by);
    }

    bool next(mrb_state* mrb) {
        if (from > in.size) return false;
        if (regexp) {
            if (!match(mrb, by, pattern_of(mrb, by), in, from)) return false;
            begin = pattern::offsets()[0];
            end = pattern::offsets()[1];
        } else {
            begin = find_bytes(in.view(), bytes_of(by), from);
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
        const std::size_t* const offsets = pattern::offsets() + 2 * i;
        mrb_ary_push(mrb, list,
                     offsets[0] == pattern::unset ? mrb_nil_value() : part_of(mrb, s.string, offsets[0], offsets[1]));
    }
    return list;
}

// $~ is the last match, which began there. The search for a further one has taken its bounds away.
void remember_last(mrb_state* mrb, const search& s, std::size_t last) {
    if (last == pattern::unset) return forget_match(mrb);
    if (!s.regexp) {
        remember_match(mrb, s.string, last, last + bytes_of(s.by).size());
    } else if (pattern& p = pattern_of(mrb, s.by); match(mrb, s.by, p, s.in, last, true)) {
        remember_match(mrb, s.by, p, s.string);
    }
}

void check_size(mrb_state* mrb, mrb_value string, mrb_int size) {
    if (RSTRING_LEN(string) != size) raise(mrb, "RuntimeError", "string modified");
}

// scan with a block.
struct scan_steps : steps {
    search s;
    mrb_value self;
    mrb_int size;
    std::size_t last = pattern::unset;  // where the last match began
};
bool scan_next(mrb_state* mrb, steps& state, mrb_value& item) {
    auto& all = static_cast<scan_steps&>(state);
    check_size(mrb, all.self, all.size);
    if (!all.s.next(mrb)) return false;
    item = scanned(mrb, all.s);
    all.s.remember(mrb);
    all.last = all.s.begin;
    return true;
}
mrb_value scan_end(mrb_state* mrb, steps& state) {
    const auto& all = static_cast<scan_steps&>(state);
    remember_last(mrb, all.s, all.last);
    return all.self;
}

mrb_value string_scan(mrb_state* mrb, mrb_value self) {
    mrb_value by, block;
    mrb_get_args(mrb, "o&", &by, &block);
    search s(mrb, by, self);
    if (!mrb_nil_p(block)) {
        const scan_steps all{{scan_next, nullptr, scan_end, {}}, s, self, RSTRING_LEN(self)};
        return go_through(mrb, loop::each, all, {s.by, s.string, self}, block);
    }
    const mrb_value list = mrb_ary_new(mrb);
    const int ai = mrb_gc_arena_save(mrb);
    std::size_t last = pattern::unset;
    while (s.next(mrb)) {
        mrb_ary_push(mrb, list, scanned(mrb, s));
        last = s.begin;
        mrb_gc_arena_restore(mrb, ai);
    }
    remember_last(mrb, s, last);
    return list;
}

// A replacement's text: \1 \0 \& \` \' \+ \k<name> \\ stand for parts of the match.
void put_template(mrb_state* mrb, growing_string& out, std::string_view text, const search& s) {
    if (text.find('\\') == std::string_view::npos) return out.put(text);
    const std::size_t whole[] = {s.begin, s.end};
    const unsigned groups = s.regexp ? pattern_of(mrb, s.by).groups() : 1;
    const std::size_t* const offsets = s.regexp ? pattern::offsets() : whole;
    const auto put = [&](unsigned group) {
        if (group < groups && offsets[2 * group] != pattern::unset)
            out.put(s.in.view().substr(offsets[2 * group], offsets[2 * group + 1] - offsets[2 * group]));
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c != '\\' || i + 1 == text.size()) {
            out.put(c);
            continue;
        }
        const char next = text[++i];
        if (is_digit(next)) {
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
            while (last > 0 && offsets[2 * last] == pattern::unset) --last;
            if (last > 0) put(last);
        } else if (next == 'k' && text.substr(i + 1).starts_with('<')) {
            const std::size_t close = text.find('>', i);
            if (close == std::string_view::npos) raise(mrb, "RuntimeError", "invalid group name reference format");
            const std::string_view name = text.substr(i + 2, close - i - 2);
            const unsigned group = s.regexp ? pattern_of(mrb, s.by).group_of(name, offsets) : 0;
            if (group == 0)
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

// sub and gsub without a block. Nil: nothing was found.
mrb_value substituted(mrb_state* mrb, search& s, mrb_value with, bool all) {
    const bool hash = mrb_hash_p(with);
    const mrb_value text = hash ? mrb_nil_value() : mrb_ensure_string_type(mrb, with);
    if (!s.next(mrb)) {
        forget_match(mrb);
        return mrb_nil_value();
    }
    growing_string out(mrb, s.in.size + 16);
    const int ai = mrb_gc_arena_save(mrb);
    std::size_t copied = 0, last = 0;
    do {
        out.put(s.in.view().substr(copied, s.begin - copied));
        copied = s.end;
        last = s.begin;
        if (hash) {
            const mrb_value result = mrb_hash_get(mrb, with, part_of(mrb, s.string, s.begin, s.end));
            out.put(bytes_of(text_of(mrb, result)));
            mrb_gc_arena_restore(mrb, ai);
        } else {
            put_template(mrb, out, bytes_of(text), s);
        }
    } while (all && s.next(mrb));
    out.put(s.in.view().substr(copied));
    remember_last(mrb, s, last);
    return out.take();
}

mrb_value put_in_place(mrb_state* mrb, mrb_value self, mrb_value result) {
    mrb_funcall_argv(mrb, self, mrb_intern_lit(mrb, "replace"), 1, &result);
    return self;
}

// With a block, from the first match on, which was found before.
struct sub_steps : steps {
    search s;
    growing_string out;
    mrb_value self;
    mrb_int size;
    bool all, in_place;
    bool begun = false, ended = false;
    std::size_t copied = 0, last = 0;
};
bool sub_next(mrb_state* mrb, steps& state, mrb_value& item) {
    auto& r = static_cast<sub_steps&>(state);
    if (r.ended) return false;
    if (!r.begun) {
        r.begun = true;
        item = mrb_ary_entry(r.kept, 1);
    } else {
        if (!r.all || !r.s.next(mrb)) return false;
        item = part_of(mrb, r.s.string, r.s.begin, r.s.end);
        r.s.remember(mrb);
    }
    r.out.put(r.s.in.view().substr(r.copied, r.s.begin - r.copied));
    r.copied = r.s.end;
    r.last = r.s.begin;
    return true;
}
void sub_take(mrb_state* mrb, steps& state, mrb_value made) {
    auto& r = static_cast<sub_steps&>(state);
    made = text_of(mrb, made);
    check_size(mrb, r.self, r.size);
    if (!r.ended) r.out.put(bytes_of(made));
}
mrb_value sub_end(mrb_state* mrb, steps& state) {
    auto& r = static_cast<sub_steps&>(state);
    if (r.ended) return mrb_nil_value();
    r.ended = true;
    r.out.put(r.s.in.view().substr(r.copied));
    if (r.all) remember_last(mrb, r.s, r.last);
    const mrb_value result = r.out.take();
    return r.in_place ? put_in_place(mrb, r.self, result) : result;
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
    search s(mrb, a.v[0], self);
    if (a.n == 2) {
        const mrb_value result = substituted(mrb, s, a.v[1], all);
        if (mrb_nil_p(result)) return in_place ? result : mrb_str_dup(mrb, self);
        return in_place ? put_in_place(mrb, self, result) : result;
    }
    if (!s.next(mrb)) {
        forget_match(mrb);
        return in_place ? mrb_nil_value() : mrb_str_dup(mrb, self);
    }
    const mrb_value first = part_of(mrb, s.string, s.begin, s.end);
    s.remember(mrb);
    const sub_steps r{
        {sub_next, sub_take, sub_end, {}}, s, growing_string(mrb, s.in.size + 16), self, RSTRING_LEN(self), all, in_place};
    return go_through(mrb, loop::replace, r, {first, s.by, s.string, r.out.string(), self}, a.block);
}

}  // namespace

void define_every_match(mrb_state* mrb) {
    const auto on = [&](const char* name, mrb_func_t f, mrb_aspec args) {
        mrb_define_method(mrb, mrb->string_class, name, f, args);
    };
    on("scan", string_scan, MRB_ARGS_REQ(1) | MRB_ARGS_BLOCK());
    on("sub", string_sub<false, false>, MRB_ARGS_ARG(1, 1) | MRB_ARGS_BLOCK());
    on("sub!", string_sub<false, true>, MRB_ARGS_ARG(1, 1) | MRB_ARGS_BLOCK());
    on("gsub", string_sub<true, false>, MRB_ARGS_ARG(1, 1) | MRB_ARGS_BLOCK());
    on("gsub!", string_sub<true, true>, MRB_ARGS_ARG(1, 1) | MRB_ARGS_BLOCK());
}

}  // namespace kumihimo::inline v0::mruby
