// A document of any format whose values are made where a script touches them (engine/tape).
//
//      Kumihimo::Lazy ---+
//      Kumihimo::Lazy ---+-->  an Array: the document, its tape, options
//                              a Lazy is a place on the tape; scalars are made when they are asked for
//
// The Array and its Strings are the script's own memory, counted and collected as all of its objects are. No script
// finds them: they have no class, and the names under which a Lazy has them are none that a script can say.
#include <algorithm>
#include <cstring>
#include <new>

#include "engine/formats.hpp"
#include "engine/tape/lookup.hpp"

#include "../vm/shelter.hpp"
#include "../vm/stack.hpp"
#include "any_build.hpp"
#include "any_format.hpp"
#include "any_tape.hpp"
#include "blocks.hpp"
#include "frames.hpp"
#include "json.hpp"
#include "text.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// What is where in the document's Array. The last three: which element of which array was asked for last, and where it
// is.
enum : mrb_int {
    input_slot,
    nodes_slot,
    arena_slot,
    size_slot,
    flags_slot,
    symbols_slot,  // how many new Symbols it has brought
    marks_slot,    // a Hash: by_marks()
    array_slot,
    index_slot,
    element_slot,
    slots
};
constexpr mrb_int symbolizes = 1, freezes = 2, keeps_timestamps = 4;

mrb_sym document_name(mrb_state* mrb) { return mrb_intern_lit(mrb, "document"); }
mrb_sym place_name(mrb_state* mrb) { return mrb_intern_lit(mrb, "place"); }

// ---- opening

mrb_value hidden(mrb_value made) {
    mrb_basic_ptr(made)->c = nullptr;
    return made;
}
// Memory of its own, so that nodes lie aligned in it: short Strings are in their objects.
mrb_value hidden_room(mrb_state* mrb, std::size_t n) { return hidden(mrb_str_new(mrb, nullptr, std::max<std::size_t>(n, 64))); }
mrb_value hidden_copy(mrb_state* mrb, const void* data, std::size_t n) {
    const mrb_value s = hidden_room(mrb, n);
    if (n != 0) std::memcpy(RSTRING_PTR(s), data, n);
    return s;
}

mrb_value kept(mrb_state* mrb, bytes document, const tape::view& tape, mrb_int flags) {
    const mrb_value none = mrb_fixnum_value(-1);
    const mrb_value all[slots] = {hidden_copy(mrb, document.data(), document.size()),
                                  hidden_copy(mrb, tape.nodes, tape.size * sizeof(tape::node)),
                                  hidden_copy(mrb, tape.arena.data(), tape.arena.size()),
                                  mrb_int_value(mrb, static_cast<mrb_int>(tape.size)),
                                  mrb_fixnum_value(flags),
                                  mrb_fixnum_value(0),
                                  hidden(mrb_hash_new(mrb)),
                                  none,
                                  none,
                                  none};
    return hidden(mrb_ary_new_from_values(mrb, slots, all));
}

// Its objects with destructors are gone when it returns. What it makes is the Array.
template <format F>
[[gnu::noinline]] void record(mrb_state* mrb, bytes document, const load_options& o, mrb_int flags, any_outcome& out) {
    const host_section at_work;
    context ctx;
    ctx.limits.depth = depth_of(o.max_nesting);
    errc e = errc::memory;
    try {
        if (e = may_have_tape(mrb, document, ctx); e == errc::ok) {
            tape::recorder to(ctx, document);
            typename F::reader from(document, ctx, *dialect_of(F::read_dialects, o.dialect));
            tape::view tape;
            e = from.feed(to);
            if (e == errc::ok) e = to.finish(tape);
            if (e == errc::ok) {
                const collector_off no_collection(mrb);
                auto all = [&] { out.made = kept(mrb, document, tape, flags); };
                sheltered(mrb, all, out.error);
                return;
            }
        }
    } catch (const std::bad_alloc&) {
        e = errc::memory;
    }
    out.why.take(ctx, e, document, ctx.limits.depth);
}

