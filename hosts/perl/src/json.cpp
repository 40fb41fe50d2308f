#include "json.hpp"

#include <cstddef>

#include "decode.hpp"
#include "encode.hpp"
#include "interpreter.hpp"
#include "module.hpp"
#include "ordered.hpp"

namespace kumihimo::inline v0::perl {
namespace {

// By rule set.
const json_options object_defaults[] = {json_defaults(rules::xs), json_defaults(rules::cpanel)};

// ---- the object's magic

int release_object(pTHX_ SV*, MAGIC* mg) {
    auto* const self = reinterpret_cast<json_object*>(mg->mg_ptr);
    if (self == nullptr) return 0;
    mg->mg_ptr = nullptr;
    SvREFCNT_dec(self->o.filter_object);
    SvREFCNT_dec(reinterpret_cast<SV*>(self->o.filter_single));
    SvREFCNT_dec(self->o.sort_by);
    SvREFCNT_dec(self->o.v_false);
    SvREFCNT_dec(self->o.v_true);
    incr_reset(aTHX_ self->incoming);
    Safefree(self);
    return 0;
}

#ifdef USE_ITHREADS
// A new thread has its own copy of the object, whose callbacks are its own copies too.
int clone_object(pTHX_ MAGIC* mg, CLONE_PARAMS* params) {
    json_object* copy;
    Newx(copy, 1, json_object);
    std::memcpy(static_cast<void*>(copy), mg->mg_ptr, sizeof *copy);
    json_options& o = copy->o;
    o.filter_object = sv_dup_inc(o.filter_object, params);
    o.filter_single = reinterpret_cast<HV*>(sv_dup_inc(reinterpret_cast<SV*>(o.filter_single), params));
    o.sort_by = sv_dup_inc(o.sort_by, params);
    o.v_false = sv_dup_inc(o.v_false, params);
    o.v_true = sv_dup_inc(o.v_true, params);
    copy->incoming.text = sv_dup_inc(copy->incoming.text, params);
    copy->incoming.busy = false;
    mg->mg_ptr = reinterpret_cast<char*>(copy);
    return 0;
}
#endif

}  // namespace

const MGVTBL json_object::table = {nullptr,      nullptr, nullptr, nullptr, release_object, nullptr,
#ifdef USE_ITHREADS
                                   clone_object,
#else
                                   nullptr,
#endif
                                   nullptr};

SV* json_object::make(pTHX_ HV* stash, const json_options& defaults) {
    static_assert(std::is_trivially_copyable_v<json_object> && std::is_trivially_destructible_v<json_object>);
    SV* const body = newSV_type(SVt_PVMG);
    SV* const rv = sv_2mortal(newRV_noinc(body));
    json_object* self;
    Newx(self, 1, json_object);
    new (self) json_object{defaults, {}};
    MAGIC* const mg = sv_magicext(body, nullptr, PERL_MAGIC_ext, &table, reinterpret_cast<char*>(self), 0);
#ifdef USE_ITHREADS
    mg->mg_flags |= MGf_DUP;
#else
    PERL_UNUSED_VAR(mg);
#endif
    const char* const name = HvNAME_get(stash);
    if (name == nullptr || std::strncmp(name, "Kumihimo::", 10) != 0) {
        // Functions of the class that stand in no relation to ours any more (the module was loaded again) take the
        // scalar's buffer for their struct, of about 100 bytes: they find zeroes there, which are options that are off
        // and no pointers. A subclass of Kumihimo::JSON has them for nothing: to tell it apart would take longer.
        constexpr STRLEN zeroes = 256;
        char* buffer;
        Newxz(buffer, zeroes, char);
        SvPV_set(body, buffer);
        SvLEN_set(body, zeroes);
    }
    return sv_bless(rv, stash);
}

void json_object::refuse(pTHX_ SV* self) {
    if (SvROK(self)) Perl_croak(aTHX_ "%" SVf " is no object that Kumihimo::JSON->new has made", SVfARG(self));
    Perl_croak(aTHX_ "this is a method of Kumihimo::JSON objects: call it on what Kumihimo::JSON->new gives, not on '%" SVf "'",
               SVfARG(self));
    abort();
}

void keep_callbacks(pTHX_ const json_options& o) {
    for (SV* const sv : {o.filter_object, reinterpret_cast<SV*>(o.filter_single), o.sort_by, o.v_false, o.v_true})
        if (sv != nullptr) sv_2mortal(SvREFCNT_inc_simple_NN(sv));
}

namespace {

// What a call works with: a copy, because Perl code that it runs may change the object.
json_options options_for_call(pTHX_ const json_object& self) {
    if (self.o.has_callbacks()) [[unlikely]]
        keep_callbacks(aTHX_ self.o);
    return self.o;
}

// The first argument as ever: what setters return.
#define KUMIHIMO_SELF(least, most, usage)                             \
    dXSARGS;                                                          \
    if (items < (least) || items > (most)) croak_xs_usage(cv, usage); \
    json_object& self = json_object::of(aTHX_ ST(0))

// ---- construction

XSPROTO(construct) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "class");
    HV* const stash = SvROK(ST(0)) && SvOBJECT(SvRV(ST(0))) ? SvSTASH(SvRV(ST(0))) : gv_stashsv(ST(0), GV_ADD);
    json_options o = object_defaults[XSANY.any_i32];
    if (o.follows == rules::cpanel) o.core_booleans = interpreter::here(aTHX).cpanel_core_booleans;
    ST(0) = json_object::make(aTHX_ stash, o);
    XSRETURN(1);
}

