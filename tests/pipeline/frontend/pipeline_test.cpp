/// C programs as pipelines: each frame gives what one run of the sequential program prints, bit for bit.

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/program.hpp"

namespace takt {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

bool has_clang() {
  return test::Program({"sh", "-c", "command -v clang"}).wait().exit_code == 0;
}

test::Result run(std::vector<std::string> command) {
  return test::Program(std::move(command)).wait();
}

std::string example(const std::string& name) {
  return test::read_file(std::string(TAKT_SOURCE_DIR) + "/docs/examples/parallelise/" + name + ".c");
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

/// A program in a folder with the header of sections.
class Source {
 public:
  explicit Source(const std::string& name, const std::string& text) : file_(folder_.file(name, text)) {
    fs::create_directories(folder_ / "takt");
    fs::copy_file(std::string(TAKT_SOURCE_DIR) + "/pipeline/frontend/sections.h",
                  folder_ / "takt" / "sections.h");
  }

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] fs::path operator/(const std::string& name) const { return folder_ / name; }

  /// Returns what the sequential program prints, started with this stdin.
  [[nodiscard]] std::string sequential_output(const std::string& input = {}) const {
    const std::string program = (folder_ / "sequential").string();
    const bool is_c = file_.ends_with(".c");
    const test::Result compiled = run({is_c ? "cc" : "c++", "-O2", "-ffp-contract=off",
                                       "-I" + (folder_ / "").string(), "-o", program, file_, "-lm"});
    EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
    const test::Result result = run({"sh", "-c", fmt::format("printf '{}' | {}", input, program)});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  }

  /// Writes the pipeline and compiles its calls without warnings; returns its folder.
  [[nodiscard]] std::string pipeline() const {
    const std::string target = (folder_ / "pipeline").string();
    const test::Result written = test::takt({"parallelise", file_, "--pipeline", "-P", "2", "-o", target});
    EXPECT_EQ(written.exit_code, 0) << written.err;
    const char* const flags = file_.ends_with(".c") ? "CFLAGS" : "CXXFLAGS";
    const test::Result made =
        run({"make", "-C", target, fmt::format("{}=-O2 -Wall -Wextra -Werror -ffp-contract=off -I.", flags)});
    EXPECT_EQ(made.exit_code, 0) << made.err << made.out;
    return target;
  }

 private:
  test::TemporaryFolder folder_;
  std::string file_;
};

/// Runs a pipeline; returns what its program has printed.
std::string output_of(const std::string& pipeline, const std::string& file,
                      std::vector<std::string> options) {
  std::vector<std::string> words{
      "run", pipeline + "/pipeline.yaml", "--set", "sinks.output.path=" + file, "--no-serve", "--format",
      "none"};
  words.insert(words.end(), options.begin(), options.end());
  const test::Result result = test::takt(words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return test::read_file(file);
}

class ProgramAsPipeline : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  }
};

TEST_P(ProgramAsPipeline, prints_for_each_frame_what_the_sequential_program_prints) {
  const Source source(GetParam() + ".c", example(GetParam()));
  const std::string expected = source.sequential_output();
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(output_of(source.pipeline(), (source / "out.txt").string(), {"--frames", "3", "--ranks", "2"}),
            repeated(expected, 3));
}

INSTANTIATE_TEST_SUITE_P(examples, ProgramAsPipeline,
                         testing::Values("figure2", "laplace_jacobi", "laplace_gauss_seidel", "nbody", "lu",
                                         "stencil", "smith_waterman", "sort"),
                         [](const auto& info) { return info.param; });

/// An example that also prints all bits of its result.
struct Dumped {
  std::string name;
  /// The call in front of which the result is complete, and the pointer and number of its values.
  std::string last_call, values, count;
  friend void PrintTo(const Dumped& dumped, std::ostream* out) { *out << dumped.name; }
};

class ProgramAsPipelineOnRanks : public testing::TestWithParam<Dumped> {};

TEST_P(ProgramAsPipelineOnRanks, has_the_bits_of_the_sequential_program) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const auto& [name, last_call, values, count] = GetParam();
  std::string text = example(name);
  text.insert(text.rfind(last_call), fmt::format("Dump({}, {});\n  ", count, values));
  text.insert(text.find("int main"),
              "void Dump(int n, const double x[n]) {\n"
              "  for (int i = 0; i < n; i++) printf(\"%a\\n\", x[i]);\n}\n\n");
  const Source source(name + ".c", text);
  const std::string expected = source.sequential_output();
  ASSERT_FALSE(expected.empty());
  const std::string pipeline = source.pipeline();
  for (const auto& [ranks, scheduler] :
       {std::pair{"1", ""}, {"2", ""}, {"2", "heft"}, {"3", ""}, {"3", "etf"}}) {
    std::vector<std::string> options{"--frames", "20", "--ranks", ranks};
    if (*scheduler != '\0') options.insert(options.end(), {"--scheduler", scheduler});
    const std::string file = (source / fmt::format("out-{}-{}.txt", ranks, scheduler)).string();
    EXPECT_EQ(output_of(pipeline, file, options), repeated(expected, 20)) << ranks << " ranks, " << scheduler;
  }
}

