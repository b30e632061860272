/// Tests `takt run` from the user's view: whole runs over MPI ranks, judged by the report and the output.

#include <filesystem>
#include <iterator>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <unistd.h>
#include <zmq.hpp>

#include "pipeline/protocol/message_kind.hpp"
#include "pipeline/protocol/status.hpp"
#include "tests/support/program.hpp"
#include "tests/support/ranks.hpp"

namespace takt::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// Returns a counting stream through three passes into a file, optionally slowed down.
std::string pipeline_yaml(const TemporaryFolder& folder, const std::string& frames,
                          const std::string& spin = "0 us") {
  return fmt::format(R"(name: counting
sources:
  counter: {{type: synthetic, element: int32, axes: [sample=1024], pattern: count, frames: {}}}
tasks:
  first: {{kernel: spin, input: counter, time: {}}}
  second: {{kernel: spin, input: first, time: {}}}
  third: {{kernel: pass, input: second}}
sinks:
  file: {{type: raw, input: third, path: {}}}
scheduler: basic_fo
deployment: {{ranks: 3}}
)",
                     frames, spin, spin, (folder / "out.raw").string());
}

json report_of(const TemporaryFolder& folder) {
  return json::parse(read_file(folder / "report.json"));
}

class RunOverRanks : public ::testing::TestWithParam<int> {};

TEST_P(RunOverRanks, delivers_every_frame_once_and_in_order) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", pipeline_yaml(folder, "2000"));
  const Result result =
      takt({"run", pipeline, "--ranks", std::to_string(GetParam()), "--report", folder / "report.json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = report_of(folder);
  EXPECT_EQ(report["frames"]["ingested"], 2000);
  EXPECT_EQ(report["frames"]["delivered"], 2000);
  EXPECT_EQ(report["frames"]["dropped"], 0);
  EXPECT_EQ(report["ranks"].size(), static_cast<std::size_t>(GetParam()));
  EXPECT_EQ(std::filesystem::file_size(folder / "out.raw"), 2000U * 4096U);
}

INSTANTIATE_TEST_SUITE_P(One_to_eight, RunOverRanks, ::testing::Values(1, 2, 3, 8));

TEST(Run, of_a_limited_number_of_frames_counts_no_later_frames) {
  // The source is ten times as fast as the task, and its queue holds all frames.
  const TemporaryFolder folder;
  const std::string pipeline = folder.file(
      "p.yaml",
      "sources:\n  s: {type: synthetic, axes: [sample=16], rate: 200 Hz, depth: 4096}\n"
      "tasks:\n  slow: {kernel: spin, input: s, time: 50 ms}\nsinks:\n  out: {type: null, input: slow}\n");
  ASSERT_EQ(takt({"run", pipeline, "--frames", "10", "--report", folder / "report.json"}).exit_code, 0);
  const json frames = report_of(folder)["frames"];
  EXPECT_EQ(frames["ingested"], 10);
  EXPECT_EQ(frames["delivered"], 10);
  EXPECT_EQ(frames["dropped"], 0);
}

TEST(Run, that_measures_costs_leaves_other_files_unchanged) {
  const TemporaryFolder folder;
  const std::string mine = folder.file("out.raw.profile", "precious");
  const std::string pipeline = folder.file("p.yaml", pipeline_yaml(folder, "10"));
  ASSERT_EQ(takt({"run", pipeline}).exit_code, 0);
  EXPECT_EQ(read_file(mine), "precious");
  const std::filesystem::directory_iterator files(folder / "");
  EXPECT_EQ(std::distance(files, {}), 3) << "nothing else stays than the pipeline and its output";
}

TEST(Run, refuses_missing_recordings_and_folders_before_the_ranks_start) {
  const TemporaryFolder folder;
  const std::string old = folder.file("old.raw", "yesterday");
  const std::string pipeline =
      folder.file("p.yaml",
                  "sources:\n  rec: {type: lofar_file, files: [none.raw]}\n"
                  "sinks:\n  keep: {type: raw, input: rec, path: " +
                      old + "}\n  lost: {type: raw, input: rec, path: /nowhere/o}\n");
  const Result result = takt({"run", pipeline});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr(pipeline + ":2:34: source 'rec': cannot read the file"));
  EXPECT_THAT(result.err, HasSubstr(pipeline + ":5:39: sink 'lost': cannot write the file '/nowhere/o'"));
  EXPECT_THAT(result.err, HasSubstr(pipeline + ":4:39: sink 'keep': cannot write the file '" + old +
                                    "': the file exists (9 B); rename it"));
  EXPECT_EQ(read_file(old), "yesterday");
}