// ---- switches

struct named_switch {
    const char* name;
    bool json_options::*is;
};
constexpr named_switch switches[] = {
    {"ascii", &json_options::ascii},
    {"latin1", &json_options::latin1},
    {"utf8", &json_options::utf8},
    {"binary", &json_options::binary},
    {"indent", &json_options::indent},
    {"canonical", &json_options::canonical},
    {"space_before", &json_options::space_before},
    {"space_after", &json_options::space_after},
    {"allow_nonref", &json_options::allow_nonref},
    {"shrink", &json_options::shrink},
    {"allow_blessed", &json_options::allow_blessed},
    {"convert_blessed", &json_options::convert_blessed},
    {"relaxed", &json_options::relaxed},
    {"allow_unknown", &json_options::allow_unknown},
    {"allow_tags", &json_options::allow_tags},
    {"escape_slash", &json_options::escape_slash},
    {"unblessed_bool", &json_options::unblessed_bool},
    {"allow_singlequote", &json_options::allow_singlequote},
    {"allow_barekey", &json_options::allow_barekey},
    {"allow_bignum", &json_options::allow_bignum},
    {"allow_bigint", &json_options::allow_bignum},
    {"allow_stringify", &json_options::allow_stringify},
    {"allow_dupkeys", &json_options::allow_dupkeys},
    {"dupkeys_as_arrayref", &json_options::dupkeys_as_arrayref},
    {"require_types", &json_options::require_types},
    {"type_all_string", &json_options::type_all_string},
    {"keep_order", &json_options::keep_order},
    {"shortest_floats", &json_options::shortest_floats},
};

bool argument_of_switch(pTHX_ I32 items, SV* given) { return items < 2 || SvIV(given) != 0; }

