// C++ objects that belong to Perl objects, by magic of the referent; Perl frees them with it.
//
// A new thread gets a copy where the object knows how to make one (T::copied), else none: methods then say so.
#pragma once
#include <new>

#include "guard.hpp"

namespace kumihimo::inline v0::perl {

template <class T>
class native {
public:
    /// Takes the object over.
    static void attach(pTHX_ SV* to, T* object) {
        MAGIC* const mg = sv_magicext(to, nullptr, PERL_MAGIC_ext, &table(), reinterpret_cast<char*>(object), 0);
#ifdef USE_ITHREADS
        mg->mg_flags |= MGf_DUP;
#else
        PERL_UNUSED_VAR(mg);
#endif
    }
    /// Croaks where `self` is no reference to such an object.
    static T& of(pTHX_ SV* self, const char* name) {
        if (SvROK(self) && SvTYPE(SvRV(self)) >= SVt_PVMG) {
            const MAGIC* const mg = mg_findext(SvRV(self), PERL_MAGIC_ext, &table());
            if (mg != nullptr && mg->mg_ptr != nullptr) return *reinterpret_cast<T*>(mg->mg_ptr);
            if (mg != nullptr) Perl_croak(aTHX_ "this %s belongs to another thread: make one in each", name);
        }
        Perl_croak(aTHX_ "an object of %s is needed", name);
        abort();
    }

private:
    static int release(pTHX_ SV*, MAGIC* mg) {
        PERL_UNUSED_CONTEXT;
        delete reinterpret_cast<T*>(mg->mg_ptr);
        mg->mg_ptr = nullptr;
        return 0;
    }
#ifdef USE_ITHREADS
    static int copy(pTHX_ MAGIC* mg, CLONE_PARAMS*) {
        PERL_UNUSED_CONTEXT;
        T* made = nullptr;
        if constexpr (requires(const T& t) { t.copied(); }) {
            if (mg->mg_ptr != nullptr) made = reinterpret_cast<const T*>(mg->mg_ptr)->copied();
        }
        mg->mg_ptr = reinterpret_cast<char*>(made);
        return 0;
    }
#endif
    static MGVTBL& table() {
        static MGVTBL t = [] {
            MGVTBL made{};
            made.svt_free = release;
#ifdef USE_ITHREADS
            made.svt_dup = copy;
#endif
            return made;
        }();
        return t;
    }
};

}  // namespace kumihimo::inline v0::perl
