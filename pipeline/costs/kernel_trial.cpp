#include "pipeline/costs/kernel_trial.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "pipeline/calls/frames_in_flight.hpp"
#include "pipeline/calls/memory_check.hpp"

namespace takt::pipeline {

namespace {

std::optional<MemoryCheck> check_of(bool checks_memory, const Stage& stage) {
  return checks_memory ? std::optional<MemoryCheck>(std::in_place, stage.output.size()) : std::nullopt;
}

class OneKernel : public KernelTrial {
 public:
  OneKernel(const Pipeline& pipeline, std::size_t stage, LoopMemory& memory, const SampleFrames& samples,
            bool checks_memory)
      : pipeline_(pipeline),
        stage_{stage},
        memory_(memory),
        samples_(samples),
        headers_(pipeline.stages[stage].inputs.size()),
        check_(check_of(checks_memory, pipeline.stages[stage])) {
    run_as_measured(pipeline.stages[stage], [&] { kernel_ = pipeline.make_kernel(stage); });
  }

  [[nodiscard]] std::span<const std::size_t> stages() const override { return stage_; }
  void fill(std::size_t turn) override {
    filled_.clear();
    for (const std::size_t input : stage().inputs) filled_.push_back(memory_.frame(input));
    samples_.fill(stage().inputs, filled_, turn);
    for (std::size_t i = 0; i < headers_.size(); ++i) headers_[i] = *filled_[i].header;
  }
  void prepare() override {
    memory_.run_others(stage_);
    inputs_.clear();
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      const FrameBuffer frame = memory_.frame(stage().inputs[i]);
      *frame.header = headers_[i];
      frame.header->sequence = sequence_;
      inputs_.push_back({frame.header, frame.bytes});
    }
    output_ = memory_.frame(stage_.front());
    ++sequence_;
    if (FramesInFlight* const frames = frames_in_flight(*kernel_)) frames->wait_for_all();
  }
  void work() override {
    result_ = call_kernel(*kernel_, {.inputs = inputs_, .output = output_, .has_canary = true},
                          check_ ? &*check_ : nullptr);
  }
  [[nodiscard]] bool gave(std::size_t) const override { return result_.outcome != Outcome::absorbed; }
  void measure(const std::function<void()>& all) override { run_as_measured(stage(), all); }

 private:
  [[nodiscard]] const Stage& stage() const { return pipeline_.stages[stage_.front()]; }

  const Pipeline& pipeline_;
  std::array<std::size_t, 1> stage_;
  LoopMemory& memory_;
  const SampleFrames& samples_;
  /// Headers of its inputs.
  std::vector<FrameHeader> headers_;
  std::unique_ptr<Kernel> kernel_;
  std::optional<MemoryCheck> check_;
  std::vector<FrameView> inputs_;
  std::vector<FrameBuffer> filled_;
  FrameBuffer output_;
  KernelResult result_;
  std::uint64_t sequence_ = 0;
};

/// Kernels connected by tiles, each measured within its group as in a run.
class Tiles : public KernelTrial {
 public:
  Tiles(const Pipeline& pipeline, TileGroup group, LoopMemory& memory, const SampleFrames& samples,
        bool checks_memory)
      : pipeline_(pipeline),
        group_(std::move(group)),
        memory_(memory),
        samples_(samples),
        kernels_(pipeline),
        checks_(pipeline.stages.size()) {
    for (const TileGroup::Member& member : group_.members) {
      const Stage& stage = pipeline.stages[member.stage];
      stages_.push_back(member.stage);
      run_as_measured(stage, [&] { (void)kernels_.of(member).size(); });
      checks_[member.stage] = check_of(checks_memory, stage);
    }
    work_.resize(stages_.size());
    run_.emplace(pipeline, group_, kernels_,
                 [this](std::size_t stage, Kernel& kernel, const KernelCall& call) {
                   return call_member(stage, kernel, call);
                 });
  }

  [[nodiscard]] std::span<const std::size_t> stages() const override { return stages_; }
  void fill(std::size_t turn) override {
    const FrameBuffer frame = memory_.frame(group_.root);
    samples_.fill(std::span(&group_.root, 1), std::span(&frame, 1), turn);
    header_ = *frame.header;
  }
  void prepare() override {
    memory_.run_others(stages_);
    root_ = memory_.frame(group_.root);
    *root_.header = header_;
    root_.header->sequence = ++sequence_;
    for (std::size_t i = 0; i < work_.size(); ++i) {
      work_[i] = {};
      if (memory_.has_frame(stages_[i])) work_[i].output = memory_.frame(stages_[i]);
    }
  }
  /// Each kernel registers its own task.
  void work() override { run_->run({{root_.header, root_.bytes}, true, false}, work_); }
  [[nodiscard]] std::vector<Time> parts() const override {
    std::vector<Time> parts;
    if (work_.size() > 1)
      for (const TiledRun::Work& part : work_) parts.emplace_back(part.was_called ? part.time_ns : 0);
    return parts;
  }
  [[nodiscard]] bool gave(std::size_t i) const override { return work_[i].was_called && work_[i].is_present; }

 private:
  KernelResult call_member(std::size_t stage, Kernel& kernel, const KernelCall& call) {
    std::optional<MemoryCheck>& check = checks_[stage];
    KernelResult result{};
    run_as_measured(pipeline_.stages[stage],
                    [&] { result = call_kernel(kernel, call, check ? &*check : nullptr); });
    return result;
  }

  const Pipeline& pipeline_;
  TileGroup group_;
  LoopMemory& memory_;
  const SampleFrames& samples_;
  TileKernels kernels_;
  std::vector<std::optional<MemoryCheck>> checks_;
  std::vector<std::size_t> stages_;
  FrameBuffer root_;
  FrameHeader header_;
  std::uint64_t sequence_ = 0;
  std::vector<TiledRun::Work> work_;
  std::optional<TiledRun> run_;
};

}  // namespace

std::unique_ptr<KernelTrial> trial_of_kernel(const Pipeline& pipeline, std::size_t stage, LoopMemory& memory,
                                             const SampleFrames& samples, bool checks_memory) {
  return std::make_unique<OneKernel>(pipeline, stage, memory, samples, checks_memory);
}

std::unique_ptr<KernelTrial> trial_of_tiles(const Pipeline& pipeline, TileGroup group, LoopMemory& memory,
                                            const SampleFrames& samples, bool checks_memory) {
  return std::make_unique<Tiles>(pipeline, std::move(group), memory, samples, checks_memory);
}

}  // namespace takt::pipeline