XSPROTO(set_switch) {
    KUMIHIMO_SELF(1, 2, "self, enable = 1");
    const named_switch& s = switches[XSANY.any_i32];
    const bool on = argument_of_switch(aTHX_ items, items > 1 ? ST(1) : nullptr);
    json_options& o = self.o;
    o.*s.is = on;
    if (s.is == &json_options::relaxed && o.follows == rules::cpanel) {
        o.allow_barekey = o.allow_singlequote = o.allow_dupkeys = on;
    } else if (s.is == &json_options::dupkeys_as_arrayref && on) {
        o.allow_dupkeys = o.dupkeys_first = true;
    }
    XSRETURN(1);
}
XSPROTO(get_switch) {
    KUMIHIMO_SELF(1, 1, "self");
    ST(0) = boolSV(self.o.*switches[XSANY.any_i32].is);
    XSRETURN(1);
}
XSPROTO(set_pretty) {
    KUMIHIMO_SELF(1, 2, "self, enable = 1");
    self.o.indent = self.o.space_before = self.o.space_after = argument_of_switch(aTHX_ items, items > 1 ? ST(1) : nullptr);
    XSRETURN(1);
}
// Both ways: perl's booleans are written as booleans, and booleans are read as perl's.
XSPROTO(set_core_bools) {
    KUMIHIMO_SELF(1, 2, "self, enable = 1");
    self.o.core_booleans = self.o.unblessed_bool = argument_of_switch(aTHX_ items, items > 1 ? ST(1) : nullptr);
    XSRETURN(1);
}
XSPROTO(get_core_bools) {
    KUMIHIMO_SELF(1, 1, "self");
    ST(0) = boolSV(self.o.core_booleans && self.o.unblessed_bool);
    XSRETURN(1);
}

// ---- numbers

XSPROTO(set_max_depth) {
    KUMIHIMO_SELF(1, 2, "self, max_depth = 0x80000000");
    self.o.max_depth = items > 1 ? static_cast<std::uint32_t>(SvUV(ST(1))) : 0x80000000U;
    XSRETURN(1);
}
XSPROTO(get_max_depth) {
    KUMIHIMO_SELF(1, 1, "self");
    ST(0) = sv_2mortal(newSVuv(self.o.max_depth));
    XSRETURN(1);
}
XSPROTO(set_max_size) {
    KUMIHIMO_SELF(1, 2, "self, max_size = 0");
    self.o.max_size = items > 1 ? SvUV(ST(1)) : 0;
    XSRETURN(1);
}
XSPROTO(get_max_size) {
    KUMIHIMO_SELF(1, 1, "self");
    ST(0) = sv_2mortal(newSVuv(self.o.max_size));
    XSRETURN(1);
}
XSPROTO(set_indent_length) {
    KUMIHIMO_SELF(1, 2, "self, length = 3");
    const IV n = items > 1 ? SvIV(ST(1)) : 3;
    if (n >= 0 && n <= 15)
        self.o.indent_length = static_cast<std::uint32_t>(n);
    else
        Perl_warn(aTHX_ "The acceptable range of indent_length() is 0 to 15.");
    XSRETURN(1);
}
XSPROTO(get_indent_length) {
    KUMIHIMO_SELF(1, 1, "self");
    ST(0) = sv_2mortal(newSVuv(self.o.indent_length));
    XSRETURN(1);
}
XSPROTO(set_stringify_infnan) {
    KUMIHIMO_SELF(1, 2, "self, mode = 1");
    const IV mode = items > 1 ? SvIV(ST(1)) : 1;
    if (mode < 0 || mode > 3)
        Perl_croak(aTHX_ "invalid stringify_infnan mode %d. Must be 0, 1, 2 or 3", static_cast<int>(mode));
    self.o.non_finite = static_cast<infnan>(mode);
    XSRETURN(1);
}
XSPROTO(get_stringify_infnan) {
    KUMIHIMO_SELF(1, 1, "self");
    ST(0) = sv_2mortal(newSViv(static_cast<IV>(self.o.non_finite)));
    XSRETURN(1);
}

// ---- callbacks and values

void exchange(pTHX_ SV*& slot, SV* with) {
    SV* const was = slot;
    slot = with;
    SvREFCNT_dec(was);
}

