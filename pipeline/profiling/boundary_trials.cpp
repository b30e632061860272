#include "pipeline/profiling/boundary_trials.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/caches.hpp"
#include "core/kept_affinity.hpp"
#include "pipeline/activity.hpp"
#include "pipeline/canary.hpp"
#include "pipeline/profiling/kernel_trial.hpp"
#include "pipeline/profiling/other_core.hpp"
#include "pipeline/profiling/tile_trials.hpp"
#include "pipeline/profiling/trial_turns.hpp"
#include "pipeline/program/layout.hpp"
#include "pipeline/program/way.hpp"
#include "sensors/frame_memory.hpp"

namespace takt::pipeline {

namespace {

/// The stages of a group that have this member's output, or make something of it.
std::vector<bool> are_behind(const TileGroup& group, std::size_t stage) {
  std::vector<bool> behind(group.members.size());
  for (std::size_t i = 0; i < behind.size(); ++i)
    if (const std::optional<std::size_t> parent = group.members[i].parent)
      behind[i] = behind[*parent] || group.members[*parent].stage == stage;
  return behind;
}

/// The group with these members, whose parents are among them or the root.
TileGroup with_members(const TileGroup& group, std::size_t root, const std::vector<bool>& stays) {
  TileGroup rest{.root = root};
  std::vector<std::size_t> new_place(group.members.size());
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    if (!stays[i]) continue;
    TileGroup::Member member = group.members[i];
    if (member.parent)
      member.parent = stays[*member.parent] ? std::optional(new_place[*member.parent]) : std::nullopt;
    new_place[i] = rest.members.size();
    rest.members.push_back(member);
  }
  return rest;
}

/// What is larger than the largest cache comes from memory wherever it was written: neither end loses
/// anything.
bool is_priced(Bytes size, Bytes cache) {
  return size >= least_priced && size <= cache;
}

/// Whether all large inputs are; of one that is not, nobody says which part it has of what is lost.
bool are_inputs_priced(const Pipeline& pipeline, const Stage& kernel, Bytes cache) {
  bool has_large = false;
  for (const std::size_t input : kernel.inputs) {
    const Bytes size = pipeline.stages[input].output.size();
    if (size < least_priced) continue;
    if (!is_priced(size, cache)) return false;
    has_large = true;
  }
  return has_large;
}

/// Places of a ring, in turn, as a channel has them; of a deep one no more than the caches notice.
class Ring {
 public:
  Ring(const Deployment& deployment, Bytes size, Bytes cache)
      : depth_(std::min(ring_depth(deployment, size.count, 1),
                        std::max<std::size_t>(4, 2 * cache.count / size.count))),
        size_(size.count),
        memory_(depth_, Bytes{size.count + canary_bytes}) {}

  [[nodiscard]] std::size_t depth() const { return depth_; }
  [[nodiscard]] std::span<std::byte> next() { return memory_.frame(turn_++ % depth_).first(size_); }

 private:
  std::size_t depth_, size_;
  sensors::FrameMemory memory_;
  std::size_t turn_ = 0;
};

template <class Work>
Time time_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration_cast<Time>(std::chrono::steady_clock::now() - start);
}

