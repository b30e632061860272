/// Tests runs with asynchronous kernels, by the plug-in of docs/examples/device-plugin, and with several
/// cores per rank.

#include <algorithm>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "tests/support/program.hpp"
#include "tests/support/ranks.hpp"

namespace takt::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<float> floats(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

/// Frame k contains k everywhere.
constexpr const char* counter =
    "{type: synthetic, element: float32, axes: [time=8], pattern: count, frames: 200}";

/// Tasks on frames of the source `s`; writes `squares` to the file `out`.
std::string yaml(const TemporaryFolder& folder, const std::string& tasks, int ranks,
                 const std::string& source = counter, const std::string& deployment = "") {
  return fmt::format(
      "name: device\nplugins: [{}]\nsources: {{s: {}}}\ntasks:\n{}sinks: {{o: {{type: raw, input: squares, "
      "path: {}}}}}\n"
      "deployment: {{ranks: {}{}}}\n",
      TAKT_DEVICE_PLUGIN, source, tasks, (folder / "out").string(), ranks, deployment);
}

TEST(AsynchronousRun, keeps_order_and_delivers_every_frame) {
  for (const int ranks : {1, 3})
    for (const char* device : {"depth: 1", "depth: 5, units: 3, time: 100 us", "depth: 64, units: 2"}) {
      const TemporaryFolder folder;
      const std::string file =
          folder.file("p.yaml", yaml(folder,
                                     fmt::format("  before: {{kernel: pass, input: s}}\n"
                                                 "  device: {{kernel: square, input: before, {}}}\n"
                                                 "  squares: {{kernel: pass, input: device}}\n",
                                                 device),
                                     ranks));
      const Result result = takt({"run", file, "--report", folder / "r", "--check-memory"});
      ASSERT_EQ(result.exit_code, 0) << result.err;
      const std::vector<float> values = floats(folder / "out");
      ASSERT_EQ(values.size(), 200 * 8U) << device;
      for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(values[i], static_cast<float>((i / 8) * (i / 8))) << device;
      const json report = json::parse(read_file(folder / "r"));
      EXPECT_EQ(report["frames"]["delivered"], 200);
      EXPECT_EQ(report["frames"]["dropped"], 0);
      const json task = report["tasks"][2];
      EXPECT_EQ(task["name"], "device");
      EXPECT_EQ(task["runs"], 200);
      if (std::strstr(device, "100 us") != nullptr) {
        EXPECT_GE(task["latency_ns"].get<double>(), 1e5 / 200 * 190);
      }
      EXPECT_EQ(report["tasks"][1]["latency_ns"], 0);
    }
}

/// A rank that waited for each frame would take the sum of the times: with four units a device takes a
/// quarter.
TEST(AsynchronousRun, predicts_the_device_and_not_the_rank_as_the_limit) {
  const TemporaryFolder folder;
  const std::string tasks = "  squares: {kernel: square, input: s, depth: 8, units: 4, time: 20 ms}\n";
  const std::string file = folder.file("p.yaml", yaml(folder, tasks, 1));
  const Result result = takt({"run", file, "--report", folder / "r", "--trial", "0s"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(read_file(folder / "r"));
  const double predicted = report["frequency_hz"]["predicted"];
  EXPECT_LE(predicted, 200 * 1.01);
  EXPECT_GT(predicted, 0);
  // Eight frames wait for later ones, and none ends before the device's 20 ms.
  EXPECT_GE(report["latency_ns"]["predicted"].get<double>(), 8 * 5e6);
  EXPECT_THAT(report["notes"].dump(), HasSubstr("'squares' works outside of its rank on up to 8 frames"));
  EXPECT_GE(report["tasks"][1]["latency_ns"].get<double>(), 20e6 * 190 / 200);
  // Of the 20 ms of a frame the rank itself needs little.
  EXPECT_LE(report["tasks"][1]["planned_ns"].get<double>(), 10e6);
}

/// Two kernels of 6 ms on one device of one unit: no machine ends more than one frame in 12 ms.
TEST(AsynchronousRun, predicts_the_load_of_a_device_that_tasks_share) {
  for (const auto& [units, hertz] : {std::pair{1, 1000.0 / 12}, std::pair{2, 1000.0 / 6}}) {
    const TemporaryFolder folder;
    const std::string device = fmt::format("depth: 4, units: {}, time: 6 ms, device: gpu0", units);
    const std::string tasks = fmt::format(
        "  once: {{kernel: square, input: s, {0}}}\n  squares: {{kernel: square, input: once, {0}}}\n",
        device);
    const std::string file = folder.file("p.yaml",
                                         // The kernels name the device and its units.
                                         yaml(folder, tasks, 2, counter, ", devices: {gpu0: {rank: 1}}"));
    const Result result = takt({"run", file, "--report", folder / "r", "--trial", "0s"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json report = json::parse(read_file(folder / "r"));
    const double predicted = report["frequency_hz"]["predicted"];
    EXPECT_LE(predicted, hertz * 1.01);
    EXPECT_GT(predicted, 0);
    EXPECT_LE(report["frequency_hz"]["sustained"].get<double>(), hertz * 1.01);
    EXPECT_EQ(report["frames"]["delivered"], 200);
    EXPECT_EQ(report["frames"]["dropped"], 0);
    for (const int task : {1, 2}) {
      EXPECT_EQ(report["tasks"][task]["runs"], 200);
      EXPECT_EQ(report["tasks"][task]["ranks"], json::array({1}));
    }
    const json used = report["devices"][0];
    EXPECT_EQ(used["name"], "gpu0");
    EXPECT_EQ(used["units"], units);
    EXPECT_EQ(used["tasks"], json::array({"once", "squares"}));
    EXPECT_GE(used["work_ns"].get<double>(), 12e6 * 0.99);
    EXPECT_LE(used["load"].get<double>(), 1);
    const std::vector<float> values = floats(folder / "out");
    ASSERT_EQ(values.size(), 200 * 8U);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto k = static_cast<float>(i / 8);
      ASSERT_EQ(values[i], k * k * (k * k)) << i;
    }
  }
}

/// 64 frames fill the device: the others have a rate if there are three.
TEST(AsynchronousRun, counts_no_frame_towards_throughput_while_a_device_fills) {
  for (const int frames : {66, 67}) {
    const TemporaryFolder folder;
    const std::string source = fmt::format(
        "{{type: synthetic, element: float32, axes: [time=8], pattern: count, frames: {}}}", frames);
    const std::string file = folder.file(
        "p.yaml", yaml(folder, "  squares: {kernel: square, input: s, depth: 64, time: 1 ms}\n", 1, source));
    const Result result = takt({"run", file, "--report", folder / "r", "--trial", "0s"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json report = json::parse(read_file(folder / "r"));
    EXPECT_EQ(report["frames"]["delivered"], frames);
    EXPECT_EQ(report["frequency_hz"]["sustained"].is_null(), frames == 66) << report["frequency_hz"];
  }
}

TEST(AsynchronousRun, refuses_a_device_of_a_task_that_works_on_its_rank) {
  const TemporaryFolder folder;
  const Result refused =
      takt({"run", folder.file("p.yaml", yaml(folder, "  squares: {kernel: pass, input: s}\n", 1, counter,
                                              ", devices: {gpu0: {tasks: [squares]}}"))});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("p.yaml:7:"), HasSubstr("task 'squares' (pass) is not asynchronous")));
}

TEST(AsynchronousRun, needs_a_held_input_where_two_paths_meet) {
  const TemporaryFolder folder;
  const auto tasks = [](const char* other) {
    return fmt::format(
        "  held: {{kernel: hold, input: s, frames: 3}}\n"
        "  device: {{kernel: square, input: s, depth: 3, units: 2}}\n"
        "  squares: {{kernel: sum, inputs: [device, {}]}}\n",
        other);
  };
  const Result refused = takt({"run", folder.file("p.yaml", yaml(folder, tasks("s"), 1))});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("p.yaml:7:35: task 'squares': 'device' is asynchronous"),
                                 HasSubstr("3 frames later than 's': hold that one back with {kernel: hold, "
                                           "frames: 3}")));
  for (const int ranks : {1, 2}) {
    const std::string file = folder.file("q.yaml", yaml(folder, tasks("held"), ranks));
    const Result result = takt({"run", file, "--overwrite"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const std::vector<float> values = floats(folder / "out");
    ASSERT_EQ(values.size(), 200 * 8U);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto k = static_cast<float>(i / 8);
      ASSERT_EQ(values[i], k * k + k);
    }
  }
}

TEST(AsynchronousRun, reports_a_failure_on_the_device_as_the_tasks) {
  const TemporaryFolder folder;
  const std::string tasks = "  squares: {kernel: square, input: s, depth: 4, units: 2}\n";
  const std::string noise =
      "{type: synthetic, element: float32, axes: [time=8, channel=1], pattern: noise, frames: 50}";
  const std::string profile = folder.file("costs.yaml", R"(costs:
  s: {cost: 1 us, low: 1 us, high: 1 us, runs: 9}
  squares: {cost: 1 us, low: 1 us, high: 1 us, runs: 9, latency: 2 us, interval: 1 us}
  o: {cost: 1 us, low: 1 us, high: 1 us, runs: 9}
)");
  const Result result = takt(
      {"run", folder.file("p.yaml", yaml(folder, tasks, 1, noise)), "--profile", profile, "--trial", "0s"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("squares"), HasSubstr("is negative")));
}

TEST(AsynchronousRun, continues_with_its_frames_under_way_after_the_death_of_a_rank) {
  const TemporaryFolder folder;
  const std::string source =
      "{type: synthetic, element: float32, axes: [time=8, channel=1], pattern: count, frames: 1000}";
  const std::string tasks =
      "  slow: {kernel: spin, input: s, time: 2 ms}\n"
      "  device: {kernel: square, input: slow, depth: 7, units: 3, time: 5 ms}\n"
      "  squares: {kernel: pass, input: device}\n";
  const std::string file = folder.file(
      "p.yaml", yaml(folder, tasks, 2, source, ", restart: {attempts: 4, backoff: 10 ms, every: 50 ms}"));
  Program run(takt_command({"run", file, "--report", folder / "r", "--trial", "0s"}));
  // Kills a rank when a part of the stream is through.
  ASSERT_TRUE(run.await([&] {
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(folder / "out", error);
    return !error && bytes >= 200 * 32 && !ranks_of(file).empty();
  })) << run.err_so_far();
  ::kill(ranks_of(file).front(), SIGKILL);
  const Result result = run.wait();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_GE(json::parse(read_file(folder / "r"))["restarts"].size(), 1U);
  const std::vector<float> values = floats(folder / "out");
  ASSERT_EQ(values.size(), 1000 * 8U);
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(values[i], static_cast<float>((i / 8) * (i / 8))) << i;
}

/// Baselines and trials are computed by tasks: any number of cores gives the bytes of one core.
TEST(CoresPerRank, leave_every_byte_unchanged) {
  const TemporaryFolder folder;
  const auto pipeline = [&](const char* name) {
    return fmt::format(R"(name: cores
sources:
  a: {{type: synthetic, element: complex_float32, axes: [time=64, "channel=64:1.2e9:1e6", polarisation=2], pattern: noise, seed: 1, frames: 30, rate: 100 Hz, speed: 0, start: "2020-01-01T00:00:00"}}
tasks:
  b: {{kernel: pass, input: a}}
  c: {{kernel: pass, input: a}}
  cross: {{kernel: correlate, inputs: [a, b, c], frames: 3}}
  power: {{kernel: stokes, input: a}}
  few: {{kernel: dedisperse, input: power, first: 0, step: 3, trials: 37}}
  many: {{kernel: dedisperse, input: power, first: 0, step: 0.1, trials: 100, method: subband, tolerance: 2}}
sinks:
  x: {{type: raw, input: cross, path: {0}-x}}
  y: {{type: raw, input: few, path: {0}-y}}
  z: {{type: raw, input: many, path: {0}-z}}
)",
                       (folder / name).string());
  };
  std::vector<std::string> expected;
  const int most = static_cast<int>(std::thread::hardware_concurrency());
  for (const int cores : {1, 2, most}) {
    if (cores > most) continue;
    const std::string name = fmt::format("c{}", cores);
    const Result result =
        takt({"run", folder.file(name + ".yaml", pipeline(name.c_str())), "--set",
              fmt::format("deployment.cores_per_rank={}", cores), "--overwrite", "--report", folder / "r"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json rank = json::parse(read_file(folder / "r"))["ranks"][0];
    EXPECT_EQ(rank["cores"], cores);
    EXPECT_EQ(rank["workers_idle"].is_null(), cores == 1);
    std::vector<std::string> files;
    for (const char* file : {"-x", "-y", "-z"}) files.push_back(read_file(folder / (name + file)));
    if (expected.empty()) expected = files;
    for (std::size_t i = 0; i < files.size(); ++i) {
      EXPECT_FALSE(files[i].empty());
      EXPECT_TRUE(files[i] == expected[i]) << "file " << i << " with " << cores << " cores";
    }
  }
}

TEST(CoresPerRank, are_at_most_those_of_the_node) {
  const TemporaryFolder folder;
  const std::string file =
      folder.file("p.yaml", fmt::format("sources: {{s: {}}}\nsinks: {{o: {{type: 'null', input: s}}}}\n"
                                        "deployment:\n  cores_per_rank: 1000\n",
                                        counter));
  const Result many = takt({"run", file});
  EXPECT_EQ(many.exit_code, 2);
  EXPECT_THAT(many.err, AllOf(HasSubstr("p.yaml:4:19: 'deployment': parameter 'cores_per_rank': 1000 cores"),
                              HasSubstr("expected at most that")));
  for (const char* wrong : {"0", "two", "2.5", "1025"}) {
    const Result refused = takt({"run", file, "--set", fmt::format("deployment.cores_per_rank={}", wrong)});
    EXPECT_EQ(refused.exit_code, 2) << wrong;
    EXPECT_THAT(refused.err, HasSubstr("expected auto or a number from 1 to 1024")) << wrong;
  }
  EXPECT_EQ(takt({"run", file, "--set", "deployment.cores_per_rank=auto"}).exit_code, 0);
}

}  // namespace
}  // namespace takt::test
