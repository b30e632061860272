#include "pipeline/costs/asynchronous_cost.hpp"

#include <algorithm>
#include <vector>

#include "core/system/clock.hpp"
#include "pipeline/calls/frames_in_flight.hpp"
#include "pipeline/calls/kernel_call.hpp"
#include "pipeline/costs/run_as_measured.hpp"
#include "pipeline/costs/trial_frames.hpp"

namespace takt::pipeline {

void measure_asynchronous(const Pipeline& pipeline, std::size_t stage, const SampleFrames& samples,
                          Time budget, StageCost& cost) {
  const Stage& task = pipeline.stages[stage];
  std::vector<TrialFrame> frames;
  std::vector<FrameBuffer> buffers;
  std::vector<FrameView> inputs;
  frames.reserve(task.inputs.size());
  for (const std::size_t input : task.inputs) {
    TrialFrame& frame = frames.emplace_back(pipeline.stages[input].output.size());
    buffers.push_back(frame.buffer());
    inputs.push_back(frame.view());
  }
  samples.fill(task.inputs, buffers, 0);
  TrialFrame output(task.output.size());
  run_as_measured(task, [&] {
    const std::unique_ptr<Kernel> kernel = pipeline.make_kernel(stage);
    auto& in_flight = dynamic_cast<FramesInFlight&>(*kernel);
    const auto work = [&] {
      begin_work();
      (void)call_kernel(*kernel, {.inputs = inputs, .output = output.buffer(), .has_canary = true});
      for (const FrameBuffer& buffer : buffers) ++buffer.header->sequence;
    };
    const auto repeat = [&](std::size_t least, const auto& frame) {
      const std::int64_t end = now_ns() + budget.count();
      constexpr std::size_t most = 1000;
      for (std::size_t i = 0; i < least || (now_ns() < end && i < most); ++i) frame();
    };
    std::vector<std::int64_t> latencies;
    // A call passes on the frame that was started `depth` calls before.
    repeat(task.depth + 3, [&] {
      work();
      in_flight.wait_for_all();
      latencies.push_back(in_flight.last_duration_ns());
    });
    latencies.erase(latencies.begin(), latencies.begin() + static_cast<std::ptrdiff_t>(task.depth));
    std::ranges::nth_element(latencies,
                             latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() / 2));
    cost.latency = Time(latencies[latencies.size() / 2]);
    for (std::size_t i = 0; i < task.depth; ++i) work();
    std::int64_t count = 0;
    const std::int64_t start = now_ns();
    repeat(2 * task.depth + 3, [&] {
      work();
      ++count;
    });
    cost.interval = Time((now_ns() - start) / count);
  });
}

}  // namespace takt::pipeline
