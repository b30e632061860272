#include "pipeline/tasking/schedule/access_bytes.hpp"

#include <cstdint>

namespace takt::tasking::schedule {

namespace {

/// The mandatory prefix of vector instructions; `none` is that of packed single precision.
enum class Prefix { none, p66, f3, f2 };

struct Instruction {
  Prefix prefix = Prefix::none;
  bool has_66 = false;
  bool is_wide = false;  ///< REX.W, VEX.W
  bool is_vex = false;   ///< or EVEX
  int map = 0;           ///< 0: one byte, 1: 0F, 2: 0F38, 3: 0F3A
  unsigned opcode = 0;
  unsigned reg = 0;  ///< the middle field of ModRM
  std::size_t vector = 16;
  /// EVEX: one element for all (in bytes), or not (0).
  std::size_t broadcast = 0;
  bool is_masked = false;
  std::size_t length_to_opcode = 0;
  bool has_repeat = false;

  [[nodiscard]] std::size_t general() const { return is_wide ? 8 : has_66 ? 2 : 4; }
  [[nodiscard]] std::size_t word_or_quad() const { return is_wide ? 8 : 4; }
  /// Of packed and scalar floating point.
  [[nodiscard]] std::size_t floating() const {
    return prefix == Prefix::f3 ? 4 : prefix == Prefix::f2 ? 8 : vector;
  }
  /// Of integer vectors: MMX without a prefix.
  [[nodiscard]] std::size_t integer() const { return is_vex || prefix != Prefix::none ? vector : 8; }
};

Prefix prefix_of(unsigned bits) {
  constexpr Prefix all[] = {Prefix::none, Prefix::p66, Prefix::f3, Prefix::f2};
  return all[bits & 3U];
}

Instruction decode(const unsigned char* code) {
  Instruction one;
  const unsigned char* at = code;
  for (;; ++at) {
    if (*at == 0x66)
      one.has_66 = true;
    else if (*at == 0xF3 || *at == 0xF2)
      one.prefix = *at == 0xF3 ? Prefix::f3 : Prefix::f2;
    else if (*at != 0xF0 && *at != 0x67 && *at != 0x2E && *at != 0x36 && *at != 0x3E && *at != 0x26 &&
             *at != 0x64 && *at != 0x65)
      break;
  }
  one.has_repeat = one.prefix != Prefix::none;
  if (one.has_66 && one.prefix == Prefix::none) one.prefix = Prefix::p66;
  if ((*at & 0xF0U) == 0x40) one.is_wide = (*at++ & 8U) != 0;
  if (*at == 0xC5) {
    one.is_vex = true;
    one.map = 1;
    one.prefix = prefix_of(at[1]);
    one.vector = (at[1] & 4U) != 0 ? 32 : 16;
    at += 2;
  } else if (*at == 0xC4) {
    one.is_vex = true;
    one.map = at[1] & 31;
    one.is_wide = (at[2] & 0x80U) != 0;
    one.prefix = prefix_of(at[2]);
    one.vector = (at[2] & 4U) != 0 ? 32 : 16;
    at += 3;
  } else if (*at == 0x62) {
    one.is_vex = true;
    one.map = at[1] & 7;
    one.is_wide = (at[2] & 0x80U) != 0;
    one.prefix = prefix_of(at[2]);
    one.vector = std::size_t{16} << ((at[3] >> 5U) & 3U);
    if ((at[3] & 0x10U) != 0) one.broadcast = one.word_or_quad();
    one.is_masked = (at[3] & 7U) != 0;
    at += 4;
  } else if (*at == 0x0F) {
    one.map = at[1] == 0x38 ? 2 : at[1] == 0x3A ? 3 : 1;
    at += one.map == 1 ? 1 : 2;
  }
  one.length_to_opcode = static_cast<std::size_t>(at - code) + 1;
  one.opcode = at[0];
  one.reg = (at[1] >> 3U) & 7U;
  return one;
}

std::size_t of_x87(const Instruction& one) {
  constexpr std::uint8_t bytes[8][8] = {
      {4, 4, 4, 4, 4, 4, 4, 4},   {4, 0, 4, 4, 28, 2, 28, 2}, {4, 4, 4, 4, 4, 4, 4, 4},
      {4, 4, 4, 4, 0, 10, 0, 10}, {8, 8, 8, 8, 8, 8, 8, 8},   {8, 8, 8, 8, 108, 0, 108, 2},
      {2, 2, 2, 2, 2, 2, 2, 2},   {2, 2, 2, 2, 10, 8, 10, 8},
  };
  return bytes[one.opcode - 0xD8][one.reg];
}

std::size_t of_one_byte_opcode(const Instruction& one) {
  const unsigned op = one.opcode;
  if (op < 0x40) return (op & 7U) > 3 ? 0 : (op & 1U) != 0 ? one.general() : 1;
  if (op >= 0xD8 && op <= 0xDF) return of_x87(one);
  switch (op) {
    case 0x63:
      return 4;
    case 0x8C:
    case 0x8E:
      return 2;
    case 0x8F:
      return 8;
    case 0xFF:
      return one.reg <= 1 ? one.general() : 8;
    case 0x69:
    case 0x6B:
      return one.general();
    default:
      break;
  }
  const bool is_pair = (op >= 0x80 && op <= 0x8B) || (op >= 0xA0 && op <= 0xA7) ||
                       (op >= 0xAA && op <= 0xAF) || op == 0xC0 || op == 0xC1 || op == 0xC6 || op == 0xC7 ||
                       (op >= 0xD0 && op <= 0xD3) || op == 0xF6 || op == 0xF7 || op == 0xFE;
  if (op == 0x83) return one.general();
  return !is_pair ? 0 : (op & 1U) != 0 ? one.general() : 1;
}

std::size_t of_0f(const Instruction& one) {
  const unsigned op = one.opcode;
  const Prefix prefix = one.prefix;
  if ((op >= 0x40 && op <= 0x4F && !one.is_vex) || op == 0xA3 || op == 0xA4 || op == 0xA5 || op == 0xAB ||
      op == 0xAF || op == 0xB1 || op == 0xB3 || op == 0xB8 || (op >= 0xBA && op <= 0xBD) || op == 0xC1)
    return one.general();
  if (op >= 0x90 && op <= 0x9F) return one.is_vex ? 0 : 1;
  switch (op) {
    case 0x10:
    case 0x11:
    case 0x51:
    case 0x52:
    case 0x53:
    case 0x58:
    case 0x59:
    case 0x5C:
    case 0x5D:
    case 0x5E:
    case 0x5F:
    case 0xC2:
      return one.floating();
    case 0x12:
      return prefix == Prefix::f3 || (prefix == Prefix::f2 && one.vector > 16) ? one.vector : 8;
    case 0x16:
      return prefix == Prefix::f3 ? one.vector : 8;
    case 0x13:
    case 0x17:
    case 0xD6:
      return 8;
    case 0x14:
    case 0x15:
    case 0x28:
    case 0x29:
    case 0x2B:
    case 0x54:
    case 0x55:
    case 0x56:
    case 0x57:
    case 0x5B:
    case 0x7C:
    case 0x7D:
    case 0xC6:
    case 0xD0:
      return one.vector;
    case 0x2A:
      return prefix == Prefix::f3 || prefix == Prefix::f2 ? one.word_or_quad() : 8;
    case 0x2C:
    case 0x2D:
      return prefix == Prefix::f3 ? 4 : prefix == Prefix::p66 ? 16 : 8;
    case 0x2E:
    case 0x2F:
      return prefix == Prefix::p66 ? 8 : 4;
    case 0x5A:
      return prefix == Prefix::none ? one.vector / 2 : one.floating();
    case 0x60:
    case 0x61:
    case 0x62:
      return !one.is_vex && prefix == Prefix::none ? 4 : one.vector;
    case 0x6E:
      return one.word_or_quad();
    case 0x78:
    case 0x79:
    case 0x7A:
    case 0x7B:
      return 0;
    case 0x7E:
      return prefix == Prefix::f3 ? 8 : one.word_or_quad();
    case 0xAE:
      return one.reg == 2 || one.reg == 3 ? 4 : 0;
    case 0xB0:
    case 0xB6:
    case 0xBE:
    case 0xC0:
      return 1;
    case 0xB7:
    case 0xBF:
    case 0xC4:
      return 2;
    case 0xC3:
      return one.word_or_quad();
    case 0xC7:
      return one.reg == 1 ? 2 * one.word_or_quad() : 0;
    case 0xD1:
    case 0xD2:
    case 0xD3:
    case 0xE1:
    case 0xE2:
    case 0xF1:
    case 0xF2:
    case 0xF3:
      return one.is_vex || prefix != Prefix::none ? 16 : 8;
    case 0xE6:
      return prefix == Prefix::f3 ? one.vector / 2 : one.vector;
    default:
      return (op >= 0x63 && op <= 0x76) || op == 0x7F || op >= 0xD4 ? one.integer() : 0;
  }
}

std::size_t of_0f38(const Instruction& one) {
  const unsigned op = one.opcode, low = op & 15U;
  if ((op & 0xE0U) == 0x20 && low <= 5) {  // extensions of small integers
    constexpr std::size_t share[] = {2, 4, 8, 2, 4, 2};
    return one.vector / share[low];
  }
  switch (op) {
    case 0x13:
      return one.vector / 2;
    case 0x18:
    case 0x58:
      return 4;
    case 0x19:
    case 0x59:
      return 8;
    case 0x1A:
    case 0x5A:
      return 16;
    case 0x1B:
    case 0x5B:
      return 32;
    case 0x78:
      return 1;
    case 0x79:
      return 2;
    case 0xF0:
      return one.prefix == Prefix::f2 ? 1 : one.general();
    case 0xF1:
      return one.general();
    case 0xF2:
    case 0xF3:
    case 0xF5:
    case 0xF6:
    case 0xF7:
      return one.word_or_quad();
    default:
      break;
  }
  // Masked moves, gathers and scatters.
  if (one.is_vex && ((op >= 0x2C && op <= 0x2F) || op == 0x8C || op == 0x8E || (op >= 0x90 && op <= 0x93) ||
                     (op >= 0xA0 && op <= 0xA3) || (op >= 0x88 && op <= 0x8B)))
    return 0;
  const bool is_fused = op >= 0x96 && op <= 0xBF && low >= 6;
  if (is_fused && low >= 9 && (low & 1U) != 0) return one.word_or_quad();
  return one.integer();
}

std::size_t of_0f3a(const Instruction& one) {
  switch (one.opcode) {
    case 0x0A:
    case 0x17:
    case 0x21:
      return 4;
    case 0x0B:
      return 8;
    case 0x14:
    case 0x20:
      return 1;
    case 0x15:
      return 2;
    case 0x16:
    case 0x22:
    case 0xF0:
      return one.word_or_quad();
    case 0x18:
    case 0x19:
    case 0x38:
    case 0x39:
      return 16;
    case 0x1A:
    case 0x1B:
    case 0x3A:
    case 0x3B:
      return 32;
    case 0x1D:
      return one.vector / 2;
    default:
      break;
  }
  const bool is_fused_of_four = one.is_vex && (one.opcode & 0xE8U) == 0x68;
  if (is_fused_of_four && (one.opcode & 2U) != 0) return (one.opcode & 1U) != 0 ? 8 : 4;
  return one.integer();
}

}  // namespace

std::size_t access_bytes(const unsigned char* code) {
  const Instruction one = decode(code);
  if (one.is_masked) return 0;
  if (one.broadcast != 0) return one.broadcast;
  switch (one.map) {
    case 0:
      return of_one_byte_opcode(one);
    case 1:
      return of_0f(one);
    case 2:
      return of_0f38(one);
    case 3:
      return of_0f3a(one);
    default:
      return 0;
  }
}

StringInstruction string_instruction(const unsigned char* code) {
  const Instruction one = decode(code);
  const bool copies = one.opcode == 0xA4 || one.opcode == 0xA5;
  if (one.map != 0 || one.is_vex || (!copies && one.opcode != 0xAA && one.opcode != 0xAB)) return {};
  return {copies, one.has_repeat, access_bytes(code), one.length_to_opcode};
}

}  // namespace takt::tasking::schedule
