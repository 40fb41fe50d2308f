// The slow and exact reader: JSON by the grammar of JSON::XS 4.04, Cpanel::JSON::XS 4.35 or pure Mojo::JSON 9.31, with
// their relaxations, and their words and places for what is wrong.
//
// It runs when the engine's reader said no, or when options ask for what that has not. It decides: what it accepts is
// the value, and what it says is the error. Where the modules take something that is no text at all they are not
// followed: octets (`utf8`) must be UTF-8, without surrogates and nothing beyond U+10FFFF; the text of characters may
// hold what a Perl string can.
//
//      value                                    after a value
//        [ {        open a frame, go on           no frame            done, or "garbage after JSON object"
//        (          the frame of a tag            array, object       , next value or key    ] } close: it was a value itself
//        scalar     a verb, then ----------->     tag                 ) then the values of the tag, then THAW
//
// No recursion: what is open lies on a stack of frames in memory that Perl frees. A frame of C++ holds nothing that a
// jump would leak, and the sink must be such too, or be released by Perl.
#pragma once
#include <type_traits>

#include "engine/core/errc.hpp"
#include "engine/core/sink.hpp"
#include "exact_error.hpp"
#include "exact_frames.hpp"
#include "exact_hooks.hpp"
#include "exact_text.hpp"
#include "options.hpp"

namespace kumihimo::inline v0::perl {

/// A sink that makes Perl values and lets them be exchanged: what filters, tags and arrays of repeated keys need.
template <class B>
concept exchanging = sink<B> && requires(B b, SV* sv) {
    { b.object(sv) } -> std::same_as<errc>;
    { b.last() } -> std::same_as<SV*>;
    { b.take_last() } -> std::same_as<SV*>;
};

template <sink B>
class exact_reader {
public:
    exact_reader(pTHX_ const char* begin, const char* end, const json_options& o, B& to, SV* types, bool keep_bytes)
        : in_{begin, end, o, begin, keep_bytes}, to_(to), frames_(aTHX), slot_(types) {
#ifdef MULTIPLICITY
        this->my_perl = aTHX;
#endif
        watch_keys_ = !in_.mojo() && (!o.allow_dupkeys || gathers());
        filters_ = exchanging<B> && (o.filter_object != nullptr || o.filter_single != nullptr);
    }
    exact_reader(const exact_reader&) = delete;
    exact_reader& operator=(const exact_reader&) = delete;

    exact_result read(bool prefix) {
        exact_result r;
        if (!document(prefix, r)) {
            r.code = in_.code;
            r.what = in_.what;
            r.offset = static_cast<std::size_t>(in_.at - in_.begin);
            r.at_end = in_.at_end;
        }
        return r;
    }

private:
    using kind = exact_frames::kind;
    enum class next : std::uint8_t { value, done, failed };

    static constexpr const char* too_deep =
        "json text or perl structure exceeds maximum nesting level (max_depth set too low?)";

    bool gathers() const noexcept { return exchanging<B> && in_.o.dupkeys_as_arrayref; }

    bool document(bool prefix, exact_result& r) {
        if (in_.mojo()) {
            if (!mojo_text(r)) return false;
        } else if (in_.cpanel() && in_.word("\xEF\xBB\xBF", 3)) {
            in_.at += 3;
        }
        in_.skip();
        for (;;) {
            next n = value();
            while (n == next::done && !frames_.empty()) n = after();
            if (n == next::failed) return false;
            if (n == next::done) break;
        }
        r.end = static_cast<std::size_t>(in_.at - in_.begin);
        if (!prefix) {
            const char* const behind = in_.at;
            in_.skip();
            if (in_.at != in_.end) {
                return in_.mojo() ? in_.fail_mojo(behind, "Unexpected data", errc::trailing)
                                  : in_.fail("garbage after JSON object", errc::trailing);
            }
        }
        if (!in_.mojo() && !in_.o.allow_nonref && nonref()) {
            r.placed = false;
            return in_.fail(
                "JSON text must be an object or array (but found number, string, true, false or null, use allow_nonref to "
                "allow "
                "this)",
                errc::type);
        }
        return true;
    }

