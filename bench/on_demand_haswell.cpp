#define ON_DEMAND_NAME on_demand_haswell
#define ON_DEMAND_ISA "haswell"
#include "bench/on_demand_code.hpp"
