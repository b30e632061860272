#pragma once
/// How the packets of a LOFAR station become frames: what is waited for, and for how long.

#include <cstddef>

#include "core/units.hpp"

namespace takt::sensors {

struct LofarAssembly {
  /// A packet is put in its place as long as it comes at most this many packets of a lane after its time; a
  /// frame with packets missing is handed over that much later.
  std::size_t window = 256;
  /// A step of the station's clock backwards, or forwards by more than this, begins a new epoch; a smaller
  /// step forwards is loss.
  Time longest_gap = Time(10'000'000'000);
};

/// Throws ConfigError.
void validate(const LofarAssembly& assembly);

}  // namespace takt::sensors
