// Kumihimo.generate, and what Coder#dump stands on: the bytes of the installed json gem's generator.
#include "generate.hpp"

#include <cstring>

#include "module.hpp"

namespace kumihimo::inline v0::ruby {
namespace {

ID id_to_s, id_to_json, id_to_h, id_new, id_set_depth, id_encode;
VALUE fragment_class, stock_fragment, empty_hash, utf8_encoding;

VALUE symbol(const char* name) { return rb_id2sym(rb_intern(name)); }

template <class To>
class generate_walk : public walker<generate_walk<To>, To> {
    using base = walker<generate_walk<To>, To>;
    using base::depth_;
    using base::to_;

public:
    generate_walk(To& to, string_output& out, const generate_options& o) noexcept
        : base(to, out, o.max_nesting, o.depth),
          o_(o),
          floats_stock_(stock.floats != scalar::float_layout::ruby || has_own_digits(rb_cFloat)) {}

    static constexpr bool counted = false;
    [[gnu::always_inline]] static bool is_text(VALUE s) noexcept { return is_valid_utf8(s); }

    void key(VALUE k) {
        if (!RB_SPECIAL_CONST_P(k) && RBASIC_CLASS(k) == rb_cString) [[likely]]
            return text_key(k);
        if (RB_SYMBOL_P(k)) return text_key(rb_sym2str(k));
        other_key(k);
    }

    /// What a Hash gives in order, and a Hash whose keys must be looked at, are not plain.
    void hash(VALUE h) {
        if (o_.sort_keys != Qnil) {
            h = o_.sort_keys == Qtrue ? rb_funcall(rb_funcall(h, rb_intern("sort"), 0), id_to_h, 0)
                                      : rb_proc_call_with_block(o_.sort_keys, 1, &h, Qnil);
            Check_Type(h, T_HASH);
        }
        if (o_.refuse_duplicates) look_for_duplicates(h);
        this->map(h);
        RB_GC_GUARD(h);
    }
    void symbol(VALUE v) {
        const bool plain = stock.symbol_to_json.holds(rb_cSymbol) && rb_method_basic_definition_p(rb_cSymbol, id_to_s);
        if (o_.strict || plain) return this->string(rb_sym2str(v));
        other(v);
    }
    void real(VALUE v) {
        if (floats_stock_) [[likely]]
            return base::real(v);
        if (!std::isfinite(RFLOAT_VALUE(v))) return not_finite(v);
        splice(rb_funcallv(v, id_to_s, 0, nullptr));
    }
    void big(VALUE v) {
        if (!has_own_digits(rb_cInteger)) return splice(rb_funcallv(v, id_to_s, 0, nullptr));
        VALUE digits = rb_big2str(v, 10);
        to_.raw(RSTRING_PTR(digits), static_cast<std::size_t>(RSTRING_LEN(digits)));
        RB_GC_GUARD(digits);
    }
    void not_finite(VALUE v) {
        if (o_.allow_nan) {
            const double x = RFLOAT_VALUE(v);
            const char* const word = std::isnan(x) ? "NaN" : x < 0 ? "-Infinity" : "Infinity";
            return to_.raw(word, std::strlen(word));
        }
        if (o_.strict && o_.as_json != Qnil) {
            const VALUE answer = ask(v, false);
            if (answer != v) return this->instead(answer);
        }
        raise_generate(v, "%" PRIsVALUE " not allowed in JSON", rb_funcall(v, id_to_s, 0));
    }
    void odd_string(VALUE s) {
        if (o_.strict && o_.as_json != Qnil) {
            const VALUE answer = ask(s, false);
            if (answer != s) return answered(answer);
        }
        this->string(converted(s));
    }
    void other(VALUE v) {
        if (o_.strict) {
            if (is_fragment(v)) return splice(RSTRUCT_GET(v, 0));
            if (o_.as_json == Qnil) raise_generate(v, "%" PRIsVALUE " not allowed in JSON", CLASS_OF(v));
            return answered(ask(v, false));
        }
        if (is_fragment(v)) return splice(RSTRUCT_GET(v, 0));
        if (rb_respond_to(v, id_to_json)) {
            VALUE state = this->state();
            return splice(rb_funcallv(v, id_to_json, 1, &state));
        }
        VALUE text = rb_funcallv(v, id_to_s, 0, nullptr);
        Check_Type(text, T_STRING);
        this->string(text);
    }
    [[noreturn]] void too_deep(long depth) {
        if (stock.circular_hint) raise_nesting_with_hint(depth - 1);
        raise_nesting(depth - 1);
    }

private:
    /// The answer of as_json, which is not asked again.
    void answered(VALUE v) {
        const bool plain = RB_SPECIAL_CONST_P(v) || RB_TYPE_P(v, T_BIGNUM) || RB_TYPE_P(v, T_SYMBOL) || is_fragment(v) ||
                           RBASIC_CLASS(v) == rb_cHash || RBASIC_CLASS(v) == rb_cArray || RBASIC_CLASS(v) == rb_cFloat;
        if (plain) return is_fragment(v) ? splice(RSTRUCT_GET(v, 0)) : this->value(v);
        if (RBASIC_CLASS(v) != rb_cString) raise_generate(v, "%" PRIsVALUE " not allowed in JSON", CLASS_OF(v));
        if (!is_valid_utf8(v)) raise_generate(v, "source sequence is illegal/malformed utf-8");
        this->string(v);
    }
    VALUE ask(VALUE v, bool is_key) {
        VALUE arguments[] = {v, is_key ? Qtrue : Qfalse};
        return rb_proc_call_with_block(o_.as_json, o_.as_json_one ? 1 : 2, arguments, Qnil);
    }