TEST(Run, has_the_same_output_on_one_rank_and_on_many) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", pipeline_yaml(folder, "300"));
  ASSERT_EQ(takt({"run", pipeline, "--ranks", "1"}).exit_code, 0);
  const std::string one = read_file(folder / "out.raw");
  for (const char* scheduler : {"basic_fo", "greedy", "brent"}) {
    const Result result = takt({"run", pipeline, "--ranks", "4", "--scheduler", scheduler, "--overwrite"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(read_file(folder / "out.raw") == one) << scheduler;
  }
}

TEST(Run, prints_sustained_and_predicted_frequency) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", pipeline_yaml(folder, "100"));
  const Result result = takt({"run", pipeline});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("sustained"));
  EXPECT_THAT(result.out, HasSubstr("predicted"));
  EXPECT_THAT(result.out, HasSubstr(folder / "out.raw"));
}

/// A task that runs between frames without timing.
TEST(Run, times_tasks_with_infrequent_calls) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", R"(sources:
  s: {type: synthetic, element: float32, axes: [time=8], frames: 50000}
tasks:
  i: {kernel: integrate, input: s, factor: 200000}
  c: {kernel: slow, input: i, work: 5 ms, hand_over: 0 s}
sinks: {o: {type: null, input: c}}
deployment: {ranks: 1}
plugins: [)" TAKT_TEST_KERNELS "]\n");
  const Result result =
      takt({"run", pipeline, "--trial", "0s", "--report", (folder / "report.json").string()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json task = report_of(folder)["tasks"][2];
  EXPECT_EQ(task["runs"], 2);
  EXPECT_GE(task["mean_ns"], 5'000'000);
}

TEST(Run, stops_after_the_requested_frames_or_time) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", pipeline_yaml(folder, "1000000000"));
  ASSERT_EQ(takt({"run", pipeline, "--frames", "17", "--report", folder / "report.json"}).exit_code, 0);
  EXPECT_EQ(report_of(folder)["frames"]["delivered"], 17);
  ASSERT_EQ(takt({"run", pipeline, "--duration", "300ms", "--overwrite", "--report", folder / "report.json"})
                .exit_code,
            0);
  const json frames = report_of(folder)["frames"];
  EXPECT_GT(frames["delivered"], 0);
  EXPECT_EQ(frames["delivered"], frames["ingested"]);
}

