#pragma once
/// Where a launcher listens to ranks of a site.

#include <optional>
#include <string>

#include "pipeline/config/site.hpp"

namespace takt::pipeline {

/// An address of this computer that all hosts of the site reach; nothing where all ranks are on this
/// computer, which need none. Throws ConfigError, with its place, for a network that is not this computer's.
[[nodiscard]] std::optional<std::string> link_address(const Site& site);

}  // namespace takt::pipeline