    /// Mojo looks at the encoding of the whole text before it reads.
    bool mojo_text(exact_result& r) {
        r.placed = false;
        if (in_.begin == in_.end) return in_.fail("Missing or empty input at offset 0", errc::truncated);
        if (in_.o.utf8) {
            for (const char* p = in_.begin; p < in_.end;) {
                const std::size_t n = static_cast<unsigned char>(*p) < 0x80 ? 1 : character(in_, p);
                if (n == 0) return in_.fail("Input is not UTF-8 encoded", errc::encoding);
                p += n;
            }
        }
        r.placed = true;
        return true;
    }

    bool nonref() {
        if constexpr (exchanging<B>)
            return is_nonref(aTHX_ to_.last());
        else
            return scalar_;
    }

    // ---- values

    next value() {
        scalar_ = true;
        switch (in_.peek()) {
            case '"':
            case '\'': return string_value();
            case '[': return array();
            case '{': return object();
            case '(': return tag();
            case 't':
                return in_.word("true", 4) ? constant(4, value_type::boolean, to_.boolean(true)) : unknown("'true' expected");
            case 'f':
                return in_.word("false", 5) ? constant(5, value_type::boolean, to_.boolean(false))
                                            : unknown("'false' expected");
            case 'n': return in_.word("null", 4) ? constant(4, value_type::null, to_.null()) : unknown("'null' expected");
            case '-':
            case '0':
            case '1':
            case '2':
            case '3':
            case '4':
            case '5':
            case '6':
            case '7':
            case '8':
            case '9': return number();
            default: return unknown("malformed JSON string, neither tag, array, object, number, string or atom");
        }
    }

    next unknown(const char* sentence) {
        // The end of the text is never "before end of data" here: the white space before it is behind already.
        in_.fail(in_.mojo() ? "Expected string, array, object, number, boolean or null" : sentence,
                 in_.at == in_.end ? errc::truncated : errc::syntax);
        return next::failed;
    }
    next wrong(const char* sentence, errc code = errc::syntax) {
        in_.fail(sentence, code);
        return next::failed;
    }
    next wrong_mojo(const char* place, const char* sentence, errc code = errc::syntax) {
        in_.fail_mojo(place, sentence, code);
        return next::failed;
    }
    /// What the sink answered to a verb.
    next answered(errc code) {
        if (code == errc::ok) [[likely]]
            return next::done;
        in_.fail(nullptr, code);
        return next::failed;
    }
    void type(value_type t) {
        if (slot_ != nullptr) [[unlikely]]
            sv_setiv_mg(slot_, static_cast<IV>(t));
    }
    next constant(int n, value_type t, errc code) {
        in_.at += n;
        type(t);
        return answered(code);
    }

    next string_value() {
        const char quote = *in_.at;
        if (quote == '\'' && (in_.mojo() || !in_.o.allow_singlequote))
            return unknown("malformed JSON string, neither tag, array, object, number, string or atom");
        ++in_.at;
        text t;
        if (!read_string(aTHX_ in_, quote, t)) return next::failed;
        type(value_type::string);
        return answered(to_.str(t));
    }

    next number() {
        const char* const begin = in_.at;
        json::number n;
        if (!read_number(aTHX_ in_, n)) return next::failed;
        const std::string_view digits(begin, static_cast<std::size_t>(in_.at - begin));
        type(digits.find_first_of(".eE") == digits.npos ? value_type::integer : value_type::number);
        switch (n.kind) {
            case json::number_kind::i64: return answered(to_.i64(n.i));
            case json::number_kind::u64: return answered(to_.u64(n.u));
            case json::number_kind::f64: return answered(to_.f64(n.f));
            default: return answered(to_.big({digits, encoding::ascii}));
        }
    }

    // ---- containers

    bool enter(kind is) {
        frames_.add(aTHX_ is);
        if (++depth_ <= in_.o.max_depth) [[likely]]
            return true;
        return in_.mojo() ? in_.fail_mojo(in_.at, "Nesting too deep", errc::depth) : in_.fail(too_deep, errc::depth);
    }
    /// The types of a container are a container.
    void type_container(SV* container) {
        sv_setsv_mg(slot_, sv_2mortal(newRV_noinc(container)));
        frames_.top().types = container;
    }

    next array() {
        ++in_.at;
        if (!enter(kind::array)) return next::failed;
        if (slot_ != nullptr) type_container(reinterpret_cast<SV*>(newAV()));
        if (const errc code = to_.array({}); code != errc::ok) return answered(code);
        in_.skip();
        if (in_.peek() == ']') return close();
        return element();
    }
    next element() {
        if (SV* const types = frames_.top().types; types != nullptr) {
            slot_ = newSV(0);
            av_push(reinterpret_cast<AV*>(types), slot_);
        }
        return next::value;
    }

