#include "engine/json/diagnose.hpp"

#include <cstring>
#include <new>
#include <vector>

#include "engine/core/path_text.hpp"
#include "engine/json/duplicates.hpp"
#include "engine/json/locate.hpp"
#include "engine/json/scan.hpp"
#include "engine/json/string.hpp"

namespace kumihimo::inline v0::json {
namespace {

constexpr std::size_t never = static_cast<std::size_t>(-1);

// One walk over a document by the grammar, byte by byte. It stops at the first byte that breaks a rule, or, when it
// was given a target, at the value or key that holds it, so that the stack says the path.
class walk {
public:
    walk(bytes document, const kumihimo::limits& limits, const read_dialect& granted, std::size_t from, std::size_t target)
        : d_(document), limits_(limits), granted_(granted), at_(from), target_(target) {
        if (granted.duplicates == duplicate_keys::error && target == never) {
            duplicates found;
            if (find_duplicates(document, from, granted, found) == errc::ok) again_ = found.first_again;
        }
    }

    errc document(extent wanted) {
        if (d_.size() > limits_.size) return fail(errc::size, limits_.size, "the document is larger than the size limit");
        if (at_ == 0 && starts_with("\xEF\xBB\xBF")) {
            if (!granted_.byte_order_mark)
                return fail(errc::syntax, at_, "a byte order mark before the document: remove these three bytes");
            at_ += 3;
        }
        if (errc e = other_encoding(); e != errc::ok) return e;
        if (errc e = space(); e != errc::ok) return e;
        if (at_ == d_.size()) return fail(errc::truncated, at_, "the document is empty");
        if (errc e = value(); e != errc::ok) return e;
        while (!frames_.empty()) {
            if (errc e = step(); e != errc::ok) return e;
            if (stopped_) return errc::ok;
        }
        if (wanted == extent::first || stopped_) return errc::ok;
        if (errc e = space(); e != errc::ok) return e;
        if (at_ == d_.size()) return errc::ok;
        const int c = peek();
        if (c == ']' || c == '}') return fail(errc::trailing, at_, "a closing bracket that nothing opened");
        if (c == ',') return fail(errc::trailing, at_, "a comma after the document");
        return fail(errc::trailing, at_, "something follows the document");
    }

    const kumihimo::failure& why() const { return why_; }

    std::string path() const {
        std::string out = "$", key;
        for (const frame& f : frames_) {
            if (!f.map) {
                add_index(out, f.index);
            } else if (f.key_end != 0) {
                // Half of a surrogate pair, which only a dialect lets in here, has no other spelling than U+FFFD; a
                // broken byte stays what it is.
                const char* const begin = reinterpret_cast<const char*>(d_.data());
                const char* const close = begin + f.key_end;
                key.resize(f.key_end - f.key + unescape_slack);
                const char* const end =
                    unescape(begin + f.key, close, close, key.data(), half_pair::replace, unknown_escape_of(granted_)).end;
                add_key(out, {key.data(), end == nullptr ? 0 : static_cast<std::size_t>(end - key.data())});
            }
        }
        return out;
    }

private:
    struct frame {
        bool map;
        std::size_t index = 0;    // of the value at hand, in an array
        std::size_t key = 0;      // first byte of the current key, in a map
        std::size_t key_end = 0;  // 0: no key yet
    };

    const char* here() const { return reinterpret_cast<const char*>(d_.data()) + at_; }
    const char* end() const { return reinterpret_cast<const char*>(d_.data()) + d_.size(); }
    std::size_t offset_of(const char* p) const { return at_ + static_cast<std::size_t>(p - here()); }
    int peek(std::size_t ahead = 0) const { return at_ + ahead < d_.size() ? d_[at_ + ahead] : -1; }
    bool starts_with(std::string_view s) const {
        return d_.size() - at_ >= s.size() && std::memcmp(d_.data() + at_, s.data(), s.size()) == 0;
    }
    errc fail(errc code, std::size_t offset, const char* what) {
        why_.code = code;
        why_.offset = offset;
        why_.what = what;
        return code;
    }
    // What to call a byte that ought not be there: the end of the input is a code of its own.
    errc unexpected(const char* what, const char* at_end) {
        if (at_ >= d_.size()) return fail(errc::truncated, d_.size(), at_end);
        const int c = peek();
        if (c >= 0x80 && scalar::decode_utf8(here(), end()).length == 0) return not_utf8(at_);
        if (c == '/' && (peek(1) == '/' || peek(1) == '*'))
            return fail(errc::syntax, at_, granted_.comments ? "a comment that is not closed" : "a comment: JSON has none");
        if (c == 0) return fail(errc::syntax, at_, "a zero byte outside a string");
        if (c < 0x20) return fail(errc::syntax, at_, "a control character outside a string");
        return fail(errc::syntax, at_, what);
    }

