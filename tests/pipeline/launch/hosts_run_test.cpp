/// Tests runs over several hosts, emulated by network name spaces (tests/support/hosts.sh): they start,
/// report to the launcher, are refused for a reason, and end in order when a host fails. Skipped, with the
/// reason, where the system has no name spaces.

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int refused_by_system = 77;

/// Returns takt's command on the first of several hosts.
std::vector<std::string> on_hosts(int count, std::vector<std::string> arguments) {
  std::vector<std::string> command = takt_command(std::move(arguments));
  command.insert(command.begin(), {TAKT_SOURCE_DIR "/tests/support/hosts.sh", std::to_string(count), "--"});
  return command;
}

/// The same, with a line of shell before every program on the second host.
std::vector<std::string> on_hosts_of_which_the_second(const std::string& line,
                                                      std::vector<std::string> arguments) {
  std::vector<std::string> command = takt_command(std::move(arguments));
  command.insert(command.begin(),
                 {TAKT_SOURCE_DIR "/tests/support/hosts.sh", "2", "--", "sh", "-c",
                  fmt::format(R"(echo '{}' >"$TAKT_HOSTS_FOLDER/env-h2.test"; exec "$@")", line), "sh"});
  return command;
}

/// Returns a pipeline whose plan has work on both ranks, independent of measurements.
std::string pipeline_yaml(const std::string& output, const std::string& source,
                          const std::string& deployment) {
  return fmt::format(R"(name: two-hosts
sources:
  counter: {{type: synthetic, element: int32, axes: [sample=256], pattern: count, {}}}
tasks:
  one: {{kernel: spin, input: counter, time: 100 us}}
  two: {{kernel: spin, input: one, time: 100 us}}
sinks:
  file: {{type: raw, input: two, path: {}}}
scheduler: basic_fo
deployment: {{machine: "logp:P=2,L=1000,o=1000,g=1000", {}}}
)",
                     source, output, deployment);
}

/// A run over h1.test and h2.test.
class HostsRun {
 public:
  explicit HostsRun(const std::string& source, std::vector<std::string> options = {}) {
    const std::string file = folder_.file(
        "p.yaml", pipeline_yaml(folder_ / "out.raw", source, "ranks: 2, hosts: [h1.test, h2.test]"));
    options.insert(options.begin(), {"run", file});
    program_ = std::make_unique<Program>(on_hosts(2, options));
  }

  Result wait() { return program_->wait(); }
  [[nodiscard]] std::string output() const { return folder_ / "out.raw"; }

  [[nodiscard]] Program& program() { return *program_; }
  /// Returns all its processes on the second host.
  [[nodiscard]] std::string processes_on_second_host() const {
    return Program({"ip", "netns", "pids", name_space("2")}).wait().out;
  }

  /// Waits until the output exceeds this size.
  void await_output(std::uintmax_t more_than) const {
    std::error_code ignored;
    const auto size = [&] {
      return std::filesystem::exists(output()) ? std::filesystem::file_size(output(), ignored) : 0;
    };
    for (int i = 0; i < 3000 && size() <= more_than; ++i) std::this_thread::sleep_for(10ms);
  }
  /// Returns the name space of a host or of the switch; the script's process is part of the name.
  [[nodiscard]] std::string name_space(const std::string& part) const {
    return fmt::format("takt-test-{}-{}", program_->pid(), part);
  }
  /// Returns takt's process on the second host.
  [[nodiscard]] pid_t rank_on_second_host() const {
    std::istringstream pids(processes_on_second_host());
    for (pid_t pid = 0; pids >> pid;)
      if (read_file(fmt::format("/proc/{}/comm", pid)) == "takt\n") return pid;
    return 0;
  }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<Program> program_;
};

/// Expects each frame to contain its number 256 times, as the source counts.
void expect_counted(const std::string& file, std::size_t frames) {
  std::ifstream stream(file, std::ios::binary);
  std::int32_t value = 0, expected = 0;
  while (stream.read(reinterpret_cast<char*>(&value), sizeof(value))) ASSERT_EQ(value, expected++ / 256);
  EXPECT_EQ(static_cast<std::size_t>(expected), frames * 256);
}

