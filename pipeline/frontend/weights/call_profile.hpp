#pragma once
/// Measured times of a program's calls, as a file.

#include <span>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "pipeline/frontend/reading/program.hpp"

namespace takt::frontend {

/// Returns the times of all calls as YAML: a line each, with the call as C.
[[nodiscard]] std::string call_profile_to_yaml(const Program& program, std::span<const Time> times);

/// Reads the times of this program's calls from a text; `file` is its name in errors. Throws ConfigError with
/// file:line:column if the file is of another program or of other parameters: its calls differ.
[[nodiscard]] std::vector<Time> call_profile_from_yaml(const std::string& text, const std::string& file,
                                                       const Program& program);

}  // namespace takt::frontend