    next object() {
        ++in_.at;
        if (!enter(kind::object)) return next::failed;
        if (slot_ != nullptr) type_container(reinterpret_cast<SV*>(newHV()));
        if (const errc code = to_.map({}); code != errc::ok) return answered(code);
        if (watch_keys_) {
            HV* const keys = newHV();
            frames_.keep(aTHX_ reinterpret_cast<SV*>(keys));
            frames_.top().keys = keys;
        }
        const char* const behind = in_.at;
        in_.skip();
        if (in_.peek() == '}') return close();
        return key(behind);
    }

    next close() {
        ++in_.at;
        auto& f = frames_.top();
        if (const errc code = to_.end(); code != errc::ok) return answered(code);
        if constexpr (exchanging<B>) {
            if (f.is == kind::object) {
                if (f.list != nullptr) gather_repeated(aTHX_ f.keys, to_.last());
                if (filters_) {
                    if (const errc code = to_.object(filtered(aTHX_ to_.take_last(), in_.o)); code != errc::ok)
                        return answered(code);
                }
            }
        }
        frames_.drop(aTHX);
        --depth_;
        scalar_ = false;
        return next::done;
    }

    // ---- keys

    /// The key that begins at `at`, up to its value. `behind` is where the white space before it began.
    next key(const char* behind) {
        const bool mojo = in_.mojo();
        const unsigned char c = in_.peek();
        text t;
        const char* place = nullptr;  // where a repeated key is told
        if (!mojo && in_.o.allow_barekey && c >= 'A' && c <= 'z') {
            place = in_.at;
            if (!bare_key(t)) return next::failed;
        } else {
            if (c != '"' && !(c == '\'' && !mojo && in_.o.allow_singlequote)) {
                if (mojo) return wrong_mojo(behind, "Expected string while parsing object");
                return wrong(in_.o.allow_singlequote ? "'\"' or ''' expected" : "'\"' expected");
            }
            const char* const begin = ++in_.at;
            if (!read_string(aTHX_ in_, static_cast<char>(c), t)) return next::failed;
            // Cpanel::JSON::XS tells a short plain key where it begins, others where they end.
            const bool plain = t.data == begin && t.charset == encoding::ascii && t.size < 24 && !in_.o.allow_singlequote &&
                               std::memchr(begin, '\t', t.size) == nullptr;
            place = plain ? begin : in_.at;
        }
        if (t.size > longest_key) return wrong("Hash key too large", errc::size);
        auto& f = frames_.top();
        if (f.keys != nullptr) [[unlikely]] {
            if (key_came(aTHX_ f.keys, t, gathers() ? &f.list : nullptr) && !in_.o.allow_dupkeys) {
                in_.fail_at(place, "Duplicate keys not allowed", errc::duplicate);
                return next::failed;
            }
        }
        if (f.types != nullptr) [[unlikely]] {
            slot_ = newSV(0);
            (void)hv_store(reinterpret_cast<HV*>(f.types), static_cast<const char*>(t.data), key_length(t), slot_, 0);
        }
        if (const errc code = to_.key(t); code != errc::ok) return answered(code);
        const char* const end = in_.at;
        in_.skip();
        if (in_.peek() != ':') return mojo ? wrong_mojo(end, "Expected colon while parsing object") : wrong("':' expected");
        ++in_.at;
        in_.skip();
        return next::value;
    }

    /// Cpanel's: whatever stands before white space, a colon or a quote.
    bool bare_key(text& t) {
        const char* const begin = in_.at;
        bool ascii = true;
        for (;;) {
            if (in_.at == in_.end) return in_.fail_at(in_.end + 1, "':' expected", errc::truncated);
            const unsigned char c = in_.peek();
            if (c == ':' || c == '"' || c == ' ' || c == '\n' || c == '\r' || c == '\t') break;
            if (c < 0x80) {
                ++in_.at;
                continue;
            }
            const std::size_t n = character(in_, in_.at);
            if (n == 0) return in_.fail("malformed UTF-8 character in JSON string", errc::encoding);
            ascii = false;
            in_.at += n;
        }
        t = {begin, static_cast<std::size_t>(in_.at - begin), ascii ? encoding::ascii : encoding::utf8};
        if (in_.peek() == '"') {
            ++in_.at;
        } else if (in_.peek() == ':' && in_.end - in_.at == 1) {
            return in_.fail_at(in_.end, "':' expected", errc::truncated);
        }
        return true;
    }

