#include "methods.hpp"

#include <atomic>
#include <initializer_list>
#include <string_view>

#include "module.hpp"

#ifdef HAVE_RB_CALLABLE_METHOD_ENTRY
extern "C" const void* rb_callable_method_entry(VALUE klass, ID name);
#endif

namespace kumihimo::inline v0::ruby {
namespace {

// Module#instance_method itself, for classes that have defined another one.
VALUE instance_method;
ID id_instance_method, id_bind_call, id_owner, id_super_method;

VALUE unbound(VALUE klass, ID name) {
    VALUE arguments[] = {klass, rb_id2sym(name)};
    if (rb_method_basic_definition_p(RBASIC_CLASS(klass), id_instance_method)) [[likely]]
        return rb_funcallv(klass, id_instance_method, 1, arguments + 1);
    return rb_funcallv(instance_method, id_bind_call, 2, arguments);
}

/// The method of `above` in m's chain; nil where there is none.
VALUE of_module(VALUE m, VALUE above) {
    while (m != Qnil && rb_funcallv(m, id_owner, 0, nullptr) != above) m = rb_funcallv(m, id_super_method, 0, nullptr);
    return m;
}

#ifdef HAVE_RB_CALLABLE_METHOD_ENTRY
// The class chain entry below the prepended module, where `super` goes on.
VALUE below(VALUE klass, VALUE above) {
    VALUE c = klass;
    for (int i = 0; i < 64 && RTEST(c); ++i) {
        if (RB_TYPE_P(c, T_ICLASS) && RBASIC_CLASS(c) == above) return rb_class_get_superclass(c);
        c = rb_class_get_superclass(c);
    }
    return 0;
}
#endif

}  // namespace

void init_methods() {
    if (instance_method != 0) return;
    id_instance_method = rb_intern("instance_method");
    id_bind_call = rb_intern("bind_call");
    id_owner = rb_intern("owner");
    id_super_method = rb_intern("super_method");
    instance_method = lasting(rb_funcall(rb_cModule, rb_intern("instance_method"), 1, rb_id2sym(rb_intern("instance_method"))));
}

method_watch& method_watch::operator=(const method_watch& other) noexcept {
    klass_ = other.klass_;
    above_ = other.above_;
    front_ = other.front_;
    method_ = other.method_;
    owner_ = other.owner_;
    entry_.store(other.entry_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    name_ = other.name_;
    kept_ = other.kept_;
    return *this;
}

method_watch::method_watch(VALUE klass, const char* name) : klass_(klass), name_(rb_intern(name)) {
    if (!rb_method_boundp(klass, name_, 0)) return;
    method_ = unbound(klass, name_);
    owner_ = rb_funcallv(method_, id_owner, 0, nullptr);
    entry_ = current(klass);
}

method_watch method_watch::behind(VALUE klass, VALUE above, const char* name) {
    method_watch w(klass, name);
    w.front_ = w.found() ? of_module(w.method_, above) : Qnil;
    w.method_ = w.front_ == Qnil ? Qnil : rb_funcallv(w.front_, id_super_method, 0, nullptr);
    if (!w.found()) return {};
    w.above_ = above;
    w.owner_ = rb_funcallv(w.method_, id_owner, 0, nullptr);
    w.entry_ = w.current(klass);
    return w;
}

VALUE method_watch::location() const { return rb_funcall(method_, rb_intern("source_location"), 0); }

const void* method_watch::entry_of(VALUE klass, ID name) {
#ifdef HAVE_RB_CALLABLE_METHOD_ENTRY
    return rb_callable_method_entry(klass, name);
#else
    (void)klass, (void)name;
    return nullptr;
#endif
}

const void* method_watch::current(VALUE klass) const {
#ifdef HAVE_RB_CALLABLE_METHOD_ENTRY
    if (above_ != 0) klass = below(klass, above_);
    return klass == 0 ? nullptr : rb_callable_method_entry(klass, name_);
#else
    (void)klass;
    return nullptr;
#endif
}

VALUE method_watch::owner_of(VALUE klass, ID name) {
    return rb_method_boundp(klass, name, 0) ? rb_funcallv(unbound(klass, name), id_owner, 0, nullptr) : 0;
}

bool method_watch::looked_up_again(VALUE klass) const {
    if (!found()) return false;
    if (above_ != 0) {
        // Looked up anew each time; the method in front, which is another watch's, need not be.
        const VALUE m = rb_funcallv(front_, id_super_method, 0, nullptr);
        if (m == Qnil || !rb_equal(m, method_)) return false;
        remember(current(klass_));
        return true;
    }
    if (!rb_method_boundp(klass, name_, 0)) return false;
    const VALUE m = unbound(klass, name_);
    if (klass == klass_) {
        if (!rb_equal(m, method_)) return false;
    } else {
        // Before Ruby 3.2 two UnboundMethods are equal only when they were asked of one class.
        return rb_funcallv(m, id_owner, 0, nullptr) == owner_ && rb_method_boundp(klass_, name_, 0) &&
               rb_equal(unbound(klass_, name_), method_);
    }
    if (klass == klass_) remember(current(klass));
    return true;
}

void method_watch::remember(const void* entry) const {
    if (entry == nullptr) return;
    if (kept_) rb_gc_register_mark_object(reinterpret_cast<VALUE>(entry));
    entry_.store(entry, std::memory_order_relaxed);
}

void method_watch::mark() const {
    rb_gc_mark(klass_);
    rb_gc_mark(above_);
    rb_gc_mark(front_);
    rb_gc_mark(method_);
    rb_gc_mark(owner_);
    // The entry is an object of the collector's. Marked, it stays and does not move, so its address is nobody else's.
    if (const void* const entry = entry_.load(std::memory_order_relaxed); entry != nullptr)
        rb_gc_mark(reinterpret_cast<VALUE>(entry));
}

namespace {

// ActiveSupport's method in front of an Integer's and a Float's own, and the own one. Once found they stay.
struct formatting {
    method_watch front, own;
};
std::atomic<const formatting*> formattings[2];

bool comes_from(VALUE method, std::string_view file) {
    const VALUE location = rb_funcall(method, rb_intern("source_location"), 0);
    if (location == Qnil) return file.empty();
    const VALUE path = rb_ary_entry(location, 0);
    return !file.empty() && std::string_view(RSTRING_PTR(path), static_cast<std::size_t>(RSTRING_LEN(path))).ends_with(file);
}

[[gnu::cold, gnu::noinline]] bool formats_only(VALUE klass, ID to_s) {
    if (!rb_method_boundp(klass, to_s, 0)) return false;
    const VALUE front = unbound(klass, to_s);
    if (!comes_from(front, "active_support/core_ext/numeric/conversions.rb") &&
        !comes_from(front, "active_support/core_ext/numeric/deprecated_conversions.rb"))
        return false;
    const VALUE behind = rb_funcallv(front, id_super_method, 0, nullptr);
    if (behind == Qnil || rb_funcallv(behind, id_owner, 0, nullptr) != klass || !comes_from(behind, "")) return false;
    auto* const found = new formatting{method_watch(klass, "to_s"),
                                       method_watch::behind(klass, rb_funcallv(front, id_owner, 0, nullptr), "to_s")};
    found->front.keep();
    found->own.keep();
    const formatting* none = nullptr;
    if (!formattings[klass == rb_cFloat].compare_exchange_strong(none, found)) delete found;
    return true;
}

}  // namespace

bool has_own_digits(VALUE klass) {
    static const ID to_s = rb_intern("to_s");
    if (rb_method_basic_definition_p(klass, to_s)) return true;
    const formatting* const known = formattings[klass == rb_cFloat].load();
    if (known != nullptr) return known->front.holds() && known->own.holds();
    return formats_only(klass, to_s);
}

void method_watch::keep() {
    kept_ = true;
    const auto entry = reinterpret_cast<VALUE>(entry_.load(std::memory_order_relaxed));
    for (const VALUE v : {klass_, above_, front_, method_, owner_, entry})
        if (v != 0) rb_gc_register_mark_object(v);
}

}  // namespace kumihimo::inline v0::ruby
