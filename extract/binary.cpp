#include "extract/binary.hpp"

#include "engine/core/pipe.hpp"
#include "engine/formats.hpp"
#include "engine/frame/frame.hpp"
#include "engine/json/prune.hpp"
#include "engine/json/writer.hpp"

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

// Reads what it leaves out.
class thorough_pruner : public json::pruning_writer {
public:
    using pruning_writer::pruning_writer;
    bool declines() const = delete;
    errc passed_over() = delete;
};
static_assert(!declining_sink<thorough_pruner>);

template <format F, class To>
errc lower_to(bytes document, To& to, context& ctx) {
    typename F::reader from(document, ctx);
    to.begin();
    bytes whole;
    return pipe(from, to, whole);
}

template <format F>
errc lower_of(bytes document, const json::plan* paths, care how, buffer& out, context& ctx) {
    if (paths == nullptr) {
        json::basic_writer<buffer> to(out, ctx, json::compact);
        return lower_to<F>(document, to, ctx);
    }
    if (how == care::all) {
        thorough_pruner to(out, ctx, *paths, json::compact);
        return lower_to<F>(document, to, ctx);
    }
    json::pruning_writer to(out, ctx, *paths, json::compact);
    return lower_to<F>(document, to, ctx);
}

template <format F>
constexpr binary_format row{F::name, [](bytes head) { return F::resembles(head) == likeness::certain; },
                            []() -> std::unique_ptr<document_ends> { return std::make_unique<ends_of<F>>(); }, lower_of<F>};

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
    if (const frame::codec* const packed = frame::by_ending(path)) path.remove_suffix(packed->ending.size());
    return binary_format_of(format_of_path(path));
}

const binary_format* binary_by_mark(bytes head) noexcept {
    return first_binary([head](const binary_format& f) { return f.certain(head); });
}

scanner::found binary_scanner::next(bytes text, std::size_t& at, bool last, span_of& where) {
    bool complete = false;
    if (at + scanned_ < text.size()) scanned_ += ends_->next(text.subspan(at + scanned_), complete);
    if (!complete) {
        if (!last) return scanner::found::more;
        if (scanned_ == 0) return scanner::found::end;
    }
    where = {at, scanned_};
    at += scanned_;
    scanned_ = 0;
    ends_->restart();
    return scanner::found::document;
}

}  // namespace kumihimo::inline v0::extract
