/* The least that any encoder and any parser must do, in plain C: what is left above these numbers is headroom.
 *
 *      Floor.walk(v)      looks at every value, and writes nothing
 *      Floor.objects(v)   makes the same objects again: Hashes with the same keys, Arrays, Strings, Floats
 */
#include <ruby.h>
#include <ruby/encoding.h>

static size_t walk(VALUE v);

static int walk_pair(VALUE key, VALUE value, VALUE sum) {
    *(size_t*)sum += walk(key) + walk(value);
    return ST_CONTINUE;
}

static size_t walk(VALUE v) {
    size_t sum = 0;
    if (RB_SPECIAL_CONST_P(v)) return 4;
    switch (RB_BUILTIN_TYPE(v)) {
        case T_STRING: return (size_t)RSTRING_LEN(v);
        case T_ARRAY:
            for (long i = 0; i < RARRAY_LEN(v); ++i) sum += walk(RARRAY_AREF(v, i));
            return sum;
        case T_HASH: rb_hash_foreach(v, walk_pair, (VALUE)&sum); return sum;
        default: return 8;
    }
}

static VALUE floor_walk(VALUE self, VALUE v) { return SIZET2NUM(walk(v)); }

static VALUE copy(VALUE v);

static int copy_pair(VALUE key, VALUE value, VALUE into) {
    rb_hash_aset(into, key, copy(value));
    return ST_CONTINUE;
}

static VALUE copy(VALUE v) {
    VALUE made;
    if (RB_SPECIAL_CONST_P(v)) return v;
    switch (RB_BUILTIN_TYPE(v)) {
        case T_STRING: return rb_utf8_str_new(RSTRING_PTR(v), RSTRING_LEN(v));
        case T_FLOAT: return rb_float_new(RFLOAT_VALUE(v));
        case T_ARRAY:
            made = rb_ary_new_capa(RARRAY_LEN(v));
            for (long i = 0; i < RARRAY_LEN(v); ++i) rb_ary_push(made, copy(RARRAY_AREF(v, i)));
            return made;
        case T_HASH:
            made = rb_hash_new();
            rb_hash_foreach(v, copy_pair, made);
            return made;
        default: return v;
    }
}

static VALUE floor_objects(VALUE self, VALUE v) { return copy(v); }

void Init_floor(void) {
    VALUE floor = rb_define_module("Floor");
    rb_define_singleton_method(floor, "walk", floor_walk, 1);
    rb_define_singleton_method(floor, "objects", floor_objects, 1);
}