TEST(Hosts, run_a_pipeline_together_and_report_to_the_launcher) {
  TemporaryFolder folder;
  const std::string report = folder / "report.json";
  HostsRun run("frames: 300", {"--report", report});
  const Result result = run.wait();
  if (result.exit_code == refused_by_system) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_counted(run.output(), 300);
  const auto json = nlohmann::json::parse(read_file(report));
  EXPECT_EQ(json.at("frames").at("delivered"), 300);
  std::set<std::string> hosts;
  for (const auto& rank : json.at("ranks")) hosts.insert(rank.at("host"));
  EXPECT_THAT(hosts, ElementsAre("h1.test", "h2.test"));
}

TEST(Hosts, continue_from_a_trial_run_to_the_run) {
  TemporaryFolder folder;
  const std::string report = folder / "report.json";
  const std::string file = folder.file("p.yaml", R"(name: tried
sources:
  source: {type: synthetic, element: float32, axes: [sample=2048]}
tasks:
  one: {kernel: spin, input: source, time: 200 us}
  two: {kernel: spin, input: one, time: 200 us}
sinks:
  end: {type: "null", input: two}
deployment: {ranks: 2, hosts: [h1.test, h2.test], machine: "logp:P=2,L=1000,o=1000,g=1000"}
)");
  const Result result =
      Program(on_hosts(2, {"run", file, "--duration", "2s", "--verbose", "--report", report})).wait();
  if (result.exit_code == refused_by_system) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("by a trial run"));
  EXPECT_GT(nlohmann::json::parse(read_file(report)).at("frames").at("delivered"), 0);
}

TEST(Hosts, are_found_fit_by_the_doctor_which_connects_them) {
  const Result result =
      Program(on_hosts(3, {"doctor", "--hosts", "h1.test,h2.test,h3.test", "--format", "json"})).wait();
  if (result.exit_code == refused_by_system) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("fit"), true);
  std::set<std::string> met;
  for (const auto& finding : json.at("findings"))
    if (finding.at("subject") == "mpi" && finding.at("grade") == "ok") met.insert(finding.at("host"));
  EXPECT_THAT(met, ElementsAre("h1.test", "h2.test", "h3.test"));
}

/// The source is on this host and connects to takt send on the other one, not to the server in the file.
TEST(Hosts, one_host_sends_to_the_pipeline_that_another_one_sustains) {
  TemporaryFolder folder;
  const std::string found = folder / "found.json",
                    file = folder.file("p.yaml", fmt::format(R"(name: far
plugins: [{}]
sources: {{in: {{type: tcp, server: "dish.test:7300", axes: [x=64], rate: 10 Hz}}}}
tasks: {{work: {{kernel: slow, input: in, work: 5 ms, hand_over: 0 s}}}}
sinks: {{out: {{type: 'null', input: work}}}}
deployment: {{ranks: 1}}
)",
                                                             TAKT_TEST_KERNELS));
  const Result result =
      Program(on_hosts(2, {"sustain", file, "--emulator-host", "h2.test", "--trial", "100ms", "--resolution",
                           "0.5", "--repetitions", "1", "--curve", "0", "--output", found}))
          .wait();
  if (result.exit_code == refused_by_system) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("by takt send on h2.test"));
  const auto json = nlohmann::json::parse(read_file(found));
  EXPECT_EQ(json.at("emulator_host"), "h2.test");
  // 5 ms per frame limit the rate to 200 Hz, on any processor.
  EXPECT_LT(json.at("sustained_hz"), 205);
  EXPECT_GE(json.at("trials").at(0).at("frames").at("ingested"), 1);
}

TEST(Hosts, that_cannot_be_reached_are_named_before_the_run_starts) {
  TemporaryFolder folder;
  const std::string output = folder / "out.raw",
                    file = folder.file(
                        "p.yaml",
                        pipeline_yaml(output, "frames: 10", "hosts: [h1.test, h2.test], slots: 1, ranks: 2"));
  const Result result = Program(on_hosts(2, {"run", file, "--hosts", "h1.test,h7.test"})).wait();
  if (result.exit_code == refused_by_system) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("host 'h7.test': cannot be reached by"), HasSubstr("h7.test")));
  EXPECT_FALSE(std::filesystem::exists(output));
}

