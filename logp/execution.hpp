#pragma once
/// Carries out what processors do, in order, under a machine: the part of the timing that all styles share.

#include <cstdint>

#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

enum class Start : std::uint8_t {
  /// Every operation as early as the model allows.
  early,
  /// Then, with each processor's last operation where it is, everything before it as late as the model
  /// allows.
  late,
};

/// Gives their times to the operations of `schedule`, whose processors hold what they are to do in order: a
/// run of receives is carried out in order of arrival, whatever its order; everything else as it stands. Each
/// message stands for one instance only.
///
/// Every operation starts as early as the machine allows: sends and receives keep their gaps, and a send that
/// would put more than ceil(L / g) messages in flight from its sender or to its receiver waits. Of two sends
/// that compete, the earlier one goes first, then the one of the lower processor. Throws ConfigError when
/// processors wait for each other in a circle. O(n log n) for n operations, besides the flights in the
/// network.
void execute(const TaskGraph& graph, const Machine& machine, Start start, Schedule& schedule);

}  // namespace takt::logp
