#include "pipeline/tasking/schedule/access_bytes.hpp"

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/support/program.hpp"

namespace takt::tasking::schedule {
namespace {

using Code = std::vector<unsigned char>;

std::size_t bytes_of(Code code) {
  code.resize(32);
  return access_bytes(code.data());
}

TEST(AccessBytes, OfWhatCompilersUse) {
  EXPECT_EQ(bytes_of({0x88, 0x07}), 1U);                           // mov [rdi], al
  EXPECT_EQ(bytes_of({0x66, 0x89, 0x07}), 2U);                     // mov [rdi], ax
  EXPECT_EQ(bytes_of({0x01, 0x07}), 4U);                           // add [rdi], eax
  EXPECT_EQ(bytes_of({0x48, 0x8B, 0x07}), 8U);                     // mov rax, [rdi]
  EXPECT_EQ(bytes_of({0xF3, 0x0F, 0x10, 0x07}), 4U);               // movss xmm0, [rdi]
  EXPECT_EQ(bytes_of({0xF2, 0x0F, 0x58, 0x07}), 8U);               // addsd xmm0, [rdi]
  EXPECT_EQ(bytes_of({0x0F, 0x11, 0x07}), 16U);                    // movups [rdi], xmm0
  EXPECT_EQ(bytes_of({0xC5, 0xFC, 0x11, 0x07}), 32U);              // vmovups [rdi], ymm0
  EXPECT_EQ(bytes_of({0x62, 0xF1, 0x7C, 0x48, 0x11, 0x07}), 64U);  // vmovups [rdi], zmm0
  EXPECT_EQ(bytes_of({0x62, 0xF1, 0x7C, 0x49, 0x11, 0x07}), 0U);   // the same, masked
  EXPECT_EQ(bytes_of({0x62, 0xF1, 0xFD, 0x58, 0x58, 0x07}), 8U);   // vaddpd zmm0, zmm0, [rdi]{1to8}
  EXPECT_EQ(bytes_of({0xDB, 0x2F}), 10U);                          // fld tbyte [rdi]
  EXPECT_EQ(bytes_of({0xF0, 0x48, 0x0F, 0xC7, 0x0F}), 16U);        // lock cmpxchg16b [rdi]
}

TEST(AccessBytes, StringInstructionsAreKnown) {
  const auto of = [](Code code) {
    code.resize(32);
    return string_instruction(code.data());
  };
  const StringInstruction copy = of({0xF3, 0x48, 0xA5});
  EXPECT_TRUE(copy.copies && copy.repeats);
  EXPECT_EQ(copy.element, 8U);
  EXPECT_EQ(copy.length, 3U);
  const StringInstruction fill = of({0xAA});
  EXPECT_FALSE(fill.copies || fill.repeats);
  EXPECT_EQ(fill.element, 1U);
  EXPECT_EQ(fill.length, 1U);
  EXPECT_EQ(of({0x89, 0x07}).length, 0U);
}

/// `address: bytes of code, instruction` with the size of its memory operand in words: what objdump says of
/// a library with vector code for several processors.
TEST(AccessBytes, AreThoseOfTheDisassembler) {
  const test::Result listing =
      test::Program(
          {"sh", "-c", "objdump -d -M intel --wide \"$(gcc -print-file-name=libm.so.6)\" | grep 'PTR \\['"})
          .wait(std::chrono::seconds{120});
  if (listing.out.find("XMMWORD PTR") == std::string::npos) GTEST_SKIP() << "no objdump, or no x86-64";
  const std::map<std::string, std::size_t> sizes{{"BYTE", 1},     {"WORD", 2},     {"DWORD", 4},
                                                 {"QWORD", 8},    {"XMMWORD", 16}, {"YMMWORD", 32},
                                                 {"ZMMWORD", 64}, {"TBYTE", 10}};
  std::size_t equal = 0, unknown = 0;
  std::istringstream lines(listing.out);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t code = line.find('\t'), text = line.find('\t', code + 1), end = line.find(" PTR [");
    if (text == std::string::npos || line.find("nop", text) != std::string::npos) continue;
    const std::size_t begin = line.find_last_of(" ,\t(", end - 1) + 1;
    const auto expected = sizes.find(line.substr(begin, end - begin));
    if (expected == sizes.end()) continue;
    std::istringstream hexadecimal(line.substr(code + 1, text - code - 1));
    Code bytes;
    for (unsigned each; hexadecimal >> std::hex >> each;) bytes.push_back(static_cast<unsigned char>(each));
    const std::size_t found = bytes_of(bytes);
    if (found == 0)
      ++unknown;
    else if (found == expected->second)
      ++equal;
    else
      ADD_FAILURE() << found << " bytes: " << line;
  }
  EXPECT_GT(equal, 10'000U);
  EXPECT_LT(unknown, equal / 100);
}

}  // namespace
}  // namespace takt::tasking::schedule
