// A Kumihimo::JSON object: what its methods have set and what its incremental parser holds, as magic of the blessed
// scalar.
//
//      $json  ->  RV  ->  PVMG, blessed  ->  magic of ours (known by its table of functions)  ->  json_object
//
// The scalar itself has no value, so that nothing a program does with it reaches the options, and an object that was
// blessed into the class by hand is told from one that `new` made. Perl frees and clones the struct through the magic.
#pragma once
#include "incremental.hpp"
#include "options.hpp"

namespace kumihimo::inline v0::perl {

struct json_object {
    json_options o;
    incremental incoming;

    /// The object of a method call, or null: `self` is none that `make` made.
    static json_object* find(SV* self) {
        if (!SvROK(self)) [[unlikely]]
            return nullptr;
        SV* const body = SvRV(self);
        if (SvTYPE(body) < SVt_PVMG) [[unlikely]]
            return nullptr;
        const MAGIC* mg = SvMAGIC(body);
        if (mg == nullptr || mg->mg_virtual != &table) [[unlikely]]
            mg = mg_findext(body, PERL_MAGIC_ext, &table);
        return mg == nullptr ? nullptr : reinterpret_cast<json_object*>(mg->mg_ptr);
    }
    /// The same; croaks when `self` is none.
    static json_object& of(pTHX_ SV* self) {
        if (json_object* const found = find(self); found != nullptr) [[likely]]
            return *found;
        refuse(aTHX_ self);
    }
    /// A new object, mortal: a reference blessed into the class.
    static SV* make(pTHX_ HV* stash, const json_options& defaults);

private:
    [[noreturn]] static void refuse(pTHX_ SV* self);
    static const MGVTBL table;
};

/// What an object begins with.
inline json_options json_defaults(rules follows) {
    json_options o;
    o.follows = follows;
    o.core_booleans = follows == rules::xs;
    if (follows == rules::cpanel) {
        o.allow_nonref = false;
        o.allow_dupkeys = false;
    }
    return o;
}

/// Adds an XSUB with a number of its own, and a prototype where it has one.
inline void add_xsub(pTHX_ const char* name, XSUBADDR_t body, I32 any, const char* prototype = nullptr) {
    CV* const cv = prototype != nullptr ? newXS_flags(name, body, __FILE__, prototype, 0) : newXS(name, body, __FILE__);
    CvXSUBANY(cv).any_i32 = any;
}

/// encode_json and its kin, of both modules.
void init_json_functions(pTHX);

/// Keeps the code and the values that options refer to for as long as the mortals of this statement: a callback may
/// exchange them in the object.
void keep_callbacks(pTHX_ const json_options& o);

}  // namespace kumihimo::inline v0::perl
