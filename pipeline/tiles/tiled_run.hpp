#pragma once
/// Runs the kernels of one rank on one frame, tile by tile.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/calls/kernel_call.hpp"
#include "pipeline/tiles/tiling.hpp"
#include "sensors/frames/frame_memory.hpp"

namespace takt::pipeline {

/// Consecutive kernels of a rank whose inputs come from each other or from one frame.
struct TileGroup {
  struct Member {
    std::size_t stage = 0;
    /// The member whose output it consumes; nothing: the root's.
    std::optional<std::size_t> parent;
    Cut input, output;
    /// True if a stage outside the group needs its output as a whole frame.
    bool is_kept = false;
  };

  /// The stage that produces the input frame.
  std::size_t root = 0;
  std::vector<Member> members;
};

/// Kernels of tiled stages, one for each tile. Groups with the same stages in different instances of a
/// schedule share them.
class TileKernels {
 public:
  using Kernels = std::vector<std::unique_ptr<Kernel>>;

  /// The pipeline must outlive it. `kept`: existing kernels, by stage.
  explicit TileKernels(const Pipeline& pipeline, std::vector<Kernels> kept = {});
  /// Returns the kernels of a member; makes them at the first call. Throws what a kernel throws, and
  /// ConfigError if its output does not consist of equal parts as it claims.
  [[nodiscard]] std::span<const std::unique_ptr<Kernel>> of(const TileGroup::Member& member);
  [[nodiscard]] bool has(std::size_t stage) const { return by_stage_.contains(stage); }
  /// Changes the parameters of a member's kernels, if they exist (Kernel::change).
  void change(const TileGroup::Member& member, const Parameters& parameters);
  /// Moves all kernels out, by stage.
  [[nodiscard]] std::vector<Kernels> take(std::size_t stages);

 private:
  const Pipeline& pipeline_;
  std::map<std::size_t, Kernels> by_stage_;
};

/// Places of a group's tiles: as many as are in use together, each as large as the largest tile and its
/// canary.
struct TilePlaces {
  /// By member, then that of the root; nothing if tiles are not copied.
  std::vector<std::optional<std::size_t>> of;
  std::size_t count = 0;
  Bytes size;
};

[[nodiscard]] TilePlaces tile_places(const Pipeline& pipeline, const TileGroup& group);

class TiledRun {
 public:
  /// Calls a kernel of a stage.
  using Caller = std::function<KernelResult(std::size_t stage, Kernel& kernel, const KernelCall& call)>;

  /// All arguments except the kernels must outlive it.
  TiledRun(const Pipeline& pipeline, const TileGroup& group, TileKernels& kernels, Caller caller);

  /// The root's frame, if present, and the end of the stream.
  struct Input {
    FrameView frame;
    bool is_present = false, has_ended = false;
  };
  /// Work of one member.
  struct Work {
    /// The buffer for its whole frame, with a canary after it, if `is_kept`.
    FrameBuffer output;
    /// True if its tiles, if copied, are written there with non-temporal stores.
    bool bypasses_caches = false;
    /// True if its kernels have been flushed: set by the caller, changed by `run`.
    bool has_finished = false;
    /// Results of `run`: whether there was an input frame, whether there is an output frame, whether the
    /// output has ended, and the time of its kernels.
    bool was_called = false, is_present = false, has_ended = false;
    std::int64_t time_ns = 0;
  };
  /// Allocates nothing. Throws WorkError when a kernel produces only some parts of a frame.
  void run(const Input& input, std::span<Work> work);

  [[nodiscard]] const TileGroup& group() const { return group_; }

 private:
  struct Member {
    std::span<const std::unique_ptr<Kernel>> kernels;
    TileCopier copier;
    /// Header of its output for the current tile.
    FrameHeader header;
    FrameView tile;
    bool is_present = false, has_flushed = false, has_ended = false;
  };
  void take_root(std::size_t tile, const Input& input);
  void run_member(std::size_t index, std::size_t tile, const Input& input, Work& work);

  const Pipeline& pipeline_;
  const TileGroup& group_;
  Caller caller_;
  std::size_t tiles_;
  TileCopier root_copier_;
  TilePlaces places_;
  sensors::FrameMemory memory_;
  std::vector<Member> members_;
  FrameView root_tile_;
};

}  // namespace takt::pipeline
