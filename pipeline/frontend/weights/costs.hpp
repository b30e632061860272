#pragma once
/// What operations cost on a machine, and from this the work of calls.

#include <map>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "pipeline/frontend/reading/read_program.hpp"
#include "pipeline/frontend/weights/operation_counts.hpp"

namespace takt::frontend {

/// Nanoseconds an operation, by the kinds of OperationCounts.
struct OperationCosts {
  std::map<std::string, double> nanoseconds;
  /// Functions of the library without a cost of their own.
  double function = 0;

  [[nodiscard]] double of(const std::string& kind) const;
};

/// Costs of a core of some 3 GHz; measured profiles say more.
[[nodiscard]] OperationCosts usual_costs();

/// Reads a cost file (YAML): `operations: {add: 60 ns, ...}`; `function` is any other function. Kinds that
/// the file does not name cost nothing. Throws ConfigError with file:line:column.
[[nodiscard]] OperationCosts read_costs(const std::string& file);

/// Returns the counts of each procedure of the program, in their order; without a definition there are none.
[[nodiscard]] std::vector<OperationCounts> count_procedures(const ReadProgram& program);

/// Returns the operations of one call by kind.
[[nodiscard]] std::map<std::string, double> operations_of(const ReadProgram& program, CallId call,
                                                          const OperationCounts& counts);

/// Returns the estimated work of each call, at least 1 ns. Calls with equal arguments are evaluated once.
[[nodiscard]] std::vector<Time> estimate_work(const ReadProgram& program, const OperationCosts& costs);

/// Returns the formulas of all procedures as a table, with the notes.
[[nodiscard]] std::string costs_text(const ReadProgram& program);

}  // namespace takt::frontend
