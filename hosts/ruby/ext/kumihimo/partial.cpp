// Partial: a few values of a document as Ruby objects, without the rest: JSON's by the options of Kumihimo.parse
// (engine/json/project.hpp), and where a format was named, that format's (engine/tape/partial.hpp).
//
// A Partial never changes once it is made, so threads and Ractors may share one. The scratch that a search needs is
// lent to one call at a time; a call that comes meanwhile (another Ractor, or the same thread out of a decimal class
// of the user's) makes its own, and so does a large document, which is searched without the lock.
#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "any_format.hpp"
#include "engine/json/diagnose.hpp"
#include "engine/json/project.hpp"
#include "engine/json/reader.hpp"
#include "errors.hpp"
#include "module.hpp"
#include "parse.hpp"
#include "turn.hpp"

namespace kumihimo::inline v0::ruby {

namespace {

struct partial {
    json::projection wanted;
    json::level level = json::level::strict;
    json::projector* scratch = nullptr;
    std::atomic<bool> lent{false};
    VALUE names = Qnil;    // an Array, or nil: results are Arrays
    VALUE missing = Qnil;  // stands for what a document does not have
    VALUE kept = Qnil;     // what `options` refers to
    parse_options options;
    bool raw = false;
    bool any = false;  // a format was named: the next three
    any_reader by;
    any_options any_read;
    partial_search* search = nullptr;