INSTANTIATE_TEST_SUITE_P(examples, ProgramAsPipelineOnRanks,
                         testing::Values(Dumped{"fft", "OutputResult(data[0])", "&data[0][0][0][0]", "2 * N"},
                                         Dumped{"gauss", "Solve(lu)", "&lu[0][0][0]", "PN * SN * N"},
                                         Dumped{"cholesky", "check(a, N)", "a", "N * N"}),
                         [](const auto& info) { return info.param.name; });

TEST(PipelineOfAProgram, reads_successive_inputs_and_begins_each_with_the_initial_values) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  // `total` is updated in place; `scale` is written in part by a call, and has an initial value elsewhere.
  const Source source("mean.c",
                      "#include <stdio.h>\n#include <stdlib.h>\n#include <takt/sections.h>\n"
                      "static double x[4][8], y[4][8], scale[4] = {1, 2, 3, 4};\n"
                      "static double total[4] = {1, 1, 1, 1};\n"
                      "static const double weight[2] = {0.3, 0.7};\n"
                      "void Read(double x[4][8], double *first) {\n"
                      "  int seed;\n"
                      "  if (scanf(\"%d\", &seed) != 1) exit(3);\n"
                      "  for (int i = 0; i < 32; i++) x[i / 8][i % 8] = seed * 0.37 + i;\n"
                      "  *first = seed;\n}\n"
                      "void Square(const double *x, const double w[2], double *y, int n) {\n"
                      "  for (int i = 0; i < n; i++) y[i] = x[i] * x[i] / 3 + w[i % 2];\n}\n"
                      "void Add(const double *y, takt_inout double *sum, int n) {\n"
                      "  for (int i = 0; i < n; i++) *sum += y[i];\n}\n"
                      "void Print(const double total[4], const double scale[4], takt_out int *lines) {\n"
                      "  for (int i = 0; i < 4; i++) printf(\"%a %a\\n\", total[i], scale[i]);\n"
                      "  *lines = 4;\n}\n"
                      "void Count(const int *lines) { printf(\"%d lines\\n\", *lines); }\n"
                      "int main(void) {\n"
                      "  int lines;\n"
                      "  Read(x, &scale[1]);\n"
                      "  for (int i = 0; i < 4; i++) Square(x[i], weight, y[i], 8);\n"
                      "  for (int i = 0; i < 4; i++) Add(y[i], &total[i], 8);\n"
                      "  Print(total, scale, &lines);\n"
                      "  Count(&lines);\n"
                      "  return 0;\n}\n");
  std::string expected;
  for (const char* input : {"3", "1", "4", "1", "5", "9", "2", "6"})
    expected += source.sequential_output(input);
  const std::string pipeline = source.pipeline();
  std::ofstream(pipeline + "/input.txt") << "3 1 4 1\n\n 5 9 2 6 \n\n";
  // The inputs end the stream.
  for (const char* ranks : {"1", "2", "3"})
    EXPECT_EQ(output_of(pipeline, (source / fmt::format("out{}.txt", ranks)).string(), {"--ranks", ranks}),
              expected)
        << ranks << " ranks";
  const std::vector<std::string> words =
      test::takt_command({"run", source.file(), "--frames", "3", "--format", "none"});
  const test::Result direct = run({"sh", "-c", fmt::format("echo 3 1 4 1 | {}", fmt::join(words, " "))});
  EXPECT_EQ(direct.exit_code, 0) << direct.err;
  EXPECT_EQ(direct.out, expected.substr(0, direct.out.size()));
  EXPECT_EQ(std::ranges::count(direct.out, '\n'), 15);
}

TEST(PipelineOfAProgram, writes_results_that_no_call_reads) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  // The last calls print nothing; twice writes every second element only, the others stay zero.
  const Source source(
      "twice.c",
      "static float x[8], y[2][8];\n"
      "void make(float x[8]) { for (int i = 0; i < 8; i++) x[i] = i + 1; }\n"
      "void twice(const float x[4], float y[8]) { for (int i = 0; i < 4; i++) y[2 * i] = 2 * x[i]; }\n"
      "int main(void) {\n"
      "  make(x);\n"
      "  twice(&x[0], y[0]);\n"
      "  twice(&x[4], y[1]);\n"
      "  return 0;\n}\n");
  const std::string pipeline = source.pipeline();
  const std::string first = (source / "first").string(), second = (source / "second").string();
  const test::Result result =
      test::takt({"run", pipeline + "/pipeline.yaml", "--frames", "2", "--no-serve", "--set",
                  "sinks.twice-1-result.path=" + first, "--set", "sinks.twice-2-result.path=" + second});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const auto& [file, start] : {std::pair{first, 1}, {second, 5}}) {
    std::vector<float> expected;
    for (int frame = 0; frame < 2; ++frame)
      for (int i = 0; i < 4; ++i)
        expected.insert(expected.end(), {2.0F * static_cast<float>(start + i), 0.0F});
    const std::string bytes = test::read_file(file);
    ASSERT_EQ(bytes.size(), expected.size() * sizeof(float));
    std::vector<float> found(expected.size());
    std::memcpy(found.data(), bytes.data(), bytes.size());
    EXPECT_EQ(found, expected);
  }
}

