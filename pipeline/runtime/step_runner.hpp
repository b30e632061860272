#pragma once
/// Runs steps of a rank's program, each with the part for its kind.

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

/// The steps of small frames take 20 to 50 ns each, less than a general step spends on rare cases. So there
/// is one specialisation, `run_common` and `take_common`: a simple step (BoundStep) in an untimed iteration,
/// in the middle of the stream, without parameter updates. It needs a third of the time. The general step
/// handles all other cases, and alone defines what a step does.
class StepRunner {
 public:
  /// All arguments must outlive it.
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
  /// Run a common step of a kernel or a source. Return whether the step was common and is done.
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
