/// Tests that messages of exceptions fit on one line, for any contents.

#include "pipeline/exception_text.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace takt::pipeline {
namespace {

TEST(ExceptionText, is_one_line_neither_empty_nor_long) {
  EXPECT_EQ(exception_text(std::runtime_error("the antenna fell over")), "the antenna fell over");
  EXPECT_EQ(exception_text(std::runtime_error("one\ntwo\r\nthree")), "one two  three");
  EXPECT_EQ(exception_text(std::runtime_error("red\x1b[31m\tand\x7f not \xc3\xa9")),
            "red [31m and  not \xc3\xa9");
  EXPECT_EQ(exception_text(std::runtime_error("a\xc2\x9b"
                                              "31m\xc2\xa0z")),
            "a 31m\xc2\xa0z");
  EXPECT_EQ(exception_text(std::runtime_error("")), "an exception without a message");
  EXPECT_EQ(exception_text(std::runtime_error(std::string(20'000, 'x'))), std::string(500, 'x') + " ...");
}

}  // namespace
}  // namespace takt::pipeline
