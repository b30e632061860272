/// Tests that users can install takt, build the examples against it, and run them.

#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/support/program.hpp"
#include "tests/support/udp.hpp"

namespace takt::test {
namespace {

using ::testing::HasSubstr;

/// Returns the command's result; a failure shows its output.
Result run(std::vector<std::string> command) {
  const Result result = Program(std::move(command)).wait(std::chrono::seconds{240});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  return result;
}

TEST(PluginExample, is_built_against_an_installed_takt_and_runs) {
  const TemporaryFolder folder;
  const std::string prefix = folder / "prefix", project = folder / "gain-plugin",
                    program = prefix + "/bin/takt";
  run({TAKT_CMAKE, "--install", TAKT_BUILD_FOLDER, "--prefix", prefix});
  EXPECT_THAT(read_file(prefix + "/share/man/man1/takt-run.1"), HasSubstr(".TH takt-run 1"));
  std::filesystem::copy(TAKT_SOURCE_DIR "/docs/examples/gain-plugin", project,
                        std::filesystem::copy_options::recursive);
  run({TAKT_CMAKE, "-G", "Ninja", "-S", project, "-B", project + "/build", "-DCMAKE_PREFIX_PATH=" + prefix});
  run({TAKT_CMAKE, "--build", project + "/build"});

  EXPECT_THAT(run({program, "list", "kernels", "--plugin", project + "/build/libgain.so"}).out,
              HasSubstr("multiplies every element by a factor"));

  // Outputs are relative to the working directory, plug-ins to the pipeline's folder.
  const std::string output = folder / "gain.raw";
  run({program, "run", project + "/gain.yaml", "--set", "sinks.file.path=" + output});
  const std::string bytes = read_file(output);
  ASSERT_EQ(bytes.size(), 10 * 4 * sizeof(float));
  for (std::size_t i = 0; i < 40; ++i) {
    float value;
    std::memcpy(&value, bytes.data() + i * sizeof(float), sizeof(float));
    EXPECT_EQ(value, 2.5F * static_cast<float>(i / 4));
  }

  // Exceptions cross the boundary between program and plug-in.
  const auto refusal = [&](const std::string& override) {
    const Result result = Program({program, "run", project + "/gain.yaml", "--set", override}).wait();
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_THAT(
      refusal("tasks.louder.factor=loud"),
      HasSubstr("--set tasks.louder.factor: task 'louder': parameter 'factor': 'loud' is not a number"));
  EXPECT_THAT(refusal("sources.numbers.element=int16"),
              HasSubstr("gain.yaml:7:33: task 'louder': gain cannot take 'numbers': expected float32..., got "
                        "int16[time=4]"));
}

TEST(PluginExample, of_asynchronous_kernels_is_built_and_runs) {
  const TemporaryFolder folder;
  const std::string prefix = folder / "prefix", device = folder / "device-plugin",
                    cuda = folder / "cuda-plugin";
  run({TAKT_CMAKE, "--install", TAKT_BUILD_FOLDER, "--prefix", prefix});
  for (const char* name : {"device-plugin", "cuda-plugin"})
    std::filesystem::copy(std::string(TAKT_SOURCE_DIR "/docs/examples/") + name, folder / name,
                          std::filesystem::copy_options::recursive);
  run({TAKT_CMAKE, "-G", "Ninja", "-S", device, "-B", device + "/build", "-DCMAKE_PREFIX_PATH=" + prefix});
  run({TAKT_CMAKE, "--build", device + "/build"});
  const std::string output = folder / "device.raw";
  run({prefix + "/bin/takt", "run", device + "/device.yaml", "--set", "sinks.file.path=" + output});
  const std::string bytes = read_file(output);
  ASSERT_EQ(bytes.size(), 100 * 4 * sizeof(float));
  for (std::size_t i = 0; i < 400; ++i) {
    float value;
    std::memcpy(&value, bytes.data() + i * sizeof(float), sizeof(float));
    EXPECT_EQ(value, static_cast<float>((i / 4) * (i / 4)));
  }
  const std::string fourth = folder / "fourth.raw";
  run({prefix + "/bin/takt", "run", device + "/shared.yaml", "--set", "sinks.file.path=" + fourth});
  EXPECT_EQ(read_file(fourth).size(), 100 * 4 * sizeof(float));
  // Without a CUDA toolkit there is nothing to build.
  const Result configured =
      run({TAKT_CMAKE, "-G", "Ninja", "-S", cuda, "-B", cuda + "/build", "-DCMAKE_PREFIX_PATH=" + prefix});
  if (configured.out.find("no CUDA toolkit") == std::string::npos)
    run({TAKT_CMAKE, "--build", cuda + "/build"});
}

TEST(PluginExample, of_a_source_and_a_sink_is_built_like_a_users_and_runs) {
  const TemporaryFolder folder;
  const std::string prefix = folder / "prefix", project = folder / "csv-plugin",
                    program = prefix + "/bin/takt";
  run({TAKT_CMAKE, "--install", TAKT_BUILD_FOLDER, "--prefix", prefix});
  std::filesystem::copy(TAKT_SOURCE_DIR "/docs/examples/csv-plugin", project,
                        std::filesystem::copy_options::recursive);
  run({TAKT_CMAKE, "-G", "Ninja", "-S", project, "-B", project + "/build", "-DCMAKE_PREFIX_PATH=" + prefix});
  run({TAKT_CMAKE, "--build", project + "/build"});
  EXPECT_THAT(run({program, "list", "sources", "--plugin", project + "/build/libcsv.so"}).out,
              HasSubstr("lines of numbers with commas between them"));

  const std::string output = folder / "means.csv";
  const std::vector<std::string> command{program, "run", project + "/csv.yaml", "--set",
                                         "sinks.file.path=" + output};
  run(command);
  // (1 + 2 + 3 + 4) / 4 and so on; two of the last frame's four lines arrived: (5 + 6) / 2, (50 + 70) / 2.
  EXPECT_EQ(read_file(output), "2.5,25\n5.5,60\n");
  // The sink of a plug-in has the properties of all file sinks.
  const Result again = Program(command).wait();
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("the file exists (14 B)"));
  EXPECT_EQ(read_file(output), "2.5,25\n5.5,60\n");

  // The packet format: the second of three frames lacks a line, and one datagram is invalid.
  const std::string lines = folder / "lines.csv";
  const int port = free_ports(1).front();
  Program receiver({program, "run", project + "/csv-udp.yaml", "--set", "sinks.file.path=" + lines, "--set",
                    fmt::format("sources.lines.port={}", port), "--report", folder / "report.json"});
  ASSERT_TRUE(receiver.await_err("receiving on")) << receiver.err_so_far();
  std::vector<std::string> datagrams{"no line"};
  for (int number = 100; number < 112; ++number)
    if (number != 105) datagrams.push_back(fmt::format("{},{},-0.5\n", number, number - 100));
  send_datagrams(port, datagrams);
  const Result received = receiver.wait();
  EXPECT_EQ(received.exit_code, 0) << received.err;
  EXPECT_EQ(read_file(lines),
            "0,-0.5\n1,-0.5\n2,-0.5\n3,-0.5\n4,-0.5\nnan,nan\n6,-0.5\n7,-0.5\n8,-0.5\n9,-0.5\n10,-0.5\n"
            "11,-0.5\n");
  EXPECT_THAT(read_file(folder / "report.json"), HasSubstr("\"refused_line\": 1"));
}

TEST(InstalledHeaders, include_only_installed_headers_of_takt) {
  const TemporaryFolder folder;
  const std::string include = folder / "prefix/include";
  run({TAKT_CMAKE, "--install", TAKT_BUILD_FOLDER, "--prefix", folder / "prefix"});
  std::string all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(include))
    if (entry.path().extension() == ".hpp") all += fmt::format("#include \"{}\"\n", entry.path().string());
  EXPECT_THAT(all, HasSubstr("takt/core/graphs/task_graph.hpp"));
  run({TAKT_CXX, "-std=c++20", "-fsyntax-only", "-I" + include + "/takt", folder.file("all.cpp", all)});
}

TEST(LibraryExample, schedules_a_graph_with_an_installed_takt) {
  const TemporaryFolder folder;
  const std::string prefix = folder / "prefix", build = folder / "build";
  run({TAKT_CMAKE, "--install", TAKT_BUILD_FOLDER, "--prefix", prefix});
  run({TAKT_CMAKE, "-G", "Ninja", "-S", TAKT_SOURCE_DIR "/docs/examples/plan-library", "-B", build,
       "-DCMAKE_PREFIX_PATH=" + prefix, "-DCMAKE_CXX_FLAGS=" TAKT_SANITIZER_FLAGS});
  run({TAKT_CMAKE, "--build", build});
  // 10 + 30 on one processor with one send; the other one receives and computes 30: at least 41 ticks.
  EXPECT_EQ(run({build + "/plan"}).out, "period 41, valid 1\n");
}

}  // namespace
}  // namespace takt::test
