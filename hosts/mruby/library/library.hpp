// What scripts find beside mruby's own classes and the formats (src/module.hpp). Each part is defined by one function,
// in a file of its name.
//
// Those marked with a star need no VM, so that a plain mruby program can use them: kumihimo_mruby_define
// (library.cpp). What a VM asks for is declared in vm/vm.hpp.
#pragma once
#include "../src/guard.hpp"

namespace kumihimo::inline v0::mruby {

void define_regexp(mrb_state*);       // * Regexp, MatchData, String's methods with them
void define_uri(mrb_state*);          // * URI
void define_html(mrb_state*);         // * HTML.escape
void define_time(mrb_state*);         // * Time#iso8601, httpdate, strftime
void define_form(mrb_state*);         // * Query, Cookies and Multipart parsing
void define_rack(mrb_state*);         // * Rack::Utils
void define_comparisons(mrb_state*);  //   Integer#<=> and its kin    compare.cpp
void define_output(mrb_state*);       //   puts, print, p
void define_require(mrb_state*);      //   require, load

}  // namespace kumihimo::inline v0::mruby