    std::size_t depth() const noexcept { return any ? any_read.depth : options.depth; }
    partial_search* make_search() const noexcept { return by.search(by, wanted, level, raw); }
    ~partial() {
        delete scratch;
        delete search;
    }
};

void mark_partial(void* data) {
    const partial& p = *static_cast<partial*>(data);
    rb_gc_mark(p.names);
    rb_gc_mark(p.missing);
    rb_gc_mark(p.kept);
    p.options.build.mark();
    p.any_read.mark();
}
void free_partial(void* data) { delete static_cast<partial*>(data); }
std::size_t size_of_partial(const void* data) {
    const partial& p = *static_cast<const partial*>(data);
    std::size_t n = sizeof p;
    if (p.wanted.size() != 0) {
        const json::plan& plan = p.wanted.plan();
        n += plan.states.size() * sizeof plan.states[0] + plan.keys.size() * sizeof plan.keys[0] + plan.texts.size();
    }
    return n;
}

constexpr VALUE type_flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED | RUBY_TYPED_FROZEN_SHAREABLE;
const rb_data_type_t partial_type = {
    "Kumihimo::Partial", {mark_partial, free_partial, size_of_partial, nullptr, {}}, nullptr, nullptr, type_flags};

// Set once by init_partial.
ID id_each, id_index;

partial& partial_of(VALUE self) {
    partial* p;
    TypedData_Get_Struct(self, partial, &partial_type, p);
    if (p->wanted.size() == 0) rb_raise(rb_eArgError, "this Kumihimo::Partial was allocated, but never initialized");
    return *p;
}

VALUE allocate(VALUE klass) {
    partial* const p = new (std::nothrow) partial;
    if (p == nullptr) rb_memerror();
    VALUE made = Qnil;
    const int state = protect([&] { made = TypedData_Wrap_Struct(klass, &partial_type, p); });
    if (state != 0) {
        delete p;
        rb_jump_tag(state);
    }
    return made;
}

// Why a set of paths cannot be compiled, as an exception; nil when it was.
VALUE compile(VALUE paths, partial& into) {
    VALUE error = Qnil;
    int state = 0;
    try {
        std::vector<std::string_view> views;
        for (long i = 0; i < RARRAY_LEN(paths); ++i) {
            const VALUE path = RARRAY_AREF(paths, i);
            views.emplace_back(RSTRING_PTR(path), static_cast<std::size_t>(RSTRING_LEN(path)));
        }
        context ctx;
        if (json::projection::compile(views, into.wanted, ctx) != errc::ok) {
            state = protect([&] {
                const VALUE path = rb_utf8_str_new(ctx.failure.path.data(), static_cast<long>(ctx.failure.path.size()));
                const VALUE message = rb_sprintf("the path %+" PRIsVALUE " is not valid: %s", path, ctx.failure.what);
                if (ctx.failure.offset != failure::nowhere)
                    rb_str_catf(message, ", at byte %" PRIuSIZE " of it", ctx.failure.offset);
                error = rb_exc_new_str(rb_eArgError, message);
            });
        } else {
            if (into.any)
                into.search = into.make_search();
            else
                into.scratch = new json::projector(into.wanted, into.level);
            if (into.search == nullptr && into.scratch == nullptr) state = -1;
        }
    } catch (const std::bad_alloc&) {
        state = -1;
    }
    if (state > 0) rb_jump_tag(state);
    if (state < 0) rb_memerror();
    return error;
}

// (paths, names, level, missing, raw, options, format = nil, dialect = nil): as lib/kumihimo/partial.rb has put them
// in order.
VALUE initialize(int argc, VALUE* argv, VALUE self) {
    VALUE paths, names, level, missing, raw, options, format, dialect;
    rb_scan_args(argc, argv, "62", &paths, &names, &level, &missing, &raw, &options, &format, &dialect);
    partial* p;
    TypedData_Get_Struct(self, partial, &partial_type, p);
    if (p->wanted.size() != 0) rb_raise(rb_eFrozenError, "can't initialize a Kumihimo::Partial twice");
    Check_Type(paths, T_ARRAY);
    for (long i = 0; i < RARRAY_LEN(paths); ++i) Check_Type(RARRAY_AREF(paths, i), T_STRING);
    if (!NIL_P(names)) {
        Check_Type(names, T_ARRAY);
        if (RARRAY_LEN(names) != RARRAY_LEN(paths)) rb_raise(rb_eArgError, "there must be one name for each path");
    }
    p->level = static_cast<json::level>(NUM2INT(level));
    p->raw = RTEST(raw);
    p->any = !NIL_P(format);
    if (p->any) p->by = reader_named(format, dialect);
    RB_OBJ_WRITE(self, &p->kept,
                 p->any ? read_any_options(options, p->by, p->any_read) : read_parse_options(options, p->options));
    RB_OBJ_WRITE(self, &p->names, names);
    RB_OBJ_WRITE(self, &p->missing, missing);
    const VALUE error = compile(paths, *p);
    RB_GC_GUARD(paths);
    if (!NIL_P(error)) rb_exc_raise(error);
    rb_ivar_set(self, rb_intern("@paths"), paths);
    rb_obj_freeze(self);
    return Qnil;
}

// One call's scratch: the object's own where it is free, and fits; else one that goes with the call.
class scratch {
public:
    explicit scratch(partial& p) : from_(p), borrowed_(!p.lent.exchange(true, std::memory_order_acquire)) {}
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    ~scratch() {
        delete own_;
        delete own_search_;
        if (!borrowed_) return;
        if (from_.search != nullptr) from_.search->forget();
        from_.lent.store(false, std::memory_order_release);
    }
    // Null when memory is out.
    json::projector* get(bool own) noexcept {
        if (borrowed_ && !own) return from_.scratch;
        if (own_ == nullptr) {
            try {
                own_ = new json::projector(from_.wanted, from_.level);
            } catch (const std::bad_alloc&) {
            }
        }
        return own_;
    }
    // The same of a format that was named.
    partial_search* search(bool own) noexcept {
        if (borrowed_ && !own) return from_.search;
        if (own_search_ == nullptr) own_search_ = from_.make_search();
        return own_search_;
    }

private:
    partial& from_;
    const bool borrowed_;
    json::projector* own_ = nullptr;
    partial_search* own_search_ = nullptr;
};

bytes bytes_of(VALUE string) {
    return {reinterpret_cast<const unsigned char*>(RSTRING_PTR(string)), static_cast<std::size_t>(RSTRING_LEN(string))};
}

// What one call works with. Everything below runs inside protect().
struct reading {
    const partial& p;
    scratch& memory;
    context& ctx;
    VALUE document = Qnil;
    long index = -1;  // of the document, among many

