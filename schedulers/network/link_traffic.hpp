#pragma once
/// What goes over the links of a network while a schedule is made: each link carries one message at a time.

#include <optional>
#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "schedulers/common/timeline.hpp"

namespace takt::schedulers {

/// When the links are taken. Messages are stored and forwarded along shortest ways, and each hop takes the
/// first time at which its link is free for long enough. Within a node, and on a machine without a network,
/// messages take their latency and meet nothing.
class LinkTraffic {
 public:
  /// Borrows the machine. O(nodes (links + nodes) log nodes), for the ways.
  explicit LinkTraffic(const logp::Machine& machine);

  /// When a message that may leave at `ready` is there. Appends its hops; what stands in `hops` already
  /// counts as taken, too. O(distance (log n + hops)).
  Time carry(ProcessorId from, ProcessorId to, Bytes size, Time ready, std::vector<Hop>& hops) const;

  /// Takes the links for these hops.
  void reserve(std::span<const Hop> hops);

 private:
  [[nodiscard]] Hop next_hop(LinkId link, Time ready, Time length, std::span<const Hop> also_taken) const;

  const logp::Machine* machine_;
  std::optional<Routes> routes_;
  std::vector<Timeline> taken_;
};

/// For each processor those to which links lead without passing a third one, in ascending order; on a machine
/// without a network all others. O(P (nodes + links)).
[[nodiscard]] std::vector<std::vector<ProcessorId>> neighbours(const logp::Machine& machine);

}  // namespace takt::schedulers
