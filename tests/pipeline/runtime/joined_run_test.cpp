/// Tests runs with a slow or missing end: two live stations that are joined,
/// also after a restart, and a reader that sleeps.

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sensors/frames/frame.hpp"
#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

/// Returns currently free ports of loopback.
std::vector<int> unused_ports(std::size_t count) {
  std::vector<int> sockets, ports;
  for (std::size_t i = 0; i < count; ++i) {
    sockets.push_back(::socket(AF_INET, SOCK_DGRAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    ::bind(sockets.back(), reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(sockets.back(), reinterpret_cast<sockaddr*>(&address), &size);
    ports.push_back(ntohs(address.sin_port));
  }
  for (const int socket : sockets) ::close(socket);
  return ports;
}

/// Returns a sender of four lanes with one seed: two such stations send the same samples at a time.
std::vector<std::string> sender(const std::vector<int>& ports, const std::string& packets) {
  std::vector<std::string> words{"send",       "--lanes",   "4",     "--beamlets", "4", "--second",
                                 "1700000000", "--packets", packets, "--seed",     "5"};
  for (const int port : ports) words.insert(words.end(), {"--to", fmt::format("127.0.0.1:{}", port)});
  return takt_command(words);
}

TEST(JoinedRun, correlates_two_stations_and_continues_without_the_second) {
  const TemporaryFolder folder;
  const std::vector<int> ports = unused_ports(8);
  const std::vector<int> west(ports.begin(), ports.begin() + 4), east(ports.begin() + 4, ports.end());
  const std::string out = folder / "out.raw", report_file = folder / "report.json";
  // Given costs, since their measurement would take most of the test's time.
  std::string text = "costs:\n";
  for (const char* task : {"west", "east", "west_samples", "east_samples", "west_spectra", "east_spectra",
                           "visibilities", "file"})
    text += fmt::format("  {}: {{cost: 100 us, low: 100 us, high: 100 us, runs: 9, copy: 0}}\n", task);
  const std::string costs = folder.file("costs.yaml", text);
  constexpr std::size_t frames = 100, frames_a_mean = 5, channels = 4 * 4 * 16, products = 4;
  std::vector<std::string> words{"run",         TAKT_SOURCE_DIR "/configs/two-stations.yaml",
                                 "--frames",    fmt::format("{}", frames),
                                 "--report",    report_file,
                                 "--scheduler", "etf",
                                 "--profile",   costs,
                                 "--set",       "join.wait=2 s",
                                 "--set",       fmt::format("tasks.visibilities.frames={}", frames_a_mean),
                                 "--set",       "sinks.file.headers=false",
                                 "--set",       "sinks.file.path=" + out};
  for (const auto& [name, own] : {std::pair{"west", west}, std::pair{"east", east}})
    for (const std::string& value :
         {fmt::format("ports=[{}]", fmt::join(own, ",")), std::string("beamlets=4"),
          std::string("subbands=[100..115]"), std::string("depth=256")})
      words.insert(words.end(), {"--set", fmt::format("sources.{}.{}", name, value)});
  Program run(takt_command(words));
  ASSERT_TRUE(run.await_err("receiving on")) << run.err_so_far();
  // 100 frames of 128 packets, and the packets that complete the last frame; half of them.
  Program west_station(sender(west, "14000")), east_station(sender(east, "6400"));
  const Result result = run.wait();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("east: frames are missing, but other sources have them"));

  const json report = json::parse(read_file(report_file));
  ASSERT_EQ(report["sources"].size(), 2);
  for (const json& source : report["sources"]) EXPECT_EQ(source["ingested"], frames);
  EXPECT_EQ(report["sources"][0]["counters"]["frames_flagged"], 0);
  const std::size_t flagged = report["sources"][1]["counters"]["frames_flagged"];
  EXPECT_GE(flagged, 49);
  EXPECT_LE(flagged, 51);

  const std::string bytes = read_file(out);
  using Visibilities = std::array<std::array<std::array<float, 2>, channels * products>, 3>;
  ASSERT_EQ(bytes.size(), frames / frames_a_mean * sizeof(Visibilities));
  std::size_t joined = 0, alone = 0;
  auto made = std::make_unique<Visibilities>();
  for (std::size_t mean = 0; mean < frames / frames_a_mean; ++mean) {
    std::memcpy(made.get(), bytes.data() + mean * sizeof(Visibilities), sizeof(Visibilities));
    const auto& [west_power, cross, east_power] = *made;
    ASSERT_TRUE(std::isfinite(west_power[0][0]));
    EXPECT_GT(west_power[0][0], 0);
    if (std::isnan(east_power[0][0])) {
      ++alone;
      EXPECT_TRUE(std::isnan(cross[0][0]));
    } else if (std::memcmp(&west_power, &east_power, sizeof(cross)) == 0) {
      // The same samples at the same times, bit by bit;
      // samples of different times would be uncorrelated.
      ++joined;
      EXPECT_EQ(std::memcmp(&west_power, &cross, sizeof(cross)), 0);
    }
  }
  EXPECT_GE(joined, 9);
  EXPECT_GE(alone, 9);
  EXPECT_GE(joined + alone, 19) << "but for the mean in which the second station ended";
}

/// Three sources of different frames with the same number of joined frames, and a slow task.
std::string recordings(const TemporaryFolder& folder, std::size_t frames) {
  return folder.file("pipeline.yaml",
                     fmt::format(R"(
name: recordings
sources:
  x: {{type: synthetic, element: float32, axes: [time=2, channel=8], pattern: ramp, rate: 4 kHz, speed: 0, frames: {}}}
  y: {{type: synthetic, element: float32, axes: [time=4, channel=8], pattern: noise, rate: 2 kHz, speed: 0, frames: {}}}
  z: {{type: synthetic, element: float32, axes: [time=8, channel=4], pattern: noise, rate: 1 kHz, speed: 0, frames: {}}}
tasks:
  both: {{kernel: stack, inputs: [x, y], axis: channel}}
  all: {{kernel: stack, inputs: [both, z], axis: channel}}
  slow: {{kernel: spin, time: 200 us, input: all}}
  mean: {{kernel: integrate, input: all, factor: 64}}
sinks:
  frames: {{type: raw, input: slow, path: {}, headers: false}}
  means: {{type: raw, input: mean, path: {}, headers: false}}
)",
                                 4 * frames, 2 * frames, frames, (folder / "frames.raw").string(),
                                 (folder / "means.raw").string()));
}

/// Costs for which several ranks should read the sources, and `slow` runs on all of them alternately.
std::string recordings_costs(const TemporaryFolder& folder) {
  std::string text = "costs:\n";
  for (const auto& [task, microseconds] : {std::pair{"x", 150},
                                           {"y", 150},
                                           {"z", 150},
                                           {"both", 20},
                                           {"all", 20},
                                           {"slow", 700},
                                           {"mean", 5},
                                           {"means", 1},
                                           {"frames", 1}})
    text += fmt::format("  {0}: {{cost: {1} us, low: {1} us, high: {1} us, runs: 9, copy: 0}}\n", task,
                        microseconds);
  return folder.file("costs.yaml", text);
}

/// A schedule has several frames per iteration, and any of them may be the last one.
TEST(JoinedRun, ends_with_the_last_frame_of_a_source) {
  const TemporaryFolder folder;
  const std::string costs = recordings_costs(folder);
  std::size_t ends_within_a_repetition = 0;
  for (const std::size_t frames : {40, 41, 43}) {
    const std::string pipeline = recordings(folder, frames);
    std::string frames_of_one, means_of_one;
    for (const char* ranks : {"1", "2", "3"}) {
      const Result result = takt({"run", pipeline, "--profile", costs, "--ranks", ranks, "--scheduler",
                                  "optfo", "--overwrite", "--report", folder / "report.json"});
      ASSERT_EQ(result.exit_code, 0) << result.err;
      EXPECT_THAT(result.err, Not(HasSubstr("frames are missing")));
      const json report = json::parse(read_file(folder / "report.json"));
      const std::size_t at_a_time = report["replicas"];
      ends_within_a_repetition += frames % at_a_time == 0 ? 0 : 1;
      EXPECT_EQ(report["frames"]["delivered"], frames) << ranks << " ranks, " << at_a_time << " at a time";
      for (const json& source : report["sources"]) {
        EXPECT_EQ(source["ingested"], frames);
        EXPECT_EQ(source["counters"]["frames_flagged"], 0);
      }
      const std::string all = read_file(folder / "frames.raw"), means = read_file(folder / "means.raw");
      EXPECT_EQ(all.size(), frames * 8 * 20 * sizeof(float));
      if (frames_of_one.empty()) frames_of_one = all, means_of_one = means;
      EXPECT_EQ(all, frames_of_one);
      EXPECT_EQ(means, means_of_one);
    }
  }
  EXPECT_GE(ends_within_a_repetition, 2);
}

/// A rank with both sources waits for one of them only.
TEST(JoinedRun, ends_on_request_although_no_frame_arrives) {
  const TemporaryFolder folder;
  const std::vector<int> ports = unused_ports(2);
  Program run(takt_command({"run",
                            folder.file("p.yaml", fmt::format(R"(name: silent
sources:
  x: {{type: udp, element: float32, axes: [time=64], rate: 200 Hz, ports: [{}]}}
  y: {{type: udp, element: float32, axes: [time=64], rate: 200 Hz, ports: [{}]}}
tasks: {{both: {{kernel: sum, inputs: [x, y]}}}}
sinks: {{o: {{type: 'null', input: both}}}}
deployment: {{ranks: 1}}
)",
                                                              ports[0], ports[1])),
                            "--trial", "0s"}));
  ASSERT_TRUE(run.await_err("receiving on")) << run.err_so_far();
  run.signal(SIGTERM);
  const Result result = run.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, Not(HasSubstr("no progress")));
}

