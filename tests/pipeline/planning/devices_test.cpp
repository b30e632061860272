/// Tests devices that asynchronous tasks share: what a file may name, and what plans predict. `hold` stands
/// for a kernel with a device, with costs that are made up.

#include "core/devices.hpp"

#include <algorithm>
#include <chrono>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "logp/diagnostics.hpp"
#include "logp/simulation.hpp"
#include "pipeline/planning/candidates.hpp"
#include "pipeline/planning/device_charge.hpp"
#include "pipeline/planning/placed_plans.hpp"
#include "pipeline/planning/places.hpp"
#include "pipeline/report/plan_report.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using std::chrono::microseconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// s, a (asynchronous), b (asynchronous), c, o.
std::string text_of(const std::string& deployment, const std::string& place_of_a = "") {
  return fmt::format(R"(sources: {{s: {{type: synthetic, element: float32, axes: [time=64]}}}}
tasks:
  a: {{kernel: hold, input: s, frames: 4{}}}
  b: {{kernel: hold, input: a, frames: 4}}
  c: {{kernel: spin, input: b, time: 1 ms, state: true}}
sinks: {{o: {{type: 'null', input: c}}}}
deployment: {{{}}}
)",
                     place_of_a, deployment);
}

/// Each on the rank for `us`; a and b end a frame every 6 ms, or every 6 ms / `units` of their own
/// measurement, after a latency of 6.5 ms.
std::vector<StageCost> costs_of(const Pipeline& pipeline, const std::vector<int>& us, int units = 1) {
  std::vector<StageCost> costs;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    StageCost& cost = costs.emplace_back();
    cost.stage = pipeline.stages[i].name;
    cost.cost = microseconds(us[i]);
    if (pipeline.stages[i].depth == 0) continue;
    cost.latency = microseconds(6500);
    cost.interval = microseconds(6000 / units);
  }
  return costs;
}

logp::Machine free_machine(std::size_t ranks) {
  return logp::parse_machine(fmt::format("logp:P={},L=0,o=0,g=0", ranks));
}

TEST(DevicePlans, of_two_tasks_on_one_device_have_the_rate_of_the_device) {
  struct Case {
    const char* devices;
    int measured_units;
    double period_us;
  };
  for (const auto& [devices, units, period_us] :
       {Case{"", 1, 6000}, Case{", devices: {gpu0: {tasks: [a, b]}}", 1, 12000},
        Case{", devices: {gpu0: {tasks: [a, b], units: 2}}", 2, 6000},
        Case{", devices: {gpu0: {tasks: [a]}, gpu1: {tasks: b}}", 1, 6000}}) {
    const Pipeline pipeline = load(text_of(fmt::format("ranks: 2{}", devices)));
    const PipelinePlan plan =
        plan_pipeline(pipeline, costs_of(pipeline, {100, 50, 50, 3000, 10}, units), {free_machine(2), 2});
    EXPECT_NEAR(1e6 / plan.summary.predicted_hz, period_us, 1) << devices;
    // The other tasks run meanwhile: one rank is enough.
    EXPECT_EQ(plan.plan.evaluation.figures.processors_used, 1U) << devices;
    EXPECT_THAT(plan.summary.limit, HasSubstr("device '")) << devices;
    EXPECT_THAT(logp::diagnose(plan.graph, plan.machine, plan.schedule()), IsEmpty());
    EXPECT_EQ(plan.schedule().devices.size(),
              std::string_view(devices).find("units") == std::string::npos &&
                      std::string_view(devices).find("[a, b]") == std::string::npos
                  ? 2U
                  : 1U);
    const logp::SimulationResult run =
        logp::simulate(plan.graph, plan.machine, plan.schedule(), {.frames = 500});
    EXPECT_NEAR(*run.sustained_period / 1e3, period_us, 10) << devices;
    // As a file.
    const PipelinePlan read = plan_from_yaml(to_yaml(plan), "s.yaml", pipeline, 2);
    EXPECT_EQ(read.schedule(), plan.schedule());
    EXPECT_NEAR(read.summary.predicted_hz, plan.summary.predicted_hz, 0.01);
    EXPECT_EQ(read.summary.devices.size(), plan.summary.devices.size());
  }
}

