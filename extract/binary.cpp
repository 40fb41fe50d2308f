#include "extract/binary.hpp"

#include <algorithm>

#include "engine/formats.hpp"
#include "engine/frame/frame.hpp"
#include "extract/cell_sink.hpp"
#include "extract/lower.hpp"

namespace kumihimo::inline v0::extract {
namespace {

template <format F>
class ends_of final : public document_ends {
public:
    std::size_t next(bytes chunk, bool& complete) override {
        const std::size_t n = state_.next(reinterpret_cast<const char*>(chunk.data()), chunk.size());
        complete = state_.complete;
        return n;
    }
    void restart() override { state_ = {}; }

private:
    typename F::boundary state_;
};

template <format F>
constexpr const auto& usual = *F::read_dialects[0].dialect;

template <format F>
errc lower_of(bytes document, const json::plan* paths, care how, buffer& out, context& ctx) {
    return lower_document<typename F::reader>(document, usual<F>, paths, how, out, ctx);
}

template <format F>
std::size_t place_of(bytes document, const json::plan& plan, std::uint32_t path, const limits& allowed) {
    return place_in_document<typename F::reader>(document, usual<F>, plan, path, allowed);
}

template <header_projecting_format F>
class projector_of final : public value_projector {
public:
    projector_of(const json::projection& what, json::level how) : projector_(what, how) {}
    errc run(bytes input, json::given what, context& ctx) override { return projector_.run(input, what, ctx); }
    std::size_t size() const noexcept override { return projector_.size(); }
    std::span<const json::slice> values(std::size_t i) const override { return projector_.values(i); }
    std::uint32_t blocked() const noexcept override { return projector_.blocked(); }
    errc give(json::slice value, cell_sink& to, context& ctx) override { return projector_.give(value, to, ctx); }
    bool is_array(json::slice value) const noexcept override { return projector_.is_array(value); }

private:
    typename F::projector projector_;
};

template <format F>
constexpr binary_format row_of() {
    binary_format f{F::name, [](bytes head) { return F::resembles(head) == likeness::certain; },
                    []() -> std::unique_ptr<document_ends> { return std::make_unique<ends_of<F>>(); }, lower_of<F>,
                    place_of<F>};
    if constexpr (header_projecting_format<F>) {
        f.project = [](const json::projection& what, json::level how) -> std::unique_ptr<value_projector> {
            return std::make_unique<projector_of<F>>(what, how);
        };
        f.length = F::projector::length;
        f.open = F::projector::open;
        f.closes = F::projector::closes;
    }
    return f;
}
template <format F>
constexpr binary_format row = row_of<F>();

// The first binary format that passes.
template <class Test>
const binary_format* first_binary(Test test) noexcept {
    const binary_format* found = nullptr;
    each_format([&](auto f) {
        using F = decltype(f);
        if constexpr (!F::is_text) {
            if (found == nullptr && test(row<F>)) found = &row<F>;
        }
    });
    return found;
}

}  // namespace

const binary_format* binary_format_of(std::string_view name) noexcept {
    return first_binary([name](const binary_format& f) { return f.name == name; });
}

bool is_format(std::string_view name) noexcept {
    return visit_format(name, [](auto) {});
}

const binary_format* binary_by_name(std::string_view stated, std::string_view path) noexcept {
    if (!stated.empty()) return binary_format_of(stated);
    if (const frame::codec* const packed = frame::by_ending(path, frame::readable())) path.remove_suffix(packed->ending.size());
    return binary_format_of(format_of_path(path));
}

const binary_format* binary_by_mark(bytes head) noexcept {
    return first_binary([head](const binary_format& f) { return f.certain(head); });
}

content binary_content(content is, const binary_format* named, std::string_view path, bytes head, const char*& why) noexcept {
    if (is != content::text && is != content::other) return is;
    if (named == nullptr) return is == content::other && binary_by_mark(head) != nullptr ? content::text : is;
    if (!head.empty() && frame::by_ending(path, frame::readable()) != nullptr && binary_by_mark(head) == nullptr) {
        why = "by its name this is compressed, by its bytes it is not: it is damaged, or its name is wrong";
        return content::other;
    }
    return content::text;
}

layout binary_layout(const binary_format& of, bytes text, bool whole, layout asked) {
    const bytes head = text.first(std::min(text.size(), sniff_window));
    whole = whole && head.size() == text.size();
    if (asked == layout::array && of.open != nullptr) return layout::array;
    if (asked == layout::document) return layout::document;
    if (asked != layout::automatic || of.open == nullptr) return layout::concatenated;
    if (of.open(head).is != opening::kind::array) return layout::concatenated;
    molds known;
    const std::size_t n = of.length(head, known);
    return n == 0 || (whole && n == head.size()) ? layout::array : layout::concatenated;
}

bool binary_layout_is_sure(const binary_format& of, bytes head) {
    constexpr std::size_t any_header = 64;
    if (of.open == nullptr) return true;
    molds known;
    const std::size_t n = of.length(head, known);
    if (of.open(head).is != opening::kind::array) return n != 0 || head.size() >= any_header;
    return n != 0 && n < head.size();
}

binary_scanner::binary_scanner(const binary_format& of, layout as)
    : of_(of), as_(as), place_(as == layout::array ? place::before : place::outside), ends_(of.ends()) {}

scanner::found binary_scanner::start(bytes text, std::size_t& at, bool last, context& ctx) {
    using found = scanner::found;
    const auto fault = [&](errc code, const char* what) {
        ctx.fail(code, at, what);
        return found::fault;
    };
    if (cut_) return found::end;
    if (place_ == place::before && at != text.size()) {
        array_ = of_.open(text.subspan(at));
        if (array_.is != opening::kind::array) {
            if (!last && !binary_layout_is_sure(of_, text.subspan(at))) return found::more;
            return fault(errc::syntax, "a top-level array was expected here");
        }
        at += array_.size;
        place_ = place::inside;
    }
    if (place_ == place::inside) {
        if (array_.open_ended ? at != text.size() && of_.closes(text.subspan(at)) : array_.count == 0) {
            at += array_.open_ended;
            place_ = place::after;
        } else if (at == text.size() && last) {
            return fault(errc::truncated, "the top-level array is not closed: the input is cut off");
        }
    }
    if (at == text.size()) return last ? found::end : found::more;
    if (place_ == place::after) return fault(errc::trailing, "what follows the top-level array is not read");
    return found::document;
}

void binary_scanner::ended(bool whole) noexcept {
    array_.count -= !array_.open_ended;
    scanned_ = 0;
    cut_ = cut_ || !whole;
    ends_->restart();
}

void binary_scanner::ended(bytes d, bool at_end) noexcept {
    ended(!at_end || of_.length == nullptr || of_.length(d, known_) != 0);
}

scanner::found binary_scanner::next(bytes text, std::size_t& at, bool last, span_of& where, context& ctx) {
    if (scanned_ == 0) {
        if (const scanner::found said = start(text, at, last, ctx); said != scanner::found::document) return said;
    }
    bool complete = false;
    if (as_ == layout::document) {
        scanned_ = text.size() - at;
        complete = last;
    } else {
        if (scanned_ == 0 && of_.length != nullptr) {
            scanned_ = of_.length(text.subspan(at), known_);
            complete = scanned_ != 0;
        }
        if (!complete && at + scanned_ < text.size()) scanned_ += ends_->next(text.subspan(at + scanned_), complete);
    }
    if (!complete && !last) return scanner::found::more;
    where = {at, scanned_};
    at += scanned_;
    ended(complete);
    return scanner::found::document;
}

std::size_t binary_scanner::length(bytes text) {
    if (as_ == layout::document) return text.size();
    if (of_.length != nullptr) {
        if (const std::size_t n = of_.length(text, known_); n != 0) return n;
    }
    bool complete = false;
    const std::size_t n = ends_->next(text, complete);
    cut_ = !complete;
    ends_->restart();
    return n;
}

}  // namespace kumihimo::inline v0::extract
