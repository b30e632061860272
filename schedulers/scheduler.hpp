#pragma once
/// What a scheduler is.

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

/// How schedules come onto a network: as they are decided, processor by number where their scheduler knows
/// none; by an algorithm for tasks that interact; or the shortest that a search finds
/// (placement/indirect.hpp).
enum class NetworkMapping : std::uint8_t { best, none, astar, recursive_clustering, annealing };
/// Their names, in the same order.
inline constexpr std::array<std::string_view, 5> network_mapping_names{"best", "none", "astar",
                                                                       "recursive_clustering", "annealing"};

/// How groups of processors for moldable tasks are chosen (moldable/mapping.hpp).
enum class GroupMapping : std::uint8_t { look_ahead, eft, ff };

/// What moldable tasks' schedulers can be told besides.
struct MoldableOptions {
  /// mcgas: the rounding's threshold, in (0, 1), and the most processors of a task; nothing means what gives
  /// the best guarantee.
  std::optional<double> mu = {};
  std::optional<std::size_t> bound = {};
  /// mcgas: the largest mu whose guarantee is this ratio at most.
  std::optional<double> guarantee = {};
  /// How many numbers of processors a task may be given, spread evenly in their logarithms; nothing means
  /// all.
  std::optional<std::size_t> allocations = {};
  GroupMapping mapping = GroupMapping::look_ahead;
};

using Schedule = takt::Schedule;
/// Who is told of schedules that a search has found so far.
using ScheduleListener = std::function<void(const Schedule&)>;

/// Everything that a scheduler may depend on besides graph and machine. No clock: the budget is a number of
/// steps.
struct Options {
  std::uint64_t seed = 1;
  /// Search budget of those schedulers that search, in their own iterations; nothing means their default.
  std::optional<std::uint64_t> effort;
  ClusterMerging merging = ClusterMerging::best;
  NetworkMapping mapping = NetworkMapping::best;
  MoldableOptions moldable = {};
  /// Costs are known no better than by this share; 0 where they are exact. More frames in a repetition must
  /// gain as much of the period to be worth a schedule of their own, as they wait for each other; and of
  /// schedules for a rate that none holds, those whose periods differ by less are equally fast.
  double cost_noise = 0;
  /// Whether frames of a repetition may go back and forth between processors (replication/interleaving.hpp).
  /// Tasks of other frames come between those of one then: not where tasks cost what they do only right
  /// behind each other.
  bool may_interleave = true;
  /// Where to write every decision, in the order in which they are made; nothing is written to null.
  Trace* trace = nullptr;
  /// Searches that may last tell of schedules of the whole graph on the whole machine as they find them, not
  /// each better than the last one, so that whoever ends them at a time limit has the best so far; null is
  /// told nothing. What is found does not depend on it.
  const ScheduleListener* listener = nullptr;

  void tell(const Schedule& schedule) const {
    if (listener != nullptr) (*listener)(schedule);
  }
};

/// A pure function: the same input gives the same schedule on every machine.
/// Throws ConfigError when it cannot serve the graph or the machine (an empty graph gives an empty schedule).
using SchedulerFunction = Schedule (*)(const TaskGraph&, const logp::Machine&, const Options&);

/// A scheduler of one copy of the graph, with whose schedule a search for the frequency begins.
struct FrequencyStart {
  SchedulerFunction schedule = nullptr;
  /// A quick lower bound of its schedule's repetition: it is asked only where that may be the best so far.
  /// Null where the scheduler is as quick.
  Time (*least_repetition)(const TaskGraph&, const logp::Machine&) = nullptr;
};

struct Timetable;
class DelayModel;

/// What an algorithm decides under the delay model (delay/timetable.hpp), with whose result a search for the
/// makespan begins.
struct MakespanStart {
  Timetable (*decide)(const DelayModel&, const Options&) = nullptr;
  /// Asked only on graphs that are small enough to be searched.
  bool is_for_small_graphs = false;
};

/// What those that choose among schedulers, or begin with their schedules, ask of one. They get lists of
/// functions from the registry by these, so that none of them needs to know a scheduler's name.
struct Traits {
  /// What its schedules are to be: short, or soon repeated.
  Objective made_for = Objective::makespan;
  /// The largest graph, in tasks, on which `auto` tries it: beyond, it takes longer than a few seconds.
  std::size_t auto_limit = std::numeric_limits<std::size_t>::max();
  /// The largest graph, in tasks and edges, on which `optfo` asks it: there it takes a tenth of a second or
  /// two. One of each family that is near-linear is asked on any.
  std::size_t optfo_limit = 100'000;
  /// Who makes plans for the frequency where no scheduler is named.
  bool is_default = false;
  /// Its place among those from whose schedules the least latency and the fewest processors at a required
  /// rate are chosen: of equals the first one's stays. 0: not asked.
  unsigned place_at_a_rate = 0;
  /// Whether it is asked there on graphs of any size.
  bool is_quick = false;
  /// Whether it gives moldable tasks to groups of processors.
  bool has_groups = false;
  /// What it searches until its effort is used up, for a proof: it is not asked for anything else.
  std::optional<Objective> proves = {};
  /// Whether it decides the routes and times of messages in a network itself.
  bool routes_messages = false;
  /// Where its schedules are beginnings for searches.
  FrequencyStart frequency_start = {};
  MakespanStart makespan_start = {};
};

struct Scheduler {
  std::string_view name;
  std::string_view family;
  /// One line for people.
  std::string_view summary;
  SchedulerFunction schedule;
  Traits traits = {};
};

/// A scheduler that is made for something else, and on which graphs it is asked.
struct OtherScheduler {
  SchedulerFunction schedule = nullptr;
  /// Tasks and edges together.
  std::size_t largest = 0;
  /// What it decides before there are messages, where that can be had alone: who does what there does it in
  /// the schedule, too, where there is no network.
  Timetable (*decide)(const DelayModel&, const Options&) = nullptr;

  [[nodiscard]] bool is_for(const TaskGraph& graph) const {
    return graph.task_count() + graph.edge_count() <= largest;
  }
};

/// What a search for the highest frequency is given of other schedulers.
struct FrequencyStarts {
  std::span<const FrequencyStart> starts;
  /// All that are no starts, no search for the frequency and no proof: so that it is never behind them.
  std::span<const OtherScheduler> others;
  /// The same schedulers with their messages on the links of a network.
  std::span<const SchedulerFunction> on_links;
};

/// Schedulers to choose from at a required rate.
struct RateSchedulers {
  /// In the order of their places, and those of them that are quick on any graph.
  std::span<const SchedulerFunction> all, quick;
  /// Those that give moldable tasks to groups.
  std::span<const SchedulerFunction> with_groups;
  /// The one that alone says best whether some processors can hold a rate.
  SchedulerFunction fastest = nullptr;
};

}  // namespace takt::schedulers