TEST(DevicePlans, name_the_device_in_texts_pictures_and_json) {
  const Pipeline pipeline = load(text_of("ranks: 1, devices: {gpu0: {tasks: [a, b], units: 2}}"));
  const PipelinePlan plan =
      plan_pipeline(pipeline, costs_of(pipeline, {100, 50, 50, 3000, 10}, 2), {free_machine(1), 2});
  const std::string text = plan_to_text(plan);
  EXPECT_THAT(text, HasSubstr("gpu0"));
  EXPECT_THAT(text, HasSubstr("gpu0.0 |"));
  EXPECT_THAT(text, HasSubstr("100.0 %"));
  const auto json = nlohmann::json::parse(plan_to_json(plan));
  const auto device = json["devices"][0];
  EXPECT_EQ(device["name"], "gpu0");
  EXPECT_EQ(device["units"], 2);
  EXPECT_EQ(device["tasks"][0],
            (nlohmann::json{{"task", "a"}, {"work", 6'000'000}, {"transfer", 500'000}, {"depth", 4}}));
  EXPECT_EQ(device["operations"].size(), 2U);
  EXPECT_NEAR(device["busy"].get<double>(), 1.0, 1e-6);
  EXPECT_EQ(json["pipeline"]["devices"][0]["work_ns"], 12'000'000);
}

/// Splits the measured times as the header says, task by task.
TEST(DevicePlans, split_the_measured_latency_into_work_and_transfer) {
  const Pipeline pipeline = load(text_of("ranks: 1, devices: {gpu0: {tasks: [b], units: 4}}"));
  std::vector<StageCost> costs = costs_of(pipeline, {100, 50, 50, 3000, 10});
  // Four units end a frame every 2 ms, each of which is on one of them for 8 ms of its 9 ms.
  costs[2].interval = microseconds(2000);
  costs[2].latency = microseconds(9000);
  const std::vector<Device> devices = devices_of(pipeline, costs);
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].name, "gpu0");
  EXPECT_THAT(devices[0].uses, ElementsAre(DeviceUse{TaskId(2), microseconds(8000), microseconds(1000), 4}));
  EXPECT_EQ(devices[1].name, "device of a");
  EXPECT_THAT(devices[1].uses, ElementsAre(DeviceUse{TaskId(1), microseconds(6000), microseconds(500), 4}));
  // Frames of `hold` itself are complete within its call.
  costs[1].latency = microseconds(20);
  EXPECT_EQ(devices_of(pipeline, costs).size(), 1U);
  EXPECT_THAT(devices_of(pipeline, {}), IsEmpty());
}

/// Frames of 256 bytes pass a link of 64 kB/s in 4 ms. A task whose frames take 6.5 ms, and end every 4 ms,
/// works on the device for 2.5 ms.
TEST(DevicePlans, count_the_links_of_a_device) {
  struct Case {
    const char* device;
    double period_us;
    const char* limit;
  };
  for (const auto& [device, period_us, limit] :
       {// Without a link, transfers count as work: 4 ms of each task, or 6.5 ms of two units.
        Case{"tasks: [a, b]", 8000, "device 'gpu0' "},
        Case{"tasks: [a, b], units: 2", 6500, "device 'gpu0' "},
        Case{"tasks: [a, b], to: 64 kB/s", 8000, "device 'gpu0.to' "},
        Case{"tasks: [a, b], units: 2, to: 64 kB/s", 8000, "device 'gpu0.to' "},
        Case{"tasks: [a, b], units: 2, to: 128kB/s, from: 64000 B/s", 8000, "device 'gpu0.from' "},
        // A fast link leaves the work on the unit: 4 ms of each task.
        Case{"tasks: [a, b], to: 12 GB/s, from: 10 GB/s", 8000, "device 'gpu0' "}}) {
    const Pipeline pipeline = load(text_of(fmt::format("ranks: 1, devices: {{gpu0: {{{}}}}}", device)));
    ASSERT_EQ(pipeline.stages[1].output.size().count, 256U);
    std::vector<StageCost> costs = costs_of(pipeline, {100, 50, 50, 1000, 10});
    for (const std::size_t task : {1, 2}) costs[task].interval = microseconds(4000);
    const PipelinePlan plan = plan_pipeline(pipeline, costs, {free_machine(1), 1});
    EXPECT_NEAR(1e6 / plan.summary.predicted_hz, period_us, 1) << device;
    EXPECT_THAT(plan.summary.limit, StartsWith(limit)) << device;
    EXPECT_THAT(logp::diagnose(plan.graph, plan.machine, plan.schedule()), IsEmpty()) << device;
    const logp::SimulationResult run =
        logp::simulate(plan.graph, plan.machine, plan.schedule(), {.frames = 500});
    EXPECT_NEAR(*run.sustained_period / 1e3, period_us, 50) << device;
    const PipelinePlan read = plan_from_yaml(to_yaml(plan), "s.yaml", pipeline, 1);
    EXPECT_EQ(read.schedule(), plan.schedule()) << device;
  }
}

TEST(DevicePlans, show_links_as_devices) {
  const Pipeline pipeline =
      load(text_of("ranks: 1, devices: {gpu0: {tasks: [a, b], to: 64 kB/s, from: 256 kB/s}}"));
  std::vector<StageCost> costs = costs_of(pipeline, {100, 50, 50, 1000, 10});
  const std::vector<Device> devices = devices_of(pipeline, costs);
  ASSERT_EQ(devices.size(), 3U);
  // Of 6.5 ms, 4 ms and 1 ms are on the links.
  EXPECT_EQ(devices[0].name, "gpu0.to");
  EXPECT_EQ(devices[0].uses[0], (DeviceUse{TaskId(1), microseconds(4000), Time{0}, 4}));
  EXPECT_EQ(devices[1].name, "gpu0");
  EXPECT_EQ(devices[1].uses[0], (DeviceUse{TaskId(1), microseconds(1500), Time{0}, 4}));
  EXPECT_EQ(devices[2].name, "gpu0.from");
  EXPECT_EQ(devices[2].uses[1], (DeviceUse{TaskId(2), microseconds(1000), Time{0}, 4}));
  const PipelinePlan plan = plan_pipeline(pipeline, costs, {free_machine(1), 1});
  EXPECT_THAT(plan_to_text(plan), AllOf(HasSubstr("gpu0.to |"), HasSubstr("gpu0.from |")));
  const auto json = nlohmann::json::parse(plan_to_json(plan));
  EXPECT_EQ(json["devices"][2]["name"], "gpu0.from");
  EXPECT_EQ(json["pipeline"]["devices"][0]["work_ns"], 8'000'000);
}

TEST(DevicePlans, name_the_depth_as_the_limit) {
  const Pipeline pipeline = load(text_of("ranks: 1"));
  std::vector<StageCost> costs = costs_of(pipeline, {100, 50, 50, 1000, 10});
  costs[1].latency = microseconds(40000);
  const PipelinePlan plan = plan_pipeline(pipeline, costs, {free_machine(1), 1});
  EXPECT_NEAR(1e6 / plan.summary.predicted_hz, 10000, 1);
  EXPECT_EQ(plan.summary.limit, "'a' has 4 frames under way on its devices, each for 40 ms");
}

TEST(DevicePlans, note_units_and_links_that_the_costs_contradict) {
  const auto notes = [](const char* device, int interval_us) {
    const Pipeline pipeline = load(text_of(fmt::format("ranks: 1, devices: {{gpu0: {{{}}}}}", device)));
    std::vector<StageCost> costs = costs_of(pipeline, {100, 50, 50, 1000, 10});
    for (const std::size_t task : {1, 2}) costs[task].interval = microseconds(interval_us);
    return plan_pipeline(pipeline, costs, {free_machine(1), 1}).summary.notes;
  };
  const auto none = Each(Not(StartsWith("device 'gpu0'")));
  EXPECT_THAT(
      notes("tasks: [a], units: 2", 6000),
      Contains("device 'gpu0' has 2 units, but 'a' works on 1.1 frames at once: a frame takes 6.5 ms, "
               "and one ends every 6 ms. Where tasks share the device, the prediction is too high"));
  EXPECT_THAT(notes("tasks: [a], units: 2", 3300), none);
  EXPECT_THAT(notes("tasks: [a]", 6000), none);
  // `depth` is 4.
  EXPECT_THAT(notes("tasks: [a], units: 9", 1700), none);
  // The link allows no more.
  EXPECT_THAT(notes("tasks: [a], units: 2, to: 64 kB/s", 4000), none);
  EXPECT_THAT(notes("tasks: [a], to: 32 kB/s", 6000),
              Contains("device 'gpu0': the frames of 'a' need 8 ms on its links by 'to' and 'from', but only "
                       "6.5 ms in all: the links are faster"));
}

/// All assignments of a chain's tasks to ranks, with messages that cost nothing. A rank is occupied from its
/// first task of a frame to its last one; the period is the longest such time, or that of the device.
double least_period_us(const std::vector<int>& us, std::size_t ranks, double device_us) {
  double least = 1e18;
  std::size_t assignments = 1;
  for (std::size_t i = 0; i < us.size(); ++i) assignments *= ranks;
  for (std::size_t code = 0; code < assignments; ++code) {
    std::vector<double> first(ranks, -1), last(ranks, -1);
    double now = 0, period = device_us;
    for (std::size_t i = 0, rest = code; i < us.size(); ++i, rest /= ranks) {
      const std::size_t rank = rest % ranks;
      if (first[rank] < 0) first[rank] = now;
      last[rank] = now += us[i];
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) period = std::max(period, last[rank] - first[rank]);
    least = std::min(least, period);
  }
  return least;
}

TEST(DevicePlans, are_as_fast_as_the_best_assignment_of_tasks_to_ranks) {
  std::mt19937 random(7);
  int by_device = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const Pipeline pipeline =
        load(text_of("ranks: 2, devices: {gpu0: {tasks: [a, b]}}") + "scheduler: exact_fo\n");
    std::vector<int> us;
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
      us.push_back(100 + static_cast<int>(random() % 7000));
    const PipelinePlan plan = plan_pipeline(pipeline, costs_of(pipeline, us), {free_machine(2), 2});
    const double least = least_period_us(us, 2, 12000);
    EXPECT_GE(1e6 / plan.summary.predicted_hz, least - 0.01) << fmt::format("{}", fmt::join(us, " "));
    EXPECT_LE(1e6 / plan.summary.predicted_hz, least * 1.001) << fmt::format("{}", fmt::join(us, " "));
    by_device += least == 12000 ? 1 : 0;
  }
  EXPECT_GT(by_device, 2);
  EXPECT_LT(by_device, 12);
}

TEST(DevicePlans, keep_the_tasks_of_a_device_on_its_rank_and_its_host) {
  const Pipeline pipeline = load(text_of("ranks: 3, devices: {gpu0: {tasks: [a, b], rank: 2}}"));
  const RankPlaces places = find_places(pipeline, std::vector<RankHost>(3));
  EXPECT_THAT(places.ranks, ElementsAre(IsEmpty(), ElementsAre(2), ElementsAre(2), IsEmpty(), IsEmpty()));
  const PipelinePlan plan = plan_in_places(pipeline, costs_of(pipeline, {9000, 50, 50, 9000, 10}),
                                           {free_machine(3), 3}, places.ranks);
  EXPECT_THAT(plan.summary.stages[1].ranks, ElementsAre(2));
  EXPECT_THAT(plan.summary.stages[2].ranks, ElementsAre(2));
  EXPECT_NEAR(1e6 / plan.summary.predicted_hz, 12000, 1);
  const std::vector<RankHost> hosts{{"n1.org", 0, {}, {}}, {"n2.org", 1, {}, {}}, {"n2.org", 1, {}, {}}};
  const Pipeline on_host = load(text_of("ranks: 3, devices: {gpu0: {tasks: [a, b], host: n2}}"));
  EXPECT_THAT(find_places(on_host, hosts).ranks,
              ElementsAre(IsEmpty(), ElementsAre(1, 2), ElementsAre(1, 2), IsEmpty(), IsEmpty()));
  try {
    (void)find_places(load(text_of("ranks: 3, devices: {gpu0: {tasks: [a, b]}}")), hosts);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(std::string(error.what()),
                HasSubstr("p.yaml:7:34: 'deployment': device 'gpu0': the ranks are on several hosts"));
  }
}

TEST(DeviceKeys, are_refused_at_their_place) {
  const auto errors = [](const std::string& devices, const std::string& place = "") {
    return errors_in(text_of("devices: " + devices, place));
  };
  EXPECT_THAT(errors("{gpu0: {tasks: [a, b], units: 2}}"), IsEmpty());
  EXPECT_THAT(
      errors("{gpu0: {tasks: [a, c]}}"),
      ElementsAre("p.yaml:7:42: 'deployment': device 'gpu0': task 'c' (spin) is not asynchronous: it works "
                  "on its rank"));
  EXPECT_THAT(
      errors("{gpu0: {tasks: [a, s]}}"),
      ElementsAre(HasSubstr("p.yaml:7:42: 'deployment': device 'gpu0': source 's' (synthetic) is not")));
  EXPECT_THAT(
      errors("{gpu0: {tasks: [a, bb]}}"),
      ElementsAre(HasSubstr("p.yaml:7:42: 'deployment': device 'gpu0': unknown asynchronous task 'bb'")));
  EXPECT_THAT(errors("{gpu0: {tasks: [a, b]}, gpu1: {tasks: b}}"),
              ElementsAre(HasSubstr("device 'gpu1': task 'b' is on device 'gpu0' already")));
  EXPECT_THAT(errors("{gpu0: {task: [a]}}"), Contains(HasSubstr("p.yaml:7:31: 'deployment': device 'gpu0'")));
  EXPECT_THAT(errors("{gpu0: {units: 2}}"),
              ElementsAre("p.yaml:7:24: 'deployment': device 'gpu0': it has no task: expected 'tasks'"));
  EXPECT_THAT(errors("{gpu0: {tasks: []}}"), ElementsAre(HasSubstr("it has no task")));
  for (const char* speed : {"12", "12 GB", "0 GB/s", "fast", "-1 GB/s", "12 Gb/s", "/s", "[1 GB/s, 2 GB/s]"})
    EXPECT_THAT(errors(fmt::format("{{gpu0: {{tasks: [a], to: {}}}}}", speed)),
                ElementsAre(HasSubstr("p.yaml:7:47: 'deployment': device 'gpu0': parameter 'to'")))
        << speed;
  EXPECT_THAT(errors("{gpu0: {tasks: [a], units: 0}}"), ElementsAre(HasSubstr("units")));
  EXPECT_THAT(errors("{gpu0: {tasks: [a], rank: first}}"), ElementsAre(HasSubstr("the number of a rank")));
  EXPECT_THAT(errors("{gpu0: {tasks: [a], rank: 0, host: n1}}"), ElementsAre(HasSubstr("'rank' or 'host'")));
  EXPECT_THAT(errors("{gpu0: {tasks: [a], rank: 0}}", ", place: {rank: 1}"),
              ElementsAre(HasSubstr("task 'a' has a 'place' on a rank or host, too")));
  EXPECT_THAT(errors("{'gpu 0': {tasks: [a]}}"), ElementsAre(HasSubstr("'gpu 0' is not a valid name")));
  EXPECT_THAT(errors("[gpu0]"), ElementsAre(HasSubstr("'devices' must be a mapping from names to devices")));
  EXPECT_THAT(errors("{gpu0: [a]}"), ElementsAre(HasSubstr("device 'gpu0' must be a mapping")));
}

/// `square` of docs/examples/device-plugin names its device.
std::string named_by_kernels(const std::string& a, const std::string& b, const std::string& devices) {
  return fmt::format(R"(plugins: [{}]
sources: {{s: {{type: synthetic, element: float32, axes: [time=64]}}}}
tasks:
  a: {{kernel: square, input: s, {}}}
  b: {{kernel: square, input: a, {}}}
sinks: {{o: {{type: 'null', input: b}}}}
deployment: {{devices: {{{}}}}}
)",
                     TAKT_DEVICE_PLUGIN, a, b, devices);
}

