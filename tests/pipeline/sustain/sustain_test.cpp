/// Tests that `takt sustain` runs trials of a real pipeline, and leaves no files.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/udp.hpp"

namespace takt::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// 2 ms per frame limit the rate to 500 Hz, for any computer and load.
std::string slow_pipeline(const TemporaryFolder& folder) {
  return folder.file("slow.yaml", fmt::format(R"(name: slow
plugins: [{}]
sources: {{in: {{type: synthetic, axes: [x=16], rate: 10 Hz}}}}
tasks: {{work: {{kernel: slow, input: in, work: 2 ms, hand_over: 0 s}}}}
sinks: {{out: {{type: raw, input: work, path: "{}"}}}}
rate: 1 kHz
)",
                                              TAKT_TEST_KERNELS, (folder / "out.raw").string()));
}

TEST(Sustain, finds_a_rate_below_the_limit_and_leaves_the_users_files_unchanged) {
  const TemporaryFolder folder;
  const std::string file = slow_pipeline(folder);
  const std::string kept = folder.file("out.raw", "kept");
  const std::string found = folder / "found.json";
  // Other processes use the common folder for temporary files.
  const TemporaryFolder own;
  ::setenv("TMPDIR", (own / "").c_str(), 1);
  const Result result = takt({"sustain", file, "--trial", "300ms", "--resolution", "0.5", "--repetitions",
                              "1", "--curve", "1", "--output", found});
  // 1 kHz is required.
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 kHz: NOT HELD"));
  EXPECT_EQ(read_file(kept), "kept");
  const nlohmann::json root = nlohmann::json::parse(read_file(found));
  EXPECT_TRUE(root["complete"]);
  EXPECT_LT(root["sustained_hz"], 510);
  EXPECT_GT(root["failed_hz"], root["sustained_hz"]);
  EXPECT_LE(root["failed_hz"].get<double>(), 1.5 * root["sustained_hz"].get<double>());
  for (const nlohmann::json& trial : root["trials"]) EXPECT_EQ(trial["holds"], trial["fault"].is_null());
  EXPECT_EQ(std::filesystem::temp_directory_path(), own / "");
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::temp_directory_path()))
    EXPECT_FALSE(entry.path().filename().string().starts_with("takt-sustain-")) << entry.path();
  ::unsetenv("TMPDIR");
}

/// No frame arrives within a nanosecond, at any speed: the search ends after two trials at a low rate.
TEST(Sustain, finds_no_rate_for_a_latency_that_no_rate_holds) {
  const TemporaryFolder folder;
  const std::string found = folder / "found.json";
  const Result result = takt({"sustain", slow_pipeline(folder), "--set", "latency=1 ns", "--trial", "100ms",
                              "--curve", "0", "--output", found});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("the latency is above its limit"));
  const nlohmann::json root = nlohmann::json::parse(read_file(found));
  EXPECT_TRUE(root["sustained_hz"].is_null());
  EXPECT_EQ(root["trials"].size(), 2U);
  EXPECT_THAT(root["trials"][1]["fault"].get<std::string>(), ContainsRegex("^p99 .*s$"));
  EXPECT_EQ(root["required_latency_ns"], 1);
}

TEST(Sustain, files_and_filters_that_depend_on_the_rate_keep_it_at_any_speed) {
  const TemporaryFolder folder;
  // A filter of 1 kHz has no meaning without a rate or at a tenth of it; the file's header needs one as well.
  const std::string file = folder.file("band.yaml", fmt::format(R"(name: band
sources: {{in: {{type: synthetic, axes: [time=64, channel=4:100e6:1e6], rate: 40 Hz}}}}
tasks: {{band: {{kernel: iir, input: in, low: 100 Hz, high: 1 kHz}}}}
sinks:
  fil: {{type: sigproc, input: band, path: "{0}.fil"}}
  dada: {{type: dada, input: band, path: "{0}.dada"}}
)",
                                                                (folder / "out").string()));
  const std::string found = folder / "found.json";
  const Result result = takt({"sustain", file, "--trial", "50ms", "--resolution", "0.5", "--repetitions", "1",
                              "--curve", "1", "--output", found});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json root = nlohmann::json::parse(read_file(found));
  EXPECT_GT(root["saturated"]["sustained_hz"].get<double>(), 40);
}

