#include "extract/split.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <utility>

#include "engine/json/locate.hpp"
#include "extract/binary.hpp"
#include "extract/shape.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::chrono::milliseconds patience{200};  // with a silent source, while something is at hand
constexpr const char* document_too_large =
    "a document is larger than the size limit; raise --max-size (document_size) if you trust the input";

}  // namespace

text_cutter::text_cutter(bytes text, cutting_rules rules, std::size_t limit, const binary_format* binary)
    : window_(text),
      limit_(limit),
      asked_(rules.text_layout),
      dialect_(rules.dialect),
      scanner_(rules),
      binary_(binary),
      last_(true) {}

text_cutter::text_cutter(byte_source& from, cutting_rules rules, std::size_t limit, const binary_format* binary)
    : from_(&from), limit_(limit), asked_(rules.text_layout), dialect_(rules.dialect), scanner_(rules), binary_(binary) {}

text_cutter::~text_cutter() = default;

// Makes the window at least `upto` bytes long, or as long as the source lasts. A piece that was handed out may still
// be in use, so the window's bytes move to a buffer of their own whenever it must grow. Reads until the window has
// `upto` bytes. wait::not_long: or until a silent source has used up the patience; for_more: the same, but not before
// there is more than there was. A source that always has something ready is never cut short.
errc text_cutter::fill(std::size_t upto, wait how, context& ctx) {
    if (last_ || window_.size() >= upto) return errc::ok;
    std::size_t used = window_.size();
    if (!buffer_ || static_cast<std::size_t>(chars(window_) - buffer_.get()) + upto > capacity_ || used == 0) {
        const std::size_t room = upto + upto / 8;
        char* p = new (std::nothrow) char[room];
        if (p == nullptr) return ctx.fail(errc::memory, 0, "no memory for the input");
        if (used != 0) std::memcpy(p, window_.data(), used);
        buffer_.reset(p);
        capacity_ = room;
        window_ = {reinterpret_cast<const unsigned char*>(p), used};
    }
    char* const begin = const_cast<char*>(chars(window_));  // the window lies in buffer_
    using clock = std::chrono::steady_clock;
    bool may_end = used != 0 && how == wait::not_long;
    clock::time_point until = clock::now() + patience;
    while (used < upto) {
        if (may_end) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now()).count();
            if (!from_->ready(static_cast<int>(std::max<decltype(left)>(left, 0)))) break;
        }
        std::size_t got = 0;
        context local;
        if (const errc e = from_->read(begin + used, upto - used, got, local); e != errc::ok) {
            pending_ = e;
            pending_failure_ = local.failure;
            last_ = true;
            break;
        }
        if (got == 0) {
            last_ = true;
            break;
        }
        used += got;
        if (!may_end) until = clock::now() + patience;
        may_end = true;
    }
    window_ = {reinterpret_cast<const unsigned char*>(begin), used};
    return errc::ok;
}

namespace {

// 0 when there is none. One thread cuts for all, and a text may be one line of gigabytes: so the fast search where
// there is one.
std::size_t behind_last_newline(bytes text) noexcept {
#ifdef __GLIBC__
    const void* const at = text.empty() ? nullptr : ::memrchr(text.data(), '\n', text.size());
    return at == nullptr ? 0 : static_cast<std::size_t>(static_cast<const unsigned char*>(at) - text.data()) + 1;
#else
    std::size_t n = text.size();
    while (n != 0 && text[n - 1] != '\n') --n;
    return n;
#endif
}

}  // namespace

void text_cutter::take(std::size_t n, piece& out) {
    out.text = window_.first(n);
    out.offset = done_;
    out.text_layout = scanner_.text_layout();
    out.binary = binary_;
    out.holder = buffer_;
    out.first = first_;
    out.lines_before = lines_before_;
    out.line_start = line_start_;
    first_ = false;
    if (binary_ != nullptr) {
        // It has no lines.
    } else if (const std::size_t behind = behind_last_newline(out.text); behind != 0)
        line_start_ = done_ + behind;
    done_ += n;
    window_ = window_.subspan(n);
}

// Says where in the text a failure at window_[at] is; its line counts from the window's start, which follows the last
// piece.
errc text_cutter::in_window(context& ctx, std::size_t at) {
    ctx.failure.offset = done_ + at;
    if (binary_ != nullptr) return ctx.failure.code;
    const json::place where = json::locate(window_, at);
    ctx.failure.line = where.line;
    ctx.failure.column = where.line == 1 ? ctx.failure.offset - line_start_ + 1 : where.column;
    return ctx.failure.code;
}

errc text_cutter::begin(context& ctx) {
    begun_ = true;
    if (binary_ == nullptr) {
        do {
            KUMIHIMO_TRY(fill(sniff_window, wait::for_more, ctx));
        } while (!marked() && !last_ && window_.size() < sniff_window &&
                 !(asked_ == layout::automatic ? sniffed_enough(window_, dialect_) : window_.size() > 2));
    }
    if (binary_ != nullptr) {
        // One byte more than is looked at: whether anything follows.
        for (wait how = wait::not_long; !last_ && window_.size() <= sniff_window && asked_ == layout::automatic &&
                                        (window_.empty() || !binary_layout_is_sure(*binary_, window_));
             how = wait::for_more)
            KUMIHIMO_TRY(fill(sniff_window + 1, how, ctx));
        scanner_ = scanner(layout::concatenated);
        binary_scanner_ = std::make_unique<binary_scanner>(*binary_, binary_layout(*binary_, window_, last_, asked_));
        return errc::ok;
    }
    // A mark is skipped here so that pieces need not look for one; offsets still count it.
    const std::size_t mark = window_.size() - without_mark(window_).size();
    window_ = window_.subspan(mark);
    line_start_ = done_ += mark;
    if (asked_ == layout::automatic)
        scanner_ = scanner({sniff_layout(window_, last_ && window_.size() < sniff_window, dialect_), dialect_});
    return errc::ok;
}

