#include "build.hpp"

#include <climits>
#include <cmath>
#include <cstring>
#include <ctime>

namespace kumihimo::inline v0::ruby {

void build_options::mark() const {
    for (const VALUE v : {decimal, object_class, array_class, on_load, create_id, match_string}) rb_gc_mark(v);
}

// ---- memory beside the builder

namespace {

// What the object behind builder::beside_ marks: [begin, *end). `end` is the builder's own pointer, on the machine
// stack of the frame that made the builder; that frame calls release() however it is left, so the pointer never
// outlives what it points to. When a thread or fiber is dropped together with its stack, nothing refers to this object
// any more and nobody marks it.
struct area {
    VALUE* begin;
    VALUE* const* end;
};

void mark_area(void* data) {
    const area* const a = static_cast<area*>(data);
    if (a->begin != nullptr) rb_gc_mark_locations(a->begin, *a->end);
}
void free_area(void* data) {
    ruby_xfree(static_cast<area*>(data)->begin);
    ruby_xfree(data);
}
const rb_data_type_t area_type = {
    "Kumihimo::Building", {mark_area, free_area, nullptr, nullptr, {}}, nullptr, nullptr, RUBY_TYPED_FREE_IMMEDIATELY};

}  // namespace

void builder::take_turn() {
    left_ = units_per_turn;
    if (interruptible_) rb_thread_check_ints();
}

void builder::grow(VALUE& arriving) {
    volatile VALUE kept = arriving;  // the allocations below may collect, and others run
    if (interruptible_ && (left_ -= stop * 16) < 0) take_turn();
    if (at_ == end_) grow_memory();
    limit_ = interruptible_ && end_ - at_ > stop ? at_ + stop : end_;
    arriving = kept;
}

void builder::grow_memory() {
    const auto used = static_cast<std::size_t>(at_ - begin_);
    const std::size_t want = used * 2;
    if (begin_ == first_) {
        area* a;
        const VALUE beside = TypedData_Make_Struct(0, area, &area_type, a);
        VALUE* const more = static_cast<VALUE*>(ruby_xmalloc2(want, sizeof *more));
        std::memcpy(more, begin_, used * sizeof *more);
        wipe();
        begin_ = more;
        at_ = more + used;
        a->end = &at_;
        a->begin = more;
        beside_ = beside;
    } else {
        // A collection inside realloc would mark the old memory through the new pointer, or the other way round: so in
        // two steps.
        area* const a = static_cast<area*>(RTYPEDDATA_DATA(beside_));
        VALUE* const more = static_cast<VALUE*>(ruby_xmalloc2(want, sizeof *more));
        VALUE* const old = begin_;
        std::memcpy(more, old, used * sizeof *more);
        begin_ = more;
        at_ = more + used;
        a->begin = more;
        ruby_xfree(old);
    }
    end_ = begin_ + want;
}

// The compiler knows that nobody reads the places again; the collector does.
void builder::wipe() noexcept {
    if (at_ > highest_) highest_ = at_;  // a jump came before any end()
    std::memset(first_, 0, static_cast<std::size_t>(highest_ - first_) * sizeof *first_);
    asm volatile("" : : "r"(first_) : "memory");
}

void builder::release() noexcept {
    if (beside_ == Qnil) return wipe();  // what was in first_ before went when the values moved
    area* const a = static_cast<area*>(RTYPEDDATA_DATA(beside_));
    VALUE* const begin = a->begin;
    a->begin = nullptr;
    beside_ = Qnil;
    begin_ = at_ = first_;
    limit_ = end_ = first_ + room;
    ruby_xfree(begin);
}

// ---- values that are not plain

VALUE builder::other_string(const text& t) {
    if (t.charset != encoding::ascii && t.charset != encoding::utf8) return converted_string(t);
    const char* const p = static_cast<const char*>(t.data);
    if (options_.freeze) return interned_string(p, t.size);
    return utf8_string(p, t.size, t.charset == encoding::ascii ? static_cast<VALUE>(RUBY_ENC_CODERANGE_7BIT) : utf8_range_);
}

namespace {

// Whether the class takes part in create_additions, and what it makes.
VALUE made_by(VALUE klass, VALUE from) {
    const ID asked = rb_intern("json_creatable?"), create = rb_intern("json_create");
    const bool able = rb_respond_to(klass, asked) ? RTEST(rb_funcall(klass, asked, 0)) : rb_respond_to(klass, create) != 0;
    return able ? rb_funcall(klass, create, 1, from) : Qundef;
}

struct match {
    VALUE string;
    VALUE made;
};

int try_pattern(VALUE pattern, VALUE klass, VALUE data) {
    match& m = *reinterpret_cast<match*>(data);
    if (pattern == Qundef || !RTEST(rb_funcall(pattern, rb_intern("match"), 1, m.string))) return ST_CONTINUE;
    m.made = made_by(klass, m.string);
    return m.made == Qundef ? ST_CONTINUE : ST_STOP;
}

}  // namespace

VALUE builder::finished(VALUE v) {
    if (options_.additions && !NIL_P(options_.match_string) && RB_TYPE_P(v, T_STRING)) {
        match m{v, Qundef};
        rb_hash_foreach(options_.match_string, try_pattern, reinterpret_cast<VALUE>(&m));
        if (m.made != Qundef) v = m.made;
    }
    if (options_.freeze) rb_obj_freeze(v);
    if (!NIL_P(options_.on_load)) v = rb_funcall(options_.on_load, rb_intern("call"), 1, v);
    return v;
}

VALUE builder::other_array(const VALUE* first, long n) {
    const VALUE made = rb_class_new_instance(0, nullptr, options_.array_class);
    const ID append = rb_intern("<<");
    for (long i = 0; i < n; ++i) rb_funcall(made, append, 1, first[i]);
    return made;
}

VALUE builder::other_object(const VALUE* first, long n) {
    const VALUE made = rb_class_new_instance(0, nullptr, options_.object_class);
    const ID store = rb_intern("[]=");
    for (long i = 0; i < n; i += 2) rb_funcall(made, store, 2, first[i], first[i + 1]);
    return made;
}

VALUE builder::addition_of(VALUE object) {
    const VALUE name = rb_funcall(object, rb_intern("[]"), 1, options_.create_id);
    if (NIL_P(name)) return object;
    const VALUE json = rb_path2class("JSON");
    const ID find = rb_intern("deep_const_get");
    const VALUE klass =
        rb_respond_to(json, find) ? rb_funcall(json, find, 1, name) : rb_funcall(rb_cObject, rb_intern("const_get"), 1, name);
    const VALUE made = made_by(klass, object);
    return made == Qundef ? object : made;
}

errc builder::refuse_repeated(const VALUE* first, long n) {
    const VALUE seen = rb_hash_new();
    for (long i = 0; i < n; i += 2) {
        const auto before = RHASH_SIZE(seen);
        rb_hash_aset(seen, first[i], Qtrue);
        if (RHASH_SIZE(seen) == before) {
            repeated_ = RB_SYMBOL_P(first[i]) ? rb_sym2str(first[i]) : first[i];
            break;
        }
    }
    return ctx_.fail(errc::duplicate, failure::nowhere, "a key that this object has already");
}

errc builder::big(text digits) {
    const char* const p = static_cast<const char*>(digits.data);
    bool whole = true;
    for (std::size_t i = 0; i < digits.size; ++i) whole = whole && p[i] != '.' && p[i] != 'e' && p[i] != 'E';
    if (!whole && options_.decimal == 0) return push(rb_float_new(*p == '-' ? -HUGE_VAL : HUGE_VAL));
    const VALUE text = rb_str_new(p, static_cast<long>(digits.size));
    if (whole) return push(rb_str_to_inum(text, 10, 0));
    return push(rb_funcallv(options_.decimal, options_.decimal_method, 1, &text));
}

// ---- what only MessagePack brings

errc builder::time(const instant& t) {
    timespec moment{};
    moment.tv_sec = static_cast<time_t>(t.seconds);
    moment.tv_nsec = static_cast<long>(t.nanoseconds);
    constexpr int utc = INT_MAX - 1, local = INT_MAX;
    switch (t.clock) {
        case instant::kind::local: return push(rb_time_timespec_new(&moment, local));
        case instant::kind::offset: return push(rb_time_timespec_new(&moment, t.offset));
        default: return push(rb_time_timespec_new(&moment, utc));
    }
}

errc builder::ext(int type, bytes data) {
    VALUE parts[2] = {INT2FIX(type), rb_str_new(reinterpret_cast<const char*>(data.data()), static_cast<long>(data.size()))};
    return push(rb_class_new_instance(2, parts, rb_path2class("Kumihimo::MessagePack::Extension")));
}

}  // namespace kumihimo::inline v0::ruby
