// The end of a child is counted once. Two that see it at the same moment are one that is in the middle while the other
// does all of it: the question whether the owner is alive is the moment.
#include <doctest/doctest.h>

#include <set>

#include "../module/child_slots.hpp"

using namespace kumihimo::apache::child_slots;

namespace {

constexpr process first = process{7} << 32 | 100, second = process{8} << 32 | 200, third = process{9} << 32 | 300;

struct place {
    owner slot{first};
    number died{0};
    std::set<process> alive;

    auto asks() {
        return [this](process p) { return alive.contains(p & ~ended); };
    }
    /// The same, and somebody else acts between the answer and what comes of it.
    template <class Act>
    auto asks_while(Act act) {
        return [this, act, acted = false](process p) mutable {
            const bool is = alive.contains(p & ~ended);
            if (!acted) acted = true, act();
            return is;
        };
    }
};

}  // namespace

TEST_CASE("who died, who left, and who lives") {
    place p;
    see_end(p.slot, 100, p.died, p.asks());
    see_end(p.slot, 100, p.died, p.asks());
    CHECK(p.died == 1);
    p.alive = {second};
    CHECK(claim(p.slot, second, p.died, p.asks()));
    CHECK(p.died == 1);
    CHECK_FALSE(claim(p.slot, third, p.died, p.asks()));
    see_end(p.slot, 200, p.died, p.asks());  // another process has had that number
    see_end(p.slot, 100, p.died, p.asks());
    CHECK(p.died == 1);
    leave(p.slot);
    CHECK_FALSE(claim(p.slot, third, p.died, p.asks()));  // it is still on its way out
    p.alive = {third};
    see_end(p.slot, 200, p.died, p.asks());
    CHECK(claim(p.slot, third, p.died, p.asks()));
    CHECK(p.slot == third);
    CHECK(p.died == 1);
    place none;
    none.slot = 0;
    see_end(none.slot, 0, none.died, none.asks());
    CHECK(claim(none.slot, first, none.died, none.asks()));
    CHECK(none.died == 0);
}

TEST_CASE("the place is taken while the parent sees its owner's end") {
    place p;
    see_end(p.slot, 100, p.died, p.asks_while([&] {
        p.alive = {second};
        CHECK(claim(p.slot, second, p.died, p.asks()));
    }));
    CHECK(p.died == 1);
    CHECK(p.slot == second);  // and is not said to have ended
    see_end(p.slot, 200, p.died, p.asks());
    CHECK(p.died == 1);
    p.alive = {};
    see_end(p.slot, 200, p.died, p.asks());
    CHECK(p.died == 2);
}

TEST_CASE("the parent sees the end while the place is taken") {
    place p;
    p.alive = {second};
    CHECK(claim(p.slot, second, p.died, p.asks_while([&] { see_end(p.slot, 100, p.died, p.asks()); })));
    CHECK(p.died == 1);
    CHECK(p.slot == second);
}

TEST_CASE("two take one place") {
    place p;
    p.alive = {second, third};
    CHECK_FALSE(claim(p.slot, third, p.died, p.asks_while([&] { CHECK(claim(p.slot, second, p.died, p.asks())); })));
    CHECK(p.died == 1);
    CHECK(p.slot == second);
}

TEST_CASE("it leaves in order while the parent looks") {
    place p;
    see_end(p.slot, 100, p.died, p.asks_while([&] { leave(p.slot); }));
    CHECK(p.died == 0);
    CHECK(p.slot == (first | ended));
}
