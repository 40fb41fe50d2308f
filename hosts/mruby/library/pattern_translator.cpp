#include "pattern_translator.hpp"

#include <algorithm>

namespace kumihimo::inline v0::mruby::made {

bool translator::run() {
    while (at_ < in_.size() && to_.error == nullptr) {
        if (places_ != nullptr) places_->emplace_back(out_.size(), at_);
        step();
    }
    if (to_.error == nullptr && !groups_.empty()) fail("end pattern with unmatched parenthesis");
    if (to_.error == nullptr) out_.append(closers_, ')');
    return to_.error == nullptr;
}

void translator::step() {
    const char c = in_[at_];
    switch (c) {
        case '\\': return escape();
        case '[': {
            atom();
            ++at_;
            bool wide = false;
            out_ += set(0, wide);
            return;
        }
        case '(': return open();
        case ')': return close();
        case '{': return interval();
        case '*':
        case '+':
        case '?': {
            const std::size_t n = peek(1) == '?' || peek(1) == '+' ? 2 : 1;
            quantify(std::string(in_.substr(at_, n)));
            at_ += n;
            return;
        }
        case '|': no_atom(); break;
        case '^':
        case '$': atom(true); break;
        case '#':
            if (!extended_) {
                atom();
                break;
            }
            while (more() && in_[at_] != '\n') ++at_;
            return;
        default:
            if (static_cast<unsigned char>(c) >= 0x80) {
                atom();
                return literal(out_, plain_character());
            }
            if (!extended_ || std::string_view(" \n\t\r\f\v").find(c) == std::string_view::npos) atom();
            break;
    }
    out_ += c;
    ++at_;
}

void translator::quantify(const std::string& quantifier) {
    if (atom_ == nothing) return fail("target of repeat operator is not specified");
    if (enclose_) {
        if (++quantifiers_ > most_quantifiers) return fail("too many quantifiers, one behind the other");
        out_.insert(atom_, "(?:");
        out_ += ')';
        if (places_ != nullptr) {
            for (auto i = places_->rbegin(); i != places_->rend() && i->first > atom_; ++i) i->first += 3;
        }
    }
    out_ += quantifier;
    enclose_ = true;
}

void translator::interval() {
    std::size_t i = at_ + 1;
    const std::size_t low = i;
    while (i < in_.size() && is_digit(in_[i])) ++i;
    const bool has_low = i > low;
    bool has_high = false, comma = false;
    if (i < in_.size() && in_[i] == ',') {
        comma = true;
        const std::size_t high = ++i;
        while (i < in_.size() && is_digit(in_[i])) ++i;
        has_high = i > high;
    }
    if (i >= in_.size() || in_[i] != '}' || !(has_low || (comma && has_high))) {
        atom();
        out_ += "\\{";
        ++at_;
        return;
    }
    if (has_low && has_high) {
        const std::string_view both = in_.substr(low, i - low);
        const auto digits = [](std::string_view s) { return s.substr(std::min(s.find_first_not_of('0'), s.size())); };
        const std::string_view first = digits(both.substr(0, both.find(','))), second = digits(both.substr(both.find(',') + 1));
        if (first.size() > second.size() || (first.size() == second.size() && first > second))
            return fail("upper is smaller than lower in repeat range");
    }
    std::string quantifier = has_low ? "{" : "{0";
    quantifier += in_.substr(at_ + 1, i - at_);
    const bool lazy = comma && i + 1 < in_.size() && in_[i + 1] == '?';
    if (lazy) quantifier += '?';
    quantify(quantifier);
    at_ = i + (lazy ? 2 : 1);
}

void translator::push() {
    if (groups_.size() == most_groups_open) return fail("groups are nested too deeply");
    groups_.push_back({out_.size(), closers_, extended_});
    closers_ = 0;
    no_atom();
}

void translator::open() {
    if (ahead("(*")) return fail("target of repeat operator is not specified");
    if (!ahead("(?")) {
        push();
        out_ += '(';
        ++at_;
        return;
    }
    if (ahead("(?#")) {
        while (more() && in_[at_] != ')') at_ += in_[at_] == '\\' ? 2 : 1;
        if (!more()) return fail("end pattern in group");
        ++at_;
        return;
    }
    for (std::string_view same : {"(?<=", "(?<!", "(?=", "(?!", "(?>", "(?:"}) {
        if (!ahead(same)) continue;
        push();
        out_ += same;
        at_ += same.size();
        return;
    }
    if (ahead("(?<") || ahead("(?'")) {
        const char end = peek(2) == '<' ? '>' : '\'';
        at_ += 3;
        const std::string_view name = name_until(end);
        if (to_.error != nullptr) return;
        push();
        to_.names_groups = true;
        names_.push_back(name);
        out_ += "(?<";
        out_ += name;
        out_ += '>';
        return;
    }
    if (ahead("(?(")) {
        const std::size_t end = in_.find(')', at_ + 3);
        if (end == std::string_view::npos) return fail("invalid conditional pattern");
        const std::string_view what = in_.substr(at_ + 3, end - at_ - 3);
        for (const char c : what) {
            if (!is_letter_or_digit(c) && c != '_' && c != '<' && c != '>' && c != '\'') {
                return fail("invalid conditional pattern");
            }
        }
        push();
        out_ += "(?(";
        out_ += what;
        out_ += ')';
        at_ = end + 1;
        return;
    }
    if (ahead("(?~")) return fail("the absence operator (?~ ) is not supported");
    flags();
}

std::string_view translator::name_until(char end) {
    const std::size_t begin = at_;
    while (more() && in_[at_] != end) ++at_;
    const std::string_view name = in_.substr(begin, at_ - begin);
    if (!more()) return fail("invalid group name <>"), name;
    ++at_;
    bool good = !name.empty() && name.size() <= 32 && !is_digit(name.front());
    for (const char c : name) good = good && (is_letter_or_digit(c) || c == '_');
    if (!good) fail("invalid group name (letters, digits and _, 32 at most)");
    return name;
}

void translator::flags() {
    at_ += 2;
    std::string on = "(?";
    bool off = false, extended = extended_;
    for (; more(); ++at_) {
        const char c = in_[at_];
        if (c == '-') {
            if (off) return fail("undefined group option");
            off = true;
            on += '-';
        } else if (c == 'i') {
            on += 'i';
        } else if (c == 'm') {
            on += 's';
        } else if (c == 'x') {
            on += 'x';
            extended = !off;
        } else if (c != 'a' && c != 'u' && c != 'd') {
            break;
        }
    }
    if (!more()) return fail("end pattern in group");
    if (on.back() == '-') on.pop_back();
    if (in_[at_] == ':') {
        push();
        out_ += on;
        out_ += ':';
    } else if (in_[at_] == ')') {
        out_ += on;
        out_ += ':';
        ++closers_;
        no_atom();
    } else {
        return fail("undefined group option");
    }
    extended_ = extended;
    ++at_;
}

void translator::close() {
    if (groups_.empty()) return fail("unmatched close parenthesis");
    out_.append(closers_, ')');
    out_ += ')';
    ++at_;
    atom();
    atom_ = groups_.back().begin;
    closers_ = groups_.back().closers;
    extended_ = groups_.back().extended;
    groups_.pop_back();
}

}  // namespace kumihimo::inline v0::mruby::made

namespace kumihimo::inline v0::mruby {

bool translate(std::string_view ruby, unsigned options, bool utf8, translation& out,
               std::vector<std::pair<std::size_t, std::size_t>>* places) {
    out = {};
    return made::translator(ruby, options, utf8, out, places).run();
}

}  // namespace kumihimo::inline v0::mruby
