#define ON_DEMAND_NAME on_demand_icelake
#define ON_DEMAND_ISA "icelake"
#include "bench/on_demand_code.hpp"
