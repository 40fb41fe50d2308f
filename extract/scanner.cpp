// One document after the other, and how reading goes on after a damaged one.
//
// Brackets and quotes say where a document ends. In a damaged one they do not: a string that is left open, or a
// bracket too many, runs on into the documents behind it. So a document that spans lines, and inside which a line
// stands that looks as if a document began there, is judged. If it is not valid,
//
//      {"a":"x            <- the document, damaged
//      {"a":4}            <- begins a document
//      {"a":5}            <- begins a document; somewhere before it the error was found
//
// all up to the first such line behind the error is taken line by line: what is a whole document on its line is one,
// the rest is bad. Behind it reading goes on as before. Each byte is looked at a bounded number of times, whatever the
// damage.
#include <algorithm>
#include <cstring>
#include <string>

#include "extract/shape.hpp"

namespace kumihimo::inline v0::extract {
namespace {

bool string_over_lines(bytes document) noexcept {
    bool inside = false;
    for (std::size_t i = 0; i < document.size(); ++i) {
        if (document[i] == '"')
            inside = !inside;
        else if (document[i] == '\\')  // outside of strings too, as for the brackets
            ++i;
        else if (inside && document[i] == '\n')
            return true;
    }
    return false;
}

// The array is broken at text[at], and what stands behind is given up; how much that is, where all of it is at hand.
void give_up(bytes text, std::size_t at, bool last, errc code, const char* what, context& ctx) {
    ctx.fail(code, at, what);
    if (last) ctx.failure.path = std::to_string(text.size() - at) + (text.size() - at == 1 ? " byte" : " bytes");
}

}  // namespace

scanner::found scanner::next(bytes text, std::size_t& at, bool last, span_of& where, context& ctx) {
    switch (layout_) {
        case layout::lines: return line(text, at, last, where);
        case layout::array: return element(text, at, last, where, ctx);
        case layout::document: return all(text, at, last, where);
        default: return concatenated(text, at, last, where);
    }
}

scanner::found scanner::line(bytes text, std::size_t& at, bool last, span_of& where) {
    for (;;) {
        const std::size_t end = find_newline(text, at + scanned_);
        if (end == text.size() && !last) {
            scanned_ = end - at;
            return found::more;
        }
        scanned_ = 0;
        const std::size_t next = std::min(end + 1, text.size());
        const bytes document = document_in(text.subspan(at, next - at), dialect_);
        const std::size_t from = static_cast<std::size_t>(document.data() - text.data());
        at = next;
        if (!document.empty()) {
            where = {from, document.size()};
            return found::document;
        }
        if (at == text.size()) return last ? found::end : found::more;
    }
}

scanner::found scanner::all(bytes text, std::size_t& at, bool last, span_of& where) {
    if (!last) return found::more;
    const bytes document = document_in(text.subspan(at), dialect_);
    if (document.empty()) {
        at = text.size();
        return found::end;
    }
    where = {static_cast<std::size_t>(document.data() - text.data()), document.size()};
    at = text.size();
    return found::document;
}

// Passes white space over, and keeps how far the next byte is indented.
void scanner::skip(bytes text, std::size_t& at, bool separators) {
    for (; at < text.size() && (white(text[at]) || (separators && text[at] == 0x1e)); ++at) {
        if (text[at] == '\n') {
            indent_ = 0;
            fresh_ = true;
        } else if (fresh_) {
            ++indent_;
        }
    }
    if (!fresh_) indent_ = 0;
}

void scanner::reset() {
    scanned_ = 0;
    state_ = {};
    searched_ = suspect_ = 0;
    judged_ = 0;
    broken_ = sound;
    fresh_ = false;
}

scanner::examined scanner::by_line(std::size_t n) {
    reset();
    by_lines_ = n;
    alone_ = false;
    return examined::broken;
}

// Whether a document may begin at text[at], the first byte of its line; `alone`: it is whole, and alone on the line.
bool scanner::begins(bytes text, std::size_t at, std::size_t line_end, bool& alone) const {
    alone = false;
    if (text[at] == 0x1e) {
        alone = shape_of(text.subspan(at + 1, line_end - at - 1)) == shape::document;
        return true;
    }
    unsigned char behind = 0;
    const shape s = shape_of(text.subspan(at, line_end - at), &behind);
    const bool comma = layout_ == layout::array && behind == ',' && trimmed(text.subspan(at, line_end - at)).back() == ',';
    if (comma) {  // and nothing behind it
        const bytes line = trimmed(text.subspan(at, line_end - at));
        alone = shape_of(line.first(line.size() - 1)) == shape::document;
    }
    alone = alone || s == shape::document;
    return alone || s == shape::unfinished ||
           (s == shape::more_behind && (begins_value(behind) || comma || (layout_ == layout::array && behind == ']')));
}

// The first byte of the line that begins at `from`, if a document may begin there by its indentation and first byte;
// else npos.
std::size_t scanner::suspicious(bytes text, std::size_t from) const {
    std::size_t at = from;
    while (at < text.size() && at - from < indent_ && (text[at] == ' ' || text[at] == '\t')) ++at;
    if (at < text.size() && (text[at] == '{' || text[at] == '[' || text[at] == 0x1e)) return at;
    return npos;
}

// Looks for the end of the document at text[at]. What is at hand is looked at in growing steps, so that a document
// that never ends is found out before all of it has been read.
scanner::examined scanner::scan(bytes text, std::size_t at, bool last) {
    const std::size_t known = text.size() - at;
    for (;;) {
        const std::size_t upto = std::min(known, std::max(scanned_ * 2, first_step));
        if (!state_.complete) scanned_ += state_.next(chars(text) + at + scanned_, upto - scanned_);
        const bool end = upto == known;
        const examined said = examine(text, at, last, end && last);
        if (said == examined::broken) return said;
        if (said == examined::sound && (state_.complete || (end && last))) return said;
        if (end) return examined::later;
    }
}

// Whether a line that begins a document stands in it before the error.
bool scanner::swallowed(bytes known) const {
    for (std::size_t from = suspect_; from <= broken_ && from < known.size(); from = find_newline(known, from) + 1) {
        const std::size_t p = suspicious(known, from);
        bool alone = false;
        if (p != npos && p <= broken_ && begins(known, p, find_newline(known, p), alone)) return true;
    }
    return false;
}

// Judges the document of which scanned_ bytes are known, if its lines give a reason to.
scanner::examined scanner::examine(bytes text, std::size_t at, bool last, bool ended) {
    const bytes known = text.subspan(at, scanned_);
    while (searched_ < scanned_) {
        const std::size_t newline = find_newline(known, searched_);
        if (newline == scanned_) {
            searched_ = scanned_;
            break;
        }
        if (!state_.complete && !ended && newline + 1 + indent_ >= scanned_) break;  // what follows is not there yet
        if (suspect_ == 0 && suspicious(known, newline + 1) != npos) suspect_ = newline + 1;
        searched_ = newline + 1;
    }
    if (suspect_ == 0) return examined::sound;
    const bool all = state_.complete || ended;
    if (broken_ == sound && (all || scanned_ >= judged_)) {
        // As far as the last whole line: an end inside of a number or an escape would say nothing.
        std::size_t n = scanned_;
        while (!all && n != 0 && known[n - 1] != '\n') --n;
        context ctx;
        const errc said = n == 0 ? errc::truncated : judge(known.first(n), dialect_, ctx);
        if (said != errc::ok && (said != errc::truncated || state_.complete)) {
            broken_ = std::min<std::size_t>(ctx.failure.offset, scanned_);
            resumed_ = broken_ > indent_ ? broken_ - indent_ - 1 : 0;
            // Closed by its brackets, no string over several lines, and no document swallowed before the mistake: it
            // is bad by itself.
            if (state_.complete && !string_over_lines(known) && !swallowed(known)) return examined::sound;
        }
        judged_ = scanned_ * 2;
    }
    if (broken_ == sound) return examined::sound;
    // The first line from the error on that begins a document.
    for (;;) {
        const std::size_t newline = find_newline(known, resumed_);
        if (newline == scanned_) {
            if (state_.complete || !ended) return examined::sound;
            return by_line(scanned_);  // never closed, and nothing behind it: all of it
        }
        if (!all && newline + 1 + indent_ >= scanned_) return examined::later;
        const std::size_t from = newline + 1, p = suspicious(known, from);
        if (p != npos && p >= broken_) {
            const std::size_t end = find_newline(text, at + p);
            if (end == text.size() && !last) return examined::later;
            bool alone = false;
            if (begins(text, at + p, end, alone)) return by_line(from);
        }
        resumed_ = from;
    }
}

// The next record of the stretch that is taken line by line.
scanner::found scanner::salvage(bytes text, std::size_t& at, span_of& where) {
    const std::size_t behind = at + by_lines_;
    std::size_t from = at, to = behind, next = at;
    if (alone_) {
        to = std::min(find_newline(text, at), behind);
        next = std::min(to + 1, behind);
        alone_ = false;
        bytes line = trimmed(text.subspan(from, to - from));
        if (line[0] == 0x1e) line = trimmed(line.subspan(1));
        if (line.back() == ',') line = trimmed(line.first(line.size() - 1));
        where = {static_cast<std::size_t>(line.data() - text.data()), line.size()};
    }
    // As far as the next line that is a document.
    std::size_t line = next;
    if (next == at) line = std::min(find_newline(text, at) + 1, behind);
    while (line < behind) {
        const std::size_t end = std::min(find_newline(text, line), behind), p = suspicious(text.first(end), line);
        if (p != npos && begins(text, p, end, alone_) && alone_) break;
        line = std::min(end + 1, behind);
    }
    const bool was_document = next != at;
    if (was_document) {
        // What stands between is a record of its own, unless it is nothing.
        if (trimmed(text.subspan(next, line - next)).empty())
            next = line;
        else if (alone_)
            alone_ = false;
        at = next;
    } else {
        const bytes bad = trimmed(text.subspan(from, line - from));
        where = {static_cast<std::size_t>(bad.data() - text.data()), bad.size()};
        at = line;
    }
    by_lines_ = behind - at;
    if (by_lines_ == 0) {
        alone_ = false;
        fresh_ = true;
        indent_ = 0;
        place_ = place::element;
    }
    return found::document;
}

scanner::found scanner::concatenated(bytes text, std::size_t& at, bool last, span_of& where) {
    if (by_lines_ != 0) return salvage(text, at, where);
    if (scanned_ == 0) {
        skip(text, at, true);
        if (at == text.size()) return last ? found::end : found::more;
        if (!begins_value(text[at])) {
            // Nothing that a document can begin with: up to the end of the line it is one bad document, and the reader
            // says why.
            const std::size_t end = find_newline(text, at);
            if (end == text.size() && !last) return found::more;
            const bytes junk = trimmed(text.subspan(at, end - at));
            where = {at, junk.size()};
            at = end;
            fresh_ = false;
            return found::document;
        }
    }
    switch (scan(text, at, last)) {
        case examined::broken: return salvage(text, at, where);
        case examined::later: return found::more;
        case examined::sound: break;
    }
    where = {at, scanned_};
    if (!state_.complete) where.length = trimmed(text.subspan(at, scanned_)).size();
    at += scanned_;
    reset();
    return found::document;
}

scanner::found scanner::element(bytes text, std::size_t& at, bool last, span_of& where, context& ctx) {
    if (by_lines_ != 0) return salvage(text, at, where);
    for (;;) {
        if (scanned_ == 0) skip(text, at, false);
        if (at == text.size()) {
            if (!last) return found::more;
            if (place_ == place::after || place_ == place::before) return found::end;
            ctx.fail(errc::truncated, at, "the top-level array is not closed: the input is cut off");
            return found::fault;
        }
        const unsigned char c = text[at];
        switch (place_) {
            case place::before:
                if (c != '[') {
                    ctx.fail(errc::syntax, at, "a top-level array was expected here");
                    return found::fault;
                }
                ++at;
                fresh_ = false;
                place_ = place::first;
                continue;
            case place::behind:
                if (c != ',' && c != ']') {
                    give_up(text, at, last, errc::syntax,
                            "a comma or the end of the top-level array was expected here; what follows is not read", ctx);
                    return found::fault;
                }
                ++at;
                fresh_ = false;
                place_ = c == ',' ? place::element : place::after;
                continue;
            case place::after:
                give_up(text, at, last, errc::trailing,
                        "what follows the top-level array is not read (several arrays are one to a line)", ctx);
                return found::fault;
            case place::first:
                if (c == ']') {
                    ++at;
                    place_ = place::after;
                    continue;
                }
                [[fallthrough]];
            case place::element: break;
        }
        if (c == ',' || c == ']' || c == '}' || c == ':') {
            give_up(text, at, last, errc::syntax, "an element of the top-level array is missing here; what follows is not read",
                    ctx);
            return found::fault;
        }
        if (c == '{' || c == '[' || c == '"') {
            switch (scan(text, at, last)) {
                case examined::broken: return salvage(text, at, where);
                case examined::later: return found::more;
                case examined::sound: break;
            }
        } else {
            std::size_t end = at + scanned_;
            while (end < text.size() && !white(text[end]) && text[end] != ',' && text[end] != ']') ++end;
            scanned_ = end - at;
            if (end == text.size() && !last) return found::more;
        }
        where = {at, scanned_};
        at += scanned_;
        reset();
        place_ = place::behind;
        return found::document;
    }
}

}  // namespace kumihimo::inline v0::extract
