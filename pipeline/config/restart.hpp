#pragma once
/// Settings for restarts of a run in which a rank dies.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/formats/yaml_tree.hpp"
#include "core/units.hpp"
#include "pipeline/parameters.hpp"

namespace takt::pipeline {

struct Restart {
  /// Largest number of restarts.
  std::uint64_t attempts = 3;
  /// Pause before a restart; doubles each time that the run has made no progress, up to
  /// longest_backoff.
  Time backoff{std::chrono::seconds{1}};
  static constexpr Time longest_backoff{std::chrono::minutes{1}};
  /// Interval between saved states.
  Time every{std::chrono::seconds{1}};
  /// True if stateful kernels that cannot save their state start anew.
  bool forgets = false;
  SourceLocation where = {};
};

/// Returns the keys of `restart` in a `deployment`.
[[nodiscard]] const std::vector<ParameterSpec>& restart_keys();
/// Reads `restart` of a deployment, if present.
[[nodiscard]] std::optional<Restart> read_restart(const YamlNode& deployment, ErrorList& errors);

}  // namespace takt::pipeline
