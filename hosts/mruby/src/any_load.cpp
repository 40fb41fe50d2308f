// A document of any format -> mruby values; and a stream of such documents.
#include "engine/formats.hpp"
#include "engine/frame/plain_stream.hpp"

#include "../vm/shelter.hpp"
#include "../vm/stack.hpp"
#include "any_build.hpp"
#include "any_format.hpp"
#include "blocks.hpp"
#include "frames.hpp"
#include "options.hpp"
#include "text.hpp"

namespace kumihimo::inline v0::mruby {

asked_options load_options_of(mrb_state* mrb, mrb_value given) {
    asked_options asked;
    load_options& o = asked.options;
    mrb_value name = mrb_nil_value();
    each_option(mrb, given, [&](std::string_view option, mrb_value is) {
        if (option == "format")
            name = is;
        else if (option == "dialect")
            asked.dialect = is;
        else if (option == "symbolize_names")
            o.build.symbolize = mrb_test(is);
        else if (option == "freeze")
            o.build.freeze = mrb_test(is);
        else if (option == "timestamp")
            asked.timestamps = mrb_test(is);
        else if (option == "max_nesting")
            o.max_nesting = nesting_of(mrb, is);
        else
            return false;
        return true;
    });
    if (!mrb_nil_p(name)) o.format = format_named(mrb, name);
    mrb_gc_protect(mrb, asked.dialect);  // a script may change the Hash before it is looked at
    return asked;
}

namespace {

// Its objects with destructors are gone when it returns.
template <format F>
[[gnu::noinline]] void read_as(mrb_state* mrb, bytes document, const load_options& o, const stream_place& begin,
                               any_outcome& out) {
    const host_section at_work;
    key_cache* const keys = key_cache::here();
    context ctx;
    ctx.limits.depth = depth_of(o.max_nesting);
    if (keys == nullptr) return out.why.take(ctx, errc::memory, document, 0);
    const collector_off no_collection(mrb);
    any_builder to(mrb, ctx, o, *keys);
    typename F::reader from(document, ctx, *dialect_of(F::read_dialects, o.dialect));
    errc e = errc::ok;
    auto whole = [&] {
        e = from.feed(to);
        if (e == errc::ok) out.made = to.take();
    };
    const bool through = sheltered(mrb, whole, out.error);
    to.release();
    if (through && e != errc::ok) out.why.take(ctx, e, document, ctx.limits.depth, begin);
}

mrb_value read(mrb_state* mrb, bytes document, const load_options& o, const stream_place& begin = {}) {
    machine_stack::check(mrb);
    return value_read(mrb, [&](any_outcome& out) {
        visit_format(o.format, [&](auto row) { read_as<decltype(row)>(mrb, document, o, begin, out); });
    });
}

// load(source, format: nil, dialect: nil, symbolize_names: false, freeze: false, timestamp: false, max_nesting: 1024)
mrb_value load(mrb_state* mrb, mrb_value) {
    mrb_value source, given = mrb_nil_value();
    mrb_get_args(mrb, "o|o", &source, &given);
    source = unframed(mrb, any_source(mrb, source));
    const load_options o = load_options_of(mrb, given).for_document(mrb, bytes_in(source));
    return read(mrb, bytes_in(source), o);
}

// ---- streams

struct extent {
    std::size_t size = 0;  // bytes that belong to the document
    bool whole = false;    // it ends there
    bool started = false;  // it is more than white space
};

[[gnu::noinline]] extent extent_of(std::string_view format, bytes from) {
    const host_section at_work;
    extent found;
    visit_format(format, [&](auto row) {
        typename decltype(row)::boundary where{};
        found.size = where.next(reinterpret_cast<const char*>(from.data()), from.size());
        found.whole = where.complete;
        found.started = where.started();
    });
    return found;
}

struct document_steps : steps {
    load_options options;
    mrb_value source;    // what has read(n), or nil when it has no more
    mrb_value pending;   // a String: text that was read
    std::size_t at;      // where the next document begins in it
    stream_place place;  // and in the stream
    mrb_value packed;    // nil where the stream is in no frame
    bool ended;          // no byte of `packed` follows
};
// Places in steps::kept; the piece is a String that `packed` looks at.
constexpr mrb_int pending_place = 1, piece_place = 2;

// What read(size) gives, or nil: there is no more.
mrb_value next_piece(mrb_state* mrb, document_steps& s, mrb_int size) {
    if (mrb_nil_p(s.source)) return s.source;
    const mrb_value more = mrb_funcall_id(mrb, s.source, mrb_intern_lit(mrb, "read"), 1, mrb_int_value(mrb, size));
    if (mrb_nil_p(more) || (mrb_string_p(more) && RSTRING_LEN(more) == 0)) return s.source = mrb_nil_value();
    if (!mrb_string_p(more)) mrb_raisef(mrb, E_TYPE_ERROR, "read gives %C, not a String", mrb_obj_class(mrb, more));
    return more;
}

constexpr mrb_int least_read = 65536;

// The rest of what is pending, with room for `more` bytes behind it.
mrb_value room_behind(mrb_state* mrb, const document_steps& s, mrb_int more) {
    const mrb_int rest = RSTRING_LEN(s.pending) - static_cast<mrb_int>(s.at);
    const mrb_value joined = mrb_str_new(mrb, nullptr, static_cast<std::size_t>(rest + more));
    mrb_basic_ptr(joined)->c = nullptr;
    std::memcpy(RSTRING_PTR(joined), RSTRING_PTR(s.pending) + s.at, static_cast<std::size_t>(rest));
    return joined;
}
void make_pending(mrb_state* mrb, document_steps& s, mrb_value joined) {
    mrb_ary_set(mrb, s.kept, pending_place, joined);
    s.pending = joined;
    s.at = 0;
}

void push_piece(mrb_state* mrb, document_steps& s, mrb_value piece) {
    mrb_ary_set(mrb, s.kept, piece_place, piece);
    push_packed(mrb, s.packed, bytes_in(piece));
}

// Text out of frames, behind the rest of what is pending: as much as `size` asks, if that much is at hand.
bool unpack_on(mrb_state* mrb, document_steps& s, mrb_int size) {
    bytes text;
    while ((text = next_text(mrb, s.packed)).empty()) {
        check_packed(mrb, s.packed);
        if (s.ended) {
            close_packed(s.packed);
            s.packed = mrb_nil_value();
            return false;
        }
        const mrb_value more = next_piece(mrb, s, least_read);
        // A script can call for the next document from within read().
        if (mrb_nil_p(s.packed)) return false;
        if (mrb_nil_p(more)) {
            end_packed(mrb, s.packed);
            s.ended = true;
        } else {
            const mrb_value piece = mrb_str_new(mrb, RSTRING_PTR(more), RSTRING_LEN(more));  // the block may change it
            mrb_basic_ptr(piece)->c = nullptr;
            push_piece(mrb, s, piece);
        }
    }
    const mrb_value joined = room_behind(mrb, s, 0);
    const mrb_int rest = RSTRING_LEN(joined);
    do mrb_str_cat(mrb, joined, reinterpret_cast<const char*>(text.data()), text.size());
    while (RSTRING_LEN(joined) - rest < size && !(text = next_text(mrb, s.packed)).empty());
    make_pending(mrb, s, joined);
    return true;
}

// The rest of what is pending, and more behind it, twice as much as there is where that is much: a document is looked
// at from its begin each time, so a large one costs two looks in all. False: there is no more.
bool read_on(mrb_state* mrb, document_steps& s) {
    const mrb_int size = std::max(least_read, RSTRING_LEN(s.pending) - static_cast<mrb_int>(s.at));
    const int arena = mrb_gc_arena_save(mrb);
    bool more = false;
    if (!mrb_nil_p(s.packed)) {
        more = unpack_on(mrb, s, size);
    } else if (const mrb_value read = next_piece(mrb, s, size); !mrb_nil_p(read)) {
        const mrb_int n = RSTRING_LEN(read);
        const mrb_value joined = room_behind(mrb, s, n);
        std::memcpy(RSTRING_PTR(joined) + RSTRING_LEN(joined) - n, RSTRING_PTR(read), static_cast<std::size_t>(n));
        make_pending(mrb, s, joined);
        more = true;
    }
    mrb_gc_arena_restore(mrb, arena);
    return more;
}

// Looks whether a stream whose first bytes are pending is in frames.
void look_for_frames(mrb_state* mrb, document_steps& s) {
    if (frame::recognise(bytes_in(s.pending)) == nullptr) return;
    s.packed = new_packed_stream(mrb);
    push_piece(mrb, s, s.pending);
    const mrb_value none = mrb_str_new(mrb, nullptr, 0);
    mrb_basic_ptr(none)->c = nullptr;
    make_pending(mrb, s, none);
}

bool next_document(mrb_state* mrb, steps& state, mrb_value& item) {
    auto& s = static_cast<document_steps&>(state);
    for (;;) {
        const bytes rest = bytes_in(s.pending).subspan(s.at);
        const extent found = extent_of(s.options.format, rest);
        if (!found.whole && read_on(mrb, s)) continue;
        // What is not whole at the end is the reader's to take, or to refuse.
        if (!found.whole && !found.started) return false;
        s.at += found.size;
        const bytes document = rest.subspan(0, found.size);
        const stream_place begin = s.place;
        s.place.pass(document);
        item = read(mrb, document, s.options, begin);
        return true;
    }
}

// each_document(source, the options of load) { |value| ... }: of a String, or of what has read(n).
mrb_value each_document(mrb_state* mrb, mrb_value) {
    mrb_value source, given = mrb_nil_value(), block = mrb_nil_value();
    mrb_get_args(mrb, "o|o&", &source, &given, &block);
    if (mrb_nil_p(block)) mrb_raise(mrb, E_ARGUMENT_ERROR, "each_document needs a block");
    asked_options asked = load_options_of(mrb, given);
    const mrb_value nil = mrb_nil_value();
    document_steps s{
        {next_document, nullptr, nullptr, mrb_ary_new_capa(mrb, 3)}, {}, nil, mrb_str_new(mrb, nullptr, 0), 0, {}, nil, false};
    mrb_basic_ptr(s.kept)->c = nullptr;
    // A format that is not named is told by so many bytes.
    const auto told = [&] { return asked.named() || RSTRING_LEN(s.pending) >= 4; };
    if (!mrb_string_p(source) && mrb_respond_to(mrb, source, mrb_intern_lit(mrb, "read"))) {
        s.source = source;
        mrb_ary_set(mrb, s.kept, pending_place, s.pending);
        while (!(frame::plain_stream::tells(bytes_in(s.pending)) && told()) && read_on(mrb, s)) {
        }
    } else {
        const mrb_value text = any_source(mrb, source);
        s.pending = mrb_str_new(mrb, RSTRING_PTR(text), RSTRING_LEN(text));  // the block may change it
    }
    mrb_basic_ptr(s.pending)->c = nullptr;  // nor find this one
    look_for_frames(mrb, s);
    while (!told() && read_on(mrb, s)) {
    }
    s.options = asked.for_document(mrb, bytes_in(s.pending));
    const auto object = [](RClass* c) { return c == nullptr ? mrb_nil_value() : mrb_obj_value(c); };
    return go_through(mrb, loop::each, s,
                      {s.pending, mrb_ary_entry(s.kept, piece_place), s.packed, s.source, object(s.options.types.extension),
                       object(s.options.types.timestamp), object(s.options.time)},
                      block);
}

}  // namespace

void define_any_load(mrb_state* mrb, RClass* module) {
    mrb_define_module_function(mrb, module, "load", load, MRB_ARGS_ARG(1, 1));
    mrb_define_module_function(mrb, module, "each_document", each_document, MRB_ARGS_ARG(1, 1) | MRB_ARGS_BLOCK());
}

}  // namespace kumihimo::inline v0::mruby
