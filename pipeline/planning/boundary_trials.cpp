#include "pipeline/planning/boundary_trials.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "core/caches.hpp"
#include "core/copy_out.hpp"
#include "core/kept_affinity.hpp"
#include "pipeline/activity.hpp"
#include "pipeline/planning/kernel_trial.hpp"
#include "pipeline/planning/other_core.hpp"
#include "pipeline/planning/tile_trials.hpp"
#include "pipeline/planning/trial_turns.hpp"
#include "pipeline/program/layout.hpp"
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

bool is_priced(Bytes size) {
  const std::optional<Bytes> cache = largest_cache();
  return size >= least_priced && (!cache || size <= *cache);
}

/// Of a kernel, whether any of its frames is.
bool is_priced(const Pipeline& pipeline, std::size_t kernel) {
  const Stage& stage = pipeline.stages[kernel];
  return is_priced(stage.output.size()) || std::ranges::any_of(stage.inputs, [&](std::size_t input) {
           return is_priced(pipeline.stages[input].output.size());
         });
}

/// Places of a ring, in turn, as a channel has them.
class Ring {
 public:
  Ring(const Deployment& deployment, Bytes size)
      : depth_(ring_depth(deployment, size.count, 1)), memory_(depth_, size) {}

  [[nodiscard]] std::size_t depth() const { return depth_; }
  [[nodiscard]] std::span<std::byte> next() { return memory_.frame(turn_++ % depth_); }

 private:
  std::size_t depth_;
  sensors::FrameMemory memory_;
  std::size_t turn_ = 0;
};

template <class Work>
Time time_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration_cast<Time>(std::chrono::steady_clock::now() - start);
}

/// One kernel, in its rank's memory and with messages.
class BoundaryTrial {
 public:
  BoundaryTrial(const Pipeline& pipeline, std::size_t stage, const std::optional<TileGroup>& group,
                LoopMemory& memory, const SampleFrames& samples, OtherCore& other)
      : pipeline_(pipeline), stage_(stage), memory_(memory), other_(other) {
    const auto trial_of = [&](std::optional<TileGroup> part) {
      // Kernels that are left alone work on whole frames.
      return part && part->members.size() > 1
                 ? trial_of_tiles(pipeline, *std::move(part), memory, samples, false)
                 : trial_of_kernel(pipeline, stage, memory, samples, false);
    };
    own_ = group ? trial_of_tiles(pipeline, *group, memory, samples, false)
                 : trial_of_kernel(pipeline, stage, memory, samples, false);
    for (const std::size_t input : of_stage().inputs)
      if (is_priced(pipeline.stages[input].output.size())) {
        inputs_.push_back(input);
        rings_.emplace_back(pipeline.deployment, pipeline.stages[input].output.size());
      }
    if (!inputs_.empty())
      reader_ = trial_of(group ? std::optional(branch_from(pipeline, *group, stage)) : group);
    if (!is_priced(of_stage().output.size())) return;
    output_.emplace(pipeline.deployment, of_stage().output.size());
    writer_ = trial_of(group ? std::optional(trunk_to(*group, stage)) : group);
    may_copy_ = !group;
  }
  ~BoundaryTrial() { take_back(); }
  BoundaryTrial(const BoundaryTrial&) = delete;
  BoundaryTrial& operator=(const BoundaryTrial&) = delete;

  void fill() {
    own_->fill();
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
    const Time own = time_of_stage(*own_, [] {});
    if (is_kept) alone_.push_back(own);
    if (reader_) {
      put_inputs_outside();
      const Time time = time_of_stage(*reader_, [&] {
        for (const std::size_t input : inputs_) other_.write(memory_.frame(input).bytes);
      });
      take_back();
      if (is_kept) reading_.push_back(time);
    }
    if (writer_) {
      const std::span<std::byte> place = output_->next();
      if (may_copy_) {
        own_->measure([&] {
          const std::span<std::byte> made = memory_.frame(stage_).bytes;
          const Time time = time_of([&] { copy_out(place.data(), made.data(), made.size()); });
          if (is_kept) copying_.push_back(time);
        });
        other_.read(place);
      }
      const std::span<std::byte> next = output_->next();
      memory_.put_outside(stage_, next);
      const Time time = time_of_stage(*writer_, [] {});
      take_back();
      other_.read(next);
      if (is_kept) writing_.push_back(time);
    }
  }
  [[nodiscard]] StageCost::Boundary result() {
    const Time alone = median(alone_);
    StageCost::Boundary boundary;
    if (reader_) boundary.reading = std::max(Time{0}, median(reading_) - alone);
    if (writer_) boundary.writing = std::max(Time{0}, median(writing_) - alone);
    // The run does whichever is faster (engine/passage.hpp).
    if (!copying_.empty()) boundary.writing = std::min(boundary.writing, median(copying_));
    return boundary;
  }

 private:
  [[nodiscard]] const Stage& of_stage() const { return pipeline_.stages[stage_]; }
  [[nodiscard]] std::size_t largest_depth() const {
    return std::ranges::max_element(rings_, {}, &Ring::depth)->depth();
  }
  void put_inputs_outside() {
    for (std::size_t i = 0; i < inputs_.size(); ++i) memory_.put_outside(inputs_[i], rings_[i].next());
  }
  void take_back() {
    for (const std::size_t input : inputs_) memory_.take_back(input);
    memory_.take_back(stage_);
  }
  /// Of a call of a trial, what this stage took.
  template <class Before>
  Time time_of_stage(KernelTrial& trial, Before before_call) {
    Time taken{0};
    trial.measure([&] {
      trial.prepare();
      before_call();
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
  LoopMemory& memory_;
  OtherCore& other_;
  std::unique_ptr<KernelTrial> own_, reader_, writer_;
  std::vector<std::size_t> inputs_;
  std::vector<Ring> rings_;
  std::optional<Ring> output_;
  bool may_copy_ = false;
  std::vector<Time> alone_, reading_, writing_, copying_;
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
  const KeptAffinity kept;
  const std::optional<std::size_t> processor = keep_to_one_processor();
  if (!processor) return;
  OtherCore other(*processor);
  for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage) {
    if (pipeline.stages[stage].kind != StageKind::kernel || !is_priced(pipeline, stage)) continue;
    const std::optional<TileGroup> group =
        tiling[stage] ? group_behind(pipeline, tiling, tiling[stage]->group) : std::nullopt;
    BoundaryTrial trial(pipeline, stage, group, memory, samples, other);
    trial.fill();
    for (TrialTurns turns(budget); turns.begin();) trial.turn(turns.counts());
    costs[stage].boundary = trial.result();
  }
}

}  // namespace takt::pipeline
