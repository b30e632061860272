#pragma once
/// A lower bound of what processors can do together.

#include <vector>

#include "core/units.hpp"

namespace takt::schedulers {

/// When `work` is done at the soonest by processors that are free from the given times on, if it could be
/// cut at will. O(P log P).
[[nodiscard]] Time area_bound(std::vector<Time> free, Time work);

}  // namespace takt::schedulers
