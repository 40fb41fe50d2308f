#define ON_DEMAND_NAME on_demand_plain
#define ON_DEMAND_ISA "fallback"
#include "bench/on_demand_code.hpp"
