/// Taskflow's Pipeline: each line carries one frame in flight.

#include <memory>
#include <vector>

#include <taskflow/algorithm/pipeline.hpp>
#include <taskflow/taskflow.hpp>

#include "bench/runtime/peer.hpp"

namespace takt::bench {

std::uint64_t run_taskflow(const Case& one) {
  const Frame source(one);
  std::vector<std::unique_ptr<Buffers>> lines;
  for (std::size_t i = 0; i < tokens; ++i) lines.push_back(std::make_unique<Buffers>(one));
  std::uint64_t frames = 0;
  const auto end = Clock::now() + one.duration;
  const tf::PipeType middle = one.is_stateless ? tf::PipeType::PARALLEL : tf::PipeType::SERIAL;
  tf::Pipeline pipeline(
      tokens,
      // The first pipe must be serial; it only hands out frames, as the first filter of oneTBB does.
      tf::Pipe{tf::PipeType::SERIAL,
               [&](tf::Pipeflow& flow) {
                 if (frames % batch == 0 && Clock::now() >= end)
                   flow.stop();
                 else
                   ++frames;
               }},
      tf::Pipe{tf::PipeType::PARALLEL,
               [&](tf::Pipeflow& flow) {
                 run_stage(one.work, source.data(), lines[flow.line()]->a.data(), one.count());
               }},
      tf::Pipe{middle,
               [&](tf::Pipeflow& flow) {
                 Buffers& line = *lines[flow.line()];
                 run_stage(one.work, line.a.data(), line.b.data(), one.count());
               }},
      tf::Pipe{tf::PipeType::PARALLEL, [&](tf::Pipeflow& flow) {
                 Buffers& line = *lines[flow.line()];
                 run_stage(one.work, line.b.data(), line.c.data(), one.count());
               }});
  tf::Taskflow taskflow;
  taskflow.composed_of(pipeline);
  tf::Executor executor(threads);
  executor.run(taskflow).wait();
  return frames;
}

}  // namespace takt::bench