    // ---- tags

    next tag() {
        if (in_.mojo() || !in_.o.allow_tags)
            return unknown("malformed JSON string, neither array, object, number, string or atom");
        if constexpr (exchanging<B>) {
            // The modules do not count these, and crash when there are too many.
            if (tags_++ > in_.o.max_depth) return wrong(too_deep, errc::depth);
            ++in_.at;
            frames_.add(aTHX_ kind::tag);
            slot_ = nullptr;
            in_.skip();
            return next::value;
        } else {
            in_.fail("an object is made by Perl only", errc::unsupported);
            return next::failed;
        }
    }

    // ---- behind a value that is inside something

    next after() {
        auto& f = frames_.top();
        const char* const behind = in_.at;
        switch (f.is) {
            case kind::array:
                in_.skip();
                if (in_.peek() == ']') return close();
                if (in_.peek() != ',') {
                    return in_.mojo() ? wrong_mojo(behind, "Expected comma or right square bracket while parsing array")
                                      : wrong(", or ] expected while parsing array");
                }
                ++in_.at;
                in_.skip();
                if (in_.peek() == ']' && in_.o.relaxed && !in_.mojo()) return close();
                return element();
            case kind::object: {
                if constexpr (exchanging<B>) {
                    if (f.list != nullptr) av_push(f.list, SvREFCNT_inc_simple_NN(to_.last()));
                }
                in_.skip();
                if (in_.peek() == '}') return close();
                if (in_.peek() != ',') {
                    return in_.mojo() ? wrong_mojo(behind, "Expected comma or right curly bracket while parsing object")
                                      : wrong(", or } expected while parsing object/hash");
                }
                const char* const comma = ++in_.at;
                in_.skip();
                if (in_.peek() == '}' && in_.o.relaxed && !in_.mojo()) return close();
                return key(comma);
            }
            case kind::tag: return tag_value();
            case kind::tagged: return thaw();
        }
        return next::failed;
    }

    /// ("class"  was read: what is between it and the values.
    next tag_value() {
        if constexpr (exchanging<B>) {
            if (!SvPOK(to_.last())) return wrong("malformed JSON string, (tag) must be a string");
            in_.skip();
            if (in_.peek() != ')') return wrong(") expected after tag");
            ++in_.at;
            in_.skip();
            SV* const name = to_.take_last();
            frames_.keep(aTHX_ name);
            frames_.top().tag = name;
            frames_.top().is = kind::tagged;
            return next::value;
        } else {
            return next::failed;
        }
    }
    next thaw() {
        if constexpr (exchanging<B>) {
            SV* const values = sv_2mortal(to_.take_last());
            const char* what = nullptr;
            SV* const made = thawed(aTHX_ frames_.top().tag, values, what);
            if (made == nullptr) return wrong(what, errc::unsupported);
            frames_.drop(aTHX);
            --tags_;
            return answered(to_.object(made));
        } else {
            return next::failed;
        }
    }

#ifdef MULTIPLICITY
    PerlInterpreter* my_perl;
#endif
    exact_input in_;
    B& to_;
    exact_frames frames_;
    SV* slot_;  // gets the type of the next value, or null
    std::uint64_t depth_ = 0;
    std::uint64_t tags_ = 0;  // open ones
    bool watch_keys_ = false;
    bool filters_ = false;
    bool scalar_ = false;  // the value read last is no container
};

/// Reads the text, into `to`. `prefix`: something may follow the value. `types`: gets the types of the values, as
/// Cpanel::JSON::XS's decode gives them. `keep_bytes`: exact_input. May not return: callbacks, warnings, memory.
template <sink B>
exact_result exact_read(pTHX_ const char* begin, const char* end, const json_options& o, bool prefix, B& to,
                        SV* types = nullptr, bool keep_bytes = false) {
    static_assert(std::is_trivially_destructible_v<exact_reader<B>>);
    exact_reader<B> reader(aTHX_ begin, end, o, to, types, keep_bytes);
    return reader.read(prefix);
}

}  // namespace kumihimo::inline v0::perl
