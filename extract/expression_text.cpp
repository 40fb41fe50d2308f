#include "extract/expression_text.hpp"

#include <algorithm>
#include <array>

#include "engine/json/string.hpp"
#include "engine/scalar/utf8.hpp"
#include "extract/digits.hpp"
#include "extract/row_plan.hpp"

namespace kumihimo::inline v0::extract {

bool expression_text::alike(std::string_view word, std::string_view lower) noexcept {
    return word.size() == lower.size() && std::equal(word.begin(), word.end(), lower.begin(), [](char a, char b) {
               return (a >= 'A' && a <= 'Z' ? static_cast<char>(a | 0x20) : a) == b;
           });
}

bool expression_text::is_condition_word(std::string_view word) noexcept {
    constexpr std::array<std::string_view, 13> words = {"and", "or",      "not",    "is",  "null", "in",   "like",
                                                        "any", "matches", "exists", "all", "true", "false"};
    return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return alike(word, w); });
}

bool expression_text::is_text(const char* name) {
    const std::size_t good = scalar::utf8_valid_prefix(s_.data(), s_.size());
    if (good == s_.size()) return true;
    ok_ = false;
    why_ = std::string(what_) + ": " + name + " is not valid UTF-8, at byte " + std::to_string(good);
    return false;
}

// The mistake with its line and a mark below it.
void expression_text::refuse_at(std::size_t at, const std::string& what) {
    if (!ok_) return;
    ok_ = false;
    at = std::min(at, s_.size());
    const std::size_t before = at == 0 ? std::string_view::npos : s_.rfind('\n', at - 1);
    const std::size_t from = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = s_.substr(from, s_.find('\n', at) - from);
    const std::size_t column = scalar::utf8_length(s_.data() + from, at - from) + 1;
    why_ = std::string(what_) + " at ";
    if (const auto breaks = std::count(s_.begin(), s_.begin() + static_cast<std::ptrdiff_t>(at), '\n'); breaks != 0)
        why_ += "line " + std::to_string(breaks + 1) + ", ";
    why_ += "column " + std::to_string(column) + ": " + what + "\n  ";
    for (const char c : line) why_ += c == '\t' || c == '\r' ? ' ' : c;
    why_ += "\n  " + std::string(column - 1, ' ') + '^';
}

void expression_text::refuse_word(std::string_view word) {
    refuse(std::string(wanted) + ", not the word " + std::string(word) + "; a key of that name is quoted, [\"" +
           std::string(word) + "\"]");
}

std::string_view expression_text::word() const {
    std::size_t i = at_;
    while (i < s_.size() && name_byte(s_[i])) ++i;
    if (i < s_.size() && (s_[i] == '.' || s_[i] == '[')) return {};
    return s_.substr(at_, i - at_);
}

bool expression_text::take_word(std::string_view lower) {
    if (!alike(word(), lower)) return false;
    at_ += lower.size();
    skip();
    return true;
}

