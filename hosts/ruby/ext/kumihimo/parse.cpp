#include "parse.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

#include "engine/json/reader.hpp"
#include "errors.hpp"
#include "module.hpp"
#include "turn.hpp"

namespace kumihimo::inline v0::ruby {

namespace {

// Set once by init_parse.
json::read_dialect stock_dialect;
bool old_stock;         // json before 2.10: its parser was another one
bool stock_transcodes;  // json from 2.8 on raises where a source cannot be transcoded; before it took its bytes as they are
VALUE max_nesting, allow_nan, allow_trailing_comma, allow_comments, allow_control_characters, allow_invalid_escape,
    symbolize_names, freeze, decimal_class, on_load, allow_duplicate_key, object_class, array_class, create_additions,
    create_id, match_string;
ID id_try_convert, id_new, id_encode, id_create_id, id_prepare;

// 2.6.1 -> 20601.
long version_number(const char* text) noexcept {
    long parts[3] = {};
    for (long& part : parts) {
        char* end;
        part = std::strtol(text, &end, 10);
        if (*end != '.') break;
        text = end + 1;
    }
    return parts[0] * 10000 + parts[1] * 100 + parts[2];
}

void read_decimal_class(VALUE klass, build_options& out) {
    if (rb_respond_to(klass, id_try_convert)) {
        out.decimal = klass;
        out.decimal_method = id_try_convert;
    } else if (rb_respond_to(klass, id_new)) {
        out.decimal = klass;
        out.decimal_method = id_new;
    } else if (RB_TYPE_P(klass, T_CLASS)) {
        // A class without new has a function of its name: Kernel.Float, or Module.Name.
        const VALUE name = rb_class_name(klass);
        const char* const begin = RSTRING_PTR(name);
        long cut = RSTRING_LEN(name);
        while (cut > 0 && begin[cut - 1] != ':') --cut;
        out.decimal = cut < 2 ? rb_mKernel : rb_path_to_class(rb_str_substr(name, 0, cut - 2));
        out.decimal_method = SYM2ID(rb_str_intern(rb_str_substr(name, cut, RSTRING_LEN(name) - cut)));
    }
}

int read_option(VALUE key, VALUE value, VALUE data) {
    parse_options& out = *reinterpret_cast<parse_options*>(data);
    build_options& build = out.build;
    const bool yes = RTEST(value);
    if (key == symbolize_names) {
        build.symbolize = yes;
    } else if (key == max_nesting) {
        if (yes) Check_Type(value, T_FIXNUM);
        const long depth = yes ? FIX2LONG(value) : 0;
        out.depth = depth == 0 ? static_cast<std::size_t>(-1) >> 1 : depth < 0 ? 0 : static_cast<std::size_t>(depth);
    } else if (key == allow_nan) {
        out.granted.non_finite = yes;
    } else if (key == allow_trailing_comma) {
        out.granted.trailing_commas = yes;
    } else if (key == allow_comments) {
        out.granted.comments = yes;
    } else if (key == allow_control_characters) {
        out.granted.control_characters = yes;
    } else if (key == allow_invalid_escape) {
        out.granted.unknown_escapes = yes;
    } else if (key == freeze) {
        build.freeze = yes;
    } else if (key == decimal_class) {
        if (yes) read_decimal_class(value, build);
    } else if (key == on_load) {
        build.on_load = yes ? value : Qnil;
    } else if (key == allow_duplicate_key) {
        build.unique_keys = !yes && !NIL_P(value);
    } else if (key == object_class) {
        build.object_class = yes ? value : Qnil;
    } else if (key == array_class) {
        build.array_class = yes ? value : Qnil;
    } else if (key == create_additions) {
        build.additions = yes;
    } else if (key == create_id) {
        build.create_id = value;
    } else if (key == match_string) {
        build.match_string = yes ? value : Qnil;
    }
    return ST_CONTINUE;
}

VALUE repeated_error(const context& ctx, const builder& from, bytes document, const stream_place& origin) {
    const VALUE error = parse_error_of(ctx, errc::duplicate, document, origin.offset, origin.lines);
    if (NIL_P(from.repeated())) return error;
    const VALUE sentence = rb_sprintf("duplicate key %+" PRIsVALUE, from.repeated());
    const VALUE whole = rb_obj_as_string(error);
    const VALUE place = rb_str_substr(whole, static_cast<long>(std::strlen(ctx.failure.what)), RSTRING_LEN(whole));
    return rb_funcall(error, rb_intern("exception"), 1, rb_str_plus(sentence, place));
}

// How a document is read first: what the quick walk of the reader can grant. Nearly every document passes.
json::read_dialect quick_dialect(const json::read_dialect& granted) noexcept {
    json::read_dialect quick = granted;
    quick.comments = false;
    quick.any_bytes = false;
    quick.control_characters = false;
    quick.surrogates = json::lone_surrogates::refuse;
    return quick;
}

VALUE parse(int argc, VALUE* argv, VALUE) {
    rb_check_arity(argc, 1, 2);
    parse_options options;
    VALUE kept = Qnil;
    if (argc == 2 && !NIL_P(argv[1])) kept = read_parse_options(argv[1], options);
    const VALUE made = parse_document(document_of(argv[0]), options);
    RB_GC_GUARD(kept);
    return made;
}

}  // namespace

parse_options::parse_options() noexcept : granted(stock_dialect) {}

VALUE read_parse_options(VALUE options, parse_options& out) {
    if (NIL_P(options)) return options;
    options = rb_convert_type(options, T_HASH, "Hash", "to_hash");
    if (RHASH_SIZE(options) == 0) return options;
    rb_hash_foreach(options, read_option, reinterpret_cast<VALUE>(&out));
    build_options& build = out.build;
    if (!build.additions && NIL_P(build.object_class) && NIL_P(build.array_class) &&
        rb_hash_lookup2(options, create_additions, Qfalse) == Qfalse) [[likely]] {
        if (build.decimal != 0) out.granted.decimal_digits = true;
        return options;
    }
    if (!old_stock) {
        // From json 2.10 on these are procs over on_load, which json makes itself: the same then, to the last detail.
        const VALUE json = rb_path2class("JSON");
        const ID parts = rb_intern("ParserOptions");
        if (rb_const_defined(json, parts) && rb_respond_to(rb_const_get(json, parts), id_prepare)) {
            options = rb_funcall(rb_const_get(json, parts), id_prepare, 1, options);
            build.on_load = rb_hash_lookup(options, on_load);
            build.additions = false;
            build.object_class = build.array_class = Qnil;
        }
    }
    if (build.additions && build.symbolize)
        rb_raise(rb_eArgError, "options :symbolize_names and :create_additions cannot be  used in conjunction");
    if (build.additions && !NIL_P(build.match_string)) Check_Type(build.match_string, T_HASH);
    if (build.additions && NIL_P(build.create_id)) build.create_id = rb_funcall(rb_path2class("JSON"), id_create_id, 0);
    if (build.decimal != 0) out.granted.decimal_digits = true;
    return options;
}

VALUE document_of(VALUE source) {
    StringValue(source);
    const int index = RB_ENCODING_GET(source);
    if (index == utf8_index || index == binary_index) [[likely]]
        return source;
    if (index == ascii_index && rb_enc_str_asciionly_p(source)) return source;
    if (!stock_transcodes) return rb_str_conv_enc(source, rb_enc_get(source), rb_utf8_encoding());
    source = rb_funcall(source, id_encode, 1, rb_enc_from_encoding(rb_utf8_encoding()));
    return StringValue(source);
}

outcome read_document(bytes document, const parse_options& options, const stream_place& from, bool interruptible) {
    outcome out;
    errc e = errc::ok;
    context ctx;
    ctx.limits.depth = options.depth;
    builder to(ctx, options.build);
    const auto blame = [&] {
        if (e == errc::duplicate) {
            // The builder knows the key, and a second look its place.
            context again;
            again.limits = ctx.limits;
            json::read_dialect unique = options.granted;
            unique.duplicates = json::duplicate_keys::error;
            if (json::diagnose(document, again, unique) == errc::duplicate) ctx.failure = again.failure;
        }
        if (ctx.failure.line == 1) ctx.failure.column += from.columns;
        out.error = e == errc::duplicate ? repeated_error(ctx, to, document, from)
                                         : parse_error_of(ctx, e, document, from.offset, from.lines);
    };
    // What is wrong is looked for a second time, byte by byte.
    const auto explain = [&](json::reader& r) {
        if (!interruptible) {
            e = r.explain(e);
        } else {
            out.state = protect([&] { without_lock([&] { e = r.explain(e); }); });
        }
    };
    const json::read_dialect first_dialect = quick_dialect(options.granted);
    const bool once = options.build.calls();  // the user's code must not see values twice
    bool again = false;
    if (once) to.distrust();
    if (interruptible) to.give_way();
    {
        json::reader first(document, ctx, once ? options.granted : first_dialect);
        out.state = protect([&] {
            e = first.attempt(to);
            if (e == errc::ok) out.made = to.take();
        });
        again = !once && (e == errc::syntax || e == errc::trailing || e == errc::depth);
        if (out.state == 0 && e != errc::ok && !again) explain(first);
    }
    if (out.state == 0 && again) {
        to.clear();
        to.distrust();
        ctx.clear();
        json::reader second(document, ctx, options.granted);
        out.state = protect([&] {
            e = second.attempt(to);
            if (e == errc::ok) out.made = to.take();
        });
        if (out.state == 0 && e != errc::ok) explain(second);
    }
    if (out.state == 0 && e != errc::ok) out.state = protect(blame);
    to.release();
    return out;
}

VALUE parse_document(VALUE string, const parse_options& options) {
    // The user's code, and others that have their turn meanwhile, may change it under the reader.
    bool interruptible = false;
    string = unchangeable(string, long_document, options.build.calls(), interruptible);
    const bytes document(reinterpret_cast<const unsigned char*>(RSTRING_PTR(string)),
                         static_cast<std::size_t>(RSTRING_LEN(string)));
    const outcome out = read_document(document, options, {}, interruptible);
    RB_GC_GUARD(string);
    if (out.state != 0) [[unlikely]]
        rb_jump_tag(out.state);
    if (out.made == Qundef) [[unlikely]]
        rb_exc_raise(out.error);
    return out.made;
}

void init_parse(VALUE kumihimo) {
    const auto symbol = [](const char* name) { return ID2SYM(rb_intern(name)); };
    max_nesting = symbol("max_nesting");
    allow_nan = symbol("allow_nan");
    allow_trailing_comma = symbol("allow_trailing_comma");
    allow_comments = symbol("allow_comments");
    allow_control_characters = symbol("allow_control_characters");
    allow_invalid_escape = symbol("allow_invalid_escape");
    symbolize_names = symbol("symbolize_names");
    freeze = symbol("freeze");
    decimal_class = symbol("decimal_class");
    on_load = symbol("on_load");
    allow_duplicate_key = symbol("allow_duplicate_key");
    object_class = symbol("object_class");
    array_class = symbol("array_class");
    create_additions = symbol("create_additions");
    create_id = symbol("create_id");
    match_string = symbol("match_string");
    id_try_convert = rb_intern("try_convert");
    id_new = rb_intern("new");
    id_encode = rb_intern("encode");
    id_create_id = rb_intern("create_id");
    id_prepare = rb_intern("prepare");

    VALUE version = rb_const_get(rb_path2class("JSON"), rb_intern("VERSION"));
    const long json = version_number(StringValueCStr(version));
    old_stock = json < 21000;
    stock_transcodes = json >= 20800;
    stock_dialect = old_stock ? json::old_ruby_read : json::ruby_read;
    if (json < 21400) stock_dialect.surrogates = json::lone_surrogates::greedy;
    if (json < 21700) stock_dialect.unknown_escapes = true;
    // The pair that json 3 announces: comments only when they are asked for, and no key twice.
    if (json >= 30000) stock_dialect.comments = false;

    rb_define_singleton_method(kumihimo, "parse", RUBY_METHOD_FUNC(parse), -1);
}

}  // namespace kumihimo::inline v0::ruby
