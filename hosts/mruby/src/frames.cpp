#include "frames.hpp"

#include <algorithm>
#include <string_view>

#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/frame/plain_stream.hpp"

#include "../vm/held.hpp"
#include "../vm/layout.hpp"
#include "any_format.hpp"
#include "options.hpp"
#include "output.hpp"
#include "text.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

constexpr std::size_t piece = std::size_t{256} << 10;     // of text, between two looks at the time
constexpr std::size_t small = std::size_t{1} << 20;       // is packed in one go, by what a library does better so
constexpr std::size_t least_text = std::size_t{4} << 10;  // room for a first piece

struct held_unpacker final : held_objects::held {
    held_unpacker(const frame::codec& codec, std::size_t most, std::size_t window) : from(codec, ctx) {
        ctx.limits.size = most;
        ctx.limits.window = std::min(ctx.limits.window, window);
    }
    context ctx;
    frame::unpacker from;
};

struct held_packer final : held_objects::held {
    held_packer(const frame::codec& frame, int chosen) : codec(frame), level(chosen), to(frame, ctx, chosen) {}
    const frame::codec& codec;
    int level;
    context ctx;
    frame::packer to;
    buffer out;
};

struct held_stream final : held_objects::held {
    explicit held_stream(std::size_t window) : from(std::min(limits{}.window, window)) {}
    frame::plain_stream from;
    errc stopped = errc::ok;
};

// In sections of their own, so that the frames between them own nothing.

