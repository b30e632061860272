#pragma once
/// Where a stage must run.

#include <cstddef>
#include <optional>
#include <string>

#include "core/error.hpp"

namespace takt::pipeline {

/// The key `place` of a stage: each given part restricts the ranks that may run it.
struct Place {
  std::optional<std::size_t> rank = {};
  /// Name of a host, with or without its domain; empty: any.
  std::string host = {};
  /// Number of a processor of the host, as for `pin`, or of a NUMA node.
  std::optional<std::size_t> core = {};
  std::optional<std::size_t> numa = {};
  /// Type of cores, as the system names it (`IntelAtom`); empty: any.
  std::string type = {};
  /// For sources: the NUMA node of the network interface.
  bool is_at_interface = false;
  SourceLocation where = {};

  /// Returns true if the rank must be bound to processors.
  [[nodiscard]] bool binds() const { return core || numa || is_at_interface || !type.empty(); }
  /// Returns `host node1, core 3`.
  [[nodiscard]] std::string to_string() const;
};

}  // namespace takt::pipeline