    errc other_encoding() {
        const int a = peek(), b = peek(1), c = peek(2), d = peek(3);
        const bool marked = (a == 0xFF && b == 0xFE) || (a == 0xFE && b == 0xFF);
        const bool every_second = (a > 0 && b == 0 && c > 0 && d == 0) || (a == 0 && b > 0 && c == 0 && d > 0);
        if (marked || every_second) return fail(errc::encoding, at_, "this looks like UTF-16 or UTF-32: JSON is UTF-8");
        return errc::ok;
    }

    errc space() {
        for (;;) {
            at_ = offset_of(skip_space(here(), end()));
            if (!granted_.comments || peek() != '/' || (peek(1) != '/' && peek(1) != '*')) return errc::ok;
            const char* const until = comment_end(here(), end(), granted_);
            if (!granted_.any_bytes) {  // in a comment that is not closed, too, a broken byte is the earlier fault
                const auto n = static_cast<std::size_t>((until == nullptr ? end() : until) - here());
                const std::size_t valid = scalar::utf8_valid_prefix(here(), n);
                if (valid != n) return not_utf8(at_ + valid);
            }
            if (until == nullptr)
                return fail(
                    errc::truncated, at_,
                    peek(1) == '/' ? "a comment is not closed: it needs a line feed behind it" : "a comment is not closed");
            at_ = offset_of(until);
        }
    }

    errc not_utf8(std::size_t offset) { return fail(errc::encoding, offset, "a byte that is not valid UTF-8"); }
    errc character() {
        const std::size_t n = d_[at_] < 0x80 ? 1 : scalar::decode_utf8(here(), end()).length;
        if (n == 0 && !granted_.any_bytes) return not_utf8(at_);
        at_ += n == 0 ? 1 : n;
        return errc::ok;
    }

    // Reads a scalar whole, or an opening bracket.
    errc value() {
        if (at_ >= target_) {
            stopped_ = true;
            return errc::ok;
        }
        const int c = peek();
        switch (c) {
            case '{':
            case '[':
                if (frames_.size() >= limits_.depth && !flat(c == '{' ? '}' : ']'))
                    return fail(errc::depth, at_, "nested deeper than the depth limit");
                frames_.push_back({.map = c == '{'});
                ++at_;
                fresh_ = true;
                return errc::ok;
            case '"': fresh_ = false; return string();
            case 't': return word("true");
            case 'f': return word("false");
            case 'n': return word("null");
            default: break;
        }
        fresh_ = false;
        if (c == '-' || is_digit(c)) return number();
        if (granted_.non_finite) {
            if (c == 'N') return word("NaN");
            if (c == 'I') return word("Infinity");
        }
        if (c == 'N' || c == 'I')
            return fail(errc::syntax, at_, "a word that JSON does not have: there is no NaN and no Infinity");
        if (c == '\'') return fail(errc::syntax, at_, "a single quote: strings are written in double quotes");
        if (c == '+') return fail(errc::syntax, at_, "a number cannot start with '+'");
        if (c == '.') return fail(errc::syntax, at_, "a number cannot start with '.': write 0 before it");
        if (is_letter(c)) return fail(errc::syntax, at_, "a word that is not true, false or null: text needs double quotes");
        if (!frames_.empty() && (c == ',' || c == ']' || c == '}')) {
            if (frames_.back().map) return fail(errc::syntax, at_, "the value of a key is missing");
            return fail(errc::syntax, at_, c == ',' ? "a value is missing before the comma" : "a value was expected");
        }
        return unexpected("a value was expected", "the document ends where a value was expected");
    }

    // Whether the container that opens here is one that the depth does not count.
    bool flat(int closer) {
        if (!granted_.flat_empty) return false;
        const std::size_t open = at_++;
        // A broken comment is the earlier fault.
        const bool empty = space() != errc::ok || peek() == closer || (granted_.comments && peek() == '/');
        at_ = open;
        return empty;
    }

    errc word(std::string_view w) {
        fresh_ = false;
        const char* const until = word_end(here(), end(), w);
        if (until == nullptr && w.starts_with({here(), d_.size() - at_}))
            return fail(errc::truncated, d_.size(), "the document ends inside a word");
        if (until == nullptr || runs_on(peek(w.size())))
            return fail(errc::syntax, at_, "a word that is not true, false or null: text needs double quotes");
        at_ = offset_of(until);
        return errc::ok;
    }

