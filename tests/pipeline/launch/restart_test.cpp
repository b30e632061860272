/// Tests runs that restart when a rank dies: every frame reaches its file once, at any time of the death, and
/// the run ends when its attempts are used up.

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/offsets.hpp"
#include "logp/machine.hpp"
#include "logp/schedule_file.hpp"
#include "pipeline/config/pipeline.hpp"
#include "sensors/backlog/spill_file.hpp"
#include "tests/pipeline/program/pipelined_schedules.hpp"
#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t samples = 64, frames = 1500, group = 4;

/// Frame k contains k everywhere, and files rotate more often than checkpoints are made. `sums` has means of
/// four frames, which a kernel keeps in its state. A separate thread writes the files. With 2 ms per frame, a
/// third of the run lasts a second, enough for a test to find and kill its victim.
std::string counting_yaml(const TemporaryFolder& folder, int ranks, const std::string& hosts = "") {
  return fmt::format(R"(name: again
sources:
  counter: {{type: synthetic, element: float32, axes: [time={}, channel=1], pattern: count, frames: {}}}
tasks:
  slow: {{kernel: spin, input: counter, time: 2 ms}}
  sums: {{kernel: integrate, input: slow, factor: {}}}
sinks:
  all: {{type: raw, input: slow, path: {}, rotate_size: 10 KiB, backlog: {{policy: block, depth: 4}}}}
  few: {{type: raw, input: sums, path: {}}}
  h5: {{type: hdf5, input: slow, path: {}}}
scheduler: basic_fo
deployment:
  ranks: {}
  machine: "logp:P={},L=1000,o=1000,g=1000"
  restart: {{attempts: 4, backoff: 10 ms, every: 100 ms}}{}
)",
                     samples, frames, samples * group, (folder / "all.raw").string(),
                     (folder / "few.raw").string(), (folder / "all.h5").string(), ranks, ranks, hosts);
}

std::vector<float> floats(const std::string& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Returns the contents of the files of a series, one after another.
std::string series(const std::filesystem::path& folder, const std::string& name) {
  std::string bytes = read_file(folder / (name + ".raw"));
  for (int i = 2; std::filesystem::exists(folder / fmt::format("{}-{}.raw", name, i)); ++i)
    bytes += read_file(folder / fmt::format("{}-{}.raw", name, i));
  return bytes;
}

constexpr const char* hdf5_reader = R"(
import sys, h5py, numpy as np
with h5py.File(sys.argv[1], "r") as f:
    frames = np.arange(int(sys.argv[2]))
    assert (f["frames/sequence"][:] == frames).all() and (f["data"][:, :, 0] == frames[:, None]).all()
)";

/// Expects the contents of the files as computed by hand.
void expect_every_frame_once(const TemporaryFolder& folder) {
  const std::vector<float> all = floats(series(folder / "", "all"));
  ASSERT_EQ(all.size(), samples * frames);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<float>(i / samples)) << i;
  const std::vector<float> few = floats(read_file(folder / "few.raw"));
  ASSERT_EQ(few.size(), frames / group);
  const float first = few[0];
  // (0 + 1 + 2 + 3) * samples as a sum, a 256th of that as a mean.
  const float scale = first / 1.5F;
  ASSERT_TRUE(scale == 1 || scale == static_cast<float>(samples * group)) << first;
  for (std::size_t i = 0; i < few.size(); ++i)
    ASSERT_EQ(few[i], scale * (static_cast<float>(i * group) + 1.5F)) << i;
  const Result h5py =
      Program({python, "-c", hdf5_reader, folder / "all.h5", fmt::format("{}", frames)}).wait();
  EXPECT_EQ(h5py.exit_code, 0) << h5py.err;
}