TEST(Sustain, that_is_interrupted_reports_it) {
  const TemporaryFolder folder;
  Program program(
      takt_command({"sustain", slow_pipeline(folder), "--trial", "1 min", "--progress", "plain"}));
  EXPECT_TRUE(program.await_err("now "));
  EXPECT_TRUE(program.await_err(" in, "));
  program.signal(SIGINT);
  const Result result = program.wait(std::chrono::seconds(30));
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("the search ended before a rate held"));
  EXPECT_THAT(result.out, HasSubstr("interrupted"));
  EXPECT_THAT(result.err, HasSubstr("takt: the search was interrupted"));
  EXPECT_THAT(result.err, Not(HasSubstr("stream ended")));
}

TEST(Sustain, that_is_interrupted_while_it_plans_runs_no_trial) {
  const TemporaryFolder folder;
  // Five calls of this task take too long to wait for.
  const std::string file = folder.file("p.yaml", R"(sources:
  s: {type: synthetic, element: int32, axes: [sample=64]}
tasks: {a: {kernel: spin, input: s, time: 9 s}}
sinks: {o: {type: null, input: a}}
)");
  Program program(takt_command({"sustain", file, "--trial", "1 min"}));
  std::this_thread::sleep_for(std::chrono::seconds(2));
  program.signal(SIGINT);
  const Result result = program.wait(std::chrono::seconds(30));
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr("the planning was interrupted"));
  EXPECT_EQ(result.out, "");
}

/// No receiver connects to the sink.
TEST(Sustain, of_a_pipeline_without_output_ends_with_the_cause_of_its_wait) {
  const TemporaryFolder folder;
  const std::string file = folder.file("p.yaml", fmt::format(R"(sources:
  s: {{type: synthetic, element: float32, axes: [time=64], rate: 500 Hz}}
sinks: {{o: {{type: tcp, input: s, port: {}, receivers: 1, when_full: block}}}}
deployment: {{ranks: 1, deadline: 2 s}}
)",
                                                             free_ports(1).front()));
  const Result result = takt({"sustain", file, "--trial", "300ms"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("no progress for 4 s; rank 0"));
  EXPECT_THAT(result.err, HasSubstr("last seen running task 'o'"));
}

pid_t sender_of(const Program& program) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string status = read_file(entry.path() / "status");
    const std::string command = read_file(entry.path() / "cmdline");
    if (status.find(fmt::format("\nPPid:\t{}\n", program.pid())) != std::string::npos &&
        command.find(std::string("\0send", 5)) != std::string::npos)
      return std::stoi(entry.path().filename());
  }
  return 0;
}

/// Signal to takt send during the search, and the resulting message.
class Sustain_whose_sender : public ::testing::TestWithParam<std::pair<int, const char*>> {};

TEST_P(Sustain_whose_sender, ends_reports_the_rate_found_so_far) {
  const TemporaryFolder folder;
  const std::string file = folder.file("p.yaml", fmt::format(R"(sources:
  s: {{type: udp, element: float32, axes: [time=64], rate: 200 Hz, ports: [{}]}}
sinks: {{o: {{type: 'null', input: s}}}}
deployment: {{ranks: 1, deadline: 2 s}}
)",
                                                             free_ports(1).front()));
  Program program(takt_command({"sustain", file, "--trial", "1s"}));
  // The sender of the second trial, once its rank runs.
  pid_t first = 0, sender = 0;
  EXPECT_TRUE(program.await([&] { return (first = sender_of(program)) != 0; }));
  EXPECT_TRUE(program.await([&] {
    sender = sender_of(program);
    return sender != 0 && sender != first && !ranks_of(file).empty();
  }));
  const auto& [number, says] = GetParam();
  ::kill(sender, number);
  const Result result = program.wait();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, ContainsRegex(says));
  EXPECT_THAT(result.out, HasSubstr("the search ended before"));
}

INSTANTIATE_TEST_SUITE_P(
    Here, Sustain_whose_sender,
    ::testing::Values(std::pair(SIGKILL, "the emulated sender of the trial died of signal 9"),
                      std::pair(SIGSTOP, "of the trial stopped|source 's' delivered no more frames")));

TEST(Sustain, of_a_stream_that_ends_immediately_reports_it) {
  const TemporaryFolder folder;
  const std::string recording = folder.file("one.raw", std::string(256, '\0'));
  const std::string file = folder.file(
      "p.yaml",
      "sources:\n  s: {type: raw_file, file: " + recording +
          ", element: int32, axes: [sample=64], rate: 100 Hz}\nsinks:\n  o: {type: null, input: s}\n");
  const Result result = takt({"sustain", file, "--trial", "200ms", "--repetitions", "1", "--curve", "1"});
  EXPECT_EQ(result.exit_code, 2) << result.out;
  EXPECT_THAT(result.err, HasSubstr("its stream ended after 1 frame,"));
}

