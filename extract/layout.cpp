// What a text is, by its first lines. One of them may be damaged, also the first, so none decides alone; only a first
// line that is a valid document does, because a live log must not wait for its second.
#include <algorithm>
#include <cstring>
#include <vector>

#include "extract/shape.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t most_lines = 17;  // the first line, and 16 more when it is no document

struct verdict {
    layout text_layout = layout::lines;
    bool sure = false;  // whatever follows
};

errc judge(bytes document, const dialect_reader* dialect) {
    context ctx;
    return judge(document, dialect, ctx);
}

struct line_of {
    std::size_t from, to;
    bool together = false;  // several valid documents on it, or a part of a valid one that spans lines
};

// What speaks for lines, and what for documents that brackets alone tell apart.
struct evidence_of {
    std::size_t single = 0;    // lines that are one document each
    std::size_t together = 0;  // lines as above
    std::size_t neither = 0;   // damaged, by either reading
    std::size_t elements = 0;  // of those, lines that end in a comma
    std::size_t documents = 0;
};

// Reads the text as concatenated documents and marks the lines that only make sense so. What is not valid is left at
// the end of its line.
void read_together(bytes text, bool whole, std::vector<line_of>& lines, const dialect_reader* dialect, evidence_of& seen) {
    std::size_t at = 0, line = 0;
    while (line < lines.size()) {
        at = skip_white(text, std::max(at, lines[line].from));
        if (at == text.size()) return;
        while (line < lines.size() && lines[line].to < at) ++line;
        if (line == lines.size()) return;
        json::boundary state;
        const std::size_t n = state.next(chars(text) + at, text.size() - at);
        const errc said = begins_value(text[at]) ? judge(text.subspan(at, n), dialect) : errc::syntax;
        std::size_t last = line;
        while (last + 1 < lines.size() && lines[last + 1].from < at + n) ++last;
        const bool spans = last != line;
        if (said == errc::ok) {
            ++seen.documents;
            // Two containers side by side, or a document over several lines.
            const std::size_t next = skip_white(text, at + n);
            const bool beside = next < lines[last].to && begins_value(text[next]) && at + n < lines[last].to;
            json::boundary after;
            const bool two =
                beside && judge(text.subspan(next, after.next(chars(text) + next, lines[last].to - next)), dialect) == errc::ok;
            if (spans || two)
                for (std::size_t i = line; i <= last; ++i) lines[i].together = true;
            at += n;
            continue;
        }
        // What is correct as far as the window goes may well be one long document.
        if (said == errc::truncated && !state.complete && !whole && spans) {
            for (std::size_t i = line; i < lines.size(); ++i) lines[i].together = true;
            return;
        }
        if (++line < lines.size()) at = lines[line].from;
    }
}

evidence_of weigh(bytes text, bool whole, std::vector<line_of>& lines, const dialect_reader* dialect) {
    evidence_of seen;
    read_together(text, whole, lines, dialect, seen);
    for (const line_of& l : lines) {
        if (l.together)
            ++seen.together;
        else if (shape_of(text.subspan(l.from, l.to - l.from)) == shape::document)
            ++seen.single;
        else {
            ++seen.neither;
            if (trimmed(text.subspan(l.from, l.to - l.from)).back() == ',') ++seen.elements;
        }
    }
    return seen;
}

verdict look(bytes head, bool whole, const dialect_reader* dialect) {
    if (head.size() >= sniff_window) {
        head = head.first(sniff_window);
        whole = false;
    }
    if (!whole && head.size() < 3 && !head.empty() && head[0] == 0xef) return {};  // perhaps a mark
    const bool full = head.size() == sniff_window;
    head = without_mark(head);
    const std::size_t start = skip_white(head, 0);
    if (start == head.size()) return {layout::lines, full};
    if (head[start] == 0x1e) return {layout::concatenated, true};
    const bool array = head[start] == '[';
    const std::size_t newline = find_newline(head, start);
    const bytes first = trimmed(head.subspan(start, newline - start));
    if (newline < head.size()) {
        if (array && first.size() == 1) return {layout::array, true};
        if (judge(first, dialect) == errc::ok) {
            // Arrays as lines, if there is more than one; else the one array's elements are the rows.
            if (array)
                return skip_white(head, newline) < head.size() ? verdict{layout::lines, true} : verdict{layout::array, full};
            return {layout::lines, true};
        }
    }
    std::vector<line_of> lines;
    std::size_t at = start, complete = 0;
    while (at < head.size() && complete < most_lines) {
        const std::size_t end = find_newline(head, at);
        if (!trimmed(head.subspan(at, end - at)).empty()) {
            lines.push_back({at, end});
            if (end != head.size()) ++complete;
        }
        at = std::min(end + 1, head.size());
    }
    verdict v;
    v.sure = full;
    if (complete == most_lines) {
        head = head.first(lines.back().to);
        whole = false;
        v.sure = true;
    }
    const evidence_of seen = weigh(head, whole, lines, dialect);
    const shape of_first = shape_of(head.subspan(lines[0].from, lines[0].to - lines[0].from));
    if (array) {
        const bytes all = trimmed(head.subspan(start));
        const errc said = judge(all, dialect);
        if (said == errc::ok || lines.size() == 1)
            v.text_layout = layout::array;
        else if (seen.single > seen.together && seen.single >= seen.neither &&
                 (said != errc::truncated || seen.single > seen.neither))
            v.text_layout = layout::lines;
        else if (seen.documents > 1 && seen.together >= seen.single && seen.together > seen.elements)
            v.text_layout = layout::concatenated;
        else
            v.text_layout = layout::array;
    } else if (seen.together != 0) {
        v.text_layout = seen.single > seen.together ? layout::lines : layout::concatenated;
    } else if (seen.single != 0) {
        // Of a document that spans lines at most every second line looks like one of its own.
        v.text_layout = seen.single >= seen.neither ? layout::lines : layout::concatenated;
    } else {
        v.text_layout = of_first == shape::unfinished || of_first == shape::more_behind ? layout::concatenated : layout::lines;
    }
    return v;
}

}  // namespace

layout sniff_layout(bytes head, bool whole, const dialect_reader* dialect) { return look(head, whole, dialect).text_layout; }

bool sniffed_enough(bytes head, const dialect_reader* dialect) { return look(head, false, dialect).sure; }

bytes without_mark(bytes text) noexcept {
    if (text.size() >= 3 && text[0] == 0xef && text[1] == 0xbb && text[2] == 0xbf) return text.subspan(3);
    return text;
}

bytes trimmed(bytes d) noexcept {
    std::size_t from = 0, to = d.size();
    while (from < to && white(d[from])) ++from;
    while (to > from && white(d[to - 1])) --to;
    return d.subspan(from, to - from);
}

bytes document_in(bytes d, const dialect_reader* dialect) noexcept {
    const bytes document = trimmed(d);
    if (document.empty() || dialect == nullptr || !dialect->comments()) return document;
    return d.subspan(static_cast<std::size_t>(document.data() - d.data()));
}

}  // namespace kumihimo::inline v0::extract
