// Of document_source: a text at hand becomes documents.
#include <algorithm>
#include <cstring>

#include "extract/document_source.hpp"
#include "extract/entry_rules.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t tried_whole = 64 * 1024;   // longer texts are looked at before they are tried as one document
constexpr std::size_t longest_asked_for = 8192;  // of the line behind the one at hand

// What no other kind of file begins with.
bool surely_json(unsigned char c) { return c == '{' || c == '[' || c == '"'; }

// The search for a line's end would wait for each of these bytes.
void ask_for(bytes text) noexcept {
    for (std::size_t i = 0; i < text.size(); i += 64) __builtin_prefetch(text.data() + i, 0, 2);
}

}  // namespace

std::uint64_t document_source::newlines_in(bytes text) noexcept {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), static_cast<unsigned char>('\n')));
}

void document_source::begin_piece(const piece& p) {
    piece_ = &p;
    block_ = nullptr;
    text_ = p.text;
    base_ = p.offset;
    text_at_ = 0;
    counted_to_ = counted_lines_ = newlines_ = 0;
    mode_ = p.text_layout == layout::lines ? mode::lines : mode::listed;
    binary_ = p.binary;
}

// A text at hand. `of` and `at` say where faults that concern all of it lie.
document_source::begun document_source::begin_text(bytes t, report::scope of, std::uint64_t at, bool expanded) {
    piece_ = nullptr;
    block_ = nullptr;
    text_ = t;
    base_ = 0;
    counted_to_ = counted_lines_ = 0;
    const binary_format* const named = by_name();
    binary_ = named != nullptr ? named : binary_by_mark(t);
    if (binary_ != nullptr) return begin_binary(t, of, at, expanded);
    const bytes body = document_in(without_mark(t), how_.dialect.get());
    if (body.empty()) return begun::nothing;
    if (!surely_json(body[0])) [[unlikely]] {
        const char* why = "";
        const content is = sniff(t, why);
        if (packing_of(is) != packing::none && !expanded) return begin_packed(packing_of(is), t, of, at);
        if (is_archive(is) && opens()) return begin_archive(is, t, of);
        if (only_as_archive_ && !is_archive(is)) return passed_over();
        if (const char* const refused = not_opened(is, expanded, depth(), how_.nested, why))
            return refuse(errc::unsupported, at, refused, of);
    }
    if (only_as_archive_) return passed_over();
    document_ = body;  // if it is one
    offset_ = static_cast<std::uint64_t>(body.data() - t.data());
    layout_ = how_.rules(name()).text_layout;
    if (layout_ == layout::document) {
        mode_ = mode::single;
        return begun::open;
    }
    if (layout_ == layout::automatic && body[0] == '{' && body.size() <= tried_whole && !many_ && !sampled_ &&
        (!trusted_ || std::memchr(body.data(), '\n', body.size()) == nullptr)) {
        mode_ = mode::single;
        return begun::open;
    }
    look_inside();
    return begun::open;
}

const binary_format* document_source::by_name() const noexcept { return binary_by_name(how_.format, name()); }

document_source::begun document_source::begin_binary(bytes t, report::scope of, std::uint64_t at, bool expanded) {
    const char* why = "";
    content is = sniff(t, why);
    if (!expanded) is = binary_content(is, by_name(), name(), t, why);
    if (is == content::other && expanded) is = content::text;
    if (packing_of(is) != packing::none && !expanded) return begin_packed(packing_of(is), t, of, at);
    if (is_archive(is) && opens()) return begin_archive(is, t, of);
    if (only_as_archive_) return passed_over();
    if (const char* const refused = not_opened(is, expanded, depth(), how_.nested, why))
        return refuse(errc::unsupported, at, refused, of);
    if (t.empty()) return begun::nothing;
    binary_scanner_.emplace(*binary_, binary_layout(*binary_, t, true, how_.text_layout));
    text_at_ = 0;
    mode_ = mode::binary;
    return begun::open;
}

void document_source::look_inside() {
    tentative_ = false;
    at_.document = 0;
    cutting_rules rules{layout_, how_.dialect.get()};
    if (rules.text_layout == layout::automatic)
        rules.text_layout = sniff_layout(trimmed(without_mark(text_)), true, rules.dialect);
    scanner_.emplace(rules);
    text_at_ = text_.size() - without_mark(text_).size();
    mode_ = mode::scanned;
}