TEST(Run, measures_latency_over_hosts_with_different_clocks) {
  // A rank in a separate time namespace identifies itself as another host, more than a day ahead.
  const std::vector<std::string> elsewhere{"unshare", "--time", "--monotonic", "100000", "--fork"};
  std::vector<std::string> trial = elsewhere;
  trial.emplace_back("true");
  if (Program(trial).wait().exit_code != 0) GTEST_SKIP() << "no time namespaces here";
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", pipeline_yaml(folder, "50", "500 us"));
  const std::vector<std::string> rank =
      takt_command({"run", pipeline, "--ranks", "2", "--report", folder / "report.json"});
  std::vector<std::string> command{
      "mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "1"};
  command.insert(command.end(), rank.begin(), rank.end());
  command.insert(command.end(), {":", "-n", "1"});
  command.insert(command.end(), elsewhere.begin(), elsewhere.end());
  command.insert(command.end(), rank.begin(), rank.end());
  const Result result = Program(command).wait();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = report_of(folder);
  EXPECT_EQ(report["frames"]["delivered"], 50);
  ASSERT_NE(report["tasks"][0]["ranks"], report["tasks"][4]["ranks"]) << "source and sink are to be apart";
  constexpr double minute = 60e9;
  EXPECT_GT(report["latency_ns"]["max"], 1000);
  EXPECT_LT(report["latency_ns"]["max"], minute);
}

/// A run without an end that has begun to deliver.
class EndlessRun : public ::testing::Test {
 protected:
  void start(const std::vector<std::string>& more = {}) {
    pipeline_ = folder_.file("p.yaml", pipeline_yaml(folder_, "1000000000", "200 us"));
    std::vector<std::string> words{"run", pipeline_, "--report", folder_ / "report.json"};
    words.insert(words.end(), more.begin(), more.end());
    program_ = std::make_unique<Program>(takt_command(words));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (!std::filesystem::exists(folder_ / "out.raw") ||
           std::filesystem::file_size(folder_ / "out.raw") < 50 * 4096) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "the run did not start";
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
  }

  std::vector<pid_t> ranks() const { return ranks_of(pipeline_); }

  TemporaryFolder folder_;
  std::string pipeline_;
  std::unique_ptr<Program> program_;
};

TEST_F(EndlessRun, ends_in_order_when_its_terminal_is_closed) {
  start();
  program_->signal(SIGHUP);
  const Result result = program_->wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(report_of(folder_)["frames"]["delivered"], report_of(folder_)["frames"]["ingested"]);
}

TEST_F(EndlessRun, ends_in_order_when_any_rank_is_interrupted) {
  start();
  // One of them has no source.
  ::kill(ranks().back(), SIGINT);
  const Result result = program_->wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(report_of(folder_)["frames"]["delivered"], report_of(folder_)["frames"]["ingested"]);
}

/// Returns the processors of the first thread of the process, according to `/proc/PID/status`.
std::string allowed_processors(pid_t pid) {
  std::istringstream lines(read_file(fmt::format("/proc/{}/status", pid)));
  constexpr std::string_view key = "Cpus_allowed_list:\t";
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(key)) return line.substr(key.size());
  return "";
}

TEST_F(EndlessRun, uses_only_the_named_processors) {
  const std::string everywhere = allowed_processors(::getpid());
  const std::size_t least = std::stoul(everywhere);
  const std::string one = fmt::format("{}", least);
  start({"--ranks", "1", "--set", fmt::format("deployment.pin=[{}]", one)});
  EXPECT_EQ(allowed_processors(ranks().front()), one);
  // Threads that only report and receive may use other processors.
  std::size_t free = 0;
  for (const auto& thread :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", ranks().front())))
    if (allowed_processors(std::stoi(thread.path().filename())) == everywhere) ++free;
  EXPECT_GE(free, everywhere == one ? 0U : 1U);
  program_->signal(SIGINT);
  EXPECT_EQ(program_->wait().exit_code, 0);
}

TEST(Run, refuses_a_missing_processor) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", pipeline_yaml(folder, "10"));
  const Result result = takt({"run", pipeline, "--ranks", "1", "--set", "deployment.pin=[99999]"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("this computer has no processor 99999"));
}

TEST_F(EndlessRun, ignores_forged_messages_to_its_launcher) {
  start();
  // The launcher's address, from the environment of a rank.
  const std::string environment = read_file(fmt::format("/proc/{}/environ", ranks().front()));
  const std::size_t begin = environment.find("TAKT_LINK=") + 10;
  zmq::context_t context;
  zmq::socket_t stranger(context, zmq::socket_type::push);
  stranger.connect(environment.substr(begin, environment.find(' ', begin) - begin));
  const auto say = [&](const std::string& kind, const std::string& text) {
    stranger.send(zmq::buffer(kind), zmq::send_flags::sndmore);
    stranger.send(zmq::buffer(text));
  };
  for (const char* kind : {"status", "plan", "nonsense"})
    for (const char* text : {"", "{", "{}", "\xff", "[[[[[[[["}) say(kind, text);
  say("status", R"({"rank": 99})");
  stranger.send(zmq::str_buffer("alone"));
  // The launcher reads these messages before the request to end.
  stranger.close();
  program_->signal(SIGINT);
  const Result result = program_->wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(report_of(folder_)["frames"]["delivered"], report_of(folder_)["frames"]["ingested"]);
}

TEST(Run, measures_without_changes_to_the_users_folder) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", pipeline_yaml(folder, "10"));
  const std::string kept = folder.file("out.raw", "kept");
  EXPECT_EQ(takt({"profile", pipeline, "--budget", "1ms"}).exit_code, 0);
  EXPECT_EQ(takt({"plan", pipeline, "--machine", "logp:P=3,L=1,o=1,g=1"}).exit_code, 0);
  EXPECT_EQ(read_file(kept), "kept");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "")) files += entry.is_regular_file();
  EXPECT_EQ(files, 2U);
}

