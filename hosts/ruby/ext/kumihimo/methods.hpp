// Is a method still the one it was? The walkers write what a stock method would have answered without calling it; that
// is right only as long as nobody has redefined it, and users do: reopened classes, prepended modules, subclasses.
//
//      method_watch as_json(rb_cString, "as_json")      when the encoder is made: remembers what it found
//      as_json.holds(klass)                             later, for any class: would a call reach that very method?
//
// Where Ruby exports rb_callable_method_entry, the answer is one look into the method cache (3 ns): the entry of an
// untouched method rarely changes its address, and an entry that is kept alive cannot have its address used again.
// Elsewhere, and when the entries differ, Ruby's reflection answers: one UnboundMethod, compared with the remembered
// one (100 ns). Both say the same.
//
// No public function says that no method was defined anywhere, and hooks (method_added, included) are skipped by
// whoever overrides them without super, so an answer is never kept beyond the next time that Ruby code runs.
#pragma once
#include <atomic>

#include "guard.hpp"

namespace kumihimo::inline v0::ruby {

class method_watch {
public:
    method_watch() = default;
    method_watch(const method_watch& other) noexcept { *this = other; }
    method_watch& operator=(const method_watch& other) noexcept;
    /// Looks `name` up as an instance method of `klass`. Without it the watch holds for no class.
    method_watch(VALUE klass, const char* name);
    /// The method that `super` reaches from that of the module `above`, which `klass` has prepended. Whether calls
    /// still get to that of `above` is for a watch of its own.
    static method_watch behind(VALUE klass, VALUE above, const char* name);

    /// Whether instances of `klass` would run the remembered method.
    bool holds(VALUE klass) const {
#ifdef HAVE_RB_CALLABLE_METHOD_ENTRY
        const void* const entry = entry_.load(std::memory_order_relaxed);
        if (entry != nullptr && current(klass) == entry) [[likely]]
            return true;
#endif
        return looked_up_again(klass);
    }
    /// The same for the class it was looked up in.
    bool holds() const { return holds(klass_); }
    /// By entry alone: false says nothing. For a quick search among several watches of one name.
    bool quickly(const void* entry) const noexcept {
        return entry != nullptr && entry_.load(std::memory_order_relaxed) == entry;
    }
    VALUE klass() const noexcept { return klass_; }
    /// The class or module that defines it.
    VALUE owner() const noexcept { return owner_; }
    /// Where it is defined, as Method#source_location says; nil for a method in C.
    VALUE location() const;
    bool found() const noexcept { return method_ != Qnil && method_ != 0; }

    static const void* entry_of(VALUE klass, ID name);
    /// Who defines what `name` reaches in `klass`; 0 where nothing does.
    static VALUE owner_of(VALUE klass, ID name);
    void mark() const;
    /// Keeps what it refers to for good, for a watch that nothing marks.
    void keep();

private:
    const void* current(VALUE klass) const;
    [[gnu::cold, gnu::noinline]] bool looked_up_again(VALUE klass) const;
    void remember(const void* entry) const;

    VALUE klass_ = 0;
    VALUE above_ = 0;      // behind(): the module above
    VALUE front_ = 0;      // behind(): its method
    VALUE method_ = Qnil;  // UnboundMethod
    VALUE owner_ = Qnil;
    // Ruby may put a copy in an entry's place while the method stays the same (a class below gets a method of this
    // name). Then the new address is remembered; every thread and Ractor that does so writes the same one.
    mutable std::atomic<const void*> entry_{nullptr};
    ID name_ = 0;
    bool kept_ = false;
};

/// Whether `klass` (Integer or Float) still gives the digits of Ruby's own to_s. ActiveSupport before 7.2 puts a to_s
/// in front that takes a format and passes the rest on: that one counts as Ruby's.
bool has_own_digits(VALUE klass);

void init_methods();

}  // namespace kumihimo::inline v0::ruby
