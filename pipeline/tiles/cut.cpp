#include "pipeline/tiles/cut.hpp"

#include <cstring>
#include <stdexcept>

#include "core/copy_out.hpp"
#include "sensors/frames/frame_time.hpp"

namespace takt::pipeline {

namespace {

/// Bytes of a cache line.
constexpr std::size_t line = 64;

/// Returns the number of parts of an axis with separate flags.
std::size_t parts_of(const sensors::FrameType& type, std::size_t axis) {
  return axis < type.parts.size() ? type.parts[axis] : 1;
}

}  // namespace

bool can_cut(const sensors::FrameType& whole, Cut cut) {
  if (cut.axis >= whole.axes.size() || cut.tiles == 0 || whole.axes[cut.axis].size % cut.tiles != 0)
    return false;
  const std::size_t parts = parts_of(whole, cut.axis);
  return parts % cut.tiles == 0 || cut.tiles % parts == 0;
}

sensors::FrameType tile_type(const sensors::FrameType& whole, Cut cut, std::size_t tile) {
  if (!can_cut(whole, cut)) throw std::logic_error("invalid tiles: " + whole.to_string());
  sensors::FrameType type = whole;
  sensors::Axis& axis = type.axes[cut.axis];
  axis.size /= cut.tiles;
  if (!axis.coordinates.empty()) {
    const auto first =
        whole.axes[cut.axis].coordinates.begin() + static_cast<std::ptrdiff_t>(tile * axis.size);
    axis.coordinates.assign(first, first + static_cast<std::ptrdiff_t>(axis.size));
  }
  if (sensors::is_in_time(axis.name)) type.rate_hz *= static_cast<double>(cut.tiles);
  if (cut.axis < type.parts.size())
    type.parts[cut.axis] = type.parts[cut.axis] % cut.tiles == 0 ? type.parts[cut.axis] / cut.tiles : 1;
  return type;
}

TileCopier::TileCopier(const sensors::FrameType& whole, Cut cut) {
  const sensors::FrameType tile = tile_type(whole, cut, 0);
  Block& elements = blocks_[0];
  Block& flags = blocks_[1];
  elements.rows = 1;
  flags.rows = whole.parts.empty() ? 0 : 1;
  for (std::size_t axis = 0; axis < cut.axis; ++axis) {
    elements.rows *= whole.axes[axis].size;
    flags.rows *= parts_of(whole, axis);
  }
  elements.stride = whole.data_size().count / elements.rows;
  elements.piece = tile.data_size().count / elements.rows;
  if (flags.rows == 0) return;
  flags.offset = whole.data_size().count;
  flags.stride = whole.flag_count() / flags.rows;
  flags.piece = tile.flag_count() / flags.rows;
  flags.tiles_per_piece = cut.tiles / (flags.stride / flags.piece);
}

std::size_t TileCopier::bytes() const {
  return blocks_[0].rows * blocks_[0].piece + blocks_[1].rows * blocks_[1].piece;
}

bool TileCopier::is_contiguous() const {
  return blocks_[0].rows == 1 && blocks_[1].rows == 0 && blocks_[0].piece % line == 0;
}

bool TileCopier::copies_whole_lines() const {
  return !is_contiguous() && blocks_[0].piece % line == 0 && blocks_[0].stride % line == 0;
}

void TileCopier::out_of(std::span<const std::byte> whole, std::size_t tile, std::byte* to) const {
  for (const Block& block : blocks_)
    for (std::size_t row = 0; row < block.rows; ++row, to += block.piece)
      std::memcpy(to, whole.data() + block.begin(tile) + row * block.stride, block.piece);
}

void TileCopier::into(std::span<std::byte> whole, std::size_t tile, const std::byte* from) const {
  into(whole, tile, from, std::memcpy);
}

void TileCopier::into_past_caches(std::span<std::byte> whole, std::size_t tile, const std::byte* from) const {
  into(whole, tile, from, copy_past_caches);
}

template <class Copy>
void TileCopier::into(std::span<std::byte> whole, std::size_t tile, const std::byte* from, Copy copy) const {
  for (const Block& block : blocks_)
    for (std::size_t row = 0; row < block.rows; ++row, from += block.piece)
      copy(whole.data() + block.begin(tile) + row * block.stride, from, block.piece);
}

}  // namespace takt::pipeline
