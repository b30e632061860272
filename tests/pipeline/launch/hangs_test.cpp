/// Tests sources, kernels and sinks that hang in any of their functions, or return
/// false results. Each run ends within the deadline of the phase with one message
/// that names task, phase and rank, and Ctrl-C ends it before the deadline.

#include <chrono>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>

#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Clock = std::chrono::steady_clock;

/// Faults by stage; settings in the syntax of the pipeline file.
struct Fault {
  std::string source = "{}", task = "{}", sink = "{}";
  std::string deployment = {};
};

std::string with(const std::string& settings, const std::string& more) {
  const std::string inside = settings.substr(1, settings.size() - 2);
  return "{" + more + (inside.empty() ? "" : ", " + inside) + "}";
}

class HangingRun {
 public:
  /// `deadlines` are keys of the deployment. The costs are given, so nothing is measured.
  HangingRun(const Fault& fault, const std::string& deadlines) {
    pipeline_ = folder_.file(
        "p.yaml", fmt::format("plugins: [{}]\nsources:\n  s: {}\ntasks:\n  bad: {}\nsinks:\n  o: {}\n"
                              "deployment: {{ranks: 1, machine: \"logp:P=1,L=1000,o=1000,g=1000\", {}{}}}\n",
                              TAKT_HANGING_STAGES, with(fault.source, "type: hanging_source"),
                              with(fault.task, "kernel: hanging, input: s"),
                              with(fault.sink, "type: hanging_sink, input: bad"), deadlines,
                              fault.deployment.empty() ? "" : ", " + fault.deployment));
    costs_ = folder_.file("costs.yaml",
                          "costs:\n  s: {cost: 9 us, low: 9 us, high: 9 us, runs: 9, copy: 0}\n"
                          "  bad: {cost: 9 us, low: 9 us, high: 9 us, runs: 9}\n"
                          "  o: {cost: 9 us, low: 9 us, high: 9 us, runs: 9}\n");
  }
  [[nodiscard]] std::vector<std::string> command() const {
    return {"run", pipeline_, "--no-serve", "--profile", costs_};
  }
  [[nodiscard]] std::string file() const { return pipeline_; }

 private:
  TemporaryFolder folder_;
  std::string pipeline_, costs_;
};

constexpr const char* long_deadlines = "deadline: 10 min, setup_deadline: 10 min, end_deadline: 10 min";

struct Case {
  std::string name;
  Fault fault;
  /// Parts of the message.
  std::string task, phase, key;
  bool is_in_rank = true;
  /// Whether it is before the stream, when an interrupt is no failure.
  bool is_before_stream = false;

  friend std::ostream& operator<<(std::ostream& out, const Case& value) { return out << value.name; }
};

int count_of(const std::string& part, const std::string& text) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Returns the tested deadline, long enough for MPI to start if necessary.
std::string short_deadline_of(const Case& one) {
  return one.key + (one.key == "setup_deadline" && one.is_in_rank ? ": 3 s" : ": 1 s");
}

class A_stage : public ::testing::TestWithParam<Case> {};

TEST_P(A_stage, that_hangs_ends_the_run_by_the_deadline_with_one_message) {
  const HangingRun run(GetParam().fault, short_deadline_of(GetParam()));
  const Result result = takt(run.command());
  EXPECT_EQ(result.exit_code, 1) << result.err;
  // A run that may restart reports so first.
  EXPECT_EQ(count_of("takt: ", result.err), GetParam().fault.deployment.empty() ? 1 : 2) << result.err;
  EXPECT_THAT(result.err,
              AllOf(HasSubstr(fmt::format("task '{}'", GetParam().task)), HasSubstr(GetParam().phase),
                    HasSubstr(fmt::format("'deployment: {{{}: ...}}'", GetParam().key))));
  EXPECT_THAT(result.err, HasSubstr(GetParam().is_in_rank ? "rank 0" : "takt: task"));
}

