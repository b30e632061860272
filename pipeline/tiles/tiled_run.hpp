#pragma once
/// Kernels of one rank at work on one frame, tile by tile.

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

/// Kernels that follow one another on a rank, and take their inputs from each other or from one frame.
struct TileGroup {
  struct Member {
    std::size_t stage = 0;
    /// The member whose output it takes; otherwise it takes the root's.
    std::optional<std::size_t> parent;
    Cut input, output;
    /// Whether somebody else needs its output, as a whole frame.
    bool is_kept = false;
  };

  /// The stage whose frame comes in.
  std::size_t root = 0;
  std::vector<Member> members;
};

/// The kernels of cut stages, one for each tile: groups that do the same for different instances of a
/// schedule share them.
class TileKernels {
 public:
  using Kernels = std::vector<std::unique_ptr<Kernel>>;

  /// The pipeline must outlive it. With kernels that were there before, by stage.
  explicit TileKernels(const Pipeline& pipeline, std::vector<Kernels> kept = {});
  /// Makes them at the first call. Throws what a kernel throws, and ConfigError where it does not give equal
  /// parts as it says.
  [[nodiscard]] std::span<const std::unique_ptr<Kernel>> of(const TileGroup::Member& member);
  [[nodiscard]] bool has(std::size_t stage) const { return by_stage_.contains(stage); }
  /// Gives those of a member, if there are any, other parameters (Kernel::change).
  void change(const TileGroup::Member& member, const Parameters& parameters);
  /// All of them, of so many stages, by stage.
  [[nodiscard]] std::vector<Kernels> take(std::size_t stages);

 private:
  const Pipeline& pipeline_;
  std::map<std::size_t, Kernels> by_stage_;
};

/// Where a group's tiles lie: as many places as are in use at once, each as large as its largest tile and a
/// canary behind it.
struct TilePlaces {
  /// By member, then that of the root; nothing where tiles are not copied.
  std::vector<std::optional<std::size_t>> of;
  std::size_t count = 0;
  Bytes size;
};

[[nodiscard]] TilePlaces tile_places(const Pipeline& pipeline, const TileGroup& group);

class TiledRun {
 public:
  /// Calls a kernel of a stage.
  using Caller = std::function<KernelResult(std::size_t stage, Kernel& kernel, const KernelCall& call)>;

  /// All but the kernels must outlive it.
  TiledRun(const Pipeline& pipeline, const TileGroup& group, TileKernels& kernels, Caller caller);

  /// The root's frame, if it is there, and whether it was the last one.
  struct Input {
    FrameView frame;
    bool is_present = false, has_ended = false;
  };
  /// Of one member.
  struct Work {
    /// Where it puts its frame, with a canary behind it, if that is kept.
    FrameBuffer output;
    /// Whether its tiles are copied there past the caches, if they are copied at all.
    bool goes_past_caches = false;
    /// Whether its kernels have given their rest: said by the caller, changed by `run`.
    bool has_finished = false;
    /// Set by `run`: whether there was a frame to work on; whether there is one now; whether nothing more
    /// will come; how long its kernels worked.
    bool was_called = false, is_present = false, has_ended = false;
    std::int64_t time_ns = 0;
  };
  /// Allocates nothing. Throws WorkError when a kernel gives only some parts of a frame.
  void run(const Input& input, std::span<Work> work);

  [[nodiscard]] const TileGroup& group() const { return group_; }

 private:
  struct Member {
    std::span<const std::unique_ptr<Kernel>> kernels;
    TileCopier copier;
    /// Of its output, of this tile.
    FrameHeader header;
    FrameView tile;
    bool is_present = false, gave_rest = false, has_ended = false;
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