pid_t parent_of(pid_t pid) {
  const std::string stat = read_file(fmt::format("/proc/{}/stat", pid));
  // `pid (name) state parent ...`
  std::istringstream rest(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
  std::string state;
  pid_t parent = 0;
  rest >> state >> parent;
  return parent;
}

/// Returns the processes of this rank with this file among their arguments. A child that a rank has just
/// forked looks the same for a while.
std::vector<pid_t> ranks_of(const std::string& file, int rank) {
  std::vector<pid_t> pids;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (read_file(entry.path() / "cmdline").find(file) == std::string::npos) continue;
    const std::string variable = fmt::format("OMPI_COMM_WORLD_RANK={}", rank) + '\0';
    if (read_file(entry.path() / "environ").find(variable) != std::string::npos)
      pids.push_back(std::stoi(name));
  }
  const std::vector<pid_t> alike = pids;
  std::erase_if(pids, [&](pid_t pid) { return std::ranges::count(alike, parent_of(pid)) > 0; });
  return pids;
}

std::uintmax_t written(const TemporaryFolder& folder) {
  std::uintmax_t bytes = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder / ""))
    if (entry.path().filename().string().starts_with("all")) bytes += entry.file_size(ignored);
  return bytes;
}

void await_bytes(const TemporaryFolder& folder, std::uintmax_t bytes) {
  for (int i = 0; i < 6000 && written(folder) < bytes; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
}

nlohmann::json report_of(const std::string& file) {
  return nlohmann::json::parse(read_file(file));
}

struct Deaths {
  int ranks;
  /// Rank that dies once this number of bytes is written.
  std::vector<std::pair<int, std::uintmax_t>> victims;
};

class Restart : public ::testing::TestWithParam<Deaths> {};

TEST_P(Restart, every_frame_is_written_once_whichever_rank_is_killed) {
  const TemporaryFolder folder;
  const std::string file = folder.file("p.yaml", counting_yaml(folder, GetParam().ranks));
  const std::string report = folder / "report.json";
  Program program(takt_command({"run", file, "--no-serve", "--trial", "0s", "--report", report}));
  for (const auto& [rank, bytes] : GetParam().victims) {
    await_bytes(folder, bytes);
    const std::vector<pid_t> pids = ranks_of(file, rank);
    ASSERT_EQ(pids.size(), 1U) << program.err_so_far();
    ::kill(pids.front(), SIGKILL);
    const std::string death = fmt::format("pid {}", pids.front());
    ASSERT_TRUE(program.await_err(death)) << program.err_so_far();
  }
  const Result result = program.wait();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_every_frame_once(folder);
  const nlohmann::json told = report_of(report);
  EXPECT_EQ(told["restarts"].size(), GetParam().victims.size());
  EXPECT_EQ(told["frames"]["ingested"], frames);
  EXPECT_EQ(told["frames"]["delivered"], frames);
  EXPECT_EQ(told["frames"]["lost"], 0);
  for (const auto& task : told["tasks"])
    if (task["name"] == "slow") {
      EXPECT_EQ(task["runs"], frames);
    }
  EXPECT_THAT(result.out, AllOf(HasSubstr("restarted"), HasSubstr("died of signal 9")));
}

constexpr std::uintmax_t third = samples * sizeof(float) * frames / 3;
INSTANTIATE_TEST_SUITE_P(Ranks, Restart,
                         ::testing::Values(Deaths{1, {{0, third}}}, Deaths{2, {{1, third}, {0, 2 * third}}},
                                           Deaths{3, {{2, third}}}),
                         [](const auto& info) { return fmt::format("over_{}", info.param.ranks); });

/// Ranks drain the pipeline for each checkpoint.
TEST(RestartOfAPipelinedSchedule, writes_every_frame_once) {
  for (const unsigned seed : {3U, 4U}) {
    const TemporaryFolder folder;
    std::string yaml = counting_yaml(folder, 2);
    const auto replace = [&](const std::string& old, const std::string& text) {
      yaml.replace(yaml.find(old), old.size(), text);
    };
    replace("scheduler: basic_fo\n", "");
    replace("L=1000,o=1000,g=1000", "L=0,o=0,g=0");
    const std::string file = folder.file("p.yaml", yaml), report = folder / "report.json";
    const pipeline::Pipeline loaded = pipeline::load_pipeline(file);
    const TaskGraph graph = loaded.task_graph(std::vector<Time>(loaded.stages.size(), Time{100'000}));
    std::mt19937 random(seed);
    const Schedule schedule =
        pipeline::test::PipelinedSchedules(graph, {.processors = 2, .replicas = 1 + seed % 2}, random).make();
    ASSERT_GT(largest_offset(schedule), 0);
    const std::string schedule_file = folder.file(
        "s.yaml", logp::schedule_to_yaml(graph, logp::parse_machine("logp:P=2,L=0,o=0,g=0"), schedule));
    Program program(
        takt_command({"run", file, "--no-serve", "--schedule", schedule_file, "--report", report}));
    for (const int rank : {1, 0}) {
      await_bytes(folder, rank == 1 ? third : 2 * third);
      const std::vector<pid_t> pids = ranks_of(file, rank);
      ASSERT_EQ(pids.size(), 1U) << program.err_so_far();
      ::kill(pids.front(), SIGKILL);
      ASSERT_TRUE(program.await_err(fmt::format("pid {}", pids.front()))) << program.err_so_far();
    }
    const Result result = program.wait();
    ASSERT_EQ(result.exit_code, 0) << result.err;
    expect_every_frame_once(folder);
    const nlohmann::json told = report_of(report);
    EXPECT_EQ(told["restarts"].size(), 2U);
    EXPECT_EQ(told["frames"]["ingested"], frames);
    EXPECT_EQ(told["frames"]["delivered"], frames);
  }
}

TEST(RestartEnds, when_its_attempts_are_used_up) {
  const TemporaryFolder folder;
  const std::string file =
      folder.file("p.yaml", fmt::format(R"(name: hopeless
plugins: [{}]
sources:
  counter: {{type: synthetic, element: int32, axes: [sample=256], pattern: count, frames: 2000}}
tasks:
  bad: {{kernel: faulty, input: counter, when: running, where: process, how: throw, at: 500}}
sinks:
  file: {{type: raw, input: bad, path: {}}}
deployment: {{machine: "logp:P=1,L=1,o=1,g=1", restart: {{attempts: 2, backoff: 1 ms, every: 1 h}}}}
)",
                                        TAKT_FAULTY_KERNEL, (folder / "out.raw").string()));
  const Result result = takt({"run", file, "--no-serve", "--trial", "0s"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("the antenna fell over"),
                                HasSubstr("restarted 2 times, the limit of 'restart'")));
  // Delivered frames remain.
  EXPECT_GE(std::filesystem::file_size(folder / "out.raw"), 400U * 1024U);
}

TEST(RestartIsRefused, for_sinks_that_cannot_continue) {
  const TemporaryFolder folder;
  const std::string file =
      folder.file("p.yaml", fmt::format(R"(sources:
  counter: {{type: synthetic, element: int32, axes: [sample=256], frames: 20, rate: 10 Hz}}
sinks:
  file: {{type: raw, input: counter, path: {}, backlog: {{policy: spill, depth: 4}}}}
  burst: {{type: raw, input: counter, path: {}, transient: {{before: 1 s, after: 1 s}}}}
)",
                                        (folder / "out.raw").string(), (folder / "burst.raw").string()));
  const Result result = takt({"run", file, "--restart", "3"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("p.yaml:5:3: sink 'burst' (raw) cannot save its buffered frames"));
  EXPECT_THAT(
      result.err,
      HasSubstr("p.yaml:4:3: sink 'file' (raw) cannot be restarted: the frames of its backlog on disk"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out.raw"));
}

TEST(RestartIsRefused, for_joined_sources) {
  const TemporaryFolder folder;
  const std::string file = folder.file("p.yaml", R"(sources:
  one: {type: synthetic, element: int32, axes: [time=256], frames: 20, rate: 10 Hz}
  two: {type: synthetic, element: int32, axes: [time=256], frames: 20, rate: 10 Hz}
tasks:
  both: {kernel: stack, inputs: [one, two]}
sinks:
  out: {type: null, input: both}
)");
  const Result result = takt({"run", file, "--restart", "3"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("p.yaml:2:3: source 'one' (synthetic): a restart joins"));
  EXPECT_THAT(result.err, HasSubstr("p.yaml:3:3: source 'two'"));
}

/// Returns a port that was free a moment ago.
int free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  EXPECT_EQ(::bind(probe, reinterpret_cast<const sockaddr*>(&address), length), 0);
  ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &length);
  ::close(probe);
  return ntohs(address.sin_port);
}

/// Settings of a sink that keeps frames and of the source that requests them, at one address.
struct Meeting {
  std::string sink, source;
};

class RestartOfAReceiver : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] Meeting meeting() const {
    if (GetParam() == "tcp") {
      const int port = free_port();
      return {fmt::format("type: tcp, port: {}, receivers: 1", port),
              fmt::format("type: tcp, server: \"127.0.0.1:{}\"", port)};
    }
    const std::string endpoint = "ipc://" + (folder_ / "socket").string();
    return {fmt::format("type: zmq, socket: push, endpoint: \"{}\", bind: true", endpoint),
            fmt::format("type: zmq, socket: pull, endpoint: \"{}\", when_full: block", endpoint)};
  }
  const TemporaryFolder folder_;
};

TEST_P(RestartOfAReceiver, loses_nothing_when_the_sender_keeps_frames) {
  const TemporaryFolder& folder = folder_;
  const Meeting meets = meeting();
  const std::string sender = folder.file("sender.yaml", fmt::format(R"(name: sender
sources:
  counter: {{type: synthetic, element: float32, axes: [time={}, channel=1], pattern: count, frames: {}}}
sinks:
  out: {{{}, input: counter, when_full: block, keep: 4 MiB}}
deployment: {{machine: "logp:P=1,L=1,o=1,g=1"}}
)",
                                                                    samples, frames, meets.sink));
  const std::string file =
      folder.file("p.yaml", fmt::format(R"(name: receiver
sources:
  in: {{{}, replay: true, element: float32, axes: [time={}, channel=1]}}
tasks:
  slow: {{kernel: spin, input: in, time: 2 ms}}
sinks:
  all: {{type: raw, input: slow, path: {}}}
deployment: {{machine: "logp:P=1,L=1,o=1,g=1", restart: {{attempts: 4, backoff: 500 ms, every: 100 ms}}}}
)",
                                        meets.source, samples, (folder / "all.raw").string()));
  Program sends(takt_command({"run", sender, "--no-serve", "--trial", "0s"}));
  const std::string report = folder / "report.json";
  Program program(takt_command({"run", file, "--no-serve", "--trial", "0s", "--report", report}));
  for (const std::uintmax_t bytes : {third, 2 * third}) {
    await_bytes(folder, bytes);
    const std::vector<pid_t> pids = ranks_of(file, 0);
    ASSERT_EQ(pids.size(), 1U) << program.err_so_far();
    ::kill(pids.front(), SIGKILL);
    ASSERT_TRUE(program.await_err(fmt::format("pid {}", pids.front()))) << program.err_so_far();
  }
  const Result result = program.wait();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(sends.wait().exit_code, 0);
  const std::vector<float> all = floats(read_file(folder / "all.raw"));
  ASSERT_EQ(all.size(), samples * frames);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<float>(i / samples)) << i;
  const nlohmann::json told = report_of(report);
  EXPECT_EQ(told["restarts"].size(), 2U);
  for (const auto& restart : told["restarts"]) EXPECT_EQ(restart["lost"], 0);
  EXPECT_EQ(told["frames"]["ingested"], frames);
  EXPECT_EQ(told["frames"]["delivered"], frames);
  EXPECT_EQ(told["frames"]["lost"], 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, RestartOfAReceiver, ::testing::Values("tcp", "zmq"),
                         [](const auto& each) { return each.param; });

