/// Tests the order of long texts, written whole or part by part.

#include "core/formats/line_writer.hpp"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace takt {
namespace {

TEST(LineWriter, keeps_the_order_of_few_lines_and_of_many) {
  for (const std::size_t count : {0, 1, 16'383, 16'384, 16'385, 32'769, 70'000}) {
    std::string expected = "head\n";
    const auto append = [](std::string& text, std::size_t i) { (text += std::to_string(i)) += '\n'; };
    for (std::size_t i = 0; i < count; ++i) append(expected, i);
    expected += "middle\n";
    for (std::size_t i = 0; i < count; ++i) append(expected, i);
    std::ostringstream out;
    LineWriter whole, parts(&out);
    for (LineWriter* writer : {&whole, &parts}) {
      writer->put("head\n");
      writer->put_lines(count, append);
      writer->put("middle\n");
      writer->put_lines(count, append);
    }
    EXPECT_EQ(std::move(whole).take(), expected) << count;
    parts.flush();
    EXPECT_EQ(out.str(), expected) << count;
  }
}

}  // namespace
}  // namespace takt