/// Returns the process of this rank in a run of this file.
pid_t rank_of(const std::string& file, int rank) {
  const std::string variable = fmt::format("OMPI_COMM_WORLD_RANK={}", rank) + '\0';
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (read_file(entry.path() / "cmdline").find(file) == std::string::npos) continue;
    if (read_file(entry.path() / "environ").find(variable) != std::string::npos) return std::stoi(name);
  }
  return 0;
}

/// Returns the headers of all frames in a file of sink `raw`, except the last one, which may be truncated.
/// The first half of the elements belongs to the first source, and both halves must be equal.
std::vector<sensors::FrameHeader> headers_of_like_halves(const std::string& bytes, std::size_t elements) {
  const std::size_t size = sensors::written_header_bytes + elements;
  EXPECT_EQ(bytes.size() % size, 0U);
  std::vector<sensors::FrameHeader> headers(bytes.size() / size);
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const char* const frame = bytes.data() + i * size;
    std::memcpy(static_cast<void*>(&headers[i]), frame, sensors::written_header_bytes);
    const char* const west = frame + sensors::written_header_bytes;
    if (headers[i].missing_parts == 0) {
      EXPECT_EQ(std::memcmp(west, west + elements / 2, elements / 2), 0) << "frame " << i;
    }
  }
  return headers;
}

