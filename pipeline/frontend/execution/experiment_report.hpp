#pragma once
/// Experiments as tables in the form of CASCH's, and as JSON.

#include <string>
#include <vector>

#include "pipeline/frontend/execution/experiment.hpp"

namespace takt::frontend {

/// Returns a table for each experiment; and if there are several, tables of schedulers by experiments:
/// executed times (tables 2 to 4 of the paper) and times of the schedulers (table 5).
[[nodiscard]] std::string experiments_to_text(const std::vector<Experiment>& experiments);

/// Returns all figures, times in ns. `host` names the computer.
[[nodiscard]] std::string experiments_to_json(const std::vector<Experiment>& experiments,
                                              const std::string& host);

}  // namespace takt::frontend
