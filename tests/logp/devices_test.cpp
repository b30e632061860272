/// Devices: are their loads part of the period, their operations where the checker wants them, and does a run
/// reach that period? Judged by counts of every tick and by a simulation tick by tick.

#include "core/devices.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/random.hpp"
#include "logp/diagnostics.hpp"
#include "logp/period.hpp"
#include "logp/schedule_file.hpp"
#include "logp/simulation.hpp"
#include "logp/timing.hpp"
#include "tests/logp/allocate.hpp"

namespace takt::logp {
namespace devices_test {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

/// Independent stateful tasks with these times on a processor.
TaskGraph graph_of(const std::vector<std::int64_t>& times) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < times.size(); ++i)
    builder.add_task({.name = fmt::format("t{}", i), .work = Time(times[i])});
  return std::move(builder).build();
}

/// `replicas` instances one after the other, task by task, on the first processor.
Schedule on_one_processor(const std::vector<std::int64_t>& times, std::uint32_t replicas) {
  Schedule schedule("hand", 1);
  schedule.replicas = replicas;
  Time now{0};
  for (std::uint32_t r = 0; r < replicas; ++r)
    for (std::size_t i = 0; i < times.size(); ++i) {
      schedule.add_compute(ProcessorId(0), TaskId(i), now, now + Time(times[i]), r);
      now += Time(times[i]);
    }
  return schedule;
}

DeviceUse use(std::size_t task, std::int64_t work, std::int64_t transfer = 0, std::uint32_t depth = 64) {
  return {.task = TaskId(task), .work = Time(work), .transfer = Time(transfer), .depth = depth};
}

/// Returns how many operations, of any iteration, are at work at a time.
std::int64_t at_work(const Device& device, Time time, Time repetition) {
  std::int64_t count = 0;
  for (const Operation& operation : device.operations)
    for (std::int64_t k = -100; k <= 100; ++k)
      if (operation.start + k * repetition <= time && time < operation.end + k * repetition) ++count;
  return count;
}

TEST(Devices, that_two_tasks_share_allow_the_sum_of_their_times_over_the_units) {
  // The processor is occupied for 2 of an iteration.
  const Schedule alone = on_one_processor({1, 1}, 1);
  EXPECT_EQ(measure(alone).repetition, Time{2});
  for (const auto& [units, period] : {std::pair{1U, 12}, std::pair{2U, 6}, std::pair{3U, 4}}) {
    const Schedule schedule =
        with_devices(alone, {{.name = "gpu0", .units = units, .uses = {use(0, 6), use(1, 6)}}});
    EXPECT_EQ(measure(schedule).repetition, Time{period});
    EXPECT_EQ(schedule.period_bound, (Period{Time{period}, 1}));
    EXPECT_DOUBLE_EQ(load_of(schedule.devices[0], 1, Time{period}), 1.0);
  }
  // Each on a device of its own.
  const Schedule apart =
      with_devices(alone, {{.name = "a", .uses = {use(0, 6)}}, {.name = "b", .uses = {use(1, 7)}}});
  EXPECT_EQ(measure(apart).repetition, Time{7});
  // With two instances under way, one of 5 + 4 can start every 4.5.
  const Schedule shallow = with_devices(alone, {{.name = "a", .uses = {use(0, 4, 5, 2)}}});
  EXPECT_EQ(measure(shallow).repetition, Time{5});
  EXPECT_EQ(shallow.period_bound, (Period{Time{9}, 2}));
}