TEST(KernelDevices, are_shared_by_tasks_whose_kernels_name_them) {
  const Pipeline pipeline = load(named_by_kernels("device: gpu0, units: 2", "device: gpu0, units: 2", ""));
  const std::vector<NamedDevice>& devices = pipeline.deployment.devices;
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].name, "gpu0");
  EXPECT_EQ(devices[0].units, 2U);
  EXPECT_FALSE(devices[0].to);
  EXPECT_EQ(pipeline.stages[1].device, 0U);
  EXPECT_EQ(pipeline.stages[2].device, 0U);
  EXPECT_THAT(load(named_by_kernels("device: gpu0", "", "")).stages[2].device, Eq(std::nullopt));
  // On several hosts, one task needs no place, but two that share a device do.
  const std::vector<RankHost> hosts{{"n1", 0, {}, {}}, {"n2", 1, {}, {}}};
  EXPECT_NO_THROW((void)find_places(load(named_by_kernels("device: gpu0", "device: gpu1", "")), hosts));
  EXPECT_THROW((void)find_places(load(named_by_kernels("device: gpu0", "device: gpu0", "")), hosts),
               ConfigError);
}

TEST(KernelDevices, have_the_values_of_the_file_where_it_states_them) {
  const Pipeline pipeline = load(named_by_kernels("device: gpu0, units: 2", "device: gpu0, units: 2",
                                                  "gpu0: {units: 3, rank: 0, to: 2 GB/s}"));
  ASSERT_EQ(pipeline.deployment.devices.size(), 1U);
  EXPECT_EQ(pipeline.deployment.devices[0].units, 3U);
  EXPECT_EQ(pipeline.deployment.devices[0].to, 2e9);
  EXPECT_EQ(pipeline.stages[1].place->rank, 0U);
  EXPECT_EQ(pipeline.stages[2].place->rank, 0U);
  // A task that the file lists elsewhere is there, with what its kernel states of the device.
  const Pipeline moved =
      load(named_by_kernels("device: gpu0, units: 2", "device: gpu1", "other: {tasks: [a]}"));
  ASSERT_EQ(moved.deployment.devices.size(), 2U);
  EXPECT_EQ(moved.deployment.devices[*moved.stages[1].device].name, "other");
  EXPECT_EQ(moved.deployment.devices[*moved.stages[1].device].units, 2U);
  EXPECT_EQ(moved.deployment.devices[*moved.stages[2].device].name, "gpu1");
}

