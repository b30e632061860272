#pragma once
/// A machine under the LogP model: processors and what messages between them cost.
///
/// Source: Culler et al., "LogP: towards a realistic model of parallel computation" (1993); linear and
/// piecewise parameters as in LogGP (Alexandrov et al., 1995) and PLogP (Kielmann et al., 2000).

#include <array>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/platform.hpp"
#include "logp/cost.hpp"

namespace takt::logp {

/// The costs from one processor to another one, where they are not those of their level.
struct PairCosts {
  ProcessorId from;
  ProcessorId to;
  LinkCosts costs;
  friend bool operator==(const PairCosts&, const PairCosts&) = default;
};

/// The costs from the processors of one cluster to those of another one, or to those of other nodes of its
/// own.
struct ClusterCosts {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  LinkCosts costs;
  friend bool operator==(const ClusterCosts&, const ClusterCosts&) = default;
};

/// Costs that all pairs of a level have, or some other pairs.
struct CostKind {
  LinkCosts costs;
  /// How many ordered pairs of two different processors.
  double pairs = 0;
  friend bool operator==(const CostKind&, const CostKind&) = default;
};

class Machine {
 public:
  /// The same costs between any two processors of the platform.
  Machine(Platform platform, LinkCosts costs);
  /// Costs by level, and of pairs that differ from it; those of Level::processor are not used (a message to
  /// oneself costs nothing). Costs of a pair of processors come before those of a pair of clusters, and these
  /// before those of a level. Throws ConfigError when there is no processor, a speed is not positive, a node
  /// or cluster is missing, an overhead or a gap is negative, or a pair is none of two processors, or of two
  /// clusters, or stands twice.
  Machine(Platform platform, const std::array<LinkCosts, level_count>& costs,
          std::vector<PairCosts> pairs = {}, std::vector<ClusterCosts> clusters = {});

  /// LogPConst: L, o, g whatever the size.
  [[nodiscard]] static Machine constant(std::size_t processors, Time latency, Time overhead, Time gap);
  /// The classical delay model: an edge costs its size between processors and occupies nobody.
  [[nodiscard]] static Machine delay(std::size_t processors);

  /// The same costs on a platform with some of the processors, or with more (core/platform.hpp).
  /// New processors have the costs of their levels.
  [[nodiscard]] Machine subset(std::span<const ProcessorId> processors) const;
  [[nodiscard]] Machine grown(std::size_t count) const;

  [[nodiscard]] std::size_t processor_count() const { return platform_.processor_count(); }
  [[nodiscard]] auto processors() const { return ids<ProcessorId>(processor_count()); }
  [[nodiscard]] const Platform& platform() const { return platform_; }

  /// What messages from one processor to another one cost. O(1), or O(log pairs) where pairs have costs of
  /// their own.
  [[nodiscard]] const LinkCosts& costs(ProcessorId from, ProcessorId to) const {
    return kinds_[kind(from, to)].costs;
  }
  /// The costs of the pairs of a level that have none of their own.
  [[nodiscard]] const LinkCosts& costs(Level level) const {
    return kinds_[static_cast<std::size_t>(level)].costs;
  }
  [[nodiscard]] std::array<LinkCosts, level_count> level_costs() const;
  /// The pairs with costs of their own, in ascending order.
  [[nodiscard]] std::vector<PairCosts> pair_costs() const;
  /// The pairs of clusters with costs of their own, in ascending order.
  [[nodiscard]] std::vector<ClusterCosts> cluster_costs() const;

  /// Every kind of costs: one for each level, then those of pairs of clusters and of single pairs. A kind may
  /// occur nowhere.
  [[nodiscard]] std::span<const CostKind> kinds() const { return kinds_; }
  /// Index among kinds().
  [[nodiscard]] std::size_t kind(ProcessorId from, ProcessorId to) const {
    return pair_kinds_.empty() ? kind_of_clusters(from, to) : kind_of_pair(from, to);
  }
  /// The costs of every kind that occurs between two different processors.
  [[nodiscard]] auto occurring_costs() const {
    return kinds_ | std::views::filter([](const CostKind& kind) { return kind.pairs > 0; }) |
           std::views::transform(&CostKind::costs);
  }