TEST(Devices, have_operations_that_every_tick_allows_and_the_checker_accepts) {
  Random random(1);
  int pipelined = 0, waiting = 0, both = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const std::size_t tasks = 1 + random.below(4);
    const auto replicas = static_cast<std::uint32_t>(1 + random.below(3));
    std::vector<std::int64_t> times;
    for (std::size_t i = 0; i < tasks; ++i) times.push_back(random.between(0, 4));
    Schedule schedule = on_one_processor(times, replicas);
    const TaskGraph graph = graph_of(times);
    std::vector<Device> devices(2);
    for (std::size_t d = 0; d < 2; ++d)
      devices[d] = {.name = fmt::format("d{}", d), .units = static_cast<std::uint32_t>(1 + random.below(3))};
    for (std::size_t i = 0; i < tasks; ++i)
      for (Device& device : devices)
        if (random.below(3) > 0)
          device.uses.push_back(use(i, random.between(0, 9), random.between(0, 5),
                                    static_cast<std::uint32_t>(1 + random.below(64))));
    if (random.below(3) == 0) {
      // Some operations are iterations later, at the same time within them.
      ++pipelined;
      schedule.repetition = std::max(Time{1}, measure(schedule).repetition);
      Time later{0};
      for (Operation& operation : schedule.processors[0]) {
        if (random.below(3) == 0) later += *schedule.repetition;
        if (replicas > 1) later = Time{0};
        operation.start += later;
        operation.end += later;
      }
    }
    const Schedule whole = with_devices(schedule, devices);
    const Time repetition = measure(whole).repetition;
    Time expected = std::max(Time{schedule.repetition ? 1 : 0}, measure(schedule).repetition);
    for (const Device& device : devices) {
      std::int64_t work = 0;
      for (const DeviceUse& each : device.uses) work += each.work.count() * replicas;
      expected = std::max(expected, Time((work + device.units - 1) / device.units));
    }
    for (std::size_t i = 0; i < tasks; ++i) {
      std::int64_t latency = 0, depth = 1000;
      for (const Device& device : devices)
        for (const DeviceUse& each : device.uses)
          if (each.task == TaskId(i)) {
            latency += (each.work + each.transfer).count();
            depth = std::min(depth, std::int64_t{each.depth});
          }
      expected = std::max(expected, Time((latency * replicas + depth - 1) / depth));
      both += std::ranges::count(devices[0].uses, TaskId(i), &DeviceUse::task) +
                          std::ranges::count(devices[1].uses, TaskId(i), &DeviceUse::task) ==
                      2
                  ? 1
                  : 0;
    }
    ASSERT_EQ(repetition, expected) << trial;
    if (repetition == Time{0}) continue;
    for (const Device& device : whole.devices) {
      ASSERT_EQ(device.operations.size(), device.uses.size() * replicas) << trial;
      for (Time time{0}; time < repetition; ++time)
        ASSERT_LE(at_work(device, time, repetition), std::int64_t{device.units}) << trial;
      for (const Operation& operation : device.operations) {
        const auto is_same = [&](const Operation& each) {
          return each.subject == operation.subject && each.instance == operation.instance;
        };
        Time before = std::ranges::find_if(whole.processors[0], is_same)->end;
        if (const auto first = std::ranges::find_if(whole.devices[0].operations, is_same);
            &device == &whole.devices[1] && first != whole.devices[0].operations.end())
          before = first->end;
        const auto of = std::ranges::find(device.uses, operation.task(), &DeviceUse::task);
        ASSERT_GE(operation.start, before + of->transfer) << trial;
        ASSERT_EQ(operation.end, operation.start + of->work) << trial;
        waiting += operation.start > before + of->transfer ? 1 : 0;
      }
    }
    ASSERT_THAT(diagnose(graph, parse_machine("logp:P=1"), whole), IsEmpty()) << trial;
  }
  EXPECT_GT(pipelined, 80);
  EXPECT_GT(waiting, 80);
  EXPECT_GT(both, 80);
}

/// A processor that repeats its operations, and devices that a task passes one after the other, tick by tick.
/// Returns the mean time between the ends of iterations in the second half.
class Ticked {
 public:
  Ticked(const std::vector<std::int64_t>& times, const std::vector<Device>& devices)
      : times_(times), devices_(devices), queues_(devices.size()), working_(devices.size()) {}

