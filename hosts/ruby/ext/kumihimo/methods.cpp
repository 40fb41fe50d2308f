#include "methods.hpp"

#include <initializer_list>

#include "module.hpp"

#ifdef HAVE_RB_CALLABLE_METHOD_ENTRY
extern "C" const void* rb_callable_method_entry(VALUE klass, ID name);
#endif

namespace kumihimo::inline v0::ruby {
namespace {

// Module#instance_method itself, for classes that have defined another one.
VALUE instance_method;
ID id_bind_call, id_owner, id_super_method;

VALUE unbound(VALUE klass, ID name) {
    VALUE arguments[] = {klass, rb_id2sym(name)};
    return rb_funcallv(instance_method, id_bind_call, 2, arguments);
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
    id_bind_call = rb_intern("bind_call");
    id_owner = rb_intern("owner");
    id_super_method = rb_intern("super_method");
    instance_method = lasting(rb_funcall(rb_cModule, rb_intern("instance_method"), 1, rb_id2sym(rb_intern("instance_method"))));
}

method_watch::method_watch(VALUE klass, const char* name) : klass_(klass), name_(rb_intern(name)) {
    if (!rb_method_boundp(klass, name_, 0)) return;
    method_ = unbound(klass, name_);
    owner_ = rb_funcallv(method_, id_owner, 0, nullptr);
    entry_ = current(klass);
}

method_watch method_watch::behind(VALUE klass, VALUE above, const char* name) {
    method_watch w(klass, name);
    if (!w.found() || w.owner_ != above) return w;  // nothing stands above it
    w.above_ = above;
    w.method_ = rb_funcallv(w.method_, id_super_method, 0, nullptr);
    w.owner_ = w.method_ == Qnil ? Qnil : rb_funcallv(w.method_, id_owner, 0, nullptr);
    w.entry_ = w.method_ == Qnil ? nullptr : w.current(klass);
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

bool method_watch::looked_up_again(VALUE klass) const {
    if (!found() || !rb_method_boundp(klass, name_, 0)) return false;
    VALUE m = unbound(klass, name_);
    if (above_ != 0) {
        if (rb_funcallv(m, id_owner, 0, nullptr) != above_) return false;
        m = rb_funcallv(m, id_super_method, 0, nullptr);
        return m != Qnil && rb_funcallv(m, id_owner, 0, nullptr) == owner_ && rb_equal(m, method_);
    }
    // An UnboundMethod remembers the class it was asked of, and two of them are equal only when that is the same.
    return rb_funcallv(m, id_owner, 0, nullptr) == owner_ && rb_equal(unbound(klass_, name_), method_);
}

void method_watch::mark() const {
    rb_gc_mark(klass_);
    rb_gc_mark(above_);
    rb_gc_mark(method_);
    rb_gc_mark(owner_);
    // The entry is an object of the collector's. Marked, it stays and does not move, so its address is nobody else's.
    if (entry_ != nullptr) rb_gc_mark(reinterpret_cast<VALUE>(entry_));
}

void method_watch::keep() const {
    for (const VALUE v : {klass_, above_, method_, owner_, reinterpret_cast<VALUE>(entry_)})
        if (v != 0) rb_gc_register_mark_object(v);
}

}  // namespace kumihimo::inline v0::ruby
