#pragma once
/// Costs of C programs, measured on this computer and kept for later commands.

#include <cstddef>
#include <string>

#include "logp/machine.hpp"
#include "pipeline/frontend/weights/program_graph.hpp"

namespace takt::cli {

/// Reads the program that GRAPH names. Prints its notes on stderr. Throws UsageError for other texts.
[[nodiscard]] frontend::WeightedProgram load_c_program(const std::string& name);

/// The same with measured times of the calls, unless GRAPH has costs=FILE or profile=FILE: those of an
/// earlier command for the same text, parameters and headers on this computer, or measured now. `is_fresh`
/// measures anew.
[[nodiscard]] frontend::WeightedProgram load_measured(const std::string& name, bool is_fresh);

/// Returns --machine MACHINE for these ranks. Without it, the messages between ranks of this computer are
/// measured or taken from an earlier command; a computer with one processor has usual costs.
[[nodiscard]] logp::Machine measured_machine(const std::string& machine, std::size_t ranks, bool is_fresh);

}  // namespace takt::cli