TEST(KernelDevices, that_contradict_each_other_are_refused_at_their_place) {
  const auto errors = [](const std::string& a, const std::string& b, const std::string& devices) {
    return errors_in(named_by_kernels(a, b, devices));
  };
  // The kernels are on `other` together, and know it differently.
  EXPECT_THAT(
      errors("device: gpu0, units: 2", "device: gpu1", "other: {tasks: [a, b]}"),
      ElementsAre("p.yaml:5:3: task 'b': its kernel states 'units: 1' of device 'other', that of task "
                  "'a' 2: expected the same, or 'units' of the device in 'deployment': 'devices'"));
  EXPECT_THAT(errors("device: gpu0, units: 2", "device: gpu1", "other: {tasks: [a, b], units: 1}"),
              IsEmpty());
  EXPECT_THAT(errors("device: gpu0", "device: gpu1", "gpu2: {units: 2}"),
              ElementsAre("p.yaml:7:24: 'deployment': device 'gpu2': it has no task: expected 'tasks', or a "
                          "device that a kernel names: gpu0, gpu1"));
  EXPECT_THAT(errors("device: 'gpu 0'", "", ""),
              ElementsAre("p.yaml:4:3: task 'a': kernel square names the device 'gpu 0' whose name is not "
                          "valid: expected letters, digits, _ and -"));
}

}  // namespace
}  // namespace takt::pipeline::test
