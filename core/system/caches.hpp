#pragma once
/// Cache sizes of this computer, as reported by the system.

#include <optional>

#include "core/units.hpp"

namespace takt {

/// Returns the size of the second level, private to a core; 1 MiB if unknown.
[[nodiscard]] Bytes second_cache();

/// Returns the size of the largest cache of a core, private or shared; empty if unknown.
[[nodiscard]] std::optional<Bytes> largest_cache();

}  // namespace takt