TEST_F(EndlessRun, is_shown_by_top_until_it_ends) {
  start();
  const std::vector<std::string> look =
      takt_command({"top", "--once", "--format", "json", "--pid", std::to_string(program_->pid())});
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  json runs = json::array();
  while (runs.empty() || runs[0]["report"]["frames"]["delivered"] < 50) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << runs;
    runs = json::parse(Program(look).wait().out);
  }
  EXPECT_EQ(runs[0]["pid"], program_->pid());
  EXPECT_EQ(runs[0]["report"]["ranks"].size(), ranks().size());
  program_->signal(SIGINT);
  EXPECT_EQ(program_->wait().exit_code, 0);
  EXPECT_EQ(Program(look).wait().exit_code, 1);
}

/// One frame in 100 s: takt top shows the waits of all ranks, and their causes, long before they end.
TEST(Run, reports_waits_while_they_last) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", R"(
sources: {s: {type: synthetic, element: float32, axes: [time=64], rate: 0.01 Hz}}
tasks:
  work: {kernel: spin, input: s, time: 2 ms}
  more: {kernel: spin, input: work, time: 2 ms}
sinks: {o: {type: 'null', input: more}}
scheduler: chains
deployment: {ranks: 2}
)");
  std::string costs = "costs:\n";
  for (const auto& [stage, us] : {std::pair("s", 1), {"work", 2000}, {"more", 2000}, {"o", 1}})
    costs += fmt::format("  {}: {{cost: {} us, low: 1 us, high: 1 us, runs: 9}}\n", stage, us);
  Program run(takt_command({"run", pipeline, "--profile", folder.file("costs.yaml", costs)}));
  const std::vector<std::string> look =
      takt_command({"top", "--once", "--format", "json", "--pid", std::to_string(run.pid())});
  json ranks = json::array();
  const auto waits = [&](std::size_t rank) {
    return ranks.size() == 2 && ranks[rank]["starved"].is_number() && ranks[rank]["starved"] > 0.5;
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (!waits(0) || !waits(1)) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << ranks;
    const json runs = json::parse(Program(look).wait().out, nullptr, false);
    if (runs.is_array() && !runs.empty()) ranks = runs[0]["report"]["ranks"];
  }
  double for_others = 0;
  for (const json& wait : ranks[0]["waits"]) for_others += wait["starved"].get<double>();
  EXPECT_LT(for_others, 0.1) << "rank 0 has the source: " << ranks;
  ASSERT_EQ(ranks[1]["waits"].size(), 1U) << ranks;
  EXPECT_EQ(ranks[1]["waits"][0]["rank"], 0);
  EXPECT_GT(ranks[1]["waits"][0]["starved"], 0.5);
  run.signal(SIGINT);
  EXPECT_EQ(run.wait().exit_code, 0);
}