  double period(std::size_t iterations) {
    std::vector<std::uint32_t> under_way(times_.size(), 0);
    std::vector<std::int64_t> ends;
    std::size_t next = 0;
    std::optional<std::int64_t> busy_until;
    for (std::int64_t now = 0; ends.size() < iterations; ++now) {
      for (bool changes = true; changes;) {
        changes = false;
        for (std::size_t d = 0; d < devices_.size(); ++d) changes = serve(d, now, under_way) || changes;
        if (busy_until == now) {
          busy_until.reset();
          if (const std::optional<std::size_t> first = device_after(next, -1)) {
            ++under_way[next];
            jobs_.push_back({next, *first, now + use_of(next, *first)->transfer.count(), 0});
            for (std::size_t d = 0; d < devices_.size(); ++d)
              if (use_of(next, d)) queues_[d].push_back(jobs_.size() - 1);
          }
          if (++next == times_.size()) {
            ends.push_back(now);
            next = 0;
          }
          changes = true;
        }
        // The operation that starts the next work collects the oldest one.
        if (!busy_until && ends.size() < iterations && under_way[next] < depth_of(next)) {
          busy_until = now + times_[next];
          changes = true;
        }
      }
      for (const std::vector<std::size_t>& working : working_)
        for (const std::size_t job : working) --jobs_[job].left;
    }
    const std::size_t last = ends.size() - 1, middle = last / 2;
    return static_cast<double>(ends[last] - ends[middle]) / static_cast<double>(last - middle);
  }

 private:
  /// At this device, or on the transfer to it.
  struct Job {
    std::size_t task, device;
    std::int64_t arrives, left;
  };

  [[nodiscard]] const DeviceUse* use_of(std::size_t task, std::size_t device) const {
    const auto found = std::ranges::find(devices_[device].uses, TaskId(task), &DeviceUse::task);
    return found == devices_[device].uses.end() ? nullptr : &*found;
  }
  [[nodiscard]] std::optional<std::size_t> device_after(std::size_t task, int device) const {
    for (std::size_t d = static_cast<std::size_t>(device + 1); d < devices_.size(); ++d)
      if (use_of(task, d)) return d;
    return std::nullopt;
  }
  [[nodiscard]] std::uint32_t depth_of(std::size_t task) const {
    std::uint32_t depth = 1000;
    for (std::size_t d = 0; d < devices_.size(); ++d)
      if (const DeviceUse* const use = use_of(task, d)) depth = std::min(depth, use->depth);
    return depth;
  }
  /// Ends and begins work on a device.
  bool serve(std::size_t d, std::int64_t now, std::vector<std::uint32_t>& under_way) {
    bool changes = false;
    for (std::size_t i = 0; i < working_[d].size(); ++i) {
      Job& job = jobs_[working_[d][i]];
      if (job.left > 0) continue;
      working_[d].erase(working_[d].begin() + static_cast<std::ptrdiff_t>(i--));
      changes = true;
      if (const std::optional<std::size_t> after = device_after(job.task, static_cast<int>(d))) {
        job.device = *after;
        job.arrives = now + use_of(job.task, *after)->transfer.count();
      } else {
        --under_way[job.task];
      }
    }
    while (working_[d].size() < devices_[d].units && !queues_[d].empty()) {
      Job& job = jobs_[queues_[d].front()];
      if (job.device != d || job.arrives > now) break;
      job.left = use_of(job.task, d)->work.count();
      working_[d].push_back(queues_[d].front());
      queues_[d].pop_front();
      changes = true;
    }
    return changes;
  }

  std::vector<std::int64_t> times_;
  std::vector<Device> devices_;
  std::vector<Job> jobs_;
  /// By device: jobs in the order of their starts, and those at work.
  std::vector<std::deque<std::size_t>> queues_;
  std::vector<std::vector<std::size_t>> working_;
};

