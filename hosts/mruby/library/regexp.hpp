// Regexp and MatchData, for what searches by them: String's methods (regexp_string.cpp), and other natives.
#pragma once
#include "native.hpp"
#include "pattern_cache.hpp"

namespace kumihimo::inline v0::mruby {

bool is_regexp(mrb_value) noexcept;

/// The pattern of a Regexp, to be asked for again after anything that may run Ruby. May raise.
pattern& pattern_of(mrb_state*, mrb_value regexp);

/// //, which matches everywhere.
bool is_empty_regexp(mrb_state*, mrb_value regexp);

/// Its groups' names, as Regexp#names gives them.
mrb_value names_of(mrb_state*, mrb_value regexp);

/// Matches, or raises when that is too hard (Regexp::TimeoutError).
bool match(mrb_state*, mrb_value regexp, pattern&, const subject&, std::size_t from, bool here = false);

/// The MatchData of the thread's last match, which becomes $~. `string` is what was searched.
mrb_value remember_match(mrb_state*, mrb_value regexp, pattern&, mrb_value string);
/// $~ of a string that was searched for without a Regexp.
mrb_value remember_match(mrb_state*, mrb_value string, std::size_t begin, std::size_t end);
/// $~ = nil.
void forget_match(mrb_state*);

/// A part of a string; it shares the memory of a long one.
inline mrb_value part_of(mrb_state* mrb, mrb_value string, std::size_t begin, std::size_t end) {
    return mrb_str_byte_subseq(mrb, string, static_cast<mrb_int>(begin), static_cast<mrb_int>(end - begin));
}

/// Bytes of a string that is long enough for its kind to be remembered.
inline constexpr std::size_t long_subject = 4096;

/// What is searched: a frozen string that the script cannot change meanwhile.
mrb_value frozen_copy(mrb_state*, mrb_value string);

/// That, as a subject.
subject subject_of(mrb_state*, mrb_value frozen);

/// The number of the group that an Integer, String or Symbol names, for the bounds of a match. Raises IndexError for a
/// name that is none; an Integer beyond is -1.
mrb_int group_number(mrb_state*, pattern&, mrb_value name, const std::size_t* bounds);

void define_match_data(mrb_state*, RClass* regexp);
void define_string_searches(mrb_state*);
void define_every_match(mrb_state*);

}  // namespace kumihimo::inline v0::mruby