XSPROTO(set_boolean_values) {
    KUMIHIMO_SELF(1, 3, "self, false, true");
    if (items == 2) croak_xs_usage(cv, "self, false, true");
    exchange(aTHX_ self.o.v_false, items > 1 ? newSVsv(ST(1)) : nullptr);
    exchange(aTHX_ self.o.v_true, items > 1 ? newSVsv(ST(2)) : nullptr);
    XSRETURN(1);
}
XSPROTO(get_boolean_values) {
    KUMIHIMO_SELF(1, 1, "self");
    SV* const no = self.o.v_false;
    SV* const yes = self.o.v_true;
    if (no == nullptr || yes == nullptr) XSRETURN_EMPTY;
    EXTEND(SP, 2);
    ST(0) = no;
    ST(1) = yes;
    XSRETURN(2);
}
// The order of keys: true is that of canonical; a sub, or the name of one in the object's class, compares $a and $b.
XSPROTO(set_sort_by) {
    KUMIHIMO_SELF(1, 2, "self, code = 1");
    SV* const given = items > 1 ? ST(1) : &PL_sv_yes;
    SV* code = nullptr;
    if (SvROK(given)) {
        code = newSVsv(given);
    } else if (SvTRUE(given) && !looks_like_number(given)) {
        GV* const named = gv_fetchmethod_autoload(SvSTASH(SvRV(ST(0))), SvPV_nolen(given), FALSE);
        if (named == nullptr || !isGV(named))
            Perl_croak(aTHX_ "sort_by: there is no sub '%" SVf "' in %s", SVfARG(given), HvNAME_get(SvSTASH(SvRV(ST(0)))));
        code = newRV_inc(reinterpret_cast<SV*>(GvCV(named)));
    }
    exchange(aTHX_ self.o.sort_by, code);
    if (SvTRUE(given)) self.o.canonical = true;
    XSRETURN(1);
}
XSPROTO(set_filter_object) {
    KUMIHIMO_SELF(1, 2, "self, code = undef");
    exchange(aTHX_ self.o.filter_object, items > 1 && SvOK(ST(1)) ? newSVsv(ST(1)) : nullptr);
    XSRETURN(1);
}
XSPROTO(set_filter_single) {
    KUMIHIMO_SELF(2, 3, "self, key, code = undef");
    HV*& filters = self.o.filter_single;
    if (items > 2 && SvOK(ST(2))) {
        if (filters == nullptr) filters = newHV();
        (void)hv_store_ent(filters, ST(1), newSVsv(ST(2)), 0);
    } else if (filters != nullptr) {
        (void)hv_delete_ent(filters, ST(1), G_DISCARD, 0);
        if (HvUSEDKEYS(filters) == 0) {
            HV* const was = filters;
            filters = nullptr;
            SvREFCNT_dec(reinterpret_cast<SV*>(was));
        }
    }
    XSRETURN(1);
}

// ---- encode and decode

XSPROTO(method_encode) {
    KUMIHIMO_SELF(2, 3, "self, value, type = undef");
    const json_options o = options_for_call(aTHX_ self);
    // ST is asked again behind the call: the stack may have moved.
    SV* const text = encode(aTHX_ ST(1), o, items > 2 && SvOK(ST(2)) ? ST(2) : nullptr);
    ST(0) = text;
    XSRETURN(1);
}
XSPROTO(method_decode) {
    KUMIHIMO_SELF(2, 3, "self, text, type = undef");
    const json_options o = options_for_call(aTHX_ self);
    SV* const value = decode(aTHX_ ST(1), o, nullptr, items > 2 ? ST(2) : nullptr);
    ST(0) = value;
    XSRETURN(1);
}
XSPROTO(method_decode_prefix) {
    KUMIHIMO_SELF(2, 3, "self, text, type = undef");
    const json_options o = options_for_call(aTHX_ self);
    std::size_t length = 0;
    SV* const given = ST(1);
    SV* text = nullptr;
    SV* const value = decode(aTHX_ given, o, &length, items > 2 ? ST(2) : nullptr, &text);
    const auto* const begin = reinterpret_cast<const U8*>(SvPVX_const(text));
    // Octets behind UTF-8's mark are read as characters, and are the caller's octets still.
    const bool flagged = SvUTF8(SvPOK(given) && SvCUR(given) == SvCUR(text) ? given : text);
    const std::size_t characters = flagged ? utf8_length(const_cast<U8*>(begin), const_cast<U8*>(begin) + length) : length;
    SPAGAIN;
    EXTEND(SP, 2);
    ST(0) = value;
    ST(1) = sv_2mortal(newSVuv(characters));
    XSRETURN(2);
}