/// Waits until a process receives datagrams there, after the output exists: earlier ones only test the port.
void await_listener(int port, const std::string& output) {
  const std::string place = fmt::format("0100007F:{:04X} ", port);
  const auto is_there = [&] {
    return std::filesystem::exists(output) && read_file("/proc/net/udp").find(place) != std::string::npos;
  };
  for (int i = 0; i < 6000 && !is_there(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds{5});
}

/// Waits until this number of bytes is on disk.
void await_spill(const std::filesystem::path& folder, std::uintmax_t bytes) {
  const auto is_there = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().filename().string().starts_with("takt-spill-")) return entry.file_size() >= bytes;
    return false;
  };
  for (int i = 0; i < 6000 && !is_there(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds{5});
}

/// All frames have arrived over UDP and most of them wait when the rank dies; the sender has ended.
TEST(RestartOfASpill, loses_no_frame_that_had_arrived) {
  const TemporaryFolder folder;
  const int port = free_port();
  constexpr std::size_t sent = 400, frame_bytes = samples * sizeof(float);
  const std::string file =
      folder.file("p.yaml", fmt::format(R"(name: receiver
sources:
  in: {{type: udp, ports: [{}], element: float32, axes: [time={}], rate: 2 kHz, depth: 512,
       backlog: {{policy: spill, depth: 4, spill: 1 MiB, folder: {}}}}}
tasks:
  slow: {{kernel: spin, input: in, time: 3 ms}}
sinks:
  all: {{type: raw, input: slow, path: {}}}
  h5: {{type: hdf5, input: slow, path: {}}}
deployment: {{machine: "logp:P=1,L=1,o=1,g=1", restart: {{attempts: 4, backoff: 1 ms, every: 50 ms}}}}
)",
                                        port, samples, (folder / "").string(), (folder / "all.raw").string(),
                                        (folder / "all.h5").string()));
  const std::string report = folder / "report.json";
  Program program(takt_command({"run", file, "--no-serve", "--trial", "0s", "--report", report}));
  const auto await_raw = [&](std::size_t bytes) {
    for (int i = 0; i < 6000 && read_file(folder / "all.raw").size() < bytes; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
  };
  await_listener(port, folder / "all.raw");
  const Result sends =
      takt({"send", "--protocol", "takt", "--to", fmt::format("127.0.0.1:{}", port), "--axes",
            fmt::format("time={}", samples), "--frame-rate", "2kHz", "--packets", fmt::format("{}", sent)});
  ASSERT_EQ(sends.exit_code, 0) << sends.err;
  await_raw(sent / 10 * frame_bytes);
  await_spill(folder / "", sent * (sizeof(sensors::SpillFile::Head) + frame_bytes));
  const std::vector<pid_t> pids = ranks_of(file, 0);
  ASSERT_EQ(pids.size(), 1U) << program.err_so_far();
  ::kill(pids.front(), SIGKILL);
  await_raw(sent * frame_bytes);
  program.signal(SIGINT);
  const Result result = program.wait();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Result h5py = Program({python, "-c", R"(
import sys, h5py
with h5py.File(sys.argv[1], "r") as f:
    assert list(f["frames/sequence"]) == list(range(int(sys.argv[2])))
)",
                               folder / "all.h5", fmt::format("{}", sent)})
                          .wait();
  EXPECT_EQ(h5py.exit_code, 0) << h5py.err;
  const nlohmann::json told = report_of(report);
  EXPECT_EQ(told["restarts"].size(), 1U);
  EXPECT_EQ(told["frames"]["ingested"], sent);
  EXPECT_EQ(told["frames"]["delivered"], sent);
  EXPECT_EQ(told["frames"]["lost"], 0);
  EXPECT_EQ(told["sources"][0]["counters"]["backlog_received"], sent);
  EXPECT_EQ(told["frames"]["dropped"], 0);
  for (const auto& entry : std::filesystem::directory_iterator(folder / ""))
    EXPECT_FALSE(entry.path().filename().string().starts_with("takt-spill-")) << entry.path();
}

