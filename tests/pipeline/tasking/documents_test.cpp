#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/pipeline/tasking/schedule/fortran.hpp"
#include "tests/support/program.hpp"

// The programs of docs/reference/tasking.md compile and print what follows from their text; the table of
// statements in README.md names tests that there are.

namespace takt {
namespace {

std::vector<std::string> programs(const std::string& language) {
  const std::string page =
      test::read_file(std::filesystem::path(TAKT_SOURCE_DIR) / "docs/reference/tasking.md");
  const std::regex block("```" + language + "\n([^`]*)```");
  std::vector<std::string> found;
  for (std::sregex_iterator it(page.begin(), page.end(), block), end; it != end; ++it)
    found.push_back((*it)[1]);
  return found;
}

TEST(TaskingPage, ProgramInCPlusPlusRuns) {
  const test::TemporaryFolder folder;
  const auto found = programs("cpp");
  ASSERT_EQ(found.size(), 1U);
  const std::string source = folder.file("program.cpp", found[0]);
  const std::string program = (folder / "program").string();
  const test::Result compiled =
      test::Program({"g++", "-std=c++20", "-O1", "-I" TAKT_SOURCE_DIR, source, "-o", program,
                     TAKT_TASKING_LIBRARY, TAKT_SYSTEM_LIBRARY, "-lboost_context", "-lpthread"})
          .wait();
  ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
  // F(20), 1000 * 2 * 3, 1000 * 2.
  EXPECT_EQ(test::Program({program}).wait().out, "6765\n6000\n2000\n");
}

TEST(TaskingPage, ProgramInCRuns) {
  const test::TemporaryFolder folder;
  const auto found = programs("c");
  ASSERT_EQ(found.size(), 1U);
  const std::string source = folder.file("program.c", found[0]);
  const std::string program = (folder / "program").string();
  const test::Result compiled =
      test::Program({"gcc", "-std=c99", "-Wall", "-Werror", "-I" TAKT_SCHEDULE_SOURCES, source, "-o", program,
                     "-L" TAKT_SCHEDULE_FOLDER, "-ltakt_schedule", "-Wl,-rpath," TAKT_SCHEDULE_FOLDER})
          .wait();
  ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
  EXPECT_EQ(test::Program({program}).wait().out, "3\n");
}

TEST(TaskingPage, ProgramsInFortranRun) {
  if (!test::has_gfortran()) GTEST_SKIP() << "gfortran is not installed";
  const auto found = programs("fortran");
  ASSERT_EQ(found.size(), 6U);
  // 1 + ... + 64; 1 + 4 + ... + 64; the system with a(i,j) = 1 below a(i,i) = 2 and right sides i + 1 has the
  // solution 1.
  EXPECT_EQ(test::FortranProgram(found[0]).run("").out, "  2080\n");
  EXPECT_EQ(test::FortranProgram(found[1]).run("").out, "   204.0\n");
  EXPECT_EQ(test::FortranProgram(found[2]).run("").out, "  1.00  1.00  1.00  1.00  1.00  1.00  1.00  1.00\n");
  EXPECT_EQ(test::FortranProgram(found[3]).run("").out, "3\n");
  // The longest column is 8 * (1, ..., 100): 8 * sqrt(338350).
  EXPECT_EQ(test::FortranProgram(found[4]).run("").out, "    4653.4\n");
  const test::FortranProgram parallel(found[5]);
  EXPECT_EQ(parallel.run("").out, "    4653.4\n");
  EXPECT_EQ(parallel.run("", "", "TAKT_SCHEDULE_CHECK=1").out, "    4653.4\n");
}

TEST(StatementsOfTheGuide, HaveTestsThatThereAre) {
  const std::filesystem::path folder = std::filesystem::path(TAKT_SOURCE_DIR) / "tests/pipeline/tasking";
  std::string tests =
      test::read_file(folder / "../pages/unit_trace_test.cpp") +
      test::read_file(std::filesystem::path(TAKT_SOURCE_DIR) / "core/pictures/web/test/units.test.mjs");
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder))
    if (each.path().extension() == ".cpp") tests += test::read_file(each.path());
  std::set<int> statements;
  std::istringstream table(test::read_file(folder / "README.md"));
  const std::regex statement("S(\\d+)"), name("`([A-Za-z][A-Za-z ]+)\\.*`");
  for (std::string line; std::getline(table, line);) {
    if (!line.starts_with("| S")) continue;
    const std::size_t middle = line.find('|', 1);
    const std::string left = line.substr(0, middle), right = line.substr(middle);
    for (std::sregex_iterator it(left.begin(), left.end(), statement), end; it != end; ++it)
      statements.insert(std::stoi((*it)[1]));
    for (std::sregex_iterator it(right.begin(), right.end(), name), end; it != end; ++it)
      EXPECT_THAT(tests, ::testing::HasSubstr((*it)[1].str())) << line;
  }
  EXPECT_EQ(statements.size(), 79U);
  EXPECT_EQ(*statements.rbegin(), 79);
}

}  // namespace
}  // namespace takt