TEST_P(A_stage, that_hangs_does_not_prevent_an_interrupt_from_ending_the_run) {
  const HangingRun run(GetParam().fault, long_deadlines);
  Program program(takt_command(run.command()));
  ASSERT_TRUE(program.await_err(GetParam().name == "finish_endless" ? "" : "asleep "));
  if (GetParam().name == "finish_endless") {
    // It prints nothing: the run begins within this time, or is interrupted before.
    ::usleep(1'500'000);
  }
  const auto start = Clock::now();
  program.signal(SIGINT);
  const Result result = program.wait();
  // Two and a half seconds on an idle computer.
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(15));
  EXPECT_NE(result.exit_code, -1);
  if (!GetParam().is_in_rank) return;
  // A line of progress may precede it.
  EXPECT_LE(count_of("takt: rank ", result.err), 1) << result.err;
  if (GetParam().name == "finish_endless") return;
  EXPECT_EQ(result.exit_code, GetParam().is_before_stream ? 0 : 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr(GetParam().is_before_stream ? "interrupted before the stream began"
                                                                : "did not return at the end of the run"));
}

/// In a rank, the first objects only determine types.
Case kernel_case(const std::string& name, const std::string& where, const std::string& phase,
                 const std::string& key) {
  return {name, {.task = fmt::format("{{where: {}, spare: 2}}", where)}, "bad", phase, key};
}
Case source_case(const std::string& name, const std::string& where, const std::string& phase,
                 const std::string& key) {
  return {name, {.source = fmt::format("{{where: {}, spare: 1}}", where)}, "s", phase, key};
}
Case sink_case(const std::string& name, const std::string& where, const std::string& phase,
               const std::string& key) {
  return {name, {.sink = fmt::format("{{where: {}, spare: 1}}", where)}, "o", phase, key};
}

INSTANTIATE_TEST_SUITE_P(
    Of, A_stage,
    ::testing::Values(Case{"launcher_construction",
                           {.task = "{where: construction, process: launcher}"},
                           "bad",
                           "loading since",
                           "setup_deadline",
                           false},
                      Case{"launcher_configure",
                           {.task = "{where: configure, process: launcher}"},
                           "bad",
                           "loading since",
                           "setup_deadline",
                           false},
                      Case{"launcher_source",
                           {.source = "{where: construction, process: launcher}"},
                           "s",
                           "loading since",
                           "setup_deadline",
                           false},
                      Case{"loading_configure",
                           {.task = "{where: configure}"},
                           "bad",
                           "loading since",
                           "setup_deadline",
                           true,
                           true},
                      kernel_case("construction", "construction", "setting up since", "setup_deadline"),
                      kernel_case("configure", "configure", "setting up since", "setup_deadline"),
                      kernel_case("process", "process", "running at frame 3 since", "deadline"),
                      kernel_case("finish", "finish", "draining at frame", "deadline"),
                      kernel_case("kernel_destruction", "destruction", "closing since", "end_deadline"),
                      Case{"finish_endless",
                           {.task = "{where: nowhere, how: endless, spare: 2}"},
                           "bad",
                           "does not end its flush: draining",
                           "end_deadline"},
                      Case{"save",
                           {.source = "{frames: 1000000}",
                            .task = "{where: save, spare: 2}",
                            .deployment = "restart: {attempts: 1, backoff: 1 ms, every: 1 ms}"},
                           "bad",
                           "running at frame",
                           "deadline"},
                      Case{"load",
                           {.source = "{frames: 1000000000}",
                            .task = "{where: load}",
                            .deployment = "restart: {attempts: 1, backoff: 1 ms, every: 1 ms}"},
                           "bad",
                           "setting up since",
                           "setup_deadline"},
                      source_case("source_construction", "construction", "setting up since",
                                  "setup_deadline"),
                      source_case("start", "start", "starting the source since", "setup_deadline"),
                      source_case("poll", "poll", "running at frame 3 since", "deadline"),
                      source_case("release", "release", "running at frame 2 since", "deadline"),
                      source_case("wait", "wait", "running at frame 3 since", "deadline"),
                      source_case("source_destruction", "destruction", "closing since", "end_deadline"),
                      sink_case("sink_construction", "construction", "setting up since", "setup_deadline"),
                      sink_case("open", "open", "setting up since", "setup_deadline"),
                      sink_case("write", "write", "running at frame 3 since", "deadline"),
                      sink_case("close", "close", "draining since", "end_deadline"),
                      sink_case("sink_destruction", "destruction", "closing since", "end_deadline")),
    [](const auto& each) { return each.param.name; });

