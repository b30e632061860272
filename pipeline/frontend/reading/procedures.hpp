#pragma once
/// Static analysis of procedures: how they use their parameters, and what else they use.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/frontend/reading/program.hpp"
#include "pipeline/frontend/reading/syntax.hpp"

namespace takt::frontend {

/// The form of a section at a pointer that does not designate an array: names of functions that compute
/// its numbers from the procedure's arguments.
struct Extent {
  /// Number of elements; or rows, columns and pitch of a tile.
  std::vector<std::string> probes;
  /// From takt_extent or takt_tile, which go before the extent of the argument.
  bool is_annotated = false;
};

struct ProcedureFacts {
  Procedure procedure;
  const Node* definition = nullptr;
  /// One for each parameter.
  std::vector<std::optional<Extent>> extents;
  /// Whether a pointer is used for its first element only.
  std::vector<bool> is_single;
  /// Uses of global variables and of static ones, also by callees.
  std::vector<Violation> violations;
};

/// Returns functions, as C, that compute the extents of all parameters: text to append to the program. Empty
/// if no procedure has extents.
[[nodiscard]] std::string extent_probes(const SyntaxTree& tree);

/// Returns the facts of a function of a tree that was parsed with the probes.
[[nodiscard]] ProcedureFacts facts_of(const SyntaxTree& tree, const Node& function);

/// Reports a function of the C library without effects besides its result and its sections.
[[nodiscard]] bool is_pure_library_function(std::string_view name);

}  // namespace takt::frontend