TEST(DeviceSimulation, sustains_the_rate_of_a_simulation_tick_by_tick) {
  Random random(2);
  int limited = 0, by_link = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t tasks = 1 + random.below(4);
    // A link, a device, and a link back.
    std::vector<Device> devices{{.name = "to"}, {.name = "d"}, {.name = "from"}};
    devices[1].units = static_cast<std::uint32_t>(1 + random.below(3));
    const std::int64_t transfer = random.between(0, 4);
    const bool has_links = random.below(2) == 0;
    std::vector<std::int64_t> times;
    for (std::size_t i = 0; i < tasks; ++i) {
      times.push_back(random.between(1, 5));
      if (random.below(4) == 0) continue;
      const auto depth = static_cast<std::uint32_t>(1 + random.below(4));
      if (has_links) devices[0].uses.push_back(use(i, random.between(0, 9), 0, depth));
      devices[1].uses.push_back(use(i, random.between(1, 12), transfer, depth));
      if (has_links) devices[2].uses.push_back(use(i, random.between(0, 9), 0, depth));
    }
    const Schedule schedule = with_devices(on_one_processor(times, 1), devices);
    const SimulationResult result =
        simulate(graph_of(times), parse_machine("logp:P=1"), schedule, {.frames = 400});
    ASSERT_EQ(result.delivered, 400U);
    const double expected = Ticked(times, devices).period(400);
    ASSERT_DOUBLE_EQ(*result.sustained_period, expected) << trial;
    // No run is faster than the exact period, but for the frames that are under way in the middle of the run.
    const double occupied = static_cast<double>(measure(on_one_processor(times, 1)).repetition.count());
    double least = occupied;
    for (const Device& device : devices) least = std::max(least, period_of(device).ticks());
    ASSERT_GE(expected, least - 0.2) << trial;
    if (devices[1].uses.empty()) continue;
    limited += expected > occupied ? 1 : 0;
    by_link += period_of(devices[1]) < std::max(period_of(devices[0]), period_of(devices[2])) ? 1 : 0;
  }
  EXPECT_GT(limited, 100);
  EXPECT_GT(by_link, 50);
}

TEST(DeviceSimulation, reaches_the_plan_where_enough_frames_may_be_under_way) {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const auto units = static_cast<std::uint32_t>(1 + random.below(3));
    std::vector<std::int64_t> times{2, 1, 3};
    Device device{.name = "gpu0", .units = units, .uses = {}};
    for (const std::size_t task : {0, 2}) device.uses.push_back(use(task, random.between(1, 20), 3, 32));
    const Schedule schedule = with_devices(on_one_processor(times, 1), {device});
    const SimulationResult result =
        simulate(graph_of(times), parse_machine("logp:P=1"), schedule, {.frames = 2000});
    const double period =
        std::max(6.0, static_cast<double>((device.uses[0].work + device.uses[1].work).count()) / units);
    ASSERT_NEAR(*result.sustained_period, period, 0.05) << trial;
    if (period > 6.5) {
      EXPECT_THAT(result.bottleneck, StartsWith("device 'gpu0', busy"));
    }
    // Without the work on at most 32 frames that is left when the last operation ends.
    const Time busy = result.devices.at(0).busy, of_frame = device.uses[0].work + device.uses[1].work;
    EXPECT_LE(busy, result.duration * static_cast<Time::rep>(units)) << trial;
    EXPECT_LE(busy, 2000 * of_frame) << trial;
    EXPECT_GE(busy, (2000 - 33) * of_frame) << trial;
  }
}

auto finding(std::string_view rule, std::string_view text) {
  return AllOf(Field(&Finding::rule, rule), Field(&Finding::message, HasSubstr(std::string(text))));
}

