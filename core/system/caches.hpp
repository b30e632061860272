#pragma once
/// Sizes of this computer's caches, as the system tells them.

#include <optional>

#include "core/units.hpp"

namespace takt {

/// Of the second level, which a core has for itself; 1 MiB where the system does not say.
[[nodiscard]] Bytes second_cache();

/// The largest cache of a core, which cores share where several do; nothing where the system does not say.
[[nodiscard]] std::optional<Bytes> largest_cache();

}  // namespace takt
