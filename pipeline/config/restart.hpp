#pragma once
/// What becomes of a run in which a rank dies.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/formats/yaml_tree.hpp"
#include "core/units.hpp"
#include "pipeline/parameters.hpp"

namespace takt::pipeline {

struct Restart {
  /// How often it is started again, all in all.
  std::uint64_t attempts = 3;
  /// How long nothing is done before it; twice as long each time that it has got no further, up to
  /// longest_backoff.
  Time backoff{std::chrono::seconds{1}};
  static constexpr Time longest_backoff{std::chrono::minutes{1}};
  /// How often what is needed for it is kept.
  Time every{std::chrono::seconds{1}};
  /// Whether kernels that keep something and cannot hand it over begin anew.
  bool forgets = false;
  SourceLocation where = {};
};

/// What may stand in `restart` of a `deployment`.
[[nodiscard]] const std::vector<ParameterSpec>& restart_keys();
/// That of a deployment, where it has one.
[[nodiscard]] std::optional<Restart> read_restart(const YamlNode& deployment, ErrorList& errors);

}  // namespace takt::pipeline
