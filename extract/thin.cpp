#include "extract/thin.hpp"

#include <algorithm>
#include <cmath>

#include "engine/scalar/float_read.hpp"
#include "engine/scalar/time_text.hpp"
#include "extract/timestamp.hpp"

namespace kumihimo::inline v0::extract {

thinner::thinner(std::size_t width, std::int64_t first, std::int64_t last)
    : most_(2 * std::max<std::size_t>(width, 1)), first_(first), last_(last) {
    buckets_.reserve(most_ + 1);
}

void thinner::push(std::int64_t x, double y) {
    if (!std::isfinite(y)) {
        ++skipped_;
        return;
    }
    if (x < first_ || x > last_) {
        ++outside_;
        return;
    }
    ++seen_;
    const point p{x, y};
    const std::int64_t id = x >> shift_;
    if (recent_ >= buckets_.size() || buckets_[recent_].id != id) {
        const auto at = buckets_.empty() || buckets_.back().id < id
                            ? buckets_.end()
                            : std::lower_bound(buckets_.begin(), buckets_.end(), id,
                                               [](const bucket& b, std::int64_t wanted) { return b.id < wanted; });
        recent_ = static_cast<std::size_t>(at - buckets_.begin());
        if (at == buckets_.end() || at->id != id) {
            buckets_.insert(at, bucket{id, p, p, p, p});
            while (span() > most_) merge();
            return;
        }
    }
    bucket& b = buckets_[recent_];
    if (x < b.first.x) b.first = p;
    if (x >= b.last.x) b.last = p;
    if (y < b.low.y) b.low = p;
    if (y > b.high.y) b.high = p;
}

// Columns from the first to the last, the empty ones between them too: they are pixels as well.
std::uint64_t thinner::span() const noexcept {
    const std::uint64_t between =
        static_cast<std::uint64_t>(buckets_.back().id) - static_cast<std::uint64_t>(buckets_.front().id);
    return between == UINT64_MAX ? between : between + 1;
}

void thinner::merge() {
    ++shift_;
    std::size_t to = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        bucket b = buckets_[i];
        b.id >>= 1;
        if (to == 0 || buckets_[to - 1].id != b.id) {
            buckets_[to++] = b;
            continue;
        }
        bucket& a = buckets_[to - 1];  // b is to the right of it
        a.last = b.last;
        if (b.low.y < a.low.y) a.low = b.low;
        if (b.high.y > a.high.y) a.high = b.high;
    }
    buckets_.resize(to);
    recent_ = to;
}

namespace {

/// The moment that a verbatim column's text says, counted as its guess counts; false when it is another text.
bool moment(std::string_view text, const column_spec& as, std::int64_t& out) {
    if (text.size() > 2 && text.front() == '"') text = text.substr(1, text.size() - 2);
    instant t;
    if (scalar::read_time(text.data(), text.data() + text.size(), t) != errc::ok) return false;
    return cell_of(t, as.nanoseconds, out);
}

}  // namespace

errc thinner::push(const batch& rows, std::size_t x, std::size_t y) {
    const std::span<const column_spec> specs = rows.of().columns();
    if (y >= specs.size() || (x != batch::none && (x >= specs.size() || (specs[x].meaning().type != column_type::timestamp &&
                                                                         specs[x].meaning().type != column_type::int64))))
        return errc::misuse;
    const column_spec& s = specs[y];
    const column& values = rows.at(y);
    double scale = 1;
    for (unsigned k = 0; k < s.scale; ++k) scale *= 10;
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        const std::int64_t row = row_++;
        if ((x != batch::none && !rows.at(x).valid(r)) || !values.valid(r)) {
            ++skipped_;
            continue;
        }
        double v = std::nan("");
        switch (s.type) {
            case column_type::int64: v = static_cast<double>(values.i64(r)); break;
            case column_type::float64: v = values.f64(r); break;
            case column_type::boolean: v = values.boolean(r); break;
            case column_type::decimal:
                if (s.precision != 0) {
                    v = static_cast<double>(values.i128(r)) / scale;
                    break;
                }
                [[fallthrough]];
            default: {
                const std::string_view t = values.kind() == column::layout::text ? values.text(r) : std::string_view{};
                if (scalar::read_f64(t.data(), t.data() + t.size(), v) != errc::ok) v = std::nan("");
            }
        }
        std::int64_t at = row;
        if (x != batch::none && rows.at(x).kind() != column::layout::text) {
            at = rows.at(x).i64(r);
        } else if (x != batch::none && !moment(rows.at(x).text(r), specs[x].meaning(), at)) {
            ++skipped_;
            continue;
        }
        push(at, v);
    }
    return errc::ok;
}

std::vector<thinner::point> thinner::points() const {
    std::vector<point> out;
    out.reserve(buckets_.size() * 4);
    for (const bucket& b : buckets_) {
        point four[4] = {b.first, b.low, b.high, b.last};
        if (four[2].x < four[1].x) std::swap(four[1], four[2]);
        for (const point& p : four)
            if (out.empty() || out.back().x != p.x || out.back().y != p.y) out.push_back(p);
    }
    return out;
}

}  // namespace kumihimo::inline v0::extract
