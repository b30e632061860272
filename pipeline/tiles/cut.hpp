#pragma once
/// Cuts frames into equal parts (tiles) along one axis.

#include <array>
#include <cstddef>
#include <span>

#include "sensors/frames/frame.hpp"

namespace takt::pipeline {

struct Cut {
  std::size_t axis = 0;
  std::size_t tiles = 1;
};

/// Returns true if the tiles are equal, and each has its own flags of missing parts (FrameType::parts).
[[nodiscard]] bool can_cut(const sensors::FrameType& whole, Cut cut);

/// Returns the type of one tile, with its share of the coordinates; tiles in time have a higher rate than
/// frames. can_cut must be true for the frame.
[[nodiscard]] sensors::FrameType tile_type(const sensors::FrameType& whole, Cut cut, std::size_t tile);

/// Copies tiles out of frames and into them: rows of the axis, with the stride of the frame.
class TileCopier {
 public:
  TileCopier(const sensors::FrameType& whole, Cut cut);

  /// Returns the bytes of one tile, with its flags.
  [[nodiscard]] std::size_t bytes() const;
  /// Returns the bytes of elements that are contiguous in the frame.
  [[nodiscard]] std::size_t piece_bytes() const { return blocks_.front().piece; }
  /// Returns true if a tile is contiguous in its frame, aligned like frames, and needs no copy.
  [[nodiscard]] bool is_contiguous() const;
  /// Returns true if a tile is copied into its frame, and all its elements are whole cache lines there.
  [[nodiscard]] bool copies_whole_lines() const;
  /// Returns the offset of a contiguous tile.
  [[nodiscard]] std::size_t offset(std::size_t tile) const { return blocks_.front().begin(tile); }

  void out_of(std::span<const std::byte> whole, std::size_t tile, std::byte* to) const;
  void into(std::span<std::byte> whole, std::size_t tile, const std::byte* from) const;
  /// Copies with non-temporal stores (core/copy_out.hpp); the caller ends them with a fence.
  void into_past_caches(std::span<std::byte> whole, std::size_t tile, const std::byte* from) const;

 private:
  template <class Copy>
  void into(std::span<std::byte> whole, std::size_t tile, const std::byte* from, Copy copy) const;

  /// `rows` rows with a distance of `stride` bytes, from `offset` on; a tile has a piece of each row.
  struct Block {
    std::size_t offset = 0, rows = 0, stride = 0, piece = 0;
    /// Number of tiles that share a piece; determines where a tile's first piece begins.
    std::size_t tiles_per_piece = 1;
    [[nodiscard]] std::size_t begin(std::size_t tile) const {
      return offset + tile / tiles_per_piece * piece;
    }
  };
  /// Elements, then flags.
  std::array<Block, 2> blocks_;
};

}  // namespace takt::pipeline
