// What is kept for each interpreter (a thread has its own): the orders of keys, the keys seen lately, the immortals.
#pragma once
#include "guard.hpp"
#include "keys.hpp"
#include "order.hpp"

namespace kumihimo::inline v0::perl {

/// The last release whose answers are known; stands for none, too.
inline constexpr unsigned newest_cpanel = 440;

struct interpreter {
    key_order order;
    key_cache keys;
    SV* v_true = nullptr;  // what JSON::PP's booleans refer to, counted, once they were asked for
    SV* v_false = nullptr;
    std::size_t last_size = 0;  // of a long document that was written, and some room
    // The Cpanel::JSON::XS that is installed, whose answers have changed with its releases: in hundredths, 439 for 4.39.
    unsigned cpanel_release = newest_cpanel;
    bool cpanel_core_booleans = true;  // what it makes of perl's own booleans

    /// The running one's.
    static interpreter& here(pTHX);
    /// JSON::PP::true or false, as a reference that is not the caller's.
    SV* boolean(pTHX_ bool b);
};

void init_interpreter(pTHX);

}  // namespace kumihimo::inline v0::perl
