#include "pipeline/planning/profile.hpp"

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

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/processor_clock.hpp"
#include "pipeline/activity.hpp"
#include "pipeline/memory_check.hpp"
#include "pipeline/planning/call_times.hpp"
#include "pipeline/planning/loop_memory.hpp"
#include "pipeline/planning/nameless_file.hpp"
#include "pipeline/planning/receiving_cost.hpp"
#include "pipeline/planning/trial_frames.hpp"
#include "pipeline/tiles/tiled_run.hpp"

namespace takt::pipeline {

namespace {

using Clock = std::chrono::steady_clock;

/// What the loop of a rank adds to each call of a stage: a look at the clock, and about as much for finding
/// its frames; twice that for a source, whose frames are waited for and given back. Measured, as clocks
/// differ.
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
  const std::optional<RareCalls> rare = rare_calls(times);
  std::sort(times.begin(), times.end());
  auto quantile = [&](double q) {
    return times[static_cast<std::size_t>(q * static_cast<double>(times.size() - 1))];
  };
  return {.stage = stage.name,
          .cost = cost,
          .low = quantile(0.1),
          .high = quantile(0.9),
          .runs = times.size(),
          .rare = rare};
}

/// How often in its budget a measurement is looked at.
constexpr int looks = 5;
/// How often its budget is to be had where calls that come seldom may be dear.
constexpr int most_budgets = 4;
/// With fewer calls a measurement is not over in the first half of its budget: of frames of which one in a
/// hundred is dear, most measurements have seen some then.
constexpr std::size_t ample_runs = 300;

/// What others took the processor for while calls of a stage were timed. Looking at that would make short
/// work dearer; what takes less than 20 us was not interrupted.
class Interruptions {
 public:
  static bool may_have_met(Time taken) { return taken >= std::chrono::microseconds{20}; }

