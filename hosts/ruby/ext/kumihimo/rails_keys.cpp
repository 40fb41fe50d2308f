// The keys of Hashes as ActiveSupport's passes make them: texts by to_s, what jsonify makes of an answer's keys, only:
// and except:, and which values are lost where two keys have one text.
#include "rails_walk_base.hpp"

#ifdef HAVE_RB_HASH_COMPARE_BY_ID_P
extern "C" VALUE rb_hash_compare_by_id_p(VALUE hash);
#endif

namespace kumihimo::inline v0::ruby {
namespace {

struct {
    ID only, except, slice, compare_by_identity_p, bind_call;
} ids;
VALUE compare_by_identity_p;  // Hash's own

}  // namespace

void init_rails_keys() {
    ids = {rb_intern("only"), rb_intern("except"), rb_intern("slice"), rb_intern("compare_by_identity?"),
           rb_intern("bind_call")};
    compare_by_identity_p =
        lasting(rb_funcall(rb_cHash, rb_intern("instance_method"), 1, rb_id2sym(ids.compare_by_identity_p)));
}

bool rails_walk_base::rewrite_without_this() {
    for (open_hash* h = open_; h != nullptr; h = h->outer) {
        if (h->clash) return true;
        if (h->texts_differ || texts_differ(h->hash, h->first_pass)) {
            h->texts_differ = true;
            continue;
        }
        return h->clash = true;
    }
    return false;
}

bool rails_walk_base::texts_differ(VALUE hash, bool first_pass) {
    return RHASH_SIZE(merged(hash, first_pass)) == RHASH_SIZE(hash);
}

VALUE rails_walk_base::merged(VALUE hash, bool first_pass) {
    if (!first_pass && profile_.family == family::as_json) return with_jsonified_keys(hash);
    return with_text_keys(hash, !first_pass && profile_.family == family::jsonify);
}

VALUE rails_walk_base::jsonified(VALUE v) {
    if (ruby_stack_check()) stack_overflow();
    for (int round = 0; round < 10000; ++round) {
        if (RB_TYPE_P(v, T_STRING)) {
            const VALUE plain = rb_enc_str_new(RSTRING_PTR(v), RSTRING_LEN(v), rb_enc_get(v));
            RB_GC_GUARD(v);
            return plain;
        }
        if (RB_TYPE_P(v, T_HASH)) return with_jsonified_keys(own_each(class_of(v)) ? v : by_own_each(v), true);
        if (RB_TYPE_P(v, T_ARRAY)) {
            const VALUE items = own_map(class_of(v)) ? v : by_own_map(v);
            if (!RB_TYPE_P(items, T_ARRAY)) return items;
            const VALUE made = rb_ary_new();
            for (long i = 0; i < RARRAY_LEN(items); ++i) rb_ary_push(made, jsonified(RARRAY_AREF(items, i)));
            return made;
        }
        const bool last = RB_NIL_P(v) || v == Qtrue || v == Qfalse || rb_obj_is_kind_of(v, rb_cNumeric);
        v = call(v, id_as_json);
        if (last) return v;
    }
    stack_overflow();
}

VALUE rails_walk_base::filtered_hash(VALUE hash) {
    const VALUE only = rb_hash_aref(options_, rb_id2sym(ids.only)), except = rb_hash_aref(options_, rb_id2sym(ids.except));
    if (!RTEST(only) && !RTEST(except)) return hash;
    turns_.now();  // a filter takes long, and may leave nothing to write
    // Through a copy of the list: a key's own hash may change it.
    const VALUE answer = rb_apply(hash, RTEST(only) ? ids.slice : ids.except, rb_Array(RTEST(only) ? only : except));
    ran_ruby();
    return RB_TYPE_P(answer, T_HASH) && own_each(class_of(answer)) ? answer : by_own_each(answer);
}

namespace {

struct text_keys {
    VALUE made;
    bool keep_symbols;
    bool stock_texts;
    step_turns* turns;
};

VALUE text_of_key(VALUE key, const text_keys& t) {
    if (RB_SYMBOL_P(key) && t.keep_symbols) return key;
    if (t.stock_texts) {
        if (class_of(key) == rb_cString) return key;
        if (RB_SYMBOL_P(key)) return rb_sym2str(key);
    }
    return rb_funcallv_public(key, id_to_s, 0, nullptr);
}
int add_text_key(VALUE key, VALUE value, VALUE argument) {
    const text_keys& t = *reinterpret_cast<const text_keys*>(argument);
    rb_hash_aset(t.made, text_of_key(key, t), value);
    t.turns->turn();
    return ST_CONTINUE;
}

}  // namespace

VALUE rails_walk_base::with_text_keys(VALUE hash, bool keep_symbols) {
    step_turns turns;
    text_keys t{rb_hash_new(), keep_symbols, texts_are_stock(), &turns};
    rb_hash_foreach(hash, &add_text_key, reinterpret_cast<VALUE>(&t));
    ran_ruby();
    return t.made;
}

VALUE rails_walk_base::with_jsonified_keys(VALUE hash, bool values_too) {
    struct jsonifying {
        rails_walk_base* self;
        VALUE made;
        bool values_too;
    } j{this, rb_hash_new(), values_too};
    rb_hash_foreach(
        hash,
        [](VALUE key, VALUE value, VALUE argument) -> int {
            const jsonifying& to = *reinterpret_cast<const jsonifying*>(argument);
            key = to.self->jsonified(key);
            rb_hash_aset(to.made, key, to.values_too ? to.self->jsonified(value) : value);
            return ST_CONTINUE;
        },
        reinterpret_cast<VALUE>(&j));
    ran_ruby();
    return j.made;
}

bool rails_walk_base::keys_of_one_kind(VALUE hash) {
    if (RHASH_SIZE(hash) < 2) return true;
    VALUE kind = Qundef;
    rb_hash_foreach(
        hash,
        [](VALUE key, VALUE, VALUE argument) -> int {
            VALUE& kind = *reinterpret_cast<VALUE*>(argument);
            const VALUE klass = class_of(key);
            const bool plain = klass == rb_cString || klass == rb_cSymbol || RB_FIXNUM_P(key);
            if (plain && (kind == Qundef || kind == klass)) {
                kind = klass;
                return ST_CONTINUE;
            }
            kind = Qnil;
            return ST_STOP;
        },
        reinterpret_cast<VALUE>(&kind));
    return kind != Qnil;
}

bool rails_walk_base::equal_keys_differ(VALUE hash) {
#ifdef HAVE_RB_HASH_COMPARE_BY_ID_P
    return RTEST(rb_hash_compare_by_id_p(hash));
#else
    // 30 ns, so only where two keys could be equal. Whatever compare_by_identity? was redefined to, the Hash itself is
    // asked.
    if (RHASH_SIZE(hash) < 2) return false;
    if (own(RBASIC_CLASS(hash), ids.compare_by_identity_p)) [[likely]]
        return RTEST(rb_funcallv(hash, ids.compare_by_identity_p, 0, nullptr));
    return RTEST(rb_funcallv(compare_by_identity_p, ids.bind_call, 1, &hash));
#endif
}

bool rails_walk_base::keys_differ(VALUE hash) {
    const VALUE texts = with_text_keys(hash, false);
    return RHASH_SIZE(texts) == RHASH_SIZE(hash);
}

}  // namespace kumihimo::inline v0::ruby
