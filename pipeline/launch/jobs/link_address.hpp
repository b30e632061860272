#pragma once
/// Determines the address on which a launcher listens to the ranks of a site.

#include <optional>
#include <string>

#include "pipeline/config/site.hpp"

namespace takt::pipeline {

/// Returns an address of this computer that all hosts of the site reach; nothing if all ranks are on this
/// computer. Throws ConfigError, with its place, for a network that this computer does not have.
[[nodiscard]] std::optional<std::string> link_address(const Site& site);

}  // namespace takt::pipeline