    [[noreturn, gnu::cold]] void fail(errc e) {
        const VALUE error = parse_error_of(ctx, e, bytes_of(document));
        if (index >= 0) rb_ivar_set(error, id_index, LONG2NUM(index));
        rb_exc_raise(error);
    }

    VALUE values_of(VALUE source) {
        // Frozen: the user's decimal class may change the String, and other threads may while the lock is given up.
        document = rb_str_new_frozen(p.any ? document_for(p.by, readable(source)) : document_of(source));
        ctx.clear();
        const VALUE out = p.any ? of_format() : of_json();
        RB_GC_GUARD(document);
        return out;
    }

    // Looks for the values, of long documents without the lock.
    template <class Search>
    void run(Search* by) {
        if (by == nullptr) rb_memerror();
        const bytes input = bytes_of(document);
        errc e = errc::ok;
        const auto look = [&]() noexcept {
            try {
                e = by->run(input, ctx);
            } catch (const std::bad_alloc&) {
                e = ctx.fail(errc::memory, failure::nowhere, "out of memory");
            }
        };
        if (is_long()) {
            without_lock([&] { look(); });
        } else {
            look();
        }
        if (e != errc::ok) fail(e);
    }
    bool is_long() const { return bytes_of(document).size() >= unlocked_document; }

    VALUE of_json() {
        json::projector* const by = memory.get(is_long());
        run(by);
        builder to(ctx, p.options.build);
        return results(
            to, [by](std::size_t i) { return by->values(i).size(); },
            [&](std::size_t i, std::size_t k) { return one(by->values(i)[k], to); });
    }

    VALUE of_format() {
        partial_search* const by = memory.search(is_long());
        run(by);
        any_builder to(ctx, p.any_read);
        if (!p.by.checked) to.distrust();
        return results(
            to, [by](std::size_t i) { return by->count(i); }, [&](std::size_t i, std::size_t k) { return one(*by, i, k, to); });
    }

    template <class Builder, class Count, class One>
    VALUE results(Builder& to, Count count, One one) {
        to.give_way();
        step_turns turns;
        const auto n = static_cast<long>(p.wanted.size());
        const bool named = !NIL_P(p.names);
        const VALUE out = named ? rb_hash_new() : rb_ary_new_capa(n);
        for (long at = 0; at < n; ++at) {
            const auto i = static_cast<std::size_t>(at);
            const std::size_t length = count(i);
            VALUE value;
            if (!p.wanted.wild(i)) {
                value = length == 0 ? p.missing : one(i, 0);
            } else {
                value = rb_ary_new_capa(static_cast<long>(length));
                for (std::size_t k = 0; k < length; ++k) {
                    rb_ary_push(value, one(i, k));
                    turns.turn();
                }
            }
            if (named)
                rb_hash_aset(out, RARRAY_AREF(p.names, at), value);
            else
                rb_ary_push(out, value);
        }
        return out;
    }

    VALUE one(partial_search& by, std::size_t i, std::size_t k, any_builder& to) {
        if (by.absent(i, k)) return p.missing;
        if (p.raw) {
            const bytes value = by.raw(i, k);
            const auto* const begin = reinterpret_cast<const char*>(value.data());
            return p.by.is_text ? utf8_string(begin, value.size(), RUBY_ENC_CODERANGE_UNKNOWN)
                                : rb_str_new(begin, static_cast<long>(value.size()));
        }
        protected_call guarded;
        const errc e = by.give(i, k, to, ctx, guarded);
        const VALUE made = guarded.state == 0 && e == errc::ok ? to.take() : Qundef;
        to.release();
        if (guarded.state != 0) rb_jump_tag(guarded.state);
        if (e != errc::ok) fail(e);
        return made;
    }