mrb_value new_lazy(mrb_state* mrb, RClass* c, mrb_value document, std::size_t at) {
    const mrb_value made = mrb_obj_value(mrb_obj_alloc(mrb, MRB_TT_OBJECT, c));
    mrb_iv_set(mrb, made, document_name(mrb), document);
    mrb_iv_set(mrb, made, place_name(mrb), mrb_int_value(mrb, static_cast<mrb_int>(at)));
    return made;
}

// lazy(source, the options of load)
mrb_value lazy(mrb_state* mrb, mrb_value) {
    mrb_value source, given = mrb_nil_value();
    mrb_get_args(mrb, "o|o", &source, &given);
    source = unframed(mrb, any_source(mrb, source));
    asked_options asked = load_options_of(mrb, given);
    const load_options o = asked.for_document(mrb, bytes_in(source));
    const mrb_int flags =
        (o.build.symbolize ? symbolizes : 0) | (o.build.freeze ? freezes : 0) | (asked.timestamps ? keeps_timestamps : 0);
    machine_stack::check(mrb);
    const mrb_value document = value_read(mrb, [&](any_outcome& out) {
        visit_format(o.format, [&](auto row) { record<decltype(row)>(mrb, bytes_in(source), o, flags, out); });
    });
    return new_lazy(mrb, class_in(mrb, "Kumihimo", "Lazy"), document, 0);
}

// ---- a place

struct place {
    mrb_value self, document;
    tape::view tape;
    std::size_t at;

    place(mrb_state* mrb, mrb_value s) : self(s), document(mrb_iv_get(mrb, s, document_name(mrb))) {
        if (!mrb_array_p(document)) mrb_raise(mrb, E_TYPE_ERROR, "this Kumihimo::Lazy has no document");
        at = static_cast<std::size_t>(mrb_integer(mrb_iv_get(mrb, s, place_name(mrb))));
        tape.nodes = reinterpret_cast<const tape::node*>(RSTRING_PTR(kept_at(nodes_slot)));
        tape.size = static_cast<std::size_t>(number_at(size_slot));
        tape.input = bytes_in(kept_at(input_slot));
        tape.arena = bytes_in(kept_at(arena_slot));
    }
    place(const place&) = delete;
    place& operator=(const place&) = delete;

    mrb_value kept_at(mrb_int i) const { return RARRAY_PTR(document)[i]; }
    mrb_int number_at(mrb_int i) const { return mrb_integer(kept_at(i)); }
    void keep_number(mrb_state* mrb, mrb_int i, mrb_int n) const { mrb_ary_set(mrb, document, i, mrb_int_value(mrb, n)); }
    /// Valid as long as this place.
    tape::cursor cursor() const noexcept { return tape::cursor(tape, at); }
};

[[noreturn, gnu::cold]] void refuse(mrb_state* mrb, tape::cursor at, const char* wanted) {
    mrb_raisef(mrb, E_TYPE_ERROR, "this value is of type %s, not %s", tape::name_of(at.is()), wanted);
    __builtin_unreachable();
}
bool is_container(tape::cursor at) noexcept { return at.is(tape::kind::map) || at.is(tape::kind::array); }
void want_container(mrb_state* mrb, tape::cursor at) {
    if (!is_container(at)) refuse(mrb, at, "an object or an array");
}
void want_map(mrb_state* mrb, tape::cursor at) {
    if (!at.is(tape::kind::map)) refuse(mrb, at, "an object");
}

// The value at a place; as the key that it is there; or of a map all keys as one Array, which share what is made of a
// text, as in load.
enum class wanted { value, key, keys };