class RestartWithoutAHost : public ::testing::TestWithParam<std::string> {};

/// The second host fails in the middle: its processes die, and it becomes unreachable. Either rank may be on
/// it; the first rank writes the files and alone knows which of them are new.
TEST_P(RestartWithoutAHost, continues_with_the_remaining_hosts) {
  const TemporaryFolder folder;
  const std::string file = folder.file("p.yaml", counting_yaml(folder, 2, "\n  hosts: [" + GetParam() + ']'));
  const std::string report = folder / "report.json";
  const std::string script = folder.file("script.sh", fmt::format(R"sh("$@" &
while [ "$(cat {0}/all*.raw 2>/dev/null | wc -c)" -lt {1} ]; do sleep 0.05; done
touch "$TAKT_HOSTS_FOLDER/silent-h2.test"
ip netns pids "$TAKT_HOSTS_TAG-2" | xargs kill -9
wait $!
)sh",
                                                                  (folder / "").string(), third));
  std::vector<std::string> command =
      takt_command({"run", file, "--no-serve", "--trial", "0s", "--report", report});
  command.insert(command.begin(), {TAKT_SOURCE_DIR "/tests/support/hosts.sh", "2", "--", "bash", script});
  const Result result = Program(command).wait(std::chrono::seconds{120});
  if (result.exit_code == 77) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_every_frame_once(folder);
  const nlohmann::json told = report_of(report);
  ASSERT_EQ(told["restarts"].size(), 1U);
  EXPECT_EQ(told["restarts"][0]["hosts_left_out"], nlohmann::json({"h2.test"}));
  EXPECT_EQ(told["ranks"].size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Orders, RestartWithoutAHost,
                         ::testing::Values("h1.test, h2.test", "h2.test, h1.test"),
                         [](const auto& info) { return info.index == 0 ? "in_turn" : "reversed"; });

