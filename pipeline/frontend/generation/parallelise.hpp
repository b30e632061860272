#pragma once
/// From a program to a plan for ranks.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "logp/machine.hpp"
#include "pipeline/frontend/communication/insertion.hpp"
#include "pipeline/frontend/generation/mpi_program.hpp"
#include "pipeline/frontend/weights/program_graph.hpp"

namespace takt::frontend {

struct ParallelOptions {
  /// A scheduler of the registry, or `auto`.
  std::string scheduler = "auto";
  /// Limit for each scheduler that `auto` tries, in seconds.
  double time_limit = 10;
  InsertionOptions insertion = {};
  /// Plan for the highest throughput over successive inputs, and not for the least makespan.
  bool repeats = false;
};

/// A program planned for ranks.
struct ParallelPlan {
  std::string scheduler;
  ParallelProgram parallel;
  /// Predicted times of the whole program on these ranks, and of all calls on one.
  Time predicted{0};
  Time sequential{0};
  /// Bytes of all transfers.
  std::uint64_t bytes = 0;
  /// What limits the speed-up, and what would help, if little is gained; otherwise empty.
  std::string advice;
  /// Predicted time between two inputs of a repeated program.
  std::optional<Time> period;
};

/// Returns MACHINE, its first processors if it has more; for an empty text one with usual costs of messages
/// in the memory of one computer. Throws ConfigError for a machine with fewer processors.
[[nodiscard]] logp::Machine machine_for(const std::string& text, std::size_t ranks);

/// Plans a program for the least makespan on the processors of a machine, which are the ranks. The prediction
/// is that of the program with its communication, whose orders may differ from the schedule's
/// (assignment_of). A repeated program is planned for the least time between two inputs, in which each rank
/// does all its steps for one; the best of the frequency's plan, the makespan's and a single rank.
[[nodiscard]] ParallelPlan plan_parallel(const WeightedProgram& program, const logp::Machine& machine,
                                         const ParallelOptions& options);

/// Returns three lines: calls, messages, prediction; and the advice.
[[nodiscard]] std::string plan_text(const WeightedProgram& program, const ParallelPlan& plan);

}  // namespace takt::frontend