/// Both stations send the same samples at a time. The receiving rank is killed: after the outage, the frames
/// of both have the same times again, and the frames that no rank received are counted.
TEST(JoinedRun, continues_with_both_stations_after_a_rank_was_killed) {
  const TemporaryFolder folder;
  const std::vector<int> ports = unused_ports(2);
  const std::string report_file = folder / "report.json", out = folder / "out.raw";
  const auto station = [&](int port) {
    return fmt::format(
        "{{type: lofar_udp, ports: [{}], beamlets: 4, packets: 16, depth: 400, idle_timeout: 2 s}}", port);
  };
  const std::string file = folder.file("p.yaml", fmt::format(R"(name: joined
sources:
  west: {}
  east: {}
join: {{wait: 500 ms}}
tasks:
  both: {{kernel: stack, inputs: [west, east]}}
sinks:
  file: {{type: raw, input: both, path: {}, headers: true}}
deployment:
  ranks: 2
  restart: {{attempts: 1, backoff: 10 ms, every: 100 ms}}
)",
                                                             station(ports[0]), station(ports[1]), out));
  Program run(takt_command({"run", file, "--no-serve", "--trial", "0s", "--report", report_file}));
  ASSERT_TRUE(run.await_err("receiving on")) << run.err_so_far();
  const auto send = [&](int port) {
    return takt_command({"send", "--lanes", "1", "--beamlets", "4", "--second", "1700000000", "--seed", "5",
                         "--speed", "0.2", "--duration", "1500ms", "--to",
                         fmt::format("127.0.0.1:{}", port)});
  };
  Program west(send(ports[0])), east(send(ports[1]));
  constexpr std::size_t elements = 2 * 16 * 16 * 4 * 2 * 2,
                        frame_bytes = sensors::written_header_bytes + elements;
  const auto written = [&] {
    std::error_code none;
    const auto bytes = std::filesystem::file_size(out, none);
    return none ? 0 : bytes;
  };
  for (int i = 0; i < 6000 && written() < 100 * frame_bytes; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  const pid_t victim = rank_of(file, 0);
  ASSERT_GT(victim, 0);
  ASSERT_EQ(::kill(victim, SIGKILL), 0);
  const Result result = run.wait();
  ASSERT_EQ(result.exit_code, 0) << result.err;

  const json report = json::parse(read_file(report_file));
  ASSERT_EQ(report["restarts"].size(), 1U);
  const std::vector<sensors::FrameHeader> before = headers_of_like_halves(read_file(out), elements);
  const std::vector<sensors::FrameHeader> after =
      headers_of_like_halves(read_file(folder / "out-2.raw"), elements);
  ASSERT_FALSE(before.empty());
  ASSERT_FALSE(after.empty());
  EXPECT_EQ(report["restarts"][0]["frame"], before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    ASSERT_EQ(before[i].epoch, 0);
    ASSERT_EQ(before[i].sequence, i);
  }
  for (std::size_t i = 0; i < after.size(); ++i) {
    ASSERT_EQ(after[i].epoch, 1);
    ASSERT_EQ(after[i].sequence, i);
  }
  // By the stations' clocks, to the nearest frame.
  const double missing =
      static_cast<double>(after.front().first_sample - before.back().first_sample) / (16 * 16) - 1;
  EXPECT_NEAR(report["restarts"][0]["lost"].get<double>(), missing, 1);
  for (const json& source : report["sources"]) {
    EXPECT_EQ(source["ingested"], before.size() + after.size());
    EXPECT_NEAR(source["lost"].get<double>(), missing, 1);
  }
}

