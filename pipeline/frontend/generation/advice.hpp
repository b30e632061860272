#pragma once
/// Says why a program gains little from ranks, and what would help.

#include <string>

#include "core/units.hpp"
#include "logp/machine.hpp"
#include "pipeline/frontend/weights/program_graph.hpp"

namespace takt::frontend {

/// Returns what limits the program on this machine: the procedure that takes most of the longest path of
/// calls, or the section that costs most in messages. If nothing is gained, also a parameter of the program
/// and a value from which ranks pay, if one is found: for messages one that makes sections larger, for calls
/// that depend on each other one that makes more calls. Times of the program for other values are estimated,
/// in the ratio of this program's works to their estimates. `predicted` is the best makespan found. Empty if
/// at least 5 % and half of the ranks' speed is gained. Reads the program again for each value tried, at most
/// 16 of them.
[[nodiscard]] std::string advice_of(const WeightedProgram& program, const logp::Machine& machine,
                                    Time predicted);

}  // namespace takt::frontend
