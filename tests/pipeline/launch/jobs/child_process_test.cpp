#include "pipeline/launch/jobs/child_process.hpp"

#include <thread>

#include <gmock/gmock.h>

namespace takt::pipeline {
namespace {

using testing::ElementsAre;

TEST(ChildProcess, reads_lines_without_the_line_ends_of_terminals) {
  // ssh ends its messages like the first line; carriage returns within a line are kept.
  ChildProcess child({"printf", "refused\\r\\nplain\\none\\rtwo\\r\\n\\r\\nlast"}, {});
  while (!child.ended()) std::this_thread::sleep_for(std::chrono::milliseconds{1});
  EXPECT_THAT(child.read_lines(), ElementsAre("refused", "plain", "one\rtwo", "", "last"));
}

}  // namespace
}  // namespace takt::pipeline