  /// What came before is none of the call's.
  void forget() { seen_ = delayed(); }
  /// A call's time without those since the last look.
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

/// Times `work`, each time after `prepare`, without what others took the processor for: a computer that is
/// busy with something else makes nothing dearer.
template <class Prepare, class Work>
std::vector<Time> repeat(const ProfileOptions& options, Prepare prepare, Work work, std::size_t most_runs) {
  std::vector<Time> times;
  const auto time_of = [](auto what) {
    const auto start = Clock::now();
    what();
    return std::chrono::duration_cast<Time>(Clock::now() - start);
  };
  prepare();
  Time last = time_of(work);
  Interruptions interruptions;
  const auto start = Clock::now();
  auto next_look = start + options.budget / looks;
  auto end = start + options.budget;
  while (times.size() < options.least_runs || (Clock::now() < end && times.size() < most_runs)) {
    if (const auto now = Clock::now(); now > next_look) {
      const bool is_ample = times.size() >= ample_runs || now - start > options.budget / 2;
      if (is_ample && are_settled(times)) break;
      if (may_have_rare_calls(times)) end = start + most_budgets * options.budget;
      next_look = now + options.budget / looks;
    }
    const Time preparing = time_of(prepare);
    begin_work();
    if (Interruptions::may_have_met(preparing) || Interruptions::may_have_met(last)) interruptions.forget();
    last = time_of(work);
    times.push_back(interruptions.without(last));
  }
  return times;
}

constexpr std::size_t usual_runs = 100'000;

template <class Prepare, class Work>
StageCost measure(const Stage& stage, const ProfileOptions& options, Prepare prepare, Work work,
                  std::size_t most_runs = usual_runs) {
  return summarise(stage, repeat(options, prepare, work, most_runs));
}

/// How long a source works in `poll` for each of its frames; a recording that ends is begun again.
StageCost profile_polling(const Pipeline& pipeline, std::size_t index, const LoopMemory& memory,
                          const ProfileOptions& options) {
  constexpr std::chrono::microseconds nap{100};
  const std::array<std::size_t, 1> measured{index};
  std::unique_ptr<sensors::Source> source = pipeline.make_source(index);
  source->start();
  std::vector<Time> times;
  bool is_empty = true;
  const auto end = Clock::now() + options.budget;
  // One frame is enough of a source that gives few in a second.
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
    // Joined ones are copied to the common frames wherever they are needed.
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

std::optional<MemoryCheck> check_of(const ProfileOptions& options, const Stage& stage) {
  return options.checks_memory ? std::optional<MemoryCheck>(std::in_place, stage.output.size())
                               : std::nullopt;
}

StageCost profile_kernel(const Pipeline& pipeline, std::size_t index, LoopMemory& memory,
                         const ProfileOptions& options) {
  const Stage& stage = pipeline.stages[index];
  const std::unique_ptr<Kernel> kernel = pipeline.make_kernel(index);
  std::vector<FrameBuffer> frames;
  std::vector<FrameView> inputs;
  for (const std::size_t input : stage.inputs) {
    frames.push_back(memory.frame(input));
    fill_with_noise(frames.back(), pipeline.stages[input].output.element);
    inputs.push_back({frames.back().header, frames.back().bytes});
  }
  const FrameBuffer output = memory.frame(index);
  const std::array<std::size_t, 1> measured{index};
  std::optional<MemoryCheck> check = check_of(options, stage);
  std::uint64_t sequence = 0;
  return measure(
      stage, options,
      [&] {
        memory.run_others(measured);
        for (const FrameBuffer& frame : frames) frame.header->sequence = sequence;
        ++sequence;
      },
      [&] { (void)call_kernel(*kernel, {.inputs = inputs, .output = output}, check ? &*check : nullptr); });
}

/// What throws names the stage.
template <class Work>
auto as_measured(const Stage& stage, Work work) {
  const AtWork at_work(stage.name);
  try {
    return work();
  } catch (const ConfigError&) {
    throw;
  } catch (const std::exception& error) {
    throw WorkError(
        fmt::format("task '{}' failed while its cost was measured: {}", stage.name, error.what()));
  } catch (...) {
    throw WorkError(
        fmt::format("task '{}' threw an exception of unknown type while its cost was measured", stage.name));
  }
}

/// Of each part its times in the calls that came to it (not 0). What others took the processor for is no
/// longer in the times of the calls (`all`), and whose part that was is not known: it is taken from all of
/// them alike.
std::vector<std::vector<Time>> parts_of(const std::vector<Time>& all,
                                        const std::vector<std::vector<Time>>& calls) {
  std::vector<std::vector<Time>> times(calls.front().size());
  for (std::size_t call = 0; call < calls.size(); ++call) {
    const Time sum = std::accumulate(calls[call].begin(), calls[call].end(), Time{0});
    const double kept =
        sum > all[call] ? static_cast<double>(all[call].count()) / static_cast<double>(sum.count()) : 1;
    for (std::size_t i = 0; i < times.size(); ++i)
      if (const Time time = calls[call][i]; time > Time{0})
        times[i].emplace_back(std::llround(kept * static_cast<double>(time.count())));
  }
  return times;
}

/// Kernels that hand each other tiles, by tile as they will run: each is measured among the others.
std::vector<StageCost> profile_tiles(const Pipeline& pipeline, const TileGroup& group, LoopMemory& memory,
                                     const ProfileOptions& options) {
  std::vector<std::size_t> stages;
  for (const TileGroup::Member& member : group.members) stages.push_back(member.stage);
  TileKernels kernels(pipeline);
  for (const TileGroup::Member& member : group.members)
    as_measured(pipeline.stages[member.stage], [&] { return kernels.of(member).size(); });
  std::vector<std::optional<MemoryCheck>> checks(pipeline.stages.size());
  for (const std::size_t stage : stages) checks[stage] = check_of(options, pipeline.stages[stage]);
  TiledRun run(pipeline, group, kernels, [&](std::size_t stage, Kernel& kernel, const KernelCall& call) {
    std::optional<MemoryCheck>& check = checks[stage];
    return as_measured(pipeline.stages[stage],
                       [&] { return call_kernel(kernel, call, check ? &*check : nullptr); });
  });
  const FrameBuffer root = memory.frame(group.root);
  fill_with_noise(root, pipeline.stages[group.root].output.element);
  std::vector<TiledRun::Work> work(stages.size());
  std::vector<std::vector<Time>> calls;
  const std::vector<Time> all = repeat(
      options,
      [&] {
        memory.run_others(stages);
        ++root.header->sequence;
        for (std::size_t i = 0; i < work.size(); ++i) {
          work[i] = {};
          if (memory.has_frame(stages[i])) work[i].output = memory.frame(stages[i]);
        }
      },
      [&] {
        run.run({{root.header, root.bytes}, true, false}, work);
        std::vector<Time>& parts = calls.emplace_back();
        for (const TiledRun::Work& part : work) parts.emplace_back(part.was_called ? part.time_ns : 0);
      },
      usual_runs);
  // The first call only warmed up.
  calls.erase(calls.begin());
  const std::vector<std::vector<Time>> times = parts_of(all, calls);
  std::vector<StageCost> costs;
  for (std::size_t i = 0; i < stages.size(); ++i)
    costs.push_back(summarise(pipeline.stages[stages[i]], times[i]));
  return costs;
}

StageCost profile_sink(const Pipeline& pipeline, std::size_t index, const LoopMemory& memory,
                       const ProfileOptions& options) {
  const Stage& stage = pipeline.stages[index];
  if (pipeline.kernels.find_sink(stage.type)->is_live) return profile_copy(pipeline, index, memory, options);
  const NamelessFile file;
  const std::unique_ptr<sensors::Sink> sink = pipeline.make_sink(index, file.path());
  TrialFrame frame(stage.output.size());
  fill_with_noise(frame.buffer(), stage.output.element);
  const std::array<std::size_t, 1> measured{index};
  sink->open();
  StageCost cost = measure(
      stage, options,
      [&] {
        memory.run_others(measured);
        ++frame.buffer().header->sequence;
        touch(frame.buffer().bytes);
      },
      [&] { sink->write(frame.view()); }, options.most_written.count / stage.output.size().count);
  sink->close();
  return cost;
}

StageCost profile_stage(const Pipeline& pipeline, std::size_t index, LoopMemory& memory,
                        const ProfileOptions& options) {
  const Stage& stage = pipeline.stages[index];
  return as_measured(stage, [&] {
    if (stage.kind == StageKind::source) return profile_source(pipeline, index, memory, options);
    if (stage.kind == StageKind::kernel) return profile_kernel(pipeline, index, memory, options);
    const StageCost cost = profile_sink(pipeline, index, memory, options);
    memory.learn(index, cost.cost);
    return cost;
  });
}

/// All kernels of the group that is cut at this stage's frames; nothing where none is.
std::optional<TileGroup> group_behind(const Pipeline& pipeline, const Tiling& tiling, std::size_t root) {
  TileGroup group{.root = root};
  for (std::size_t i = 0; i < tiling.size(); ++i) {
    if (!tiling[i] || tiling[i]->group != root) continue;
    const std::size_t input = pipeline.stages[i].inputs.front();
    const auto parent = std::ranges::find(group.members, input, &TileGroup::Member::stage);
    TileGroup::Member member{.stage = i, .input = tiling[i]->input, .output = tiling[i]->output};
    if (parent != group.members.end())
      member.parent = static_cast<std::size_t>(parent - group.members.begin());
    for (std::size_t next = i + 1; next < pipeline.stages.size(); ++next)
      if (!tiling[next] && std::ranges::count(pipeline.stages[next].inputs, i) > 0) member.is_kept = true;
    group.members.push_back(member);
  }
  if (group.members.empty()) return std::nullopt;
  return group;
}

}  // namespace

std::vector<StageCost> profile(const Pipeline& pipeline, const ProfileOptions& options) {
  set_phase(phase_measuring);
  const Tiling tiling = tile(pipeline, caches_of_this_host());
  LoopMemory memory(pipeline, tiling);
  std::vector<StageCost> costs(pipeline.stages.size());
  const auto measure_stages = [&](bool are_kernels) {
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
      const Stage& stage = pipeline.stages[i];
      if ((stage.kind == StageKind::kernel) != are_kernels) continue;
      if (options.on_stage) options.on_stage(stage);
      if (!tiling[i]) costs[i] = profile_stage(pipeline, i, memory, options);
    }
  };
  // What sources and sinks leave in the caches is known when kernels are measured.
  measure_stages(false);
  measure_stages(true);
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const std::optional<TileGroup> group = group_behind(pipeline, tiling, i);
    if (!group) continue;
    const std::vector<StageCost> of_members = profile_tiles(pipeline, *group, memory, options);
    for (std::size_t m = 0; m < of_members.size(); ++m) costs[group->members[m].stage] = of_members[m];
  }
  for (std::size_t i = 0; i < costs.size(); ++i)
    for (Time StageCost::*time : {&StageCost::cost, &StageCost::low, &StageCost::high})
      costs[i].*time += loop_cost(pipeline.stages[i].kind);
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

TaskGraph measured_task_graph(const Pipeline& pipeline) {
  std::vector<Time> times;
  for (const StageCost& cost : profile(pipeline)) times.push_back(cost.cost);
  return pipeline.task_graph(times);
}

}  // namespace takt::pipeline
