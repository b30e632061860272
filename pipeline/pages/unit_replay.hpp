#pragma once
/// What a trace of SCHEDULE shows at each event: states of the units, active processors, critical paths.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/pages/unit_trace.hpp"

namespace takt::pipeline {

enum class UnitState : std::uint8_t {
  absent,   ///< not created yet
  clear,    ///< waits for dependencies
  lined,    ///< may start
  hashed,   ///< executes
  black,    ///< is complete, with its children
  waiting,  ///< has executed and will again, or waits for its children: a clear one, too
};

struct UnitChange {
  std::size_t unit;
  UnitState state;
};

struct UnitReplay {
  /// Changes of states: those of event i are changes[first_change[i] .. first_change[i + 1]).
  std::vector<UnitChange> changes;
  std::vector<std::size_t> first_change;
  /// Executing units after each event.
  std::vector<std::uint32_t> active;
  /// For each number of executing units, how many events (without creations of static units) came then.
  std::vector<std::size_t> histogram;
  /// Events before the first that is no creation of a static unit: the graph is shown then.
  std::size_t described = 0;
};

/// A spawned unit is lined until its first start. A static unit is lined when all units on which it depends
/// are black, and again when its children are before an entry. O(events + dependencies).
[[nodiscard]] UnitReplay replay_units(const UnitTrace& trace);

struct UnitPath {
  /// Static units from a beginning to an end, and the children in the longest chains below them.
  std::vector<std::size_t> units, children;
  double length = 0;
};

/// The path of dependencies that takes most time. A unit takes the time of its executions, and of the longest
/// chain of its children, which run side by side. Without edges that close circles. O(units + dependencies).
[[nodiscard]] UnitPath critical_path(const UnitTrace& trace);
/// The path of most static units.
[[nodiscard]] UnitPath longest_path(const UnitTrace& trace);

/// For each list entry of each static unit: whether the dependency closes a circle, so that layers and paths
/// leave it out.
[[nodiscard]] std::vector<std::vector<bool>> edges_that_close_circles(const UnitTrace& trace);

/// What is wrong with the graph, and which units are not complete at the end; a sentence each, with at most
/// twelve tags.
[[nodiscard]] std::vector<std::string> findings_of(const UnitTrace& trace);

}  // namespace takt::pipeline