    struct seen {
        VALUE hash, texts;
        step_turns* turns;
    };
    static int see(VALUE key, VALUE, VALUE argument) {
        const seen& s = *reinterpret_cast<const seen*>(argument);
        const VALUE text = rb_obj_as_string(key);
        if (rb_hash_lookup(s.texts, text) != Qnil)
            raise_generate(s.hash, "detected duplicate key %+" PRIsVALUE " in %+" PRIsVALUE, text, s.hash);
        rb_hash_aset(s.texts, text, Qtrue);
        s.turns->turn();
        return ST_CONTINUE;
    }
    static void look_for_duplicates(VALUE h) {
        step_turns turns;
        const seen s{h, rb_hash_new(), &turns};
        rb_hash_foreach(h, &see, reinterpret_cast<VALUE>(&s));
    }

    void text_key(VALUE s) {
        if (!is_valid_utf8(s)) [[unlikely]] {
            if (o_.strict && o_.as_json != Qnil) {
                const VALUE answer = ask(s, false);
                if (answer != s) {
                    if (!RB_TYPE_P(answer, T_STRING)) refuse_key(answer);
                    if (!is_valid_utf8(answer)) raise_generate(s, "source sequence is illegal/malformed utf-8");
                    s = answer;
                }
            }
            s = converted(s);
        }
        to_.key(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
        RB_GC_GUARD(s);
    }
    [[gnu::noinline]] void other_key(VALUE k) {
        if (RB_TYPE_P(k, T_STRING) || !o_.strict) {
            const VALUE s = text_of(k);
            return RBASIC_CLASS(s) == rb_cString || o_.strict ? text_key(s) : own_key(s);
        }
        if (o_.as_json == Qnil) refuse_key(k);
        const VALUE answer = ask(k, true);
        if (RB_SYMBOL_P(answer)) return text_key(rb_sym2str(answer));
        if (!RB_TYPE_P(answer, T_STRING)) refuse_key(answer);
        text_key(text_of(answer));
    }
    static VALUE text_of(VALUE k) {
        if (!RB_SPECIAL_CONST_P(k) && RBASIC_CLASS(k) == rb_cString) return k;
        const VALUE s = rb_funcallv(k, id_to_s, 0, nullptr);
        if (RB_TYPE_P(s, T_STRING)) return s;
        if (stock.must_convert)
            rb_raise(rb_eTypeError, "can't convert %" PRIsVALUE " to String (%" PRIsVALUE "#to_s gives %" PRIsVALUE ")",
                     rb_obj_class(k), rb_obj_class(k), rb_obj_class(s));
        return rb_convert_type(s, T_STRING, "String", "to_s");
    }
    /// A key whose text is of a class of its own, which may have a to_json.
    void own_key(VALUE s) {
        VALUE state = this->state();
        VALUE json = rb_funcallv(s, id_to_json, 1, &state);
        Check_Type(json, T_STRING);
        if constexpr (requires { to_.raw_key("", 0); })
            to_.raw_key(RSTRING_PTR(json), static_cast<std::size_t>(RSTRING_LEN(json)));
        else
            text_key(rb_funcall(rb_path2class("Kumihimo"), rb_intern("parse"), 1, json));
        RB_GC_GUARD(json);
    }
    [[noreturn]] static void refuse_key(VALUE k) {
        raise_generate(k, "%" PRIsVALUE " not allowed as object key in JSON", CLASS_OF(k));
    }

    static bool is_fragment(VALUE v) {
        return RB_TYPE_P(v, T_STRUCT) && (RBASIC_CLASS(v) == fragment_class || RBASIC_CLASS(v) == stock_fragment);
    }
    void splice(VALUE json) {
        Check_Type(json, T_STRING);
        to_.raw(RSTRING_PTR(json), static_cast<std::size_t>(RSTRING_LEN(json)));
        RB_GC_GUARD(json);
    }

    /// A String of another encoding in UTF-8. Bytes without an encoding are taken for UTF-8, as stock does.
    static VALUE converted(VALUE s) {
        VALUE utf8 = s;
        const int index = rb_enc_get_index(s);
        if (index != utf8_index && (index != ascii_index || stock.must_convert)) {
            if (index == binary_index) {
                utf8 = rb_enc_associate_index(rb_str_dup(s), utf8_index);
            } else if (stock.must_convert) {
                int state = 0;
                VALUE arguments[] = {s};
                utf8 = rb_protect([](VALUE p) { return rb_funcall(*reinterpret_cast<VALUE*>(p), id_encode, 1, utf8_encoding); },
                                  reinterpret_cast<VALUE>(arguments), &state);
                if (state != 0) {
                    const VALUE error = rb_errinfo();
                    if (!RTEST(rb_obj_is_kind_of(error, rb_eEncodingError))) rb_jump_tag(state);
                    rb_set_errinfo(Qnil);
                    raise_generate(s, "%" PRIsVALUE, rb_funcall(error, rb_intern("message"), 0));
                }
            } else {
                utf8 = rb_str_export_to_enc(s, rb_utf8_encoding());
                if (utf8 == s) utf8 = rb_str_dup(s);
                rb_enc_associate_index(utf8, utf8_index);
            }
        }
        if (!is_valid_utf8(utf8)) raise_generate(s, "source sequence is illegal/malformed utf-8");
        return utf8;
    }

    /// JSON::State for a foreign to_json: one per document, at the depth of this value.
    VALUE state() {
        if (state_ == Qnil) {
            VALUE options = o_.given == Qnil ? empty_hash : o_.given;
            state_ = rb_funcallv(stock.state_class, id_new, 1, &options);
        }
        rb_funcall(state_, id_set_depth, 1, LONG2NUM(depth_));
        return state_;
    }

    const generate_options& o_;
    const bool floats_stock_;  // json before 2.11 asks a Float for its to_s
    VALUE state_ = Qnil;
};

template <class Emit>
VALUE generate_in_bursts(VALUE v, const generate_options& o) {
    char here[4096];
    string_output out(here, sizeof here);
    Emit to(out, o.dialect);
    static_assert(emitting_walker<generate_walk<Emit>, Emit, VALUE>);
    generate_walk<Emit> walk(to, out, o);
    walk.value(v);
    to.finish();
    return out.take();
}

/// Any layout and escapes. The writer keeps its levels on the heap, so the walk is run under protect().
VALUE generate_by_writer(VALUE v, const generate_options& o) {
    char here[4096];
    string_output out(here, sizeof here);
    int state = 0;
    {
        context ctx;
        ctx.limits.depth = static_cast<std::size_t>(-1);  // the walk counts
        json::basic_writer<string_output> writer(out, ctx, o.dialect);
        state = protect([&] {
            emit_writer to(writer, ctx);
            to.opened_when_empty = stock.opened_when_empty;
            static_assert(emitting_walker<generate_walk<emit_writer>, emit_writer, VALUE>);
            generate_walk<emit_writer> walk(to, out, o);
            walk.value(v);
            to.finish();
        });
    }
    if (state != 0) rb_jump_tag(state);
    return out.take();
}

}  // namespace

VALUE generate(VALUE v, const generate_options& o) {
    const auto with = [&]<const json::escape_set & Escapes>() {
        if (o.compact()) return generate_in_bursts<emit_burst<Escapes>>(v, o);
        if (json::laid_out_burst<string_output, Escapes>::suits(o.dialect) && !stock.opened_when_empty)
            return generate_in_bursts<emit_laid_out<Escapes>>(v, o);
        return generate_by_writer(v, o);
    };
    if (o.ascii_only) return generate_by_writer(v, o);
    if (o.script_safe) return with.template operator()<json::script_safe_escapes>();
    if (o.slash_only) return with.template operator()<json::slash_escapes>();
    return with.template operator()<json::rfc8259_escapes>();
}

namespace {

/// generate(object, options = nil) -> String
VALUE module_generate(int argc, VALUE* argv, VALUE) {
    rb_check_arity(argc, 1, 2);
    generate_options o;
    o.read(argc == 2 ? argv[1] : Qnil);
    return generate(argv[0], o);
}

// ---- options that are read once: the native half of Coder

const rb_data_type_t options_type = {"Kumihimo::GenerateOptions",
                                     {[](void* p) { static_cast<generate_options*>(p)->mark(); },
                                      RUBY_TYPED_DEFAULT_FREE,
                                      [](const void*) { return sizeof(generate_options); },
                                      nullptr,
                                      {nullptr}},
                                     nullptr,
                                     nullptr,
#ifdef RUBY_TYPED_FROZEN_SHAREABLE
                                     RUBY_TYPED_FROZEN_SHAREABLE |
#endif
                                         RUBY_TYPED_FREE_IMMEDIATELY};

/// GenerateOptions.new(hash), and #generate(object)
VALUE options_new(VALUE klass, VALUE hash) {
    generate_options* o;
    VALUE self = TypedData_Make_Struct(klass, generate_options, &options_type, o);
    new (o) generate_options;
    o->read(hash);
    // The references were set behind the collector's back.
    for (const VALUE v : {o->given, o->as_json, o->sort_keys, o->key_text, o->object_nl, o->array_nl, o->indent})
        RB_OBJ_WRITTEN(self, Qundef, v);
    return rb_obj_freeze(self);
}
VALUE options_generate(VALUE self, VALUE v) {
    return generate(v, *static_cast<const generate_options*>(rb_check_typeddata(self, &options_type)));
}

}  // namespace

void init_generate(VALUE kumihimo) {
    id_to_s = rb_intern("to_s");
    id_to_json = rb_intern("to_json");
    id_to_h = rb_intern("to_h");
    id_new = rb_intern("new");
    id_set_depth = rb_intern("depth=");
    id_encode = rb_intern("encode");
    init_methods();
    const VALUE json = rb_const_get(rb_cObject, rb_intern("JSON"));
    init_generate_options(json);
    empty_hash = lasting(rb_obj_freeze(rb_hash_new()));
    utf8_encoding = lasting(rb_enc_from_encoding(rb_utf8_encoding()));
    const ID fragment = rb_intern("Fragment");
    stock_fragment = rb_const_defined(json, fragment) ? lasting(rb_const_get(json, fragment)) : Qnil;
    // JSON::Fragment's own shape, so that one kind serves both where json has it.
    fragment_class = lasting(rb_struct_define_under(kumihimo, "Fragment", "json", nullptr));

    rb_define_singleton_method(kumihimo, "generate", module_generate, -1);
    const VALUE options = rb_define_class_under(kumihimo, "GenerateOptions", rb_cObject);
    rb_undef_alloc_func(options);
    rb_define_singleton_method(options, "new", options_new, 1);
    rb_define_method(options, "generate", options_generate, 1);
    rb_funcall(kumihimo, rb_intern("private_constant"), 1, symbol("GenerateOptions"));
}

}  // namespace kumihimo::inline v0::ruby
