#pragma once
/// Traces of SCHEDULE programs over time, and for other programs that show traces.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pipeline/pages/unit_trace.hpp"
#include "pipeline/pages/unit_trace_page.hpp"

namespace takt::pipeline {

/// An execution of a unit.
struct UnitSlice {
  std::size_t unit = 0;
  /// The lowest number that was free when it started: the trace does not name workers.
  std::size_t worker = 0;
  std::int64_t begin_ns = 0, end_ns = 0;
};

/// An arrow from one execution to another: to a dependent, or to a child.
struct UnitLink {
  std::size_t from = 0, to = 0;
};

struct UnitTimeline {
  /// In the order of their starts.
  std::vector<UnitSlice> slices;
  /// From the last execution of a unit to the first one of a dependent, and from the execution that has
  /// spawned a child to the first one of the child.
  std::vector<UnitLink> links;
  std::size_t workers = 0;
  std::int64_t end_ns = 0;
};

/// A trace has the order of events and how long each execution has taken, but no times: executions stop as
/// early as both permit, and start as late as both permit then. So idle time is seen only where another unit
/// executes, and an execution is longer than it was where the order says so. What has not stopped ends at the
/// last event. O(events + dependencies).
[[nodiscard]] UnitTimeline unit_timeline(const UnitTrace& trace);

/// The trace event format of Chrome and Perfetto: a process for each sched, a thread for each worker, flow
/// events for links, measured times as arguments. The sched of one file follow each other.
[[nodiscard]] std::string unit_traces_to_chrome_json(std::span<const NamedUnitTraces> files);
/// Paje, for ViTE and pajeng: a container for each sched and worker, states, links.
[[nodiscard]] std::string unit_traces_to_paje(std::span<const NamedUnitTraces> files);

}  // namespace takt::pipeline
