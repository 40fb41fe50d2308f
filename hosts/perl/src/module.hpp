// What each part adds to Perl when the extension is loaded: module.cpp calls them.
#pragma once
#include "guard.hpp"

namespace kumihimo::inline v0::perl {

void init_interpreter(pTHX);
void init_json(pTHX);
void init_mojo(pTHX);
void init_instead(pTHX);
void init_instead_pp(pTHX);
void init_message_pack(pTHX);
void init_partial(pTHX);
void init_lazy(pTHX);
void init_stream(pTHX);
void init_any_format(pTHX);
void init_frames(pTHX);

}  // namespace kumihimo::inline v0::perl
