#include "pipeline/program/placement_kind.hpp"

#include "core/copy_out.hpp"

namespace takt::pipeline {

void copy_by(PlacementKind way, std::span<std::byte> message, const std::byte* made) {
  if (way == PlacementKind::copied) return copy_out(message.data(), made, message.size());
  copy_past_caches(message.data(), made, message.size());
  end_copies_past_caches();
}

std::int64_t lost_by_reader_ns(PlacementKind way, std::size_t bytes) {
  constexpr std::size_t for_line = 3, line = 64;
  return way == PlacementKind::past_caches ? static_cast<std::int64_t>(for_line * bytes / line) : 0;
}

}  // namespace takt::pipeline
