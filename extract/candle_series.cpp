#include "extract/candle_series.hpp"

#include <algorithm>
#include <cmath>

namespace kumihimo::inline v0::extract {

double number_at(const column& values, const column_spec& as, std::size_t row) noexcept {
    if (!values.valid(row)) return std::nan("");
    switch (as.type) {
        case column_type::int64: return static_cast<double>(values.i64(row));
        case column_type::float64: return values.f64(row);
        case column_type::decimal:
            if (as.precision != 0) return static_cast<double>(values.i128(row)) / std::pow(10.0, as.scale);
            break;
        default: break;
    }
    return std::nan("");
}

candle_series::candle_series(std::size_t width, std::int64_t length, std::vector<chart_role> roles, std::int64_t first,
                             std::int64_t last)
    : roles_(std::move(roles)),
      most_(2 * std::max<std::size_t>(width, 1)),
      length_(std::clamp<std::int64_t>(length, 1, INT64_MAX / 4)),
      least_(first),
      largest_(last) {}

void candle_series::push(const batch& rows) {
    const std::span<const column_spec> specs = rows.of().columns();
    const bool nano = specs[0].nanoseconds;
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        const std::int64_t cell = rows.at(0).i64(r), x = nano ? cell / 1000 - (cell % 1000 < 0) : cell;
        if (x < least_ || x > largest_) {
            ++outside_;
            continue;
        }
        if (rows_.empty()) first_ = x;
        // Days and months are not all of one length: the nearest number.
        const std::uint64_t after = static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(first_);
        const std::uint64_t number = (after + static_cast<std::uint64_t>(length_) / 2) / static_cast<std::uint64_t>(length_);
        rows_.push_back({x, number >> shift_, 1});
        for (std::size_t i = 0; i < roles_.size(); ++i) values_.push_back(number_at(rows.at(i + 1), specs[i + 1], r));
        const std::size_t last = rows_.size() - 1;
        if (shift_ != 0 && last != 0 && rows_[last].number == rows_[last - 1].number) {
            join(last - 1, last);
            rows_.pop_back();
            values_.resize(rows_.size() * roles_.size());
        }
        while (rows_.size() > most_) merge();
    }
}

void candle_series::merge() {
    ++shift_;
    std::size_t to = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        rows_[i].number >>= 1;
        if (to != 0 && rows_[to - 1].number == rows_[i].number) {
            join(to - 1, i);
            continue;
        }
        rows_[to] = rows_[i];
        std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(i * roles_.size()), roles_.size(),
                    values_.begin() + static_cast<std::ptrdiff_t>(to * roles_.size()));
        ++to;
    }
    rows_.resize(to);
    values_.resize(to * roles_.size());
}

// The later one becomes part of the earlier.
void candle_series::join(std::size_t to, std::size_t from) noexcept {
    row& a = rows_[to];
    const row& b = rows_[from];
    for (std::size_t i = 0; i < roles_.size(); ++i) {
        double& v = values_[to * roles_.size() + i];
        const double w = values_[from * roles_.size() + i];
        if (std::isnan(w)) continue;
        if (std::isnan(v)) {
            v = w;
            continue;
        }
        switch (roles_[i].is) {
            case chart_role::kind::open: break;
            case chart_role::kind::high: v = std::max(v, w); break;
            case chart_role::kind::low: v = std::min(v, w); break;
            case chart_role::kind::close: v = w; break;
            case chart_role::kind::bar: v += w; break;
            case chart_role::kind::value: {
                const auto before = static_cast<double>(a.weight), more = static_cast<double>(b.weight);
                v = (v * before + w * more) / (before + more);
            }
        }
    }
    a.weight += b.weight;
}

}  // namespace kumihimo::inline v0::extract