[[gnu::noinline]] void build(mrb_state* mrb, tape::cursor at, wanted what, load_options& o, any_outcome& out) {
    const host_section at_work;
    key_cache* const keys = key_cache::here();
    context ctx;
    if (keys == nullptr) return out.why.take(ctx, errc::memory, {}, 0);
    const collector_off no_collection(mrb);
    any_builder to(mrb, ctx, o, *keys);
    const auto feed = [&](tape::cursor from) {
        tape::player all = from.play();
        return all.feed(to);
    };
    const auto feed_key = [&](tape::cursor k) {
        text t;
        const bool is_text = k.is(tape::kind::str) && k.get(t) == errc::ok;
        return is_text ? to.object(keys->get(mrb, static_cast<const char*>(t.data), t.size)) : feed(k);
    };
    const auto feed_keys = [&] {
        KUMIHIMO_TRY(to.array(count{}));
        for (tape::cursor k = at.first(); k; k = k.next().next()) KUMIHIMO_TRY(feed_key(k));
        return to.end();
    };
    errc e = errc::ok;
    auto whole = [&] {
        e = what == wanted::keys ? feed_keys() : what == wanted::key ? feed_key(at) : feed(at);
        if (e == errc::ok) out.made = to.take();
    };
    const bool through = sheltered(mrb, whole, out.error);
    to.release();
    o.build.new_symbols = keys->new_symbols();
    if (through && e != errc::ok) out.why.take(ctx, e, {}, 0);
}
mrb_value built(mrb_state* mrb, const place& p, tape::cursor at, wanted what = wanted::value) {
    const mrb_int flags = p.number_at(flags_slot);
    load_options o;
    o.build = {(flags & symbolizes) != 0, (flags & freezes) != 0, false, static_cast<std::uint32_t>(p.number_at(symbols_slot))};
    o.find_classes(mrb, (flags & keeps_timestamps) != 0);
    return value_read(mrb, [&](any_outcome& out) {
        build(mrb, at, what, o, out);
        p.keep_number(mrb, symbols_slot, o.build.new_symbols);
    });
}
mrb_value given(mrb_state* mrb, const place& p, tape::cursor at) {
    if (!is_container(at)) return built(mrb, p, at);
    return new_lazy(mrb, mrb_obj_class(mrb, p.self), p.document, at.index());
}

// ---- finding

// A key that is no text, by its value as a Hash compares it; of equal ones the last.
tape::cursor find_value(mrb_state* mrb, const place& p, tape::cursor map, mrb_value key) {
    tape::cursor found;
    for (tape::cursor k = map.first(); k; k = k.next().next()) {
        if (k.is(tape::kind::str)) continue;
        const int arena = mrb_gc_arena_save(mrb);
        if (mrb_eql(mrb, built(mrb, p, k), key)) found = k.next();
        mrb_gc_arena_restore(mrb, arena);
    }
    return found;
}

// Text as a String or a Symbol, whichever the script likes.
tape::cursor find(mrb_state* mrb, const place& p, tape::cursor map, mrb_value key) {
    if (mrb_symbol_p(key)) {
        mrb_int n = 0;
        const char* const name = mrb_sym_name_len(mrb, mrb_symbol(key), &n);
        return map[std::string_view(name, static_cast<std::size_t>(n))];
    }
    if (mrb_string_p(key)) {
        if (const tape::cursor found = map[string_view_of(key).all()]; found) return found;
    }
    return find_value(mrb, p, map, key);
}

tape::cursor passed(tape::cursor c, std::size_t n) noexcept {
    while (n-- > 0) c = c.next();
    return c;
}

// As tape::element_marks finds them, but with its marks in the script's memory: of each large array, by its place, a
// hidden String of numbers. The first says how many marks are known; they are the places of every 16th value.
tape::cursor by_marks(mrb_state* mrb, const place& p, tape::cursor array, std::size_t i) {
    constexpr std::size_t every = tape::element_marks::every;
    const mrb_value key = mrb_int_value(mrb, static_cast<mrb_int>(array.index()));
    mrb_value kept = mrb_hash_fetch(mrb, p.kept_at(marks_slot), key, mrb_undef_value());
    const bool unknown = mrb_undef_p(kept);
    if (unknown) kept = hidden_room(mrb, (1 + (array.size() - 1) / every + 1) * sizeof(std::size_t));
    auto* const numbers = reinterpret_cast<std::size_t*>(RSTRING_PTR(kept));
    std::size_t& known = numbers[0];
    std::size_t* const marks = numbers + 1;
    if (unknown) {
        known = 1;
        marks[0] = array.first().index();
        mrb_hash_set(mrb, p.kept_at(marks_slot), key, kept);
    }
    for (; known <= i / every; ++known) marks[known] = passed(tape::cursor(p.tape, marks[known - 1]), every).index();
    return passed(tape::cursor(p.tape, marks[i / every]), i % every);
}