/// One kernel, in its rank's memory (`own`, by itself or in its group) and with messages.
class BoundaryTrial {
 public:
  BoundaryTrial(const Pipeline& pipeline, std::size_t stage, KernelTrial& own,
                const std::optional<TileGroup>& group, LoopMemory& memory, const SampleFrames& samples,
                OtherCore& other, Bytes cache, const std::vector<Way>& ways)
      : pipeline_(pipeline), stage_(stage), own_(own), memory_(memory), other_(other), ways_(ways) {
    const auto trial_of = [&](std::optional<TileGroup> part) {
      // Kernels that are left alone work on whole frames.
      return part && part->members.size() > 1
                 ? trial_of_tiles(pipeline, *std::move(part), memory, samples, false)
                 : trial_of_kernel(pipeline, stage, memory, samples, false);
    };
    const Stage& kernel = pipeline.stages[stage];
    if (are_inputs_priced(pipeline, kernel, cache)) {
      for (const std::size_t input : kernel.inputs) {
        const Bytes size = pipeline.stages[input].output.size();
        if (size < least_priced) continue;
        inputs_.push_back(input);
        rings_.emplace_back(pipeline.deployment, size, cache);
      }
      reader_ = trial_of(group ? std::optional(branch_from(pipeline, *group, stage)) : group);
    }
    if (!is_priced(kernel.output.size(), cache)) return;
    output_.emplace(pipeline.deployment, kernel.output.size(), cache);
    writer_ = trial_of(group ? std::optional(trunk_to(*group, stage)) : group);
    writing_[Way::in_place];
    is_whole_ = !group;
    if (is_whole_) writing_[Way::copied];
    if (is_whole_ || copies_whole_lines(*group)) writing_[Way::past_caches];
  }
  ~BoundaryTrial() { take_back(); }
  BoundaryTrial(const BoundaryTrial&) = delete;
  BoundaryTrial& operator=(const BoundaryTrial&) = delete;

  void fill() {
    own_.fill();
    if (reader_)
      for (std::size_t turn = 0; turn < largest_depth(); ++turn) {
        put_inputs_outside();
        reader_->fill();
      }
    take_back();
    if (writer_) writer_->fill();
  }
  /// A frame each way.
  void turn(bool is_kept) {
    const Time own = time_of_stage(own_);
    if (is_kept) alone_.push_back(own);
    if (reader_) {
      put_inputs_outside();
      for (const std::size_t input : inputs_) write_elsewhere(input);
      const Time time = time_of_stage(*reader_);
      take_back();
      if (is_kept) reading_.push_back(time);
    }
    for (auto& [way, times] : writing_) {
      const std::span<std::byte> place = output_->next();
      const Time time = is_copy(way) ? time_of_copy(way, place) : time_of_output(way, place);
      other_.read(place);
      if (is_kept) times.push_back(time);
    }
  }
  /// And the way in which both ends together lose least, as the run chooses it (engine/passage.hpp).
  void put_result_into(StageCost& cost, Way& best) const {
    const Time alone = median(alone_);
    if (reader_) cost.reading = std::max(Time{0}, median(reading_) - alone);
    std::optional<Time> least;
    for (const auto& [way, times] : writing_) {
      const Time price = std::max(Time{0}, median(times) - (is_copy(way) ? Time{0} : alone));
      const Time of_both = price + Time(lost_by_reader_ns(way, pipeline_.stages[stage_].output.size().count));
      if (least && of_both >= *least) continue;
      least = of_both;
      cost.writing = price;
      best = way;
    }
  }

 private:
  [[nodiscard]] std::size_t largest_depth() const {
    return std::ranges::max_element(rings_, {}, &Ring::depth)->depth();
  }
  void put_inputs_outside() {
    for (std::size_t i = 0; i < inputs_.size(); ++i) memory_.put_outside(inputs_[i], rings_[i].next());
  }
  [[nodiscard]] bool is_copy(Way way) const { return is_whole_ && way != Way::in_place; }
  /// As the rank that makes it does.
  void write_elsewhere(std::size_t input) {
    const std::span<std::byte> place = memory_.frame(input).bytes;
    if (ways_[input] == Way::past_caches)
      other_.write_past_caches(place);
    else
      other_.write(place);
  }
  Time time_of_copy(Way way, std::span<std::byte> place) {
    Time time{0};
    own_.measure([&] {
      const std::byte* const made = memory_.frame(stage_).bytes.data();
      time = time_of([&] { copy_by(way, place, made); });
    });
    return time;
  }
  Time time_of_output(Way way, std::span<std::byte> place) {
    memory_.put_outside(stage_, place, way == Way::past_caches);
    const Time time = time_of_stage(*writer_);
    take_back();
    return time;
  }
  [[nodiscard]] bool copies_whole_lines(const TileGroup& group) const {
    const auto member = std::ranges::find(group.members, stage_, &TileGroup::Member::stage);
    return TileCopier(pipeline_.stages[stage_].output, member->output).copies_whole_lines();
  }
  void take_back() {
    for (const std::size_t input : inputs_) memory_.take_back(input);
    memory_.take_back(stage_);
  }
  /// Of a call of a trial, what this stage took.
  Time time_of_stage(KernelTrial& trial) {
    Time taken{0};
    trial.measure([&] {
      trial.prepare();
      begin_work();
      taken = time_of([&] { trial.work(); });
    });
    const std::vector<Time> parts = trial.parts();
    if (parts.empty()) return taken;
    const std::span<const std::size_t> stages = trial.stages();
    return parts[static_cast<std::size_t>(std::ranges::find(stages, stage_) - stages.begin())];
  }

