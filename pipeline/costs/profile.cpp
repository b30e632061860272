#include "pipeline/costs/profile.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "core/system/allowed_processors.hpp"
#include "core/system/kept_affinity.hpp"
#include "core/system/processor_clock.hpp"
#include "core/system/processor_limit.hpp"
#include "pipeline/costs/asynchronous_cost.hpp"
#include "pipeline/costs/call_times.hpp"
#include "pipeline/costs/host_costs.hpp"
#include "pipeline/costs/kernel_trial.hpp"
#include "pipeline/costs/loop_memory.hpp"
#include "pipeline/costs/receiving_cost.hpp"
#include "pipeline/costs/tile_trials.hpp"
#include "pipeline/costs/trial_calls.hpp"
#include "pipeline/costs/trial_frames.hpp"
#include "pipeline/costs/trial_stages.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

namespace {

using Clock = std::chrono::steady_clock;

/// Returns the time that a rank's loop adds to each call of a stage: one reading of the clock, and about as
/// much for the look-up of its frames; twice that for a source, whose frames are polled and returned.
/// Measured, because clocks differ.
Time loop_cost(StageKind kind) {
  static const Time of_clock = [] {
    constexpr int looks = 1000;
    const auto start = Clock::now();
    auto end = start;
    for (int i = 0; i < looks; ++i) end = Clock::now();
    return std::chrono::duration_cast<Time>(end - start) / looks;
  }();
  return kind == StageKind::source ? 2 * of_clock : of_clock;
}

StageCost summarise(const Stage& stage, std::vector<Time> times) {
  if (times.empty()) return {.stage = stage.name};
  const Time cost = cost_of(times, stage.stateless);
  std::sort(times.begin(), times.end());
  auto quantile = [&](double q) {
    return times[static_cast<std::size_t>(q * static_cast<double>(times.size() - 1))];
  };
  return {
      .stage = stage.name, .cost = cost, .low = quantile(0.1), .high = quantile(0.9), .runs = times.size()};
}

/// Checks of a measurement during its budget.
constexpr int looks = 5;
/// Subtracts interruptions by other processes from the times of a stage's calls. The check costs time, so
/// calls below 20 us, which were hardly interrupted, skip it.
class Interruptions {
 public:
  static bool may_have_met(Time taken) { return taken >= std::chrono::microseconds{20}; }

  /// Discards the interruptions before the call.
  void forget() { seen_ = delayed(); }
  /// Returns a call's time without the interruptions since the last check.
  [[nodiscard]] Time without(Time taken) {
    if (!may_have_met(taken)) return taken;
    const Time now = delayed();
    return std::max(Time{1}, taken - (now - std::exchange(seen_, now)));
  }

 private:
  [[nodiscard]] Time delayed() const {
    return Time(static_cast<Time::rep>(processor_.now().value_or(ProcessorTimes{}).delayed_ns));
  }

