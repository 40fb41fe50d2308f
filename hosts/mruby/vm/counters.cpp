#include "counters.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

counters unwatched;
std::atomic<counters*> now_counting{&unwatched};

void move(std::atomic<std::uint64_t>& from, std::atomic<std::uint64_t>& to) noexcept {
    add(to, from.exchange(0, std::memory_order_relaxed));
}

}  // namespace

void count_into(counters* to) noexcept {
    counters* const from = now_counting.exchange(to);
    if (from == to) return;
    for (const auto member : counters::all) move(from->*member, to->*member);
}

counters& counted() noexcept { return *now_counting.load(std::memory_order_relaxed); }

void count_end(outcome::kind ending) noexcept {
    counters& c = counted();
    switch (ending) {
        case outcome::kind::returned: return;
        case outcome::kind::raised: return add(c.raised, 1);
        case outcome::kind::syntax: return add(c.syntax, 1);
        case outcome::kind::unreadable: return add(c.unreadable, 1);
        case outcome::kind::expired: return add(c.expired, 1);
        case outcome::kind::exhausted: return add(c.exhausted, 1);
        case outcome::kind::crashed: return add(c.crashed, 1);
        case outcome::kind::unmade: return add(c.unmade, 1);
    }
}

}  // namespace kumihimo::inline v0::mruby
