/// Tests runs over emulated hosts when a host becomes slow or its clock is set: every frame is in its place,
/// and the report contains the event.

#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr int without_hosts = 77;

/// A run on h1.test and h2.test, one task each, concurrent with a script: `$run` is the run's process,
/// `$folder` has its output, and `ranks_there` prints takt's processes on the second host.
class FaultyHostsRun {
 public:
  FaultyHostsRun(int frames, const std::string& before, const std::string& meanwhile,
                 const std::vector<std::string>& options = {}) {
    const std::string file = folder_.file("p.yaml", fmt::format(R"(name: faulty-hosts
sources:
  counter: {{type: synthetic, element: int32, axes: [sample=64], pattern: count, frames: {}}}
tasks:
  one: {{kernel: spin, input: counter, time: 1 ms}}
  two: {{kernel: spin, input: one, time: 1 ms}}
sinks:
  file: {{type: raw, input: two, path: {}}}
deployment: {{machine: "logp:P=2,L=1000,o=1000,g=1000", ranks: 2, hosts: [h1.test, h2.test]}}
)",
                                                                frames, output()));
    const std::string script =
        folder_.file("script.sh", fmt::format(R"sh(folder={}
ranks_there() {{
  for pid in $(ip netns pids "$TAKT_HOSTS_TAG-2"); do
    if grep -q '^takt$' "/proc/$pid/comm"; then echo "$pid"; fi
  done
}}
{}
"$@" & run=$!
while kill -0 $run 2>/dev/null && [ "$(stat -c %s "$folder/out.raw" 2>/dev/null || echo 0)" -lt 10000 ]; do sleep 0.02; done
{}
wait $run
)sh",
                                              (folder_ / "").string(), before, meanwhile));
    std::vector<std::string> command =
        takt_command({"run", file, "--no-serve", "--trial", "0s", "--report", report()});
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.begin(), {TAKT_SOURCE_DIR "/tests/support/hosts.sh", "2", "--", "bash", script});
    result_ = Program(command).wait(std::chrono::seconds{100});
  }

  [[nodiscard]] const Result& result() const { return result_; }
  [[nodiscard]] nlohmann::json told() const { return nlohmann::json::parse(read_file(report())); }

  /// Frame k contains k everywhere.
  void expect_frames(int frames) const {
    const std::string bytes = read_file(output());
    ASSERT_EQ(bytes.size(), static_cast<std::size_t>(frames) * 64 * sizeof(std::int32_t));
    for (std::size_t i = 0; i < bytes.size() / sizeof(std::int32_t); ++i) {
      std::int32_t value = 0;
      std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
      ASSERT_EQ(value, static_cast<std::int32_t>(i / 64));
    }
  }

 private:
  [[nodiscard]] std::string output() const { return folder_ / "out.raw"; }
  [[nodiscard]] std::string report() const { return folder_ / "report.json"; }

  TemporaryFolder folder_;
  Result result_;
};

TEST(HostFaults, work_moves_from_a_slow_host_and_no_frame_is_lost) {
  // The host has its processor for a quarter of the time. The window is one second instead of five.
  // The watch needs two seconds, some 350 frames each.
  constexpr int frames = 2500;
  const FaultyHostsRun run(frames, "", R"sh(while kill -0 $run 2>/dev/null; do
  pids=$(ranks_there)
  kill -STOP $pids 2>/dev/null; sleep 0.06; kill -CONT $pids 2>/dev/null; sleep 0.02
done)sh",
                           {"--adapt=1s"});
  if (run.result().exit_code == without_hosts) GTEST_SKIP() << run.result().err;
  ASSERT_EQ(run.result().exit_code, 0) << run.result().err;
  run.expect_frames(frames);
  const nlohmann::json told = run.told();
  EXPECT_EQ(told["frames"]["delivered"], frames);
  EXPECT_EQ(told["frames"]["lost"], 0);
  // The times of the stops decide whether the rank or its task is named first.
  EXPECT_THAT(told["notes"].get<std::vector<std::string>>(),
              AllOf(Contains(ContainsRegex("per frame, planned|it is now the bottleneck")),
                    Contains(HasSubstr("switched to a plan"))));
}

TEST(HostFaults, a_changed_clock_has_no_effect) {
  const FaultyHostsRun run(1000,
                           fmt::format(R"sh(preload="LD_PRELOAD={} TAKT_JUMPING_CLOCK=$folder/jump"
echo "export $preload" >"$TAKT_HOSTS_FOLDER/env-h2.test")sh",
                                       TAKT_JUMPING_CLOCK),
                           R"sh([ -n "$(ranks_there)" ] && touch "$folder/jump"
echo "an hour: $(($(env $preload date +%s) - $(date +%s) - 3600))" >&2)sh");
  if (run.result().exit_code == without_hosts) GTEST_SKIP() << run.result().err;
  ASSERT_EQ(run.result().exit_code, 0) << run.result().err;
  ASSERT_THAT(run.result().err, ContainsRegex("an hour: (-1|0)\n"));
  run.expect_frames(1000);
  const nlohmann::json told = run.told();
  EXPECT_EQ(told["frames"]["delivered"], 1000);
  // A second of work would be an hour by that clock.
  constexpr double minute_ns = 60e9;
  EXPECT_GT(told["latency_ns"]["p50"], 0);
  EXPECT_LT(told["latency_ns"]["max"], minute_ns);
  EXPECT_GT(told["frequency_hz"]["sustained"], 1);
}

/// Returns whether name spaces of emulated hosts exist with this number in their tag.
bool has_name_spaces(pid_t pid) {
  return Program({"sh", "-c", fmt::format("ip netns list | grep -q '^takt-test-{}-'", pid)})
             .wait()
             .exit_code == 0;
}

TEST(EmulatedHosts, disappear_when_their_script_is_killed) {
  Program hosts(
      {TAKT_SOURCE_DIR "/tests/support/hosts.sh", "2", "--", "sh", "-c", "echo up >&2; sleep 1000"});
  if (!hosts.await_err("up")) GTEST_SKIP() << hosts.err_so_far();
  ASSERT_TRUE(has_name_spaces(hosts.pid()));
  hosts.signal(SIGKILL);
  for (int i = 0; i < 200 && has_name_spaces(hosts.pid()); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  EXPECT_FALSE(has_name_spaces(hosts.pid()));
}

}  // namespace
}  // namespace takt::test