/// The second host fails, returns, and is needed again when the remaining rank dies.
TEST(RestartOverHosts, uses_a_host_that_has_rebooted) {
  const TemporaryFolder folder;
  const std::string file = folder.file("p.yaml", counting_yaml(folder, 2, "\n  hosts: [h1.test, h2.test]"));
  const std::string report = folder / "report.json";
  const std::string script = folder.file("script.sh", fmt::format(R"sh("$@" 2>"{0}/err" &
written() {{ cat {0}/all*.raw 2>/dev/null | wc -c; }}
while [ "$(written)" -lt {1} ]; do sleep 0.02; done
touch "$TAKT_HOSTS_FOLDER/silent-h2.test"
ip netns pids "$TAKT_HOSTS_TAG-2" | xargs kill -9
until grep -q "without h2.test" "{0}/err"; do sleep 0.02; done
rm "$TAKT_HOSTS_FOLDER/silent-h2.test"
while [ "$(written)" -lt {2} ]; do sleep 0.02; done
for pid in $(ip netns pids "$TAKT_HOSTS_TAG-1"); do
  grep -q OMPI_COMM_WORLD_RANK "/proc/$pid/environ" 2>/dev/null && kill -9 "$pid"
done
wait $!
status=$?
cat "{0}/err" >&2
exit $status
)sh",
                                                                  (folder / "").string(), third, 2 * third));
  std::vector<std::string> command =
      takt_command({"run", file, "--no-serve", "--trial", "0s", "--report", report});
  command.insert(command.begin(), {TAKT_SOURCE_DIR "/tests/support/hosts.sh", "2", "--", "bash", script});
  const Result result = Program(command).wait(std::chrono::seconds{120});
  if (result.exit_code == 77) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_every_frame_once(folder);
  const nlohmann::json told = report_of(report);
  ASSERT_EQ(told["restarts"].size(), 2U);
  EXPECT_EQ(told["restarts"][0]["hosts_left_out"], nlohmann::json({"h2.test"}));
  EXPECT_TRUE(told["restarts"][1]["hosts_left_out"].empty());
  EXPECT_EQ(told["ranks"].size(), 2U);
}

}  // namespace
}  // namespace takt::test
