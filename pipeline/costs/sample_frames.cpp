#include "pipeline/costs/sample_frames.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include "core/system/available_memory.hpp"
#include "pipeline/calls/memory_check.hpp"
#include "pipeline/costs/run_as_measured.hpp"
#include "pipeline/costs/trial_stages.hpp"

namespace takt::pipeline {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t usual_rounds = 64;
/// Bytes of all stored frames, in addition to the last ones.
constexpr std::uint64_t most_kept = 64 << 20;

/// Returns the limit of the bytes of all frames, two for each kernel.
std::uint64_t most_sampled() {
  constexpr std::uint64_t most = 512 << 20, share = 8;
  const std::optional<Bytes> free = available_memory();
  return free ? std::min(most, free->count / share) : most;
}

/// A source or kernel that runs without a plan.
struct Worker {
  std::unique_ptr<sensors::Source> source;
  std::unique_ptr<Kernel> kernel;
  /// The last output, and the buffer for a kernel's next one.
  TrialFrame frame, next;
  std::optional<MemoryCheck> check = {};
  /// Whether this iteration produced a frame, and whether any one did.
  bool is_there = false, has_produced = false;
};

Worker start(const Pipeline& pipeline, std::size_t stage, bool checks_memory) {
  const Bytes size = pipeline.stages[stage].output.size();
  Worker worker{.frame = TrialFrame(size), .next = TrialFrame(size)};
  if (checks_memory) worker.check.emplace(size);
  run_as_measured(pipeline.stages[stage], [&] {
    const AtOtherWork at_work(pipeline.stages[stage].name, Deadline::set_up);
    if (pipeline.stages[stage].kind == StageKind::kernel) {
      worker.kernel = pipeline.make_kernel(stage);
    } else {
      worker.source = make_trial_source(pipeline, stage);
      worker.source->start();
    }
  });
  return worker;
}

/// Returns true if a frame arrived before this moment.
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
    : pipeline_(pipeline), kept_(pipeline.stages.size()) {
  Bytes bytes{0};
  for (const Stage& stage : pipeline.stages)
    if (stage.kind != StageKind::sink) bytes.count += stage.output.size().count;
  if (budget <= Time{0} || bytes.count > most_sampled()) return;
  // Sinks have no output.
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
    const KernelCall call{.inputs = inputs, .output = worker.next.buffer(), .has_canary = true};
    MemoryCheck* const check = worker.check ? &*worker.check : nullptr;
    if (call_kernel(*worker.kernel, call, check).outcome != Outcome::produced) return false;
    std::swap(worker.frame, worker.next);
    return true;
  };
  const auto kept = static_cast<std::size_t>(
      std::clamp<std::uint64_t>(most_kept / std::max<std::uint64_t>(1, bytes.count), 1, usual_rounds));
  const auto end = Clock::now() + budget;
  const auto all_have_given = [&] {
    return std::ranges::all_of(workers, [](const auto& worker) { return !worker || worker->has_produced; });
  };
  for (std::size_t round = 0;
       round == 0 || (Clock::now() < end && (round < usual_rounds || !all_have_given())); ++round)
    for (std::size_t i = 0; i < workers.size(); ++i) {
      if (!workers[i]) continue;
      run_as_measured(pipeline.stages[i], [&] { workers[i]->is_there = work(i, end); });
      workers[i]->has_produced = workers[i]->has_produced || workers[i]->is_there;
      if (workers[i]->is_there) kept_[i].keep(workers[i]->frame.view(), kept);
    }
}

void SampleFrames::Kept::keep(const FrameView& frame, std::size_t most) {
  if (frames.size() < most) frames.emplace_back(Bytes{frame.bytes.size()});
  const FrameBuffer to = frames[given++ % frames.size()].buffer();
  *to.header = *frame.header;
  std::ranges::copy(frame.bytes, to.bytes.begin());
}

void SampleFrames::fill(std::size_t stage, const FrameBuffer& frame) const {
  fill(std::span(&stage, 1), std::span(&frame, 1), 0);
}

void SampleFrames::fill(std::span<const std::size_t> stages, std::span<const FrameBuffer> frames,
                        std::size_t turn) const {
  const std::size_t given = kept_[stages.front()].given;
  const bool are_of_one_round =
      std::ranges::all_of(stages, [&](std::size_t stage) { return kept_[stage].given == given; });
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Kept& kept = kept_[stages[i]];
    if (kept.given == 0) {
      if (turn == 0) fill_with_noise(frames[i], pipeline_.stages[stages[i]].output.element);
      continue;
    }
    const std::size_t all = are_of_one_round ? kept.frames.size() : 1;
    const FrameView frame = kept.frame((all - turn % all) % all);
    const FrameHeader& last = *kept.frame(0).header;
    *frames[i].header = *frame.header;
    frames[i].header->utc_ns = last.utc_ns;
    frames[i].header->first_sample = last.first_sample;
    frames[i].header->epoch = last.epoch;
    if (turn == 0 || all > 1) std::ranges::copy(frame.bytes, frames[i].bytes.begin());
  }
}

}  // namespace takt::pipeline
