#pragma once
/// What a scheduler is.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule.hpp"
#include "core/task_graph.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// A processor and when a task starts there.
struct Slot {
  ProcessorId processor;
  Time start{0};
};

/// What a step gives a task to. Clustering algorithms decide for clusters first.
enum class Place : std::uint8_t { processor, cluster };

/// One decision of a scheduler, for people who want to follow an algorithm: the times are those it reckoned
/// with.
struct Step {
  TaskId task;
  ProcessorId processor;
  Time start{0};
  Time end{0};
  std::string reason;
  /// The slots that were compared, where the algorithm looks at several.
  std::vector<Slot> considered = {};
  /// What it compared of each of these slots, where that was not the start, and its name.
  std::vector<double> values = {};
  std::string_view compared = {};
  /// What `processor` numbers, here and in `considered`.
  Place place = Place::processor;
};
using Trace = std::vector<Step>;

/// How clustering algorithms bring many clusters to few processors: so that the processors' work is balanced,
/// or so that also clusters that talk much come together; `best` tries both and keeps the shorter schedule.
enum class ClusterMerging : std::uint8_t { best, load, communication };

/// Everything that a scheduler may depend on besides graph and machine. No clock: the budget is a number of
/// steps.
struct Options {
  std::uint64_t seed = 1;
  /// Search budget of those schedulers that search, in their own iterations; nothing means their default.
  std::optional<std::uint64_t> effort;
  ClusterMerging merging = ClusterMerging::best;
  /// Where to write every decision, in the order in which they are made; nothing is written to null.
  Trace* trace = nullptr;
};

/// A pure function: the same input gives the same schedule on every machine.
/// Throws ConfigError when it cannot serve the graph or the machine (an empty graph gives an empty schedule).
using Schedule = takt::Schedule;
using SchedulerFunction = Schedule (*)(const TaskGraph&, const logp::Machine&, const Options&);

struct Scheduler {
  std::string_view name;
  std::string_view family;
  /// One line for people.
  std::string_view summary;
  SchedulerFunction schedule;
  /// The largest graph, in tasks, on which `auto` tries it: beyond, it takes longer than a few seconds.
  std::size_t auto_limit = std::numeric_limits<std::size_t>::max();
};

}  // namespace takt::schedulers
