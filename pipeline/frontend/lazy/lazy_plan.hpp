#pragma once
/// Plans a program without storing its calls.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"
#include "logp/machine.hpp"
#include "pipeline/frontend/lazy/live_sections.hpp"
#include "pipeline/frontend/lazy/online_schedule.hpp"
#include "pipeline/frontend/reading/read_program.hpp"
#include "pipeline/frontend/weights/costs.hpp"

namespace takt::frontend {

/// Figures of a plan whose calls were placed one by one.
struct LazyPlan {
  struct Load {
    std::uint64_t calls = 0;
    /// In calls.
    Time busy{0};
    /// Messages that leave and enter the processor.
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };
  std::uint64_t calls = 0;
  /// Data that calls read from earlier ones: edges of the task graph.
  std::uint64_t inputs = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  Time makespan{0};
  /// All calls on the fastest processor.
  Time sequential{0};
  /// No plan is shorter: the longest path of calls, without messages; and all work on all processors.
  Time critical_path{0};
  Time shared_work{0};
  /// The most writers whose data later calls read: what the plan keeps in memory.
  std::uint64_t most_live = 0;
  std::vector<Load> processors;
};

/// Receives each call with its place, in the order of the program.
using OnPlaced = std::function<void(std::uint64_t number, const Call& call, const Placement& placement)>;

/// Evaluates main twice: to find the last use of each block of data, then to place each call where it ends
/// first (OnlineSchedule). Calls that use the environment all run where the first of them runs. Time:
/// O(calls * processors + inputs); memory: that of LiveSections. Throws ProgramError and ConfigError.
[[nodiscard]] LazyPlan plan_lazily(ReadProgram& program, const OperationCosts& costs,
                                   const logp::Machine& machine, const OnPlaced& on_placed = {},
                                   BlockSizes sizes = {});

/// Return the plan as text and as JSON.
[[nodiscard]] std::string to_text(const LazyPlan& plan, std::string_view program);
[[nodiscard]] std::string to_json(const LazyPlan& plan, std::string_view program);

}  // namespace takt::frontend
