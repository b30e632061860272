/// Tests that a run ends with one message when a rank dies, for any cause at any time. The message names the
/// rank, the time and the cause; the exit code is 1, and no process remains.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool signals_are_the_sanitizers = true;
#else
constexpr bool signals_are_the_sanitizers = false;
#endif

/// Fault of the task `bad`.
struct Fault {
  std::string when = "never", where = "process", how = "throw";
  int at = 0;
  std::string deadline = "10 s";
};

std::string pipeline_yaml(const TemporaryFolder& folder, const Fault& fault, const std::string& frames) {
  return fmt::format(R"(name: failing
plugins: [{}]
sources:
  counter: {{type: synthetic, element: int32, axes: [sample=256], pattern: count, frames: {}}}
tasks:
  slow: {{kernel: spin, input: counter, time: 100 us}}
  bad: {{kernel: faulty, input: slow, when: {}, where: {}, how: {}, at: {}}}
sinks:
  file: {{type: raw, input: bad, path: {}}}
scheduler: basic_fo
deployment: {{ranks: 2, machine: "logp:P=2,L=1000,o=1000,g=1000", deadline: {}}}
)",
                     TAKT_FAULTY_KERNEL, frames, fault.when, fault.where, fault.how, fault.at,
                     (folder / "out.raw").string(), fault.deadline);
}

/// One run, with all its processes.
class FailingRun {
 public:
  explicit FailingRun(const Fault& fault, const std::string& frames = "20")
      : pipeline_(folder_.file("p.yaml", pipeline_yaml(folder_, fault, frames))) {}
  FailingRun(const FailingRun&) = delete;
  FailingRun& operator=(const FailingRun&) = delete;
  ~FailingRun() {
    for (const pid_t pid : processes("")) ::kill(pid, SIGKILL);
  }

  void start(std::vector<std::string> launcher = {}) {
    std::vector<std::string> command = takt_command({"run", pipeline_, "--verbose"});
    command.insert(command.begin(), launcher.begin(), launcher.end());
    program_ = std::make_unique<Program>(command);
  }
  Result wait() { return program_->wait(); }
  [[nodiscard]] pid_t pid() const { return program_->pid(); }
  [[nodiscard]] std::string folder() const { return std::filesystem::path(pipeline_).parent_path(); }

  /// Returns the processes of this run: their arguments contain the pipeline's
  /// path, and their environment contains this variable.
  [[nodiscard]] std::vector<pid_t> processes(const std::string& variable) const {
    std::vector<pid_t> pids;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      if (read_file(entry.path() / "cmdline").find(pipeline_) == std::string::npos) continue;
      if (read_file(entry.path() / "environ").find(variable) == std::string::npos) continue;
      pids.push_back(std::stoi(name));
    }
    return pids;
  }
  /// Returns the mpirun that takt has started: a process of the run, but neither takt nor a rank.
  [[nodiscard]] std::vector<pid_t> mpirun() const {
    std::vector<pid_t> pids;
    for (const pid_t pid : processes("TAKT_LINK="))
      if (read_file(fmt::format("/proc/{}/comm", pid)) == "mpirun\n") pids.push_back(pid);
    return pids;
  }
  [[nodiscard]] bool delivers() const {
    std::error_code none;
    const auto size = std::filesystem::file_size(folder_ / "out.raw", none);
    return !none && size >= 10 * 1024;
  }
  /// Returns the processes whose task has printed that it sleeps.
  [[nodiscard]] std::vector<pid_t> sleepers() const {
    std::vector<pid_t> pids;
    std::istringstream output(program_->err_so_far());
    for (std::string word; output >> word;)
      if (word == "asleep" && output >> word) pids.push_back(std::stoi(word));
    return pids;
  }

 private:
  TemporaryFolder folder_;
  std::string pipeline_;
  std::unique_ptr<Program> program_;
};

