// What every VM's scripts find beside mruby's own classes. Each part is defined by one function, in a file of its name.
//
// Those marked with a star need no VM, so that a plain mruby program can use them: kumihimo_mruby_define (mruby/module.cpp).
#pragma once
#include "../mruby/guard.hpp"

namespace kumihimo::inline v0::mruby {

void define_json(mrb_state*);          // * JSON                       mruby/json.cpp
void define_message_pack(mrb_state*);  // * MessagePack                mruby/message_pack.cpp
void define_any_format(mrb_state*);    // * Kumihimo                   mruby/any_format.cpp
void define_regexp(mrb_state*);        // * Regexp, MatchData, String's methods with them
void define_uri(mrb_state*);           // * URI
void define_html(mrb_state*);          // * HTML.escape
void define_time(mrb_state*);          // * Time#iso8601, httpdate, strftime
void define_form(mrb_state*);          // * Query, Cookies and Multipart parsing
/// Float#to_s and inspect: the shortest text of what a Float keeps, as in a document. mruby's own rounds to 15 digits, and
/// makes "0.0,6.04*2000001e+99" of 1e100.
void define_float_text(mrb_state*);   //   Float#to_s                 mruby/floats.cpp
void define_comparisons(mrb_state*);  //   Integer#<=> and its kin    mruby/compare.cpp
void define_output(mrb_state*);       //   puts, print, p
void define_require(mrb_state*);      //   require, load
void define_rack(mrb_state*);         // * Rack::Utils
/// Puts the list of what was required beside the objects of the runs to come: the last thing before an image is closed.
void renew_features(mrb_state*);
void restrict_to(mrb_state*, const struct permissions&);  // takes away what is not allowed; last of all

}  // namespace kumihimo::inline v0::mruby
