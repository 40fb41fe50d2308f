// Lazy: a document that was read and checked, and becomes Ruby objects only where it is touched (engine/tape).
//
//      Lazy  ----+
//      Lazy  ----+-->  Document:  the source (a frozen String), its tape, the options
//      Lazy  ----+     a Lazy is a place on the tape; scalars are made when they are asked for
//
// Neither ever changes, so threads and Ractors may share them; where an array was entered last is a hint in one word.
#include <atomic>
#include <bit>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>

#include "any_format.hpp"
#include "engine/tape/cursor.hpp"
#include "errors.hpp"
#include "module.hpp"
#include "turn.hpp"

namespace kumihimo::inline v0::ruby {

namespace {

struct document {
    VALUE string = Qnil;
    VALUE kept = Qnil;  // what `options` refers to
    any_options options;
    any_reader by;
    json::read_dialect strict;  // what `by` reads with where no format was named
    bool any = false;           // one was
    context ctx;
    stoppable* tape = nullptr;
    tape::view view;

    ~document() { delete tape; }

    bytes input() const {
        return {reinterpret_cast<const unsigned char*>(RSTRING_PTR(string)), static_cast<std::size_t>(RSTRING_LEN(string))};
    }
};

struct lazy {
    VALUE holder = Qnil;  // of `owner`
    const document* owner = nullptr;
    tape::cursor at;
    // Array index in the upper half, place on the tape in the lower: the element that was asked for last. 0: none,
    // since no element lies at place 0.
    mutable std::atomic<std::uint64_t> last{0};
};

constexpr VALUE type_flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED | RUBY_TYPED_FROZEN_SHAREABLE;
const rb_data_type_t document_type = {"Kumihimo::Lazy::Document",
                                      {[](void* data) {
                                           const document& d = *static_cast<const document*>(data);
                                           rb_gc_mark(d.string);
                                           rb_gc_mark(d.kept);
                                           d.options.mark();
                                       },
                                       [](void* data) { delete static_cast<document*>(data); },
                                       [](const void* data) -> std::size_t {
                                           const auto& view = static_cast<const document*>(data)->view;
                                           return sizeof(document) + view.size * sizeof(tape::node) + view.arena.size();
                                       },
                                       nullptr,
                                       {}},
                                      nullptr,
                                      nullptr,
                                      type_flags};
const rb_data_type_t lazy_type = {"Kumihimo::Lazy",
                                  {[](void* data) { rb_gc_mark(static_cast<lazy*>(data)->holder); },
                                   [](void* data) { ruby_xfree(data); },
                                   [](const void*) -> std::size_t { return sizeof(lazy); },
                                   nullptr,
                                   {}},
                                  nullptr,
                                  nullptr,
                                  type_flags};

// Set once by init_lazy.
VALUE lazy_class, document_class;
ID id_missing;

lazy& lazy_of(VALUE self) {
    lazy* l;
    TypedData_Get_Struct(self, lazy, &lazy_type, l);
    return *l;
}

bool is_map(const lazy& l) { return l.at.is(tape::kind::map); }
bool is_array(const lazy& l) { return l.at.is(tape::kind::array); }

[[noreturn, gnu::cold]] void refuse(const lazy& l, const char* wanted) {
    rb_raise(rb_eTypeError, "this value is %s %s, not %s", l.at.is(tape::kind::array) || l.at.is(tape::kind::map) ? "an" : "a",
             tape::name_of(l.at.is()), wanted);
}
void want_container(const lazy& l) {
    if (!is_map(l) && !is_array(l)) refuse(l, "an object or an array");
}

// ---- places to Ruby objects

template <class Builder, class Options>
VALUE built_by(tape::cursor at, const Options& options, bool checked) {
    VALUE made = Qundef;
    int state;
    {
        context ctx;
        Builder to(ctx, options);
        if (!checked) to.distrust();
        to.give_way();
        tape::player from = at.play();
        state = protect([&] {
            if (from.feed(to) == errc::ok) made = to.take();
        });
        to.release();
    }
    if (state != 0) rb_jump_tag(state);
    if (made == Qundef) rb_memerror();
    return made;
}
VALUE built(const document& d, tape::cursor at) {
    return d.any ? built_by<any_builder>(at, d.options, d.by.checked) : built_by<builder>(at, d.options.build, true);
}

VALUE scalar_of(const document& d, tape::cursor at) {
    const tape::node& n = d.view.nodes[at.index()];
    switch (n.is()) {
        case tape::kind::null: return Qnil;
        case tape::kind::boolean: return n.payload != 0 ? Qtrue : Qfalse;
        case tape::kind::i64: return LL2NUM(static_cast<long long>(n.payload));
        case tape::kind::f64: return rb_float_new(std::bit_cast<double>(n.payload));
        case tape::kind::str:
            if (!d.options.build.freeze && (!d.any || d.by.checked)) return string_of(d.view.as_text(n));
            [[fallthrough]];
        default: return built(d, at);
    }
}

VALUE node_of(VALUE holder, const document& d, tape::cursor at) {
    lazy* l;
    const VALUE made = TypedData_Make_Struct(lazy_class, lazy, &lazy_type, l);
    new (l) lazy;
    l->owner = &d;
    l->at = at;
    RB_OBJ_WRITE(made, &l->holder, holder);
    rb_obj_freeze(made);
    return made;
}

VALUE node_or_scalar(const lazy& l, tape::cursor at) {
    return at.is(tape::kind::map) || at.is(tape::kind::array) ? node_of(l.holder, *l.owner, at) : scalar_of(*l.owner, at);
}

VALUE key_of(const document& d, tape::cursor key, key_cache& keys) {
    if (!key.is(tape::kind::str)) return built(d, key);
    const text t = d.view.as_text(d.view.nodes[key.index()]);
    const char* const p = static_cast<const char*>(t.data);
    return d.options.build.symbolize ? keys.symbol(p, t.size) : keys.string(p, t.size);
}

// ---- finding

// A key that is no text, by its value as a Hash compares it; of equal ones the last.
tape::cursor find_value(const lazy& l, VALUE key) {
    tape::cursor found;
    step_turns turns;
    for (tape::cursor k = l.at.first(); k; k = k.next().next()) {
        if (!k.is(tape::kind::str) && rb_eql(built(*l.owner, k), key) != 0) found = k.next();
        turns.turn();
    }
    return found;
}

// Text as a String or a Symbol, whichever the caller likes.
tape::cursor find(const lazy& l, VALUE key) {
    if (RB_SYMBOL_P(key)) key = rb_sym2str(key);
    if (l.owner->any && (!RB_TYPE_P(key, T_STRING) || RB_ENCODING_GET(key) == binary_index)) {
        const tape::cursor found = find_value(l, key);
        if (found) return found;
    }
    if (!RB_TYPE_P(key, T_STRING)) return {};
    const int index = RB_ENCODING_GET(key);
    if (index != utf8_index && index != ascii_index) key = rb_str_conv_enc(key, rb_enc_get(key), rb_utf8_encoding());
    const tape::cursor found = l.at[std::string_view(RSTRING_PTR(key), static_cast<std::size_t>(RSTRING_LEN(key)))];
    RB_GC_GUARD(key);
    return found;
}

// An array is usually walked forwards, by index too: go on from where the last one was found.
tape::cursor element(const lazy& l, std::size_t i) {
    constexpr std::uint64_t most = 0xffffffff;
    const std::uint64_t hint = l.last.load(std::memory_order_relaxed);
    const std::size_t from = hint >> 32;
    tape::cursor c;
    if (hint == 0 || i < from) {
        c = l.at[i];
    } else {
        c = tape::cursor(l.owner->view, hint & most);
        for (std::size_t k = from; k < i; ++k) c = c.next();
    }
    if (i <= most && c.index() <= most) l.last.store(std::uint64_t{i} << 32 | c.index(), std::memory_order_relaxed);
    return c;
}

// Empty where there is none.
tape::cursor at_index(const lazy& l, long i) {
    const auto n = static_cast<long>(l.at.size());
    if (i < 0) i += n;
    return i < 0 || i >= n ? tape::cursor() : element(l, static_cast<std::size_t>(i));
}

VALUE slice_of(const lazy& l, long from, long count) {
    const auto n = static_cast<long>(l.at.size());
    if (from < 0) from += n;
    if (from < 0 || from > n || count < 0) return Qnil;
    if (count > n - from) count = n - from;
    const VALUE out = rb_ary_new_capa(count);
    step_turns turns;
    for (long i = 0; i < count; ++i) {
        rb_ary_push(out, node_or_scalar(l, element(l, static_cast<std::size_t>(from + i))));
        turns.turn();
    }
    return out;
}

VALUE get(int argc, VALUE* argv, VALUE self) {
    const lazy& l = lazy_of(self);
    if (is_map(l)) {
        rb_check_arity(argc, 1, 1);
        const tape::cursor found = find(l, argv[0]);
        return found ? node_or_scalar(l, found) : Qnil;
    }
    rb_check_arity(argc, 1, 2);
    if (!is_array(l)) refuse(l, "an object or an array");
    if (argc == 2) return slice_of(l, NUM2LONG(argv[0]), NUM2LONG(argv[1]));
    if (!RB_FIXNUM_P(argv[0])) {
        long from, count;
        const VALUE range = rb_range_beg_len(argv[0], &from, &count, static_cast<long>(l.at.size()), 0);
        if (NIL_P(range)) return Qnil;
        if (range != Qfalse) return slice_of(l, from, count);
    }
    const tape::cursor found = at_index(l, NUM2LONG(argv[0]));
    return found ? node_or_scalar(l, found) : Qnil;
}

VALUE fetch(int argc, VALUE* argv, VALUE self) {
    rb_check_arity(argc, 1, 2);
    const lazy& l = lazy_of(self);
    want_container(l);
    const tape::cursor found = is_map(l) ? find(l, argv[0]) : at_index(l, NUM2LONG(argv[0]));
    if (found) return node_or_scalar(l, found);
    if (rb_block_given_p()) return rb_yield(argv[0]);
    return argc == 2 ? argv[1] : rb_funcallv(self, id_missing, 1, argv);
}

VALUE dig(int argc, VALUE* argv, VALUE self) {
    rb_check_arity(argc, 1, UNLIMITED_ARGUMENTS);
    const lazy& start = lazy_of(self);
    want_container(start);
    tape::cursor at = start.at;
    for (int i = 0; i < argc; ++i) {
        lazy here;
        here.owner = start.owner;
        here.at = at;
        if (at.is(tape::kind::null)) return Qnil;
        if (!is_map(here) && !is_array(here)) {
            rb_raise(rb_eTypeError, "%" PRIsVALUE " does not have #dig method", rb_obj_class(scalar_of(*start.owner, at)));
        }
        at = is_map(here) ? find(here, argv[i]) : at_index(i == 0 ? start : here, NUM2LONG(argv[i]));
        if (!at) return Qnil;
    }
    return node_or_scalar(start, at);
}

VALUE has_key(VALUE self, VALUE key) {
    const lazy& l = lazy_of(self);
    if (!is_map(l)) refuse(l, "an object");
    return find(l, key) ? Qtrue : Qfalse;
}

// ---- all of it

VALUE size(VALUE self) {
    const lazy& l = lazy_of(self);
    want_container(l);
    return SIZET2NUM(l.at.size());
}

VALUE keys(VALUE self) {
    const lazy& l = lazy_of(self);
    if (!is_map(l)) refuse(l, "an object");
    const VALUE out = rb_ary_new_capa(static_cast<long>(l.at.size()));
    key_cache& cache = key_cache::here();
    step_turns turns;
    for (tape::cursor k = l.at.first(); k; k = k.next().next()) {
        rb_ary_push(out, key_of(*l.owner, k, cache));
        turns.turn();
    }
    return out;
}

VALUE values(VALUE self) {
    const lazy& l = lazy_of(self);
    want_container(l);
    const VALUE out = rb_ary_new_capa(static_cast<long>(l.at.size()));
    step_turns turns;
    for (tape::cursor c = l.at.first(); c; c = c.next()) {
        if (is_map(l)) c = c.next();
        rb_ary_push(out, node_or_scalar(l, c));
        turns.turn();
    }
    return out;
}

VALUE each_size(VALUE self, VALUE, VALUE) { return size(self); }

VALUE each(VALUE self) {
    RETURN_SIZED_ENUMERATOR(self, 0, nullptr, each_size);
    const lazy& l = lazy_of(self);
    want_container(l);
    const bool map = is_map(l);
    for (tape::cursor c = l.at.first(); c; c = c.next()) {
        if (map) {
            const VALUE key = key_of(*l.owner, c, key_cache::here());
            c = c.next();
            rb_yield(rb_assoc_new(key, node_or_scalar(l, c)));
        } else {
            rb_yield(node_or_scalar(l, c));
        }
    }
    return self;
}

VALUE value(VALUE self) {
    const lazy& l = lazy_of(self);
    return is_map(l) || is_array(l) ? built(*l.owner, l.at) : scalar_of(*l.owner, l.at);
}

VALUE type(VALUE self) { return ID2SYM(rb_intern(tape::name_of(lazy_of(self).at.is()))); }

// ---- the text of a place

// Runs body(stop), which gives an errc: at once for a small document; for a large one without the lock, until an
// interrupt stops it. May raise then.
template <class F>
errc interruptible(const document& d, F&& body) {
    if (d.input().size() < unlocked_document) return body(never);
    errc e = errc::ok;
    without_lock_stoppable([&](const std::atomic<bool>& stop) {
        e = body(stop);
        return e != errc::host;
    });
    return e;
}

// The exact bytes of a place. The tape does not keep them (they would double it); since few ask, the document is read
// once more, with places. `out` is set when the answer is errc::ok; errc::host: stopped.
errc find_span(const document& d, std::size_t wanted, const std::atomic<bool>& stop, tape::span& out) noexcept {
    try {
        context ctx;
        ctx.limits = d.ctx.limits;
        stoppable again(ctx, d.input(), true);
        again.heed(stop);
        tape::view found;
        errc e = d.by.record(d.by, d.input(), ctx, again);
        if (e == errc::ok) e = again.finish(found);
        if (e == errc::ok) out = found.spans[wanted];
        return e;
    } catch (const std::bad_alloc&) {
        return errc::memory;
    }
}

VALUE raw(VALUE self) {
    const lazy& l = lazy_of(self);
    tape::span s;
    const errc e =
        interruptible(*l.owner, [&](const std::atomic<bool>& stop) { return find_span(*l.owner, l.at.index(), stop, s); });
    if (e == errc::memory) rb_memerror();
    if (e != errc::ok) rb_raise(rb_eRuntimeError, "a document that was read cannot be read again");  // its text is frozen
    const char* const begin = RSTRING_PTR(l.owner->string) + s.begin;
    const VALUE made = l.owner->by.is_text ? utf8_string(begin, s.end - s.begin, RUBY_ENC_CODERANGE_UNKNOWN)
                                           : rb_str_new(begin, static_cast<long>(s.end - s.begin));
    RB_GC_GUARD(self);
    return made;
}

// Whether raw is what to_json is to give.
VALUE is_json(VALUE self) { return lazy_of(self).owner->any ? Qfalse : Qtrue; }

// ---- opening

errc record(document& d, const std::atomic<bool>& stop) noexcept {
    d.ctx.clear();
    d.tape->clear(d.input());
    d.tape->heed(stop);
    errc e = d.by.record(d.by, d.input(), d.ctx, *d.tape);
    if (e == errc::ok) e = d.tape->finish(d.view);
    d.tape->heed(never);  // the recorder outlives `stop`
    return e;
}

// Strict: what is never touched is as valid as what is. An integer -0 is 0, as parse has it.
VALUE read_strict(VALUE options, document& d) {
    parse_options read;
    const VALUE kept = read_parse_options(options, read);
    d.options.build = read.build;
    d.options.depth = read.depth;
    d.strict = json::rfc8259;
    d.strict.decimal_digits = read.granted.decimal_digits;
    d.strict.integer_zero = true;
    d.by = reader_of<json::format>(d.strict);
    return kept;
}

// (source, options, format, dialect): format nil is JSON, read strictly.
VALUE open(VALUE klass, VALUE source, VALUE options, VALUE format, VALUE dialect) {
    document* const d = new (std::nothrow) document;
    if (d == nullptr) rb_memerror();
    VALUE holder = Qnil;
    const int state = protect([&] { holder = TypedData_Wrap_Struct(document_class, &document_type, d); });
    if (state != 0) {
        delete d;
        rb_jump_tag(state);
    }
    d->any = !NIL_P(format);
    if (d->any) d->by = reader_named(format, dialect);
    RB_OBJ_WRITE(holder, &d->kept, d->any ? read_any_options(options, d->by, d->options) : read_strict(options, *d));
    RB_OBJ_WRITE(holder, &d->string, rb_str_new_frozen(document_for(d->by, d->any ? readable(source) : source)));
    d->ctx.limits.depth = d->options.depth;
    d->tape = new (std::nothrow) stoppable(d->ctx, d->input());
    if (d->tape == nullptr) rb_memerror();
    const errc e = interruptible(*d, [&](const std::atomic<bool>& stop) { return record(*d, stop); });
    if (e != errc::ok) rb_exc_raise(parse_error_of(d->ctx, e, d->input()));
    rb_obj_freeze(holder);
    const VALUE made = node_of(holder, *d, tape::cursor(d->view));
    RB_GC_GUARD(holder);
    return made;
}

}  // namespace

void init_lazy(VALUE kumihimo) {
    id_missing = rb_intern("missing");
    lazy_class = lasting(rb_define_class_under(kumihimo, "Lazy", rb_cObject));
    rb_undef_alloc_func(lazy_class);
    rb_include_module(lazy_class, rb_mEnumerable);
    document_class = lasting(rb_define_class_under(lazy_class, "Document", rb_cObject));
    rb_undef_alloc_func(document_class);
    rb_funcall(lazy_class, rb_intern("private_constant"), 1, ID2SYM(rb_intern("Document")));
    rb_define_singleton_method(lazy_class, "open", RUBY_METHOD_FUNC(open), 4);
    rb_funcall(lazy_class, rb_intern("private_class_method"), 2, ID2SYM(rb_intern("open")), ID2SYM(rb_intern("new")));
    rb_define_method(lazy_class, "[]", RUBY_METHOD_FUNC(get), -1);
    rb_define_method(lazy_class, "fetch", RUBY_METHOD_FUNC(fetch), -1);
    rb_define_method(lazy_class, "dig", RUBY_METHOD_FUNC(dig), -1);
    rb_define_method(lazy_class, "key?", RUBY_METHOD_FUNC(has_key), 1);
    rb_define_method(lazy_class, "size", RUBY_METHOD_FUNC(size), 0);
    rb_define_method(lazy_class, "keys", RUBY_METHOD_FUNC(keys), 0);
    rb_define_method(lazy_class, "values", RUBY_METHOD_FUNC(values), 0);
    rb_define_method(lazy_class, "each", RUBY_METHOD_FUNC(each), 0);
    rb_define_method(lazy_class, "value", RUBY_METHOD_FUNC(value), 0);
    rb_define_method(lazy_class, "type", RUBY_METHOD_FUNC(type), 0);
    rb_define_private_method(lazy_class, "json?", RUBY_METHOD_FUNC(is_json), 0);
    rb_define_method(lazy_class, "raw", RUBY_METHOD_FUNC(raw), 0);
}

}  // namespace kumihimo::inline v0::ruby