/// Returns whether this system permits the cgroups of pipeline/launch/jobs/run_cgroup.hpp.
bool has_cages() {
  std::istringstream lines(read_file("/proc/self/mountinfo"));
  for (std::string line, place; std::getline(lines, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    std::istringstream fields(line);
    for (int i = 0; i < 5; ++i) fields >> place;
    const std::string groups = read_file("/proc/self/cgroup");
    const std::size_t own = groups.find("0::/");
    const std::string group = groups.substr(own + 3, groups.find('\n', own) - own - 3);
    const std::filesystem::path folder = place + group + "/takt-test";
    std::error_code error;
    if (!std::filesystem::create_directory(folder, error)) return false;
    const bool has_kill = std::filesystem::exists(folder / "cgroup.kill");
    std::filesystem::remove(folder, error);
    return has_kill;
  }
  return false;
}

/// Waits for a condition that must become true.
void await(const std::string& what, const std::function<bool()>& has_come) {
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (!has_come()) {
    ASSERT_LT(std::chrono::steady_clock::now(), latest) << what;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
}

/// Returns how often the threads of the process have slept.
long naps_of(pid_t pid) {
  long naps = 0;
  std::error_code gone;
  for (const auto& thread : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), gone)) {
    const std::string status = read_file(thread.path() / "status");
    const std::string key = "\nvoluntary_ctxt_switches:";
    if (const std::size_t at = status.find(key); at != std::string::npos)
      naps += std::stol(status.substr(at + key.size()));
  }
  return naps;
}

/// Waits until a rank whose task sleeps forever has sent heartbeats to its
/// launcher: only the threads that send them still wake up.
void await_heartbeats(pid_t rank) {
  const long before = naps_of(rank);
  await("heartbeats", [&] { return naps_of(rank) > before + 30; });
}

int count_of(const std::string& part, const std::string& text) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

struct Case {
  std::string name;
  Fault fault;
  /// Parts of the one message.
  std::vector<std::string> says;
  bool is_signal = false;
  int exit_code = 1;
};

void PrintTo(const Case& each, std::ostream* stream) {
  *stream << each.name;
}

class Failure : public ::testing::TestWithParam<Case> {};

TEST_P(Failure, ends_the_run_with_one_message) {
  if (GetParam().is_signal && signals_are_the_sanitizers) GTEST_SKIP() << "the sanitizer takes this signal";
  FailingRun run(GetParam().fault);
  run.start();
  const Result result = run.wait();
  EXPECT_EQ(result.exit_code, GetParam().exit_code) << result.err;
  for (const std::string& part : GetParam().says) EXPECT_THAT(result.err, HasSubstr(part));
  EXPECT_EQ(count_of("takt: ", result.err), 1) << result.err;
  EXPECT_THAT(result.err, AllOf(Not(HasSubstr("mpirun says")), Not(HasSubstr("***"))));
  EXPECT_TRUE(run.processes("").empty());
}

INSTANTIATE_TEST_SUITE_P(
    When, Failure,
    ::testing::Values(
        Case{"launching_segfault",
             {"launching", "construction", "segfault"},
             {"died of signal 11 (Segmentation fault) while loading task 'bad'"},
             true,
             128 + SIGSEGV},
        Case{"launching_exit",
             {"launching", "configure", "exit"},
             {"something called exit() while loading task 'bad'"}},
        Case{"loading_abort",
             {"loading", "construction", "abort"},
             {"rank ", "died of signal 6 (Aborted) while loading task 'bad'"},
             true},
        Case{"loading_leave",
             {"loading", "construction", "leave"},
             {"something called _exit() while loading task 'bad'"}},
        Case{"measuring_segfault",
             {"measuring", "process", "segfault"},
             {"rank 0 (host", "died of signal 11 (Segmentation fault) while measuring task 'bad'"},
             true},
        Case{"measuring_throw",
             {"measuring", "process", "throw"},
             {"rank 0 (host", "task 'bad' failed while its cost was measured: the antenna fell over"}},
        Case{"set_up_throw",
             {"running", "configure", "throw"},
             {"task 'bad' on rank", "the antenna fell over"}},
        Case{"set_up_terminate",
             {"running", "construction", "terminate"},
             {"std::terminate was called while setting up task 'bad'"}},
        Case{"running_throw",
             {"running", "process", "throw"},
             {"task 'bad' on rank", "the antenna fell over"}},
        Case{"running_throw_number",
             {"running", "process", "throw_number"},
             {"task 'bad' on rank", "threw an exception of unknown type"}},
        Case{"running_throw_nothing",
             {"running", "process", "throw_nothing"},
             {"task 'bad' on rank", "an exception without a message"}},
        Case{"running_segfault",
             {"running", "process", "segfault"},
             {"tasks", "bad", "died of signal 11 (Segmentation fault) while running task 'bad'"},
             true},
        Case{"running_overflow",
             {"running", "process", "overflow"},
             {"died of signal 11 (Segmentation fault) while running task 'bad'"},
             true},
        Case{"running_exit",
             {"running", "process", "exit"},
             {"something called exit() while running task 'bad'"}},
        Case{"running_leave",
             {"running", "process", "leave"},
             {"something called _exit() while running task 'bad'"}},
        Case{"running_leave_quickly",
             {"running", "process", "leave_quickly"},
             {"something called exit() while running task 'bad'"}},
        Case{"measuring_hang",
             {"measuring", "process", "sleep", 0, "2 s"},
             {"rank 0 (host", "task 'bad' hangs: measuring since", "raise 'deployment: {deadline"}},
        Case{"running_hang",
             {"running", "process", "sleep", 7, "2 s"},
             {"rank ", "task 'bad' hangs: running at frame 7 since", "99 % of its frames took at most"}},
        Case{"end_hang",
             {"running", "finish", "sleep", 0, "2 s"},
             {"rank ", "task 'bad' hangs: draining at frame"}},
        Case{"end_throw", {"running", "finish", "throw"}, {"task 'bad' on rank", "the antenna fell over"}},
        Case{"end_abort",
             {"running", "finish", "abort"},
             {"died of signal 6 (Aborted) while draining task 'bad'"},
             true},
        Case{"clean_up_throw",
             {"running", "destruction", "throw"},
             {"the antenna fell over while closing task 'bad'"}}),
    [](const auto& each) { return each.param.name; });

