/// Programs that break a rule: the rule, its place, and the form of the message.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/pipeline/frontend/programs.hpp"

namespace takt::frontend {
namespace {

using testing::HasSubstr;

/// Line 1 to 5 of every program; main begins in line 6.
constexpr const char* beginning =
    "#include <stdio.h>\n"
    "static double a[4][8], b[4][8];\n"
    "void make(double *x) { for (int i = 0; i < 8; i++) x[i] = i; }\n"
    "void copy(const double *x, double *y) { for (int i = 0; i < 8; i++) y[i] = x[i]; }\n"
    "void add(double x[4][8]) { for (int i = 0; i < 8; i++) x[0][i] = 1; }\n";

struct Case {
  const char* name;
  const char* main;
  const char* rule;
  int line, column;
};

class Violations : public testing::TestWithParam<Case> {};

TEST_P(Violations, are_reported_with_rule_line_and_column) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const ProgramFile file(std::string(beginning) + GetParam().main);
  try {
    (void)file.read();
    FAIL() << "no violation";
  } catch (const ProgramError& error) {
    const auto json = nlohmann::json::parse(error.json());
    ASSERT_FALSE(json.empty());
    EXPECT_EQ(json[0]["rule"], GetParam().rule) << error.what();
    EXPECT_EQ(json[0]["line"], GetParam().line) << error.what();
    EXPECT_EQ(json[0]["column"], GetParam().column) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("error: "));
    EXPECT_THAT(error.what(), HasSubstr("^"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    of, Violations,
    testing::Values(
        Case{"writing_twice", "int main(void) {\n  make(a[0]);\n  make(a[0]);\n}\n", "single-assignment", 8,
             8},
        Case{"writing_a_part_twice", "int main(void) {\n  add(a);\n  make(a[1]);\n}\n", "single-assignment",
             8, 8},
        Case{"reading_before_writing", "int main(void) {\n  make(a[0]);\n  copy(a[1], b[0]);\n}\n",
             "read-before-written", 8, 8},
        Case{"reading_more_than_written",
             "void whole(const double x[4][8]) { printf(\"%g\", x[0][0]); }\n"
             "int main(void) {\n  make(a[0]);\n  whole(a);\n}\n",
             "read-before-written", 9, 9},
        Case{"aliasing", "int main(void) {\n  make(a[0]);\n  copy(a[0], a[0]);\n}\n", "aliasing", 8, 14},
        Case{"an_index_out_of_range", "int main(void) {\n  for (int i = 0; i <= 4; i++) make(a[i]);\n}\n",
             "out-of-range", 7, 39},
        Case{"a_condition_on_data", "int main(void) {\n  make(a[0]);\n  if (a[0][0] > 1) make(b[0]);\n}\n",
             "data-dependent", 8, 7},
        Case{"a_bound_on_data",
             "void count(int *n) { *n = 3; }\n"
             "int main(void) {\n  int n;\n  count(&n);\n  for (int i = 0; i < n; i++) make(a[i]);\n}\n",
             "data-dependent", 10, 19},
        Case{"an_index_that_a_procedure_replaces",
             "void count(int *n) { *n = 3; }\n"
             "int main(void) {\n  int n = 1;\n  count(&n);\n  make(a[n]);\n}\n",
             "data-dependent", 10, 10},
        Case{"a_bound_on_arguments",
             "int main(int argc, char **argv) {\n  for (int i = 0; i < argc; i++) make(a[i]);\n"
             "  (void)argv;\n}\n",
             "data-dependent", 7, 19},
        Case{"an_endless_main", "int main(void) {\n  for (;;) {\n  }\n}\n", "endless", 7, 3},
        Case{"a_global_variable",
             "static double factor = 2;\nvoid scale(double *x) { x[0] = factor; }\n"
             "int main(void) {\n  scale(a[0]);\n}\n",
             "global-variable", 7, 32},
        Case{"a_global_variable_of_a_callee",
             "static double factor = 2;\nstatic double f(void) { return factor; }\n"
             "void scale(double *x) { x[0] = f(); }\nint main(void) {\n  scale(a[0]);\n}\n",
             "global-variable", 7, 32},
        Case{"a_constant_pointer_to_a_variable",
             "static double store[8];\nstatic double *const state = store;\n"
             "void scale(double *x) { x[0] = state[0]++; }\nint main(void) {\n  scale(a[0]);\n}\n",
             "global-variable", 7, 30},
        Case{"a_constant_table_of_parts_of_a_variable",
             "static double store[8];\nstatic const double *const state[1] = {store};\n"
             "void scale(double *x) { x[0] = state[0][0]; }\nint main(void) {\n  scale(a[0]);\n}\n",
             "global-variable", 7, 40},
        Case{"a_global_variable_of_a_function_whose_address_is_taken",
             "static double factor = 2;\nstatic double f(void) { return factor; }\n"
             "static double (*const table[])(void) = {f};\n"
             "void scale(double *x) { x[0] = table[0](); }\nint main(void) {\n  scale(a[0]);\n}\n",
             "global-variable", 7, 32},
        Case{"a_structure_with_a_pointer",
             "struct node { double *next; };\nstatic struct node node;\n"
             "void link(struct node *n) { n->next = 0; }\nint main(void) {\n  link(&node);\n}\n",
             "pointers", 10, 8},
        Case{"a_recursion_of_numbers_without_end",
             "static long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
             "int main(void) {\n  make(a[fib(90) % 4]);\n}\n",
             "endless", 6, 59},
        Case{"static_state",
             "void next(double *x) { static int n; x[0] = n++; }\nint main(void) {\n  next(a[0]);\n}\n",
             "static-state", 6, 35},
        Case{"an_assignment_of_main", "int main(void) {\n  make(a[0]);\n  a[0][1] = 3;\n}\n",
             "main-writes-data", 8, 3},
        Case{"an_unknown_extent", "static double flat[64];\nint main(void) {\n  make(&flat[8]);\n}\n",
             "extent", 8, 8},
        Case{"no_calls", "int main(void) {\n  return 0;\n}\n", "no-calls", 6, 5}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Violation, of_single_assignment_names_the_first_write_and_a_rewrite) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const ProgramFile file(std::string(beginning) + "int main(void) {\n  make(a[0]);\n  make(a[0]);\n}\n");
  try {
    (void)file.read();
    FAIL();
  } catch (const ProgramError& error) {
    const std::string text = error.what();
    EXPECT_THAT(text, HasSubstr(":8:8: error: make writes a[0], which make(a[0]) has written before\n"
                                "  make(a[0]);\n"
                                "       ^~~~\n"));
    EXPECT_THAT(text, HasSubstr(":7:8: note: first written here"));
    EXPECT_THAT(text, HasSubstr("takt_inout"));
  }
}

TEST(Violation, of_c_itself_has_the_compilers_message) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const ProgramFile file("int main(void) { return x; }\n");
  try {
    (void)file.read();
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("program.c:1:25: error: use of undeclared identifier 'x'"));
  }
}

TEST(Violation, of_references_of_cpp_names_the_parameter) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const ProgramFile file(
      "using block = double[4];\n"
      "static block a;\n"
      "static double b;\n"
      "void make(block &x, double &y) { x[0] = y = 1; }\n"
      "int main() { make(a, b); }\n",
      "program.cpp");
  try {
    (void)file.read();
    FAIL();
  } catch (const ProgramError& error) {
    const std::string text = error.what();
    EXPECT_THAT(text, HasSubstr("program.cpp:4:18: error: the parameter 'x' of make is a reference"));
    EXPECT_THAT(text, HasSubstr("program.cpp:4:29: error: the parameter 'y' of make is a reference"));
  }
}

TEST(Parameters, of_unknown_names_are_refused_with_the_known_ones) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  try {
    (void)read_program({.file = example("fft.c"), .parameters = {{"SM", "3"}}});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("unknown parameter 'SM'; did you mean 'SN'?"));
  }
}

TEST(Parameters, are_separated_from_the_file) {
  const std::optional<ProgramName> name = program_name("x/fft.c:PN=8,SN=4");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->file, "x/fft.c");
  EXPECT_EQ(name->to_string(), "x/fft.c:PN=8,SN=4");
  EXPECT_FALSE(program_name("fft:depth=4"));
  EXPECT_THROW((void)program_name("fft.c:PN"), ConfigError);
  EXPECT_THROW((void)program_name("fft.c:PN=1,PN=2"), ConfigError);
}

}  // namespace
}  // namespace takt::frontend
