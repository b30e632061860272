#pragma once
/// A program as the GRAPH of a command: `fft.c:PN=8,SN=4`, with the source of its weights.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/graph_file.hpp"
#include "pipeline/frontend/reading/read_program.hpp"

namespace takt::frontend {

/// Where works come from: usual costs of operations, a file of such costs, or measured times.
enum class WorkOrigin : std::uint8_t { usual, cost_file, measured };

/// A program with the work of each call.
struct WeightedProgram {
  ReadProgram read;
  std::vector<Time> work;
  WorkOrigin origin = WorkOrigin::usual;
  /// Assumptions, one sentence each.
  std::vector<std::string> notes;
  TaskGraph graph;
};

/// Reports whether GRAPH names a program.
[[nodiscard]] bool names_program(std::string_view text);

/// A program with the files of its weights.
struct WeightedName {
  ProgramName program;
  std::optional<std::string> costs = {}, profile = {};
};

/// Returns the parts of `fft.c:PN=8,costs=FILE`. Throws ConfigError if the text names no program, or both a
/// cost file and a profile.
[[nodiscard]] WeightedName weighted_name(std::string_view text);

/// Reads the program that GRAPH names. Two parameters are takt's own: `costs=FILE` is a cost file, and
/// `profile=FILE` has measured times of the calls (takt profile); without them work is estimated with
/// usual_costs(). Throws ConfigError and ProgramError.
[[nodiscard]] WeightedProgram load_program(std::string_view text);

/// Replaces the works by measured times, one a call.
void set_measured_work(WeightedProgram& program, std::vector<Time> work);

}  // namespace takt::frontend