bool text_cutter::marked() { return (binary_ = binary_by_mark(window_)) != nullptr; }

errc text_cutter::next(std::size_t want, piece& out, context& ctx) {
    out.text = {};
    out.documents.clear();
    out.holder.reset();
    in_text_ = true;
    if (!begun_) KUMIHIMO_TRY(begin(ctx));
    const errc e = ended_                                    ? errc::ok
                   : scanner_.text_layout() == layout::lines ? cut_lines(want, out, ctx)
                                                             : cut_documents(want, out, ctx);
    if (e != errc::ok) {
        ended_ = true;
        pending_ = errc::ok;
        return e;
    }
    if (!out.text.empty()) return errc::ok;
    ended_ = true;
    if (pending_ != errc::ok) {
        in_text_ = pending_in_text_;
        ctx.failure = pending_failure_;
        return std::exchange(pending_, errc::ok);
    }
    return errc::ok;
}

errc text_cutter::cut_lines(std::size_t want, piece& out, context& ctx) {
    std::size_t size = want;
    for (wait how = wait::not_long;; how = wait::for_more) {
        KUMIHIMO_TRY(fill(size, how, ctx));
        if (window_.size() <= size && last_) {
            // The end of the text. If reading failed there, the unfinished last line is dropped: it is not a document
            // yet.
            std::size_t n = window_.size();
            if (pending_ != errc::ok) {
                while (n != 0 && window_[n - 1] != '\n') --n;
                // A container that is closed is whole even without its line's end.
                const bytes tail = trimmed(window_.subspan(n));
                if (!tail.empty() && (tail[0] == '{' || tail[0] == '[') && shape_of(tail) == shape::document)
                    n = window_.size();
            }
            if (n != 0) take(n, out);
            return errc::ok;
        }
        // At hand: the first newline behind the wanted size. Streamed: the last one before it, so that little is
        // carried over.
        std::size_t n = 0;
        if (from_ == nullptr) {
            n = std::min(find_newline(window_, size) + 1, window_.size());
            if (n - size > limit_) n = 0;  // first what stands before so long a line
        }
        if (n == 0) {
            const std::size_t within = std::min(size, window_.size());
            const void* p = ::memrchr(window_.data(), '\n', within);
            if (p != nullptr) n = static_cast<std::size_t>(static_cast<const unsigned char*>(p) - window_.data()) + 1;
        }
        if (n != 0) {
            take(n, out);
            return errc::ok;
        }
        if (window_.size() > limit_) return (ctx.fail(errc::size, 0, document_too_large), in_window(ctx, 0));
        if (window_.size() >= size) size *= 2;
    }
}

errc text_cutter::cut_documents(std::size_t want, piece& out, context& ctx) {
    std::size_t at = 0, size = want;
    for (wait how = wait::not_long;; how = wait::for_more) {
        KUMIHIMO_TRY(fill(size, how, ctx));
        for (;;) {
            span_of where;
            const std::size_t before = at;
            // Of mapped bytes all are at hand: the piece ends where enough documents are.
            const bool last = last_ && pending_ == errc::ok;
            const scanner::found said = binary_scanner_ ? binary_scanner_->next(window_, at, last, where, ctx)
                                                        : scanner_.next(window_, at, last, where, ctx);
            if (said == scanner::found::document) {
                if (where.length > limit_) {
                    ctx.fail(errc::size, 0, document_too_large);
                    in_window(ctx, where.offset);
                    if (out.documents.empty()) return errc::size;
                    pending_ = errc::size;
                    pending_failure_ = std::exchange(ctx.failure, {});
                    pending_in_text_ = ended_ = true;
                    take(before, out);
                    return errc::ok;
                }
                out.documents.push_back(where);
                if (at >= want) {
                    take(at, out);
                    return errc::ok;
                }
                continue;
            }
            if (said == scanner::found::more && last_)
                at = before;  // reading failed inside a document: it is lost, the rest counts
            if (said == scanner::found::fault) {
                if (out.documents.empty()) return in_window(ctx, at);
                // First what is good; the scanner stands where it was and will say the same again.
                ctx.clear();
            }
            if (said != scanner::found::more || last_) {
                if (at != 0 && !(said == scanner::found::end && out.documents.empty())) take(at, out);
                if (said == scanner::found::end || (said == scanner::found::more && last_)) ended_ = true;
                return errc::ok;
            }
            break;  // more
        }
        if (!out.documents.empty()) {
            take(at, out);
            return errc::ok;
        }
        if (window_.size() - at > limit_) return (ctx.fail(errc::size, 0, document_too_large), in_window(ctx, at));
        if (window_.size() >= size) size = window_.size() * 2;
    }
}

}  // namespace kumihimo::inline v0::extract
