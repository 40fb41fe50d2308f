// What each part adds to Perl when the extension is loaded: module.cpp calls them.
#pragma once
#include "guard.hpp"

namespace kumihimo::inline v0::perl {

void init_interpreter(pTHX);
void init_json(pTHX);
void init_mojo(pTHX);

}  // namespace kumihimo::inline v0::perl
