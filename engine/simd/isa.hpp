// What every engine/simd/<isa>.hpp includes before its target region, and the contract of what it defines inside.
//
// engine/simd/<isa>.hpp makes one table of kernels. A .cpp file includes what its kernels see, says which kernels they
// are, and includes it:
//
//      #include "engine/json/kernels/seen.hpp"
//      #define KUMIHIMO_KERNELS_OF json::isa                        the table is json::isa::avx2::table
//      #define KUMIHIMO_KERNELS "engine/json/kernels/all.hpp"       no include guards, and nothing of the standard library
//      #include "engine/simd/avx2.hpp"
//
// It opens a target region and, in the namespace KUMIHIMO_KERNELS_OF::<isa>, defines `block` and the bit helpers
// below; then it includes KUMIHIMO_KERNELS and fills `table` with what the macro KUMIHIMO_KERNEL_TABLE(name) of that
// file makes. Where the ISA has no better, generic/bits.hpp defines the bit helpers but for popcount.
//
//   struct block                        64 bytes of input; bit i of every mask is byte i
//     static block load(const char* p)  unaligned; reads exactly p[0..63]
//     u64 eq(char c)                    byte == c
//     u64 same(const block& b)          byte == that of b
//     u64 folded_eq(char c)             (byte | 0x20) == c
//     u64 below(unsigned char c)        byte < c, unsigned; below(0x20) are the control characters
//     u64 high()                        byte >= 0x80
//     u64 unusual()                     below(0x20) | high(), in one (signed) compare
//     u64 whitespace()                  space, tab, line feed, carriage return. May also hold for bytes >= 0x80, never for
//                                       another ASCII byte
//     u64 operators()                   { } [ ] : , and, by the |0x20 trick, possibly 0x0C, 0x1A: check control characters
//     char* compress(char* to, u64 m)   stores the bytes under m side by side, in order, returns their end; may scribble over
//                                       to[0..63], so have 64 bytes room
//   struct utf8_checker                 UTF-8 over consecutive blocks, carried across their borders
//     void next(const block&)           any block
//     void ascii()                      a block without high(); cheaper
//     bool ok()                         no error so far and nothing pending
//     bool clean()                      no error so far
//   u64 prefix_xor(u64)                 bit i = parity of bits 0..i: quotes to string masks
//   u64 extract(u64 v, u64 m)           pext: the bits of v under m, packed to the bottom
//   unsigned popcount(u64)
//   unsigned lowest(u64)                index of the lowest set bit; 64 for 0
//   u64 in_register(u64)                keeps a mask in a general register; g++ otherwise computes with AVX-512's
//                                       mask registers, which is 8 to 16 % slower
//
// Nothing from the standard library may be instantiated in a region: the linker could merge the wide copy into
// portable code. Use builtins, plain arrays and structs, and out-of-line functions declared here. No lambdas either:
// clang's attribute does not reach their bodies.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "engine/simd/dispatch.hpp"

#define KUMIHIMO_INLINE inline __attribute__((always_inline))

namespace kumihimo::inline v0::simd {
using u64 = std::uint64_t;
using u32 = std::uint32_t;
using u8 = std::uint8_t;
}  // namespace kumihimo::inline v0::simd
