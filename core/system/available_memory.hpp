#pragma once
/// Memory that can still be had.

#include <optional>

#include "core/units.hpp"

namespace takt {

/// What this process' host can still give without swapping, and its control group (version 2) allows; nothing
/// where the system does not say.
[[nodiscard]] std::optional<Bytes> available_memory();

/// What this process has of the host's memory; nothing where the system does not say.
[[nodiscard]] std::optional<Bytes> resident_memory();

}  // namespace takt
