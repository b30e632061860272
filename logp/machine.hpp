#pragma once
/// A machine under the LogP model: processors and the costs of messages between them.
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

/// The costs from one processor to another one, where they differ from those of their level.
struct PairCosts {
  ProcessorId from;
  ProcessorId to;
  LinkCosts costs;
  friend bool operator==(const PairCosts&, const PairCosts&) = default;
};

/// The costs from the processors of one cluster to those of another one, or to those of other nodes in the
/// same cluster.
struct ClusterCosts {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  LinkCosts costs;
  friend bool operator==(const ClusterCosts&, const ClusterCosts&) = default;
};

/// The costs of all pairs of a level, or of some other pairs.
struct CostKind {
  LinkCosts costs;
  /// Number of ordered pairs of two different processors.
  double pairs = 0;
  friend bool operator==(const CostKind&, const CostKind&) = default;
};

class Machine {
 public:
  /// The same costs between any two processors of the platform.
  Machine(Platform platform, LinkCosts costs);
  /// Costs by level, and of pairs that differ from it; those of Level::processor are unused (a message to the
  /// same processor costs nothing). Costs of a pair of processors override those of a pair of clusters, and
  /// these override those of a level. Throws ConfigError without processors, on a speed that is not positive,
  /// a missing node or cluster, a negative overhead or gap, a pair of fewer than two processors or clusters,
  /// or a repeated pair.
  Machine(Platform platform, const std::array<LinkCosts, level_count>& costs,
          std::vector<PairCosts> pairs = {}, std::vector<ClusterCosts> clusters = {});

  /// LogPConst: L, o, g independent of the size.
  [[nodiscard]] static Machine constant(std::size_t processors, Time latency, Time overhead, Time gap);
  /// The classical delay model: an edge costs its size between processors and occupies no processor.
  [[nodiscard]] static Machine delay(std::size_t processors);

  /// Return the same costs on a platform with some of the processors, or with more (core/platform.hpp). New
  /// processors have the costs of their levels.
  [[nodiscard]] Machine subset(std::span<const ProcessorId> processors) const;
  [[nodiscard]] Machine grown(std::size_t count) const;

  [[nodiscard]] std::size_t processor_count() const { return platform_.processor_count(); }
  [[nodiscard]] auto processors() const { return ids<ProcessorId>(processor_count()); }
  [[nodiscard]] const Platform& platform() const { return platform_; }

  /// Returns the costs of messages from one processor to another one. O(1), or O(log pairs) if pairs have
  /// costs of their own.
  [[nodiscard]] const LinkCosts& costs(ProcessorId from, ProcessorId to) const {
    return kinds_[kind(from, to)].costs;
  }
  /// Returns the costs of the pairs of a level without costs of their own.
  [[nodiscard]] const LinkCosts& costs(Level level) const {
    return kinds_[static_cast<std::size_t>(level)].costs;
  }
  [[nodiscard]] std::array<LinkCosts, level_count> level_costs() const;
  /// Returns the pairs with costs of their own, in ascending order.
  [[nodiscard]] std::vector<PairCosts> pair_costs() const;
  /// Returns the pairs of clusters with costs of their own, in ascending order.
  [[nodiscard]] std::vector<ClusterCosts> cluster_costs() const;

  /// Returns every kind of costs: one for each level, then those of pairs of clusters and of single pairs. A
  /// kind may be unused.
  [[nodiscard]] std::span<const CostKind> kinds() const { return kinds_; }
  /// Returns the index in kinds().
  [[nodiscard]] std::size_t kind(ProcessorId from, ProcessorId to) const {
    return pair_kinds_.empty() ? kind_of_clusters(from, to) : kind_of_pair(from, to);
  }
  /// Returns the costs of every kind that occurs between two different processors.
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

  /// Returns whether all messages are free.
  [[nodiscard]] bool communication_is_free() const;

  /// Returns the time of a task on a processor: from the graph's work table if it has one, otherwise work /
  /// speed, rounded up.
  [[nodiscard]] Time duration(const TaskGraph& graph, TaskId task, ProcessorId processor) const {
    if (const std::optional<Time> work = graph.work_on(task, processor)) return *work;
    const Time work = graph.task(task).work;
    const double speed = platform_.speeds[processor.index()];
    return speed == 1.0 ? work : quotient(work, speed);
  }
  /// Returns the time of a moldable task on a group, at the speed of its slowest processor; of one: the same.
  [[nodiscard]] Time duration(const TaskGraph& graph, TaskId task, std::span<const ProcessorId> group) const;

  friend bool operator==(const Machine&, const Machine&) = default;

 private:
  struct PairKind {
    ProcessorId from;
    ProcessorId to;
    std::size_t kind;
    friend bool operator==(const PairKind&, const PairKind&) = default;
  };

  /// Rounded up, except for quotients within the numerical precision of an integer.
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
  /// By cluster of the sender, then of the receiver; empty if no pair of clusters has costs of its own.
  std::vector<std::size_t> cluster_kinds_;
  std::size_t cluster_count_ = 0;
};

/// Parses MACHINE of the command line: a YAML file, a platform file of SimGrid (`.xml`), a file and one of
/// its profiles such as `m.yaml:verify`, or `logp:P=3,L=1,o=1,g=2`, `loglinear:P=3,L=1+1,o=1+1,g=2+2`
/// (constant + per unit) or `delay:P=4`, each with an optional `speed=1/1/2` and `types=big:1/little:2`, and
/// an optional network between the processors, `network=mesh:2x2` with `link=0+1` as the cost of each link;
/// or `contention:P=4`, also with an optional `speed=`: the delay model on channels_network(), or with
/// `channel=both` on switch_network() with circuits: a message holds its sender's and its receiver's port.
/// Throws ConfigError with the expected values.
[[nodiscard]] Machine parse_machine(std::string_view text);

}  // namespace takt::logp