TEST(SlowSink, a_reader_that_sleeps_blocks_no_other_sink) {
  const TemporaryFolder folder;
  const std::string science = folder / "science.raw", pipe = folder / "pipe", report_file = folder / "r.json";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  // Frames of 64 KiB fill a pipe immediately.
  const std::string file = folder.file("p.yaml", fmt::format(R"(name: slow
sources: {{s: {{type: synthetic, axes: [time=16384], pattern: count, frames: 200}}}}
sinks:
  science: {{type: raw, input: s, path: {}}}
  preview: {{type: raw, input: s, path: {}, backlog: {{policy: drop_newest, depth: 3}}}}
)",
                                                             science, pipe));
  const std::string costs = folder.file("costs.yaml",
                                        "costs:\n  s: {cost: 9 us, low: 9 us, high: 9 us, runs: 9, copy: 0}\n"
                                        "  science: {cost: 9 us, low: 9 us, high: 9 us, runs: 9}\n"
                                        "  preview: {cost: 9 us, low: 9 us, high: 9 us, runs: 9}\n");
  Program run(takt_command({"run", file, "--report", report_file, "--profile", costs}));
  const int reader = ::open(pipe.c_str(), O_RDONLY);
  ASSERT_GE(reader, 0);
  constexpr std::uintmax_t all = 200 * 65536;
  std::error_code none;
  for (int i = 0; i < 3000 && std::filesystem::file_size(science, none) != all; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  EXPECT_EQ(std::filesystem::file_size(science, none), all) << run.err_so_far();
  std::vector<char> some(1 << 16);
  std::size_t read = 0;
  for (ssize_t n = 0; (n = ::read(reader, some.data(), some.size())) > 0;)
    read += static_cast<std::size_t>(n);
  ::close(reader);
  const Result result = run.wait();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("preview: input exceeds output"));
  const json outputs = json::parse(read_file(report_file))["outputs"];
  for (const json& output : outputs) {
    const std::size_t delivered = output["delivered"];
    EXPECT_EQ(delivered * 65536, output["sink"] == "science" ? all : read);
    if (output["sink"] == "preview") {
      EXPECT_LT(delivered, 200);
      EXPECT_EQ(output["counters"]["backlog_dropped"], 200 - delivered);
    }
  }
}

