#pragma once
/// Traces of SCHEDULE programs (`trace.graph`): the units, their dependencies, and the events of a run.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace takt::pipeline {

/// A unit of computation.
struct TracedUnit {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::int64_t tag = 0;
  /// The unit that has spawned it; none for a static unit.
  std::size_t parent = none;
  /// What its dep says, which may disagree with the lists.
  std::int64_t icango = 0;
  /// Static units that depend on it, in the order of its list, and those on which it depends.
  std::vector<std::size_t> dependents, dependencies;
  std::vector<std::size_t> children;
  /// Of all its executions.
  double seconds = 0;
  /// Only lists of other units name it: no event creates it.
  bool is_only_named = false;

  [[nodiscard]] bool is_static() const { return parent == none; }
};

enum class UnitEventKind : std::uint8_t {
  create,
  start,
  stop,
  create_child,
  start_child,
  stop_child,
};

struct UnitEvent {
  UnitEventKind kind;
  std::size_t unit;
  /// The line without surplus blanks.
  std::string text;
  /// How long the execution has taken; of stops.
  double seconds = 0;

  [[nodiscard]] bool is_start() const {
    return kind == UnitEventKind::start || kind == UnitEventKind::start_child;
  }
  [[nodiscard]] bool is_stop() const {
    return kind == UnitEventKind::stop || kind == UnitEventKind::stop_child;
  }
};

/// The trace of one call of sched. Static units come first, in the order of their tags, then spawned ones.
struct UnitTrace {
  std::vector<TracedUnit> units;
  std::vector<UnitEvent> events;
};

/// Whether a text begins with the creation of a static unit (`0 id icango ncheks list`).
[[nodiscard]] bool begins_as_unit_trace(std::string_view text);

/// Reads the events of trace.cpp (pipeline/tasking/schedule/trace.hpp). A creation of a static unit after
/// other events begins the trace of the next sched. A last line without its end is left out where it cannot
/// be read, or always while the file grows (`is_growing`). Throws ConfigError with file:line:column for other
/// lines. O(events + dependencies).
[[nodiscard]] std::vector<UnitTrace> read_unit_traces(std::string_view text, const std::string& file,
                                                      bool is_growing = false);

}  // namespace takt::pipeline
