// What is kept for each interpreter (a thread has its own): the orders of keys, the keys seen lately, the immortals.
#pragma once
#include "guard.hpp"
#include "keys.hpp"
#include "order.hpp"

namespace kumihimo::inline v0::perl {

struct interpreter {
    key_order order;
    key_cache keys;
    SV* v_true = nullptr;  // what JSON::PP's booleans refer to, counted, once they were asked for
    SV* v_false = nullptr;
    std::size_t last_size = 0;         // of a long document that was written, and some room
    bool cpanel_core_booleans = true;  // what the Cpanel::JSON::XS that is installed makes of perl's own booleans

    /// The running one's.
    static interpreter& here(pTHX);
    /// JSON::PP::true or false, as a reference that is not the caller's.
    SV* boolean(pTHX_ bool b);
};

void init_interpreter(pTHX);

}  // namespace kumihimo::inline v0::perl
