#pragma once
/// Frames cut into equal parts along one axis.

#include <array>
#include <cstddef>
#include <span>

#include "sensors/frames/frame.hpp"

namespace takt::pipeline {

struct Cut {
  std::size_t axis = 0;
  std::size_t tiles = 1;
};

/// Whether so many tiles are equal, and the flags of missing parts can be told for each (FrameType::parts).
[[nodiscard]] bool can_cut(const sensors::FrameType& whole, Cut cut);

/// Type of one tile, with its share of the coordinates. The frame must be one that can be cut so.
[[nodiscard]] sensors::FrameType tile_type(const sensors::FrameType& whole, Cut cut, std::size_t tile);

/// Copies tiles out of frames and into them: rows of the axis, as far apart as they are in the frame.
class TileCopier {
 public:
  TileCopier(const sensors::FrameType& whole, Cut cut);

  /// Of one tile, with its flags.
  [[nodiscard]] std::size_t bytes() const;
  /// Of the elements that lie side by side in the frame.
  [[nodiscard]] std::size_t piece_bytes() const { return blocks_.front().piece; }
  /// Whether a tile lies in one piece in its frame, aligned as frames are, and needs no copy.
  [[nodiscard]] bool lies_in_one_piece() const;
  /// Whether a tile is copied into its frame, and all its elements are whole lines of the caches there.
  [[nodiscard]] bool copies_whole_lines() const;
  /// Where such a tile begins.
  [[nodiscard]] std::size_t offset(std::size_t tile) const { return blocks_.front().begin(tile); }

  void out_of(std::span<const std::byte> whole, std::size_t tile, std::byte* to) const;
  void into(std::span<std::byte> whole, std::size_t tile, const std::byte* from) const;
  /// The same past the caches (core/copy_out.hpp), whose copies the caller ends.
  void into_past_caches(std::span<std::byte> whole, std::size_t tile, const std::byte* from) const;

 private:
  template <class Copy>
  void into(std::span<std::byte> whole, std::size_t tile, const std::byte* from, Copy copy) const;

  /// `rows` rows, `stride` bytes apart from `offset` on, of each of which a tile has a piece.
  struct Block {
    std::size_t offset = 0, rows = 0, stride = 0, piece = 0;
    /// Where a tile's first piece is: pieces that several tiles share count for each of them.
    std::size_t tiles_a_piece = 1;
    [[nodiscard]] std::size_t begin(std::size_t tile) const { return offset + tile / tiles_a_piece * piece; }
  };
  /// Elements, then flags.
  std::array<Block, 2> blocks_;
};

}  // namespace takt::pipeline