/// Frames of two joined sources, the second one at a fifth of real time.
TEST(Run, reports_for_which_of_its_sources_a_rank_waits) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", R"(
sources:
  quick: {type: synthetic, element: float32, axes: [time=64], rate: 200 Hz}
  late: {type: synthetic, element: float32, axes: [time=64], rate: 200 Hz, speed: 0.2}
tasks: {both: {kernel: sum, inputs: [quick, late]}}
sinks: {o: {type: 'null', input: both}}
)");
  std::string costs = "costs:\n";
  for (const char* stage : {"quick", "late", "both", "o"})
    costs += fmt::format("  {}: {{cost: 1 us, low: 1 us, high: 1 us, runs: 9}}\n", stage);
  const Result result = takt({"run", pipeline, "--profile", folder.file("costs.yaml", costs), "--frames",
                              "30", "--report", (folder / "report.json").string()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json rank = json::parse(read_file(folder / "report.json"))["ranks"][0];
  ASSERT_EQ(rank["source_waits"].size(), 2U) << rank;
  double for_sources = 0;
  for (const json& wait : rank["source_waits"]) for_sources += wait["starved"].get<double>();
  EXPECT_EQ(rank["source_waits"][1]["source"], "late");
  EXPECT_GT(rank["source_waits"][1]["starved"], 3 * rank["source_waits"][0]["starved"].get<double>()) << rank;
  EXPECT_LE(for_sources, rank["starved"].get<double>() + 1e-9);
  EXPECT_GT(for_sources, 0.8 * rank["starved"].get<double>()) << rank;
}

pid_t parent_of(pid_t pid) {
  const std::string status = read_file(fmt::format("/proc/{}/status", pid));
  return std::stoi(status.substr(status.find("PPid:") + 5));
}

TEST_F(EndlessRun, listens_on_loopback_only) {
  start();
  // Sockets that listen for TCP on more than loopback, by inode.
  std::vector<std::string> open;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::istringstream lines(read_file(table));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::vector<std::string> word(std::istream_iterator<std::string>(words), {});
      constexpr std::size_t local = 1, state = 3, inode = 9;
      if (word.size() <= inode || word[state] != "0A") continue;
      if (!word[local].starts_with("0100007F:") &&
          !word[local].starts_with("00000000000000000000000001000000:"))
        open.push_back("socket:[" + word[inode] + "]");
    }
  }
  std::vector<pid_t> pids = ranks();
  // mpirun, the parent of the ranks, and the launcher, the parent of mpirun.
  pids.push_back(parent_of(pids.front()));
  pids.push_back(parent_of(pids.back()));
  ASSERT_EQ(pids.back(), program_->pid());
  for (const pid_t pid : pids)
    for (const auto& file : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", pid))) {
      std::error_code gone;
      EXPECT_THAT(open, Not(Contains(std::filesystem::read_symlink(file, gone).string()))) << pid;
    }
  program_->signal(SIGINT);
  EXPECT_EQ(program_->wait().exit_code, 0);
}

TEST_F(EndlessRun, ends_in_order_on_an_interrupt) {
  start();
  program_->signal(SIGINT);
  const Result result = program_->wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json frames = report_of(folder_)["frames"];
  EXPECT_GE(frames["delivered"], 50);
  EXPECT_EQ(frames["delivered"], frames["ingested"]);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "out.raw"), frames["delivered"].get<std::size_t>() * 4096);
}

TEST_F(EndlessRun, ends_with_one_message_when_a_rank_is_killed) {
  start();
  const std::vector<pid_t> pids = ranks();
  ASSERT_EQ(pids.size(), 3U);
  ::kill(pids[1], SIGKILL);
  const Result result = program_->wait();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("died of signal 9"));
  EXPECT_THAT(result.err, HasSubstr(fmt::format("pid {}", pids[1])));
  EXPECT_THAT(result.err, Not(HasSubstr("mpirun")));
  const json report = report_of(folder_);
  EXPECT_GE(report["frames"]["delivered"], 50);
  EXPECT_THAT(report["failure"].get<std::string>(), HasSubstr("died of signal 9"));
  EXPECT_TRUE(ranks().empty());
}

int number_of(pid_t rank) {
  const std::string environment = read_file(fmt::format("/proc/{}/environ", rank));
  return std::stoi(environment.substr(environment.find("OMPI_COMM_WORLD_RANK=") + 21));
}

/// Sends a forged crash report of the rank; returns whether the launcher has received it.
bool tell_failure(Program& run, pid_t rank, const std::string& reason) {
  const std::string environment = read_file(fmt::format("/proc/{}/environ", rank));
  const std::size_t begin = environment.find("TAKT_LINK=") + 10;
  zmq::context_t context;
  zmq::socket_t other(context, zmq::socket_type::push);
  other.connect(environment.substr(begin, environment.find(' ', begin) - begin));
  const pipeline::RankStatus status{
      .rank = number_of(rank), .host = "h", .pid = rank, .final = true, .failure = reason};
  other.send(zmq::buffer(pipeline::header_of(pipeline::RankMessageKind::status)), zmq::send_flags::sndmore);
  other.send(zmq::buffer(to_text(status)));
  other.close();
  // The launcher publishes received reports for takt top.
  const std::string folder = environment.c_str() + environment.find("TAKT_FOLDER=") + 12;
  return run.await([&] { return read_file(folder + "/now.json").find(reason) != std::string::npos; });
}

