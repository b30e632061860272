#pragma once
/// Traffic on the links of a network while a schedule is built: each link carries one message at a time.

#include <optional>
#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "schedulers/delay/timeline.hpp"

namespace takt::schedulers {

/// The reservations of the links. Messages take shortest paths, and each hop
/// (of a circuit all together) uses the first long enough interval in which its link is free. A message that
/// takes no time on a link, having no bytes, neither waits there nor blocks others. Within a node, and on a
/// machine without a network, messages take their latency without contention.
///
/// Messages are tried first: tried messages block the following ones until all of them are kept or
/// dropped.
class LinkTraffic {
 public:
  /// Borrows the machine. O(nodes (links + nodes) log nodes), for the routes.
  explicit LinkTraffic(const logp::Machine& machine);

  /// Returns the arrival of a message that may leave at `ready`, and appends its hops. A hop takes O(log n)
  /// for n messages on its link, for each free interval of the link that tried messages make too short.
  Time try_message(ProcessorId from, ProcessorId to, Bytes size, Time ready, std::vector<Hop>& hops);
  /// Reserves the links for all tried messages. O(log n) a hop.
  void keep();
  /// Drops all tried messages. O(1) a hop.
  void drop();

 private:
  /// Returns the first time from `ready` on when all these links are free for this long.
  Time try_leg(std::span<const LinkId> links, Time ready, Time length);

  const logp::Machine* machine_;
  std::optional<Routes> routes_;
  /// Per link: the kept and the tried hops. No hop is in both.
  std::vector<Timeline> kept_, tried_;
  /// All tried hops with a duration.
  std::vector<Hop> tried_hops_;
};

/// Returns for each processor those reachable over links without passing a third one, in ascending order; on
/// a machine without a network all others. O(P (nodes + links)).
[[nodiscard]] std::vector<std::vector<ProcessorId>> neighbours(const logp::Machine& machine);

}  // namespace takt::schedulers
