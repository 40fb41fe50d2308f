// simdjson's On-Demand parser, asked for the two fields of an exchange frame. Its headers choose their instruction set
// at compile time, so on_demand_<isa>.cpp include on_demand_code.hpp once each with the flags of theirs.
#pragma once
#include <simdjson.h>

#include <string_view>

namespace bench {

struct on_demand {
    const char* isa;
    void* (*open)();
    /// The raw tokens of last_price.price and timestamp; false when the parser refuses.
    bool (*fields)(void* parser, const simdjson::padded_string& frame, std::string_view& price, std::string_view& stamp);
    /// What the headers were compiled for.
    std::string (*compiled)();
};

extern const on_demand on_demand_icelake, on_demand_haswell, on_demand_plain;

}  // namespace bench
