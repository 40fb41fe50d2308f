// Perl's usual ways of asking a value, which are for ask.hpp alone: whoever has included a walk cannot name them any
// more. Perl's macros that are made of them go on working. Included last by ask.hpp.
//
// What may run Perl code and is not here, because walks need it for scalars that they own or have fetched: %SVf in an
// error's sentence, hv_fetch_ent with a key (rules_typed.hpp, a key's copy), sv_derived_from (a class without an isa
// of its own), and SvREFCNT_dec (DESTROY).
#pragma once
// The compiler would warn that macros are poisoned, which is the intention.
#pragma GCC system_header
// clang-format off
#pragma GCC poison SvTRUE SvTRUE_nomg SvTRUE_NN SvTRUE_nomg_NN SvTRUEx
#pragma GCC poison SvIV SvIV_nomg SvIVx SvUV SvUV_nomg SvUVx SvNV SvNV_nomg SvNVx
#pragma GCC poison SvPV SvPV_const SvPV_flags SvPV_nolen SvPV_nolen_const SvPV_nomg SvPV_nomg_const SvPV_nomg_const_nolen SvPV_nomg_nolen
#pragma GCC poison SvPVx SvPVbyte SvPVbyte_nolen SvPVbyte_force SvPVutf8 SvPVutf8_nolen SvPVutf8_force SvPV_force SvPV_force_nolen SvPV_force_nomg
#pragma GCC poison SvGETMAGIC SvSETMAGIC mg_get mg_set mg_length
#pragma GCC poison sv_2iv sv_2iv_flags sv_2uv sv_2uv_flags sv_2nv sv_2nv_flags sv_2pv sv_2pv_flags sv_2pvutf8 sv_2pvbyte sv_2bool sv_2bool_flags sv_2num
#pragma GCC poison sv_copypv sv_copypv_nomg sv_setsv sv_setsv_nomg sv_setsv_flags sv_catsv sv_catsv_nomg newSVsv newSVsv_nomg newSVsv_flags sv_mortalcopy
#pragma GCC poison sv_cmp sv_cmp_flags sv_eq sv_eq_flags
#pragma GCC poison call_sv call_method call_pv call_argv eval_sv eval_pv amagic_call AMG_CALLunary new_bignum truncated_bignum
#pragma GCC poison sv_len sv_len_utf8 looks_like_number
#pragma GCC poison hv_iternext hv_iternextsv hv_iterval hv_iterkey av_len av_top_index av_fetch
// clang-format on
