#pragma once
/// Ids of tasks, edges, messages and processors: distinct types over dense indices from 0.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>

namespace takt {

/// A dense index that cannot be confused with another kind of index.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value_(static_cast<std::uint32_t>(index)) {}

  [[nodiscard]] constexpr std::size_t index() const { return value_; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  std::uint32_t value_ = 0;
};

using TaskId = Id<struct TaskTag>;
using EdgeId = Id<struct EdgeTag>;
/// The output of a task; edges of the same output carry the same datum.
using DatumId = Id<struct DatumTag>;
using ProcessorId = Id<struct ProcessorTag>;
using MessageId = Id<struct MessageTag>;
using NodeId = Id<struct NodeTag>;
using LinkId = Id<struct LinkTag>;

/// The ids 0 .. count - 1, for range-based loops.
template <class AnyId>
[[nodiscard]] constexpr auto ids(std::size_t count) {
  return std::views::iota(std::size_t{0}, count) |
         std::views::transform([](std::size_t index) { return AnyId(index); });
}

}  // namespace takt

template <class Tag>
struct std::hash<takt::Id<Tag>> {
  std::size_t operator()(takt::Id<Tag> id) const noexcept { return id.index(); }
};
