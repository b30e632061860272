#pragma once
/// The interface of schedulers: options, traces and traits.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "schedulers/objective.hpp"

namespace takt::schedulers {

/// A processor and the start of a task there.
struct Slot {
  ProcessorId processor;
  Time start{0};
};

/// The target of a step. Clustering algorithms decide for clusters first.
enum class Place : std::uint8_t { processor, cluster };

/// One decision of a scheduler, for users who follow an algorithm: its times are those that the algorithm
/// used.
struct Step {
  TaskId task;
  ProcessorId processor;
  Time start{0};
  Time end{0};
  std::string reason;
  /// The compared slots, if the algorithm considers several.
  std::vector<Slot> considered = {};
  /// The compared value of each of these slots, if it is not the start, and its name.
  std::vector<double> values = {};
  std::string_view compared = {};
  /// The kind of numbers in `processor`, here and in `considered`.
  Place place = Place::processor;
};
using Trace = std::vector<Step>;

/// Mapping of many clusters to few processors: for balanced work, or also for communication between clusters;
/// `best` tries both and keeps the shorter schedule.
enum class ClusterMerging : std::uint8_t { best, load, communication };

/// Mapping of schedules to a network: as decided, with processor ids if
/// the scheduler ignores the network; by an algorithm for interacting
/// tasks; or the shortest that a search finds (placement/indirect.hpp).
enum class NetworkMapping : std::uint8_t { best, none, astar, recursive_clustering, annealing };
/// Their names, in the same order.
inline constexpr std::array<std::string_view, 5> network_mapping_names{"best", "none", "astar",
                                                                       "recursive_clustering", "annealing"};

/// Choice of the groups of processors for moldable tasks (moldable/mapping.hpp); `best` tries all and keeps
/// the shortest schedule.
enum class GroupMapping : std::uint8_t { best, look_ahead, eft, ff };

/// mcgas: whether the work that its guarantee allows beyond rounding is spent on the critical path.
enum class LeftWork : std::uint8_t {
  /// Keeps the allotment after rounding, as in the source.
  stays,
  /// Tasks of the critical path receive more processors, as in CPA, up to b, while the work is at most 1 / mu
  /// times
  /// the best one and the path longer than the work per processor. The proof of the guarantee requires no
  /// more
  /// than that.
  is_used,
};

/// Options of schedulers for moldable tasks.
struct MoldableOptions {
  /// mcgas: the rounding's threshold, in (0, 1), and the most processors of a task; empty: values with the
  /// best guarantee.
  std::optional<double> mu = {};
  std::optional<std::size_t> bound = {};
  /// mcgas: the largest accepted guarantee ratio, which determines mu.
  std::optional<double> guarantee = {};
  /// Number of allowed processor counts of a task, with even logarithmic spacing;
  /// empty: all.
  std::optional<std::size_t> allocations = {};
  GroupMapping mapping = GroupMapping::best;
  LeftWork left_work = LeftWork::is_used;
};

/// The family of schedulers for tasks that interact without an order.
inline constexpr std::string_view mapping_family = "mapping";

using Schedule = takt::Schedule;
/// Receives schedules that a search has found so far.
using ScheduleListener = std::function<void(const Schedule&)>;

/// All inputs of a scheduler besides graph and machine.
/// No clock: the budget is a number of steps.
struct Options {
  std::uint64_t seed = 1;
  /// Budget of search schedulers, in their own steps; empty: their default.
  std::optional<std::uint64_t> effort;
  ClusterMerging merging = ClusterMerging::best;
  NetworkMapping mapping = NetworkMapping::best;
  MoldableOptions moldable = {};
  /// Relative accuracy of the costs; 0 if they are exact. More frames per iteration must reduce the period by
  /// this share to justify a schedule of their own, as they wait for each other. Of schedules for a rate that
  /// none sustains, those with a smaller difference of their periods count as equally fast.
  double cost_noise = 0;
  /// Whether frames of an iteration may return to earlier processors (replication/interleaving.hpp). Tasks of
  /// other frames then run in between: do not use it if the costs of tasks hold only directly after each
  /// other.
  bool may_interleave = true;
  /// Receives every decision, in order; null: no trace.
  Trace* trace = nullptr;
  /// Receives schedules of the whole graph on the whole machine as a long search finds them, not each better
  /// than the last one. So a caller that stops a search at a time limit has the best so far; null: none. The
  /// results do not depend on it.
  const ScheduleListener* listener = nullptr;

