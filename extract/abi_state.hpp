// Of the C ABI: what its handles are, where more than one file needs to know.
#pragma once
#include <memory>

#include "engine/core/buffer.hpp"
#include "extract/abi.h"
#include "extract/fetch_list.hpp"

struct kumihimo_text {
    kumihimo::buffer bytes;
};
struct kumihimo_fetches {
    std::weak_ptr<kumihimo::extract::fetch_list> of;
};