    errc number() {
        if (peek() == '-') {
            if (granted_.non_finite && peek(1) == 'I') {
                ++at_;
                return word("Infinity");
            }
            if (peek(1) == 'I' || peek(1) == 'N')
                return fail(errc::syntax, at_ + 1, "a word that JSON does not have: there is no NaN and no Infinity");
        }
        const std::size_t first = at_ + (peek() == '-' ? 1 : 0);
        const scanned_number n = scan_number(here(), end());
        at_ = offset_of(n.end);
        switch (n.missing) {
            case number_part::whole:
                return unexpected("a number needs a digit after its sign", "the document ends inside a number");
            case number_part::fraction:
                return unexpected("a number needs a digit after its point", "the document ends inside a number");
            case number_part::exponent:
                return unexpected("a number needs a digit in its exponent", "the document ends inside a number");
            case number_part::none: break;
        }
        if (d_[first] == '0' && at_ == first + 1) {
            if (is_digit(peek())) return fail(errc::syntax, at_, "a number cannot start with 0 and another digit");
            if (peek() == 'x' || peek() == 'X')
                return fail(errc::syntax, at_, "a hexadecimal number: JSON has decimal numbers only");
        }
        if (runs_on(peek())) return fail(errc::syntax, at_, "a character that does not belong in a number");
        return errc::ok;
    }

    // The value of the four digits of \uXXXX whose backslash is at `i`, or -1 with a failure.
    long unit(std::size_t i) {
        long v = 0;
        for (std::size_t k = i + 2; k < i + 6; ++k) {
            const int h = k < d_.size() ? detail::hex.digit[d_[k]] : -1;
            if (h < 0) {
                if (k >= d_.size())
                    fail(errc::truncated, string_, "a string is not closed");
                else
                    fail(errc::syntax, i, "\\u needs four hexadecimal digits");
                return -1;
            }
            v = v * 16 + h;
        }
        return v;
    }

    errc string() {
        string_ = at_++;
        for (;;) {
            const int c = peek();
            if (c < 0) return fail(errc::truncated, string_, "a string is not closed");
            if (c == '"') {
                ++at_;
                return errc::ok;
            }
            if (c == '\\') {
                if (errc e = escape(); e != errc::ok) return e;
            } else if (c < 0x20 && !granted_.control_characters) {
                return fail(errc::syntax, at_,
                            c == '\n' || c == '\r' ? "a line break inside a string: close the string or write \\n"
                                                   : "a control character inside a string: write it as \\u00XX");
            } else if (errc e = character(); e != errc::ok) {
                return e;
            }
        }
    }

    errc escape() {
        const int c = peek(1);
        if (c < 0) return fail(errc::truncated, string_, "a string is not closed");
        if (c != 'u') {
            const bool known = detail::escape.meaning[c] != 0;
            if (!known && granted_.unknown_escapes && (c >= 0x20 || (granted_.control_characters && c != 0))) {
                ++at_;
                return c >= 0x20 ? character() : (++at_, errc::ok);
            }
            if (!known)
                return fail(errc::syntax, at_, "an unknown escape: JSON has \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX");
            at_ += 2;
            return errc::ok;
        }
        const long first = unit(at_);
        if (first < 0) return why_.code;
        const lone_surrogates grant = granted_.surrogates;
        const bool lax = grant == lone_surrogates::low || grant == lone_surrogates::greedy;
        if (first < 0xD800 || first > 0xDFFF || grant == lone_surrogates::replace || grant == lone_surrogates::keep ||
            (lax && first >= 0xDC00)) {
            at_ += 6;
            return errc::ok;
        }
        if (grant == lone_surrogates::greedy) return other_half();
        if (first < 0xDC00 && peek(6) == '\\' && peek(7) == 'u') {
            const long second = unit(at_ + 6);
            if (second < 0) return why_.code;
            if (second >= 0xDC00 && second <= 0xDFFF) {
                at_ += 12;
                return errc::ok;
            }
        }
        return fail(errc::encoding, at_, "an escape for half a surrogate pair: U+D800 to U+DFFF are no characters");
    }

    // What lone_surrogates::greedy takes behind the escape for a first half.
    errc other_half() {
        const std::size_t half = at_;
        at_ += 6;
        for (std::size_t i = 0; i < 6; ++i) {
            // The closing quote is the first that is not escaped.
            const int c = peek(i);
            if (c < 0 || c == '"')
                return fail(errc::encoding, half, "an escape for half a surrogate pair: U+D800 to U+DFFF are no characters");
            if (c == '\\') ++i;
        }
        // A character is swallowed; of a control character string() knows whether it may stand there.
        if (peek() != '\\') return peek() < 0x20 ? errc::ok : character();
        return peek(1) == 'u' ? (unit(at_) < 0 ? why_.code : (at_ += 6, errc::ok)) : errc::ok;
    }

