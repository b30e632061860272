/// Formulas against loops that count.

#include "pipeline/frontend/weights/formula.hpp"

#include <gtest/gtest.h>

#include "pipeline/frontend/weights/costs.hpp"
#include "pipeline/frontend/weights/operation_counts.hpp"
#include "tests/pipeline/frontend/programs.hpp"

namespace takt::frontend {
namespace {

using Step = Formula::Step;

TEST(Formula, of_a_triangular_loop_has_a_closed_form) {
  const Formula n = Formula::variable("n"), i = Formula::variable("i");
  const Formula inner = Formula::sum("j", i, n, Step::add, 1, 3);
  const Formula sum = Formula::sum("i", 0, n, Step::add, 1, inner);
  EXPECT_EQ(sum.to_string(), "3*n^2/2 + 3*n/2");
  for (int value = 0; value < 9; ++value) EXPECT_EQ(sum.value({{"n", value}}), 3 * value * (value + 1) / 2);
}

TEST(Formula, of_powers_equals_the_sum_term_by_term) {
  const Formula n = Formula::variable("n"), i = Formula::variable("i");
  const Formula sum = Formula::sum("i", 2, n, Step::add, 1, i * i * i + i);
  for (int value = 2; value < 12; ++value) {
    double expected = 0;
    for (int k = 2; k < value; ++k) expected += k * k * k + k;
    EXPECT_EQ(sum.value({{"n", value}}), expected);
  }
  EXPECT_EQ(sum.to_string(), "n^4/4 - n^3/2 + 3*n^2/4 - n/2 - 2");
}

TEST(Formula, of_a_geometric_loop_is_a_sum) {
  const Formula n = Formula::variable("n");
  const Formula sum = Formula::sum("h", n / 2, 0, Step::divide, 2, Formula::variable("h"));
  EXPECT_EQ(sum.value({{"n", 16}}), 8 + 4 + 2 + 1);
}

TEST(Counts, follow_loops_and_functions) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const ProgramFile file(
      "#include <math.h>\n"
      "static double a[8];\n"
      "static double square(double x) { return x * x; }\n"
      "void work(double *x, int n) {\n"
      "  for (int i = 0; i < n; i++)\n"
      "    for (int j = n; j > i; j--) x[i] += square(x[j - 1]) / 3;\n"
      "  for (int step = 1; step <= n; step *= 2) x[0] = sqrt(x[0]);\n"
      "}\n"
      "int main(void) { work(a, 8); }\n");
  const ReadProgram program = file.read();
  const OperationCounts counts = count_operations(program.tree, *program.tree.find_function("work"));
  EXPECT_TRUE(counts.notes.empty());
  EXPECT_EQ(counts.counts.at("mul").to_string(), "n^2/2 + n/2");
  EXPECT_EQ(counts.counts.at("div").to_string(), "n^2/2 + n/2");
  EXPECT_EQ(counts.counts.at("sqrt").value({{"n", 8}}), 4);
}

TEST(Costs, of_the_shipped_machines_are_read) {
  const std::string folder = std::string(TAKT_SOURCE_DIR) + "/configs/costs/";
  EXPECT_EQ(read_costs(folder + "paragon.yaml").of("add"), 60);
  EXPECT_EQ(read_costs(folder + "sp2.yaml").of("mul"), 6.25);
  EXPECT_EQ(read_costs(folder + "sp2.yaml").of("cos"), 400);
}

TEST(Costs, other_than_times_are_refused_with_their_place) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "costs.yaml").string();
  std::ofstream(file) << "operations:\n  add: fast\n";
  try {
    (void)read_costs(file);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        file + ":2:8: operations.add: 'fast' is not a cost: expected a time of at least 0, such as 1.5 ns");
  }
}

TEST(Counts, note_loops_with_unknown_bounds) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const ProgramFile file(
      "static double a[8];\n"
      "void work(double *x) { while (x[0] < 5) x[0] += 1; }\n"
      "int main(void) { work(a); }\n");
  const ReadProgram program = file.read();
  const OperationCounts counts = count_operations(program.tree, *program.tree.find_function("work"));
  ASSERT_EQ(counts.notes.size(), 1U);
  EXPECT_EQ(counts.notes[0], "line 2: the number of iterations of this loop is unknown: one is counted");
}

}  // namespace
}  // namespace takt::frontend
