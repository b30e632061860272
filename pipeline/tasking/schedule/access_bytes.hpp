#pragma once
/// How many bytes a processor instruction reads or writes in memory.

#include <cstddef>

namespace takt::tasking::schedule {

/// The size of the memory operand of an x86-64 instruction; of string instructions that of one element. 0
/// where it is not known: masked and gathering vector instructions, and those that compilers do not use for
/// data (Intel, "Software Developer's Manual", volume 2, appendix A).
[[nodiscard]] std::size_t access_bytes(const unsigned char* code);

/// A string instruction that copies or fills (MOVS, STOS), with what it repeats.
struct StringInstruction {
  bool copies = false;
  bool repeats = false;
  std::size_t element = 0;
  /// Of the instruction; 0: it is another one.
  std::size_t length = 0;
};
[[nodiscard]] StringInstruction string_instruction(const unsigned char* code);

}  // namespace takt::tasking::schedule
