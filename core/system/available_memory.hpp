#pragma once
/// Available and used memory.

#include <optional>

#include "core/units.hpp"

namespace takt {

/// Returns the memory available to this process without swapping, within the limit of its control group
/// (version 2); empty if unknown.
[[nodiscard]] std::optional<Bytes> available_memory();

/// Returns this process's resident memory; empty if unknown.
[[nodiscard]] std::optional<Bytes> resident_memory();

}  // namespace takt
