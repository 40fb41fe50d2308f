// An expression's text becomes a tree, the tree a program over bytes.
#include "extract/regular_expression.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/scalar/utf8.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t most_depth = 100;       // groups in one another
constexpr std::uint32_t most_repeats = 1000;  // RE2's
constexpr std::uint32_t endless = 0xFFFFFFFF;
constexpr char32_t last_character = 0x10FFFF;

using range = std::pair<char32_t, char32_t>;
using ranges = std::vector<range>;

constexpr bool letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool word_byte(unsigned c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

// Sorted, and what touches is one.
ranges tidy(ranges all) {
    std::sort(all.begin(), all.end());
    ranges out;
    for (const range& r : all) {
        if (!out.empty() && r.first <= out.back().second + 1)
            out.back().second = std::max(out.back().second, r.second);
        else
            out.push_back(r);
    }
    return out;
}

ranges all_but(const ranges& these) {
    ranges out;
    char32_t from = 0;
    for (const range& r : tidy(these)) {
        if (r.first > from) out.emplace_back(from, r.first - 1);
        from = r.second + 1;
    }
    if (from <= last_character) out.emplace_back(from, last_character);
    return out;
}

ranges either_case(ranges all) {
    const std::size_t n = all.size();
    const auto add = [&](const range& r, char32_t first, char32_t last, int to) {
        const char32_t from = std::max(r.first, first), until = std::min(r.second, last);
        if (from <= until)
            all.emplace_back(static_cast<char32_t>(static_cast<int>(from) + to),
                             static_cast<char32_t>(static_cast<int>(until) + to));
    };
    for (std::size_t i = 0; i < n; ++i) {
        const range r = all[i];
        add(r, 'a', 'z', 'A' - 'a');
        add(r, 'A', 'Z', 'a' - 'A');
    }
    return all;
}

ranges named_class(char letter) {
    switch (letter | 0x20) {
        case 'd': return {{'0', '9'}};
        case 'w': return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
        default: return {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};  // s
    }
}

struct tree {
    enum class kind : std::uint8_t { characters, sequence, either, repeat, begins, ends, word_edge, no_word_edge };
    kind type = kind::sequence;
    ranges set;
    std::vector<std::uint32_t> parts;
    std::uint32_t least = 0, most = 0;
};

}  // namespace

class expression_compiler {
public:
    expression_compiler(std::string_view text, std::string& why, std::size_t& at) : s_(text), why_(why), where_(at) {}

    bool parse(std::uint32_t& root) {
        root = either(0);
        if (ok_ && at_ != s_.size()) refuse("there is a ) without its (");
        return ok_;
    }

    bool emit_all(std::uint32_t root, regular_expression& out) {
        program_ = &out.program_;
        out.program_.clear();
        const std::uint32_t end = add({regular_expression::instruction::kind::matched});
        out.start_ = emit(root, end);
        if (ok_) out.make_classes();
        return ok_;
    }

private:
    using instruction = regular_expression::instruction;

