#include "pipeline/profiling/profile.hpp"

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

#include "core/allowed_processors.hpp"
#include "core/kept_affinity.hpp"
#include "core/processor_clock.hpp"
#include "pipeline/activity.hpp"
#include "pipeline/profiling/boundary_trials.hpp"
#include "pipeline/profiling/call_times.hpp"
#include "pipeline/profiling/kernel_trial.hpp"
#include "pipeline/profiling/loop_memory.hpp"
#include "pipeline/profiling/neighbour.hpp"
#include "pipeline/profiling/receiving_cost.hpp"
#include "pipeline/profiling/tile_trials.hpp"
#include "pipeline/profiling/trial_calls.hpp"
#include "pipeline/profiling/trial_frames.hpp"
#include "pipeline/profiling/trial_stages.hpp"

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
/// busy with something else makes nothing dearer. `awaits_more` is asked behind each call: whether what comes
/// seldom has not come yet.
template <class Prepare, class Work, class Awaits>
std::vector<Time> repeat(const ProfileOptions& options, Prepare prepare, Work work, Awaits awaits_more,
                         std::size_t most_runs) {
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
  int budgets = 1;
  auto end = start + options.budget;
  while (times.size() < options.least_runs || (Clock::now() < end && times.size() < most_runs)) {
    if (const auto now = Clock::now(); now > next_look) {
      const bool is_ample = times.size() >= ample_runs || now - start > options.budget / 2;
      if (is_ample && !awaits && are_settled(times)) break;
      if (may_have_rare_calls(times)) budgets = most_budgets;
      end = start + (awaits ? most_budgets : budgets) * options.budget;
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

/// Of a source or sink.
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
  for (const StageCalls& stage : calls.of_stages(all)) {
    costs.push_back(summarise(pipeline.stages[trial.stages()[costs.size()]], stage.times));
    costs.back().result = cost_of_results(stage.times, stage.gave);
  }
  return costs;
}

/// The mean without the tenth at either end: what all calls have in common, in few of them.
double middle_mean(std::vector<Time> times) {
  std::ranges::sort(times);
  const std::size_t end = times.size() / 10;
  const std::span<const Time> middle = std::span(times).subspan(end, times.size() - 2 * end);
  return static_cast<double>(std::accumulate(middle.begin(), middle.end(), Time{0}).count()) /
         static_cast<double>(middle.size());
}

/// Whether two pairs of turns in a row tell the same of short work: more of them then tell no more.
class Agreement {
 public:
  [[nodiscard]] bool reached(const std::vector<Time>& alone, const std::vector<Time>& beside) {
    constexpr std::size_t ample = 50;
    constexpr double alike = 0.01;
    const std::size_t calls = std::min(alone.size() - seen_[0], beside.size() - seen_[1]);
    const auto newer = [&](const std::vector<Time>& all, std::size_t seen) {
      return middle_mean({all.begin() + static_cast<std::ptrdiff_t>(seen), all.end()});
    };
    const double ratio = newer(beside, seen_[1]) / newer(alone, seen_[0]);
    seen_ = {alone.size(), beside.size()};
    return calls >= ample && std::abs(ratio - std::exchange(last_, ratio)) < alike;
  }

 private:
  std::array<std::size_t, 2> seen_{};
  double last_ = 0;
};

/// How many times as long each stage takes while the neighbour is at work: both by turns of some
/// milliseconds, so that what else changes in the machine changes both, for no longer than this budget. 1
/// where there were no calls.
std::vector<double> measure_beside(KernelTrial& trial, Neighbour& neighbour, Time usual, Time budget) {
  constexpr std::chrono::milliseconds turn{2};
  struct Calls {
    std::vector<Time> all;
    TrialCalls noted;
  };
  std::array<Calls, 2> calls{{{{}, TrialCalls(trial)}, {{}, TrialCalls(trial)}}};
  Interruptions interruptions;
  const auto call = [&](Calls* kept) {
    trial.prepare();
    begin_work();
    interruptions.forget();
    const auto start = Clock::now();
    trial.work();
    const Time taken = std::chrono::duration_cast<Time>(Clock::now() - start);
    if (!kept) return;
    kept->all.push_back(interruptions.without(taken));
    kept->noted.note();
  };
  trial.fill();
  call(nullptr);
  const auto end = Clock::now() + budget;
  bool is_beside = false;
  Agreement agreement;
  do {
    for (int i = 0; i < 2; ++i, is_beside = !is_beside) {
      if (is_beside)
        neighbour.work();
      else
        neighbour.rest();
      // Caches are those of the other turn; of a long call that is no part that counts.
      for (const auto settled = Clock::now() + turn / 10; usual < turn && Clock::now() < settled;)
        call(nullptr);
      const auto over = Clock::now() + turn;
      do call(&calls[is_beside ? 1 : 0]);
      while (Clock::now() < over);
    }
  } while (!agreement.reached(calls[0].all, calls[1].all) && Clock::now() < end);
  neighbour.rest();
  std::vector<double> ratios;
  const std::vector<StageCalls> alone = calls[0].noted.of_stages(calls[0].all),
                                beside = calls[1].noted.of_stages(calls[1].all);
  for (std::size_t i = 0; i < alone.size(); ++i)
    ratios.push_back(alone[i].times.empty() || beside[i].times.empty()
                         ? 1
                         : middle_mean(beside[i].times) / middle_mean(alone[i].times));
  return ratios;
}

/// Adds what kernels cost beside a neighbour to what they cost alone.
void measure_beside(const Pipeline& pipeline, const std::vector<std::unique_ptr<KernelTrial>>& trials,
                    const LoopMemory& of_neighbour, Time budget, std::vector<StageCost>& costs) {
  Time loop{0};
  for (const TaskGraph of_frame = task_graph_of(pipeline, costs, false); const TaskId task : of_frame.tasks())
    loop += of_frame.task(task).work;
  const KeptAffinity kept;
  const std::optional<std::size_t> other = keep_to_one_processor();
  if (!other) return;
  Neighbour neighbour(of_neighbour, loop, *other);
  for (const std::unique_ptr<KernelTrial>& trial : trials) {
    const std::span<const std::size_t> stages = trial->stages();
    Time usual{0};
    for (const std::size_t stage : stages) usual += costs[stage].cost;
    std::vector<double> ratios;
    trial->measure([&] { ratios = measure_beside(*trial, neighbour, usual, budget); });
    for (std::size_t i = 0; i < stages.size(); ++i)
      costs[stages[i]].beside =
          Time(std::llround(ratios[i] * static_cast<double>(costs[stages[i]].cost.count())));
  }
}

}  // namespace

std::vector<StageCost> profile(const Pipeline& pipeline, const ProfileOptions& given) {
  set_phase(Phase::measuring);
  const SampleFrames samples(pipeline, given.budget / 2, given.checks_memory);
  const CacheSizes caches = caches_of_this_host();
  const TriedTiles tried = given.checks_memory ? TriedTiles{.tiling = tile(pipeline, caches)}
                                               : tiles_that_pay(pipeline, caches, samples, given.budget / 2);
  const Tiling& tiling = tried.tiling;
  LoopMemory memory(pipeline, tiling);
  ProfileOptions options = given;
  options.has_neighbour = given.has_neighbour && !given.checks_memory && pipeline.deployment.ranks > 1 &&
                          allowed_processors().size() > 1;
  const Time for_turns = given.budget / 4;
  if (options.has_neighbour) options.budget -= for_turns;
  std::vector<StageCost> costs(pipeline.stages.size());
  // What sources and sinks leave in the caches is known when kernels are measured.
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
    if (const Stage& stage = pipeline.stages[i]; stage.kind != StageKind::kernel) {
      if (options.on_stage) options.on_stage(stage);
      costs[i] = profile_end(pipeline, i, memory, samples, given);
    }
  std::vector<std::unique_ptr<KernelTrial>> trials;
  const auto measure_trial = [&](std::unique_ptr<KernelTrial> trial) {
    std::vector<StageCost> of_trial;
    trial->measure([&] { of_trial = measure_alone(pipeline, *trial, options); });
    for (std::size_t i = 0; i < of_trial.size(); ++i) costs[trial->stages()[i]] = of_trial[i];
    if (options.has_neighbour) trials.push_back(std::move(trial));
  };
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const Stage& stage = pipeline.stages[i];
    if (stage.kind != StageKind::kernel) continue;
    if (options.on_stage) options.on_stage(stage);
    if (!tiling[i]) measure_trial(trial_of_kernel(pipeline, i, memory, samples, options.checks_memory));
  }
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
    if (std::optional<TileGroup> group = group_behind(pipeline, tiling, i))
      measure_trial(trial_of_tiles(pipeline, *std::move(group), memory, samples, options.checks_memory));
  if (options.has_boundaries && !options.checks_memory && pipeline.deployment.ranks > 1)
    measure_boundaries(pipeline, tiling, memory, samples, given.budget / 4, costs);
  if (!trials.empty()) {
    // What ranks hand each other are whole frames.
    LoopMemory of_neighbour(pipeline, Tiling(pipeline.stages.size()));
    of_neighbour.learn_from(memory);
    measure_beside(pipeline, trials, of_neighbour, for_turns, costs);
  }
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Time of_loop = loop_cost(pipeline.stages[i].kind);
    for (Time StageCost::*time : {&StageCost::cost, &StageCost::low, &StageCost::high})
      costs[i].*time += of_loop;
    for (std::optional<Time> StageCost::*time : {&StageCost::result, &StageCost::beside})
      if (costs[i].*time) *(costs[i].*time) += of_loop;
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