// An array is usually walked forwards, by index too: goes on from where the last element was found, if that is near.
tape::cursor element(mrb_state* mrb, const place& p, tape::cursor array, mrb_value index) {
    constexpr mrb_int near = tape::element_marks::every, small = 4 * near;
    const auto n = static_cast<mrb_int>(array.size());
    mrb_int i = mrb_as_int(mrb, index);
    if (i < 0) i += n;
    if (i < 0 || i >= n) return {};
    if (array.flat()) return array[i];
    const auto here = static_cast<mrb_int>(array.index());
    const mrb_int from_last = p.number_at(array_slot) == here ? i - p.number_at(index_slot) : -1;
    tape::cursor c;
    if (from_last >= 0 && from_last <= near)
        c = passed(tape::cursor(p.tape, static_cast<std::size_t>(p.number_at(element_slot))),
                   static_cast<std::size_t>(from_last));
    else if (i < near || n <= small)
        c = array[i];
    else
        c = by_marks(mrb, p, array, static_cast<std::size_t>(i));
    p.keep_number(mrb, array_slot, here);
    p.keep_number(mrb, index_slot, i);
    p.keep_number(mrb, element_slot, static_cast<mrb_int>(c.index()));
    return c;
}

tape::cursor child(mrb_state* mrb, const place& p, tape::cursor of, mrb_value key) {
    want_container(mrb, of);
    return of.is(tape::kind::map) ? find(mrb, p, of, key) : element(mrb, p, of, key);
}

mrb_value get(mrb_state* mrb, mrb_value self) {
    mrb_value key;
    mrb_get_args(mrb, "o", &key);
    const place p(mrb, self);
    const tape::cursor found = child(mrb, p, p.cursor(), key);
    return found ? given(mrb, p, found) : mrb_nil_value();
}

mrb_value dig(mrb_state* mrb, mrb_value self) {
    const mrb_value* keys;
    mrb_int n;
    mrb_get_args(mrb, "*", &keys, &n);
    if (n == 0) mrb_raise(mrb, E_ARGUMENT_ERROR, "dig needs a key");
    const place p(mrb, self);
    tape::cursor at = p.cursor();
    for (mrb_int i = 0; i < n; ++i) {
        if (at.is(tape::kind::null)) return mrb_nil_value();
        at = child(mrb, p, at, keys[i]);
        if (!at) return mrb_nil_value();
    }
    return given(mrb, p, at);
}

mrb_value has_key(mrb_state* mrb, mrb_value self) {
    mrb_value key;
    mrb_get_args(mrb, "o", &key);
    const place p(mrb, self);
    want_map(mrb, p.cursor());
    return mrb_bool_value(static_cast<bool>(find(mrb, p, p.cursor(), key)));
}

// ---- all of it

mrb_value size(mrb_state* mrb, mrb_value self) {
    const place p(mrb, self);
    want_container(mrb, p.cursor());
    return mrb_int_value(mrb, static_cast<mrb_int>(p.cursor().size()));
}

mrb_value keys(mrb_state* mrb, mrb_value self) {
    const place p(mrb, self);
    want_map(mrb, p.cursor());
    return built(mrb, p, p.cursor(), wanted::keys);
}
// The elements, or the values of a map.
mrb_value values(mrb_state* mrb, mrb_value self) {
    const place p(mrb, self);
    const tape::cursor of = p.cursor();
    want_container(mrb, of);
    const bool map = of.is(tape::kind::map);
    const mrb_value out = mrb_ary_new_capa(mrb, static_cast<mrb_int>(of.size()));
    for (tape::cursor c = of.first(); c; c = c.next()) {
        if (map) c = c.next();
        const int arena = mrb_gc_arena_save(mrb);
        mrb_ary_push(mrb, out, given(mrb, p, c));
        mrb_gc_arena_restore(mrb, arena);
    }
    return out;
}