TEST(TransientBuffer, is_written_when_a_task_finds_an_event_and_on_request) {
  const TemporaryFolder folder;
  const std::string by_task = folder / "by_task.raw", by_user = folder / "by_user.raw",
                    report_file = folder / "r.json";
  // Elements are their frame's number: the first frame with an event is number 30.
  const std::string file = folder.file("p.yaml", fmt::format(R"(name: buffer
sources: {{s: {{type: synthetic, axes: [time=4], pattern: count, rate: 100 Hz, depth: 4096}}}}
tasks:
  events: {{kernel: threshold, input: s, above: 29.5}}
sinks:
  by_task: {{type: raw, input: s, path: {}, transient: {{before: 50 ms, trigger: events}}}}
  by_user: {{type: raw, input: s, path: {}, transient: {{before: 50 ms, after: 20 ms}}, backlog: {{policy: block}}}}
deployment: {{ranks: 2}}
)",
                                                             by_task, by_user));
  std::string text = "costs:\n";
  for (const char* task : {"s", "events", "by_task", "by_user"})
    text += fmt::format("  {}: {{cost: 100 us, low: 100 us, high: 100 us, runs: 9}}\n", task);
  const std::string costs = folder.file("costs.yaml", text);
  Program run(takt_command({"run", file, "--report", report_file, "--profile", costs}));
  const auto values_in = [](const std::string& name) {
    std::vector<float> values;
    std::error_code none;
    if (!std::filesystem::exists(name, none)) return values;
    const std::string bytes = read_file(name);
    values.resize(bytes.size() / (4 * sizeof(float)));
    for (std::size_t i = 0; i < values.size(); ++i)
      std::memcpy(&values[i], bytes.data() + i * 4 * sizeof(float), sizeof(float));
    return values;
  };
  for (int i = 0; i < 6000 && values_in(by_task).size() < 10; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  EXPECT_THAT(values_in(by_user), ::testing::IsEmpty());
  run.signal(SIGUSR2);
  for (int i = 0; i < 6000 && values_in(by_user).size() < 7; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  run.signal(SIGINT);
  const Result result = run.wait();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  // Five frames before the first one with an event, and all later ones.
  const std::vector<float> found = values_in(by_task);
  ASSERT_GE(found.size(), 10);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], 25 + static_cast<float>(i));
  const std::vector<float> asked = values_in(by_user);
  ASSERT_THAT(asked, ::testing::SizeIs(::testing::AllOf(::testing::Ge(7), ::testing::Le(8))));
  for (std::size_t i = 1; i < asked.size(); ++i) EXPECT_EQ(asked[i], asked[i - 1] + 1);
  EXPECT_GT(asked.front(), 25);
}

}  // namespace
}  // namespace takt::test
