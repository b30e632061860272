#include "pipeline/planning/sample_frames.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include "pipeline/memory_check.hpp"
#include "pipeline/planning/memory_room.hpp"
#include "pipeline/planning/run_as_measured.hpp"
#include "pipeline/planning/trial_stages.hpp"

namespace takt::pipeline {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t usual_rounds = 16;

/// Of all frames, of which each kernel has two.
std::uint64_t most_sampled() {
  constexpr std::uint64_t most = 512 << 20, share = 8;
  const std::optional<Bytes> free = free_memory();
  return free ? std::min(most, free->count / share) : most;
}

/// A source or kernel at work without a plan.
struct Worker {
  std::unique_ptr<sensors::Source> source;
  std::unique_ptr<Kernel> kernel;
  /// What it gave last; and where a kernel makes the next one, if it gives one.
  TrialFrame frame, next;
  std::optional<MemoryCheck> check = {};
  /// Whether its frame is one of this round; and whether it has ever given one.
  bool is_there = false, has_given = false;
};

Worker start(const Pipeline& pipeline, std::size_t stage, bool checks_memory) {
  const Bytes size = pipeline.stages[stage].output.size();
  Worker worker{.frame = TrialFrame(size), .next = TrialFrame(size)};
  if (checks_memory) worker.check.emplace(size);
  run_as_measured(pipeline.stages[stage], [&] {
    if (pipeline.stages[stage].kind == StageKind::kernel) {
      worker.kernel = pipeline.make_kernel(stage);
    } else {
      worker.source = make_trial_source(pipeline, stage);
      worker.source->start();
    }
  });
  return worker;
}

/// Whether there was a frame before this moment.
bool take_frame(Worker& worker, Clock::time_point end) {
  const FrameBuffer own = worker.frame.buffer();
  FrameView frame;
  sensors::SourceState state = worker.source->poll(frame);
  while (state == sensors::SourceState::waiting && Clock::now() < end) state = worker.source->poll(frame);
  if (state != sensors::SourceState::frame) return false;
  *own.header = *frame.header;
  std::ranges::copy(frame.bytes, own.bytes.begin());
  worker.source->release();
  return true;
}

}  // namespace

SampleFrames::SampleFrames(const Pipeline& pipeline, Time budget, bool checks_memory)
    : pipeline_(pipeline), frames_(pipeline.stages.size()) {
  Bytes bytes{0};
  for (const Stage& stage : pipeline.stages)
    if (stage.kind != StageKind::sink) bytes.count += stage.output.size().count;
  if (budget <= Time{0} || bytes.count > most_sampled()) return;
  // Sinks give nothing.
  std::vector<std::optional<Worker>> workers(pipeline.stages.size());
  for (std::size_t i = 0; i < workers.size(); ++i)
    if (pipeline.stages[i].kind != StageKind::sink) workers[i].emplace(start(pipeline, i, checks_memory));

  const auto work = [&](std::size_t stage, Clock::time_point end) {
    Worker& worker = *workers[stage];
    if (worker.source) return take_frame(worker, end);
    std::vector<FrameView> inputs;
    for (const std::size_t input : pipeline.stages[stage].inputs) {
      if (!workers[input]->is_there) return false;
      inputs.push_back(workers[input]->frame.view());
    }
    const KernelCall call{.inputs = inputs, .output = worker.next.buffer()};
    MemoryCheck* const check = worker.check ? &*worker.check : nullptr;
    if (call_kernel(*worker.kernel, call, check).outcome != Outcome::produced) return false;
    std::swap(worker.frame, worker.next);
    return true;
  };
  const auto end = Clock::now() + budget;
  const auto all_have_given = [&] {
    return std::ranges::all_of(workers, [](const auto& worker) { return !worker || worker->has_given; });
  };
  for (std::size_t round = 0;
       round == 0 || (Clock::now() < end && (round < usual_rounds || !all_have_given())); ++round)
    for (std::size_t i = 0; i < workers.size(); ++i) {
      if (!workers[i]) continue;
      run_as_measured(pipeline.stages[i], [&] { workers[i]->is_there = work(i, end); });
      workers[i]->has_given = workers[i]->has_given || workers[i]->is_there;
    }
  for (std::size_t i = 0; i < workers.size(); ++i)
    if (workers[i] && workers[i]->has_given) frames_[i].emplace(std::move(workers[i]->frame));
}

void SampleFrames::fill(std::size_t stage, const FrameBuffer& frame) const {
  const std::optional<TrialFrame>& sample = frames_[stage];
  if (!sample) return fill_with_noise(frame, pipeline_.stages[stage].output.element);
  *frame.header = *sample->view().header;
  std::ranges::copy(sample->view().bytes, frame.bytes.begin());
}

}  // namespace takt::pipeline
