#include "pipeline/costs/tile_trials.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/units.hpp"
#include "pipeline/constants.hpp"
#include "pipeline/costs/kernel_trial.hpp"
#include "pipeline/costs/loop_memory.hpp"

namespace takt::pipeline {

namespace {

using Clock = std::chrono::steady_clock;

/// Counts iterations: one for warm-up, then five within ten budgets, or up to fifty within one; at least one.
class TrialTurns {
 public:
  explicit TrialTurns(Time budget) : budget_(budget), start_(Clock::now()) {}

  /// Returns true if another iteration begins now.
  [[nodiscard]] bool begin() {
    constexpr Time::rep patience = 10;
    const Time allowed = begun_ <= least_calls ? patience * budget_ : budget_;
    if (begun_ > 1 && (begun_ > most_calls || Clock::now() >= start_ + allowed)) return false;
    ++begun_;
    return true;
  }
  /// Returns true if the current iteration counts.
  [[nodiscard]] bool counts() const { return begun_ > 1; }

 private:
  Time budget_;
  Clock::time_point start_;
  std::size_t begun_ = 0;
};

Time time_of_work(KernelTrial& trial) {
  Time taken{0};
  trial.measure([&] {
    trial.prepare();
    begin_work();
    const auto start = Clock::now();
    trial.work();
    taken = std::chrono::duration_cast<Time>(Clock::now() - start);
  });
  return taken;
}

/// `whole` must have frames for the outputs of all kernels.
bool is_faster_whole(const Pipeline& pipeline, const TileGroup& group, LoopMemory& in_tiles,
                     LoopMemory& whole, const SampleFrames& samples, Time budget) {
  const std::unique_ptr<KernelTrial> tiles = trial_of_tiles(pipeline, group, in_tiles, samples, false);
  std::vector<std::unique_ptr<KernelTrial>> kernels;
  for (const TileGroup::Member& member : group.members)
    kernels.push_back(trial_of_kernel(pipeline, member.stage, whole, samples, false));
  tiles->fill();
  // Other programs only add time, so the fastest iterations count.
  Time of_tiles = Time::max(), of_whole = Time::max();
  for (TrialTurns turns(budget); turns.begin();) {
    const Time tiled = time_of_work(*tiles);
    Time all{0};
    // The first kernel's output is the input of the others and may share memory with its input.
    kernels.front()->fill();
    for (const std::unique_ptr<KernelTrial>& kernel : kernels) all += time_of_work(*kernel);
    if (!turns.counts()) continue;
    of_tiles = std::min(of_tiles, tiled);
    of_whole = std::min(of_whole, all);
  }
  // With a margin: whole frames become slower when another rank is busy.
  return static_cast<double>(of_whole.count()) < (1 - small_share) * static_cast<double>(of_tiles.count());
}

}  // namespace

std::optional<TileGroup> group_from(const Pipeline& pipeline, const Tiling& tiling, std::size_t root) {
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

TriedTiles tiles_that_pay(const Pipeline& given, Bytes cache, const SampleFrames& samples, Time budget) {
  Pipeline pipeline = given;
  TriedTiles tried{.tiling = tile(pipeline, cache)};
  if (given.deployment.tiles) return tried;
  for (std::size_t root = 0; root < pipeline.stages.size(); ++root) {
    // If a group is left whole, other groups may start at the same frame.
    while (const std::optional<TileGroup> group = group_from(pipeline, tried.tiling, root)) {
      LoopMemory in_tiles(pipeline, tried.tiling), whole(pipeline, Tiling(pipeline.stages.size()));
      if (!is_faster_whole(pipeline, *group, in_tiles, whole, samples, budget)) break;
      std::vector<TaskId> members;
      for (const TileGroup::Member& member : group->members) members.emplace_back(member.stage);
      tried.whole.insert(tried.whole.end(), members.begin(), members.end());
      pipeline.keep_whole(members);
      tried.tiling = tile(pipeline, cache);
    }
  }
  return tried;
}

}  // namespace takt::pipeline