constexpr const char* long_stream = "{frames: 1000000000}";

TEST(A_rest, without_an_end_ends_soon_after_an_interrupt) {
  const HangingRun run({.source = long_stream, .task = "{how: endless, spare: 2}"}, long_deadlines);
  Program program(takt_command(run.command()));
  ASSERT_TRUE(program.await_err("awake "));
  const auto start = Clock::now();
  program.signal(SIGINT);
  const Result result = program.wait();
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(30));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(
      result.err,
      AllOf(HasSubstr("rank 0"),
            HasSubstr("task 'bad' does not end its flush: draining, its 'finish' has produced frames for"),
            HasSubstr("while the run ends")));
  EXPECT_EQ(count_of("takt: rank ", result.err), 1) << result.err;
}

TEST(A_source, that_does_not_stop_ends_the_run_by_the_deadline) {
  const HangingRun run({.source = "{where: stop, spare: 1, frames: 1000000000}"}, "deadline: 1 s");
  std::vector<std::string> command = run.command();
  command.insert(command.end(), {"--duration", "100ms"});
  const Result result = takt(command);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("rank 0"), HasSubstr("task 's' hangs: draining at frame "),
                                HasSubstr("'deployment: {deadline: ...}'")));
  EXPECT_EQ(count_of("takt: ", result.err), 1) << result.err;
}

TEST(A_source, that_does_not_stop_does_not_prevent_a_second_interrupt_from_ending_the_run) {
  const HangingRun run(
      {.source = "{where: stop, spare: 1, frames: 1000000000}", .task = "{how: endless, spare: 2}"},
      long_deadlines);
  Program program(takt_command(run.command()));
  ASSERT_TRUE(program.await_err("awake "));
  program.signal(SIGINT);
  ASSERT_TRUE(program.await_err("asleep "));
  const auto start = Clock::now();
  program.signal(SIGINT);
  const Result result = program.wait();
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(15));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("ended at once, on request"));
}

Result run_with(const std::string& task, const std::string& kernel = "hanging") {
  HangingRun run({.task = task}, "deadline: 1 s");
  std::vector<std::string> command = run.command();
  if (kernel != "hanging") command.insert(command.end(), {"--set", "tasks.bad.kernel=" + kernel});
  return takt(command);
}

TEST(An_outcome, that_is_invalid_is_refused_with_the_name_of_the_task) {
  EXPECT_THAT(run_with("{how: seven, spare: 2}").err,
              AllOf(HasSubstr("task 'bad' on rank 0"),
                    HasSubstr("its 'process' returned an outcome of 7: expected Outcome::produced or "
                              "Outcome::absorbed")));
  EXPECT_THAT(
      run_with("{how: more, spare: 2}").err,
      AllOf(HasSubstr("task 'bad' on rank 0"), HasSubstr("its 'process' returned Outcome::more: expected"),
            HasSubstr("only 'finish' may return Outcome::more")));
  const Result finish = run_with("{how: finish_nine, spare: 2}");
  EXPECT_EQ(finish.exit_code, 1);
  EXPECT_THAT(finish.err,
              AllOf(HasSubstr("task 'bad' on rank 0"),
                    HasSubstr("its 'finish' returned an outcome of 9: expected Outcome::produced, "
                              "Outcome::more or Outcome::absorbed")));
}

TEST(An_overrun, of_64_bytes_is_found_in_an_ordinary_run) {
  const Result result = run_with("{how: overrun, spare: 2}");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("task 'bad' on rank 0"),
                                HasSubstr("wrote past the end of its output of 16 bytes: bytes 0 to 63"),
                                HasSubstr("--check-memory finds the call")));
}

