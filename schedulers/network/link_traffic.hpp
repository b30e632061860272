#pragma once
/// What goes over the links of a network while a schedule is made: each link carries one message at a time.

#include <optional>
#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "schedulers/delay/timeline.hpp"

namespace takt::schedulers {

/// When the links are taken. Messages are stored and forwarded along shortest ways, and each hop takes the
/// first time at which its link is free for long enough; a message that takes no time on a link, having no
/// bytes, waits for nothing there and is in nobody's way. Within a node, and on a machine without a network,
/// messages take their latency and meet nothing.
///
/// Messages are tried first: those tried count as taken for the next ones, until they are all kept or all
/// dropped.
class LinkTraffic {
 public:
  /// Borrows the machine. O(nodes (links + nodes) log nodes), for the ways.
  explicit LinkTraffic(const logp::Machine& machine);

  /// When a message that may leave at `ready` is there. Appends its hops. A hop takes O(log n) for n messages
  /// on its link, for each interval of its link's that those tried leave too short.
  Time try_message(ProcessorId from, ProcessorId to, Bytes size, Time ready, std::vector<Hop>& hops);
  /// Takes the links for what has been tried. O(log n) a hop.
  void keep();
  /// Forgets what has been tried. O(1) a hop.
  void drop();

 private:
  /// The hop that begins first, not before `ready`.
  Hop try_hop(LinkId link, Time ready, Time length);

  const logp::Machine* machine_;
  std::optional<Routes> routes_;
  /// By link: what is kept, and what is tried. No hop is in both.
  std::vector<Timeline> kept_, tried_;
  /// All that are tried and take time.
  std::vector<Hop> tried_hops_;
};

/// For each processor those to which links lead without passing a third one, in ascending order; on a machine
/// without a network all others. O(P (nodes + links)).
[[nodiscard]] std::vector<std::vector<ProcessorId>> neighbours(const logp::Machine& machine);

}  // namespace takt::schedulers
