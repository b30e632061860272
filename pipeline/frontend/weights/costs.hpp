#pragma once
/// What operations cost on a machine, and from this the work of calls.

#include <cstdint>
#include <map>
#include <optional>
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

/// Estimates the work of calls one by one. Borrows the program, whose procedures are known.
class WorkEstimator {
 public:
  WorkEstimator(const ReadProgram& program, OperationCosts costs);

  /// Returns the estimated work of a call, at least 1 ns. Calls of a procedure with equal numbers, as far as
  /// its formulas depend on them, are evaluated once.
  [[nodiscard]] Time work(const Call& call);

 private:
  struct Known {
    OperationCounts counts;
    /// The parameters on which the counts depend.
    std::vector<std::size_t> parameters;
    std::map<std::vector<std::optional<std::int64_t>>, Time> works;
  };
  const ReadProgram& program_;
  OperationCosts costs_;
  std::vector<Known> procedures_;
};

/// Returns the estimated work of each call.
[[nodiscard]] std::vector<Time> estimate_work(const ReadProgram& program, const OperationCosts& costs);

/// Returns the formulas of all procedures as a table, with the notes.
[[nodiscard]] std::string costs_text(const ReadProgram& program);

}  // namespace takt::frontend