TEST(Failure, of_a_kernel_to_respect_its_memory_is_found_on_request) {
  for (const auto& [how, says] :
       {std::pair{"overrun", "wrote past the end of its output: bytes 2 to 2 of the 4096 there"},
        std::pair{"scribble", "wrote into its input 0"}}) {
    const TemporaryFolder folder;
    const std::string pipeline = folder.file("p.yaml", pipeline_yaml(folder, {"never", "process", how}, "5"));
    const Result result = takt({"run", pipeline, "--check-memory", "--overwrite"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr(says));
    // During the measurement, before it can damage the run.
    EXPECT_THAT(result.err, HasSubstr("task 'bad' failed while its cost was measured"));
  }
}

TEST(A_kernel, with_frames_that_stand_for_more_than_it_received_is_named) {
  const TemporaryFolder folder;
  const std::string pipeline =
      folder.file("p.yaml", pipeline_yaml(folder, {"never", "process", "overstate"}, "5"));
  const Result result = takt({"run", pipeline, "--strict"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("'bad' produced frames that stand for 10 more than it received"));
}

TEST(A_kernel, that_forks_a_process_which_ends_by_itself_continues) {
  const TemporaryFolder folder;
  const std::string pipeline =
      folder.file("p.yaml", pipeline_yaml(folder, {"running", "process", "fork"}, "5"));
  const Result result = takt({"run", pipeline});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, Not(HasSubstr("exit()")));
}

TEST(Failure, reports_the_figures_before_it) {
  // Before the first heartbeat: only the dying rank can report.
  FailingRun run({"running", "process", "exit", 13});
  run.start();
  const Result result = run.wait();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, ContainsRegex("bad +faulty .* 13\n"));
}

TEST(Failure, of_a_kernel_while_the_file_is_checked_is_an_error_of_that_file) {
  FailingRun run({"launching", "configure", "throw_number"});
  run.start();
  const Result result = run.wait();
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("p.yaml:7:3: task 'bad': faulty threw an exception of unknown type"));
}

TEST(Failure, of_a_kernel_while_a_rank_loads_the_file_names_the_position_in_the_file) {
  FailingRun run({"loading", "configure", "throw"});
  run.start();
  const Result result = run.wait();
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("p.yaml:7:3: task 'bad': faulty failed: the antenna fell over"));
  EXPECT_EQ(count_of("takt: ", result.err), 1) << result.err;
}

TEST(A_killed_rank, is_named_when_it_had_not_started) {
  FailingRun run({"loading", "construction", "sleep"});
  run.start();
  await("both ranks load", [&] { return run.sleepers().size() == 2; });
  const pid_t killed = run.processes("OMPI_COMM_WORLD_RANK=1").at(0);
  ::kill(killed, SIGKILL);
  const Result result = run.wait();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("rank 1 died of signal 9 (Killed) before it started"));
  EXPECT_TRUE(run.processes("").empty());
}

TEST(A_killed_rank, is_named_with_the_task_that_it_measured) {
  FailingRun run({"measuring", "process", "sleep"});
  run.start();
  await("rank 0 measures", [&] { return run.sleepers().size() == 1; });
  await_heartbeats(run.sleepers()[0]);
  ::kill(run.sleepers()[0], SIGKILL);
  const Result result = run.wait();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("died of signal 9 (Killed); last seen measuring task 'bad'"));
  EXPECT_TRUE(run.processes("").empty());
}

