#pragma once
/// Executes the operations of processors in order, under a machine: the common part of all timing styles.

#include <cstdint>

#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

enum class Start : std::uint8_t {
  /// Every operation as early as the model allows.
  early,
  /// First as `early`; then each processor keeps the time of its last operation, and all other operations
  /// move as late as the model allows.
  late,
};

/// Computes the times of the operations of `schedule`, whose processors list them in order. Receives of a
/// run are executed in order of arrival, whatever their order; all other operations as listed. Each
/// message belongs to one instance only.
///
/// Every operation starts as early as the machine allows. Sends and receives keep their gaps; a send that
/// would put more than ceil(L / g) messages in flight from its sender or to its receiver waits. Of two
/// competing sends, the earlier one goes first, then the one of the lower processor. Throws ConfigError if
/// processors wait for each other in a cycle. O(n log n) for n operations, plus the flights in the
/// network.
void execute(const TaskGraph& graph, const Machine& machine, Start start, Schedule& schedule);

}  // namespace takt::logp