  const Pipeline& pipeline_;
  std::size_t stage_;
  KernelTrial& own_;
  LoopMemory& memory_;
  OtherCore& other_;
  std::unique_ptr<KernelTrial> reader_, writer_;
  std::vector<std::size_t> inputs_;
  std::vector<Ring> rings_;
  std::optional<Ring> output_;
  /// Of each stage's output, as far as they are known.
  const std::vector<Way>& ways_;
  /// Whether its output is made as a whole, not by tiles: then it may be made elsewhere, and copied.
  bool is_whole_ = false;
  std::vector<Time> alone_, reading_;
  std::map<Way, std::vector<Time>> writing_;
};

}  // namespace

TileGroup branch_from(const Pipeline& pipeline, const TileGroup& group, std::size_t stage) {
  std::vector<bool> stays = are_behind(group, stage);
  for (std::size_t i = 0; i < stays.size(); ++i)
    if (group.members[i].stage == stage) stays[i] = true;
  return with_members(group, pipeline.stages[stage].inputs.front(), stays);
}

TileGroup trunk_to(const TileGroup& group, std::size_t stage) {
  std::vector<bool> stays = are_behind(group, stage);
  stays.flip();
  TileGroup trunk = with_members(group, group.root, stays);
  for (TileGroup::Member& member : trunk.members)
    if (member.stage == stage) member.is_kept = true;
  return trunk;
}

void measure_boundaries(const Pipeline& pipeline, const Tiling& tiling, LoopMemory& memory,
                        const SampleFrames& samples, Time budget, std::vector<StageCost>& costs) {
  const std::optional<Bytes> cache = largest_cache();
  if (!cache) return;
  const KeptAffinity kept;
  const std::optional<std::size_t> processor = keep_to_one_processor();
  if (!processor) return;
  OtherCore other(*processor);
  // A stage comes behind those that make its inputs.
  std::vector<Way> ways(pipeline.stages.size(), Way::in_place);
  // By the frame that they begin at.
  std::map<std::size_t, std::unique_ptr<KernelTrial>> groups;
  for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage) {
    const Stage& kernel = pipeline.stages[stage];
    if (kernel.kind != StageKind::kernel ||
        (!are_inputs_priced(pipeline, kernel, *cache) && !is_priced(kernel.output.size(), *cache)))
      continue;
    std::optional<TileGroup> group;
    std::unique_ptr<KernelTrial> alone;
    if (tiling[stage]) {
      group = group_behind(pipeline, tiling, tiling[stage]->group);
      std::unique_ptr<KernelTrial>& of_group = groups[group->root];
      if (!of_group) of_group = trial_of_tiles(pipeline, *group, memory, samples, false);
    } else {
      alone = trial_of_kernel(pipeline, stage, memory, samples, false);
    }
    KernelTrial& own = group ? *groups[group->root] : *alone;
    BoundaryTrial trial(pipeline, stage, own, group, memory, samples, other, *cache, ways);
    trial.fill();
    for (TrialTurns turns(budget); turns.begin();) trial.turn(turns.counts());
    trial.put_result_into(costs[stage], ways[stage]);
  }
}

}  // namespace takt::pipeline
