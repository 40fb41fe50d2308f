// One value's verbs on their way into a cell: what a column holds as it comes is put there at once, everything else
// becomes JSON, which every column can judge.
//
//      column float64       i64 7         the cell                column string       str "a"      the cell
//                           str "7.5"     the text "7.5"                              map ...      the text {...}
#pragma once
#include <cmath>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/writer.hpp"
#include "extract/column.hpp"

namespace kumihimo::inline v0::extract {

class cell_sink {
public:
    explicit cell_sink(context& ctx) noexcept : ctx_(&ctx), to_(text_, ctx, json::compact) {}

    bool fails_into(const context& ctx) const noexcept { return ctx_ == &ctx; }

    /// The next value is for row `row` of this column, which has room for it.
    void begin(column& c, column_type as, std::size_t row) noexcept {
        column_ = &c;
        as_ = as;
        row_ = row;
        depth_ = 0;
        placed_ = false;
        text_.clear();
    }
    /// After the value: its JSON; empty where the cell has it.
    errc finish(std::string_view& text) {
        text = {};
        if (placed_) return errc::ok;
        bytes document;
        KUMIHIMO_TRY(to_.finish(document));
        text = {reinterpret_cast<const char*>(document.data()), document.size()};
        return errc::ok;
    }
    std::size_t capacity() const noexcept { return text_.capacity(); }
    void shrink(std::size_t keep) noexcept {
        if (text_.capacity() > keep) text_ = {};
    }

    errc null() {
        if (depth_ != 0) return to_.null();
        column_->put_null(row_);
        return done();
    }
    errc boolean(bool b) {
        if (!plain(column_type::boolean)) return say([&] { return to_.boolean(b); });
        column_->put(row_, b);
        return done();
    }
    errc i64(std::int64_t n) {
        if (plain(column_type::int64)) {
            column_->put(row_, n);
            return done();
        }
        // Up to 15 digits a double says every integer.
        if (plain(column_type::float64) && n < 1'000'000'000'000'000 && n > -1'000'000'000'000'000) {
            column_->put(row_, static_cast<double>(n));
            return done();
        }
        return say([&] { return to_.i64(n); });
    }
    errc u64(std::uint64_t n) {
        return say([&] { return to_.u64(n); });
    }
    errc f64(double x) {
        if (!plain(column_type::float64) || !std::isfinite(x)) return say([&] { return to_.f64(x); });
        column_->put(row_, x);
        return done();
    }
    errc big(text t) {
        return say([&] { return to_.big(t); });
    }
    errc str(text t) {
        if (!plain(column_type::string)) return say([&] { return to_.str(t); });
        // Readers of formats give text that is valid UTF-8.
        char* const to = column_->text_room(row_, t.size);
        if (to == nullptr) return say([&] { return to_.str(t); });  // and the column says so of the text
        std::memcpy(to, t.data, t.size);
        column_->put_text(row_, to + t.size);
        return done();
    }
    errc bin(bytes b) {
        return say([&] { return to_.bin(b); });
    }
    errc time(const instant& at) {
        return say([&] { return to_.time(at); });
    }
    errc ext(int type, bytes b) {
        return say([&] { return to_.ext(type, b); });
    }
    errc array(count n) {
        KUMIHIMO_TRY(say([&] { return to_.array(n); }));
        ++depth_;
        return errc::ok;
    }
    errc map(count n) {
        KUMIHIMO_TRY(say([&] { return to_.map(n); }));
        ++depth_;
        return errc::ok;
    }
    errc key(text t) { return to_.key(t); }
    errc key(next_value v) { return to_.key(v); }
    errc end() {
        --depth_;
        return to_.end();
    }

private:
    // Whether the value is a scalar for a column of that type.
    bool plain(column_type of) const noexcept { return depth_ == 0 && as_ == of; }
    errc done() noexcept {
        placed_ = true;
        return errc::ok;
    }
    template <class F>
    errc say(F verb) {
        if (depth_ == 0) to_.begin();
        return verb();
    }

    const context* ctx_;
    buffer text_;
    json::basic_writer<buffer> to_;
    column* column_ = nullptr;
    column_type as_ = column_type::json;
    std::size_t row_ = 0, depth_ = 0;
    bool placed_ = false;
};
static_assert(sink<cell_sink>);

}  // namespace kumihimo::inline v0::extract