  ProcessorClock processor_;
  Time seen_{delayed()};
};

/// Times `work`, each time after `prepare`, without interruptions by other processes: load on the computer
/// does not increase costs. The first call warms up. `awaits_more` is called after each call and returns true
/// if some stage has produced hardly any frame yet, as those calls may be expensive; the measurement then
/// lasts up to `most_budgets`.
template <class Prepare, class Work, class Awaits>
std::vector<Time> repeat(const ProfileOptions& options, Prepare prepare, Work work, Awaits awaits_more,
                         std::size_t most_runs) {
  constexpr int most_budgets = 4;
  std::vector<Time> times;
  const auto time_of = [](auto what) {
    const auto start = Clock::now();
    what();
    return std::chrono::duration_cast<Time>(Clock::now() - start);
  };
  prepare();
  Time last = time_of(work);
  bool awaits = awaits_more();
  Interruptions interruptions;
  const auto start = Clock::now();
  auto next_look = start + options.budget / looks;
  const auto end = [&] { return start + (awaits ? most_budgets : 1) * options.budget; };
  while (times.size() < options.least_runs || (Clock::now() < end() && times.size() < most_runs)) {
    if (const auto now = Clock::now(); now > next_look) {
      if (!awaits && are_settled(times)) break;
      next_look = now + options.budget / looks;
    }
    const Time preparing = time_of(prepare);
    begin_work();
    if (Interruptions::may_have_met(preparing) || Interruptions::may_have_met(last)) interruptions.forget();
    last = time_of(work);
    times.push_back(interruptions.without(last));
    awaits = awaits_more();
  }
  return times;
}

constexpr std::size_t usual_runs = 100'000;

template <class Prepare, class Work>
StageCost measure(const Stage& stage, const ProfileOptions& options, Prepare prepare, Work work,
                  std::size_t most_runs = usual_runs) {
  return summarise(stage, repeat(
                              options, prepare, work, [] { return false; }, most_runs));
}

/// Measures the time of `poll` of a source per frame; restarts a recording that ends.
StageCost profile_polling(const Pipeline& pipeline, std::size_t index, const LoopMemory& memory,
                          const ProfileOptions& options) {
  constexpr std::chrono::microseconds nap{100};
  const std::array<std::size_t, 1> measured{index};
  std::unique_ptr<sensors::Source> source = pipeline.make_source(index);
  source->start();
  std::vector<Time> times;
  bool is_empty = true;
  const auto end = Clock::now() + options.budget;
  // For slow sources one frame is enough.
  while (Clock::now() < end) {
    memory.run_others(measured);
    begin_work();
    FrameView frame;
    const auto start = Clock::now();
    const sensors::SourceState state = source->poll(frame);
    const auto time = std::chrono::duration_cast<Time>(Clock::now() - start);
    if (state == sensors::SourceState::waiting) std::this_thread::sleep_for(nap);
    if (state == sensors::SourceState::ended && is_empty) break;
    if (state == sensors::SourceState::ended) {
      source = pipeline.make_source(index);
      source->start();
      is_empty = true;
    }
    if (state != sensors::SourceState::frame) continue;
    source->release();
    times.push_back(time);
    is_empty = false;
  }
  return summarise(pipeline.stages[index], std::move(times));
}

StageCost profile_copy(const Pipeline& pipeline, std::size_t index, const LoopMemory& memory,
                       const ProfileOptions& options) {
  const Stage& stage = pipeline.stages[index];
  TrialFrame from(stage.output.size()), to(stage.output.size());
  const std::array<std::size_t, 1> measured{index};
  return measure(
      stage, options,
      [&] {
        memory.run_others(measured);
        touch(from.buffer().bytes);
      },
      [&] { std::memcpy(to.buffer().bytes.data(), from.view().bytes.data(), from.view().bytes.size()); });
}

StageCost profile_source(const Pipeline& pipeline, std::size_t index, LoopMemory& memory,
                         const ProfileOptions& options) {
  StageCost cost = profile_copy(pipeline, index, memory, options);
  cost.copy = cost.cost;
  if (const auto reception = pipeline.make_source(index)->reception())
    cost.receiving = receiving_cost(*reception);
  if (pipeline.kernels.find_source(pipeline.stages[index].type)->is_live) {
    // Frames of joined sources are copied to the common frames on every rank that needs them.
    if (!pipeline.joins_sources()) return cost;
    const Time copy = cost.copy;
    for (Time* time : {&cost.cost, &cost.low, &cost.high}) *time += copy;
    return cost;
  }
  const StageCost polling = profile_polling(pipeline, index, memory, options);
  memory.learn(index, polling.cost);
  cost.cost += polling.cost;
  cost.low += polling.low;
  cost.high += polling.high;
  return cost;
}

StageCost profile_sink(const Pipeline& pipeline, std::size_t index, const LoopMemory& memory,
                       const SampleFrames& samples, const ProfileOptions& options) {
  const Stage& stage = pipeline.stages[index];
  if (pipeline.kernels.find_sink(stage.type)->is_live) return profile_copy(pipeline, index, memory, options);
  const std::unique_ptr<sensors::Sink> sink = make_trial_sink(pipeline, index);
  TrialFrame frame(stage.output.size());
  samples.fill(stage.inputs.front(), frame.buffer());
  const std::array<std::size_t, 1> measured{index};
  {
    const AtOtherWork at_work(stage.name, Deadline::set_up);
    sink->open();
  }
  StageCost cost = measure(
      stage, options,
      [&] {
        memory.run_others(measured);
        ++frame.buffer().header->sequence;
        touch(frame.buffer().bytes);
      },
      [&] { sink->write(frame.view()); }, options.most_written.count / stage.output.size().count);
  const AtOtherWork at_work(stage.name, Deadline::end);
  sink->close();
  return cost;
}

/// Measures a source or sink.
StageCost profile_end(const Pipeline& pipeline, std::size_t index, LoopMemory& memory,
                      const SampleFrames& samples, const ProfileOptions& options) {
  const Stage& stage = pipeline.stages[index];
  StageCost cost;
  run_as_measured(stage, [&] {
    if (stage.kind == StageKind::source) {
      cost = profile_source(pipeline, index, memory, options);
      return;
    }
    cost = profile_sink(pipeline, index, memory, samples, options);
    memory.learn(index, cost.cost);
  });
  return cost;
}

std::vector<StageCost> measure_alone(const Pipeline& pipeline, KernelTrial& trial,
                                     const ProfileOptions& options) {
  TrialCalls calls(trial);
  std::size_t noted = 0, turn = 0;
  const std::vector<Time> all = repeat(
      options,
      [&] {
        trial.fill(turn++);
        trial.prepare();
      },
      [&] { trial.work(); },
      [&] {
        calls.note();
        if (noted++ == 0) calls.forget();
        return calls.await_results();
      },
      usual_runs);
  std::vector<StageCost> costs;
  for (const StageCalls& stage : calls.of_stages(all))
    costs.push_back(summarise(pipeline.stages[trial.stages()[costs.size()]], stage.times));
  return costs;
}

}  // namespace