// ---- text that arrives in pieces

// A callback of decode may drop the last reference to the object.
void keep(pTHX_ SV* self) { sv_2mortal(SvREFCNT_inc_simple_NN(SvRV(self))); }

XSPROTO(method_incr_parse) {
    KUMIHIMO_SELF(1, 2, "self, piece = undef");
    keep(aTHX_ ST(0));
    const json_options o = options_for_call(aTHX_ self);
    SV* const piece = items > 1 ? ST(1) : nullptr;
    // The values take the place of the arguments.
    SP = PL_stack_base + ax - 1;
    PUTBACK;
    incr_parse(aTHX_ self.incoming, o, piece, GIMME_V);
}
XSPROTO(method_incr_text) {
    KUMIHIMO_SELF(1, 1, "self");
    ST(0) = incr_text(aTHX_ self.incoming);
    XSRETURN(1);
}
XSPROTO(method_incr_skip) {
    KUMIHIMO_SELF(1, 1, "self");
    incr_skip(aTHX_ self.incoming);
    XSRETURN_EMPTY;
}
XSPROTO(method_incr_reset) {
    KUMIHIMO_SELF(1, 1, "self");
    incr_reset(aTHX_ self.incoming);
    XSRETURN_EMPTY;
}

}  // namespace

void init_json(pTHX) {
    init_ordered(aTHX);
    add_xsub(aTHX_ "Kumihimo::JSON::new", construct, 0);
    add_xsub(aTHX_ "Kumihimo::JSON::Cpanel::new", construct, 1);
    char name[64];
    for (std::size_t i = 0; i < std::size(switches); ++i) {
        std::snprintf(name, sizeof name, "Kumihimo::JSON::%s", switches[i].name);
        add_xsub(aTHX_ name, set_switch, static_cast<I32>(i));
        std::snprintf(name, sizeof name, "Kumihimo::JSON::get_%s", switches[i].name);
        add_xsub(aTHX_ name, get_switch, static_cast<I32>(i));
    }
    constexpr struct {
        const char* name;
        XSUBADDR_t body;
    } methods[] = {
        {"pretty", set_pretty},
        {"core_bools", set_core_bools},
        {"get_core_bools", get_core_bools},
        {"max_depth", set_max_depth},
        {"get_max_depth", get_max_depth},
        {"max_size", set_max_size},
        {"get_max_size", get_max_size},
        {"indent_length", set_indent_length},
        {"get_indent_length", get_indent_length},
        {"stringify_infnan", set_stringify_infnan},
        {"get_stringify_infnan", get_stringify_infnan},
        {"boolean_values", set_boolean_values},
        {"get_boolean_values", get_boolean_values},
        {"sort_by", set_sort_by},
        {"filter_json_object", set_filter_object},
        {"filter_json_single_key_object", set_filter_single},
        {"encode", method_encode},
        {"decode", method_decode},
        {"decode_prefix", method_decode_prefix},
        {"incr_parse", method_incr_parse},
        {"incr_skip", method_incr_skip},
        {"incr_reset", method_incr_reset},
    };
    for (const auto& m : methods) {
        std::snprintf(name, sizeof name, "Kumihimo::JSON::%s", m.name);
        add_xsub(aTHX_ name, m.body, 0);
    }
    CV* const lvalue = newXS("Kumihimo::JSON::incr_text", method_incr_text, __FILE__);
    CvLVALUE_on(lvalue);
    CvNODEBUG_on(lvalue);  // the debugger's calls have no lvalues
    init_json_functions(aTHX);
}

}  // namespace kumihimo::inline v0::perl