struct child_steps : steps {
    mrb_value self;
    std::size_t next_at;  // of a map a key
    std::size_t left;
};
bool next_child(mrb_state* mrb, steps& state, mrb_value& item) {
    auto& s = static_cast<child_steps&>(state);
    if (s.left == 0) return false;
    const place p(mrb, s.self);
    tape::cursor c(p.tape, s.next_at);
    if (p.cursor().is(tape::kind::map)) {
        const mrb_value key = built(mrb, p, c, wanted::key);
        c = c.next();
        item = mrb_assoc_new(mrb, key, given(mrb, p, c));
    } else {
        item = given(mrb, p, c);
    }
    s.next_at = c.next().index();
    --s.left;
    return true;
}
// Each is made when it is yielded.
mrb_value each(mrb_state* mrb, mrb_value self) {
    mrb_value block = mrb_nil_value();
    mrb_get_args(mrb, "&", &block);
    const place p(mrb, self);
    const tape::cursor of = p.cursor();
    want_container(mrb, of);
    if (mrb_nil_p(block))
        return mrb_funcall_id(mrb, self, mrb_intern_lit(mrb, "to_enum"), 1, mrb_symbol_value(mrb_intern_lit(mrb, "each")));
    const auto itself = [](mrb_state*, steps& s) { return static_cast<child_steps&>(s).self; };
    const child_steps all{{next_child, nullptr, itself, {}}, self, of.first().index(), of.size()};
    return go_through(mrb, loop::each, all, {self}, block);
}
mrb_value value(mrb_state* mrb, mrb_value self) {
    const place p(mrb, self);
    return built(mrb, p, p.cursor());
}
mrb_value to_json(mrb_state* mrb, mrb_value self) {
    mrb_value given = mrb_nil_value();
    mrb_get_args(mrb, "|o", &given);
    generate_options o;
    o.read(mrb, given);
    return generate(mrb, value(mrb, self), o);
}
mrb_value type(mrb_state* mrb, mrb_value self) {
    const place p(mrb, self);
    return mrb_symbol_value(mrb_intern_cstr(mrb, tape::name_of(p.cursor().is())));
}
mrb_value equal(mrb_state* mrb, mrb_value self) {
    mrb_value other;
    mrb_get_args(mrb, "o", &other);
    if (!mrb_immediate_p(other) && mrb_obj_class(mrb, other) == mrb_obj_class(mrb, self)) other = value(mrb, other);
    return mrb_bool_value(mrb_equal(mrb, value(mrb, self), other));
}
mrb_value inspect(mrb_state* mrb, mrb_value self) {
    const place p(mrb, self);
    if (!is_container(p.cursor())) return mrb_format(mrb, "#<Kumihimo::Lazy %s>", tape::name_of(p.cursor().is()));
    return mrb_format(mrb, "#<Kumihimo::Lazy %s of %i>", tape::name_of(p.cursor().is()),
                      static_cast<mrb_int>(p.cursor().size()));
}

}  // namespace

// By what it has and nothing else can have: its class is a constant, which scripts may set.
mrb_value value_of_lazy(mrb_state* mrb, mrb_value v) {
    if (mrb_type(v) != MRB_TT_OBJECT || !mrb_array_p(mrb_iv_get(mrb, v, document_name(mrb)))) return mrb_undef_value();
    return value(mrb, v);
}

void define_any_lazy(mrb_state* mrb, RClass* module) {
    RClass* const c = mrb_define_class_under(mrb, module, "Lazy", mrb->object_class);
    mrb_include_module(mrb, c, mrb_module_get(mrb, "Enumerable"));
    mrb_undef_class_method(mrb, c, "new");
    mrb_undef_class_method(mrb, c, "allocate");
    mrb_define_method(mrb, c, "[]", get, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "dig", dig, MRB_ARGS_ANY());
    mrb_define_method(mrb, c, "key?", has_key, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "size", size, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "keys", keys, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "values", values, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "each", each, MRB_ARGS_BLOCK());
    mrb_define_method(mrb, c, "value", value, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "to_json", to_json, MRB_ARGS_OPT(1));
    mrb_define_method(mrb, c, "type", type, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "==", equal, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, c, "inspect", inspect, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "to_s", inspect, MRB_ARGS_NONE());
    mrb_define_module_function(mrb, module, "lazy", lazy, MRB_ARGS_ARG(1, 1));
}

}  // namespace kumihimo::inline v0::mruby
