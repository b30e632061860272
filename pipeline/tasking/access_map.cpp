#include "pipeline/tasking/access_map.hpp"

#include <iterator>

namespace takt::tasking {

void AccessMap::cut(std::uintptr_t at) {
  auto after = pieces_.upper_bound(at);
  if (after == pieces_.begin()) return;
  auto& [begin, piece] = *std::prev(after);
  if (begin == at || piece.end <= at) return;
  Piece rest = piece;
  piece.end = at;
  pieces_.emplace(at, std::move(rest));
}

void AccessMap::note(std::uint32_t unit, const Access& access, std::vector<std::uint32_t>& before) {
  if (access.bytes == 0) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(access.address);
  const std::uintptr_t end = begin + access.bytes;
  cut(begin);
  cut(end);
  std::uintptr_t at = begin;
  while (at < end) {
    auto next = pieces_.lower_bound(at);
    if (next == pieces_.end() || next->first > at) {
      const std::uintptr_t until = next == pieces_.end() ? end : std::min(end, next->first);
      next = pieces_.emplace(at, Piece{until, false, 0, {}}).first;
    }
    Piece& piece = next->second;
    const bool is_own = piece.has_writer && piece.writer == unit;
    if (piece.has_writer && !is_own) before.push_back(piece.writer);
    if (access.writes) {
      for (const std::uint32_t reader : piece.readers)
        if (reader != unit) before.push_back(reader);
      piece.readers.clear();
      piece.has_writer = true;
      piece.writer = unit;
    } else if (!is_own && (piece.readers.empty() || piece.readers.back() != unit)) {
      piece.readers.push_back(unit);
    }
    at = piece.end;
  }
}

}  // namespace takt::tasking
