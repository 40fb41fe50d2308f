#include "interpreter.hpp"

#include "module.hpp"

#define MY_CXT_KEY "Kumihimo::_interpreter" XS_VERSION
namespace {
struct my_cxt_t {
    kumihimo::perl::interpreter* held;
};
}  // namespace
START_MY_CXT

namespace kumihimo::inline v0::perl {
namespace {

// The cache wants whole cache lines, and exceptions are none of ours.
interpreter* make() {
    void* const memory = std::aligned_alloc(64, (sizeof(interpreter) + 63) & ~std::size_t{63});
    return memory == nullptr ? nullptr : new (memory) interpreter;
}

void finish(pTHX_ void* data) {
    auto* const mine = static_cast<interpreter*>(data);
    dMY_CXT;
    // A thread takes over the list of what is to be done at the end, with what belongs to the one it was made from.
    if (MY_CXT.held != mine) return;
    MY_CXT.held = nullptr;
    mine->order.clear(aTHX);
    mine->keys.clear(aTHX);
    SvREFCNT_dec(mine->v_true);
    SvREFCNT_dec(mine->v_false);
    std::free(mine);
}

interpreter* start(pTHX) {
    interpreter* const mine = make();
    if (mine == nullptr) Perl_croak(aTHX_ "Kumihimo: out of memory");
    Perl_call_atexit(aTHX_ finish, mine);
    return mine;
}

// A new thread: its hashes have keys of their own.
XSPROTO(clone) {
    dXSARGS;
    PERL_UNUSED_VAR(items);
    MY_CXT_CLONE;
    const bool core_booleans = MY_CXT.held == nullptr || MY_CXT.held->cpanel_core_booleans;
    const unsigned release = MY_CXT.held == nullptr ? newest_cpanel : MY_CXT.held->cpanel_release;
    MY_CXT.held = start(aTHX);
    MY_CXT.held->cpanel_core_booleans = core_booleans;
    MY_CXT.held->cpanel_release = release;
    XSRETURN_EMPTY;
}

SV* reference_to(pTHX_ const char* name) {
    SV* const sv = get_sv(name, 0);
    return sv != nullptr && SvROK(sv) ? sv : nullptr;
}

}  // namespace

interpreter& interpreter::here(pTHX) {
    dMY_CXT;
    // Objects that are destroyed with the interpreter itself come after its end.
    if (MY_CXT.held == nullptr) [[unlikely]]
        if ((MY_CXT.held = make()) == nullptr) Perl_croak(aTHX_ "Kumihimo: out of memory");
    return *MY_CXT.held;
}

SV* interpreter::boolean(pTHX_ bool b) {
    SV*& known = b ? v_true : v_false;
    if (known == nullptr) [[unlikely]] {
        SV* const found = reference_to(aTHX_ b ? "JSON::PP::true" : "JSON::PP::false");
        if (found == nullptr) Perl_croak(aTHX_ "Kumihimo: JSON::PP has no booleans");
        known = SvREFCNT_inc_simple_NN(SvRV(found));
        SvREADONLY_on(known);  // all that is decoded refers to it
    }
    return known;
}

void init_interpreter(pTHX) {
    MY_CXT_INIT;
    MY_CXT.held = start(aTHX);
    newXS("Kumihimo::CLONE", clone, __FILE__);
}

}  // namespace kumihimo::inline v0::perl
