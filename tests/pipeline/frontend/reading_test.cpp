/// What main may contain, and which data pass between its calls.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pipeline/frontend/programs.hpp"

namespace takt::frontend {
namespace {

using testing::ElementsAre;

std::vector<std::string> calls_of(const Program& program) {
  std::vector<std::string> calls;
  for (const CallId call : ids<CallId>(program.calls.size())) calls.push_back(program.text_of(call));
  return calls;
}

std::vector<std::string> flows_of(const Program& program) {
  std::vector<std::string> flows;
  for (const Flow& flow : program.flows)
    for (const CallId reader : flow.to)
      flows.push_back(std::to_string(flow.from.index()) + "->" + std::to_string(reader.index()) + " " +
                      flow.text + " " + std::to_string(flow.size()));
  return flows;
}

class Reading : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  }
};

constexpr const char* procedures =
    "#include <stdlib.h>\n#include <stdio.h>\n#include <takt/sections.h>\n"
    "static double a[6][4];\n"
    "void make(double *x) { for (int i = 0; i < 4; i++) x[i] = i; }\n"
    "void mark(double *x, int n) { x[0] = n; }\n"
    "void use(const double *x, double *y) { for (int i = 0; i < 4; i++) y[i] = x[i]; }\n";

TEST_F(Reading, loops_conditions_and_helpers_of_main_are_evaluated) {
  const ProgramFile file(std::string(procedures) +
                         "enum { two = 2 };\n"
                         "static int wrap(int i) { return (i + 6) % 6; }\n"
                         "static double t[16];\n"
                         "int main(void) {\n"
                         "  static const int order[3] = {2, 0, 1};\n"
                         "  int n = 0;\n"
                         "  for (int i = 3; i-- > 0;) mark(&t[order[i]], n++);\n"
                         "  while (n < 5) { if (n == 4) { n++; continue; } mark(&t[n], n << two); ++n; }\n"
                         "  do mark(&t[n + wrap(-1)], n | 8); while (++n < 6);\n"
                         "  switch (n) { case 1: make(a[0]); break; case 6: mark(&t[15], (int)(1.5 * n)); "
                         "break; default: break; }\n"
                         "  for (int i = 0; i < 2; i++) for (int j = 0; j <= i; j++) if (i && j) mark(i > 0 "
                         "? &t[6] : &t[7], -j);\n"
                         "  return 0;\n"
                         "}\n");
  EXPECT_THAT(calls_of(file.read().program),
              ElementsAre("mark(&t[1], 0)", "mark(&t[0], 1)", "mark(&t[2], 2)", "mark(&t[3], 12)",
                          "mark(&t[10], 13)", "mark(&t[15], 9)", "mark(&t[6], -1)"));
}

TEST_F(Reading, a_part_of_a_written_section_is_a_flow_of_the_smaller_one) {
  const ProgramFile file(std::string(procedures) +
                         "static double b[4];\n"
                         "void all(double x[6][4]) { for (int i = 0; i < 24; i++) x[i / 4][i % 4] = i; }\n"
                         "void sum(const double x[6][4], double *y) { y[0] = x[0][0]; }\n"
                         "int main(void) {\n  all(a);\n  use(a[2], b);\n  return 0;\n}\n");
  EXPECT_THAT(flows_of(file.read().program), ElementsAre("0->1 a[2] 32"));
}

TEST_F(Reading, a_whole_array_is_read_from_the_writers_of_its_parts) {
  const ProgramFile file(
      std::string(procedures) +
      "static double s;\n"
      "void sum(const double x[6][4], double *y) { y[0] = x[0][0]; }\n"
      "int main(void) {\n  for (int i = 0; i < 6; i++) make(a[i]);\n  sum(a, &s);\n  return 0;\n}\n");
  EXPECT_THAT(flows_of(file.read().program), ElementsAre("0->6 a[0] 32", "1->6 a[1] 32", "2->6 a[2] 32",
                                                         "3->6 a[3] 32", "4->6 a[4] 32", "5->6 a[5] 32"));
}

