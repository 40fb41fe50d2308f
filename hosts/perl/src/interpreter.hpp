// What is kept for each interpreter (a thread has its own): the orders of keys, the keys seen lately, the immortals.
#pragma once
#include "guard.hpp"
#include "keys.hpp"
#include "order.hpp"

namespace kumihimo::inline v0::perl {

/// The newest release of Cpanel::JSON::XS whose answers are known. Also used when it is not installed.
inline constexpr unsigned newest_cpanel = 440;

/// Since when its answers are others; Kumihimo::JSON::Cpanel's manual has the same table.
inline constexpr unsigned cpanel_single_quote_escape = 437;  // \' with allow_singlequote
inline constexpr unsigned cpanel_empty_text = 437;           // an object's empty text is "", not null
inline constexpr unsigned cpanel_refuses_surrogates = 439;   // half a pair, in text that is read or written

struct interpreter {
    key_order order;
    key_cache keys;
    SV* v_true = nullptr;  // what JSON::PP's booleans refer to, counted, once they were asked for
    SV* v_false = nullptr;
    std::size_t last_size = 0;  // of a long document that was written, and some room
    // The Cpanel::JSON::XS that is installed, whose answers have changed with its releases: in hundredths, 439 for
    // 4.39.
    unsigned cpanel_release = newest_cpanel;
    bool cpanel_core_booleans = true;  // what it makes of perl's own booleans

    /// The running one's.
    static interpreter& here(pTHX);
    bool cpanel_since(unsigned release) const noexcept { return cpanel_release >= release; }
    /// JSON::PP::true or false, as a reference that is not the caller's.
    SV* boolean(pTHX_ bool b);
};

void init_interpreter(pTHX);

}  // namespace kumihimo::inline v0::perl