/// Another rank may suffer from the failure and report first.
TEST_F(EndlessRun, blames_the_killed_rank_and_not_one_that_fails_as_a_consequence) {
  start();
  const std::vector<pid_t> pids = ranks();
  EXPECT_TRUE(tell_failure(*program_, pids[0], "there is no memory to share"));
  const std::string killed = fmt::format("rank {} (", number_of(pids[1]));
  ::kill(pids[1], SIGKILL);
  const Result result = program_->wait();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr(killed), HasSubstr("died of signal 9")));
  EXPECT_THAT(result.err, Not(HasSubstr("memory to share")));
}

/// Ctrl-C reaches all ranks together: one may fail because of another's end before it handles the signal.
TEST(Run, that_is_interrupted_before_its_stream_blames_no_rank) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", R"(sources:
  s: {type: synthetic, element: int32, axes: [sample=64]}
tasks: {a: {kernel: spin, input: s, time: 9 s}}
sinks: {o: {type: null, input: a}}
deployment: {ranks: 2}
)");
  Program program(takt_command({"run", pipeline}));
  ASSERT_TRUE(program.await([&] { return ranks_of(pipeline).size() == 2; }));
  const std::vector<pid_t> ranks = ranks_of(pipeline);
  // It sends nothing else.
  ::kill(ranks[0], SIGSTOP);
  EXPECT_TRUE(tell_failure(program, ranks[0], "there is no memory to share"));
  program.signal(SIGINT);
  const Result result = program.wait();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("interrupted before the stream began"));
  EXPECT_THAT(result.err, Not(HasSubstr("memory to share")));
}

TEST_F(EndlessRun, ends_with_one_message_when_a_rank_stops_responding) {
  start();
  const std::vector<pid_t> pids = ranks();
  ASSERT_EQ(pids.size(), 3U);
  ::kill(pids[0], SIGSTOP);
  const Result result = program_->wait();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("has not responded"));
  EXPECT_TRUE(ranks().empty());
}

TEST(Run, names_the_task_and_rank_of_a_sink_on_a_full_disk) {
  const TemporaryFolder folder;
  std::string yaml = pipeline_yaml(folder, "100000");
  const std::string path = (folder / "out.raw").string();
  yaml.replace(yaml.find(path), path.size(), "/dev/full");
  const Result result = takt({"run", folder.file("p.yaml", yaml), "--report", folder / "report.json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("task 'file' on rank"));
  EXPECT_THAT(result.err, HasSubstr("No space left on device"));
}

TEST(Run, refuses_a_machine_of_another_size_as_a_user_error) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", pipeline_yaml(folder, "10"));
  const Result result = takt({"run", pipeline, "--machine", "logp:P=7,L=1,o=1,g=1", "--ranks", "2"});
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("the machine 'logp:P=7,L=1,o=1,g=1' has 7 processors, but the pipeline "
                                    "runs on 2 ranks"));
  // With the position of the machine, if it has one.
  const Result placed = takt({"run", pipeline, "--set", "deployment.machine=logp:P=7,L=1,o=1,g=1"});
  EXPECT_EQ(placed.exit_code, 2);
  EXPECT_THAT(placed.err, HasSubstr("--set deployment.machine: 'deployment': the machine"));
}

TEST(Run, works_under_the_users_own_mpirun) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", pipeline_yaml(folder, "200"));
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  Program mpirun({"mpirun", "-n", "2", "--oversubscribe", TAKT_PROGRAM, "run", pipeline, "--report",
                  folder / "report.json"});
  const Result result = mpirun.wait();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(report_of(folder)["frames"]["delivered"], 200);
  EXPECT_EQ(report_of(folder)["ranks"].size(), 2U);
}

}  // namespace
}  // namespace takt::test
