#include "tests/support/program.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

namespace takt {
namespace {

using test::takt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Not a verdict (1) nor a usage error (2). SIGABRT, since sanitizers handle the other signals.
TEST(CommandLine, exits_with_128_plus_the_signal_when_it_crashes) {
  const test::TemporaryFolder folder;
  const std::string graph = folder / "graph.yaml";
  ASSERT_EQ(::mkfifo(graph.c_str(), 0600), 0);
  test::Program program(test::takt_command({"plan", graph, "--machine", "logp:P=2"}));
  const int end = ::open(graph.c_str(), O_WRONLY);  // returns when takt reads the graph
  program.signal(SIGABRT);
  const test::Result result = program.wait();
  ::close(end);
  EXPECT_EQ(result.exit_code, 128 + SIGABRT);
  EXPECT_THAT(result.err, HasSubstr("takt: died of signal 6"));
}

/// Arguments, and a part of the error message.
struct WrongUse {
  std::vector<std::string> arguments;
  std::string error;
};

TEST(CommandLine, answers_wrong_use_with_exit_code_2_and_the_nearest_name) {
  const std::string machine = "--machine=logp:P=3,L=1,o=1,g=2";
  const std::vector<WrongUse> uses{
      {{}, "which command? (known: run submit doctor top set serve add"},
      {{"plna"}, "unknown command 'plna'; did you mean 'plan'?"},
      {{"plan"}, "graph is required"},
      {{"plan", "fft"}, "--machine is required for a task graph"},
      {{"plan", "none.yaml"}, "none.yaml: cannot read the file: No such file or directory"},
      {{"plan", "fft", "--machin", "x"}, "unknown option '--machin'; did you mean '--machine'?"},
      {{"plan", "fft", "--machin=x"}, "unknown option '--machin'; did you mean '--machine'?"},
      {{"plan", "fft", machine, "wave"}, "'fft' has no rate: give one --rate per graph"},
      {{"plan", "fft", machine, "--objective", "latncy"},
       "unknown objective 'latncy'; did you mean 'latency'?"},
      {{"plan", "fft", machine, "--objective", "latency"}, "needs the required rate"},
      {{"plan", "fft", machine, "--rate", "often"}, "often"},
      {{"plan", "fft", machine, "--scheduler", "gredy"}, "unknown scheduler 'gredy'; did you mean 'greedy'?"},
      {{"plan", "fft", machine, "--format", "jsn"}, "unknown format 'jsn'; did you mean 'json'?"},
      {{"plan", "fft", machine, "--seed", "x"}, "--seed"},
      {{"plan", "fft", machine, "--priority", "2"}, "--priority needs several graphs"},
      {{"plan", "fft", machine, "--pareto", "--objective", "latency"}, "expected it without --scheduler"},
      {{"plan", "fft", machine, "--pareto", "--output", "front.png"}, "ends with .svg .json"},
      {{"send", "--duration", "5"}, "'5' has no unit: expected a duration such as 5s"},
      {{"send", "--duration", "0s"}, "--duration 0s: expected a time above 0"},
      {{"plan", "fft", "--machine", "lgp:P=3"}, "did you mean 'logp'?"},
      {{"plan", "ftf:depth=2", machine}, "unknown graph generator 'ftf'; did you mean 'fft'?"},
      {{"plan", "send_tree:depth=60", machine}, "the graph has 2.30584e+18 tasks"},
      {{"plan", "none.yaml", machine}, "none.yaml: cannot read the file"},
      {{"compare", "fft", machine, "--schedulers", "frequncy"},
       "unknown scheduler 'frequncy'; did you mean 'frequency'?"},
      {{"compare", "fft", machine, "--format", "yaml"}, "unknown format 'yaml'"},
      {{"compare", "fft", machine, "--schedulers", ""}, "unknown scheduler ''"},
      {{"compare", "fft", machine, "--time-limit", "nan"}, "expected a number from 0.001 to 1000000"},
      {{"graph", "layered:tasks=100000,width=1,density=1"}, "the limit is 40000000"},
      {{"verify", "none.yaml"}, "none.yaml: cannot read the file"},
      {{"graph", "diamond", "--format", "dott"}, "unknown graph format 'dott'; did you mean 'dot'?"},
      {{"graph", "diamond", "--format", "dot", "--info"}, "excludes --"},
      {{"graph", "diamond", "--output", "diamond.png"}, "ends with .yaml .dot .stg .json .dax .svg"},
      {{"list", "kernel"}, "unknown category 'kernel'; did you mean 'kernels'?"},
      {{"list", "kernels", "ftf"}, "unknown kernel 'ftf'; did you mean 'fft'?"}};
  for (const WrongUse& use : uses) {
    const test::Result result = takt(use.arguments);
    EXPECT_EQ(result.exit_code, 2) << use.error;
    EXPECT_THAT(result.out, IsEmpty()) << use.error;
    EXPECT_THAT(result.err, HasSubstr(use.error));
  }
}

TEST(CommandLine, prints_its_version) {
  const test::Result result = takt({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, testing::MatchesRegex("takt [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(CommandLine, prints_no_escape_sequences_from_arguments) {
  const test::Result result = takt({"plan", "\x1b[2Jfft", "--machine", "delay:P=2"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err.find('\x1b'), std::string::npos);
}

TEST(CommandLine, writes_no_file_when_the_folder_is_missing) {
  const test::Result result = takt({"graph", "fft", "--output", "/nonexistent/fft.yaml"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("/nonexistent/fft.yaml: cannot write the file"));
}

TEST(CommandLine, reports_missing_costs_of_a_machine) {
  EXPECT_THAT(takt({"plan", "chain:depth=2", "--machine", "logp:P=2,L=1,o=1"}).err,
              HasSubstr("'logp:P=2,L=1,o=1' does not contain g, which is set to 0"));
  for (const char* machine : {"logp:P=2", "logp:P=2,L=1,o=1,g=2", "delay:P=2"})
    EXPECT_EQ(takt({"plan", "chain:depth=2", "--machine", machine}).err, "");
}

TEST(CommandLine, does_not_overwrite_its_inputs) {
  const test::TemporaryFolder folder;
  const std::string text = "tasks: [{name: a, work: 4}]\n";
  const std::string graph = folder.file("g.yaml", text);
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"plan", graph, "--machine", "delay:P=2"},
           {"plan", graph, graph, "--machine", "delay:P=2", "--rate", "0.01", "--rate", "0.01"},
           {"compare", graph, "--machine", "delay:P=2", "--format", "csv"},
           {"graph", graph},
           {"view", graph}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--output", graph});
    const test::Result result = takt(arguments);
    EXPECT_EQ(result.exit_code, 2) << command.front();
    EXPECT_THAT(result.err, HasSubstr("this is an input file: expected another name"));
    EXPECT_EQ(test::read_file(graph), text);
  }
}

}  // namespace
}  // namespace takt