TEST(A_killed_rank, is_named_when_it_drained) {
  FailingRun run({"running", "finish", "sleep"});
  run.start();
  await("a rank drains", [&] { return run.sleepers().size() == 1; });
  await_heartbeats(run.sleepers()[0]);
  ::kill(run.sleepers()[0], SIGKILL);
  const Result result = run.wait();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("died of signal 9 (Killed); last seen draining task 'bad'"));
  EXPECT_TRUE(run.processes("").empty());
}

/// A kernel that does not return while it is measured.
class An_interrupted_measurement : public ::testing::TestWithParam<int> {};

TEST_P(An_interrupted_measurement, ends_the_run_immediately_and_touches_no_output) {
  FailingRun run({.when = "measuring", .how = "sleep", .deadline = "10 min"});
  run.start();
  await("rank 0 measures", [&] { return run.sleepers().size() == 1; });
  ::kill(run.pid(), GetParam());
  const Result result = run.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("interrupted before the stream began"));
  EXPECT_EQ(count_of("takt: ", result.err), 1) << result.err;
  EXPECT_FALSE(std::filesystem::exists(run.folder() + "/out.raw"));
  EXPECT_TRUE(run.processes("").empty());
}

INSTANTIATE_TEST_SUITE_P(By, An_interrupted_measurement, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

/// `takt plan` and `takt profile` measure costs themselves.
TEST_P(An_interrupted_measurement, in_the_users_process_ends_with_one_message_and_leaves_nothing) {
  const TemporaryFolder folder;
  const std::string file = folder.file("p.yaml", R"(sources:
  s: {type: synthetic, element: int32, axes: [sample=64], rate: 1 Hz}
tasks: {a: {kernel: spin, input: s, time: 9 s}}
sinks: {o: {type: null, input: a}}
deployment: {ranks: 2}
)");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"profile", file}, {"plan", file, "--machine", "logp:P=2,L=1,o=1,g=1"}}) {
    Program program(takt_command(words));
    // The measurement starts two more threads than one, the file one.
    const auto measures = [&] {
      const std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", program.pid()));
      return std::distance(begin(threads), end(threads)) > 2;
    };
    EXPECT_TRUE(program.await(measures)) << words.front();
    program.signal(GetParam());
    const Result result = program.wait(std::chrono::seconds(30));
    EXPECT_EQ(result.exit_code, 1) << words.front() << ": " << result.err;
    EXPECT_EQ(result.err, "takt: interrupted while the tasks were measured\n") << words.front();
  }
}

TEST(An_interrupted_rank, ends_a_run_whose_other_rank_measures) {
  FailingRun run({.when = "measuring", .how = "sleep", .deadline = "10 min"});
  run.start();
  await("rank 0 measures", [&] { return run.sleepers().size() == 1; });
  ::kill(run.processes("OMPI_COMM_WORLD_RANK=1").at(0), SIGINT);
  const Result result = run.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("interrupted before the stream began"));
}

TEST(A_killed_launcher, leaves_neither_ranks_nor_the_folder_of_the_run) {
  FailingRun run({}, "1000000000");
  run.start();
  await("frames are delivered", [&] { return run.delivers(); });
  const std::string rank =
      read_file(fmt::format("/proc/{}/environ", run.processes("OMPI_COMM_WORLD_RANK=0").at(0)));
  const std::string key = std::string(1, '\0') + "TAKT_FOLDER=";
  ASSERT_NE(rank.find(key), std::string::npos);
  const std::filesystem::path folder = rank.c_str() + rank.find(key) + key.size();
  EXPECT_TRUE(std::filesystem::exists(folder)) << folder;
  ::kill(run.pid(), SIGKILL);
  (void)run.wait();
  await("all processes have ended", [&] { return run.processes("").empty(); });
  await("the folder is gone", [&] { return !std::filesystem::exists(folder); });
}

TEST(A_killed_launcher, leaves_no_ranks_that_had_not_started) {
  FailingRun run({"loading", "construction", "sleep"});
  run.start();
  await("both ranks load", [&] { return run.sleepers().size() == 2; });
  ::kill(run.pid(), SIGKILL);
  (void)run.wait();
  await("all processes have ended", [&] { return run.processes("").empty(); });
}

bool is_there(pid_t pid) {
  const std::string status = read_file(fmt::format("/proc/{}/stat", pid));
  return !status.empty() && status.find(") Z ") == std::string::npos;
}

