#pragma once
/// Counts the operations of a procedure by reading it.

#include <map>
#include <string>
#include <vector>

#include "pipeline/frontend/reading/syntax.hpp"
#include "pipeline/frontend/weights/formula.hpp"

namespace takt::frontend {

/// Operations of one call as formulas of the procedure's integer parameters, by kind: `add` (also
/// subtractions), `mul` and `div` of real numbers, `integer` arithmetic and comparisons, `memory` (elements
/// read or written), `iteration` of a loop, and functions of the C library by name. Bounds of loops and
/// indices do not count.
struct OperationCounts {
  std::map<std::string, Formula> counts;
  /// What could not be counted, one sentence each.
  std::vector<std::string> notes;
};

/// Reads a procedure and the functions that it calls. A loop runs from its first value to its bound; both
/// branches of a condition count, so the result is an upper bound there; a loop of any other form counts
/// once, with a note. Source: Ahmad et al. (2000), "symbolic estimator".
[[nodiscard]] OperationCounts count_operations(const SyntaxTree& tree, const Node& function);

}  // namespace takt::frontend