    VALUE one(json::slice s, builder& to) {
        if (s.length == 0) return p.missing;
        const bytes value = bytes_of(document).subspan(s.offset, s.length);
        if (p.raw) return utf8_string(reinterpret_cast<const char*>(value.data()), value.size(), RUBY_ENC_CODERANGE_UNKNOWN);
        errc e = errc::ok;
        int state;
        {
            json::reader from(value, ctx, p.options.granted);
            state = protect([&] { e = from.feed(to); });
        }
        if (state != 0 || e != errc::ok) [[unlikely]] {
            to.release();
            if (state != 0) rb_jump_tag(state);
            fail(json::relocate(bytes_of(document), ctx, p.options.granted, s.offset));
        }
        const VALUE made = to.take();
        to.release();
        return made;
    }
};

// Runs body(reading) with everything that needs a destructor around it.
template <class F>
VALUE read(VALUE self, F&& body) {
    partial& p = partial_of(self);
    VALUE out = Qnil;
    int state;
    {
        scratch memory(p);
        context ctx;
        ctx.limits.depth = p.depth();
        reading r{p, memory, ctx};
        state = protect([&] { out = body(r); });
    }
    RB_GC_GUARD(self);
    if (state != 0) rb_jump_tag(state);
    return out;
}

VALUE call(VALUE self, VALUE source) {
    return read(self, [&](reading& r) { return r.values_of(source); });
}

// What many() has for each document lies in an Array, not on the machine stack: an each may keep its block, and call
// it later or from other threads. `memo`: the Partial, the results (nil: each one is yielded), the next document's
// index.
VALUE many_step(RB_BLOCK_CALL_FUNC_ARGLIST(source, memo)) {
    const VALUE self = RARRAY_AREF(memo, 0), results = RARRAY_AREF(memo, 1), index = RARRAY_AREF(memo, 2);
    RARRAY_ASET(memo, 2, LONG2FIX(FIX2LONG(index) + 1));
    const VALUE result = read(self, [&](reading& r) {
        r.index = FIX2LONG(index);
        return r.values_of(source);
    });
    if (NIL_P(results))
        rb_yield(result);
    else
        rb_ary_push(results, result);
    return Qnil;
}

VALUE call_many(VALUE self, VALUE sources) {
    partial_of(self);
    VALUE results = rb_block_given_p() ? Qnil : rb_ary_new();
    const VALUE parts[] = {self, results, INT2FIX(0)};
    VALUE memo = rb_obj_hide(rb_ary_new_from_values(3, parts));
    rb_block_call(sources, id_each, 0, nullptr, many_step, memo);
    RB_GC_GUARD(memo);
    return NIL_P(results) ? self : results;
}

VALUE size(VALUE self) { return SIZET2NUM(partial_of(self).wanted.size()); }

VALUE names(VALUE self) { return partial_of(self).names; }

}  // namespace

void init_partial(VALUE kumihimo) {
    id_each = rb_intern("each");
    id_index = rb_intern("@index");
    const VALUE partial = rb_define_class_under(kumihimo, "Partial", rb_cObject);
    rb_define_alloc_func(partial, allocate);
    rb_define_private_method(partial, "initialize", RUBY_METHOD_FUNC(initialize), -1);
    rb_define_method(partial, "call", RUBY_METHOD_FUNC(call), 1);
    rb_define_method(partial, "[]", RUBY_METHOD_FUNC(call), 1);
    rb_define_method(partial, "many", RUBY_METHOD_FUNC(call_many), 1);
    rb_define_method(partial, "size", RUBY_METHOD_FUNC(size), 0);
    rb_define_method(partial, "names", RUBY_METHOD_FUNC(names), 0);
    for (const VALUE error : {parser_error, nesting_error}) rb_define_attr(error, "index", 1, 0);
}

}  // namespace kumihimo::inline v0::ruby
