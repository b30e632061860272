/// Generated programs are compiled without warnings and print what the sequential ones print.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/system/allowed_processors.hpp"
#include "tests/support/program.hpp"

namespace takt {
namespace {

namespace fs = std::filesystem;

std::string examples() {
  return std::string(TAKT_SOURCE_DIR) + "/docs/examples/parallelise/";
}

bool has_program(const std::string& name) {
  return test::Program({"sh", "-c", "command -v " + name}).wait().exit_code == 0;
}

test::Result run(std::vector<std::string> command) {
  return test::Program(std::move(command)).wait();
}

class Generated : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!has_program("clang")) GTEST_SKIP() << "clang is not installed";
  }
};

TEST_P(Generated, program_prints_what_the_sequential_one_prints) {
  const test::TemporaryFolder folder;
  const std::string source = examples() + GetParam() + ".c";
  const std::string sequential = (folder / "sequential").string();
  fs::create_directories(folder / "include" / "takt");
  fs::copy_file(std::string(TAKT_SOURCE_DIR) + "/pipeline/frontend/sections.h",
                folder / "include" / "takt" / "sections.h");
  const test::Result compiled = run({"cc", "-O2", "-ffp-contract=off", "-I" + (folder / "include").string(),
                                     "-o", sequential, source, "-lm"});
  ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
  const test::Result expected = run({sequential});
  ASSERT_EQ(expected.exit_code, 0) << expected.out;

  // Schedules that use all ranks, whether that pays or not.
  for (const auto& [ranks, scheduler] : {std::pair{"1", "heft"},
                                         {"2", "dls"},
                                         {"3", "ez"},
                                         {"4", "dsc"},
                                         {"5", "brent"},
                                         {"6", "mcp"},
                                         {"7", "etf"},
                                         {"8", "random"}}) {
    const std::string target = (folder / ("ranks_" + std::string(ranks))).string();
    std::vector<std::string> command{"parallelise", source,    "-P",        ranks,
                                     "--scheduler", scheduler, "--machine", fmt::format("delay:P={}", ranks),
                                     "-o",          target};
    if (std::string_view(ranks) >= "6") command.emplace_back("--times");
    const test::Result written = test::takt(command);
    ASSERT_EQ(written.exit_code, 0) << written.err;
    const test::Result made =
        run({"make", "-C", target, "CFLAGS=-O2 -Wall -Wextra -Werror -ffp-contract=off -I."});
    ASSERT_EQ(made.exit_code, 0) << made.err << made.out;
    const test::Result found = run({"mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                                    "-n", ranks, target + "/" + GetParam()});
    EXPECT_EQ(found.exit_code, 0) << found.err;
    EXPECT_EQ(found.out, expected.out) << ranks << " ranks by " << scheduler;
  }
}

TEST_P(Generated, program_may_be_repeated) {
  const test::TemporaryFolder folder;
  const std::string target = (folder / "repeated").string();
  const test::Result written =
      test::takt({"parallelise", examples() + GetParam() + ".c", "-P", "3", "--repeat", "--scheduler",
                  "brent", "--machine", "delay:P=3", "-o", target});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  const test::Result made =
      run({"make", "-C", target, "CFLAGS=-O2 -Wall -Wextra -Werror -ffp-contract=off -I."});
  ASSERT_EQ(made.exit_code, 0) << made.err << made.out;
  const auto output_of = [&](const std::string& inputs) {
    const test::Result found = run({"mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                                    "-n", "3", target + "/" + GetParam(), inputs});
    EXPECT_EQ(found.exit_code, 0) << found.err;
    return found.out;
  };
  const std::string once = output_of("1");
  EXPECT_FALSE(once.empty());
  EXPECT_EQ(output_of("3"), once + once + once);
}

INSTANTIATE_TEST_SUITE_P(examples, Generated,
                         testing::Values("figure2", "fft", "gauss", "laplace_jacobi", "laplace_gauss_seidel",
                                         "nbody", "cholesky", "lu", "stencil", "smith_waterman", "sort"),
                         [](const auto& info) { return info.param; });

TEST(GeneratedProgram, of_cpp_is_cpp_and_prints_the_same) {
  if (!has_program("clang++")) GTEST_SKIP() << "clang++ is not installed";
  const test::TemporaryFolder folder;
  const std::string source =
      folder.file("tree.cpp",
                  "#include <cstdio>\n"
                  "#include <cstdlib>\n"
                  "constexpr int PN = 4, SN = 8;\n"
                  "struct body { double x, weight; };\n"
                  "using block = body[SN];\n"
                  "static block bodies[PN];\n"
                  "static double sums[PN], total;\n"
                  "void start(body *all, int first) {\n"
                  "  for (int i = 0; i < SN; i++) all[i] = body{first + i * 0.1, 1.0 + i};\n"
                  "}\n"
                  "void weigh(const body *all, double *sum) {\n"
                  "  *sum = 0;\n"
                  "  for (int i = 0; i < SN; i++) *sum += all[i].x * all[i].weight;\n"
                  "}\n"
                  "void add(const double sums[PN], const double scale[2], double *total) {\n"
                  "  *total = 0;\n"
                  "  for (int i = 0; i < PN; i++) *total += sums[i] * scale[i % 2];\n"
                  "}\n"
                  "void choose(double scale[2]) { scale[0] = 1.5; scale[1] = 0.1; }\n"
                  "void show(const double *total) { std::printf(\"%.17g\\n\", *total); }\n"
                  "int main() {\n"
                  "  auto *scale = static_cast<double *>(std::malloc(2 * sizeof(double)));\n"
                  "  choose(scale);\n"
                  "  for (int i = 0; i < PN; i++) start(bodies[i], static_cast<int>(i * SN));\n"
                  "  for (int i = 0; i < PN; i++) weigh(bodies[i], &sums[i]);\n"
                  "  add(sums, scale, &total);\n"
                  "  show(&total);\n"
                  "}\n");
  const std::string sequential = (folder / "sequential").string();
  ASSERT_EQ(run({"c++", "-O2", "-ffp-contract=off", "-o", sequential, source}).exit_code, 0);
  const test::Result expected = run({sequential});
  for (const char* ranks : {"1", "3"}) {
    const std::string target = (folder / ("out" + std::string(ranks))).string();
    const test::Result written =
        test::takt({"parallelise", source, "-P", ranks, "--scheduler", "random", "--times", "-o", target});
    ASSERT_EQ(written.exit_code, 0) << written.err;
    for (const char* compiler : {"g++", "clang++"}) {
      if (!has_program(compiler)) continue;
      const test::Result made = run({"env", fmt::format("OMPI_CXX={}", compiler), "make", "-B", "-C", target,
                                     "CXXFLAGS=-O2 -Wall -Wextra -Werror -ffp-contract=off -I."});
      ASSERT_EQ(made.exit_code, 0) << compiler << made.err << made.out;
    }
    const test::Result found = run({"mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                                    "-n", ranks, target + "/tree"});
    EXPECT_EQ(found.out, expected.out) << found.err;
  }
  EXPECT_EQ(test::takt({"profile", source}).exit_code, 0);
}

TEST(GeneratedProgram, may_have_the_names_of_its_helpers_and_of_mains_variables) {
  if (!has_program("clang")) GTEST_SKIP() << "clang is not installed";
  const test::TemporaryFolder folder;
  const std::string source =
      folder.file("names.c",
                  "#include <stdio.h>\n"
                  "struct section { double x[2]; };\n"
                  "static struct section message[3];\n"
                  "static const int sum = 1;\n"
                  "void SEND(struct section *s, int n) { s->x[0] = s->x[1] = n; }\n"
                  "void total(const struct section messages[3], double *t) {\n"
                  "  *t = messages[0].x[0] + messages[1].x[1] + messages[2].x[0] + sum;\n"
                  "}\n"
                  "void show(const double *t) { printf(\"%g\\n\", *t); }\n"
                  "int main(void) {\n"
                  "  double sum;\n"
                  "  for (int i = 0; i < 3; i++) SEND(&message[i], i);\n"
                  "  total(message, &sum);\n"
                  "  show(&sum);\n"
                  "  return 0;\n"
                  "}\n");
  const std::string target = (folder / "out").string();
  const test::Result written = test::takt({"parallelise", source, "-P", "2", "--scheduler", "brent",
                                           "--machine", "delay:P=2", "--times", "-o", target});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  const test::Result made = run({"make", "-C", target, "CFLAGS=-O2 -Wall -Wextra -Werror -I."});
  ASSERT_EQ(made.exit_code, 0) << made.err << made.out;
  const test::Result found = run({"mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                                  "-n", "2", target + "/names"});
  EXPECT_EQ(found.out, "4\n") << found.err;
  EXPECT_NE(found.err.find("rank 1: "), std::string::npos);
}

TEST(GeneratedProgram, has_numbers_streams_and_tables_of_functions_as_the_sequential_one) {
  if (!has_program("clang")) GTEST_SKIP() << "clang is not installed";
  const test::TemporaryFolder folder;
  const std::string source =
      folder.file("kinds.c",
                  "#include <limits.h>\n"
                  "#include <math.h>\n"
                  "#include <stdint.h>\n"
                  "#include <stdio.h>\n"
                  "static double u[4];\n"
                  "static double once(double x) { return x; }\n"
                  "static double twice(double x) { return 2 * x; }\n"
                  "static double (*const table[])(double) = {once, twice};\n"
                  "void fill(double *x, int n, double by) { *x = table[n % 2](n) * by; }\n"
                  "void show(const double x[4]) { printf(\"%g %g %g\\n\", x[0], x[1], x[3]); }\n"
                  "int main(void) {\n"
                  "  float f = 0.1f;\n"
                  "  long low = -5;\n"
                  "  for (int i = 0; i < 4; i++) fill(u + i, i, i == 3 ? 1e308 * 10 : 1e-310);\n"
                  "  printf(\"%ld %ld %.17g %lu %u\\n\", low, LONG_MIN, f, UINT64_MAX, UINT_MAX);\n"
                  "  fprintf(stdout, \"%zu %d %lld\\n\", sizeof u, 7, -8LL);\n"
                  "  show(u);\n"
                  "  return 0;\n"
                  "}\n");
  const std::string target = (folder / "out").string(), sequential = (folder / "sequential").string();
  ASSERT_EQ(run({"gcc", "-O2", source, "-o", sequential}).exit_code, 0);
  const test::Result written =
      test::takt({"parallelise", source, "-P", "2", "--scheduler", "random", "-o", target});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  const test::Result made = run({"make", "-C", target, "CFLAGS=-O2 -Wall -Wextra -Werror -I."});
  ASSERT_EQ(made.exit_code, 0) << made.err << made.out;
  const test::Result found = run({"mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                                  "-n", "2", target + "/kinds"});
  EXPECT_EQ(found.out, run({sequential}).out) << found.err;
}

TEST(RunOfProgram, prints_the_output_and_returns_the_exit_code) {
  if (!has_program("clang")) GTEST_SKIP() << "clang is not installed";
  const test::Result good =
      test::takt({"run", examples() + "fft.c:PN=8,SN=4", "--ranks", "2", "--scheduler", "heft"});
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_NE(good.out.find("fft: 32 points"), std::string::npos);
  const test::Result wrong = test::takt({"run", examples() + "fft.c:PN=8", "--duration", "3s"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("--duration is not valid for a C program"), std::string::npos);
}

TEST(RepeatedProgram, prints_for_successive_inputs_what_the_sequential_one_prints) {
  if (!has_program("clang")) GTEST_SKIP() << "clang is not installed";
  const test::TemporaryFolder folder;
  // The inputs come from the terminal's stream; `total` starts anew with each, from 1.
  const std::string source =
      folder.file("mean.c",
                  "#include <stdio.h>\n#include <stdlib.h>\n#include <takt/sections.h>\n"
                  "static double x[4][8], y[4][8];\n"
                  "static double total[4] = {1, 1, 1, 1};\n"
                  "void Read(double x[4][8]) {\n"
                  "  int seed;\n"
                  "  if (scanf(\"%d\", &seed) != 1) exit(3);\n"
                  "  for (int i = 0; i < 32; i++) x[i / 8][i % 8] = seed * 0.37 + i;\n"
                  "}\n"
                  "void Square(const double *x, double *y, int n) {\n"
                  "  for (int i = 0; i < n; i++) y[i] = x[i] * x[i] / 3;\n}\n"
                  "void Add(const double *y, takt_inout double *sum, int n) {\n"
                  "  for (int i = 0; i < n; i++) *sum += y[i];\n}\n"
                  "void Print(const double total[4]) { printf(\"%.17g %.17g\\n\", total[0], total[3]); }\n"
                  "int main(void) {\n"
                  "  Read(x);\n"
                  "  for (int i = 0; i < 4; i++) Square(x[i], y[i], 8);\n"
                  "  for (int i = 0; i < 4; i++) Add(y[i], &total[i], 8);\n"
                  "  Print(total);\n"
                  "  return 0;\n}\n");
  fs::create_directories(folder / "takt");
  fs::copy_file(std::string(TAKT_SOURCE_DIR) + "/pipeline/frontend/sections.h",
                folder / "takt" / "sections.h");
  const std::string sequential = (folder / "sequential").string();
  ASSERT_EQ(run({"cc", "-O2", "-ffp-contract=off", "-I" + (folder / ".").string(), "-o", sequential, source})
                .exit_code,
            0);
  const test::Result expected =
      run({"sh", "-c", "for i in 3 1 4 1 5 9 2 6; do echo $i | " + sequential + "; done"});
  for (const auto& [ranks, scheduler] :
       {std::pair{"1", "auto"}, {"2", "auto"}, {"3", "random"}, {"4", "brent"}}) {
    const std::string target = (folder / ("ranks_" + std::string(ranks))).string();
    const test::Result written =
        test::takt({"parallelise", source, "-P", ranks, "--scheduler", scheduler, "--machine",
                    fmt::format("delay:P={}", ranks), "--repeat", "--times", "-o", target});
    ASSERT_EQ(written.exit_code, 0) << written.err;
    EXPECT_NE(written.out.find("predicted for successive inputs"), std::string::npos) << written.out;
    const test::Result made =
        run({"make", "-C", target, "CFLAGS=-O2 -Wall -Wextra -Werror -ffp-contract=off -I."});
    ASSERT_EQ(made.exit_code, 0) << made.err << made.out;
    const test::Result found =
        run({"sh", "-c",
             fmt::format("echo 3 1 4 1 5 9 2 6 | mpirun --allow-run-as-root --oversubscribe "
                         "--bind-to none -n {} {}/mean 8",
                         ranks, target)});
    EXPECT_EQ(found.exit_code, 0) << found.err;
    EXPECT_EQ(found.out, expected.out) << ranks << " ranks by " << scheduler;
    EXPECT_NE(found.err.find("8 inputs, "), std::string::npos) << found.err;
  }
}

TEST(ComparisonOfPrograms, executes_all_plans_and_baselines) {
  if (!has_program("clang")) GTEST_SKIP() << "clang is not installed";
  const test::Result found =
      test::takt({"compare", examples() + "sort.c", "--execute", "--ranks", "2", "--runs", "2",
                  "--schedulers", "heft,random,astar", "--machine", "delay:P=2", "--format", "json"});
  ASSERT_EQ(found.exit_code, 0) << found.err;
  const auto json = nlohmann::json::parse(found.out);
  const auto& experiment = json.at("experiments").at(0);
  EXPECT_EQ(experiment.at("program"), "sort.c");
  const bool is_simulated = experiment.at("simulated");
  EXPECT_EQ(is_simulated, allowed_processors().size() < 2);
  std::vector<std::string> names;
  for (const auto& row : experiment.at("rows")) {
    names.push_back(row.at("scheduler"));
    if (row.contains("error")) continue;
    EXPECT_GE(row.at("predicted"), 1);
    if (is_simulated) continue;
    ASSERT_EQ(row.at("runs").size(), 2U);
    EXPECT_DOUBLE_EQ(row.at("executed"),
                     (row.at("runs").at(0).get<double>() + row.at("runs").at(1).get<double>()) / 2);
    EXPECT_LE(row.at("in_calls").get<double>() + row.at("in_messages").get<double>(), 1.01);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"heft", "random", "astar", "owner, block", "owner, cyclic",
                                             "owner, block-cyclic"}));
}

TEST(ComparisonOfPrograms, simulates_more_ranks_than_processors_and_has_tables_by_size) {
  if (!has_program("clang")) GTEST_SKIP() << "clang is not installed";
  const test::Result found =
      test::takt({"compare", examples() + "fft.c:PN=4", examples() + "fft.c:PN=8", "--execute", "--ranks",
                  "4096", "--schedulers", "heft,mcp", "--machine", "delay:P=4096"});
  ASSERT_EQ(found.exit_code, 0) << found.err;
  for (const char* part : {"fft.c:PN=4: 14 calls on 4096 ranks; simulated", "owner, cyclic", "Kendall's tau",
                           "executed times (mean; predicted where simulated)", "times of the schedulers"})
    EXPECT_NE(found.out.find(part), std::string::npos) << part << " in\n" << found.out;
}

TEST(ComparisonOfPrograms, refuses_what_does_not_apply) {
  const auto refusal = [](std::vector<std::string> words) {
    words.insert(words.begin(), "compare");
    const test::Result found = test::takt(words);
    EXPECT_EQ(found.exit_code, 2);
    return found.err;
  };
  EXPECT_NE(
      refusal({"gauss:size=3", "--runs", "2", "--machine", "delay:P=2"}).find("expected --execute as well"),
      std::string::npos);
  EXPECT_NE(refusal({"gauss:size=3"}).find("--machine is required"), std::string::npos);
  EXPECT_NE(refusal({"gauss:size=3", "--execute"}).find("is not a C program"), std::string::npos);
  EXPECT_NE(refusal({"a.c", "--execute", "--summary"}).find("expected neither with --execute"),
            std::string::npos);
  EXPECT_NE(refusal({"a.c", "--execute", "--format", "csv"}).find("known: table json"), std::string::npos);
}

TEST(GraphOfProgram, is_that_of_a_file_with_the_same_tasks) {
  if (!has_program("clang")) GTEST_SKIP() << "clang is not installed";
  const test::TemporaryFolder folder;
  const std::string file = (folder / "gauss.yaml").string();
  ASSERT_EQ(test::takt({"graph", examples() + "gauss.c:PN=5,SN=3", "-o", file}).exit_code, 0);
  EXPECT_EQ(test::takt({"graph", file, "--info"}).out,
            test::takt({"graph", examples() + "gauss.c:PN=5,SN=3", "--info"}).out);
}

TEST(ProfileOfProgram, gives_the_works_of_the_calls) {
  if (!has_program("clang")) GTEST_SKIP() << "clang is not installed";
  const test::TemporaryFolder folder;
  const std::string file = (folder / "profile.yaml").string();
  const test::Result measured = test::takt({"profile", examples() + "sort.c", "-o", file});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  EXPECT_EQ(test::takt({"graph", examples() + "sort.c:profile=" + file, "--info"}).exit_code, 0);
  const test::Result other = test::takt({"graph", examples() + "sort.c:PN=8,profile=" + file, "--info"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("profile the program with the same parameters"), std::string::npos);
}

}  // namespace
}  // namespace takt
