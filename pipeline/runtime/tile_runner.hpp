#pragma once
/// Runs kernels that process a frame together, tile by tile.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/runtime/end_of_stream.hpp"
#include "pipeline/runtime/kernel_runner.hpp"
#include "pipeline/runtime/message_io.hpp"
#include "pipeline/runtime/parameter_tracker.hpp"
#include "pipeline/runtime/rank_memory.hpp"
#include "pipeline/runtime/rank_stages.hpp"
#include "pipeline/runtime/rank_state.hpp"
#include "pipeline/tiles/tiled_run.hpp"

namespace takt::pipeline {

class TileRunner {
 public:
  /// All arguments must outlive it.
  TileRunner(RankState& state, RankMemory& memory, EndOfStream& end, RankStages& stages, MessageIo& io,
             KernelRunner& kernels, const ParameterTracker& parameters);
  TileRunner(const TileRunner&) = delete;
  TileRunner& operator=(const TileRunner&) = delete;

  /// Returns the run of a group of RankProgram::tiled.
  [[nodiscard]] TiledRun& run_of(std::size_t group) { return *runs_[group]; }
  /// Runs all steps of a group, beginning with `first`.
  void run(TiledRun& run, const Step& first);

 private:
  /// Passes a pause or the end of the stream on. Returns false if the kernels have work to do.
  bool pass_on_end(const TileGroup& group, std::uint32_t instance, const Datum& root);
  void prepare(const TileGroup& group, std::uint32_t instance, const Datum& root);
  void count(const TileGroup& group, std::uint32_t instance, const Datum& root);

  RankState& state_;
  RankMemory& memory_;
  EndOfStream& end_;
  MessageIo& io_;
  KernelRunner& kernels_;
  const ParameterTracker& parameters_;
  std::vector<std::unique_ptr<TiledRun>> runs_;
  /// Work of the current group, by member, and the number of its frame.
  std::vector<TiledRun::Work> work_;
  std::uint64_t frame_ = 0;
};

}  // namespace takt::pipeline
