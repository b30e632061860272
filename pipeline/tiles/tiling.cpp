#include "pipeline/tiles/tiling.hpp"

#include <algorithm>
#include <numeric>

namespace takt::pipeline {

namespace {

/// Kernels that can share tiles.
struct TileTree {
  struct Member {
    std::size_t stage = 0;
    std::size_t input_axis = 0, output_axis = 0;
  };
  std::vector<Member> members;
  /// The number of tiles must divide this, as tiles divide the axes of all members.
  std::size_t divisor = 0;
};

/// Adds the successors of `stage`, cut along `axis`, and their successors.
void grow(const Pipeline& pipeline, const Tiling& taken, std::size_t stage, std::size_t axis,
          TileTree& tree) {
  tree.divisor = std::gcd(tree.divisor, pipeline.stages[stage].output.axes[axis].size);
  for (std::size_t next = stage + 1; next < pipeline.stages.size(); ++next) {
    const Stage& kernel = pipeline.stages[next];
    if (kernel.kind != StageKind::kernel || taken[next] || kernel.inputs.size() != 1 ||
        kernel.inputs.front() != stage)
      continue;
    const std::optional<std::size_t> output =
        kernel.separable.empty() ? std::nullopt : kernel.separable[axis];
    // The flags of integers would have to be merged.
    if (!output || !kernel.output.parts.empty()) continue;
    tree.members.push_back({next, axis, *output});
    grow(pipeline, taken, next, *output, tree);
  }
}

/// Bytes of all frames, and of a kernel's largest input and output.
struct Footprint {
  std::uint64_t all = 0, largest = 0;
};

Footprint footprint_of(const Pipeline& pipeline, std::size_t root, const TileTree& tree) {
  const auto bytes_of = [&](std::size_t stage) { return pipeline.stages[stage].output.size().count; };
  Footprint footprint{.all = bytes_of(root)};
  for (const TileTree::Member& member : tree.members) {
    footprint.all += bytes_of(member.stage);
    footprint.largest = std::max(
        footprint.largest, bytes_of(member.stage) + bytes_of(pipeline.stages[member.stage].inputs.front()));
  }
  return footprint;
}

const sensors::FrameType& input_of(const Pipeline& pipeline, const TileTree::Member& member) {
  return pipeline.stages[pipeline.stages[member.stage].inputs.front()].output;
}

bool can_be_cut(const Pipeline& pipeline, const TileTree& tree, std::size_t tiles) {
  return std::ranges::all_of(tree.members, [&](const TileTree::Member& member) {
    return can_cut(input_of(pipeline, member), {member.input_axis, tiles});
  });
}

/// Returns true if tiles are copied from and to whole frames in whole cache lines: with shorter pieces each
/// tile also loads lines of other tiles (0135).
bool has_long_pieces(const Pipeline& pipeline, const TileTree& tree, std::size_t tiles) {
  constexpr std::size_t line = 64, small_frame = 64 << 10;
  const auto is_long = [&](const sensors::FrameType& frame, std::size_t axis) {
    return frame.size().count <= small_frame || TileCopier(frame, {axis, tiles}).piece_bytes() >= line;
  };
  return std::ranges::all_of(tree.members, [&](const TileTree::Member& member) {
    return is_long(input_of(pipeline, member), member.input_axis) &&
           is_long(pipeline.stages[member.stage].output, member.output_axis);
  });
}

/// Returns the least number of tiles that fit a core's cache, but not so many that the overhead of calls
/// counts; if the frame cannot be cut so, somewhat larger tiles. 1 if there is no suitable number.
std::size_t suitable_tiles(const Pipeline& pipeline, const TileTree& tree, std::uint64_t bytes, Bytes cache) {
  constexpr std::uint64_t smallest = 64 << 10, slack = 4;
  std::size_t larger = 1;
  for (std::size_t tiles = 2; tiles <= tree.divisor; ++tiles) {
    if (!can_be_cut(pipeline, tree, tiles) || !has_long_pieces(pipeline, tree, tiles)) continue;
    const std::uint64_t tile = bytes / tiles;
    if (tile <= cache.count) return tile >= smallest ? tiles : larger;
    if (tile <= slack * cache.count) larger = tiles;
  }
  return larger;
}

std::size_t tiles_of(const Pipeline& pipeline, std::size_t root, const TileTree& tree, Bytes cache) {
  const Deployment& deployment = pipeline.deployment;
  if (deployment.tiles) return can_be_cut(pipeline, tree, *deployment.tiles) ? *deployment.tiles : 1;
  const Footprint footprint = footprint_of(pipeline, root, tree);
  if (footprint.all <= cache.count) return 1;
  return suitable_tiles(pipeline, tree, footprint.largest, cache);
}

struct CutTree {
  TileTree tree;
  std::size_t tiles = 1;
};

/// Returns the largest tree downstream of a frame that is worth cutting; empty if there is none.
CutTree largest_tree(const Pipeline& pipeline, const Tiling& taken, std::size_t root, Bytes cache) {
  CutTree largest;
  for (std::size_t axis = 0; axis < pipeline.stages[root].output.axes.size(); ++axis) {
    TileTree tree;
    grow(pipeline, taken, root, axis, tree);
    if (tree.members.size() < 2 || tree.members.size() <= largest.tree.members.size()) continue;
    const std::size_t tiles = tiles_of(pipeline, root, tree, cache);
    if (tiles > 1) largest = {std::move(tree), tiles};
  }
  return largest;
}

}  // namespace

Bytes cache_of_a_core() {
  static const Bytes cache = second_cache();
  return cache;
}

Tiling tile(const Pipeline& pipeline, Bytes cache) {
  Tiling tiling(pipeline.stages.size());
  for (std::size_t root = 0; root < pipeline.stages.size(); ++root) {
    // Frames within a group are not the root of another one.
    if (pipeline.stages[root].kind == StageKind::sink || tiling[root]) continue;
    const auto [tree, tiles] = largest_tree(pipeline, tiling, root, cache);
    for (const TileTree::Member& member : tree.members)
      tiling[member.stage] = {root, {member.input_axis, tiles}, {member.output_axis, tiles}};
  }
  return tiling;
}

}  // namespace takt::pipeline
