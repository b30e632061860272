#pragma once
/// How much of the period that `optfo` finds its lower bound explains where messages are dear.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace takt::schedulers {

struct DearMessages {
  /// A generator and its sizes.
  std::string_view shape;
  std::size_t processors = 0;
  /// The largest datum, where the largest work is 100; of both every whole number from 1 on is as likely.
  /// Messages take a tick for each unit, at both ends and on the way.
  std::size_t largest_datum = 0;
  std::uint64_t seed = 1;
  /// Steps of the search; by default as many as `optfo` takes.
  std::optional<std::uint64_t> effort{};
};

struct DearPeriod {
  Time bound{0}, period{0};
  std::size_t processors_used = 0;

  [[nodiscard]] double explained() const {
    return static_cast<double>(bound.count()) / static_cast<double>(period.count());
  }
};

/// Ten kinds of 31 to 300 tasks, most of them in two sizes.
[[nodiscard]] const std::vector<std::string_view>& dear_shapes();

[[nodiscard]] DearPeriod plan_dear(const DearMessages& what);

}  // namespace takt::schedulers
