#pragma once
/// LWA packets, as a source sees them.

#include <cstdint>

#include "sensors/lwa/format.hpp"
#include "sensors/packets/assembler.hpp"
#include "sensors/packets/frame_builder.hpp"

namespace takt::sensors {

/// Packets of all signals may come on any port. `assembly.window` counts packets of all of them, and is two
/// moments at least. `source` is the number of the source in the pipeline, for the frames' headers. Throws
/// OptionError.
[[nodiscard]] PacketFormat lwa_packets(const LwaFormat& format, const Assembly& assembly,
                                       std::uint32_t source);

}  // namespace takt::sensors