TEST(Hosts, with_different_files_of_one_name_are_refused) {
  TemporaryFolder folder;
  const std::string output = folder / "out.raw", other = folder.file("other.yaml", "name: other\n"),
                    file = folder.file("p.yaml",
                                       pipeline_yaml(output, "frames: 10", "hosts: [h1.test, h2.test]"));
  const Result result =
      Program(on_hosts_of_which_the_second(fmt::format("mount --bind {} {}", other, file), {"run", file}))
          .wait();
  if (result.exit_code == refused_by_system) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr(fmt::format("p.yaml:10:63: host 'h2.test': '{}' is another file than on "
                                                "'h1.test': copy the same file to all hosts",
                                                file)));
  EXPECT_FALSE(std::filesystem::exists(output));
}

TEST(Hosts, end_with_one_message_that_names_the_host_whose_disk_is_full) {
  TemporaryFolder folder;
  const std::string disk = folder / "disk";
  std::filesystem::create_directory(disk);
  const std::string file =
      folder.file("p.yaml", pipeline_yaml(disk + "/out.raw", "frames: 1000", "hosts: [h1.test, h2.test]"));
  // Space for 256 frames.
  const Result result = Program(on_hosts_of_which_the_second(
                                    fmt::format("mount -t tmpfs -o size=256k tmpfs {}", disk), {"run", file}))
                            .wait();
  if (result.exit_code == refused_by_system) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err,
              ContainsRegex("task 'file' on rank 1 \\(host h2.test, .*out.raw.*: No space left on device"));
}

TEST(Hosts, end_with_one_message_that_names_the_host_whose_rank_was_killed) {
  HostsRun run("rate: 500 Hz");
  run.await_output(20 * 1024);
  const pid_t rank = run.rank_on_second_host();
  if (rank > 0) ::kill(rank, SIGKILL);
  const Result result = run.wait();
  if (result.exit_code == refused_by_system) GTEST_SKIP() << result.err;
  ASSERT_GT(rank, 0);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err,
              ContainsRegex("rank 1 \\(host h2.test, pid [0-9]+; .*died of signal 9 \\(Killed\\)"));
}

TEST(Hosts, end_all_their_ranks_when_the_launcher_is_killed) {
  HostsRun run("rate: 500 Hz");
  run.await_output(20 * 1024);
  const pid_t rank = run.rank_on_second_host();
  if (rank == 0) {
    const Result result = run.wait();
    ASSERT_EQ(result.exit_code, refused_by_system) << result.err;
    GTEST_SKIP() << result.err;
  }
  // The script's child is takt itself, the successor of ip, unshare and the shell by exec.
  pid_t launcher = 0;
  std::istringstream pids(Program({"ip", "netns", "pids", run.name_space("1")}).wait().out);
  for (pid_t pid = 0; launcher == 0 && pids >> pid;)
    if (read_file(fmt::format("/proc/{}/comm", pid)) == "takt\n" &&
        read_file(fmt::format("/proc/{}/environ", pid)).find("TAKT_LINK=") == std::string::npos)
      launcher = pid;
  ASSERT_GT(launcher, 0);
  ::kill(launcher, SIGKILL);
  // The script exits with 98 when a rank outlives it.
  EXPECT_EQ(run.wait().exit_code, 128 + SIGKILL);
}

TEST(Hosts, lose_no_frame_during_an_outage_of_their_link) {
  // A source that waits, at about 1000 frames/s.
  HostsRun run("frames: 2500", {"--set", "tasks.one.time=1ms", "--set", "tasks.two.time=1ms"});
  run.await_output(20 * 1024);
  const std::string network = run.name_space("switch");
  const Result cut = Program({"ip", "-n", network, "link", "set", "port2", "down"}).wait();
  if (cut.exit_code == 0) std::this_thread::sleep_for(1s);
  (void)Program({"ip", "-n", network, "link", "set", "port2", "up"}).wait();
  const Result result = run.wait();
  if (result.exit_code == refused_by_system) GTEST_SKIP() << result.err;
  EXPECT_EQ(cut.exit_code, 0) << cut.err;
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_counted(run.output(), 2500);
}

}  // namespace
}  // namespace takt::test
