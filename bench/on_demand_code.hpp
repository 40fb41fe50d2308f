// The code of bench/on_demand.hpp; ON_DEMAND_NAME and ON_DEMAND_ISA are the including file's.
#include "bench/on_demand.hpp"

namespace bench {
namespace {

std::string_view trimmed(std::string_view s) {
    while (!s.empty() && static_cast<unsigned char>(s.back()) <= ' ') s.remove_suffix(1);
    return s;
}

void* open() { return new simdjson::ondemand::parser; }

bool fields(void* parser, const simdjson::padded_string& frame, std::string_view& price, std::string_view& stamp) {
    simdjson::ondemand::document doc;
    if (static_cast<simdjson::ondemand::parser*>(parser)->iterate(frame).get(doc)) return false;
    simdjson::ondemand::object object;
    if (doc.get_object().get(object)) return false;
    simdjson::ondemand::value v;
    if (object["last_price"]["price"].get(v)) return false;
    price = trimmed(v.raw_json_token());
    if (object["timestamp"].get(v)) return false;
    stamp = trimmed(v.raw_json_token());
    return true;
}

// Not builtin_implementation(): that function is the library's own, whatever these headers chose.
#define ON_DEMAND_TEXT(name) #name
#define ON_DEMAND_EXPAND(name) ON_DEMAND_TEXT(name)
std::string compiled() { return ON_DEMAND_EXPAND(SIMDJSON_BUILTIN_IMPLEMENTATION); }

}  // namespace

const on_demand ON_DEMAND_NAME{ON_DEMAND_ISA, open, fields, compiled};

}  // namespace bench
