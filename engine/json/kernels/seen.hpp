// What JSON's kernels see of JSON: their table, and the data that they work on. Every engine/json/kernels/<isa>.cpp
// includes this before its target region opens.
#pragma once
#include "engine/json/boundary.hpp"
#include "engine/json/element_shape.hpp"
#include "engine/json/escape_text.hpp"
#include "engine/json/index.hpp"
#include "engine/json/kernels.hpp"
#include "engine/json/plan.hpp"
#include "engine/simd/lanes.hpp"