document_source::found document_source::next_in_text() {
    tentative_ = false;
    switch (mode_) {
        case mode::single:
            tentative_ = layout_ == layout::automatic;
            mode_ = mode::spent;
            return found::document;
        case mode::lines: return next_line();
        case mode::listed:
            if (text_at_ < piece_->documents.size()) {
                const span_of d = piece_->documents[text_at_++];
                document_ = text_.subspan(d.offset, d.length);
                offset_ = base_ + d.offset;
                return found::document;
            }
            if (binary_ != nullptr) break;
            newlines_ = newlines_in(text_);
            if (stream_) lines_before_ += newlines_;
            break;
        case mode::scanned: {
            span_of where;
            switch (scanner_->next(text_, text_at_, true, where, ctx_)) {
                case scanner::found::document:
                    document_ = text_.subspan(where.offset, where.length);
                    offset_ = where.offset;
                    return found::document;
                case scanner::found::fault:
                    fault_ = report_input(report::scope::document, here_.archive, here_.entry, ctx_.failure);
                    ctx_.clear();
                    fault_.line = line_at(fault_.offset);
                    fault_.column = column_at(fault_.offset);
                    many_ = at_.document > 1;
                    mode_ = mode::spent;
                    return found::fault;
                default: break;
            }
            many_ = at_.document > 1;
            break;
        }
        case mode::binary:
            switch (binary_scanner_->start(text_, text_at_, true, ctx_)) {
                case scanner::found::document:
                    document_ = text_.subspan(text_at_);
                    offset_ = text_at_;
                    bounded_ = false;
                    if (how_.text_layout == layout::document) find_end();
                    return found::document;
                case scanner::found::fault:
                    fault_ = report_input(report::scope::document, here_.archive, here_.entry, ctx_.failure);
                    ctx_.clear();
                    mode_ = mode::spent;
                    return found::fault;
                default: break;
            }
            break;
        case mode::block: {
            if (in_block_ == block_->lengths.size()) break;
            const auto n = static_cast<std::size_t>(block_->lengths[in_block_++]);
            document_ = text_.subspan(text_at_, n);
            offset_ = base_ + text_at_;
            text_at_ += n;
            if (binary_ == nullptr) document_ = trimmed(document_);
            return found::document;
        }
        default: break;
    }
    mode_ = mode::none;
    block_ = nullptr;
    return found::end;
}

// Of the binary document at hand, where nobody has said it.
void document_source::find_end() { bound(binary_scanner_->length(document_)); }

document_source::found document_source::next_line() {
    while (text_at_ < text_.size()) {
        const void* p = std::memchr(text_.data() + text_at_, '\n', text_.size() - text_at_);
        const std::size_t end =
            p == nullptr ? text_.size() : static_cast<std::size_t>(static_cast<const unsigned char*>(p) - text_.data());
        const std::size_t next = std::min(end + 1, text_.size()), line = end - text_at_;
        document_ = document_in(text_.subspan(text_at_, next - text_at_), how_.dialect.get());
        if (p != nullptr) ++newlines_;
        text_at_ = next;
        if (document_.empty()) continue;
        offset_ = base_ + static_cast<std::uint64_t>(document_.data() - text_.data());
        ask_for(text_.subspan(next, std::min({line, longest_asked_for, text_.size() - next})));
        return found::document;
    }
    if (stream_) lines_before_ += newlines_;
    mode_ = mode::none;
    return found::end;
}

// Counts on from where the last question left off.
std::uint64_t document_source::line_at(std::uint64_t offset) {
    if (block_ != nullptr) return block_->before + in_block_;
    const std::uint64_t inside = offset - base_;
    if (inside > counted_to_) {
        counted_lines_ += newlines_in(text_.subspan(counted_to_, inside - counted_to_));
        counted_to_ = inside;
    }
    return counted_lines_ + 1;
}

void document_source::relocate(report& r) const noexcept {
    if (piece_ == nullptr) return;
    // The first line of a piece began in an earlier one.
    if (r.line == 1 && r.offset >= piece_->line_start) r.column = r.offset - piece_->line_start + 1;
    if (stream_) r.line += lines_before_;
}

}  // namespace kumihimo::inline v0::extract
