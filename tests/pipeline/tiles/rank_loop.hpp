#pragma once
/// Runs the kernels of a pipeline as one rank does: in these tiles, each output at its place in the rank's
/// memory.

#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/costs/loop_memory.hpp"
#include "pipeline/tiles/tiled_run.hpp"

namespace takt::pipeline::test {

class RankLoop {
 public:
  /// The pipeline must outlive it.
  RankLoop(const Pipeline& pipeline, const Tiling& tiling);

  /// Processes a frame of the first source in this memory; other sources have noise.
  void run(const std::byte* frame);
  /// The same; returns a copy of the output of a stage, empty if it gave none.
  [[nodiscard]] std::vector<std::byte> run(const std::byte* frame, std::size_t stage);

  /// Bytes that kernels read and write for one frame: all of them, and those in whole frames, not in tiles.
  struct Traffic {
    std::uint64_t all = 0, whole = 0;
  };
  [[nodiscard]] Traffic traffic() const;
  /// Returns the number of tiles of each group of kernels.
  [[nodiscard]] std::vector<std::size_t> tiles() const;

 private:
  struct Group {
    TileGroup group;
    std::unique_ptr<TiledRun> run;
    std::vector<TiledRun::Work> work;
  };
  /// A group, or one kernel.
  struct Step {
    std::size_t stage = 0;
    std::unique_ptr<Kernel> kernel;
    std::unique_ptr<Group> group;
  };
  void begin(const std::byte* frame);
  void run(Step& step) { step.group ? run_group(*step.group) : run_kernel(step); }
  void run_kernel(Step& step);
  void run_group(Group& group);

  const Pipeline& pipeline_;
  LoopMemory memory_;
  TileKernels tile_kernels_;
  std::vector<Step> steps_;
  /// By stage.
  std::vector<FrameHeader> headers_;
  std::vector<FrameBuffer> frames_;
  std::vector<bool> is_present_;
  std::vector<FrameView> inputs_;
  std::uint64_t sequence_ = 0;
};

}  // namespace takt::pipeline::test
