#include "pipeline/frontend/generation/first_touch.hpp"

#include <gmock/gmock.h>

#include "tests/pipeline/frontend/programs.hpp"

namespace takt::frontend {
namespace first_touch_test {

/// A program whose rank 1 receives one row and writes two others, and reads a constant array.
const char* const text = R"(
static const double weights[4] = {1, 2, 3, 4};
static double rows[3][4];
void start(const double w[4], double row[4]) { for (int i = 0; i < 4; i++) row[i] = w[i]; }
void next(const double row[4], double result[4]) { for (int i = 0; i < 4; i++) result[i] = 2 * row[i]; }
int main(void) {
  start(weights, rows[0]);
  next(rows[0], rows[1]);
  next(rows[1], rows[2]);
  return 0;
}
)";

TEST(FirstTouch, joins_sections_and_leaves_out_what_no_call_writes) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const ReadProgram program = ProgramFile(text).read();
  EXPECT_EQ(first_touch(program.program, written_sections(program.program), "  "),
            "  takt_touch((char *)&rows + 0, 96);\n");
}

TEST(FirstTouch, of_a_rank_is_of_what_it_writes_and_receives) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const ReadProgram program = ProgramFile(text).read();
  const ParallelProgram parallel = insert_communication(
      program.program, assignment_on(program.program, {0, 0, 1}, {Time{0}, Time{1}, Time{2}}, 2));
  EXPECT_EQ(first_touch(program.program, written_sections(program.program, parallel, 0), ""),
            "takt_touch((char *)&rows + 0, 64);\n");
  EXPECT_EQ(first_touch(program.program, written_sections(program.program, parallel, 1), ""),
            "takt_touch((char *)&rows + 32, 64);\n");
}

TEST(FirstTouch, of_an_allocation_begins_where_it_points_to) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const ReadProgram program = ProgramFile(R"(
#include <stdlib.h>
void fill(double part[4]) { for (int i = 0; i < 4; i++) part[i] = i; }
void print(const double part[4]) { (void)part; }
int main(void) {
  double *values = malloc(12 * sizeof *values);
  fill(&values[0]);
  fill(&values[8]);
  print(&values[8]);
  return 0;
}
)")
                                  .read();
  EXPECT_EQ(first_touch(program.program, written_sections(program.program), ""),
            "takt_touch((char *)values + 0, 32);\ntakt_touch((char *)values + 64, 32);\n");
}

}  // namespace first_touch_test
}  // namespace takt::frontend