bool expression_text::take(std::string_view sign) {
    if (!s_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    skip();
    return true;
}

bool expression_text::take_boolean(bool& out) {
    for (const bool value : {true, false}) {
        if (!take_word(value ? "true" : "false")) continue;
        out = value;
        return true;
    }
    return false;
}

bool expression_text::too_deep(std::size_t depth) {
    if (depth <= most_depth) return false;
    refuse("the expression is more than " + std::to_string(most_depth) + " deep");
    return true;
}

bool expression_text::number(std::string& out) {
    const std::size_t from = at_;
    if (s_[at_] == '+') return refuse("a number is written without +"), false;
    while (at_ < s_.size() &&
           (digit(s_[at_]) || s_[at_] == '.' || s_[at_] == '-' || s_[at_] == '+' || s_[at_] == 'e' || s_[at_] == 'E')) {
        // A sign stands in front or behind an e.
        if ((s_[at_] == '-' || s_[at_] == '+') && at_ != from && (s_[at_ - 1] | 0x20) != 'e') break;
        ++at_;
    }
    out = s_.substr(from, at_ - from);
    if (!is_json_number(out) || (at_ < s_.size() && name_byte(s_[at_])))
        return refuse_at(from,
                         "a number is written as in JSON: 5, -0.5, 1e3; a key that begins with a digit is quoted, [\"5a\"]"),
               false;
    skip();
    return true;
}

bool expression_text::quoted(std::string& out) {
    const std::size_t from = at_;
    const char quote = s_[at_++];
    out.clear();
    if (quote == '\'') {
        for (;; ++at_) {
            if (at_ == s_.size()) return refuse_at(from, "a text is not closed"), false;
            if (s_[at_] != '\'') {
                out += s_[at_];
            } else if (s_.substr(at_ + 1).starts_with("'")) {
                out += s_[at_++];
            } else {
                break;
            }
        }
    } else {
        std::size_t close = at_;
        while (close < s_.size() && s_[close] != '"') close += s_[close] == '\\' ? 2 : 1;
        if (close >= s_.size()) return refuse_at(from, "a text is not closed"), false;
        const std::string_view inside = s_.substr(at_, close - at_);
        out.resize(inside.size() + json::unescape_slack);
        const char* const e = inside.data() + inside.size();
        const json::unescaped u = json::unescape(inside.data(), e, e, out.data(), json::half_pair::refuse);
        if (u.end == nullptr)
            return refuse_at(from, "an escape in this text is not JSON's; in '...' a text is taken as it stands"), false;
        out.resize(static_cast<std::size_t>(u.end - out.data()));
        at_ = close;
    }
    ++at_;
    if (at_ < s_.size() && (s_[at_] == '.' || s_[at_] == '['))
        return refuse_at(from, "a text has no members; a path that begins with a quoted key is [\"key\"].b"), false;
    skip();
    return true;
}

// From `at_` to where a path ends, which json::parse() then reads.
std::size_t expression_text::path_end() const {
    std::size_t i = at_;
    if (s_[i] == '/') {
        while (i < s_.size() && !blank(s_[i]) && std::string_view("()=<>!,").find(s_[i]) == std::string_view::npos) ++i;
        // It has no quotes, so a colon may belong to a key, but where what ends it is a type's name, as with fields.
        const std::string_view pointer = s_.substr(at_, i - at_);
        for (const std::string_view type : {":decimal", ":string"})
            if (pointer.ends_with(type)) return i - type.size();
        return i;
    }
    const auto behind_quotes = [&](std::size_t q) {
        const char quote = s_[q];
        for (++q; q < s_.size() && s_[q] != quote; ++q) q += s_[q] == '\\';
        return std::min(q + 1, s_.size());
    };
    bool first = true;  // or behind a point: a step begins
    while (i < s_.size()) {
        if (s_[i] == '[') {
            while (i < s_.size() && s_[i] != ']') i = s_[i] == '"' || s_[i] == '\'' ? behind_quotes(i) : i + 1;
            i = std::min(i + 1, s_.size());
        } else if (s_[i] == '.') {
            ++i;
            first = i == s_.size() || s_[i] != '"';
            if (!first) i = behind_quotes(i);
            continue;
        } else if (name_byte(s_[i]) || (first && (s_[i] == '*' || s_[i] == '~'))) {
            const bool sign = !name_byte(s_[i]);
            ++i;
            if (sign && i < s_.size() && s_[i] != '.' && s_[i] != '[') break;
        } else {
            break;
        }
        first = false;
    }
    return i;
}

bool expression_text::path(found_path& out) {
    const char c = ended() ? ' ' : s_[at_];
    if (!begins_path(c)) return refuse("a path is expected here"), false;
    const std::size_t from = at_;
    const std::string_view text = s_.substr(from, path_end() - from);
    out.text = text;
    context ctx;
    if (parse_column_path(text, out.dots, out.steps, ctx) != errc::ok) {
        const std::size_t inside = ctx.failure.offset == failure::nowhere ? 0 : ctx.failure.offset;
        return refuse_at(from + inside, ctx.failure.what), false;
    }
    out.printed = json::print(out.steps);
    at_ = from + text.size();
    if (at_ < s_.size() && s_[at_] == ':') {
        const std::size_t colon = at_++;
        const std::string_view type = word();
        out.as = type == "decimal" ? value_as::number : value_as::text;
        if (type != "decimal" && type != "string")
            return refuse_at(colon,
                             "values are taken as they are, as :decimal or as :string; a key with : is quoted, [\"a:b\"]"),
                   false;
        at_ += type.size();
    }
    skip();
    return true;
}

}  // namespace kumihimo::inline v0::extract