template <class T, class... Args>
[[gnu::noinline]] T* hold(const void* where, const Args&... args) {
    const host_section at_work;
    try {
        return held_objects::here().make<T>(where, args...);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
[[gnu::noinline]] void let_go(const void* where) {
    const host_section at_work;
    held_objects::here().drop_from(where);
}
[[gnu::noinline]] errc expand(held_unpacker& held, bytes& in, char* to, std::size_t room, std::size_t& got) {
    const host_section at_work;
    return held.from.expand(in, to, room, got);
}
[[gnu::noinline]] errc finish(held_unpacker& held) {
    const host_section at_work;
    return held.from.finish();
}
// All of a small document, or the next piece of a large one; the last one ends the member.
[[gnu::noinline]] errc compress(held_packer& held, bytes document, std::size_t& passed) {
    const host_section at_work;
    if (document.size() <= small) {
        passed = document.size();
        return frame::pack(held.codec, document, held.out, held.level, held.ctx);
    }
    const bytes next = document.subspan(passed, std::min(piece, document.size() - passed));
    passed += next.size();
    const errc e = held.to.feed(next, held.out);
    return e == errc::ok && passed == document.size() ? held.to.finish(held.out) : e;
}

[[noreturn, gnu::cold]] void out_of_memory(mrb_state* mrb) {
    mrb_exc_raise(mrb, mrb_obj_value(mrb->nomem_err));
    __builtin_unreachable();
}
// Offsets count in the packed bytes, which have no lines.
read_failure failure_of(const context& ctx, errc code) {
    read_failure why;
    why.take(ctx, code, {}, ctx.limits.depth);
    return why;
}

mrb_value unpacked(mrb_state* mrb, const frame::codec& codec, bytes in, std::size_t most) {
    const char where = 0;
    auto* const held = hold<held_unpacker>(&where, codec, most, most_bytes(mrb));
    if (held == nullptr) out_of_memory(mrb);
    char here[least_text];
    string_output out(mrb, here, sizeof here);
    errc e = errc::ok;
    for (std::size_t room = least_text;; room = std::min(piece, std::max(room, out.size()))) {
        std::size_t got = 0;
        char* const to = out.reserve(room);
        e = expand(*held, in, to, room, got);
        out.commit(to + got);
        if (e != errc::ok || got < room) break;
    }
    if (e == errc::ok) e = finish(*held);
    if (e != errc::ok) {
        const read_failure why = failure_of(held->ctx, e);
        let_go(&where);
        raise_read(mrb, "Kumihimo", why);
    }
    let_go(&where);
    return out.take();
}

mrb_value packed(mrb_state* mrb, mrb_value document, const frame::codec& codec, int level) {
    const char where = 0;
    auto* const held = hold<held_packer>(&where, codec, level);
    if (held == nullptr) out_of_memory(mrb);
    const bytes in = bytes_in(document);
    std::size_t passed = 0;
    errc e;
    do e = compress(*held, in, passed);
    while (e == errc::ok && passed != in.size());
    if (e != errc::ok) {
        const read_failure why = failure_of(held->ctx, e);
        let_go(&where);
        raise_read(mrb, "Kumihimo", why);
    }
    const mrb_value made = mrb_str_new(mrb, held->out.data(), held->out.size());
    let_go(&where);
    return made;
}

// "gzip", "zstd" ...
mrb_value frame_names(mrb_state* mrb) {
    const mrb_value names = mrb_str_new(mrb, nullptr, 0);
    for (const frame::codec* const f : frame::all()) {
        if (RSTRING_LEN(names) != 0) mrb_str_cat_lit(mrb, names, ", ");
        mrb_str_cat_lit(mrb, names, "\"");
        mrb_str_cat(mrb, names, f->name.data(), f->name.size());
        mrb_str_cat_lit(mrb, names, "\"");
    }
    return names;
}

const frame::codec& frame_named(mrb_state* mrb, mrb_value name) {
    const frame::codec* found = nullptr;
    if (mrb_symbol_p(name)) {
        mrb_int n = 0;
        const char* const p = mrb_sym_name_len(mrb, mrb_symbol(name), &n);
        found = frame::by_name({p, static_cast<std::size_t>(n)});
    } else if (mrb_string_p(name)) {
        found = frame::by_name(string_view_of(name).all());
    }
    if (found == nullptr)
        mrb_raisef(mrb, E_ARGUMENT_ERROR, "frame is one of %v, not %v", frame_names(mrb), mrb_inspect(mrb, name));
    return *found;
}

// nil: the usual one. `codec` null: no frame is named.
int level_of(mrb_state* mrb, const frame::codec* codec, mrb_value level) {
    if (mrb_nil_p(level)) return frame::usual_level;
    const mrb_int n = is_big(level) ? MRB_INT_MAX : mrb_as_int(mrb, level);
    int chosen = frame::usual_level;
    const char* what = "";
    const errc e = frame::choose_level(codec, static_cast<double>(n), chosen, what);
    if (e == errc::range) mrb_raisef(mrb, E_ARGUMENT_ERROR, "%s, not %v", what, mrb_inspect(mrb, level));
    if (e != errc::ok) mrb_raise(mrb, E_ARGUMENT_ERROR, what);
    return chosen;
}

bool is_available(const frame::codec& codec) {
    const host_section at_work;
    return frame::available(codec);
}

// frames: an Array of Hashes.
mrb_value frames(mrb_state* mrb, mrb_value) {
    const mrb_value all = mrb_ary_new(mrb);
    for (const frame::codec* const f : frame::all()) {
        const int arena = mrb_gc_arena_save(mrb);
        const mrb_value one = mrb_hash_new(mrb);
        const auto set = [&](const char* name, mrb_value v) {
            mrb_hash_set(mrb, one, mrb_symbol_value(mrb_intern_cstr(mrb, name)), v);
        };
        const auto text = [&](std::string_view s) { return mrb_str_new_static(mrb, s.data(), s.size()); };
        set("name", text(f->name));
        set("ending", text(f->ending));
        set("media_type", text(f->media));
        set("levels", mrb_range_new(mrb, mrb_fixnum_value(f->lowest), mrb_fixnum_value(f->highest), FALSE));
        set("usual_level", mrb_fixnum_value(f->usual));
        set("available", mrb_bool_value(is_available(*f)));
        mrb_ary_push(mrb, all, one);
        mrb_gc_arena_restore(mrb, arena);
    }
    return all;
}

// pack(data, frame, level = nil): data as one member.
mrb_value pack(mrb_state* mrb, mrb_value) {
    mrb_value data, name, level = mrb_nil_value();
    mrb_get_args(mrb, "So|o", &data, &name, &level);
    const frame::codec& codec = frame_named(mrb, name);
    return packed(mrb, data, codec, level_of(mrb, &codec, level));
}

// unpack(data, frame = nil, size: nil): what is in all members.
mrb_value unpack(mrb_state* mrb, mrb_value) {
    mrb_value data, name = mrb_nil_value(), given = mrb_nil_value();
    mrb_get_args(mrb, "S|oo", &data, &name, &given);
    if (mrb_hash_p(name) && mrb_nil_p(given)) std::swap(name, given);
    std::size_t most = most_bytes(mrb);
    each_option(mrb, given, [&](std::string_view option, mrb_value is) {
        if (option != "size") return false;
        if (mrb_nil_p(is)) return true;
        const mrb_int size = mrb_as_int(mrb, is);
        if (size < 0) mrb_raisef(mrb, E_ARGUMENT_ERROR, "size is not negative: %i", size);
        most = std::min(most, static_cast<std::size_t>(size));
        return true;
    });
    const frame::codec* const codec = mrb_nil_p(name) ? frame::recognise(bytes_in(data)) : &frame_named(mrb, name);
    if (codec == nullptr)
        mrb_raisef(mrb, class_in(mrb, "Kumihimo", "ParserError"), "the bytes begin as no frame does: they are none of %v",
                   frame_names(mrb));
    return unpacked(mrb, *codec, bytes_in(data), most);
}

// ---- streams

// The object's pointer is a number: what it names may be gone with the run that made it, while the object is still
// there.
std::uint64_t number_of(void* data) noexcept { return reinterpret_cast<std::uintptr_t>(data); }
void drop(std::uint64_t number) {
    if (number == 0) return;
    const host_section at_work;
    held_objects::here().drop(number);
}
const mrb_data_type stream_type = {"PackedStream", [](mrb_state*, void* data) { drop(number_of(data)); }};

[[gnu::noinline]] std::size_t streams() {
    const host_section at_work;
    return held_objects::here().kept<held_stream>();
}
[[gnu::noinline]] std::uint64_t keep_stream(std::size_t window) {
    const host_section at_work;
    return held_objects::here().keep<held_stream>(window);
}
[[gnu::noinline]] held_stream* find_stream(std::uint64_t number) {
    const host_section at_work;
    return held_objects::here().find<held_stream>(number);
}
[[gnu::noinline]] void push(held_stream& held, bytes read) {
    const host_section at_work;
    held.from.push(read);
}
[[gnu::noinline]] void end(held_stream& held) {
    const host_section at_work;
    held.from.end();
}
[[gnu::noinline]] void next(held_stream& held, bytes& text) {
    const host_section at_work;
    held.stopped = held.from.next(text);
}
held_stream& stream_of(mrb_state* mrb, mrb_value stream) {
    held_stream* const found = find_stream(number_of(DATA_PTR(stream)));
    if (found == nullptr) mrb_raise(mrb, mrb_exc_get(mrb, "RuntimeError"), "the stream is over");
    return *found;
}

}  // namespace

bool frame_options::take(std::string_view option, mrb_value value) noexcept {
    if (option == "frame")
        name_ = value;
    else if (option == "frame_level")
        level_ = value;
    else
        return false;
    return true;
}

void frame_options::check(mrb_state* mrb) {
    if (!mrb_nil_p(name_)) codec_ = &frame_named(mrb, name_);
    chosen_level_ = level_of(mrb, codec_, level_);
}

mrb_value frame_options::framed(mrb_state* mrb, mrb_value document) const {
    return codec_ == nullptr ? document : packed(mrb, document, *codec_, chosen_level_);
}

mrb_value unframed(mrb_state* mrb, mrb_value string) {
    const bytes in = bytes_in(string);
    const frame::codec* const codec = frame::recognise(in);
    return codec == nullptr ? string : unpacked(mrb, *codec, in, most_bytes(mrb));
}

mrb_value new_packed_stream(mrb_state* mrb) {
    // Loops that were left by break or an exception hold theirs until the collector finds them.
    if (streams() >= most_streams) mrb_full_gc(mrb);
    if (streams() >= most_streams)
        mrb_raisef(mrb, mrb_exc_get(mrb, "RuntimeError"), "more than %d streams in frames are read at once",
                   static_cast<int>(most_streams));
    RData* const object = mrb_data_object_alloc(mrb, mrb->object_class, nullptr, &stream_type);
    object->c = nullptr;
    const std::uint64_t number = keep_stream(most_bytes(mrb) / most_streams);
    if (number == 0) out_of_memory(mrb);
    object->data = reinterpret_cast<void*>(static_cast<std::uintptr_t>(number));
    return mrb_obj_value(object);
}

void push_packed(mrb_state* mrb, mrb_value stream, bytes read) { push(stream_of(mrb, stream), read); }

void end_packed(mrb_state* mrb, mrb_value stream) { end(stream_of(mrb, stream)); }

bytes next_text(mrb_state* mrb, mrb_value stream) {
    bytes text;
    next(stream_of(mrb, stream), text);
    return text;
}

void check_packed(mrb_state* mrb, mrb_value stream) {
    const held_stream& held = stream_of(mrb, stream);
    if (held.stopped != errc::ok) raise_read(mrb, "Kumihimo", failure_of(held.from.said(), held.stopped));
}

void close_packed(mrb_value stream) { drop(number_of(DATA_PTR(stream))); }

void define_frames(mrb_state* mrb, RClass* module) {
    mrb_define_module_function(mrb, module, "frames", frames, MRB_ARGS_NONE());
    mrb_define_module_function(mrb, module, "pack", pack, MRB_ARGS_ARG(2, 1));
    mrb_define_module_function(mrb, module, "unpack", unpack, MRB_ARGS_ARG(1, 2));
}

}  // namespace kumihimo::inline v0::mruby
