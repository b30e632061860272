#pragma once
/// Executes schedules in SimGrid, a simulator without common code: the independent oracle of the
/// timing.
///
/// One actor per processor executes its operations in the schedule's order. A computation and the
/// overhead o are sleeps of the actor; the gap is the rest of max(o, g) that it sleeps before the next
/// send or receive. A message is a detached communication over a link of its pair of processors, with
/// L's constant as latency and L's slope as inverse bandwidth, FATPIPE so that messages do not share
/// it; every mailbox has its receiver from the beginning, so that a message does not wait for it.
/// LogP's capacity of ceil(L / g) messages is not modelled.
///
/// A message with a route through a network is forwarded from link to link instead. Each link is an
/// actor: it waits for the messages in the schedule's order, under repetition also those of different
/// iterations alternately, and for each one sends the message's bytes over a SimGrid link of its own,
/// of the link's latency and bandwidth. After that, the next link, or the receiver, has the message. So
/// the model's store and forward, one message at a time on each link, is expressed in SimGrid's terms,
/// and SimGrid computes when a message passes a link.

#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::test {

struct ReplayCase {
  const TaskGraph* graph = nullptr;
  const logp::Machine* machine = nullptr;
  const Schedule* schedule = nullptr;
  /// The schedule to repeat: the same operations in the same orders, at times that repeat with the smallest
  /// period.
  const Schedule* repeated = nullptr;
};

struct ReplayResult {
  /// Of one iteration, in which every processor waits for
  /// its first operation's start and then does not wait.
  std::vector<double> first_starts;
  std::vector<double> last_ends;
  /// Time between the later ones of many iterations, each as early as possible.
  double sustained_period = 0;
};

/// Runs a few cases in parallel in each of several simulations, in sequence, each in a process of its own.
/// Throws std::runtime_error when one fails.
[[nodiscard]] std::vector<ReplayResult> replay(std::span<const ReplayCase> cases);

}  // namespace takt::test
