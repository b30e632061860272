#pragma once
/// Share of the period of `optfo` that its lower bound explains.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/units.hpp"

namespace takt::schedulers {

struct ExplainedPeriod {
  Time bound{0}, period{0};
  std::size_t processors_used = 0;

  [[nodiscard]] double explained() const {
    return static_cast<double>(bound.count()) / static_cast<double>(period.count());
  }
};

/// Runs optfo on a graph with state; by default with its default effort.
[[nodiscard]] ExplainedPeriod explain_period(std::string_view graph, std::string_view machine,
                                             std::optional<std::uint64_t> effort = {});

/// Expensive messages: sixteen graphs of 31 to 300 tasks, most of them in
/// two sizes. Works are integers up to 100, data up to `largest_datum`;
/// messages take a tick per unit, at both ends and in transit.
[[nodiscard]] std::span<const std::string_view> expensive_shapes();
[[nodiscard]] std::string expensive_graph(std::string_view shape, std::size_t largest_datum,
                                          std::uint64_t seed);
[[nodiscard]] std::string expensive_machine(std::size_t processors);

/// Different processors: repeated speeds 1, 1, 2, 4, and cheap messages. Eight graphs of 62 to 321 tasks, and
/// one of 2,000.
[[nodiscard]] std::span<const std::string_view> unequal_shapes();
[[nodiscard]] std::string unequal_graph(std::string_view shape);
[[nodiscard]] std::string unequal_machine(std::size_t processors);

}  // namespace takt::schedulers