/// A plan without a rate runs the source on both ranks,
/// which a source with a rate does not permit.
TEST(Sustain, plans_for_sources_with_frame_times) {
  const TemporaryFolder folder;
  const std::string file = folder.file("p.yaml", R"(sources:
  s: {type: synthetic, element: int32, axes: [sample=64]}
tasks:
  a: {kernel: spin, input: s, time: 2 ms}
sinks:
  o: {type: 'null', input: a}
deployment: {ranks: 2, machine: "logp:P=2,L=1000,o=500,g=500"}
)");
  const Result result = takt({"sustain", file, "--trial", "300ms", "--resolution", "0.5", "--repetitions",
                              "1", "--curve", "0", "--tolerance", "0.5"});
  EXPECT_NE(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.out, HasSubstr("sustained ")) << result.err;
}

TEST(Sustain, refuses_invalid_options) {
  const TemporaryFolder folder;
  const std::string file = slow_pipeline(folder);
  const auto refusal = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"sustain", file});
    const Result result = takt(words);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_THAT(refusal({"--trial", "0s"}), HasSubstr("--trial"));
  EXPECT_THAT(refusal({"--resolution", "0"}), HasSubstr("--resolution"));
  EXPECT_THAT(refusal({"--format", "jsn"}), HasSubstr("json"));
  EXPECT_THAT(refusal({"--output", file, "--format", "text"}), HasSubstr("slow.yaml"));
}

TEST(Sustain, refuses_a_recording_that_is_too_short_for_a_trial) {
  if (test_data().empty()) GTEST_SKIP() << "no recordings (TAKT_TEST_DATA)";
  const TemporaryFolder folder;
  const std::string recording = test_data() / "lofar_udp/udp_16130.ucc1.2022-06-29T01_30_00.000";
  const std::string file = folder.file("short.yaml", fmt::format(R"(name: short
sources: {{station: {{type: lofar_file, files: ["{}"]}}}}
sinks: {{out: {{type: 'null', input: station}}}}
)",
                                                                 recording));
  const Result result = takt({"sustain", file, "--trial", "1s"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err,
              ContainsRegex("short.yaml:2:[0-9]+: source 'station': its stream ended after 16 frames"));
}

TEST(Trial, chooses_the_plan_of_a_run_and_of_takt_plan) {
  const TemporaryFolder folder;
  // Two tasks of 2 ms: three placements.
  const std::string file = folder.file("two.yaml", fmt::format(R"(name: two
sources: {{in: {{type: synthetic, axes: [x=16]}}}}
tasks: {{a: {{kernel: spin, input: in, time: 2 ms}}, b: {{kernel: spin, input: a, time: 2 ms}}}}
sinks: {{out: {{type: raw, input: b, path: "{}"}}}}
deployment: {{ranks: 2, machine: "logp:P=2,L=1000,o=1000,g=1000"}}
)",
                                                               (folder / "out.raw").string()));
  const Result result = takt({"run", file, "--trial", "1s", "--frames", "1000"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("1000 ingested, 1000 delivered"));
  EXPECT_THAT(result.out, HasSubstr("plans tried: "));
  EXPECT_EQ(std::filesystem::file_size(folder / "out.raw"), 1000U * 16 * 4);
  const Result plan = takt({"plan", file, "--trial", "1s"});
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("plans tried: "));
  EXPECT_THAT(takt({"plan", file}).out, Not(HasSubstr("plans tried: ")));
  EXPECT_EQ(takt({"plan", "chain:depth=2", "--machine", "logp:P=2", "--trial", "1s"}).exit_code, 2);
}

TEST(Strict, reports_an_error_for_a_rate_that_is_not_held) {
  const TemporaryFolder folder;
  const std::string file = slow_pipeline(folder);
  const std::vector<std::string> run{
      "run", file, "--frames", "5", "--set", "sinks.out.path=/dev/null", "--set", "sources.in.rate=0 Hz"};
  const Result lenient = takt(run);
  EXPECT_EQ(lenient.exit_code, 0) << lenient.err;
  EXPECT_THAT(lenient.out, HasSubstr("1 kHz required"));
  std::vector<std::string> strict = run;
  strict.emplace_back("--strict=0.5");
  const Result refused = takt(strict);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("required 1 kHz, "));
}

}  // namespace
}  // namespace takt::test