  [[nodiscard]] Time latency(ProcessorId from, ProcessorId to, Bytes size) const {
    return costs(from, to).latency.at(size);
  }
  [[nodiscard]] Time send_overhead(ProcessorId from, ProcessorId to, Bytes size) const {
    return costs(from, to).send_overhead.at(size);
  }
  [[nodiscard]] Time receive_overhead(ProcessorId from, ProcessorId to, Bytes size) const {
    return costs(from, to).receive_overhead.at(size);
  }
  [[nodiscard]] Time send_gap(ProcessorId from, ProcessorId to, Bytes size) const {
    return costs(from, to).send_gap.at(size);
  }
  [[nodiscard]] Time receive_gap(ProcessorId from, ProcessorId to, Bytes size) const {
    return costs(from, to).receive_gap.at(size);
  }

  /// Whether no message between any two processors costs anything.
  [[nodiscard]] bool communication_is_free() const;

  /// Time of a task on a processor: the graph's work table where it has one, otherwise work / speed, rounded
  /// up.
  [[nodiscard]] Time duration(const TaskGraph& graph, TaskId task, ProcessorId processor) const {
    if (const std::optional<Time> work = graph.work_on(task, processor)) return *work;
    const Time work = graph.task(task).work;
    const double speed = platform_.speeds[processor.index()];
    return speed == 1.0 ? work : quotient(work, speed);
  }
  /// Time of a moldable task on a group, whose slowest processor sets the pace; the same for a group of one.
  [[nodiscard]] Time duration(const TaskGraph& graph, TaskId task, std::span<const ProcessorId> group) const;

  friend bool operator==(const Machine&, const Machine&) = default;

 private:
  struct PairKind {
    ProcessorId from;
    ProcessorId to;
    std::size_t kind;
    friend bool operator==(const PairKind&, const PairKind&) = default;
  };

  /// Rounded up, but for what lies nearer to a whole number than numbers are exact.
  [[nodiscard]] static Time quotient(Time work, double speed);
  void check_platform() const;
  void add_pairs(std::vector<PairCosts> pairs);
  void add_clusters(const std::vector<ClusterCosts>& clusters);
  [[nodiscard]] std::size_t kind_of_clusters(ProcessorId from, ProcessorId to) const {
    const Level level = platform_.level(from, to);
    if (cluster_kinds_.empty() || level < Level::cluster) return static_cast<std::size_t>(level);
    return cluster_kinds_[platform_.cluster(from) * cluster_count_ + platform_.cluster(to)];
  }
  [[nodiscard]] std::size_t kind_of_pair(ProcessorId from, ProcessorId to) const;

  Platform platform_;
  std::vector<CostKind> kinds_;
  /// In ascending order of processors.
  std::vector<PairKind> pair_kinds_;
  /// By cluster of the sender, then of the receiver; empty where no pair of clusters has costs of its own.
  std::vector<std::size_t> cluster_kinds_;
  std::size_t cluster_count_ = 0;
};

/// MACHINE of the command line: a YAML file, a platform file of SimGrid (`.xml`), a file and one of its
/// profiles such as `m.yaml:verify`, or `logp:P=3,L=1,o=1,g=2`, `loglinear:P=3,L=1+1,o=1+1,g=2+2` (constant +
/// per unit) or `delay:P=4`, each with an optional `speed=1/1/2`, and an optional network between the
/// processors, `network=mesh:2x2` with `link=0+1` as the cost of each link; or `contention:P=4`, also with an
/// optional `speed=`: the delay model on channels_network(), or with `channel=both` on switch_network(), half
/// of the message's size on either link. Throws ConfigError with what was expected.
[[nodiscard]] Machine parse_machine(std::string_view text);

}  // namespace takt::logp