std::vector<StageCost> profile(const Pipeline& pipeline, const ProfileOptions& options) {
  set_phase(Phase::measuring);
  const SampleFrames samples(pipeline, options.budget / 2, options.checks_memory);
  const Bytes cache = cache_of_a_core();
  const TriedTiles tried = options.checks_memory
                               ? TriedTiles{.tiling = tile(pipeline, cache)}
                               : tiles_that_pay(pipeline, cache, samples, options.budget / 2);
  const Tiling& tiling = tried.tiling;
  LoopMemory memory(pipeline, tiling);
  std::vector<StageCost> costs(pipeline.stages.size());
  // Sources and sinks come first: kernels depend on the state in which they leave the caches.
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
    if (const Stage& stage = pipeline.stages[i]; stage.kind != StageKind::kernel) {
      if (options.on_stage) options.on_stage(stage);
      costs[i] = profile_end(pipeline, i, memory, samples, options);
    }
  const auto measure_trial = [&](std::unique_ptr<KernelTrial> trial) {
    std::vector<StageCost> of_trial;
    trial->measure([&] { of_trial = measure_alone(pipeline, *trial, options); });
    for (std::size_t i = 0; i < of_trial.size(); ++i) costs[trial->stages()[i]] = of_trial[i];
  };
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const Stage& stage = pipeline.stages[i];
    if (stage.kind != StageKind::kernel) continue;
    if (options.on_stage) options.on_stage(stage);
    if (!tiling[i]) measure_trial(trial_of_kernel(pipeline, i, memory, samples, options.checks_memory));
    if (stage.depth > 0) measure_asynchronous(pipeline, i, samples, options.budget, costs[i]);
  }
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
    if (std::optional<TileGroup> group = group_from(pipeline, tiling, i))
      measure_trial(trial_of_tiles(pipeline, *std::move(group), memory, samples, options.checks_memory));
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Time of_loop = loop_cost(pipeline.stages[i].kind);
    for (Time StageCost::*time : {&StageCost::cost, &StageCost::low, &StageCost::high})
      costs[i].*time += of_loop;
    costs[i] = with_share(std::move(costs[i]), processor_limit().value_or(1));
  }
  for (const TaskId task : tried.whole) costs[task.index()].is_whole = true;
  return costs;
}

TaskGraph task_graph_of(const Pipeline& pipeline, const std::vector<StageCost>& costs, bool charges_copies) {
  std::vector<Time> times;
  std::vector<std::vector<MoldableProfile::Point>> groups;
  std::vector<std::vector<Time>> by_rank;
  for (const StageCost& cost : costs) {
    times.push_back(charges_copies ? cost.cost : cost.cost - cost.copy);
    groups.push_back(cost.groups);
    std::vector<Time>& row = by_rank.emplace_back();
    for (const StageCost::OnRank& each : cost.by_rank)
      row.push_back(charges_copies ? each.cost : each.cost - each.copy);
  }
  return pipeline.task_graph(times, groups, by_rank);
}

std::vector<TaskId> tasks_on_whole_frames(const std::vector<StageCost>& costs) {
  std::vector<TaskId> tasks;
  for (std::size_t i = 0; i < costs.size(); ++i)
    if (costs[i].is_whole) tasks.emplace_back(i);
  return tasks;
}

TaskGraph measured_task_graph(const Pipeline& pipeline) {
  std::vector<Time> times;
  for (const StageCost& cost : profile(pipeline)) times.push_back(cost.cost);
  return pipeline.task_graph(times);
}

}  // namespace takt::pipeline