  void tell(const Schedule& schedule) const {
    if (listener != nullptr) (*listener)(schedule);
  }
};

/// A pure function: equal inputs yield the same schedule on every machine. Throws ConfigError if it does not
/// support the graph or the machine (an empty graph yields an empty schedule).
using SchedulerFunction = Schedule (*)(const TaskGraph&, const logp::Machine&, const Options&);

/// A scheduler of one copy of the graph that provides a start for a frequency search.
struct FrequencyStart {
  SchedulerFunction schedule = nullptr;
  /// A fast lower bound of its schedule's period: the scheduler only runs if it may be the best so far. Null
  /// if the scheduler is as fast.
  Time (*least_repetition)(const TaskGraph&, const logp::Machine&) = nullptr;
};

struct Timetable;
class DelayModel;

/// An algorithm for the delay model (delay/timetable.hpp)
/// that provides a start for a makespan search.
struct MakespanStart {
  Timetable (*decide)(const DelayModel&, const Options&) = nullptr;
  /// Only runs on graphs that are small enough to be searched.
  bool is_for_small_graphs = false;
};

/// Properties of a scheduler for those that choose among schedulers or start from their schedules. The
/// registry builds lists of functions from these, so that no scheduler depends on another one's name.
struct Traits {
  /// Its objective: short schedules, or a small period.
  Objective made_for = Objective::makespan;
  /// The largest graph, in tasks, on which `auto` tries it: it takes more than a few seconds on larger ones.
  std::size_t auto_limit = std::numeric_limits<std::size_t>::max();
  /// The largest graph, in tasks and edges, on which `optfo` runs it: a tenth of a second or two. One
  /// near-linear scheduler of each family runs on any graph.
  std::size_t optfo_limit = 100'000;
  /// Whether it makes plans for the frequency if no scheduler is named.
  bool is_default = false;
  /// Its position among the schedulers that provide candidates for the least latency and the fewest
  /// processors at a required rate: of equals the first one is kept. 0: unused.
  unsigned place_at_a_rate = 0;
  /// Whether it is used there on graphs of any size.
  bool is_quick = false;
  /// Whether it runs moldable tasks on groups of processors.
  bool has_groups = false;
  /// Objective of its proof, on which it spends its whole effort: it is not used for any other one.
  std::optional<Objective> proves = {};
  /// Whether it decides the routes and times of messages in a network itself.
  bool routes_messages = false;
  /// Whether its schedules are starts of searches.
  FrequencyStart frequency_start = {};
  MakespanStart makespan_start = {};
};

struct Scheduler {
  std::string_view name;
  std::string_view family;
  /// One line for users.
  std::string_view summary;
  SchedulerFunction schedule;
  Traits traits = {};
};

/// A scheduler for another objective, and the graphs on which it is used.
struct OtherScheduler {
  SchedulerFunction schedule = nullptr;
  /// Tasks and edges together.
  std::size_t largest = 0;
  /// Its decisions without messages, if available separately: without a network, the schedule has the same
  /// tasks on the same processors.
  Timetable (*decide)(const DelayModel&, const Options&) = nullptr;

  [[nodiscard]] bool is_for(const TaskGraph& graph) const {
    return graph.task_count() + graph.edge_count() <= largest;
  }
};

/// The other schedulers' functions for a search for the highest frequency.
struct FrequencyStarts {
  std::span<const FrequencyStart> starts;
  /// All that are no starts, no frequency search and no proof: the result is never worse than theirs.
  std::span<const OtherScheduler> others;
  /// The same schedulers with their messages on the links of a network.
  std::span<const SchedulerFunction> on_links;
};

/// Schedulers to choose from at a required rate.
struct RateSchedulers {
  /// In the order of their positions, and those of them that are fast on any graph.
  std::span<const SchedulerFunction> all, quick;
  /// Those that run moldable tasks on groups.
  std::span<const SchedulerFunction> with_groups;
  /// The single scheduler that best decides whether some processors can sustain a rate.
  SchedulerFunction fastest = nullptr;
};

}  // namespace takt::schedulers
