#pragma once
/// A machine under the LogP model: processors and what messages between them cost.
///
/// Source: Culler et al., "LogP: towards a realistic model of parallel computation" (1993); linear and
/// piecewise parameters as in LogGP (Alexandrov et al., 1995) and PLogP (Kielmann et al., 2000).

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "core/platform.hpp"
#include "core/task_graph.hpp"
#include "logp/cost.hpp"

namespace takt::logp {

class Machine {
 public:
  /// The same costs between any two processors of the platform.
  Machine(Platform platform, LinkCosts costs);
  /// Costs by level; those of Level::processor are not used (a message to oneself costs nothing).
  /// Throws ConfigError when there is no processor, a speed is not positive, a node or cluster is missing, or
  /// an overhead or a gap is negative.
  Machine(Platform platform, std::array<LinkCosts, level_count> costs);

  /// LogPConst: L, o, g whatever the size.
  [[nodiscard]] static Machine constant(std::size_t processors, Time latency, Time overhead, Time gap);
  /// The classical delay model: an edge costs its size between processors and occupies nobody.
  [[nodiscard]] static Machine delay(std::size_t processors);

  /// The same costs on a platform with some of the processors, or with more (core/platform.hpp).
  [[nodiscard]] Machine subset(std::span<const ProcessorId> processors) const {
    return {platform_.subset(processors), costs_};
  }
  [[nodiscard]] Machine grown(std::size_t count) const { return {platform_.grown(count), costs_}; }

  [[nodiscard]] std::size_t processor_count() const { return platform_.processor_count(); }
  [[nodiscard]] auto processors() const { return ids<ProcessorId>(processor_count()); }
  [[nodiscard]] const Platform& platform() const { return platform_; }
  [[nodiscard]] const LinkCosts& costs(Level level) const { return costs_[static_cast<std::size_t>(level)]; }
  [[nodiscard]] const LinkCosts& costs(ProcessorId a, ProcessorId b) const {
    return costs(platform_.level(a, b));
  }

  [[nodiscard]] Time latency(ProcessorId from, ProcessorId to, Bytes size) const;
  [[nodiscard]] Time send_overhead(ProcessorId from, ProcessorId to, Bytes size) const;
  [[nodiscard]] Time receive_overhead(ProcessorId from, ProcessorId to, Bytes size) const;
  [[nodiscard]] Time send_gap(ProcessorId from, ProcessorId to, Bytes size) const;
  [[nodiscard]] Time receive_gap(ProcessorId from, ProcessorId to, Bytes size) const;

  /// Whether no message costs anything.
  [[nodiscard]] bool communication_is_free() const;

  /// Time of a task on a processor: the graph's work table where it has one, otherwise work / speed, rounded
  /// up.
  [[nodiscard]] Time duration(const TaskGraph& graph, TaskId task, ProcessorId processor) const;

  /// Lower bound of the period with free communication, for one copy of the graph:
  /// max(ceil(sum of work / sum of speeds), largest work on the fastest processor). With a work table the sum
  /// is of each task's least time, over the number of processors.
  [[nodiscard]] Time period_bound(const TaskGraph& graph) const;

  friend bool operator==(const Machine&, const Machine&) = default;

 private:
  Platform platform_;
  std::array<LinkCosts, level_count> costs_;
};

/// MACHINE of the command line: a YAML file, a file and one of its profiles such as `m.yaml:verify`, or
/// `logp:P=3,L=1,o=1,g=2`, `loglinear:P=3,L=1+1,o=1+1,g=2+2` (constant + per unit) or `delay:P=4`, each with
/// an optional `speed=1/1/2`, and an optional network between the processors, `network=mesh:2x2` with
/// `link=0+1` as the cost of each link. Throws ConfigError with what was expected.
[[nodiscard]] Machine parse_machine(std::string_view text);

}  // namespace takt::logp
