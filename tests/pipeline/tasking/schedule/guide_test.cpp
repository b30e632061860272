#include <filesystem>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include "tests/pipeline/tasking/schedule/fortran.hpp"

/// Tests that the programs of the SCHEDULE users guide print and trace what the guide shows. They are in
/// TAKT_TEST_DATA/schedule_guide.

namespace takt {
namespace {

const std::filesystem::path guide = test::test_data() / "schedule_guide";

std::string without_trailing_blanks(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);)
    result += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  return result;
}

class GuideProgram : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!test::has_gfortran()) GTEST_SKIP() << "gfortran is not installed";
    if (!std::filesystem::exists(guide)) GTEST_SKIP() << guide << " does not exist (TAKT_TEST_DATA)";
  }
  static std::string golden(const std::string& ending) {
    return test::read_file(guide / "golden" / (std::string(GetParam()) + ending));
  }
};

TEST_P(GuideProgram, PrintsTheSameWithAnyNumberOfWorkers) {
  const test::FortranProgram program(test::read_file(guide / (std::string(GetParam()) + ".f")));
  const bool reads_sizes = std::string(GetParam()).starts_with("02");
  const std::vector<std::string> inputs =
      reads_sizes ? std::vector<std::string>{"1000 9 ", "1000 2 ", "7 7 ", "50 50 "}
                  : std::vector<std::string>{""};
  for (const int workers : test::worker_counts) {
    std::string out;
    for (const std::string& input : inputs) {
      const test::Result result = program.run(input + std::to_string(workers));
      EXPECT_EQ(result.exit_code, 0) << result.err;
      EXPECT_EQ(result.err, "");
      out += result.out;
    }
    EXPECT_EQ(without_trailing_blanks(out), without_trailing_blanks(golden(".out"))) << workers << " workers";
  }
}

TEST_P(GuideProgram, WritesTheTraceOfTheGuideWithOneWorker) {
  const test::FortranProgram program(test::read_file(guide / (std::string(GetParam()) + ".f")));
  const bool reads_sizes = std::string(GetParam()).starts_with("02");
  EXPECT_EQ(program.run(reads_sizes ? "1000 9 1" : "1", "trace").exit_code, 0);
  EXPECT_EQ(test::without_times(test::read_file(program.path("trace"))), golden(".trace"));
}

INSTANTIATE_TEST_SUITE_P(All, GuideProgram,
                         ::testing::Values("02_inner_product_parallel", "03_structure", "04_simple_spawn",
                                           "05_entry_points", "06_wait", "07_wait_reference", "08_locks",
                                           "09_restore_state", "10_figure_4_1", "11_figure_5_1"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace takt