TEST(An_exception, is_one_line_without_escapes_in_every_phase) {
  for (const char* const settings :
       {"{where: process, how: throw_lines, spare: 2}", "{where: configure, how: throw_lines, spare: 2}",
        "{where: configure, how: throw_lines, process: launcher}"}) {
    const Result result = run_with(settings);
    EXPECT_NE(result.exit_code, 0);
    EXPECT_EQ(count_of("\n", result.err), 1) << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr("one two [31m 3"), Not(HasSubstr("\x1b"))));
  }
}

TEST(A_stateless_kernel, that_saves_a_state_is_refused_with_its_position) {
  HangingRun run({.task = "{}"}, "deadline: 1 s");
  const std::string file = run.file();
  const TemporaryFolder folder;
  const std::string lying = folder.file(
      "p.yaml",
      fmt::format(
          "plugins: [{}]\nsources: {{s: {{type: synthetic, element: int32, axes: [sample=4]}}}}\n"
          "tasks:\n  sums: {{kernel: lying_sum, input: s}}\nsinks: {{o: {{type: null, input: sums}}}}\n",
          TAKT_HANGING_STAGES));
  const Result result = takt({"run", lying});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err,
              HasSubstr("p.yaml:4:3: task 'sums': kernel 'lying_sum' is registered as stateless, but saves a "
                        "state of 4 bytes: set '.stateless = false' in its KernelKind"));
}

/// A pipe without a reader.
class A_pipe_without_a_reader : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    const std::string file = folder_.file(
        "p.yaml", fmt::format("sources: {{s: {{type: synthetic, axes: [time=16], frames: 20}}}}\n"
                              "sinks: {{o: {{type: raw, input: s, path: {}}}}}\n",
                              (folder_ / "pipe").string()));
    const std::string costs =
        folder_.file("costs.yaml",
                     "costs:\n  s: {cost: 9 us, low: 9 us, high: 9 us, runs: 9, copy: 0}\n"
                     "  o: {cost: 9 us, low: 9 us, high: 9 us, runs: 9}\n");
    program_.emplace(takt_command({"run", file, "--no-serve", "--profile", costs}));
    ASSERT_TRUE(program_->await_err("task 'o', which waits for a reader of the pipe '"));
  }

  TemporaryFolder folder_;
  std::optional<Program> program_;
};

TEST_F(A_pipe_without_a_reader, is_named_and_gets_all_frames_when_a_reader_opens_it) {
  EXPECT_EQ(read_file(folder_ / "pipe").size(), 20U * 16 * 4);
  const Result result = program_->wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(A_pipe_without_a_reader, does_not_prevent_an_interrupt_from_ending_the_run) {
  const auto start = Clock::now();
  program_->signal(SIGINT);
  const Result result = program_->wait();
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("pipe: interrupted before the pipe had a reader"));
}

TEST(A_task, that_closes_foreign_descriptors_is_reported_as_a_possible_cause) {
  const TemporaryFolder folder;
  const std::string file = folder.file(
      "p.yaml", fmt::format("plugins: [{}]\nsources: {{s: {{type: hanging_source, frames: 20}}}}\n"
                            "tasks: {{bad: {{kernel: hanging, input: s, how: close_files, spare: 2}}}}\n"
                            "sinks: {{o: {{type: raw, input: bad, path: {}}}}}\n"
                            "deployment: {{machine: \"logp:P=1,L=1000,o=1000,g=1000\"}}\n",
                            TAKT_HANGING_STAGES, (folder / "out.raw").string()));
  const std::string costs = folder.file("costs.yaml",
                                        "costs:\n  s: {cost: 9 us, low: 9 us, high: 9 us, runs: 9, copy: 0}\n"
                                        "  bad: {cost: 9 us, low: 9 us, high: 9 us, runs: 9}\n"
                                        "  o: {cost: 9 us, low: 9 us, high: 9 us, runs: 9}\n");
  const Result result = takt({"run", file, "--no-serve", "--profile", costs});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(
      result.err,
      HasSubstr("its descriptor was closed by other code of this process, such as another task of the rank"));
}

}  // namespace
}  // namespace takt::test