TEST(PipelineOfAProgram, in_cpp_prints_the_same) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const Source source(
      "tree.cpp",
      "#include <cstdio>\n#include <iostream>\n"
      "constexpr int PN = 4, SN = 8;\n"
      "struct body { double x, weight; };\n"
      "using block = body[SN];\n"
      "static block bodies[PN];\n"
      "static double sums[PN], total;\n"
      "void start(body *all, int first) {\n"
      "  for (int i = 0; i < SN; i++) all[i] = body{first + i * 0.1, 1.0 + i};\n}\n"
      "void weigh(const body *all, double *sum) {\n"
      "  *sum = 0;\n"
      "  for (int i = 0; i < SN; i++) *sum += all[i].x * all[i].weight;\n}\n"
      "void add(const double sums[PN], double *total) {\n"
      "  *total = 0;\n  for (int i = 0; i < PN; i++) *total += sums[i];\n}\n"
      "void show(const double *total) { std::printf(\"%a\\n\", *total); std::cout << *total << '\\n'; }\n"
      "int main() {\n"
      "  for (int i = 0; i < PN; i++) start(bodies[i], static_cast<int>(i * SN));\n"
      "  for (int i = 0; i < PN; i++) weigh(bodies[i], &sums[i]);\n"
      "  add(sums, &total);\n"
      "  show(&total);\n}\n");
  EXPECT_EQ(output_of(source.pipeline(), (source / "out.txt").string(), {"--frames", "3", "--ranks", "2"}),
            repeated(source.sequential_output(), 3));
}

TEST(PlugInInC, of_the_reference_doubles_frames_of_floats) {
  const test::TemporaryFolder folder;
  const std::string page = test::read_file(TAKT_SOURCE_DIR "/docs/reference/plugins.md");
  const std::size_t begin = page.find("```c\n#include <takt/program.h>") + 5;
  const std::string source = folder.file("twice.c", page.substr(begin, page.find("```", begin) - begin));
  fs::create_directories(folder / "takt");
  fs::copy_file(TAKT_SOURCE_DIR "/pipeline/c_program/program.h", folder / "takt" / "program.h");
  const test::Result made =
      run({"cc", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-fvisibility=hidden",
           "-I" + (folder / "").string(), "-o", (folder / "twice.so").string(), source});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string out = (folder / "out.raw").string();
  const auto pipeline = [&](const std::string& elements, const std::string& call) {
    return folder.file(
        "twice.yaml",
        fmt::format("plugins: [twice.so]\n"
                    "sources:\n"
                    "  numbers: {{type: synthetic, element: float32, axes: [time={}], pattern: ramp}}\n"
                    "tasks:\n  double: {{kernel: c_call, call: {}, input: numbers}}\n"
                    "sinks:\n  file: {{type: raw, input: double, path: {}}}\n",
                    elements, call, out));
  };
  const test::Result result = test::takt({"run", pipeline("1024", "twice"), "--frames", "2", "--no-serve"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string bytes = test::read_file(out);
  ASSERT_EQ(bytes.size(), 2 * 4096U);
  for (std::size_t i = 0; i < 2048; ++i) {
    float value = 0;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    ASSERT_EQ(value, 2.0F * static_cast<float>(i));
  }
  EXPECT_THAT(
      test::takt({"run", pipeline("512", "twice"), "--frames", "2"}).err,
      HasSubstr(
          "twice.yaml:5:48: task 'double': c_call cannot take 'numbers': twice: expected frames of 4096"));
  EXPECT_THAT(test::takt({"run", pipeline("1024", "twise"), "--frames", "2"}).err,
              HasSubstr("unknown call 'twise'; did you mean 'twice'?"));
}

TEST(PipelineOfAProgram, refuses_works_of_calls) {
  const test::TemporaryFolder folder;
  const std::string program = std::string(TAKT_SOURCE_DIR) + "/docs/examples/parallelise/fft.c";
  for (const std::string key : {"costs", "profile"}) {
    const test::Result found = test::takt({"parallelise", program + ":PN=8," + key + "=works.yaml",
                                           "--pipeline", "-o", (folder / "fft").string()});
    EXPECT_EQ(found.exit_code, 2);
    EXPECT_NE(found.err.find(key + " has no meaning for a pipeline"), std::string::npos) << found.err;
  }
}

TEST(PipelineOfAProgram, excludes_options_of_mpi_programs) {
  const test::Result result = test::takt({"parallelise", "fft.c", "--pipeline", "--repeat", "-o", "out"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--repeat"));
  EXPECT_THAT(test::takt({"parallelise", "fft.c", "--pipeline"}).err, HasSubstr("--output DIR is required"));
}

}  // namespace
}  // namespace takt
