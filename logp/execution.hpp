#pragma once
/// Carries out programs of processors under a machine: the part of the timing that all styles share.

#include <span>
#include <vector>

#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

/// The next thing that a processor does. A run of receives is carried out in order of arrival, whatever the
/// order in the program; everything else in the program's order.
struct Instruction {
  OperationKind kind = OperationKind::compute;
  /// Index of the task or of the message; each message stands for one instance only.
  std::uint32_t subject = 0;
  std::uint32_t instance = 0;
};

using Program = std::vector<Instruction>;

enum class Start : std::uint8_t {
  /// Every operation as early as the model allows.
  early,
  /// Then, with each processor's last operation where it is, everything before it as late as the model
  /// allows.
  late,
};

/// Fills `schedule`, which has messages but no operations, with the operations of one program a processor.
///
/// Every operation starts as early as the machine allows: sends and receives keep their gaps, and a send that
/// would put more than ceil(L / g) messages in flight from its sender or to its receiver waits. Of two sends
/// that compete, the earlier one goes first, then the one of the lower processor. Throws ConfigError when
/// processors wait for each other in a circle. O(n log n) for n operations, besides the flights in the
/// network.
void execute(const TaskGraph& graph, const Machine& machine, std::span<const Program> programs, Start start,
             Schedule& schedule);

}  // namespace takt::logp