TEST(DeviceCheck, finds_work_that_is_missing_early_wrong_or_too_much_at_a_time) {
  const TaskGraph graph = graph_of({1, 1});
  const Schedule good = with_devices(on_one_processor({1, 1}, 1),
                                     {{.name = "gpu0", .uses = {use(0, 6, 2, 4), use(1, 5, 2, 4)}}});
  const auto findings_of = [&](const std::function<void(Device&, Schedule&)>& change) {
    Schedule schedule = good;
    change(schedule.devices[0], schedule);
    return diagnose(graph, parse_machine("logp:P=1"), schedule);
  };
  EXPECT_THAT(findings_of([](Device&, Schedule&) {}), IsEmpty());
  EXPECT_THAT(findings_of([](Device& device, Schedule&) { device.operations.pop_back(); }),
              Contains(finding("device", "task 't1' of instance 0 works on device 'gpu0' 0 times")));
  EXPECT_THAT(findings_of([](Device& device, Schedule&) { device.uses.pop_back(); }),
              Contains(finding("device", "does not use device 'gpu0'")));
  EXPECT_THAT(findings_of([](Device& device, Schedule&) {
                device.operations[0].start -= Time{1};
                device.operations[0].end -= Time{1};
              }),
              Contains(finding("device",
                               "begins on device 'gpu0' before its work arrives: end on the processor "
                               "1 + transfer 2 = 3")));
  EXPECT_THAT(findings_of([](Device& device, Schedule&) { device.operations[1].end += Time{1}; }),
              Contains(finding("duration", "takes 6 of device 'gpu0': expected 5")));
  // The first one works from 3 to 9.
  EXPECT_THAT(findings_of([](Device& device, Schedule&) {
                device.operations[1].start -= Time{2};
                device.operations[1].end -= Time{2};
              }),
              Contains(finding("device",
                               "makes 2 computations of device 'gpu0' when the schedule repeats every "
                               "11: it has 1 units")));
  EXPECT_THAT(
      findings_of([](Device&, Schedule& schedule) { schedule.devices.push_back(schedule.devices[0]); }),
      AllOf(Contains(finding("device", "there are two devices 'gpu0'")),
            // Its first work ends at 9 on the first one.
            Contains(finding("device",
                             "begins on device 'gpu0' before its work arrives: end on device 'gpu0' 9 + "
                             "transfer 2 = 11"))));
  EXPECT_THAT(findings_of([](Device& device, Schedule&) { device.uses.push_back(device.uses[0]); }),
              Contains(finding("device", "device 'gpu0' has task 't0' twice")));
  EXPECT_THAT(findings_of([](Device& device, Schedule&) { device.units = 0; }),
              Contains(finding("reference", "device 'gpu0' has no unit")));
  // A repetition of 5 is too short for 4 works of 8 or more under way at 5 / 1, and for the unit.
  const auto hurried = diagnose(graph, parse_machine("logp:P=1"), good, {.repetition = Time{5}});
  EXPECT_THAT(hurried, Contains(finding("device", "computations of device 'gpu0'")));
  const auto shallow = findings_of([](Device& device, Schedule& schedule) {
    schedule.repetition = Time{12};
    device.uses[0].depth = device.uses[1].depth = 1;
    device.uses[0].transfer = Time{0};
    device.uses[1].transfer = Time{8};
    device.operations[1].start += Time{12};
    device.operations[1].end += Time{12};
  });
  EXPECT_THAT(shallow,
              Contains(finding("device", "with 1 instances under way, task 't1' on its devices needs 13")));
}

TEST(DeviceFiles, round_trip_and_refuse_what_is_wrong) {
  const TaskGraph graph = graph_of({1, 2});
  const Machine machine = parse_machine("logp:P=1");
  const Schedule schedule =
      with_devices(on_one_processor({1, 2}, 2),
                   {{.name = "gpu 0", .units = 2, .uses = {use(0, 6, 2, 4), use(1, 5)}}, {.name = "gpu1"}});
  const std::string text = schedule_to_yaml(graph, machine, schedule);
  EXPECT_EQ(schedule_from_yaml(text, "s.yaml").schedule, schedule);
  EXPECT_EQ(schedule_to_yaml(graph, machine, schedule_from_yaml(text, "s.yaml").schedule), text);
  const auto refusal = [&](const std::string& from, const std::string& to, const std::string& message) {
    std::string wrong = text;
    wrong.replace(wrong.find(from), from.size(), to);
    EXPECT_THAT([&] { (void)schedule_from_yaml(wrong, "s.yaml"); },
                ThrowsMessage<ConfigError>(AllOf(HasSubstr("s.yaml:"), HasSubstr(message))))
        << to;
  };
  refusal("units: 2", "units: 0", "0");
  refusal("units: 2", "unit: 2", "unit");
  refusal("task: t0, work", "task: t7, work", "t7");
  refusal("depth: 4", "depth: -1", "-1");
  refusal("transfer: 2", "transfers: 2", "transfers");
}

}  // namespace devices_test
}  // namespace takt::logp