    void refuse(std::string why) { refuse_at(at_, std::move(why)); }
    void refuse_at(std::size_t at, std::string why) {
        if (!ok_) return;
        ok_ = false;
        where_ = at;
        why_ = std::move(why);
        at_ = s_.size();
    }
    bool next_is(std::string_view what) const noexcept { return s_.substr(at_).starts_with(what); }
    std::uint32_t put(tree t) {
        nodes_.push_back(std::move(t));
        return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    std::uint32_t put(tree::kind type) {
        tree t;
        t.type = type;
        return put(std::move(t));
    }
    std::uint32_t put(ranges set) {
        tree t;
        t.type = tree::kind::characters;
        t.set = tidy(std::move(set));
        return put(std::move(t));
    }

    char32_t character() {
        const scalar::decoded next = scalar::decode_utf8(s_.data() + at_, s_.data() + s_.size());
        at_ += next.length;
        return next.scalar;
    }

    std::uint32_t either(std::size_t depth) {
        const bool any_case = any_case_, dot_all = dot_all_;
        tree t;
        t.type = tree::kind::either;
        t.parts.push_back(sequence(depth));
        while (ok_ && next_is("|")) {
            ++at_;
            t.parts.push_back(sequence(depth));
        }
        any_case_ = any_case;
        dot_all_ = dot_all;
        return t.parts.size() == 1 ? t.parts[0] : put(std::move(t));
    }

    std::uint32_t sequence(std::size_t depth) {
        tree t;
        t.type = tree::kind::sequence;
        while (ok_ && at_ < s_.size() && s_[at_] != '|' && s_[at_] != ')') {
            bool nothing = false;
            const std::uint32_t one = atom(depth, nothing);
            if (!ok_) break;
            if (nothing) continue;
            t.parts.push_back(repeated(one));
        }
        return put(std::move(t));
    }

    // A {2,5} at hand; false where it is only a brace.
    bool counts(std::uint32_t& least, std::uint32_t& most) {
        std::size_t i = at_ + 1;
        const auto number = [&](std::uint32_t& n) {
            const std::size_t from = i;
            for (n = 0; i < s_.size() && digit(s_[i]); ++i)
                n = std::min(n * 10 + static_cast<std::uint32_t>(s_[i] - '0'), 100'000u);
            return i != from;
        };
        if (i < s_.size() && s_[i] == ',') {
            if (++i; number(most) && i < s_.size() && s_[i] == '}') refuse("write {0," + std::to_string(most) + "}");
            return false;
        }
        if (!number(least)) return false;
        most = least;
        if (i < s_.size() && s_[i] == ',') {
            ++i;
            if (!number(most)) most = endless;
        }
        if (i == s_.size() || s_[i] != '}') return false;
        if (least > most) refuse("the first number in braces is larger than the second");
        if (least > most_repeats || (most > most_repeats && most != endless))
            refuse("no more than " + std::to_string(most_repeats) + " repeats can be counted");
        at_ = i + 1;
        return ok_;
    }
    bool repeats(std::uint32_t& least, std::uint32_t& most) {
        if (at_ == s_.size()) return false;
        switch (s_[at_]) {
            case '*': least = 0, most = endless; break;
            case '+': least = 1, most = endless; break;
            case '?': least = 0, most = 1; break;
            case '{': return counts(least, most);
            default: return false;
        }
        ++at_;
        return true;
    }
    std::uint32_t repeated(std::uint32_t one) {
        tree t;
        t.type = tree::kind::repeat;
        if (!repeats(t.least, t.most)) return one;
        if (next_is("?")) ++at_;  // as few as will do: the same texts
        std::uint32_t least = 0, most = 0;
        const std::size_t again = at_;
        if (repeats(least, most)) refuse_at(again, "what is repeated is repeated again: put it in (?:...)");
        t.parts.push_back(one);
        return put(std::move(t));
    }

    std::uint32_t atom(std::size_t depth, bool& nothing) {
        const char c = s_[at_];
        switch (c) {
            case '(': return group(depth, nothing);
            case '[': return put(set());
            case '.': ++at_; return put(dot_all_ ? ranges{{0, last_character}} : all_but({{'\n', '\n'}}));
            case '^': ++at_; return put(tree::kind::begins);
            case '$': ++at_; return put(tree::kind::ends);
            case '*':
            case '+':
            case '?': refuse("there is nothing to repeat"); return 0;
            case '\\': return escape();
            default: break;
        }
        if (c == '{') {
            std::uint32_t least = 0, most = 0;
            const std::size_t from = at_;
            if (counts(least, most)) return refuse_at(from, "there is nothing to repeat"), 0;
            if (!ok_) return 0;
        }
        const char32_t one = character();
        return put(cased({{one, one}}));
    }
    ranges cased(ranges set) const { return any_case_ ? either_case(std::move(set)) : set; }

    std::uint32_t group(std::size_t depth, bool& nothing) {
        const std::size_t from = at_;
        if (depth == most_depth) return refuse("groups lie more than " + std::to_string(most_depth) + " deep"), 0;
        const bool any_case = any_case_, dot_all = dot_all_;
        ++at_;
        if (next_is("?=") || next_is("?!") || next_is("?<=") || next_is("?<!"))
            return refuse("looking ahead or behind is not known here: it cannot be done in one pass"), 0;
        if (next_is("?P<") || next_is("?<")) {
            const std::size_t close = s_.find('>', at_);
            if (close == std::string_view::npos) return refuse("the name of a group is not closed"), 0;
            at_ = close + 1;
        } else if (next_is("?")) {
            ++at_;
            bool on = true;
            for (; at_ < s_.size() && s_[at_] != ':' && s_[at_] != ')'; ++at_) {
                if (s_[at_] == '-')
                    on = false;
                else if (s_[at_] == 'i')
                    any_case_ = on;
                else if (s_[at_] == 's')
                    dot_all_ = on;
                else
                    return refuse("flags are i and s, (?i) (?s) (?i:...); groups begin with ( or (?:"), 0;
            }
            if (next_is(")")) {  // up to the end of the group around it
                ++at_;
                nothing = true;
                return 0;
            }
            if (at_ < s_.size()) ++at_;
        }
        const std::uint32_t inside = either(depth + 1);
        if (ok_ && !next_is(")")) refuse_at(from, "a group is not closed");
        if (ok_) ++at_;
        any_case_ = any_case;
        dot_all_ = dot_all;
        return inside;
    }

    // \n, \x41 and the like: the character behind a backslash that is no class. `at_` is behind the backslash.
    char32_t escaped() {
        if (at_ == s_.size()) return refuse("the expression ends behind a backslash"), 0;
        const char c = s_[at_];
        if (!letter(c) && !digit(c)) return character();
        ++at_;
        switch (c) {
            case 'n': return '\n';
            case 't': return '\t';
            case 'r': return '\r';
            case 'f': return '\f';
            case 'v': return '\v';
            case 'a': return '\a';
            case 'x': return hexadecimal();
            case 'p':
            case 'P': --at_, refuse("classes of Unicode are not known here: write the ranges, [à-ÿ]"); return 0;
            default: break;
        }
        --at_;
        refuse(digit(c) ? "a group that was found cannot be referred to: it cannot be done in one pass"
                        : std::string("\\") + c + " is not known here");
        return 0;
    }
    char32_t hexadecimal() {
        const bool braces = next_is("{");
        at_ += braces;
        char32_t c = 0;
        std::size_t n = 0;
        for (; at_ < s_.size() && n < (braces ? 8u : 2u); ++at_, ++n) {
            const char h = s_[at_], low = static_cast<char>(h | 0x20);
            if (digit(h))
                c = c * 16 + static_cast<char32_t>(h - '0');
            else if (low >= 'a' && low <= 'f')
                c = c * 16 + static_cast<char32_t>(low - 'a' + 10);
            else
                break;
        }
        if (n == 0 || (!braces && n != 2) || (braces && !next_is("}")) || c > last_character)
            return refuse("\\x takes two hexadecimal digits, or some in braces, \\x{10FFFF} at most"), 0;
        at_ += braces;
        return c;
    }

    std::uint32_t escape() {
        ++at_;
        if (at_ < s_.size()) {
            const char c = s_[at_];
            switch (c) {
                case 'd':
                case 'w':
                case 's': ++at_; return put(named_class(c));
                case 'D':
                case 'W':
                case 'S': ++at_; return put(all_but(named_class(c)));
                case 'b': ++at_; return put(tree::kind::word_edge);
                case 'B': ++at_; return put(tree::kind::no_word_edge);
                case 'A': ++at_; return put(tree::kind::begins);
                case 'z': ++at_; return put(tree::kind::ends);
                default: break;
            }
        }
        const char32_t one = escaped();
        return put(cased({{one, one}}));
    }

    ranges set() {
        const std::size_t from = at_++;
        const bool negated = next_is("^");
        at_ += negated;
        ranges all;
        for (bool first = true; ok_; first = false) {
            if (at_ == s_.size()) return refuse_at(from, "a [ is not closed"), all;
            if (s_[at_] == ']' && !first) break;
            if (next_is("[:")) return refuse("names of classes are not known here: write the ranges, [a-zA-Z]"), all;
            bool whole = false;
            const char32_t low = member(all, whole);
            if (!ok_ || whole) continue;
            char32_t high = low;
            if (next_is("-") && !next_is("-]") && at_ + 1 < s_.size()) {
                const std::size_t dash = at_++;
                high = member(all, whole);
                if (ok_ && (whole || high < low)) refuse_at(dash, "a range goes from one character up to another");
            }
            all.emplace_back(low, high);
        }
        if (ok_) ++at_;
        all = cased(std::move(all));
        return negated ? all_but(all) : all;
    }
    // One of a set; `whole`: a class such as \d, which was added.
    char32_t member(ranges& all, bool& whole) {
        if (s_[at_] != '\\') return character();
        ++at_;
        if (at_ < s_.size() && std::string_view("dwsDWS").find(s_[at_]) != std::string_view::npos) {
            const char c = s_[at_++];
            const ranges these = c >= 'a' ? named_class(c) : all_but(named_class(c));
            all.insert(all.end(), these.begin(), these.end());
            whole = true;
            return 0;
        }
        return escaped();
    }

    // ---- the program, from its end to its beginning

    std::uint32_t add(instruction i) {
        if (program_->size() == regular_expression::most_instructions)
            refuse_at(0, "the expression is too large: it says the same too many times, as in (x{1000}){1000}");
        if (!ok_) return 0;
        program_->push_back(i);
        return static_cast<std::uint32_t>(program_->size() - 1);
    }
    std::uint32_t fork(std::uint32_t a, std::uint32_t b) { return add({instruction::kind::fork, 0, 0, a, b}); }

    std::uint32_t emit(std::uint32_t n, std::uint32_t next) {
        // What is repeated may be empty, so instructions alone do not bound the work.
        if (++steps_ > 10 * regular_expression::most_instructions) refuse_at(0, "the expression is too large");
        if (!ok_) return 0;
        const tree& t = nodes_[n];
        switch (t.type) {
            case tree::kind::characters: return characters(t.set, next);
            case tree::kind::begins: return add({instruction::kind::begins, 0, 0, next, 0});
            case tree::kind::ends: return add({instruction::kind::ends, 0, 0, next, 0});
            case tree::kind::word_edge: return add({instruction::kind::word_edge, 0, 0, next, 0});
            case tree::kind::no_word_edge: return add({instruction::kind::no_word_edge, 0, 0, next, 0});
            case tree::kind::sequence:
                for (auto p = t.parts.rbegin(); p != t.parts.rend(); ++p) next = emit(*p, next);
                return next;
            case tree::kind::either: {
                std::uint32_t entry = emit(t.parts.back(), next);
                for (std::size_t i = t.parts.size() - 1; i-- > 0 && ok_;) entry = fork(emit(t.parts[i], next), entry);
                return entry;
            }
            case tree::kind::repeat: break;
        }
        std::uint32_t entry = next;
        if (t.most == endless) {
            entry = fork(0, next);
            const std::uint32_t body = emit(t.parts[0], entry);
            if (ok_) (*program_)[entry].next = body;
        } else {
            for (std::uint32_t k = t.least; k < t.most && ok_; ++k) entry = fork(emit(t.parts[0], entry), next);
        }
        for (std::uint32_t k = 0; k < t.least && ok_; ++k) entry = emit(t.parts[0], entry);
        return entry;
    }

    // One of these characters, as the bytes of UTF-8; what ends alike is shared.
    std::uint32_t characters(const ranges& set, std::uint32_t next) {
        shared_.clear();
        std::uint32_t entry = 0;
        bool any = false;
        for (const range& r : set) {
            split(r.first, r.second, [&](const unsigned char* low, const unsigned char* high, std::size_t n) {
                std::uint32_t at = next;
                while (n-- > 0) at = byte(low[n], high[n], at);
                entry = any ? fork(at, entry) : at;
                any = true;
            });
        }
        // None at all: a byte that no text has.
        return any ? entry : add({instruction::kind::byte, 0xFF, 0xFF, next, 0});
    }
    std::uint32_t byte(unsigned char low, unsigned char high, std::uint32_t next) {
        const std::uint64_t key = std::uint64_t{next} << 16 | static_cast<std::uint64_t>(low) << 8 | high;
        const auto [at, fresh] = shared_.try_emplace(key, 0);
        if (fresh) at->second = add({instruction::kind::byte, low, high, next, 0});
        return at->second;
    }
    // Cuts a range where its characters' bytes do not vary each by itself.
    template <class F>
    static void split(char32_t low, char32_t high, F&& give) {
        for (const char32_t last : {char32_t{0x7F}, char32_t{0x7FF}, char32_t{0xFFFF}}) {
            if (low > last || high <= last) continue;
            split(low, last, give);
            split(last + 1, high, give);
            return;
        }
        const std::size_t n = low < 0x80 ? 1 : low < 0x800 ? 2 : low < 0x10000 ? 3 : 4;
        for (std::size_t i = 1; i < n; ++i) {
            const char32_t mask = (char32_t{1} << (6 * i)) - 1;
            if ((low & ~mask) == (high & ~mask)) continue;
            if ((low & mask) != 0) {
                split(low, low | mask, give);
                split((low | mask) + 1, high, give);
                return;
            }
            if ((high & mask) != mask) {
                split(low, (high & ~mask) - 1, give);
                split(high & ~mask, high, give);
                return;
            }
        }
        unsigned char a[4], b[4];
        encode(low, n, a);
        encode(high, n, b);
        give(a, b, n);
    }
    static void encode(char32_t c, std::size_t n, unsigned char* to) noexcept {
        if (n == 1) {
            to[0] = static_cast<unsigned char>(c);
            return;
        }
        for (std::size_t i = n; i-- > 1; c >>= 6) to[i] = static_cast<unsigned char>(0x80 | (c & 0x3F));
        to[0] = static_cast<unsigned char>((n == 2 ? 0xC0 : n == 3 ? 0xE0 : 0xF0) | c);
    }

    std::string_view s_;
    std::string& why_;
    std::size_t& where_;
    std::size_t at_ = 0, steps_ = 0;
    bool ok_ = true, any_case_ = false, dot_all_ = false;
    std::vector<tree> nodes_;
    std::vector<instruction>* program_ = nullptr;
    std::map<std::uint64_t, std::uint32_t> shared_;
};

void regular_expression::make_classes() {
    std::array<bool, 257> begins{};  // a class
    bool words = false;
    for (const instruction& i : program_) {
        words = words || i.type == instruction::kind::word_edge || i.type == instruction::kind::no_word_edge;
        if (i.type == instruction::kind::byte) begins[i.low] = begins[i.high + std::size_t{1}] = true;
    }
    if (words) begins[0x80] = begins[0xC0] = true;
    for (unsigned c = 1; words && c < 256; ++c) begins[c] = begins[c] || word_byte(c) != word_byte(c - 1);
    classes_ = 0;
    for (std::size_t c = 0; c < 256; ++c) {
        if (c != 0 && begins[c]) ++classes_;
        class_of_[c] = classes_;
    }
    ++classes_;
}

errc regular_expression::compile(std::string_view text, regular_expression& out, std::string& why, std::size_t& at) {
    if (const std::size_t good = scalar::utf8_valid_prefix(text.data(), text.size()); good != text.size()) {
        why = "the expression is not valid UTF-8";
        at = good;
        return errc::misuse;
    }
    expression_compiler c(text, why, at);
    std::uint32_t root = 0;
    return c.parse(root) && c.emit_all(root, out) ? errc::ok : errc::misuse;
}

errc regular_expression::compile_like(std::string_view text, regular_expression& out, std::string& why, std::size_t& at) {
    std::string same = "(?s)^";
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '%' || c == '_') {
            same += c == '%' ? ".*" : ".";
            continue;
        }
        if (c == '\\') {
            if (++i == text.size()) {
                why = "the pattern ends behind a backslash";
                at = i - 1;
                return errc::misuse;
            }
            c = text[i];
        }
        const bool plain = letter(c) || digit(c) || static_cast<unsigned char>(c) >= 0x80;
        if (!plain) same += '\\';
        same += c;
    }
    return compile(same + '$', out, why, at);
}

}  // namespace kumihimo::inline v0::extract