    // One step inside the innermost container: the next value with its key, or the closer.
    errc step() {
        if (errc e = space(); e != errc::ok) return e;
        const bool map = frames_.back().map;
        const char closer = map ? '}' : ']';
        const bool first = fresh_;
        fresh_ = false;
        if (at_ >= target_) {
            stopped_ = true;
            return errc::ok;
        }
        if (peek() == closer) {
            ++at_;
            frames_.pop_back();
            return errc::ok;
        }
        if (!first) {
            if (peek() != ',') {
                if (peek() == ']' || peek() == '}')
                    return fail(errc::syntax, at_, map ? "'{' is closed by ']'" : "'[' is closed by '}'");
                if (map) return unexpected("',' or '}' was expected after a value", "the document ends inside an object");
                return unexpected("',' or ']' was expected after a value", "the document ends inside an array");
            }
            ++at_;
            if (!map) ++frames_.back().index;
            if (errc e = space(); e != errc::ok) return e;
            if (peek() == closer) {
                if (!granted_.trailing_commas)
                    return fail(errc::syntax, at_, map ? "a trailing comma before '}'" : "a trailing comma before ']'");
                ++at_;
                frames_.pop_back();
                return errc::ok;
            }
        }
        if (!map) {
            if (first && at_ >= d_.size()) return fail(errc::truncated, at_, "the document ends inside an array");
            return value();
        }
        frames_.back().key_end = 0;
        if (peek() != '"') {
            if (peek() == ']') return fail(errc::syntax, at_, "'{' is closed by ']'");
            if (peek() == '\'') return fail(errc::syntax, at_, "a single quote: keys are written in double quotes");
            return unexpected("a key in double quotes was expected", "the document ends inside an object");
        }
        if (at_ == again_) return fail(errc::duplicate, at_, "a key that this object has already");
        const std::size_t open = at_;
        if (errc e = string(); e != errc::ok) return e;
        frames_.back().key = open + 1;
        frames_.back().key_end = at_ - 1;
        if (target_ < at_) {
            stopped_ = true;
            return errc::ok;
        }
        if (errc e = space(); e != errc::ok) return e;
        if (peek() != ':') return unexpected("':' was expected after a key", "the document ends after a key");
        ++at_;
        if (errc e = space(); e != errc::ok) return e;
        return value();
    }

    bytes d_;
    const kumihimo::limits& limits_;
    const read_dialect& granted_;
    std::size_t at_;
    std::size_t target_;
    std::size_t string_ = 0;     // opening quote of the string at hand
    std::size_t again_ = never;  // the key that makes the document refused for a duplicate
    bool fresh_ = false;         // a container was just opened
    bool stopped_ = false;
    std::vector<frame> frames_;
    kumihimo::failure why_;
};

}  // namespace

errc diagnose(bytes document, context& ctx, const read_dialect& granted, extent wanted, std::size_t from) {
    try {
        walk w(document, ctx.limits, granted, from, never);
        const errc code = w.document(wanted);
        if (code == errc::ok) return code;
        ctx.failure = w.why();
        const place found = locate(document, ctx.failure.offset);
        ctx.failure.line = found.line;
        ctx.failure.column = found.column;
        ctx.failure.path = w.path();
        shorten_path(ctx.failure.path);
        return code;
    } catch (const std::bad_alloc&) {
        ctx.failure = {};
        return ctx.fail(errc::memory, failure::nowhere, "out of memory while looking for what is wrong with the document");
    }
}

void describe(bytes document, context& ctx, const read_dialect& granted, std::size_t from, std::size_t offset) {
    ctx.failure.offset = offset;
    const place found = locate(document, offset);
    ctx.failure.line = found.line;
    ctx.failure.column = found.column;
    try {
        walk w(document, ctx.limits, granted, from, offset);
        w.document(extent::first);
        ctx.failure.path = w.path();
        shorten_path(ctx.failure.path);
    } catch (const std::bad_alloc&) {
        ctx.failure.path.clear();
    }
}

errc relocate(bytes document, context& ctx, const read_dialect& granted, std::size_t value) {
    const errc code = ctx.failure.code;
    if (code == errc::host || ctx.failure.offset == failure::nowhere) return code;
    const std::size_t offset = value + ctx.failure.offset;
    if (const errc first = diagnose(document, ctx, granted); first != errc::ok) return first;
    describe(document, ctx, granted, 0, offset);
    return code;
}

}  // namespace kumihimo::inline v0::json
