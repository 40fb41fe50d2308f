// Of path_summary.hpp: the sink that goes through one document.
#include "engine/json/reader.hpp"
#include "engine/scalar/integer.hpp"
#include "extract/path_summary.hpp"

namespace kumihimo::inline v0::extract {

class summary_walk {
public:
    explicit summary_walk(path_summary& to) : to_(to) { to_.begin(); }

    errc null() { return seen(path_summary::kind::null); }
    errc boolean(bool b) {
        to_.show(to_.touch(at_, path_summary::kind::boolean), path_summary::kind::boolean, b ? "true" : "false");
        return errc::ok;
    }
    errc i64(std::int64_t n) {
        path_summary::node& here = to_.touch(at_, path_summary::kind::integer);
        here.seen.whole(n);
        if (here.examples.size() < path_summary::most_examples) [[unlikely]] {
            char room[scalar::integer_room];
            to_.keep(here, path_summary::kind::integer, {room, static_cast<std::size_t>(scalar::write_i64(room, n) - room)});
        }
        return errc::ok;
    }
    errc u64(std::uint64_t n) {
        path_summary::node& here = to_.touch(at_, path_summary::kind::integer);
        here.seen.add(evidence::huge_integer);
        to_.show(here, path_summary::kind::integer, std::to_string(n));
        return errc::ok;
    }
    // By the dialect below only -0.
    errc f64(double) {
        path_summary::node& here = to_.touch(at_, path_summary::kind::number);
        here.seen.add(evidence::fraction);
        to_.show(here, path_summary::kind::number, "-0");
        return errc::ok;
    }
    errc big(text lexeme) {
        const std::string_view written = lexeme.view();
        bool exponent = false;
        for (const char c : written) exponent |= (c | 0x20) == 'e';
        // Whole numbers that come so have more digits than this; and 15 are never too many for a double.
        if (written.size() <= 16 && !exponent) [[likely]] {
            path_summary::node& here = to_.touch(at_, path_summary::kind::number);
            here.seen.add(evidence::fraction);
            to_.show(here, path_summary::kind::number, written);
            return errc::ok;
        }
        const bool whole = !exponent && written.find('.') == written.npos;
        const path_summary::kind k = whole ? path_summary::kind::integer : path_summary::kind::number;
        path_summary::node& here = to_.touch(at_, k);
        here.seen.number(written);
        to_.show(here, k, written);
        return errc::ok;
    }
    errc str(text t) {
        path_summary::node& here = to_.touch(at_, path_summary::kind::string);
        if (!here.seen.shows(evidence::text)) here.seen.string(t.view());
        to_.show(here, path_summary::kind::string, t.view());
        return errc::ok;
    }
    // No document in JSON has these.
    errc bin(bytes) { return errc::unsupported; }
    errc time(const instant&) { return errc::unsupported; }
    errc ext(int, bytes) { return errc::unsupported; }
    errc key(next_value) { return errc::unsupported; }

    errc array(count) {
        to_.touch(at_, path_summary::kind::array);
        at_ = to_.element(at_);
        if (at_ == none) return errc::size;
        to_.open_.push_back({at_, none, 0});
        return errc::ok;
    }
    errc map(count) {
        to_.touch(at_, path_summary::kind::object);
        to_.open_.push_back({at_, 0, to_.position_});
        return errc::ok;
    }
    errc key(text t) {
        path_summary::frame& f = to_.open_.back();
        at_ = to_.member(f.node, f.next, t.view());
        if (at_ == path_summary::none) return errc::size;
        path_summary::node& n = to_.nodes_[at_];
        n.repeated += n.last > f.opened;
        return errc::ok;
    }
    errc end() {
        auto& open = to_.open_;
        open.pop_back();
        // Behind a value in an array comes the next one, behind one in an object a key.
        if (!open.empty() && open.back().next == none) at_ = open.back().node;
        return errc::ok;
    }

private:
    static constexpr std::uint32_t none = path_summary::none;
    errc seen(path_summary::kind k) {
        to_.touch(at_, k);
        return errc::ok;
    }

    path_summary& to_;
    std::uint32_t at_ = 0;  // where the next value stands
};
static_assert(sink<summary_walk>);

errc path_summary::observe(bytes document, context& ctx) {
    summary_walk to(*this);
    return json::reader(document, ctx, json::exact_decimals).feed(to);
}

}  // namespace kumihimo::inline v0::extract