TEST(A_process_that_a_plug_in_leaves, does_not_outlive_the_run) {
  FailingRun run({.when = "running", .how = "leave_a_process", .at = 10});
  run.start();
  const Result result = run.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  ASSERT_EQ(run.sleepers().size(), 10U) << result.err;
  for (const pid_t pid : run.sleepers()) EXPECT_FALSE(is_there(pid));
}

TEST(A_process_that_a_plug_in_leaves, does_not_outlive_a_killed_launcher) {
  FailingRun run({.when = "running", .how = "leave_a_process", .at = 10}, "1000000");
  run.start();
  await("sleepers", [&] { return run.sleepers().size() > 2; });
  ::kill(run.pid(), SIGKILL);
  await("end", [&] { return run.processes("").empty(); });
  await("no sleeper", [&] { return std::ranges::none_of(run.sleepers(), is_there); });
}

/// Another program, in a separate session, without a variable of the run.
TEST(A_process_that_a_plug_in_leaves, does_not_escape_the_cgroup) {
  if (!has_cages()) GTEST_SKIP() << "no control groups here that this user may make";
  FailingRun run({.when = "running", .how = "leave_a_stranger", .at = 10});
  run.start();
  const Result result = run.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  ASSERT_EQ(run.sleepers().size(), 10U) << result.err;
  for (const pid_t pid : run.sleepers()) EXPECT_FALSE(is_there(pid));
}

TEST(A_killed_mpirun, ends_the_run_with_a_message_and_leaves_no_ranks) {
  FailingRun run({}, "1000000000");
  run.start();
  await("frames are delivered", [&] { return run.delivers(); });
  ASSERT_EQ(run.mpirun().size(), 1U);
  ::kill(run.mpirun()[0], SIGKILL);
  const Result result = run.wait();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("mpirun died of signal 9 (Killed)"));
  EXPECT_EQ(count_of("takt: ", result.err), 1) << result.err;
  EXPECT_TRUE(run.processes("").empty());
}

/// The user must allow core files; the system names them, in the working folder unless it states another.
TEST(FailureWithCore, leaves_a_core_file_after_the_one_message) {
  if (signals_are_the_sanitizers) GTEST_SKIP() << "the sanitizer takes this signal";
  const std::string pattern = read_file("/proc/sys/kernel/core_pattern");
  if (pattern.find_first_of("|/") != std::string::npos) GTEST_SKIP() << "core files go to " << pattern;
  rlimit limit{};
  ::getrlimit(RLIMIT_CORE, &limit);
  if (limit.rlim_max == 0) GTEST_SKIP() << "core files are forbidden here";
  FailingRun run({"launching", "construction", "segfault"});
  run.start({"sh", "-c", R"sh(ulimit -c "$(ulimit -H -c)" && cd "$1" && shift && exec "$@")sh", "sh",
             run.folder()});
  const Result result = run.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGSEGV) << result.err;
  EXPECT_EQ(count_of("takt: ", result.err), 1) << result.err;
  const std::string name = pattern.substr(0, pattern.find_first_of("%\n"));
  bool is_there = false;
  for (const auto& entry : std::filesystem::directory_iterator(run.folder()))
    is_there = is_there || entry.path().filename().string().starts_with(name);
  EXPECT_TRUE(is_there);
}

class Under_the_users_own_mpirun : public ::testing::Test {
 protected:
  static void start(FailingRun& run) {
    // A killed mpirun would leave its shared memory here.
    ::setenv("OMPI_MCA_btl_vader_backing_directory", run.folder().c_str(), 1);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    run.start({"mpirun", "-n", "2", "--oversubscribe"});
  }
};

TEST_F(Under_the_users_own_mpirun, a_rank_itself_reports_the_cause_of_its_death) {
  if (signals_are_the_sanitizers) GTEST_SKIP() << "the sanitizer takes this signal";
  FailingRun run({"running", "process", "segfault"});
  start(run);
  const Result result = run.wait();
  EXPECT_EQ(result.exit_code, 128 + SIGSEGV);
  EXPECT_THAT(result.err, ::testing::ContainsRegex("takt: rank [01]: died of signal 11 \\(Segmentation "
                                                   "fault\\) while running task 'bad'"));
  EXPECT_TRUE(run.processes("").empty());
}

TEST_F(Under_the_users_own_mpirun, no_rank_outlives_a_killed_mpirun) {
  FailingRun run({}, "1000000000");
  start(run);
  await("frames are delivered", [&] { return run.delivers(); });
  ::kill(run.pid(), SIGKILL);
  (void)run.wait();
  await("all processes have ended", [&] { return run.processes("").empty(); });
}

}  // namespace
}  // namespace takt::test
