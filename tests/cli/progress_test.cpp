/// Tests the progress of a run in each style.

#include <cstdlib>

#include <gmock/gmock.h>

#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RunProgress : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string pipeline_ = folder_.file(
      "p.yaml",
      "name: p\nsources:\n  s: {type: synthetic, axes: [time=64], rate: 100 Hz}\nsinks:\n  n: {type: "
      "'null', input: s}\n");
};

TEST_F(RunProgress, is_a_temporary_table_on_a_terminal) {
  if (std::system("command -v script >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "there is no script (Debian: bsdutils)";
  std::string command = "stty cols 100 rows 30;";
  for (const std::string& word : takt_command({"run", pipeline_, "--frames", "100"}))
    command += " '" + word + "'";
  Program program({"script", "-qefc", command, "/dev/null"});
  const Result result = program.wait();
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("starved"));
  EXPECT_THAT(result.out, HasSubstr("0 lost, 0 dropped"));
  // The last progress is erased before the report.
  const std::size_t taken = result.out.rfind("\x1b[J"), report = result.out.find("100 ingested");
  ASSERT_NE(taken, std::string::npos);
  ASSERT_NE(report, std::string::npos);
  EXPECT_LT(taken, report);
}

TEST_F(RunProgress, has_styles_and_is_empty_for_short_runs_without_a_terminal) {
  const Result plain = takt({"run", pipeline_, "--frames", "5", "--progress", "plain"});
  EXPECT_EQ(plain.exit_code, 0);
  EXPECT_EQ(plain.err, "");
  EXPECT_THAT(plain.out, Not(HasSubstr("\x1b")));
  const Result wrong = takt({"run", pipeline_, "--frames", "5", "--progress", "plan"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'plain'"));
}

}  // namespace
}  // namespace takt::test
