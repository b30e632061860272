#pragma once
/// The packet format of LWA for sources.

#include <cstdint>

#include "sensors/lwa/format.hpp"
#include "sensors/packets/assembler.hpp"
#include "sensors/packets/frame_builder.hpp"

namespace takt::sensors {

/// Packets of all signals may arrive on any port. `assembly.window` counts packets of all of them, and covers
/// at least two packet periods. `source` is the number of the source in the pipeline, for the frame headers.
/// Throws OptionError.
[[nodiscard]] PacketFormat lwa_packets(const LwaFormat& format, const Assembly& assembly,
                                       std::uint32_t source);

}  // namespace takt::sensors