TEST_F(Reading, an_update_is_a_new_version_and_follows_the_readers_of_the_old_one) {
  const ProgramFile file(std::string(procedures) +
                         "static double b[2][4];\n"
                         "void twice(takt_inout double *x) { for (int i = 0; i < 4; i++) x[i] *= 2; }\n"
                         "int main(void) {\n  make(a[0]);\n  use(a[0], b[0]);\n  twice(a[0]);\n  use(a[0], "
                         "b[1]);\n  return 0;\n}\n");
  const Program program = file.read().program;
  EXPECT_THAT(flows_of(program), ElementsAre("0->1 a[0] 32", "0->2 a[0] 32", "2->3 a[0] 32"));
  ASSERT_EQ(program.precedences.size(), 1U);
  EXPECT_EQ(program.precedences[0].before, CallId(1));
  EXPECT_EQ(program.precedences[0].after, CallId(2));
}

TEST_F(Reading, tiles_of_flat_and_allocated_arrays_overlap_as_their_elements_do) {
  const ProgramFile file(
      std::string(procedures) +
      "#define N 8\n"
      "void fill(takt_out double *x takt_extent(n * N), int n) { for (int i = 0; i < n * N; i++) x[i] = i; "
      "}\n"
      "void tile(takt_inout double *x takt_tile(n, n, N), int n) { x[0] += n; }\n"
      "void row(const double x[N], takt_out double *y) { *y = x[0]; }\n"
      "int main(void) {\n"
      "  double *m = malloc(N * N * sizeof *m), r;\n"
      "  fill(m, N);\n  tile(&m[2 * N + 4], 2);\n  row(&m[3 * N], &r);\n  free(m);\n  return 0;\n}\n");
  const Program program = file.read().program;
  EXPECT_THAT(calls_of(program), ElementsAre("fill(m, 8)", "tile(&m[20], 2)", "row(&m[24], &r)"));
  // The row has two elements from the tile, and six from the filled array in two parts.
  EXPECT_THAT(flows_of(program),
              ElementsAre("0->1 &m[20] 32", "0->2 m[24..27], m[30..31] 48", "1->2 m[28..29] 16"));
  EXPECT_THAT(program.declarations, ElementsAre("static double *m;", "static double r;"));
  EXPECT_EQ(program.arrays[0].allocation, "malloc(512)");
}

TEST_F(Reading, constant_arrays_need_no_writer) {
  const ProgramFile file(std::string(procedures) +
                         "static const double c[4] = {1, 2};\nstatic double d[4] = {3};\n"
                         "int main(void) {\n  use(c, a[0]);\n  use(d, a[1]);\n  return 0;\n}\n");
  EXPECT_THAT(flows_of(file.read().program), testing::IsEmpty());
}

TEST_F(Reading, parameters_replace_definitions_in_the_text) {
  const ReadProgram read =
      read_program({.file = example("figure2.c"), .parameters = {{"PN", "2"}, {"SN", "1"}}});
  EXPECT_EQ(read.program.calls.size(), 6U);
  EXPECT_THAT(read.program.parameters, ElementsAre("PN=2", "SN=1"));
}

TEST_F(Reading, a_pointer_to_an_array_stays_one) {
  const ProgramFile file(
      "#include <stdlib.h>\ntypedef double tile[2][2];\nstatic tile t[3];\n"
      "void fill(tile *x) { (*x)[0][0] = 1; }\nvoid flat(double *x) { *x = 1; }\n"
      "int main(void) {\n  tile *a = malloc(3 * sizeof(tile));\n  fill(&a[0]);\n  fill(a + 1);\n  "
      "fill(&t[2]);\n"
      "  flat(&t[0][1][0]);\n  return 0;\n}\n");
  EXPECT_THAT(calls_of(file.read().program),
              ElementsAre("fill(&a[0])", "fill(&a[1])", "fill(&t[2])", "flat(&t[0][1][0])"));
}

TEST_F(Reading, structures_and_their_members_are_sections) {
  const ProgramFile file(
      "struct body { double x[3]; int n; };\n"
      "static struct { struct body all[4]; double sum; } s;\n"
      "void place(struct body *b) { b->n = 1; }\n"
      "void add(const double x[3], double *sum) { *sum = x[0]; }\n"
      "int main(void) {\n  for (int i = 0; i < 4; i++) place(&s.all[i]);\n  add(s.all[2].x, &s.sum);\n  "
      "return 0;\n}\n");
  const Program program = file.read().program;
  EXPECT_EQ(calls_of(program).back(), "add(s.all[2].x, &s.sum)");
  EXPECT_EQ(program.flows.size(), 1U);
  EXPECT_EQ(program.flows[0].from, CallId(2));
  EXPECT_EQ(program.flows[0].size(), 24U);
}

}  // namespace
}  // namespace takt::frontend
