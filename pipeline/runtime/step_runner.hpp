#pragma once
/// Goes through steps of a rank's program, each by the part that can do it.

#include <span>

#include "pipeline/runtime/bound_step.hpp"
#include "pipeline/runtime/end_of_stream.hpp"
#include "pipeline/runtime/kernel_runner.hpp"
#include "pipeline/runtime/message_io.hpp"
#include "pipeline/runtime/parameter_tracker.hpp"
#include "pipeline/runtime/rank_state.hpp"
#include "pipeline/runtime/sink_runner.hpp"
#include "pipeline/runtime/source_reader.hpp"
#include "pipeline/runtime/tile_runner.hpp"

namespace takt::pipeline {

/// The steps of small frames take 20 to 50 ns each, less than a general step spends on what hardly ever
/// happens. So there is one specialisation, `run_common` and `take_common`: a simple step (BoundStep) in an
/// iteration that is not timed, in the middle of the stream, without parameter updates. It takes a third of
/// the time, and leaves everything else to the general step, which alone defines what a step does.
class StepRunner {
 public:
  /// All must outlive it.
  StepRunner(RankState& state, const EndOfStream& end, MessageIo& io, SourceReader& sources,
             KernelRunner& kernels, TileRunner& tiles, SinkRunner& sinks, const ParameterTracker& parameters)
      : state_(state),
        end_(end),
        io_(io),
        sources_(sources),
        kernels_(kernels),
        tiles_(tiles),
        sinks_(sinks),
        parameters_(parameters) {}

  void run(std::span<const BoundStep> steps);

 private:
  /// Of a kernel and of a source: whether the step was a common one, and is done.
  bool run_common(const BoundStep& step);
  bool take_common(const BoundStep& step);
  void compute(const BoundStep& step);

  RankState& state_;
  const EndOfStream& end_;
  MessageIo& io_;
  SourceReader& sources_;
  KernelRunner& kernels_;
  TileRunner& tiles_;
  SinkRunner& sinks_;
  const ParameterTracker& parameters_;
};

}  // namespace takt::pipeline
